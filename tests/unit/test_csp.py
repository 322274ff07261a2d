import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpapps_jupyter.csp import MAX_BYTES, MAX_ORIGINS, build_policy, clean_origins, granted

KEYS = ("connectDomains", "resourceDomains", "frameDomains", "baseUriDomains")


def directives(policy: str) -> dict[str, list[str]]:
    return {name: sources for name, *sources in (part.split() for part in policy.split(";"))}


def test_nothing_declared_reaches_nothing():
    assert directives(build_policy({})) == {
        "default-src": ["'none'"],
        "script-src": ["'unsafe-inline'", "'unsafe-eval'", "blob:", "data:"],
        "style-src": ["'unsafe-inline'", "blob:", "data:"],
        "img-src": ["blob:", "data:"],
        "font-src": ["blob:", "data:"],
        "media-src": ["blob:", "data:"],
        "connect-src": ["blob:", "data:"],
        "worker-src": ["blob:", "data:"],
        "frame-src": ["'none'"],
        "base-uri": ["'none'"],
        "object-src": ["'none'"],
        "form-action": ["'none'"],
    }


@pytest.mark.parametrize(
    ("key", "named"),
    [
        ("connectDomains", {"connect-src"}),
        ("resourceDomains", {"script-src", "style-src", "img-src", "font-src", "media-src"}),
        ("frameDomains", {"frame-src"}),
        ("baseUriDomains", {"base-uri"}),
    ],
)
def test_each_key_opens_its_directives_only(key, named):
    policy = directives(build_policy({key: ["https://a.example"]}))
    assert {name for name, sources in policy.items() if "https://a.example" in sources} == named
    for name in named:
        assert "'none'" not in policy[name]


@pytest.mark.parametrize(
    ("entry", "origin"),
    [
        ("https://cdn.example.com", "https://cdn.example.com"),
        ("HTTPS://CDN.Example.COM", "https://cdn.example.com"),
        (" https://cdn.example.com/ ", "https://cdn.example.com"),
        ("https://cdn.example.com:8443", "https://cdn.example.com:8443"),
        ("https://cdn.example.com:443", "https://cdn.example.com"),
        ("http://localhost:8888", "http://localhost:8888"),
        ("http://127.0.0.1:5000", "http://127.0.0.1:5000"),
        ("http://intranet", "http://intranet"),
        ("https://*.example.com", "https://*.example.com"),
        ("https://*.example.com:444", "https://*.example.com:444"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
        ("https://straße.de", "https://xn--strae-oqa.de"),  # what browsers make of it, not "strasse"
        ("https://\uff45\uff58.com", "https://ex.com"),
        ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        ("https://example.com.", "https://example.com"),
    ],
)
def test_origins_come_in_their_normal_form(entry, origin):
    assert clean_origins([entry], "resourceDomains", pytest.fail) == [origin]


@pytest.mark.parametrize(
    "entry",
    [
        "*",
        "'self'",
        "'unsafe-inline'",
        "data:",
        "blob:",
        "https:",
        "https://",
        "//cdn.example.com",
        "cdn.example.com",
        "https://a.example/path",
        "https://a.example?q",
        "https://a.example#f",
        "https://a.example\\path",
        "https://user@a.example",
        "https://user:pass@a.example",
        "https://a.example;script-src *",
        "https://a.example, https://b.example",
        "https://a.example https://b.example",
        "https://a.example\n",
        "https://a.ex\tample",
        'https://a.example"><script>',
        "https://a.example\x00",
        "https://a%2eexample",
        "https://*",
        "https://*.com",
        "https://*example.com",
        "https://a.*.example",
        "https://*.*.example.com",
        "https://a..example",
        "https://-a.example",
        "https://a_b.example",
        "https://a.example:0",
        "https://a.example:65536",
        "https://a.example:*",
        "https://a.example:",
        "https://a.example:٣",
        "http://[::1]:8000",
        "http://127.1",
        "http://2130706433",
        "http://0x7f.0.0.1",
        "http://0x7f000001",
        "http://127.0.0.01",
        "http://256.0.0.1",
        "https://*.0.0.1",
        "ftp://a.example",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "chrome-extension://abc",
        "https://" + "a" * 64 + ".example",
        "https://" + "a." * 200 + "example",
        "https://\u202ea.example",
        "https://☃☃\u200d.example",
        "",
        None,
        7,
        ["https://a.example"],
    ],
)
def test_anything_else_is_dropped_with_a_warning(entry):
    warnings = []
    assert clean_origins([entry], "resourceDomains", warnings.append) == []
    assert len(warnings) == 1
    assert warnings[0].startswith("csp.resourceDomains: ")
    assert warnings[0].isprintable()


@pytest.mark.parametrize(
    ("entry", "advice"),
    [
        ("cdn.example.com", "write https://cdn.example.com"),
        ("https://a.example/lib/x.js", "write https://a.example"),
        ("wss://a.example", "wanted http or https"),
    ],
)
def test_a_warning_says_what_to_write(entry, advice):
    warnings = []
    clean_origins([entry], "resourceDomains", warnings.append)
    assert advice in warnings[0]


def test_websockets_are_for_connections_only():
    assert clean_origins(["wss://a.example", "ws://localhost:1"], "connectDomains") == [
        "wss://a.example",
        "ws://localhost:1",
    ]
    for key in KEYS[1:]:
        assert clean_origins(["wss://a.example"], key) == []


def test_an_origin_counts_once():
    entries = ["https://a.example", "https://A.example/", "https://a.example:443"]
    assert granted({"frameDomains": entries}, pytest.fail)["frameDomains"] == ["https://a.example"]


def test_what_was_granted_is_what_the_policy_has():
    asked = {"connectDomains": ["https://a.example", "*"], "frameDomains": ["https://f.example/x"]}
    result = granted(asked)
    assert result == {
        "connectDomains": ["https://a.example"],
        "resourceDomains": [],
        "frameDomains": [],
        "baseUriDomains": [],
    }
    assert build_policy(result, pytest.fail) == build_policy(asked)


def test_at_most_fifty_origins_all_keys_together():
    warnings = []
    asked = {key: [f"https://{key[0]}{n}.example" for n in range(20)] for key in KEYS}
    result = granted(asked, warnings.append)
    assert sum(map(len, result.values())) == MAX_ORIGINS == 50
    assert len(warnings) == 30
    assert "50 origins" in warnings[0]


def test_at_most_two_kibibytes_of_origins():
    asked = {"connectDomains": [f"https://{'a' * 60}.{'b' * 60}.n{n}.example" for n in range(49)]}
    result = granted(asked)
    assert sum(len(each) for each in result["connectDomains"]) <= MAX_BYTES == 2048


def test_an_unknown_key_is_named():
    warnings = []
    granted({"connectDomain": ["https://a.example"]}, warnings.append)
    assert "Did you mean 'connectDomains'?" in warnings[0]


@given(
    st.dictionaries(
        st.sampled_from(KEYS) | st.text(),
        st.lists(
            st.text()
            | st.from_regex(r"(https?|wss?)://[a-z*.:@/;' \"0-9-]{0,30}", fullmatch=True)
            | st.from_regex(r"https://\w{1,8}\.\w{1,8}", fullmatch=True)
        ),
        max_size=5,
    )
)
def test_no_input_breaks_out_of_the_policy(csp):
    policy = build_policy(csp)
    assert re.fullmatch(r"[a-zA-Z0-9 ;:/.*'-]+", policy)
    found = directives(policy)
    assert list(found) == list(directives(build_policy({})))
    for name, sources in found.items():
        assert "*" not in sources
        keywords = {source for source in sources if source.startswith("'") or source.endswith(":")}
        base = directives(build_policy({}))[name]
        assert keywords <= set(base)
    assert build_policy(granted(csp), pytest.fail) == policy
