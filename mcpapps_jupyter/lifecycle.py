"""The states of an app and the one place that moves it from one to the next."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from enum import Enum
from types import MappingProxyType

from mcpapps_jupyter.errors import IllegalTransition

logger = logging.getLogger(__name__)


class State(str, Enum):
    """Where an app is in its life."""

    DISCOVERED = "Discovered"
    VALIDATED = "Validated"
    LOADED = "Loaded"  # connecting
    RUNNING = "Running"
    STOPPED = "Stopped"
    FAILED = "Failed"
    DISABLED = "Disabled"

    def __str__(self) -> str:
        return self.value


TRANSITIONS: Mapping[State, frozenset[State]] = MappingProxyType(
    {
        State.DISCOVERED: frozenset({State.VALIDATED, State.DISABLED}),
        State.VALIDATED: frozenset({State.LOADED, State.DISABLED, State.DISCOVERED}),
        State.LOADED: frozenset({State.RUNNING, State.FAILED, State.STOPPED}),
        State.RUNNING: frozenset({State.STOPPED, State.FAILED}),
        State.STOPPED: frozenset({State.LOADED, State.DISABLED, State.VALIDATED}),
        State.FAILED: frozenset({State.LOADED, State.DISABLED, State.VALIDATED}),
        State.DISABLED: frozenset({State.VALIDATED, State.DISCOVERED}),
    }
)


@dataclass(frozen=True)
class Transition:
    """One step that was made.

    Attributes
    ----------
    previous, state : State
        Where the app was and where it is now.
    at : datetime
        When, in UTC.
    error : str or None
        Why, if the step was a failure.
    """

    previous: State
    state: State
    at: datetime
    error: str | None = None


def _utc_now() -> datetime:
    return datetime.now(timezone.utc)


class Lifecycle:
    """State of one app: refuses steps outside `TRANSITIONS`, stamps each, tells subscribers.

    Not locked: whoever owns the app calls it from one thread at a time.

    Parameters
    ----------
    clock : callable, optional
        Gives the time of a step; UTC now by default.
    """

    def __init__(self, clock: Callable[[], datetime] = _utc_now) -> None:
        self._clock = clock
        self._state = State.DISCOVERED
        self._changed_at = clock()
        self._last_error: str | None = None
        self._validation_errors: tuple[str, ...] = ()
        self._policy_reasons: tuple[str, ...] = ()
        self._subscribers: list[Callable[[Transition], object]] = []

    @property
    def state(self) -> State:
        """Current state."""
        return self._state

    @property
    def state_changed_at(self) -> datetime:
        """Time of the last step, in UTC."""
        return self._changed_at

    @property
    def last_error(self) -> str | None:
        """Cause of the last failure; a step without an error clears it."""
        return self._last_error

    @property
    def validation_errors(self) -> tuple[str, ...]:
        """What is wrong with the manifest; empty for a valid app."""
        return self._validation_errors

    @property
    def policy_reasons(self) -> tuple[str, ...]:
        """Why configuration refuses the app; replaced, never appended to, by each scan."""
        return self._policy_reasons

    def to(self, state: State, *, error: str | None = None) -> None:
        """Make one step.

        Parameters
        ----------
        state : State
            The state to move to.
        error : str, optional
            Cause of a failure; kept as `last_error`. Without it the step counts as a success.

        Raises
        ------
        IllegalTransition
            The table has no such step; nothing has changed then.
        """
        previous = self._state
        if state not in TRANSITIONS[previous]:
            allowed = ", ".join(sorted(TRANSITIONS[previous]))
            raise IllegalTransition(f"{previous} -> {state} is not a step; from {previous}: {allowed}.")
        self._state = state
        self._changed_at = self._clock()
        self._last_error = error
        if state in (State.VALIDATED, State.LOADED):
            self._validation_errors = ()
            self._policy_reasons = ()
        self._tell(Transition(previous, state, self._changed_at, error))

    def invalidate(self, errors: Iterable[str]) -> None:
        """Record what is wrong with the manifest; the app goes (back) to *Discovered*."""
        if self._state is not State.DISCOVERED:
            self.to(State.DISCOVERED)
        self._validation_errors = tuple(dict.fromkeys(errors))
        self._policy_reasons = ()

    def refuse(self, reasons: Iterable[str]) -> None:
        """Record why configuration refuses the app and move it to *Disabled* if it is not there."""
        if self._state is not State.DISABLED:
            self.to(State.DISABLED)
        self._policy_reasons = tuple(dict.fromkeys(reasons))

    def subscribe(self, listener: Callable[[Transition], object]) -> Callable[[], None]:
        """Call `listener` after every step; return the function that ends the subscription."""
        self._subscribers.append(listener)

        def unsubscribe() -> None:
            if listener in self._subscribers:
                self._subscribers.remove(listener)

        return unsubscribe

    def _tell(self, transition: Transition) -> None:
        for listener in tuple(self._subscribers):
            try:
                listener(transition)
            except Exception:  # the step is made; one listener must not hide it from the rest
                logger.debug("a listener of %s failed", transition, exc_info=True)
