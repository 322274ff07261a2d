"""The fixtures of views and of the magic, which these tests use as well."""

from __future__ import annotations

from tests.magics.conftest import bare_notebook, notebook, plain_app
from tests.views.conftest import app, kernel, open_tab

__all__ = ["app", "bare_notebook", "kernel", "notebook", "open_tab", "plain_app"]
