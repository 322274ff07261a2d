"""What holds for all tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

_NODE_MODULES = Path(__file__).resolve().parents[1] / "js" / "node_modules"


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("npm") and not (shutil.which("node") and _NODE_MODULES.is_dir()):
        pytest.skip("needs Node.js and the npm packages of js/: make js")
