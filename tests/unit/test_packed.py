"""The front end as it travels: small, and the very module that was built."""

from __future__ import annotations

import base64
import gzip
import re
from pathlib import Path

import pytest

import mcpapps_jupyter
from mcpapps_jupyter.views.packed import packed_module

STATIC = Path(mcpapps_jupyter.__file__).parent / "static"


@pytest.mark.parametrize(("name", "most"), [("widget.js", 40 * 1024), ("log.js", 10 * 1024)])
def test_it_is_the_built_module_and_small(name: str, most: int) -> None:
    text = packed_module(name)
    (packed,) = re.findall(r'"([A-Za-z0-9+/=]{100,})"', text)
    assert gzip.decompress(base64.b64decode(packed)) == (STATIC / name).read_bytes()
    assert len(text) < most, "bytes that go with every widget"
    assert packed_module.__wrapped__(name) == text, "a saved notebook stays the same"


def test_modules_of_another_content_are_other_modules() -> None:
    keys = {re.findall(r"Symbol\.for\(.*?\)", packed_module(name))[0] for name in ("widget.js", "log.js")}
    assert len(keys) == 2
