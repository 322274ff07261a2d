/**
 * A host that is nothing but the official host side: `AppBridge` in a web page, straight to a server over HTTP.
 *
 * For tests: `openApp(…)` shows an app, `host` has what the app said, and does what a user of the host would.
 */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  AppBridge,
  getToolUiResourceUri,
  type McpUiDisplayMode,
  type McpUiHostContext,
  PostMessageTransport,
} from "@modelcontextprotocol/ext-apps/app-bridge";

interface OpenOptions {
  tool: string;
  args: Record<string, unknown>;
  context: McpUiHostContext;
  /** Leave the tool out: show the page alone. */
  bare?: boolean;
}

const host = {
  contexts: [] as unknown[],
  messages: [] as unknown[],
  downloads: [] as unknown[],
  modes: [] as McpUiDisplayMode[],
  log: [] as unknown[],
  /** What to answer to messages and downloads. */
  refuse: false,
  bridge: undefined as AppBridge | undefined,
  client: new Client({ name: "plain-host", version: "1.0.0" }),
  /** Call a tool beside the page, as somebody else would. */
  async call(name: string, args: Record<string, unknown>): Promise<unknown> {
    return (await host.client.callTool({ name, arguments: args })).structuredContent;
  },
};

async function openApp({ tool: name, args, context, bare }: OpenOptions): Promise<void> {
  await host.client.connect(new StreamableHTTPClientTransport(new URL("/mcp", location.href)));
  const { tools } = await host.client.listTools();
  const tool = tools.find((candidate) => candidate.name === name);
  const uri = tool && getToolUiResourceUri(tool);
  if (!tool || !uri) throw new Error(`${name} has no page`);
  const [content] = (await host.client.readResource({ uri })).contents;
  if (!content || !("text" in content)) throw new Error(`${uri} is not text`);

  const frame = document.createElement("iframe");
  frame.title = "app";
  frame.setAttribute("sandbox", "allow-scripts allow-forms");
  frame.style.cssText = `border:0;display:block;width:100%;height:0;color-scheme:${context.theme}`;
  document.documentElement.style.colorScheme = context.theme ?? "light";
  document.body.replaceChildren(frame);
  if (!frame.contentWindow) throw new Error("no frame");

  const bridge = new AppBridge(
    host.client,
    { name: "plain-host", version: "1.0.0" },
    {
      serverTools: {},
      serverResources: {},
      logging: {},
      downloadFile: {},
      message: { text: {} },
      updateModelContext: { text: {}, structuredContent: {} },
    },
    { hostContext: { toolInfo: { tool }, ...context } },
  );
  host.bridge = bridge;
  bridge.onsizechange = ({ height }) => {
    if (height && host.modes.at(-1) !== "fullscreen") frame.style.height = `${height}px`;
  };
  bridge.onupdatemodelcontext = async (params) => {
    host.contexts.push(params);
    return {};
  };
  bridge.onmessage = async (params) => {
    host.messages.push(params);
    return { isError: host.refuse };
  };
  bridge.ondownloadfile = async (params) => {
    host.downloads.push(params);
    return { isError: host.refuse };
  };
  bridge.onloggingmessage = (params) => host.log.push(params);
  bridge.onrequestdisplaymode = async ({ mode }) => {
    host.modes.push(mode);
    frame.style.height = mode === "fullscreen" ? "100vh" : frame.style.height;
    void bridge.sendHostContextChange({ displayMode: mode });
    return { mode };
  };
  const initialized = new Promise<void>((resolve) => {
    bridge.oninitialized = () => resolve();
  });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = content.text;
  await initialized;
  await bridge.sendToolInput({ arguments: bare ? {} : args });
  if (bare) return;
  const result = await host.client.callTool({ name, arguments: args });
  await bridge.sendToolResult(result as Parameters<AppBridge["sendToolResult"]>[0]);
}

Object.assign(globalThis, { host, openApp });
