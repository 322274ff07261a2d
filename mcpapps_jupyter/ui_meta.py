"""What servers say about their pages: ``_meta.ui`` of tools and resources, MIME types, the HTML itself.

Wire dictionaries come in, frozen dataclasses go out. Odd input never raises (but for `page_html`, whose
answer is a page or the reason why there is none): it counts as absent, and `warn` is told.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mcpapps_jupyter.errors import NoPage, did_you_mean

APP_MIME = "text/html;profile=mcp-app"
CSP_KEYS = ("connectDomains", "resourceDomains", "frameDomains", "baseUriDomains")
PERMISSIONS = ("camera", "microphone", "geolocation", "clipboardWrite")
AUDIENCES = ("model", "app")

Warn = Callable[[str], None]

_WORD = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_MIME_BASE = re.compile(rf"\s*({_WORD}/{_WORD})\s*")
_MIME_PARAMETER = re.compile(rf'\s*;\s*(?:({_WORD})\s*=\s*(?:"((?:[^"\\]|\\.)*)"|({_WORD})))?\s*')


def _ignore(_: str) -> None:
    """Take a warning nobody wants."""


def is_app_mime(value: str | None) -> bool:
    """Tell whether a MIME type is ``text/html`` with ``profile=mcp-app``.

    Case, spaces, quotes, order and further parameters such as ``charset`` do not matter.
    """
    if not isinstance(value, str):
        return False
    base = _MIME_BASE.match(value)
    if base is None or base[1].lower() != "text/html":
        return False
    return any(
        name == "profile" and "mcp-app" in setting.lower().split()
        for name, setting in _mime_parameters(value[base.end() :])
    )


def _mime_parameters(rest: str) -> Iterator[tuple[str, str]]:
    position = 0
    while position < len(rest):
        match = _MIME_PARAMETER.match(rest, position)
        if match is None:
            return
        if match[1]:
            quoted = match[2]
            yield match[1].lower(), re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else match[3]
        position = match.end()


@dataclass(frozen=True)
class ToolUi:
    """A tool's page and who may call the tool.

    Attributes
    ----------
    resource_uri : str or None
        ``ui://…`` of the page bound to the tool.
    visibility : frozenset of str
        Any of ``"model"`` and ``"app"``.
    """

    resource_uri: str | None
    visibility: frozenset[str]

    @property
    def for_model(self) -> bool:
        """Whether a model may see the tool."""
        return "model" in self.visibility

    @property
    def for_app(self) -> bool:
        """Whether pages of the same server may call the tool."""
        return "app" in self.visibility


def tool_ui(tool: Mapping[str, Any], warn: Warn = _ignore) -> ToolUi:
    """Read ``_meta.ui`` of a tool; the older flat key ``ui/resourceUri`` counts too, nested wins."""
    name = f"tool '{tool.get('name', '?')}'"
    meta = _mapping(tool.get("_meta"))
    ui = _section(meta, name, warn)
    uri = _resource_uri(ui.get("resourceUri"), f"{name}: _meta.ui.resourceUri", warn)
    if uri is None:
        uri = _resource_uri(meta.get("ui/resourceUri"), f"{name}: _meta['ui/resourceUri']", warn)
    return ToolUi(uri, _visibility(ui.get("visibility"), name, warn))


def _visibility(given: Any, name: str, warn: Warn) -> frozenset[str]:
    if given is None:
        return frozenset(AUDIENCES)
    if not isinstance(given, (list, tuple)):
        warn(f"{name}: _meta.ui.visibility is not a list and is ignored; both 'model' and 'app' may call it.")
        return frozenset(AUDIENCES)
    known = frozenset(each for each in given if isinstance(each, str) and each in AUDIENCES)
    for each in given:
        if not isinstance(each, str) or each not in AUDIENCES:
            warn(f"{name}: _meta.ui.visibility has {each!r}; it knows 'model' and 'app'.")
    return known


def _resource_uri(value: Any, where: str, warn: Warn) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip().lower().startswith("ui://"):
        warn(f"{where} is {value!r:.200}, which does not start with ui://, and is ignored.")
        return None
    return value.strip()


@dataclass(frozen=True)
class PageMeta:
    """What a page asks of its frame.

    Attributes
    ----------
    csp : dict of str to list of str
        Asked-for domains by key of `CSP_KEYS`, as declared, not yet checked (`mcpapps_jupyter.csp` does).
    permissions : frozenset of str
        Asked-for ones of `PERMISSIONS`.
    domain : str or None
        Name of an origin of its own.
    prefers_border : bool or None
        Whether the page wants a border; None when it does not say.
    """

    csp: dict[str, list[str]]
    permissions: frozenset[str]
    domain: str | None
    prefers_border: bool | None


def page_meta(
    content: Mapping[str, Any], listing: Mapping[str, Any] | None = None, warn: Warn = _ignore
) -> PageMeta:
    """Read ``_meta.ui`` of a page.

    Parameters
    ----------
    content : mapping
        The item of ``resources/read``.
    listing : mapping or None
        The same resource's entry of ``resources/list``, for what `content` does not say. Each of ``csp``,
        ``permissions``, ``domain``, ``prefersBorder`` falls back alone and is taken whole, never merged.
    warn : callable, optional
        Told about everything that is ignored.
    """
    places: list[tuple[Mapping[str, Any], str]] = []
    for item, where in ((content, "resources/read"), (listing, "resources/list")):
        if not isinstance(item, Mapping):
            continue
        if "meta" in item and "_meta" not in item:
            warn(f"{where}: has 'meta', which is not MCP's spelling; write '_meta'.")
        places.append((_section(_mapping(item.get("_meta")), where, warn), where))

    def first(key: str, read: Callable[[Any, str, Warn], Any], absent: Any) -> Any:
        for ui, where in places:
            if ui.get(key) is not None and (value := read(ui[key], where, warn)) is not None:
                return value
        return absent

    return PageMeta(
        csp=first("csp", _csp, {}),
        permissions=first("permissions", _permissions, frozenset()),
        domain=first("domain", _domain, None),
        prefers_border=first("prefersBorder", _prefers_border, None),
    )


def _csp(value: Any, where: str, warn: Warn) -> dict[str, list[str]] | None:
    keys = ", ".join(CSP_KEYS)
    if not isinstance(value, Mapping):
        warn(f"{where}: _meta.ui.csp is not an object and is ignored; its keys are {keys}.")
        return None
    asked: dict[str, list[str]] = {}
    for key, domains in value.items():
        if key not in CSP_KEYS:
            warn(f"{where}: _meta.ui.csp has '{key}', which is ignored; its keys are {keys}.")
        elif domains is None:
            continue
        elif not isinstance(domains, (list, tuple)):
            warn(f"{where}: _meta.ui.csp.{key} is not a list of strings and is ignored; the keys are {keys}.")
        else:
            asked[key] = [domain for domain in domains if isinstance(domain, str)]
            if len(asked[key]) < len(domains):
                warn(f"{where}: _meta.ui.csp.{key} has entries that are not strings; they are ignored.")
    return asked


def _permissions(value: Any, where: str, warn: Warn) -> frozenset[str] | None:
    if not isinstance(value, Mapping):
        warn(
            f"{where}: _meta.ui.permissions is not an object and is ignored, e.g. {{'clipboardWrite': {{}}}}."
        )
        return None
    for key in value:
        if key not in PERMISSIONS:
            known = f"known: {', '.join(PERMISSIONS)}.{did_you_mean(str(key), PERMISSIONS)}"
            warn(f"{where}: _meta.ui.permissions has '{key}', which is ignored; {known}")
    return frozenset(key for key in PERMISSIONS if value.get(key) not in (None, False))


def _domain(value: Any, where: str, warn: Warn) -> str | None:
    if isinstance(value, str) and value.strip():
        return value.strip()
    warn(f"{where}: _meta.ui.domain is not a text and is ignored.")
    return None


def _prefers_border(value: Any, where: str, warn: Warn) -> bool | None:
    if isinstance(value, bool):
        return value
    warn(f"{where}: _meta.ui.prefersBorder is not true or false and is ignored.")
    return None


def _section(meta: Mapping[str, Any], where: str, warn: Warn) -> Mapping[str, Any]:
    ui = meta.get("ui")
    if ui is not None and not isinstance(ui, Mapping):
        warn(f"{where}: _meta.ui is not an object and is ignored.")
    return _mapping(ui)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def page_html(content: Mapping[str, Any]) -> str:
    """Return the HTML of an item of ``resources/read``, from its ``text`` or its base64 ``blob``.

    Raises
    ------
    NoPage
        With the reason: another MIME type (the one seen is named), nothing there, broken base64 or UTF-8.
    """
    uri = content.get("uri", "the resource")
    mime = content.get("mimeType")
    if not is_app_mime(mime):
        raise NoPage(f"{uri} is not a page of an MCP App: {_seen(content, mime)}; wanted '{APP_MIME}'.")
    text, blob = content.get("text"), content.get("blob")
    if isinstance(text, str) and text.strip():
        return _well_formed(text)
    if isinstance(blob, str) and blob.strip():
        html = _decoded(blob, uri)
        if html.strip():
            return html
    if text is not None and not isinstance(text, str):
        raise NoPage(f"{uri}: 'text' is not a string.")
    if blob is not None and not isinstance(blob, str):
        raise NoPage(f"{uri}: 'blob' is not a base64 string.")
    if text is None and blob is None:
        raise NoPage(f"{uri} has neither 'text' nor 'blob': the server sent no HTML.")
    raise NoPage(f"{uri} is empty: the server sent no HTML.")


def _seen(content: Mapping[str, Any], mime: Any) -> str:
    if isinstance(mime, str):
        return f"its MIME type is '{mime:.200}'"
    if mime is not None:
        return "its 'mimeType' is not a string"
    if "mime_type" in content:
        return "it has 'mime_type', which MCP spells 'mimeType'"
    return "the server gave no MIME type"


def _decoded(blob: str, uri: Any) -> str:
    packed = re.sub(r"\s+", "", blob).translate(str.maketrans("-_", "+/")).rstrip("=")
    try:
        data = base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise NoPage(f"{uri}: 'blob' is not valid base64.") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NoPage(f"{uri}: 'blob' is not UTF-8 text (byte {error.start}).") from None


def _well_formed(text: str) -> str:
    text = text.removeprefix("\ufeff")
    if text.isascii():
        return text
    # JSON can spell half of a surrogate pair, which no UTF-8 message to the browser can carry.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
