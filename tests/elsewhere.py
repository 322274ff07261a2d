"""What broke in other hosts of MCP Apps, MCP clients and notebook widgets: public reports of their users.

Each has a test here that would fail the same way, marked ``@pytest.mark.elsewhere("owner/repo#number")``; a
test looks after that. Symptoms are in our own words.
"""

REPORTS = {
    # Handshake and order of messages
    "assistant-ui/assistant-ui#4276": (
        "the answer to ui/initialize lacks parts, so pages built with the SDK never get results"
    ),
    "modelcontextprotocol/ext-apps#620": (
        "a page that calls a tool before its handshake is over tears the bridge down"
    ),
    "danny-avila/LibreChat#13831": (
        "no tool-input for a tool without arguments; a frame header that stops the host's own frame"
    ),
    "Boise-State-Development/agentcore-public-stack#352": (
        "the host listens too late: the page's first message is lost"
    ),
    "brightwave-inc/tidebreak#571": "the result is ready before the page is, and is lost",
    "a2ui-project/a2ui#1949": "any unknown ui/ method is relayed as a tool call",
    # Size and layout
    "aaif-goose/goose#6818": "a width that the page once told pins it: it stays narrow when the window grows",
    "CopilotKit/CopilotKit#6707": "an unknown notification (size-change) breaks the host",
    "agent0ai/agent-zero#1408": "a storm of size messages freezes the page around it",
    # Theme
    "microsoft/vscode#287981": "style variables come only after the first change of the theme",
    # Content security policy and sandbox
    "PrefectHQ/fastmcp-ts#61": "a policy that only the listing declares is not seen",
    "PostHog/posthog#76899": "script and style from a declared origin do not load: a blank frame",
    "modelcontextprotocol/ext-apps#387": "declared frame origins are blocked",
    "MCP-UI-Org/mcp-ui#184": "a sandbox that cannot be narrowed and has the notebook's origin",
    "openclaw/openclaw#69039": "the page is not told what it was granted",
    "openai/codex#29483": "a picture from a declared origin on this machine stays blank",
    "a2ui-project/a2ui#1064": "the page's script has the origin of its host",
    # Discovery and metadata
    "IBM/mcp-context-forge#3051": "a MIME type with other parameters is refused",
    "epam/ai-dial-core#1809": "MIME types are compared letter by letter",
    "postmanlabs/postman-app-support#14270": "a ui:// resource cannot be opened without a tool",
    "microsoft/vscode#320093": "a page inside the result takes the place of the declared one",
    "modelcontextprotocol/rust-sdk#338": (
        "mime_type or mimeType: the odd spelling loses the page without a word"
    ),
    "anthropics/claude-code#88881": "apps of local servers from a configuration file do not render",
    # Results, sizes, encodings
    "anthropics/claude-ai-mcp#563": "structuredContent and _meta do not reach the page",
    "nicobailon/pi-mcp-adapter#113": "a result with structured content only is shown as empty",
    "jupyter/notebook#3468": "a message over 10 MB closes the connection to the kernel",
    "jupyter-widgets/ipywidgets#2522": "a large upload ends the connection",
    "MCP-UI-Org/mcp-ui#222": "HTML given as base64 is mojibake",
    "openclaw/openclaw#120447": "broken base64 renders an empty page; unpadded base64 renders none",
    # Who may call what
    "vercel/ai#15996": "a page can call every tool of every server",
    "different-ai/openwork#3700": "tools that destroy are called without a question",
    # Downloads
    "modelcontextprotocol/ext-apps#475": "a page cannot save a file",
    # Sessions
    "modelcontextprotocol/ext-apps#481": "page and model have two sessions, and the server's state is split",
    "modelcontextprotocol/python-sdk#3556": "an expired HTTP session is never renewed",
    "modelcontextprotocol/typescript-sdk#1708": "the expired session's id is sent for ever",
    # Server processes
    "modelcontextprotocol/python-sdk#1103": "no stdio server starts where sys.stderr is no file",
    "ed-donner/agents#1343": "notebooks patch the SDK to start a server at all",
    "modelcontextprotocol/python-sdk#850": "what a server has started survives it",
    "modelcontextprotocol/python-sdk#555": "a server that ignores SIGTERM hangs its client",
    "modelcontextprotocol/python-sdk#924": "text on stdout before a message loses the message",
    "mcp-hangar/mcp-hangar#563": "log lines on stdout break the stream",
    "kerlenton/mcpsnoop#44": "nobody says that the server writes to stdout what does not belong there",
    # Threads and loops
    "PrefectHQ/fastmcp#622": "calls at once break the session",
    "jupyterlab/jupyterlab#17363": "comms on subshell threads meet another event loop",
    "ipython/ipykernel#1289": "what a thread prints lands in some cell",
    "PrefectHQ/fastmcp#1080": "nest_asyncio breaks the client",
    # Widgets and their connection
    "manzt/anywidget#803": "messages right after a widget was made are lost",
    "manzt/anywidget#436": "messages before the front end exists are lost",
    "jupyter-widgets/ipywidgets#300": "messages before a widget is displayed are lost",
    "marimo-team/marimo#8159": "each run of a cell leaves a connection and listeners behind",
    "rerun-io/rerun#6642": "each run of a cell leaves memory and a WebGL context behind",
    "jupyter-widgets/ipywidgets#1225": "views that nobody sees go on being told things",
    # Saved notebooks and reloads
    "widgetti/ipyreact#40": "a reopened notebook shows an error in the place of the widget",
    "jupyter-widgets/ipywidgets#3422": "a saved notebook shows nothing in another JupyterLab",
    "jupyter-widgets/ipywidgets#624": "old widgets come back after a reload",
    "openai/openai-apps-sdk-examples#195": "a page that is loaded again gets no result",
    "MCPJam/inspector#2274": "a page that is scrolled away loses what was typed",
    "alpic-ai/skybridge#663": "a page forgets its state each time it is drawn",
    # Hub and other front ends
    "jupyterhub/jupyterhub#4823": "frame-ancestors 'none': nothing that the server serves can be framed",
    "manzt/anywidget#63": "Colab needs its own metadata to draw a widget",
    # Wishes
    "modelcontextprotocol/ext-apps#676": "tools that the page offers cannot be used",
    "anthropics/claude-code#95149": "clients without pages show raw JSON",
    "modelcontextprotocol/ext-apps#511": "a question during a page's call is not seen",
    "modelcontextprotocol/inspector#1854": "capabilities are advertised that are not there",
}
