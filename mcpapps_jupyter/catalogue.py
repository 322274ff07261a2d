"""What one server offers: its tools, resources, templates and prompts, as lists that show themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from mcpapps_jupyter import html
from mcpapps_jupyter.arguments import signature
from mcpapps_jupyter.redact import clean_line
from mcpapps_jupyter.ui_meta import ToolUi, tool_ui

T = TypeVar("T")

#: Most rows of a drawn table: a saved notebook keeps what is drawn.
_SHOWN_ROWS = 200


class Listing(list[T]):
    """A list that draws itself as a table: HTML in a notebook, aligned columns elsewhere.

    Parameters
    ----------
    items
        The entries.
    head
        The columns' titles.
    row
        Gives one entry's cells, as text.
    empty
        What to say when there is nothing.
    notes
        Lines below the table.
    drawn
        Gives the HTML of one entry's cells by their place, where it is more than their text.
    """

    def __init__(
        self,
        items: Iterable[T],
        *,
        head: Sequence[str],
        row: Callable[[T], Sequence[str]],
        empty: str,
        notes: Sequence[str] = (),
        drawn: Callable[[T], Mapping[int, str]] | None = None,
    ) -> None:
        super().__init__(items)
        self._head = head
        self._row = row
        self._empty = empty
        self._notes = [clean_line(note) for note in notes]
        self._drawn = drawn or (lambda _: {})

    def _rows(self) -> list[list[str]]:
        return [[clean_line(cell, 200) for cell in self._row(item)] for item in self[:_SHOWN_ROWS]]

    def _below(self) -> list[str]:
        more = len(self) - _SHOWN_ROWS
        return [*([f"… and {more:,} more"] if more > 0 else []), *self._notes]

    def __repr__(self) -> str:
        rows = self._rows()
        if not rows:
            return "\n".join([self._empty, *self._notes])
        widths = [max(len(line[at]) for line in [list(self._head), *rows]) for at in range(len(self._head))]
        lines = [list(self._head), ["-" * width for width in widths], *rows]
        drawn = (
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        )
        return "\n".join([*drawn, *self._below()])

    def _repr_html_(self) -> str:
        rows = self._rows()
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self._below())
        if not rows:
            return f"<i>{html.escape(self._empty)}</i>{notes}"
        head = "".join(f'<th style="text-align:left">{html.escape(name)}</th>' for name in self._head)
        cells = (
            [self._drawn(item).get(at) or html.escape(cell) for at, cell in enumerate(line)]
            for item, line in zip(self, rows, strict=False)
        )
        body = "".join(
            "<tr>" + "".join(f'<td style="text-align:left">{cell}</td>' for cell in line) + "</tr>"
            for line in cells
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"


@dataclass(frozen=True)
class Tool:
    """One tool of an app.

    Attributes
    ----------
    name, local_name
        The server's own name, and that name behind the app's prefix.
    raw
        The tool as the server listed it.
    ui
        The page it is bound to and who may call it (MCP Apps, ``_meta.ui``).
    """

    name: str
    local_name: str
    raw: Mapping[str, Any] = field(repr=False)
    ui: ToolUi = field(repr=False)

    @classmethod
    def from_wire(cls, raw: Mapping[str, Any], prefix: str, warn: Callable[[str], None]) -> Tool:
        """Read one entry of ``tools/list``."""
        name = str(raw.get("name", ""))
        return cls(name, prefix + name, raw, tool_ui(raw, warn))

    @property
    def title(self) -> str:
        """The title for people: the tool's, its annotations', or its name."""
        annotated = self.annotations.get("title")
        return clean_line(str(self.raw.get("title") or annotated or self.name), 120)

    @property
    def description(self) -> str:
        """What the tool does, in the server's words."""
        return str(self.raw.get("description") or "")

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """JSON Schema of the arguments."""
        schema = self.raw.get("inputSchema")
        return schema if isinstance(schema, Mapping) else {}

    @property
    def output_schema(self) -> Mapping[str, Any] | None:
        """JSON Schema of the structured content, if the server gives one."""
        schema = self.raw.get("outputSchema")
        return schema if isinstance(schema, Mapping) else None

    @property
    def annotations(self) -> Mapping[str, Any]:
        """The server's own hints (``readOnlyHint``, ``destructiveHint``, …)."""
        hints = self.raw.get("annotations")
        return hints if isinstance(hints, Mapping) else {}

    @property
    def safe_to_repeat(self) -> bool:
        """Whether the server says that calling twice does no harm."""
        return self.annotations.get("readOnlyHint") is True or self.annotations.get("idempotentHint") is True


@dataclass(frozen=True)
class Catalogue:
    """Everything a server listed, with what was wrong about it."""

    tools: tuple[Tool, ...] = ()
    resources: tuple[Mapping[str, Any], ...] = ()
    templates: tuple[Mapping[str, Any], ...] = ()
    prompts: tuple[Mapping[str, Any], ...] = ()
    warnings: tuple[str, ...] = ()

    def tool(self, name: str) -> Tool | None:
        """The tool of this name, the server's own first, then with the prefix."""
        for tool in self.tools:
            if tool.name == name:
                return tool
        return next((tool for tool in self.tools if tool.local_name == name), None)

    def resource(self, uri: str) -> Mapping[str, Any] | None:
        """The listing's entry for `uri`."""
        return next((entry for entry in self.resources if entry.get("uri") == uri), None)

    @property
    def pages(self) -> list[Tool]:
        """The tools that bring a page."""
        return [tool for tool in self.tools if tool.ui.resource_uri]


def tools_listing(tools: Iterable[Tool]) -> Listing[Tool]:
    """The tools as a table; with their names behind the prefix, where there is one."""
    tools = list(tools)
    prefixed = any(tool.local_name != tool.name for tool in tools)

    def row(tool: Tool) -> list[str]:
        seen_by = " ".join(sorted(tool.ui.visibility)) or "nobody"
        names = [tool.name, tool.local_name] if prefixed else [tool.name]
        page = tool.ui.resource_uri or ""
        return [*names, signature(tool.input_schema), page, seen_by, tool.description.split("\n")[0]]

    names = ("tool", "with prefix") if prefixed else ("tool",)
    head = (*names, "arguments", "page", "for", "what it does")
    return Listing(tools, head=head, row=row, empty="This app offers no tools.")


def resources_listing(entries: Iterable[Mapping[str, Any]]) -> Listing[Mapping[str, Any]]:
    """Resources and resource templates as a table."""

    def row(entry: Mapping[str, Any]) -> list[str]:
        uri = str(entry.get("uri") or entry.get("uriTemplate") or "")
        return [
            uri,
            str(entry.get("name", "")),
            str(entry.get("mimeType", "")),
            str(entry.get("description", "")),
        ]

    head = ("uri", "name", "type", "what it is")
    return Listing(entries, head=head, row=row, empty="This app offers no resources.")


def prompts_listing(entries: Iterable[Mapping[str, Any]]) -> Listing[Mapping[str, Any]]:
    """Prompts as a table."""

    def row(entry: Mapping[str, Any]) -> list[str]:
        given = entry.get("arguments")
        arguments = (
            [argument for argument in given if isinstance(argument, Mapping)]
            if isinstance(given, list)
            else []
        )
        words = [f"{argument.get('name')}{'' if argument.get('required') else '?'}" for argument in arguments]
        return [str(entry.get("name", "")), ", ".join(words), str(entry.get("description", ""))]

    head = ("prompt", "arguments", "what it is for")
    return Listing(entries, head=head, row=row, empty="This app offers no prompts.")
