"""What the transport tests share: starting hand-written servers, and hearing everything a transport says."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mcp_types as types
import psutil
from mcp import Client
from pydantic import TypeAdapter

from mcpapps_jupyter.manifest import Launch
from mcpapps_jupyter.transports import Hooks, ProcessGuard, StdioTransport

SERVERS = Path(__file__).with_name("servers")
WAIT = 30.0

_RAW: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])


@dataclass
class Heard:
    """Everything one transport told its owner."""

    noise: list[str] = field(default_factory=list)
    stderr: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    lost: list[None] = field(default_factory=list)
    frames: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    moved: int = 0

    def hooks(self) -> Hooks:
        return Hooks(
            on_noise=self.noise.append,
            on_stderr=self.stderr.append,
            on_warning=self.warnings.append,
            on_closed=self.closed.append,
            on_session_lost=lambda: self.lost.append(None),
            on_activity=self._count,
            tap=lambda direction, frame: self.frames.append((direction, frame)),
        )

    def _count(self) -> None:
        self.moved += 1


def launch(*command: str, **environment: str) -> Launch:
    return Launch(command[0], tuple(command[1:]), str(SERVERS), {**os.environ, **environment})


def script(name: str, *arguments: str) -> Launch:
    return launch(sys.executable, str(SERVERS / f"{name}.py"), *arguments)


@asynccontextmanager
async def served(
    what: Launch, *, mode: str = "legacy", guard: ProcessGuard | None = None, **client: Any
) -> AsyncIterator[tuple[Client, StdioTransport, Heard]]:
    heard = Heard()
    transport = StdioTransport(what, heard.hooks(), guard)
    async with Client(transport, mode=mode, **client) as connected:
        yield connected, transport, heard


async def call(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool and return its result as it came."""
    params = types.CallToolRequestParams(name=name, arguments=arguments)
    return await client.session.send_request(types.CallToolRequest(params=params), _RAW)


def text_of(result: dict[str, Any]) -> str:
    return result["content"][0]["text"]


async def until(condition: Callable[[], Any], what: str = "the condition") -> Any:
    deadline = time.monotonic() + WAIT
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited {WAIT} s in vain for {what}"
        await asyncio.sleep(0.01)
    return value


def runs(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def family(pid: int) -> list[int]:
    """A process and its descendants."""
    process = psutil.Process(pid)
    return [process.pid, *(child.pid for child in process.children(recursive=True))]


async def all_gone(pids: list[int]) -> None:
    await until(lambda: not any(map(runs, pids)), f"the end of {pids}")


async def enter(transport: AbstractAsyncContextManager[Any]) -> None:
    """Enter and leave a transport that is not expected to come up."""
    async with transport:
        pass
