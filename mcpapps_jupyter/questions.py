"""Answers what servers ask: by the user's own handlers, else the person, else with a clear no."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcpapps_jupyter.config import McpApps
from mcpapps_jupyter.discovery.places import expanded
from mcpapps_jupyter.errors import McpAppsError
from mcpapps_jupyter.host_thread import HostThread
from mcpapps_jupyter.ports import Answer, Caller, LoginPrompt, LoginRequest, Question
from mcpapps_jupyter.redact import clean_line
from mcpapps_jupyter.results import block_text
from mcpapps_jupyter.shared import SharedWork

if TYPE_CHECKING:
    from mcpapps_jupyter.app import App

ElicitationHandler = Callable[[Question], Any]
SamplingModel = Callable[[dict[str, Any]], Any]


class Questions:
    """The kernel's one `mcpapps_jupyter.ports.Asker`.

    Parameters
    ----------
    config, thread
        The host's.
    note
        Writes a line into an app's log: ``note(app_id, text)``.
    ask_person
        Puts a question to the person; gives None where nobody can be asked.
    login_prompt
        Makes the prompt for a login.
    """

    def __init__(
        self,
        config: McpApps,
        thread: HostThread,
        note: Callable[[str, str], None],
        ask_person: Callable[[Question], Awaitable[Answer | None]],
        login_prompt: Callable[[LoginRequest], LoginPrompt],
    ) -> None:
        self._config = config
        self._thread = thread
        self._note = note
        self._ask_person = ask_person
        self._login_prompt = login_prompt
        self._handler: ElicitationHandler | None = None
        self._model: SamplingModel | None = None
        self._ask_first = True
        self._may_sample: set[str] = set()
        self._asking: dict[str, SharedWork] = {}
        self._noted: set[tuple[str, str]] = set()

    def on_elicitation(self, handler: ElicitationHandler | None) -> None:
        """Set who is asked first; None takes the handler away."""
        self._handler = handler

    def set_model(self, model: SamplingModel | None, *, ask: bool = True) -> None:
        """Set who answers sampling.

        Parameters
        ----------
        ask
            Whether each app's first use needs a yes: a server can spend the user's key.
        """
        self._model = model
        self._ask_first = ask
        self._may_sample = set()
        self._asking = {}  # what is being asked now is about another model

    async def elicit(self, question: Question) -> Answer:
        """Answer one elicitation.

        Raises
        ------
        McpAppsError
            The user's handler failed.
        """
        if self._handler is not None:
            try:
                answer = await self._thread.call_handler(self._handler, question)
            except Exception as error:
                self._note(question.app_id, f"the elicitation handler failed: {error!r}")
                raise McpAppsError(f"the elicitation handler failed: {error}") from error
            if isinstance(answer, dict):
                return {"action": "accept", "content": answer}
            if answer is not None:
                return {"action": "cancel" if answer == "cancel" else "decline"}
        given = await self._ask_person(question)
        if given is None:
            self._note(
                question.app_id,
                f"declined a question of the server ({question.message!r}): nobody is there to answer, "
                "and no handler is set (host.on_elicitation)",
            )
        return given or {"action": "decline"}

    @property
    def someone_there(self) -> bool:
        """Whether a person can be asked."""
        return not self._config.is_headless()

    def login_prompt(self, request: LoginRequest) -> LoginPrompt:
        """Make the prompt for a login; handlers of the user's do not get it, for it is no form."""
        return self._login_prompt(request)

    def roots(self, app: App) -> list[dict[str, str]]:
        """The folders `app` may know about: a remote server gets none unless they are configured."""
        configured = self._config.roots
        if not configured and app.remote:
            return []
        home = self._config.notebook_dir()
        texts = [expanded(path, partial(self._note_root, app.id)) for path in configured] or [str(home)]
        folders = [Path(os.path.normpath(home / text)) for text in texts if text is not None]
        return [{"uri": folder.as_uri(), "name": folder.name or str(folder)} for folder in folders]

    def _note_root(self, app_id: str, problem: str) -> None:
        """Say what is no folder, once."""
        if (app_id, problem) not in self._noted:
            self._noted.add((app_id, problem))
            self._note(app_id, f"McpApps.roots: {problem}")

    @property
    def can_sample(self) -> bool:
        """Whether a model is set."""
        return self._model is not None

    async def sample(self, app: App, params: dict[str, Any], caller: Caller | None) -> dict[str, Any]:
        """Answer one ``sampling/createMessage``.

        Raises
        ------
        McpAppsError
            No model is set, or it failed.
        """
        if self._model is None:
            raise McpAppsError("no model is set for sampling (host.set_model)")
        await self._consent(app, params, caller)
        try:
            answer = await self._thread.call_handler(self._model, params)
        except Exception as error:
            raise McpAppsError(f"the model failed: {error}") from error
        if isinstance(answer, str):
            return {"role": "assistant", "content": {"type": "text", "text": answer}, "model": "user"}
        if hasattr(answer, "model_dump"):
            answer = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
        if not isinstance(answer, Mapping):
            kind = type(answer).__name__
            raise McpAppsError(f"the model gave {kind}, neither a string nor a CreateMessageResult")
        return dict(answer)

    async def _consent(self, app: App, params: dict[str, Any], caller: Caller | None) -> None:
        """Ask once an app whether its server may use the model; requests at once share the question.

        Raises
        ------
        McpAppsError
            No, or nobody is there to say yes.
        """
        if not self._ask_first or app.id in self._may_sample:
            return
        asking = self._asking.get(app.id)
        if asking is None or not asking.under_way:
            asking = self._asking[app.id] = SharedWork(
                self._ask_consent(app, params, caller, self._may_sample)
            )
        if not await asking.join():
            raise McpAppsError("nobody answered whether the server may use the model")

    async def _ask_consent(
        self, app: App, params: dict[str, Any], caller: Caller | None, may_sample: set[str]
    ) -> None:
        """Ask, and note a yes in `may_sample`: it holds for the model that was set when it was asked."""
        message = (
            "Its server wants to use your model, now and as long as this kernel runs. "
            f"The first request: {_asked(params)}"
        )
        question = Question(app.id, message, schema={"type": "object", "properties": {}}, caller=caller)
        answer = await self._ask_person(question)
        if answer is None:
            raise McpAppsError(
                "nobody is there to let the server use the model; host.set_model(model, ask=False) lets all"
            )
        if answer.get("action") != "accept":
            raise McpAppsError("the user did not let the server use the model")
        may_sample.add(app.id)


def _asked(params: dict[str, Any]) -> str:
    """The last message of a sampling request, short."""
    messages = params.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else {}
    content = last.get("content") if isinstance(last, dict) else None
    blocks = content if isinstance(content, list) else [content]
    return clean_line(" ".join(block_text(block) for block in blocks if isinstance(block, dict)), 200)
