"""``%load_ext mcpapps``: connects the host with IPython, and takes it out again without a trace."""

from __future__ import annotations

from typing import Any

from mcpapps_jupyter.host import drop_host, get_host

_loaded: dict[int, Any] = {}


class _CellWatch:
    """Tells the host where cells begin and end, for one page a cell."""

    def __init__(self, views: Any) -> None:
        self._views = views

    def before(self, info: Any) -> None:
        self._views.before_cell(getattr(info, "cell_id", None))

    def after(self, result: Any) -> None:
        self._views.after_cell()


def load_ipython_extension(ipython: Any) -> None:
    """Register the magic, completion and settings; loading twice, or by both names, changes nothing."""
    if id(ipython) in _loaded:
        return
    from mcpapps_jupyter.magics import register

    host = get_host()
    if host.config not in ipython.configurables:
        ipython.configurables.append(host.config)
    watch = _CellWatch(host.pages)
    ipython.events.register("pre_run_cell", watch.before)
    ipython.events.register("post_run_cell", watch.after)
    unregister = register(ipython, host)
    _loaded[id(ipython)] = (watch, unregister)
    host.complain()


def unload_ipython_extension(ipython: Any) -> None:
    """Stop every server and page and take everything out of IPython again."""
    entry = _loaded.pop(id(ipython), None)
    if entry is None:
        return
    watch, unregister = entry
    unregister()
    ipython.events.unregister("pre_run_cell", watch.before)
    ipython.events.unregister("post_run_cell", watch.after)
    config = get_host().config
    if config in ipython.configurables:
        ipython.configurables.remove(config)
    drop_host()
