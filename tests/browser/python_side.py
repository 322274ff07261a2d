"""An app whose page does what the Python side of a view is for: tools of its own, context, messages."""

PAGE = """<!doctype html><body><h1 id="mine">mine</h1><pre id="got"></pre><script>
const got = [];
const waiting = {};
let next = 1;
const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
function rpc(method, params) {
  const id = next++;
  post({ id, method, params });
  return new Promise((resolve) => { waiting[id] = resolve; });
}
const answers = {
  "tools/list": () => ({ tools: [{ name: "pick", description: "Pick a row.",
    inputSchema: { type: "object", properties: { row: { type: "integer" } }, required: ["row"] } }] }),
  "tools/call": ({ arguments: { row } }) => {
    document.getElementById("mine").textContent = `row ${row}`;
    return { content: [], structuredContent: { picked: row } };
  },
  "ui/resource-teardown": () => ({}),
};
addEventListener("message", ({ data: m }) => {
  if (m.method && m.id !== undefined) post({ id: m.id, result: answers[m.method](m.params) });
  else if (m.method) got.push(m);
  else if (waiting[m.id]) waiting[m.id](m);
  document.getElementById("got").textContent = got.map((m) => m.method.split("/").at(-1)).join(" ");
});
rpc("ui/initialize", { protocolVersion: "2026-01-26", appInfo: { name: "mine", version: "1" },
  appCapabilities: { tools: {} } })
  .then((m) => { window.init = m.result; post({ method: "ui/notifications/initialized" }); });
</script></body>"""

ADD = """
from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("mine")
calls = []

@server.tool(meta={"ui": {"resourceUri": "ui://mine/page.html"}})
def show(title: str = "", rows: list[int] = []) -> str:
    calls.append(rows)
    return f"{title}: {len(rows)} rows"

@server.tool()
async def touch(ctx: Context) -> str:
    await ctx.notify_resource_updated("mine://rows")
    return "touched"

permissions = {"permissions": {"geolocation": {}, "clipboardWrite": {}}} if ASKING else {}

@server.resource("ui://mine/page.html", mime_type="text/html;profile=mcp-app", meta={"ui": permissions})
def page() -> str:
    return PAGE

@server.resource("mine://rows", mime_type="application/json")
def rows() -> str:
    return "[]"

host.add(server, id="mine")
None
"""


def add(*, asking: bool = False) -> str:
    """Write a cell that adds the app, its page `asking` for permissions or not."""
    return f"PAGE = {PAGE!r}\nASKING = {asking}\n{ADD}"
