"""What the configuration says about one view's pages, as it was when the view was opened. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mcpapps_jupyter.views.policy import Rates


@dataclass(frozen=True)
class PageSettings:
    """What configuration says about pages.

    Attributes
    ----------
    max_resource_bytes
        The largest page, bytes.
    permissions
        Permission → ``allow`` or ``ask``, anything else is no.
    rates
        What a view may do, and how often.
    host_version
        Our own version, for ``hostInfo``.
    max_view_bytes, view_ttl
        The most bytes that a view may hold, and the seconds that it lives.
    """

    max_resource_bytes: int
    permissions: Mapping[str, str]
    host_version: str
    rates: Rates = field(default_factory=Rates)
    max_view_bytes: int = 16 * 1024 * 1024
    view_ttl: float | None = None
