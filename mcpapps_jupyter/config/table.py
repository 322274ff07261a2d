"""The settings as a table for the docs: ``python -m mcpapps_jupyter.config.table > docs/settings.md``."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from mcpapps_jupyter.config.traits import McpApps

_INTRO = """\
# Settings

Set them with `%config McpApps.NAME = …`, `mcpapps.configure(NAME=…)`, in `ipython_kernel_config.py`
(`c.McpApps.NAME = …`), or in a file `mcpapps.json` beside the notebook or in the Jupyter config folder.
Python and `%config` win over the IPython configuration, that over the file beside the notebook, that over
the other file. A file beside the notebook may have come with it: it has no say in what guards you
(`trusted_paths`, `approvals`, `permissions`, `headless`, `roots`, the rates of pages), and of what may run
it can only forbid more. In files the names are taken in any spelling (`discoveryPaths`, `discovery_paths`),
also inside a section `McpApps` of an `appsettings.json`.

| setting | default | meaning |
|---|---|---|
"""


def _shown(value: Any) -> str:
    return "none" if value is None else f"`{json.dumps(value)}`"


def table() -> str:
    """The whole page, in Markdown."""
    rows = []
    for name, trait in sorted(McpApps.class_traits(config=True).items()):
        text = re.sub(r"\s+", " ", trait.help).replace("|", "\\|")
        rows.append(f"| `{name}` | {_shown(trait.default())} | {text} |\n")
    return _INTRO + "".join(rows)


if __name__ == "__main__":
    sys.stdout.write(table())
