"""Hosts far from the person's own settings, and the lab server behind every transport in both eras."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.config import McpApps
from mcpapps_jupyter.host import Host
from tests.core.servers.lab import build
from tests.core.support import command
from tests.transports.web import serving

ERAS = ("auto", "legacy")
WAYS = [(transport, era) for transport in ("inprocess", "stdio", "http") for era in ERAS]


def settle_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR"):
        monkeypatch.setenv(name, str(folder / name.lower()))
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    monkeypatch.setenv("MCPAPPS_HEADLESS", "1")
    monkeypatch.chdir(folder)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The notebook's folder."""
    settle_in(tmp_path, monkeypatch)
    return tmp_path


def new_host(**settings: Any) -> Host:
    return Host(McpApps(read_files=False, **{"discovery_paths": [], **settings}))


@pytest.fixture
def host(folder: Path) -> Iterator[Host]:
    host = new_host()
    yield host
    host.close()


MakeLab = Callable[..., App]


@contextmanager
def lab_maker(host: Host) -> Iterator[MakeLab]:
    with ExitStack() as stack:

        def make(transport: str = "stdio", era: str = "auto", app_id: str = "lab", **fields: Any) -> App:
            what: Any = command("lab")
            if transport == "inprocess":
                what = build()
            elif transport == "http":
                what = stack.enter_context(serving(build().streamable_http_app())).url()
            return host.add(what, id=app_id, protocol=era, **fields)

        yield make
        host.close()  # before the servers go


@pytest.fixture
def lab(host: Host) -> Iterator[MakeLab]:
    """Add the lab server: ``lab(transport, era, **manifest)``."""
    with lab_maker(host) as make:
        yield make


@pytest.fixture(scope="module", params=WAYS, ids=["-".join(way) for way in WAYS])
def any_lab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The lab server over each transport in each era; shared by a module's tests, which leave it running."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        settle_in(tmp_path_factory.mktemp("notebook"), monkeypatch)
        with lab_maker(new_host()) as make:
            yield make(*request.param)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """A host for a module's pages: the lab server in both eras, and one that writes down all it reads."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        folder = tmp_path_factory.mktemp("notebook")
        settle_in(folder, monkeypatch)
        host = new_host()
        for era in ERAS:
            host.add(build(), id=era, protocol=era)
        host.add(command("by_hand", "", str(folder / "journal")), id="by-hand")
        yield host
        host.close()
