"""Sources of notebook cells that several tests start with."""

from __future__ import annotations

from pathlib import Path

LOAD = """
%load_ext mcpapps
import mcpapps
host = mcpapps.get_host()
"""

#: Keeps the kernel's main thread to itself until there is a file ``enough`` in the notebook's folder.
BUSY = """
import pathlib, time
end = time.monotonic() + 90
while not pathlib.Path("enough").exists() and time.monotonic() < end:
    time.sleep(0.05)
print("busy no more")
"""

OPEN_GROCERY = "%mcpapp open grocery --as dash"

LISTENER_PAGE = Path(__file__).with_name("listener.html").read_text()


def listener(app_id: str) -> str:
    """Write a cell that adds an app with `listener.html` as its page.

    Its tool ``show`` answers ``ID call N``, and ``calls["ID"]`` is how often it was called.
    """
    return f'''
from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer

calls = globals().get("calls", {{}})
calls[{app_id!r}] = 0
apps = Apps()
apps.add_html_resource("ui://{app_id}/page.html", {LISTENER_PAGE!r})

@apps.tool(resource_uri="ui://{app_id}/page.html")
def show() -> str:
    calls[{app_id!r}] += 1
    return f"{app_id} call {{calls[{app_id!r}]}}"

server = MCPServer({app_id!r}, extensions=[apps])

@server.tool()
def noop() -> str:
    return "done"

host.add(server, id={app_id!r})
None
'''
