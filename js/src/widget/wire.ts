/** What the kernel and this front end say to each other. Custom comm messages: `{v: 1, batch: [envelope…]}`. */

import { isObject, type JsonObject } from "./json";

/** One thing said about one frame (`view` is its id) or about the widget as a whole (`""`). */
export interface Envelope {
  kind: string;
  view: string;
  message: unknown;
}

/** How a page is to be built. `csp` is the whole policy of the shell. */
export interface PageSource {
  html: string;
  csp: string;
  allow: string;
  prefersBorder: boolean | null;
}

/** Kernel → front: the page and what the handshake answers from. */
export interface OpenMessage {
  page: PageSource;
  hostInfo: JsonObject;
  hostCapabilities: JsonObject;
  protocolVersion: string;
  toolInfo: JsonObject | null;
  limits: unknown;
}

export type StateName = "starting" | "calling" | "live" | "failed" | "ended";

export interface StateMessage {
  state: StateName;
  text: string;
  hint: string;
}

const ASKS = ["approval", "permission", "message", "elicitation"] as const;

/** Kernel → front: a question for the person, drawn in the header. */
export interface AskMessage {
  ask: string;
  type: (typeof ASKS)[number];
  app: string;
  tool: string;
  title: string;
  arguments: JsonObject;
  preview: string;
  text: string;
  schema: JsonObject | undefined;
  url: string | undefined;
}

export type Decision = "once" | "always" | "deny" | "send" | "cancel" | "accept" | "decline";

const text = (value: unknown): string => (typeof value === "string" ? value : "");

export function readOpen(value: unknown): OpenMessage | undefined {
  if (!isObject(value) || !isObject(value.page)) return undefined;
  const { html, csp, allow, prefersBorder } = value.page;
  // Without a policy there is no frame: an empty one would let everything through.
  if (typeof html !== "string" || typeof csp !== "string" || csp === "") return undefined;
  return {
    page: {
      html,
      csp,
      allow: text(allow),
      prefersBorder: typeof prefersBorder === "boolean" ? prefersBorder : null,
    },
    hostInfo: isObject(value.hostInfo) ? value.hostInfo : { name: "mcpapps-jupyter", version: "0" },
    hostCapabilities: isObject(value.hostCapabilities) ? value.hostCapabilities : {},
    protocolVersion: text(value.protocolVersion) || "2026-01-26",
    toolInfo: isObject(value.toolInfo) ? value.toolInfo : null,
    limits: value.limits,
  };
}

const STATES: readonly string[] = ["starting", "calling", "live", "failed", "ended"];

export function readState(value: unknown): StateMessage | undefined {
  if (!isObject(value) || !STATES.includes(value.state as string)) return undefined;
  return { state: value.state as StateName, text: text(value.text), hint: text(value.hint) };
}

export function readAsk(value: JsonObject): AskMessage | undefined {
  const type = ASKS.find((known) => known === value.type);
  if (typeof value.ask !== "string" || !type) return undefined;
  return {
    ask: value.ask,
    type,
    app: text(value.app),
    tool: text(value.tool),
    title: text(value.title),
    arguments: isObject(value.arguments) ? value.arguments : {},
    preview: text(value.preview),
    text: text(value.text),
    schema: isObject(value.schema) ? value.schema : undefined,
    url: typeof value.url === "string" ? value.url : undefined,
  };
}
