"""The ``%mcpapp`` line magic and its completion: the notebook's way to the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcpapps_jupyter.host import Host
from mcpapps_jupyter.magics.completion import matcher
from mcpapps_jupyter.magics.magic import NAME, Magic, as_function

__all__ = ["register"]


def register(ipython: Any, host: Host) -> Callable[[], None]:
    """Give `ipython` the magic and its completion; returns the function that takes both out again."""
    function = as_function(Magic(ipython, host))
    complete = matcher(host)
    ipython.register_magic_function(function, "line", NAME)
    if ipython.Completer is not None:
        ipython.Completer.custom_matchers.append(complete)

    def unregister() -> None:
        magics = ipython.magics_manager
        if magics.magics["line"].get(NAME) is function:
            del magics.magics["line"][NAME]
        if getattr(magics.user_magics, NAME, None) is function:
            delattr(magics.user_magics, NAME)
        if ipython.Completer is not None and complete in ipython.Completer.custom_matchers:
            ipython.Completer.custom_matchers.remove(complete)

    return unregister
