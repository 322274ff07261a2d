"""The manifest's JSON Schema, for editors; ``python -m mcpapps_jupyter.manifest.schema`` writes it anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mcpapps_jupyter.manifest.model import Manifest

SCHEMA_FILE = Path(__file__).parent.parent / "manifest.schema.json"
"""The shipped copy."""


def manifest_schema() -> dict[str, Any]:
    """Return the schema, generated from `Manifest`."""
    generated = Manifest.model_json_schema(by_alias=True)
    properties: dict[str, Any] = {"$schema": {"type": "string", "description": "This schema, for editors."}}
    for key, value in generated["properties"].items():
        properties[key] = _tidied(value)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": generated["title"],
        "description": "openclaw.mcpapp.json: one MCP App, its server and its page.",
        "type": "object",
        "properties": properties,
        "required": generated["required"],
        "additionalProperties": True,
    }


def _tidied(field: dict[str, Any]) -> dict[str, Any]:
    """Drop the titles that only repeat the key, and fold `anyOf` with null into one list of types."""
    tidy = {key: value for key, value in field.items() if key != "title"}
    kinds = tidy.pop("anyOf", None)
    if kinds is None and isinstance(tidy.get("type"), str) and tidy["type"] in ("array", "object"):
        return {**tidy, "type": [tidy["type"], "null"]}  # null is an empty collection
    return tidy if kinds is None else {"type": [kind["type"] for kind in kinds], **tidy}


def schema_text() -> str:
    """Return the schema as the shipped file has it."""
    return json.dumps(manifest_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8", newline="\n")
