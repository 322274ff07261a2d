"""The manifest ``openclaw.mcpapp.json``: what it may say, reading it, and what is to be started.

The file format and its words are OpenClaw.NET's, so a manifest written for it works here unchanged.
"""

from mcpapps_jupyter.manifest.launch import (
    Launch,
    inherited_environment,
    resolve_endpoint,
    resolve_launch,
    secret_values,
)
from mcpapps_jupyter.manifest.model import (
    DEFAULT_STARTUP_SECONDS,
    MANIFEST_HOST_LEVEL,
    PROTOCOL_VERSIONS,
    Manifest,
)
from mcpapps_jupyter.manifest.parse import (
    ENTRY_KEYS,
    OVERRIDE_KEYS,
    ParsedManifest,
    canonical,
    parse_document,
    parse_manifest,
    parse_mapping,
)

__all__ = [
    "DEFAULT_STARTUP_SECONDS",
    "ENTRY_KEYS",
    "MANIFEST_HOST_LEVEL",
    "OVERRIDE_KEYS",
    "PROTOCOL_VERSIONS",
    "Launch",
    "Manifest",
    "ParsedManifest",
    "canonical",
    "inherited_environment",
    "parse_document",
    "parse_manifest",
    "parse_mapping",
    "resolve_endpoint",
    "resolve_launch",
    "secret_values",
]
