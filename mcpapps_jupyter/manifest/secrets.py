"""Where secrets hide in what a manifest says: in addresses, in options, under names that tell."""

from __future__ import annotations

import re
from collections.abc import Sequence

_MASK = "•••"
_VARIABLE = r"\$\{(?:env:[\w().]+|python|manifestDir)\}"
_TELLING = re.compile(
    r"TOKEN|SECRET|KEY|PASS|PWD|CREDENTIAL|AUTH(?!OR(?!I[ZS]))|COOKIE|BEARER|SESSION|SIGNATURE|JWT"
    r"|(?<![A-Z])(?:PAT|PW|SIG)(?![A-Z])",
    re.IGNORECASE,
)
# A variable, or several, alone or behind the word that begins an Authorization header.
_ELSEWHERE = re.compile(rf"(?:(?:Bearer|Basic|Token) +)?(?:{_VARIABLE})+", re.IGNORECASE)
_PLAIN_WORD = re.compile(
    r"[A-Za-z0-9]{0,3}|true|false|null|none|info|debug|warn|warning|error|[-+]?\d+(?:\.\d+)?", re.IGNORECASE
)
_PATH = re.compile(rf"(?:{_VARIABLE}|~|\.\.?|[A-Za-z]:)?[/\\](?![/\\])[^:@?=\s]*")
_USER = re.compile(r"(://)([^/?#\s]+)(?=@)")
_QUERY = re.compile(r"([?&])([^=&#\s]+)=([^&#\s]+)")
_NAMED = re.compile(r"(-{0,2}([\w.-]+)(?:=|:\s*))(?!//)(.+)", re.DOTALL)
_OPTION = re.compile(r"--?([\w.-]+)")


def telling(name: str) -> bool:
    """Whether a name says that its value is a secret."""
    return _TELLING.search(name) is not None


def kept_elsewhere(value: str) -> bool:
    """Whether a value only names variables, so that no secret is in it."""
    return _ELSEWHERE.fullmatch(value.strip()) is not None


def harmless(name: str, value: str) -> bool:
    """Whether a variable or a header may be written into a file as it is."""
    if kept_elsewhere(value) or value.strip().lower() in ("", "true", "false"):
        return True
    return not telling(name) and (_PLAIN_WORD.fullmatch(value) or _PATH.fullmatch(value)) is not None


def without_secrets(text: str) -> str:
    """Mask who logs in, and telling parts of the query, in any address in `text`."""

    def user(match: re.Match[str]) -> str:
        return match[0] if kept_elsewhere(match[2].replace("}:${", "}${")) else f"{match[1]}{_MASK}"

    def query(match: re.Match[str]) -> str:
        bare = not telling(match[2]) or kept_elsewhere(match[3])
        return match[0] if bare else f"{match[1]}{match[2]}={_MASK}"

    return _QUERY.sub(query, _USER.sub(user, text))


def arguments_without_secrets(arguments: Sequence[str]) -> list[str]:
    """Mask what follows telling options (``--token=…``, ``--api-key …``, ``-e KEY=…``), and in addresses."""
    shown: list[str] = []
    before = ""
    for argument in arguments:
        named = _NAMED.fullmatch(argument)
        option = _OPTION.fullmatch(before)
        if option and telling(option[1]) and not argument.startswith("-"):
            shown.append(argument if _may_follow(argument) else _MASK)
        elif named and telling(named[2]):
            shown.append(argument if _may_follow(named[3]) else f"{named[1]}{_MASK}")
        else:
            shown.append(without_secrets(argument))
        before = argument
    return shown


def _may_follow(value: str) -> bool:
    return kept_elsewhere(value) or value.lower() in ("true", "false")
