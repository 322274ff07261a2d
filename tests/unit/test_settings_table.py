"""The settings' page in the docs says what the code says."""

from __future__ import annotations

from pathlib import Path

from mcpapps_jupyter.config.table import table
from mcpapps_jupyter.config.traits import McpApps

PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == table(), (
        "python -m mcpapps_jupyter.config.table > docs/settings.md"
    )


def test_every_setting_says_what_it_means() -> None:
    assert all(trait.help for trait in McpApps.class_traits(config=True).values())
