"""The person and their browser, in a test's hands."""

from __future__ import annotations

import asyncio
import queue
from dataclasses import dataclass, field
from typing import Any

import httpx2

from mcpapps_jupyter.app import App
from mcpapps_jupyter.ports import LoginRequest
from tests.core.support import WAIT


def visit(url: str) -> httpx2.Response:
    """Open an address as a browser does, and go where it leads."""
    with httpx2.Client(follow_redirects=True, timeout=WAIT, trust_env=False) as browser:
        return browser.get(url)


def end_of(url: str) -> str:
    """Log in, as a browser on another machine does: the address of the page that cannot be shown."""
    with httpx2.Client(timeout=WAIT, trust_env=False) as browser:
        return str(browser.get(url).headers["location"])


@dataclass
class Person:
    """Takes the place of the notebook's prompt for logins."""

    requests: queue.Queue[LoginRequest] = field(default_factory=queue.Queue)
    outcomes: queue.Queue[str] = field(default_factory=queue.Queue)
    #: What the field for the address says, each time it is shown.
    problems: queue.Queue[str] = field(default_factory=queue.Queue)
    _pasted: asyncio.Queue[str | None] | None = None
    _loop: asyncio.AbstractEventLoop | None = None

    def prompt(self, app: App, request: LoginRequest) -> Person:
        self._loop, self._pasted = asyncio.get_running_loop(), asyncio.Queue()
        self.requests.put(request)
        return self

    async def show(self) -> None:
        pass

    async def ask_for_address(self, problem: str) -> str | None:
        assert self._pasted is not None
        self.problems.put(problem)
        return await self._pasted.get()

    def conclude(self, outcome: str) -> None:
        self.outcomes.put(outcome)

    # -- what a test does ---------------------------------------------------------------------------

    def asked(self) -> LoginRequest:
        """Wait until the notebook wants a login."""
        return self.requests.get(timeout=WAIT)

    def log_in(self) -> httpx2.Response:
        """Wait for the link, follow it, and be let in or not; gives the page it ends at."""
        return visit(self.asked().url)

    def paste(self, address: str | None) -> None:
        """Type into the field; None declines."""
        assert self._loop is not None
        assert self._pasted is not None
        self._loop.call_soon_threadsafe(self._pasted.put_nowait, address)

    def outcome(self) -> str:
        return self.outcomes.get(timeout=WAIT)

    @property
    def left_alone(self) -> bool:
        """Whether nothing was asked that no test has taken notice of."""
        return self.requests.empty()


def arguments_of(url: str) -> dict[str, Any]:
    return dict(httpx2.URL(url).params)
