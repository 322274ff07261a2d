/** One widget model's side of things: its channel, its last known state, its open questions, its views. */

import { CommChannel, type Model } from "./channel";
import { isObject } from "./json";
import type { View } from "./view";
import { type AskMessage, type Envelope, readAsk, readOpen, readState, type StateMessage } from "./wire";

/** Sent with `hello`. */
export const VERSION = "0.1.0";

const DESCRIPTORS = [
  "app_id",
  "app_name",
  "tool",
  "uri",
  "title",
  "height",
  "mode",
  "header",
  "role",
] as const;

export interface Descriptor {
  appId: string;
  appName: string;
  tool: string;
  title: string;
  /** Pixels; 0 means that the page decides. */
  height: number;
  mode: string;
  header: boolean;
  /** Only questions are shown here; there is no page to wait for. */
  question: boolean;
}

export class Session {
  readonly channel: CommChannel;
  /** What the kernel last said about the widget as a whole. */
  state: StateMessage = { state: "starting", text: "", hint: "" };
  readonly #asks = new Map<string, AskMessage>();
  readonly #views = new Set<View>();

  readonly #model: Model;

  constructor(model: Model, signal: AbortSignal) {
    this.#model = model;
    this.channel = new CommChannel(
      model,
      (envelope) => this.#receive(envelope),
      () => this.#eachView((view) => view.disconnected()),
      signal,
    );
    const describe = () => this.#eachView((view) => view.describe());
    for (const name of DESCRIPTORS) model.on(`change:${name}`, describe);
    signal.addEventListener("abort", () => {
      for (const name of DESCRIPTORS) model.off(`change:${name}`, describe);
    });
    this.channel.send("hello", "", { front: VERSION });
  }

  get descriptor(): Descriptor {
    const get = (name: (typeof DESCRIPTORS)[number]) => this.#model.get(name);
    const text = (name: (typeof DESCRIPTORS)[number]) => String(get(name) ?? "");
    return {
      appId: text("app_id"),
      appName: text("app_name") || text("app_id"),
      tool: text("tool") || text("uri"),
      title: text("title"),
      height: Math.max(0, Number(get("height")) || 0),
      mode: text("mode"),
      header: get("header") !== false,
      question: get("role") === "question",
    };
  }

  /** Adds a view; it learns at once what the others know. */
  add(view: View): void {
    this.#views.add(view);
    for (const ask of this.#asks.values()) view.ask(ask);
  }

  remove(view: View): void {
    this.#views.delete(view);
  }

  #eachView(act: (view: View) => void): void {
    for (const view of [...this.#views]) act(view);
  }

  #receive({ kind, view: id, message }: Envelope): void {
    const chosen = [...this.#views].filter((view) => id === "" || view.frameId === id);
    const each = (act: (view: View) => void) => chosen.forEach(act);
    if (kind === "rpc") {
      each((view) => view.deliver(message));
    } else if (kind === "open") {
      const open = readOpen(message);
      if (open) each((view) => view.open(open));
    } else if (kind === "pending") {
      if (isObject(message)) each((view) => view.stillWorking(message.ids));
    } else if (kind === "state") {
      const state = readState(message);
      if (!state || (id !== "" && chosen.length === 0)) return;
      // Said to one frame, it is still about the whole: that one has asked.
      this.state = state;
      each((view) => view.show(state));
    } else if (kind === "ask") {
      if (isObject(message)) this.#question(message, id, each);
    } else if (kind === "gone") {
      const reason = isObject(message) && typeof message.reason === "string" ? message.reason : "";
      if (id === "") this.state = { state: "ended", text: reason, hint: "" };
      each((view) => view.show({ state: "ended", text: reason, hint: "" }));
    }
  }

  #question(message: Record<string, unknown>, id: string, each: (act: (view: View) => void) => void): void {
    if (message.closed === true && typeof message.ask === "string") {
      const key = message.ask;
      this.#asks.delete(key);
      this.#eachView((view) => view.closeAsk(key));
      return;
    }
    const ask = readAsk(message);
    if (!ask) return;
    if (id === "") this.#asks.set(ask.ask, ask);
    each((view) => view.ask(ask));
  }
}
