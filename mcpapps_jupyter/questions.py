"""Answers what servers ask: by the user's own handlers, else the person, else with a clear no."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from mcpapps_jupyter.config import McpApps
from mcpapps_jupyter.errors import McpAppsError
from mcpapps_jupyter.host_thread import HostThread
from mcpapps_jupyter.ports import Answer, Question

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
    """

    def __init__(
        self,
        config: McpApps,
        thread: HostThread,
        note: Callable[[str, str], None],
        ask_person: Callable[[Question], Awaitable[Answer | None]],
    ) -> None:
        self._config = config
        self._thread = thread
        self._note = note
        self._ask_person = ask_person
        self._handler: ElicitationHandler | None = None
        self._model: SamplingModel | None = None

    def on_elicitation(self, handler: ElicitationHandler | None) -> None:
        """Set who is asked first; None takes the handler away."""
        self._handler = handler

    def set_model(self, model: SamplingModel | None) -> None:
        """Set who answers sampling; servers hear of it at their next start."""
        self._model = model

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

    def roots(self, app: App) -> list[dict[str, str]]:
        """The folders `app` may know about: a remote server gets none unless they are configured."""
        configured = self._config.roots
        if not configured and app.remote:
            return []
        folders = [self._config.notebook_dir() / path for path in configured] or [self._config.notebook_dir()]
        return [{"uri": folder.as_uri(), "name": folder.name or str(folder)} for folder in folders]

    @property
    def can_sample(self) -> bool:
        """Whether a model is set."""
        return self._model is not None

    async def sample(self, app: App, params: dict[str, Any]) -> dict[str, Any]:
        """Answer one ``sampling/createMessage``.

        Raises
        ------
        McpAppsError
            No model is set, or it failed.
        """
        if self._model is None:
            raise McpAppsError("no model is set for sampling (host.set_model)")
        try:
            answer = await self._thread.call_handler(self._model, params)
        except Exception as error:
            raise McpAppsError(f"the model failed: {error}") from error
        if isinstance(answer, str):
            return {"role": "assistant", "content": {"type": "text", "text": answer}, "model": "user"}
        if hasattr(answer, "model_dump"):
            answer = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
        return dict(answer)
