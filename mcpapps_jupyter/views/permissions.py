"""What a view's page may use of the browser: by the configuration, or by the person, once a view."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from mcpapps_jupyter.views.decisions import Record

#: MCP Apps permission → the frame's ``allow`` token. Camera and microphone are not here: they do not work in
#: a frame without an origin of its own, so they are never granted, and never promised to the page.
ALLOW_TOKENS = {"clipboardWrite": "clipboard-write", "geolocation": "geolocation"}

_IN_WORDS = {"clipboardWrite": "write to your clipboard", "geolocation": "know where you are"}

#: Puts a question to the person; the answer's ``decision`` is ``always`` or ``deny``.
Ask = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]]]


class Permissions:
    """The permissions of one view; on the session loop.

    Parameters
    ----------
    policies
        Gives ``allow``, ``ask`` or anything else (no) by permission.
    ask
        Asks the person; None where nobody can be asked.
    note
        Writes into the app's log.
    record
        Takes the decisions.

    Notes
    -----
    The browser's own prompt names the notebook, and its answer would hold for every app in it. So
    ``geolocation`` is asked by us first, for this view.
    """

    def __init__(
        self,
        policies: Callable[[], Mapping[str, str]],
        ask: Callable[[], Ask | None],
        *,
        note: Callable[[str], None],
        record: Record,
    ) -> None:
        self._policies = policies
        self._ask = ask
        self._note = note
        self._record = record
        self._decided: dict[str, bool] = {}
        #: What the configuration gave, and was recorded: every document of the page asks anew.
        self._told: set[str] = set()
        self._one_question = asyncio.Lock()

    async def grant(self, asked: Iterable[str]) -> tuple[str, ...]:
        """Decide on what a page asks for; waits for the person where it has to."""
        policies = self._policies()
        granted = []
        for name in sorted(asked):
            policy = policies.get(name)
            if name not in ALLOW_TOKENS:
                self._note(f"the page asks for {name}, which cannot work in its frame; not granted")
            elif policy == "allow":
                granted.append(name)
                if name not in self._told:
                    self._told.add(name)
                    self._record("permission", name, "allow", "policy")
            elif policy == "ask" and await self._person_allows(name):
                granted.append(name)
            elif policy != "ask":
                self._note(f"the page asks for {name}; McpApps.permissions does not grant it")
        return tuple(granted)

    async def _person_allows(self, name: str) -> bool:
        async with self._one_question:
            if name not in self._decided:
                ask = self._ask()
                if ask is None:
                    self._note(f"the page asks for {name}, and nobody is there to ask; not granted")
                    self._record("permission", name, "deny", "nobody")
                    return False
                answer = await ask(
                    {"type": "permission", "tool": name, "text": f"wants to {_IN_WORDS[name]}"}
                )
                allowed = answer.get("decision") in ("once", "always")
                if answer.get("nobody"):  # asked again when somebody looks at the page again
                    self._record("permission", name, "deny", "nobody")
                    return False
                self._record("permission", name, "allow" if allowed else "deny", "person")
                self._decided[name] = allowed
            return self._decided[name]

    def forget(self) -> None:
        """Take back what the person has allowed; what was denied stays so."""
        self._decided = {name: allowed for name, allowed in self._decided.items() if not allowed}
