"""The keys of a manifest, their types, defaults and meaning."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict, WithJsonSchema
from pydantic.alias_generators import to_camel

from mcpapps_jupyter.manifest.secrets import arguments_without_secrets, without_secrets

MANIFEST_HOST_LEVEL = "0.3.0"
"""The OpenClaw.NET release whose format is implemented; `minHostVersion` is compared with it."""

PROTOCOL_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
"""Versions of MCP that are known, oldest first."""

DEFAULT_STARTUP_SECONDS = 15.0
# npx and uvx may have to download the server first.
_INSTALLER_STARTUP_SECONDS = 60.0
_INSTALLERS = frozenset({"npx", "uvx", "bunx", "pipx", "pnpx"})

TRANSPORTS = ("stdio", "http", "sse", "inprocess")
TRANSPORT_ALIASES: Mapping[str, str] = {
    "streamable-http": "http",
    "streamable_http": "http",
    "streamablehttp": "http",
    "in-process": "inprocess",
}

Transport = Literal["stdio", "http", "sse", "inprocess"]


@dataclass(frozen=True)
class Wanted:
    """What a key takes, in the words of an error message."""

    words: str


def normal_transport(value: Any) -> Any:
    """Trim, lower and resolve the aliases of a transport's name; anything but a string stays as it is."""
    if not isinstance(value, str):
        return value
    name = value.strip().lower()
    return TRANSPORT_ALIASES.get(name, name)


def _normal_word(value: Any) -> Any:
    return value.strip().lower() if isinstance(value, str) else value


Text = Annotated[str, Wanted("a string")]
OptionalText = Annotated[str | None, Wanted("a string")]
Texts = Annotated[tuple[str, ...], Strict(False), Wanted("a list of strings")]
TextMap = Annotated[dict[str, str], Wanted("an object whose values are strings")]
Flag = Annotated[bool, Wanted("true or false")]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False), Wanted("a number of seconds greater than 0")]


class Manifest(BaseModel):
    """One app, as its manifest (with overrides applied) describes it.

    Fields are snake_case, their aliases are the manifest's camelCase keys. Keys that are not listed here
    are kept in ``model_extra``.
    """

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="allow",
        alias_generator=to_camel,
        title="MCP App manifest",
        defer_build=True,  # 10 ms that loading the extension need not cost
    )

    id: Annotated[
        Text,
        Field(
            description="Name of the app, unique; letters, digits, '.', '_', '-'.",
            pattern=r"^[A-Za-z0-9._-]+$",
            min_length=1,
            max_length=128,
        ),
    ]
    name: OptionalText = Field(None, description="Display name; the id when absent or blank.")
    description: OptionalText = Field(None, description="What the app does, in a sentence.")
    version: Text = Field("0.1.0", description="Version of the app.")
    min_host_version: OptionalText = Field(
        None,
        description="Oldest OpenClaw.NET release that knows this format; a newer one than ours is a warning.",
    )
    protocol_version: Text = Field(
        "2025-03-26",
        description="Version of MCP the app was written for; informative.",
        examples=[*PROTOCOL_VERSIONS],
    )
    icon_url: OptionalText = Field(None, description="Icon; only data: images are drawn.")
    author: OptionalText = Field(None, description="Who made the app.")
    license: OptionalText = Field(None, description="Licence, best as an SPDX identifier.")
    homepage_url: OptionalText = Field(None, description="Page about the app.")
    category: OptionalText = Field(None, description="One word of grouping, such as data or devtools.")
    tags: Texts = Field((), description="Words to find the app by.")

    transport: Annotated[
        Transport,
        BeforeValidator(normal_transport),
        WithJsonSchema({"type": "string", "enum": [*TRANSPORTS, "streamable-http", "streamable_http"]}),
        Wanted("one of 'stdio', 'http', 'sse', 'inprocess'"),
    ] = Field("stdio", description="How the server is reached; case does not matter.")
    command: OptionalText = Field(
        None,
        description="stdio: the program. A relative path with a separator starts at the manifest's folder. "
        "${python}, ${env:NAME} and ${manifestDir} are expanded.",
    )
    arguments: Texts = Field(
        (), description="stdio: the program's arguments; the same variables are expanded."
    )
    working_directory: OptionalText = Field(
        None, description="stdio: where the program runs; relative to, and by default, the manifest's folder."
    )
    environment: TextMap = Field(
        default_factory=dict,
        description="stdio: variables added to the few that a server inherits; ${env:NAME} is expanded.",
    )
    url: OptionalText = Field(None, description="http and sse: absolute http(s) address of the endpoint.")
    headers: TextMap = Field(
        default_factory=dict,
        description="http and sse: request headers; ${env:NAME} keeps secrets out of the file.",
    )
    entry_point: OptionalText = Field(
        None, description="inprocess: package.module:attribute, an MCPServer or a function that returns one."
    )

    has_ui: Flag = Field(False, description="Whether the app brings a page.")
    ui_resource_uri: OptionalText = Field(None, description="ui:// address of the app's main page.")
    capabilities: Texts = Field(
        ("tools",), description="What the server offers: tools, resources, prompts, …."
    )
    startup_timeout_seconds: Seconds = Field(
        DEFAULT_STARTUP_SECONDS, description="Longest start: connect, negotiate, list."
    )
    request_timeout_seconds: Seconds = Field(60.0, description="Longest wait for an answer without progress.")
    tool_name_prefix: OptionalText = Field(None, description="Put before the tools' names, e.g. grocery.")
    protocol: Annotated[
        str | None, BeforeValidator(_normal_word), Wanted("'auto', 'legacy' or a version of MCP")
    ] = Field("auto", description="How to negotiate: auto, legacy (handshake only) or a version of MCP.")
    metadata: Annotated[dict[str, Any], Wanted("an object")] = Field(
        default_factory=dict, description="Anything; kept."
    )

    @property
    def display_name(self) -> str:
        """The name to show: `name`, or the id when that is absent or blank."""
        return (self.name or "").strip() or self.id

    @property
    def effective_startup_seconds(self) -> float:
        """Startup timeout to use, in seconds: longer by default where the command may download first."""
        if "startup_timeout_seconds" in self.model_fields_set or not self.command:
            return self.startup_timeout_seconds
        program = self.command.replace("\\", "/").rsplit("/", 1)[-1].lower().split(".", 1)[0]
        return _INSTALLER_STARTUP_SECONDS if program in _INSTALLERS else self.startup_timeout_seconds

    @property
    def target(self) -> str:
        """What is started or called, as written, nothing expanded: command line, address or entry point."""
        if self.transport == "stdio":
            return shlex.join([self.command or "", *self.arguments])
        return (self.entry_point if self.transport == "inprocess" else self.url) or ""

    @property
    def masked_target(self) -> str:
        """`target` with what looks like a secret in it masked."""
        if self.transport == "stdio":
            return " ".join([self.command or "", *arguments_without_secrets(self.arguments)])
        return without_secrets(self.target)

    def __repr_args__(self) -> Iterator[tuple[str, Any]]:
        # Outputs are saved with the notebook, and environment and headers hold secrets.
        yield from (("id", self.id), ("transport", self.transport), ("target", self.masked_target))

    def to_mapping(self) -> dict[str, Any]:
        """Return the manifest by its camelCase keys, without those at their default."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)


KEYS: Mapping[str, str] = {field.alias or name: name for name, field in Manifest.model_fields.items()}
"""The manifest's keys and the fields they fill."""


def wanted(key: str) -> str:
    """Return what a manifest key takes, in words."""
    for mark in Manifest.model_fields[KEYS[key]].metadata:
        if isinstance(mark, Wanted):
            return mark.words
    return "another value"
