"""What a page may ask of the host: one coroutine a method, everything else is ``-32601``."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from mcpapps_jupyter.catalogue import Tool
from mcpapps_jupyter.ports import Caller
from mcpapps_jupyter.redact import shortened
from mcpapps_jupyter.results import block_text, odd_spellings
from mcpapps_jupyter.ui_meta import tool_ui
from mcpapps_jupyter.views import policy
from mcpapps_jupyter.views.context import ModelContext
from mcpapps_jupyter.views.decisions import Record
from mcpapps_jupyter.views.frame import Frame
from mcpapps_jupyter.views.relay import Relay
from mcpapps_jupyter.views.rpc import INVALID_PARAMS, METHOD_NOT_FOUND, REFUSED, PageError
from mcpapps_jupyter.views.slots import QueueFull, Slots

Handler = Callable[[Relay, Frame, dict[str, Any]], Awaitable[Any]]

#: Requests that go to the server as they come, and from it as they come.
_RELAYED = frozenset(
    {
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
        "prompts/get",
        "completion/complete",
    }
)


#: Characters of a message that the person can look at before it is sent; the front end shows the first 200.
_LONGEST_PREVIEW = 20_000


class _AskAgain(Exception):  # noqa: N818 - what to do
    """A call that was let through has to be asked about after all."""


class PageRequests:
    """Answers the requests of one view's pages.

    Parameters
    ----------
    approvals
        Which tool calls pass, ask or are refused.
    rates
        How many requests run and wait.
    interactive
        Whether there is a person who can be asked.
    patience
        Seconds without an answer after which a question counts as no.
    on_context
        Takes the page's new context, or None for a cleared one.
    on_message
        Takes a message that the person let through.
    record
        Takes decisions, for the audit.
    """

    def __init__(
        self,
        approvals: policy.Approvals,
        rates: policy.Rates,
        *,
        interactive: Callable[[], bool],
        patience: float,
        on_context: Callable[[ModelContext | None], Awaitable[None]],
        on_message: Callable[[dict[str, Any]], Awaitable[None]],
        record: Record = lambda *_: None,
    ) -> None:
        self.approvals = approvals
        self._rates = rates
        self._interactive = interactive
        self._patience = patience
        self._on_context = on_context
        self._on_message = on_message
        self._record = record
        self._message_open = False
        self._slots = Slots(rates.at_once, rates.queue)
        #: A model costs its user something: one request of a page at a time, beside those to the server.
        self._samples = Slots(1, rates.queue)
        self._methods: dict[str, Handler] = {
            "ping": self._ping,
            "tools/call": self._call_tool,
            "tools/list": self._list_tools,
            "resources/subscribe": self._subscribe,
            "resources/unsubscribe": self._unsubscribe,
            "ui/update-model-context": self._update_context,
            "ui/message": self._message,
            "sampling/createMessage": self._sample,
        }

    async def __call__(
        self, relay: Relay, frame: Frame, method: str, params: dict[str, Any], request_id: str | int | float
    ) -> Any:
        """Answer one request.

        Raises
        ------
        PageError
            What the page is told instead.
        """
        if method in self._methods:
            return await self._methods[method](relay, frame, params)
        if method in _RELAYED:
            return await self._upstream(relay, frame, method, params)
        raise PageError(METHOD_NOT_FOUND, f"Method not found: {method}")

    def forget_grants(self) -> None:
        """Take back what the person has allowed the page."""
        self.approvals.forget()

    async def _ping(self, relay: Relay, frame: Frame, params: dict[str, Any]) -> dict[str, Any]:
        return {}

    # -- the server ----------------------------------------------------------------------------

    async def _upstream(
        self,
        relay: Relay,
        frame: Frame,
        method: str,
        params: dict[str, Any],
        *,
        check: Callable[[], None] = lambda: None,
    ) -> dict[str, Any]:
        """Relay to the shared session: four at a time, the rest wait in a bounded queue.

        `check` raises when the request may not run after all; it is called right before.
        """
        given = params.pop("_meta", None)
        token = given.get("progressToken") if isinstance(given, Mapping) else None
        meta = policy.upstream_meta(given)
        if meta is not None:
            params["_meta"] = meta

        async def progress(done: float, total: float | None, message: str | None) -> None:
            if token is None or not frame.visible:
                return
            told = {"progressToken": token, "progress": done, "total": total, "message": message}
            relay.dialogue.notify(
                frame,
                "notifications/progress",
                {key: value for key, value in told.items() if value is not None},
            )

        caller = Caller("page", relay.key, self._slots.lent)
        async with self._one_of(self._slots):
            check()
            return await relay.app.connection().request(method, params, caller=caller, on_progress=progress)

    async def _call_tool(self, relay: Relay, frame: Frame, params: dict[str, Any]) -> dict[str, Any]:
        name, arguments = params.get("name"), params.get("arguments")
        if not isinstance(name, str):
            raise PageError(INVALID_PARAMS, "tools/call wants the tool's name as a string")
        if arguments is not None and not isinstance(arguments, Mapping):
            raise PageError(INVALID_PARAMS, "tools/call wants its arguments as an object")
        self._take_call(relay)
        tool = await self._tool(relay, name)
        if not tool.ui.for_app:
            raise PageError(INVALID_PARAMS, f"The tool {name} is not for pages")
        # Nothing else: answers to the server's questions travel beside these, and are not the page's to give.
        kept = {key: params[key] for key in ("name", "arguments", "_meta") if params.get(key) is not None}
        asked = False
        while True:
            asked = await self._approve(relay, tool, arguments or {}, asked=asked)
            check = partial(self._check_again, relay, name, asked)
            try:
                raw = await self._upstream(relay, frame, "tools/call", kept, check=check)
            except _AskAgain:
                tool = await self._tool(relay, name)
                continue
            for odd in odd_spellings(raw):
                relay.note(f"{name}: the result's {odd}", "warning")
            return raw

    async def _sample(self, relay: Relay, frame: Frame, params: dict[str, Any]) -> dict[str, Any]:
        """Let the user's model answer, once the person has agreed to that for this app."""
        if not relay.app.can_sample:
            raise PageError(METHOD_NOT_FOUND, "No model is set in this notebook (host.set_model)")
        messages = params.get("messages")
        if not isinstance(messages, list) or not all(isinstance(each, Mapping) for each in messages):
            raise PageError(INVALID_PARAMS, "sampling/createMessage wants its messages as a list of objects")
        self._take_call(relay)
        async with self._one_of(self._samples):
            return await relay.app.sample(params, Caller("page", relay.key))

    def _take_call(self, relay: Relay) -> None:
        if not relay.limits.calls.take():
            message = f"Too many tool calls (limit {self._rates.calls_per_minute} a minute)"
            raise PageError(REFUSED, message, {"limit": "rate"})

    @contextlib.asynccontextmanager
    async def _one_of(self, slots: Slots) -> AsyncIterator[None]:
        """A few at a time, the rest wait in a bounded queue."""
        try:
            async with slots.one():
                yield
        except QueueFull:
            message = f"Too many requests are waiting (limit {self._rates.queue})"
            raise PageError(REFUSED, message, {"limit": "concurrency"}) from None

    async def _tool(self, relay: Relay, name: str) -> Tool:
        """The tool by the server's own name; listed anew once, for a server that just added it."""
        connection = relay.app.connection()
        await connection.ready(Caller("page", relay.key))
        for attempt in range(2):
            tool = connection.catalogue.tool(name)
            if tool is not None and tool.name == name:
                return tool
            if attempt == 0:
                await connection.relist()
        raise PageError(INVALID_PARAMS, f"Unknown tool: {name}")

    async def _approve(self, relay: Relay, tool: Tool, arguments: Mapping[str, Any], *, asked: bool) -> bool:
        """Let the call pass or refuse it; says whether the person was asked about it (or `asked` before)."""
        decision = self.approvals.decide(tool)
        if decision == "pass" or (decision == "ask" and asked):
            return asked
        if decision == "refuse":
            self._record("approval", tool.name, "refused", "policy")
        elif not self._interactive():
            relay.note(f"{tool.name}: would ask the person, and nobody is there; refused", "warning")
            self._record("approval", tool.name, "refused", "nobody")
        elif await self._ask(relay, tool, arguments):
            return True
        raise PageError(REFUSED, f"The call of {tool.name} was not approved")

    async def _ask(self, relay: Relay, tool: Tool, arguments: Mapping[str, Any]) -> bool:
        question = {"type": "approval", "tool": tool.name, "title": tool.title, "arguments": dict(arguments)}
        answer = await relay.asking.ask({"app": relay.app.name, **question}, seconds=self._patience)
        outcome = str(answer.get("decision"))
        self._record("approval", tool.name, outcome, "nobody" if answer.get("nobody") else "person")
        if outcome == "always":
            self.approvals.grant(tool)
        return outcome in ("once", "always")

    def _check_again(self, relay: Relay, name: str, asked: bool) -> None:
        """Look again right before the call runs: policy and tool may have changed while it waited."""
        tool = relay.app.connection().catalogue.tool(name)
        if tool is None or not tool.ui.for_app:
            raise PageError(INVALID_PARAMS, f"The tool {name} is not for pages any more")
        decision = self.approvals.decide(tool)
        if decision == "refuse":
            self._record("approval", name, "refused", "policy")
            raise PageError(REFUSED, f"The call of {name} was not approved")
        if decision == "ask" and not asked:
            raise _AskAgain

    async def _list_tools(self, relay: Relay, frame: Frame, params: dict[str, Any]) -> dict[str, Any]:
        raw = await self._upstream(relay, frame, "tools/list", params)
        tools = raw.get("tools")
        if isinstance(tools, list):
            raw = {
                **raw,
                "tools": [tool for tool in tools if isinstance(tool, Mapping) and tool_ui(tool).for_app],
            }
        return raw

    async def _subscribe(self, relay: Relay, frame: Frame, params: dict[str, Any]) -> dict[str, Any]:
        uri = self._uri(params)
        frame.subscriptions.add(uri)
        try:
            await relay.app.connection().subscribe(uri, frame.subscriber, Caller("page", relay.key))
        except BaseException:
            frame.subscriptions.discard(uri)
            raise
        return {}

    async def _unsubscribe(self, relay: Relay, frame: Frame, params: dict[str, Any]) -> dict[str, Any]:
        uri = self._uri(params)
        if uri in frame.subscriptions:
            frame.subscriptions.discard(uri)
            await relay.app.connection().unsubscribe(uri, frame.subscriber)
        return {}

    @staticmethod
    def _uri(params: Mapping[str, Any]) -> str:
        uri = params.get("uri")
        if not isinstance(uri, str):
            raise PageError(INVALID_PARAMS, "uri must be a string")
        return uri

    # -- the notebook ---------------------------------------------------------------------------

    async def _update_context(self, relay: Relay, frame: Frame, params: dict[str, Any]) -> dict[str, Any]:
        try:
            context = ModelContext.from_wire(params)
        except ValueError as error:
            raise PageError(INVALID_PARAMS, str(error)) from None
        limit = self._rates.context_bytes
        others = [view.model_context for view in relay.app.views if view.key != relay.key]
        size = sum(each.size for each in (context, *others) if each is not None)
        if context is not None and size > limit:
            also = " with those of the app's other pages" if size > context.size else ""
            raise PageError(INVALID_PARAMS, f"The context has {size:,} bytes{also}; the limit is {limit:,}")
        await self._on_context(context)
        return {}

    async def _message(self, relay: Relay, frame: Frame, params: dict[str, Any]) -> dict[str, Any]:
        problem = policy.message_problem(params)
        if problem is not None:
            raise PageError(INVALID_PARAMS, problem)
        content = params["content"]
        blocks = [dict(block) for block in (content if isinstance(content, list) else [content])]
        preview = " ".join(" ".join(block_text(block) for block in blocks).split())
        size = len(json.dumps(blocks, default=str))
        if size > policy.MAX_MESSAGE_BYTES or self._message_open or not relay.limits.messages.take():
            relay.note(
                "a message of the page was declined: too large, too many, or one is still open", "warning"
            )
            return {"isError": True}
        if not self._interactive():
            self._record("message", preview, "cancel", "nobody")
            relay.note("a message of the page was declined: nobody is there to let it through", "warning")
            return {"isError": True}
        self._message_open = True
        try:
            shown = shortened(preview, _LONGEST_PREVIEW)
            answer = await relay.asking.ask(
                {"app": relay.app.name, "type": "message", "title": relay.app.name, "preview": shown},
                seconds=self._patience,
            )
        finally:
            self._message_open = False
        self._record(
            "message", preview, str(answer.get("decision")), "nobody" if answer.get("nobody") else "person"
        )
        if answer.get("decision") != "send":
            return {"isError": True}
        await self._on_message({"role": "user", "content": blocks})
        return {}
