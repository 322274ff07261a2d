"""What a page may do: who may be called, how often, what asks first, what is refused. Pure, with a clock."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mcpapps_jupyter.catalogue import Tool
from mcpapps_jupyter.results import block_text

Decision = Literal["pass", "ask", "refuse"]

#: The largest message that a page may send to the person.
MAX_MESSAGE_BYTES = 8 * 1024 * 1024

_MESSAGE_BLOCKS = frozenset({"text", "image", "resource_link", "resource"})
_COMMAND_MARKS = frozenset("/!%?")
#: What may stand before a mark without being seen: spaces, controls, marks, letters that draw nothing.
_UNSEEN = frozenset({"Cf", "Cc", "Mn", "Me", "Zs", "Zl", "Zp"})
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")


class TokenBucket:
    """Lets `burst` through at once and `per_second` after that.

    Parameters
    ----------
    clock
        Seconds, monotonic.
    """

    def __init__(self, per_second: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = per_second
        self._burst = burst
        self._clock = clock
        self._tokens = burst
        self._at = clock()

    def take(self) -> bool:
        """Whether one more may pass now; a refusal costs nothing."""
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


@dataclass(frozen=True)
class Rates:
    """What one view may do, and how often.

    The same numbers hold in the front end, which is the first line: a flood must not fill the
    websocket. The kernel is the second.

    Attributes
    ----------
    calls_per_minute, burst
        Tool calls, and how many of them at once.
    notifications_per_second, messages_per_minute, handshakes_per_minute
        More notifications are dropped, more messages declined, and a page that restarts more
        often is stopped.
    at_once, queue
        Requests that run, and that wait.
    message_bytes, context_bytes
        The largest JSON-RPC message and model context.
    """

    calls_per_minute: int = 1200
    burst: int = 200
    notifications_per_second: int = 100
    messages_per_minute: int = 10
    handshakes_per_minute: int = 20
    at_once: int = 4
    queue: int = 512
    message_bytes: int = 64 * 1024 * 1024
    context_bytes: int = 6 * 1024 * 1024

    def wire(self) -> dict[str, int]:
        """What the front end has to know."""
        return {
            "queue": self.queue,
            "toolCallsPerMinute": self.calls_per_minute,
            "toolCallBurst": self.burst,
            "notificationsPerSecond": self.notifications_per_second,
            "maxMessageBytes": self.message_bytes,
            "handshakesPerMinute": self.handshakes_per_minute,
        }


class Limits:
    """The rates of one view, counted.

    Parameters
    ----------
    rates
        What is allowed.
    clock
        Seconds, monotonic.
    """

    def __init__(self, rates: Rates | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.rates = rates or Rates()
        self.calls = TokenBucket(self.rates.calls_per_minute / 60, self.rates.burst, clock)
        notes = self.rates.notifications_per_second
        self.notifications = TokenBucket(notes, notes, clock)
        self.messages = TokenBucket(
            self.rates.messages_per_minute / 60, self.rates.messages_per_minute, clock
        )
        #: Of what page and browser say to each other, how much is written down.
        self.seen = TokenBucket(50, 100, clock)
        self._clock = clock
        self.dropped = 0
        self._told = TokenBucket(1, 1, clock)

    def may_tell(self) -> bool:
        """Whether what was dropped may be written down again: once a second."""
        return self._told.take()

    def handshakes(self) -> TokenBucket:
        """How often one frame element may begin a handshake."""
        a_minute = self.rates.handshakes_per_minute
        return TokenBucket(a_minute / 60, a_minute, self._clock)


@dataclass
class Approvals:
    """Which tool calls of a page pass, ask or are refused.

    Parameters
    ----------
    policies
        Gives, at each decision, one word by tool name, ``"*"`` for the rest. ``auto``: only a tool
        that its server marks destructive asks. ``ask``: one question a view for all tools not
        marked destructive, one for each that is. ``allow``. ``deny``: read-only tools only.
        Anything else counts as ``deny``.

    Notes
    -----
    Annotations are the server's own word: this guards against accidents, not against a hostile
    server. A grant is for one tool in one view, in memory.
    """

    policies: Callable[[], Mapping[str, str]] = lambda: {"*": "auto"}
    _granted: set[str] = field(default_factory=set)

    def decide(self, tool: Tool) -> Decision:
        """What happens to a call of `tool` that a page makes."""
        policies = self.policies()
        policy = policies.get(tool.name) or policies.get("*")
        destructive = tool.annotations.get("destructiveHint") is True
        if policy == "allow":
            return "pass"
        if policy == "auto":
            wants = destructive
        elif policy == "ask":
            wants = True
        else:
            return "pass" if tool.annotations.get("readOnlyHint") is True else "refuse"
        return "ask" if wants and self._grant(tool) not in self._granted else "pass"

    def grant(self, tool: Tool) -> None:
        """Let `tool` pass for as long as the view lives."""
        self._granted.add(self._grant(tool))

    def forget(self) -> None:
        """Take every grant back."""
        self._granted.clear()

    @staticmethod
    def _grant(tool: Tool) -> str:
        return tool.name if tool.annotations.get("destructiveHint") is True else "*"


def message_problem(params: Mapping[str, Any]) -> str | None:
    """Why a ``ui/message`` is refused, or None for a good one."""
    if params.get("role") != "user":
        return "role must be 'user'"
    content = params.get("content")
    blocks = content if isinstance(content, list) else [content]
    good = [block for block in blocks if isinstance(block, Mapping)]
    if not good or len(good) != len(blocks):
        return "content must be a list of at least one block"
    odd = next((block.get("type") for block in good if block.get("type") not in _MESSAGE_BLOCKS), "")
    if odd != "":
        return f"blocks of type {odd!r} are not taken; text, image, resource_link and resource are"
    texts = [block.get("text") for block in good if block.get("type") == "text"]
    if not all(isinstance(text, str) for text in texts):
        return "the text of a text block must be a string"
    # Where the message is typed, the blocks may stand one behind the other or each on its own line.
    typed = [block_text(block) for block in good if block.get("type") in ("text", "resource")]
    if any(looks_like_command(text) for text in ["".join(typed), *typed]):
        return "the text begins like a command (/ ! % ?)"
    return None


def looks_like_command(text: str) -> bool:
    """Whether `text` could act as a command where messages are typed, look-alikes included."""
    for character in unicodedata.normalize("NFKC", text):
        if unicodedata.category(character) not in _UNSEEN and character not in _BLANK_LETTERS:
            return character in _COMMAND_MARKS
    return False


def upstream_meta(meta: Any) -> dict[str, Any] | None:
    """A page's request ``_meta`` as it may go to the server.

    Its progress token would collide with the SDK's own, which are shared by everybody on the
    session, and ``io.modelcontextprotocol/*`` keys speak for the client, which it is not.
    """
    if not isinstance(meta, Mapping):
        return None
    kept = {
        key: value
        for key, value in meta.items()
        if key != "progressToken" and not str(key).startswith("io.modelcontextprotocol/")
    }
    return kept or None
