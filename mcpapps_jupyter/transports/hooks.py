"""What a transport tells its owner while it runs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, ParamSpec

Frame = dict[str, Any]
"""One JSON-RPC message as parsed JSON."""

Direction = Literal["in", "out"]

P = ParamSpec("P")

logger = logging.getLogger(__name__)


@dataclass
class Hooks:
    """Callbacks of one connection; all optional, all called on the loop the transport was entered on.

    They must return quickly and must not change the frames they are shown. One that raises is
    logged and otherwise ignored: watching a connection never breaks it.

    Parameters
    ----------
    on_noise
        Text on the server's stdout that is not JSON-RPC, one call a line or fragment.
    on_stderr
        One line of the server's stderr, without its line end.
    on_warning
        Something of the server's was repaired or dropped, in words. Without it `on_noise` is told.
    on_closed
        The peer went away by itself: why, in words. At most once, and never for our own close.
    on_session_lost
        The server no longer knows our ``Mcp-Session-Id`` (legacy HTTP). At most once.
    on_activity
        The peer did something, bytes moved: what restarts a start-up clock.
    tap
        Every JSON-RPC frame, ``"in"`` after repair, ``"out"`` as sent.
    repair
        A further fix of inbound frames, after the built-in one.
    """

    on_noise: Callable[[str], object] | None = None
    on_stderr: Callable[[str], object] | None = None
    on_warning: Callable[[str], object] | None = None
    on_closed: Callable[[str], object] | None = None
    on_session_lost: Callable[[], object] | None = None
    on_activity: Callable[[], object] | None = None
    tap: Callable[[Direction, Frame], object] | None = None
    repair: Callable[[Frame], Frame] | None = None

    def warn(self, text: str) -> None:
        """Report a repair or a loss, in words."""
        notify(self.on_warning or self.on_noise, text)


def notify(hook: Callable[P, object] | None, *args: P.args, **kwargs: P.kwargs) -> None:
    """Call `hook` if there is one; its exceptions end here."""
    if hook is None:
        return
    try:
        hook(*args, **kwargs)
    except Exception:  # foreign code; the connection must outlive it
        logger.debug("a transport hook raised", exc_info=True)
