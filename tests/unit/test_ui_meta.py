import base64
import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpapps_jupyter.errors import NoPage
from mcpapps_jupyter.ui_meta import APP_MIME, is_app_mime, page_html, page_meta, tool_ui

URI = "ui://app/page.html"
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    "mime",
    [
        "text/html;profile=mcp-app",
        "text/html; profile=mcp-app",
        'text/html;profile="mcp-app"',
        "TEXT/HTML;charset=utf-8;profile=mcp-app",
        "text/html ; Profile = MCP-App ; charset=utf-8",
        'text/html;charset="a;b\\"c";profile=mcp-app',
        "text/html;;profile=mcp-app;",
    ],
)
def test_the_app_type_in_all_its_spellings(mime):
    assert is_app_mime(mime)


@pytest.mark.parametrize(
    "mime",
    [
        None,
        "",
        "text/html",
        "text/plain;profile=mcp-app",
        "text/html+skybridge",
        "text/html;profile=mcp-apps",
        "text/html;x-profile=mcp-app",
        'text/html;note="profile=mcp-app"',
        "profile=mcp-app",
        "xtext/html;profile=mcp-app",
    ],
)
def test_other_types_are_no_app(mime):
    assert not is_app_mime(mime)


def tool(**meta):
    return {"name": "t", "_meta": meta}


def test_nested_wins_over_the_flat_key():
    both = tool(ui={"resourceUri": "ui://new"}, **{"ui/resourceUri": "ui://old"})
    assert tool_ui(both).resource_uri == "ui://new"
    assert tool_ui(tool(**{"ui/resourceUri": "ui://old"})).resource_uri == "ui://old"
    assert tool_ui({"name": "plain"}).resource_uri is None


@pytest.mark.parametrize("uri", ["http://x/page", 7, ""])
def test_a_uri_that_is_none_is_ignored_with_a_warning(uri):
    warnings = []
    assert tool_ui(tool(ui={"resourceUri": uri}), warnings.append).resource_uri is None
    assert "ui://" in warnings[0]


@pytest.mark.parametrize(
    ("given_value", "audience", "warned"),
    [
        (None, {"model", "app"}, False),
        (["model"], {"model"}, False),
        (["app"], {"app"}, False),
        ([], set(), False),
        ("app", {"model", "app"}, True),
        ({"app": True}, {"model", "app"}, True),
        (["app", "user", 3], {"app"}, True),
    ],
)
def test_visibility(given_value, audience, warned):
    warnings = []
    seen = tool_ui(tool(ui={"visibility": given_value}), warnings.append)
    assert seen.visibility == audience
    assert (seen.for_model, seen.for_app) == ("model" in audience, "app" in audience)
    assert bool(warnings) == warned


def content(**ui):
    return {"uri": URI, "_meta": {"ui": ui}}


def test_each_key_falls_back_alone_and_is_taken_whole():
    listing = content(
        csp={"connectDomains": ["https://listed"], "frameDomains": ["https://f"]},
        domain="d",
        prefersBorder=True,
    )
    meta = page_meta(
        content(csp={"connectDomains": ["https://read"]}, permissions={"geolocation": {}}), listing
    )
    assert meta.csp == {"connectDomains": ["https://read"]}
    assert meta.permissions == {"geolocation"}
    assert (meta.domain, meta.prefers_border) == ("d", True)


def test_what_is_declared_empty_does_not_fall_back():
    listing = content(csp={"connectDomains": ["https://listed"]}, prefersBorder=True)
    meta = page_meta(content(csp={}, prefersBorder=False), listing)
    assert (meta.csp, meta.prefers_border) == ({}, False)


def test_nothing_declared():
    meta = page_meta({"uri": URI})
    assert (meta.csp, meta.permissions, meta.domain, meta.prefers_border) == ({}, frozenset(), None, None)


@pytest.mark.parametrize(
    ("csp", "kept"),
    [
        ({"connectDomains": ["https://a"], "scriptSrc": ["x"]}, {"connectDomains": ["https://a"]}),
        ({"connectDomains": "https://a"}, {}),
        ({"resourceDomains": ["https://a", 3]}, {"resourceDomains": ["https://a"]}),
        ("none", {}),
        ([], {}),
    ],
)
def test_odd_csp_is_ignored_with_a_warning(csp, kept):
    warnings = []
    assert page_meta(content(csp=csp), None, warnings.append).csp == kept
    assert warnings


def test_the_warning_about_an_unknown_csp_key_names_the_valid_ones():
    warnings = []
    page_meta(content(csp={"connect_domains": []}), None, warnings.append)
    for key in ("connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"):
        assert key in warnings[0]


def test_permissions_that_are_off_or_unknown_are_not_asked_for():
    warnings = []
    asked = {"camera": {}, "microphone": None, "clipboardWrite": True, "geolocation": False, "clipboard": {}}
    assert page_meta(content(permissions=asked), None, warnings.append).permissions == {
        "camera",
        "clipboardWrite",
    }
    assert "clipboardWrite" in warnings[0]


def test_the_wrong_spelling_of_meta_is_named():
    warnings = []
    page_meta({"uri": URI, "meta": {"ui": {}}}, None, warnings.append)
    assert "_meta" in warnings[0]


def packed(text, *, url_safe=False, padded=True):
    data = text.encode()
    blob = (base64.urlsafe_b64encode if url_safe else base64.b64encode)(data).decode()
    return blob if padded else blob.rstrip("=")


HTML = "<p>ä € 😀 ~~?</p>"


@pytest.mark.parametrize(
    "body",
    [
        {"text": HTML},
        {"text": "\ufeff" + HTML},
        {"blob": packed(HTML)},
        {"blob": packed(HTML, padded=False)},
        {"blob": packed(HTML, url_safe=True)},
        {"blob": packed(HTML, url_safe=True, padded=False)},
        {"blob": packed(HTML)[:8] + "\n  " + packed(HTML)[8:]},
        {"blob": packed("\ufeff" + HTML)},
        {"text": "", "blob": packed(HTML)},
        {"text": HTML, "blob": "?"},
    ],
)
def test_html_from_text_or_blob(body):
    assert page_html({"uri": URI, "mimeType": APP_MIME, **body}) == HTML


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ({"mimeType": "text/html", "text": HTML}, "MIME type is 'text/html'"),
        ({"mimeType": "image/png", "blob": "AA=="}, "image/png"),
        ({"text": HTML}, "no MIME type"),
        ({"mime_type": APP_MIME, "text": HTML}, "'mimeType'"),
        ({"mimeType": 5, "text": HTML}, "not a string"),
        ({"mimeType": APP_MIME}, "neither 'text' nor 'blob'"),
        ({"mimeType": APP_MIME, "text": " \n"}, "empty"),
        ({"mimeType": APP_MIME, "blob": ""}, "empty"),
        ({"mimeType": APP_MIME, "blob": "A"}, "base64"),
        ({"mimeType": APP_MIME, "blob": "PGI+*"}, "base64"),
        ({"mimeType": APP_MIME, "blob": "PGI=PGI="}, "base64"),
        ({"mimeType": APP_MIME, "blob": "ünïcode"}, "base64"),
        ({"mimeType": APP_MIME, "blob": base64.b64encode(b"ok \xff").decode()}, "UTF-8 text (byte 3)"),
        ({"mimeType": APP_MIME, "text": 3}, "'text' is not a string"),
        ({"mimeType": APP_MIME, "blob": ["x"]}, "'blob' is not"),
    ],
)
def test_no_page_comes_with_the_reason(item, reason):
    with pytest.raises(NoPage) as refusal:
        page_html({"uri": URI, **item})
    assert reason in str(refusal.value)
    assert URI in str(refusal.value)


def test_half_a_surrogate_pair_cannot_stop_the_page():
    html = page_html({"uri": URI, "mimeType": APP_MIME, "text": "<p>\ud83d</p>"})
    assert html.encode("utf-8").decode() == "<p>\ufffd</p>"


@given(st.dictionaries(st.sampled_from(["name", "_meta", "ui"]), ANYTHING), ANYTHING)
def test_odd_tools_never_raise(tool_like, ui):
    tool_ui(tool_like)
    tool_ui({"_meta": {"ui": ui, "ui/resourceUri": ui}})
    tool_ui({"_meta": {"ui": {"visibility": ui, "resourceUri": ui}}})


@given(ANYTHING)
def test_odd_pages_never_raise(value):
    for key in ("csp", "permissions", "domain", "prefersBorder"):
        page_meta(content(**{key: value}), {"_meta": value})
    page_meta({"_meta": {"ui": value}}, None)
    for key in ("text", "blob", "mimeType", "uri"):
        with contextlib.suppress(NoPage):
            page_html({"uri": URI, "mimeType": APP_MIME, key: value})
