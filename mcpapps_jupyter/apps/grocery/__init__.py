"""The bundled grocery app: a complete MCP App to look at, play with and copy from.

Start reading at `server.py`. The data lives in `data.py`, what can be done with it in `service.py` (no MCP in either),
and each kind of thing the server offers has a module of its own: `tools/`, `resources.py`, `prompts.py`,
`completions.py`, `rest.py`. The page is built from TypeScript into `dashboard.html`.
"""
