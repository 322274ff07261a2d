"""What pages have told the model: one entry a view, replaced as a whole (``ui/update-model-context``)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from mcpapps_jupyter import html
from mcpapps_jupyter.results import block_text
from mcpapps_jupyter.transports.frames import whole_characters


@dataclass(frozen=True)
class ModelContext:
    """What one page wants the model, and the notebook, to know.

    Attributes
    ----------
    content
        Content blocks.
    structured
        Structured data, or None.
    update_id
        The same for the same JSON.
    """

    content: list[dict[str, Any]] = field(default_factory=list)
    structured: Any = None

    @classmethod
    def from_wire(cls, params: Mapping[str, Any]) -> ModelContext | None:
        """Read the request's parameters; nothing inside means that the context is cleared.

        Raises
        ------
        ValueError
            ``content`` is no list of blocks, or ``structuredContent`` is no object.
        """
        params = whole_characters(dict(params))  # half a character has no UTF-8
        content = params.get("content")
        structured = params.get("structuredContent")
        if content is not None and not (
            isinstance(content, list) and all(isinstance(block, Mapping) for block in content)
        ):
            raise ValueError("content must be a list of content blocks")
        if structured is not None and not isinstance(structured, Mapping):
            raise ValueError("structuredContent must be an object")
        if not content and not structured:
            return None
        # A block's _meta is between page and host, never for the model.
        blocks = [{key: value for key, value in block.items() if key != "_meta"} for block in content or []]
        return cls(blocks, dict(structured) if structured is not None else None)

    @property
    def text(self) -> str:
        """The blocks in words."""
        return "\n\n".join(block_text(block) for block in self.content)

    @property
    def data(self) -> Any:
        """The structured data, else the text."""
        return self.structured if self.structured is not None else self.text

    @cached_property
    def update_id(self) -> str:
        """A short digest of the content."""
        return hashlib.sha256(self._json().encode()).hexdigest()[:16]

    @property
    def wire(self) -> dict[str, Any]:
        """As the page gave it (``ui/update-model-context``)."""
        parts = {"content": self.content, "structuredContent": self.structured}
        return {key: value for key, value in parts.items() if value}

    @cached_property  # each update of any page of the app adds them up
    def size(self) -> int:
        """Bytes as JSON."""
        return len(self._json().encode())

    def _json(self) -> str:
        return json.dumps([self.content, self.structured], sort_keys=True, ensure_ascii=False, default=str)

    def __repr__(self) -> str:
        if self.text:
            return self.text
        return json.dumps(self.structured, ensure_ascii=False, indent=2, default=str)

    def _repr_html_(self) -> str:
        parts = [html.preformatted(self.text)] if self.text else []
        if self.structured is not None:
            parts.append(html.structured(self.structured))
        return "".join(parts)
