"""Kernels that start soon."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

#: Packages that kernels are to do without, each with the reason.
_WITHOUT = Path(__file__).with_name("without")


def lean(environ: Mapping[str, str]) -> dict[str, str]:
    """Give `environ`, without what costs each kernel much and gives the tests nothing."""
    path = [str(_WITHOUT), *filter(None, [environ.get("PYTHONPATH")])]
    return {**environ, "PYTHONPATH": os.pathsep.join(path)}
