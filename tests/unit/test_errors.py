import pytest

from mcpapps_jupyter import errors
from mcpapps_jupyter.errors import (
    AppDisabled,
    InvalidArguments,
    McpAppsError,
    ProtocolFailure,
    RequestTimeout,
    UnknownApp,
    UnknownTool,
    did_you_mean,
    nearest,
)


@pytest.mark.parametrize("kind", [UnknownApp, UnknownTool])
def test_a_lookup_error_reads_as_plain_text(kind):
    error = kind("No app 'x'.")
    assert str(error) == "No app 'x'."  # KeyError alone would add quotes
    assert isinstance(error, KeyError)


def test_each_error_is_one_of_ours_and_of_the_builtin_that_callers_expect():
    assert issubclass(InvalidArguments, ValueError)
    assert issubclass(RequestTimeout, TimeoutError)
    ours = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Exception)]
    assert len(ours) > 10
    assert all(issubclass(each, McpAppsError) for each in ours)


def test_ipython_shows_one_line():
    assert AppDisabled("off")._render_traceback_() == ["AppDisabled: off"]


def test_a_protocol_failure_carries_the_servers_error():
    failure = ProtocolFailure("no such thing", -32602, {"name": "x"})
    assert (str(failure), failure.code, failure.data) == ("no such thing", -32602, {"name": "x"})


def test_nearest_prefers_names_that_begin_with_the_word():
    names = ["inventory", "grocery-inventory", "grocery-orders", "weather"]
    assert nearest("grocery", names)[:2] == ["grocery-inventory", "grocery-orders"]


def test_nearest_ignores_case_and_finds_typos():
    assert nearest("GET_INVENTRY", ["get_inventory", "set_inventory", "x"])[0] == "get_inventory"
    assert nearest("zzz", ["get_inventory"]) == []
    assert nearest("", ["a"]) == []


def test_nearest_gives_each_name_once_and_at_most_n():
    assert nearest("ab", ["ab1", "ab1", "ab2", "ab3", "ab4"], n=2) == ["ab1", "ab2"]


def test_did_you_mean_reads_as_a_sentence():
    assert did_you_mean("opn", ["open"]) == " Did you mean 'open'?"
    assert did_you_mean("sto", ["stop", "store"]) == " Did you mean 'stop' or 'store'?"
    assert did_you_mean("st", ["sta", "stb", "stc"]) == " Did you mean 'sta', 'stb' or 'stc'?"
    assert did_you_mean("qqq", ["open"]) == ""
