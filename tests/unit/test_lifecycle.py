import itertools
from datetime import datetime, timedelta, timezone

import pytest

from mcpapps_jupyter.errors import IllegalTransition
from mcpapps_jupyter.lifecycle import TRANSITIONS, Lifecycle, State, Transition

EPOCH = datetime(2026, 1, 1, tzinfo=timezone.utc)

# A way from Discovered to each state.
WAYS = {
    State.DISCOVERED: [],
    State.VALIDATED: [State.VALIDATED],
    State.LOADED: [State.VALIDATED, State.LOADED],
    State.RUNNING: [State.VALIDATED, State.LOADED, State.RUNNING],
    State.STOPPED: [State.VALIDATED, State.LOADED, State.STOPPED],
    State.FAILED: [State.VALIDATED, State.LOADED, State.FAILED],
    State.DISABLED: [State.DISABLED],
}


def at(state: State) -> Lifecycle:
    ticks = itertools.count()
    life = Lifecycle(clock=lambda: EPOCH + timedelta(seconds=next(ticks)))
    for step in WAYS[state]:
        life.to(step)
    assert life.state is state
    return life


@pytest.mark.parametrize(("start", "end"), [(a, b) for a in State for b in sorted(TRANSITIONS[a])])
def test_each_step_of_the_table_is_made_stamped_and_told(start, end):
    life = at(start)
    told = []
    life.subscribe(told.append)
    before = life.state_changed_at
    life.to(end)
    assert life.state is end
    assert life.state_changed_at > before
    assert told == [Transition(start, end, life.state_changed_at, None)]


@pytest.mark.parametrize(("start", "end"), [(a, b) for a in State for b in State if b not in TRANSITIONS[a]])
def test_any_other_step_is_refused_and_changes_nothing(start, end):
    life = at(start)
    told = []
    life.subscribe(told.append)
    before = life.state_changed_at
    with pytest.raises(IllegalTransition, match=f"{start} -> {end}"):
        life.to(end)
    assert (life.state, life.state_changed_at, told) == (start, before, [])


def test_a_failure_keeps_its_cause_until_the_next_success():
    life = at(State.LOADED)
    life.to(State.FAILED, error="exit code 3")
    assert life.last_error == "exit code 3"
    life.to(State.LOADED)
    assert life.last_error is None


def test_an_invalid_manifest_stays_discovered_with_its_errors():
    life = at(State.DISCOVERED)
    life.invalidate(["no id", "no id", "no command"])
    assert life.state is State.DISCOVERED
    assert life.validation_errors == ("no id", "no command")
    life.to(State.VALIDATED)
    assert life.validation_errors == ()


def test_a_manifest_that_became_invalid_goes_back_to_discovered():
    life = at(State.VALIDATED)
    life.invalidate(["broken"])
    assert life.state is State.DISCOVERED


def test_reasons_of_a_refusal_do_not_grow_on_repeated_scans():
    life = at(State.DISCOVERED)
    for _ in range(3):
        life.refuse(["denied by 'x*'"])
    assert life.state is State.DISABLED
    assert life.policy_reasons == ("denied by 'x*'",)
    assert life.validation_errors == ()
    life.to(State.VALIDATED)
    assert life.policy_reasons == ()


def test_a_running_app_cannot_be_refused_before_it_is_stopped():
    life = at(State.RUNNING)
    with pytest.raises(IllegalTransition):
        life.refuse(["denied"])
    assert life.policy_reasons == ()


def test_a_listener_that_fails_does_not_hide_the_step_from_the_others():
    life = at(State.DISCOVERED)
    told = []

    def broken(_):
        raise RuntimeError

    life.subscribe(broken)
    life.subscribe(told.append)
    life.to(State.VALIDATED)
    assert len(told) == 1


def test_a_subscription_ends_once_and_may_end_itself():
    life = at(State.DISCOVERED)
    told = []

    def once(transition):
        told.append(transition)
        end()

    end = life.subscribe(once)
    life.to(State.VALIDATED)
    life.to(State.DISABLED)
    end()
    assert len(told) == 1


def test_times_are_utc():
    assert Lifecycle().state_changed_at.utcoffset() == timedelta(0)
