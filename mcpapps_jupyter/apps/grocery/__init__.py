"""The bundled grocery app: a complete MCP App to look at, play with and copy from.

Start reading at `server.py`. The data is in `data.py`, what can be done with it in `service.py` (no MCP in
either), and each kind of thing that the server offers has a module of its own: `tools/`, `resources.py`,
`prompts.py`, `completions.py`, `rest.py`, and `dashboard.py` for the page. The page itself is built from
TypeScript into `dashboard.html`.
"""
