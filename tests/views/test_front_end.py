"""Where nothing draws widgets the card says what to do, and no longer when something does after all."""

from __future__ import annotations

import pytest

from mcpapps_jupyter.host import Host
from mcpapps_jupyter.views import front_end, widget
from tests.core.support import until
from tests.views.tab import Open


def test_the_card_says_what_to_do_until_a_front_end_speaks(
    kernel: Host, open_tab: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    cards: list[dict[str, str]] = []
    monkeypatch.setattr(widget, "replace", lambda data, display_id: cards.append(data))
    monkeypatch.setattr(front_end, "_SECONDS", 0.01)
    asked = front_end.FrontEnd(kernel.thread.handlers)
    view = open_tab().view
    view.wait_for_result(30)
    asked.expect(view.advise)
    asked.expect(view.advise)
    assert len(cards) == 1, "it is said once"
    assert all("Reload the browser page once" in text for text in cards[0].values())
    asked.heard()
    until(lambda: len(cards) == 2, "the card as it was")
    assert not any("Reload" in text for text in cards[1].values())
    asked.expect(view.advise)
    assert len(cards) == 2
