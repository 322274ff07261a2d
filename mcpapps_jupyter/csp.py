"""The content security policy of a page: the whole string, built here and nowhere else.

What a page may load follows from what its server declared (``_meta.ui.csp``), and nothing else may be
loaded: ``default-src 'none'``. On top of that every page gets what real apps need and what reaches no
network: inline script and style, ``eval`` (WebAssembly, bundlers), ``blob:`` and ``data:``.

=====================  =====================================================
declared               directive
=====================  =====================================================
``connectDomains``     ``connect-src`` (``blob:`` and ``data:`` always: loaders read their own data by fetch)
``resourceDomains``    ``script-src style-src img-src font-src media-src``
``frameDomains``       ``frame-src`` (none: ``'none'``)
``baseUriDomains``     ``base-uri`` (none: ``'none'``; in an opaque frame ``'self'`` names nothing)
=====================  =====================================================

``worker-src`` is ``blob: data:``, ``object-src`` and ``form-action`` are ``'none'``. ``form-action`` is what
makes ``allow-forms`` in the frame's sandbox safe.

The string stands in a ``<meta>`` of a document that the page's HTML inherits from, so only origins that
were checked character by character enter it. CSP covers neither WebRTC nor the bare connection that Chromium
opens for a frame's navigation before it is refused: a hostile page can still send data out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from mcpapps_jupyter.errors import did_you_mean

MAX_ORIGINS = 50
"""Most origins of a page, all keys together."""

MAX_BYTES = 2048
"""Most bytes of a page's origins, all keys together."""

Warn = Callable[[str], None]

_DIRECTIVES: Mapping[str, tuple[str, ...]] = {
    "connectDomains": ("connect-src",),
    "resourceDomains": ("script-src", "style-src", "img-src", "font-src", "media-src"),
    "frameDomains": ("frame-src",),
    "baseUriDomains": ("base-uri",),
}
_ALWAYS: Mapping[str, tuple[str, ...]] = {
    "script-src": ("'unsafe-inline'", "'unsafe-eval'", "blob:", "data:"),
    "style-src": ("'unsafe-inline'", "blob:", "data:"),
    "img-src": ("blob:", "data:"),
    "font-src": ("blob:", "data:"),
    "media-src": ("blob:", "data:"),
    "connect-src": ("blob:", "data:"),
    "frame-src": (),
    "base-uri": (),
}
_WEB = frozenset({"http", "https"})
_SCHEMES: Mapping[str, frozenset[str]] = {
    "connectDomains": _WEB | {"ws", "wss"},
    "resourceDomains": _WEB,
    "frameDomains": _WEB,
    "baseUriDomains": _WEB,
}
_DEFAULT_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}

_ORIGIN = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#\\]*)(.*)", re.DOTALL)
_LABEL = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)")
_NUMERIC = re.compile(r"\d+|0x[0-9a-f]*")
_OCTET = re.compile(r"0|[1-9]\d{0,2}")


def _ignore(_: str) -> None:
    """Take a warning nobody wants."""


def build_policy(csp: Mapping[str, Sequence[str]], warn: Warn = _ignore) -> str:
    """Build the policy of a page.

    Parameters
    ----------
    csp : mapping of str to sequence of str
        What the page declared, or what `granted` made of it.
    warn : callable, optional
        Told about each entry that is dropped.

    Returns
    -------
    str
        Value of ``Content-Security-Policy``; ASCII, without double quotes, ``<``, ``>`` and ``&``.
    """
    origins = granted(csp, warn)
    parts = ["default-src 'none'"]
    for key, directives in _DIRECTIVES.items():
        for directive in directives:
            sources = (*_ALWAYS[directive], *origins[key]) or ("'none'",)
            parts.append(f"{directive} {' '.join(sources)}")
    parts += ["worker-src blob: data:", "object-src 'none'", "form-action 'none'"]
    return "; ".join(parts)


def granted(csp: Mapping[str, Sequence[str]], warn: Warn = _ignore) -> dict[str, list[str]]:
    """Return the origins that a page gets, by key: the valid ones of those it declared, within the limits."""
    result: dict[str, list[str]] = {}
    count = size = 0
    for key in _DIRECTIVES:
        result[key] = []
        for origin in clean_origins(csp.get(key) or (), key, warn):
            if count >= MAX_ORIGINS or size + len(origin) > MAX_BYTES:
                limit = f"a page gets at most {MAX_ORIGINS} origins in {MAX_BYTES} bytes"
                warn(f"csp.{key}: {origin} is dropped: {limit}.")
                continue
            count += 1
            size += len(origin)
            result[key].append(origin)
    for key in csp:
        if key not in _DIRECTIVES:
            known = f"the keys are {', '.join(_DIRECTIVES)}.{did_you_mean(str(key), _DIRECTIVES)}"
            warn(f"csp.{key!s:.60} is ignored; {known}")
    return result


def clean_origins(entries: Sequence[str], key: str = "connectDomains", warn: Warn = _ignore) -> list[str]:
    """Return the valid ones of `entries` in their normal form (lower case, punycode), each once.

    Valid is ``scheme://host`` or ``scheme://host:port``, the host perhaps ``*.example.com``; ``ws`` and
    ``wss`` only for ``connectDomains``. All else is dropped and named in a warning, with what to write.
    """
    origins: dict[str, None] = {}
    for entry in [entries] if isinstance(entries, str) else entries:
        try:
            origins[_origin(entry, key)] = None
        except _Refused as refusal:
            warn(f"csp.{key}: {_shown(entry)} is dropped: {refusal}.")
    return list(origins)


class _Refused(ValueError):  # noqa: N818 - a reason that never leaves this module
    """Why an entry is no origin that may enter the policy."""


def _origin(entry: object, key: str) -> str:
    if not isinstance(entry, str):
        raise _Refused("not a string")
    text = entry.strip(" ")
    if len(text) > MAX_BYTES:
        raise _Refused("too long")
    if re.search(r"[\x00-\x20\x7f-\xa0'\";,<>&`]", text):
        raise _Refused("it has a character that no origin has")
    match = _ORIGIN.fullmatch(text)
    if match is None:
        raise _Refused(_no_scheme(text, key))
    scheme, authority, rest = match[1].lower(), match[2], match[3]
    if scheme not in _SCHEMES[key]:
        raise _Refused(f"wanted {' or '.join(sorted(_SCHEMES[key]))}, not '{scheme}'")
    if "@" in authority:
        raise _Refused("credentials have no place in an origin")
    name, port = _host_and_port(authority, scheme)
    host = _host(name)
    origin = f"{scheme}://{host}" + (f":{port}" if port else "")
    if rest not in ("", "/"):
        raise _Refused(f"only an origin counts, without path or query; write {origin}")
    return origin


def _no_scheme(text: str, key: str) -> str:
    if text == "*":
        return "'*' would allow everything; name the origins"
    try:
        return f"the scheme is missing; write {_origin(f'https://{text}', key)}"
    except _Refused:
        return "wanted an origin such as https://cdn.example.com"


def _host_and_port(authority: str, scheme: str) -> tuple[str, int | None]:
    if authority.startswith("["):
        raise _Refused("policies know no IPv6 addresses; use a name, such as localhost")
    name, colon, digits = authority.partition(":")
    if not colon:
        return name, None
    if not re.fullmatch(r"[0-9]{1,5}", digits) or not 0 < int(digits) < 65536:
        raise _Refused("the port is not a number from 1 to 65535")
    return name, None if int(digits) == _DEFAULT_PORTS[scheme] else int(digits)


def _host(name: str) -> str:
    wild = name.startswith("*.")
    labels = _ascii(name[2:] if wild else name).removesuffix(".").split(".")
    if "*" in name[1 if wild else 0 :]:
        raise _Refused("'*' may only stand for the first part of a host, as in https://*.example.com")
    if not all(_LABEL.fullmatch(label) for label in labels) or len(".".join(labels)) > 253:
        raise _Refused("the host is not a name")
    if _NUMERIC.fullmatch(labels[-1]):
        # Browsers read 127.1 or 0x7f000001 as addresses too: only the plain form says what it means.
        if wild or len(labels) != 4 or not all(_OCTET.fullmatch(each) and int(each) < 256 for each in labels):
            raise _Refused("the host is not a plain IPv4 address")
    elif wild and len(labels) < 2:
        raise _Refused("that would allow a whole top-level domain")
    return ("*." if wild else "") + ".".join(labels)


def _ascii(name: str) -> str:
    if name.isascii():
        return name.lower()
    import idna  # rarely needed: not worth its time at every import

    try:
        return idna.encode(name, uts46=True).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError):
        raise _Refused("the host is not a valid international name") from None


def _shown(entry: object) -> str:
    return ascii(entry) if len(ascii(entry)) <= 80 else ascii(entry)[:79] + "…"
