"""What a server may ask of us: elicitation, sampling, roots. One set of callbacks for both eras.

In the 2025 era the server pushes these as requests; in the 2026 era they come inside an
``input_required`` result. The SDK hands both to the same callbacks.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import mcp_types as types
from pydantic import ValidationError

from mcpapps_jupyter.errors import McpAppsError
from mcpapps_jupyter.ports import Answer, Caller, Question

if TYPE_CHECKING:
    from mcp.client.session import ClientRequestContext

T = TypeVar("T")

_current_caller: ContextVar[Caller | None] = ContextVar("mcpapps_caller", default=None)


@dataclass
class ServerRequests:
    """Answers the requests of one server and knows who is being waited for.

    Parameters
    ----------
    app_id
        The app, for the questions' text.
    elicit, roots, sample
        Where answers come from; `sample` is None while no model is set, and then sampling is
        not advertised.
    """

    app_id: str
    elicit: Callable[[Question], Awaitable[Answer]]
    roots: Callable[[], list[dict[str, str]]]
    sample: Callable[[dict[str, Any], Caller | None], Awaitable[dict[str, Any]]] | None = None
    open_questions: int = 0
    _answered_at: float = 0.0
    _in_flight: list[Caller] = field(default_factory=list)
    _idle: asyncio.Event = field(default_factory=asyncio.Event)
    _asked: list[tuple[asyncio.Future[Any], Caller]] = field(default_factory=list)

    @contextlib.contextmanager
    def calling(self, caller: Caller) -> Iterator[None]:
        """Mark a request of `caller` as in flight, for the time of the block."""
        caller = replace(caller)  # one object a call, to tell equal callers apart
        token = _current_caller.set(caller)
        self._in_flight.append(caller)
        self._idle.clear()
        try:
            yield
        finally:
            self._in_flight = [each for each in self._in_flight if each is not caller]
            if not self._in_flight:
                self._idle.set()
            _current_caller.reset(token)
            for work, whose in self._asked:
                if whose is caller:
                    work.cancel()  # nobody waits for this answer any more: the form goes away

    @property
    def idle(self) -> bool:
        """Whether no request is under way."""
        return not self._in_flight

    async def none_in_flight(self) -> None:
        """Wait until no request is in flight."""
        if self._in_flight:
            await self._idle.wait()

    def caller(self) -> Caller | None:
        """Whose call led to the question that is being asked now, as far as it can be known.

        In the 2026 era the question is asked inside the call, so a context variable tells. A
        pushed question names no call: then the only call in flight, else the newest of a cell,
        else the newest of a page.
        """
        known = _current_caller.get()
        if known is not None:
            return known
        for origin in ("cell", "page", "model"):
            hits = [caller for caller in self._in_flight if caller.origin == origin]
            if hits:
                return hits[-1]
        return None

    @contextlib.contextmanager
    def _asking(self, caller: Caller | None) -> Iterator[None]:
        self.open_questions += 1
        try:
            with caller.while_asked() if caller is not None else contextlib.nullcontext():
                yield
        finally:
            self.open_questions -= 1
            self._answered_at = asyncio.get_running_loop().time()

    def asked(self) -> float:
        """When somebody was being asked last, in the loop's time: now, while they are."""
        return asyncio.get_running_loop().time() if self.open_questions else self._answered_at

    async def ask(self, question: Awaitable[T], caller: Caller | None) -> T | None:
        """Wait for a person's answer, with the clocks of this session standing still.

        Returns
        -------
        object or None
            The answer; None when the call of `caller`, which led to the question, is over before.
        """
        work = asyncio.ensure_future(question)
        if caller is not None:
            self._asked.append((work, caller))
        with self._asking(caller):
            try:
                return await work
            except asyncio.CancelledError:
                if not work.cancelled() or _is_being_cancelled():
                    work.cancel()
                    raise
                return None
            finally:
                self._asked = [entry for entry in self._asked if entry[0] is not work]

    async def on_elicitation(
        self, context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult | types.ErrorData:
        """Answer one ``elicitation/create`` of either mode."""
        wire = params.model_dump(by_alias=True, mode="json", exclude_none=True)
        question = Question(
            app_id=self.app_id,
            message=str(wire.get("message", "")),
            mode="url" if wire.get("mode") == "url" else "form",
            schema=wire.get("requestedSchema"),
            url=str(wire.get("url", "")),
            caller=self.caller(),
        )
        try:
            answer = await self.ask(self.elicit(question), question.caller) or {"action": "cancel"}
        except McpAppsError as error:
            return types.ErrorData(code=types.INTERNAL_ERROR, message=str(error))
        action = answer.get("action")
        if action == "accept":
            try:
                return types.ElicitResult(action="accept", content=answer.get("content"))
            except ValidationError as error:
                problem = _unfit("the answer to the server's question", error)
                return types.ErrorData(code=types.INTERNAL_ERROR, message=problem)
        return types.ElicitResult(action="cancel" if action == "cancel" else "decline")

    async def on_roots(self, context: ClientRequestContext) -> types.ListRootsResult | types.ErrorData:
        """Answer one ``roots/list``."""
        return types.ListRootsResult.model_validate({"roots": self.roots()})

    async def on_sampling(
        self, context: ClientRequestContext, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult | types.CreateMessageResultWithTools | types.ErrorData:
        """Answer one ``sampling/createMessage`` by the user's model."""
        if self.sample is None:
            return types.ErrorData(code=types.INVALID_REQUEST, message="No model is set for sampling")
        caller = self.caller()
        wire = params.model_dump(by_alias=True, mode="json", exclude_none=True)
        try:
            answer = await self.ask(self.sample(wire, caller), caller)
            if answer is None:
                raise McpAppsError("the call that needs it is over")
            return sample_result(answer)
        except McpAppsError as error:
            return types.ErrorData(code=types.INTERNAL_ERROR, message=str(error))


def sample_result(answer: Mapping[str, Any]) -> types.CreateMessageResult:
    """What the user's model gave, as MCP has it.

    Raises
    ------
    McpAppsError
        MCP has no form for it; in words.
    """
    try:
        return types.CreateMessageResult.model_validate(answer)
    except ValidationError as error:
        raise McpAppsError(_unfit("what the model answered", error)) from None


def _unfit(what: str, error: ValidationError) -> str:
    """An answer of the user's own code that MCP has no form for; the server is told, and so the caller."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"][:2])
    return f"{what} is unfit: {where}: {first['msg']}"


def _is_being_cancelled() -> bool:
    """Whether the current task itself was asked to end (Python 3.10 cannot tell)."""
    task = asyncio.current_task()
    cancelling = getattr(task, "cancelling", None)
    return bool(cancelling and cancelling())
