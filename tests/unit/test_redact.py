import json
import unicodedata
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpapps_jupyter.redact import MASK, clean_line, redact


def test_every_occurrence_is_masked():
    assert redact("key s3cret-1, again s3cret-1", ["s3cret-1"]) == f"key {MASK}, again {MASK}"


def test_a_secret_that_contains_another_goes_as_a_whole():
    assert redact("Bearer abcdef", ["abcdef", "Bearer abcdef"]) == MASK


def test_spellings_inside_json_and_urls_are_found():
    secret = 'p"ä/ss wörd'
    for text in (json.dumps({"k": secret}), json.dumps(secret, ensure_ascii=False), quote(secret, safe="")):
        assert "ss" not in redact(text, [secret])


@pytest.mark.parametrize("harmless", ["", "1", "on", "dev", "true", "INFO"])
def test_values_that_are_no_secrets_do_not_make_text_unreadable(harmless):
    text = "true: 1 line on dev INFO"
    assert redact(text, [harmless]) == text


def test_pattern_characters_are_plain_text():
    assert redact("a.c*d and abcxd", ["a.c*d"]) == f"{MASK} and abcxd"


@pytest.mark.parametrize("end", ["", "…", '"', "… and so on", '"}', "\n"])
def test_a_secret_that_was_cut_is_masked_too(end):
    secret = "sk-live-0123456789"
    for length in range(6, len(secret)):
        assert redact(f"denied for {secret[:length]}{end}", [secret]) == f"denied for {MASK}{end}"
    for plain in (f"sk-li{end}", f"a sk-live-01 in the middle{end}", f"sk-live-x{end}"):
        assert redact(plain, [secret]) == plain


@given(st.text(), st.lists(st.text(min_size=4), max_size=5))
def test_no_secret_survives(text, secrets):
    shown = redact(text + "".join(secrets), secrets)
    for secret in secrets:
        value = secret.strip()
        if len(value) >= 4 and value.casefold() not in (
            "true",
            "false",
            "null",
            "none",
            "info",
            "debug",
            "warn",
        ):
            if value.casefold() in ("warning", "error", "utf-8") or MASK in value or value in MASK:
                continue
            assert value not in shown.replace(MASK, "\0")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0;2\x1b\\end", "end"),
        ("one\ntwo\r\nthree\tfour\u2028five", "one two three four five"),
        ("get_\u202etxt.exe", "get_txt.exe"),
        ("zero\u200bwidth\ufeff\u2060", "zerowidth"),
        ("bell\x07 null\x00", "bell null"),
        ("half \ud800 pair", "half pair"),
        ("\u3164\u2800blank", "blank"),
        ("  many   spaces\u00a0here ", "many spaces here"),
        ("ünïcödé 日本", "ünïcödé 日本"),
    ],
)
def test_a_line_shows_what_it_says(text, line):
    assert clean_line(text) == line


def test_a_long_line_is_cut():
    assert clean_line("x" * 600) == "x" * 499 + "…"
    assert clean_line("abcdef", limit=4) == "abc…"
    assert clean_line("abcd", limit=4) == "abcd"


@given(st.text(alphabet=st.characters(), max_size=300), st.integers(1, 50))
def test_any_text_becomes_one_harmless_line(text, limit):
    line = clean_line(text, limit)
    assert len(line) <= limit
    assert not any(unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zl", "Zp") for each in line)
    assert clean_line(line, limit) == line
