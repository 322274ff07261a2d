/**
 * The life of one page's JSON-RPC: its handshakes, its open requests, its limits, who answers what.
 *
 * The browser answers what is the browser's (`ui/initialize`, `ping`, links, downloads, display mode, size);
 * everything else goes to the kernel as it is. Nothing here touches the DOM.
 */

import type { Channel } from "./channel";
import { cleanLine, isObject, type JsonObject, randomId } from "./json";
import { DISPLAY_MODES, type DisplayMode } from "./layout";
import { HandshakeLimit, type Limits, readLimits, TokenBucket } from "./limits";
import {
  classify,
  failure,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isId,
  notification,
  type RpcId,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  result,
  SERVER_ERROR,
} from "./rpc";
import { REPORT } from "./shell";
import type { OpenMessage } from "./wire";

/** What a page needs from the view that shows it. */
export interface PageHost {
  /** Posts a message into the page. */
  post(message: RpcMessage): void;
  /** The host context of a handshake, without `toolInfo`. */
  context(): JsonObject;
  /** The page's document is new: grants to the one before it are void. */
  restarted(): void;
  initialized(): void;
  sizeChanged(height: unknown): void;
  requestMode(mode: DisplayMode): DisplayMode;
  openLink(url: string): Promise<boolean>;
  download(contents: unknown[]): Promise<boolean>;
  /** The page no longer wants what it has asked the person for with this method. */
  cancelled(method: string): void;
  /** The kernel has not been heard of for a while although the page waits. */
  busy(waiting: boolean): void;
  /** The page is to be taken away, with the reason. */
  stop(reason: string): void;
  report(what: string, detail: unknown): void;
}

export type LogLevel = "debug" | "info" | "warning" | "error";

interface Pending {
  method: string;
  /** When the request was made, and when the kernel last said that it has it. */
  since: number;
  heard: number;
  known: boolean;
  /** The kernel has it; otherwise the browser itself is at work on it. */
  relayed: boolean;
}

const BUSY_MS = 2000;
const TICK_MS = 500;
/** The largest message that the kernel is told of although it has nothing to do with it. */
const TOLD_CHARACTERS = 65_536;
/** What the browser answers by itself. */
const OURS = new Set(["ping", "ui/request-display-mode", "ui/open-link", "ui/download-file"]);
/** How long a page may take to finish. */
const TEARDOWN_MS = 1000;
const KERNEL_GONE = "The notebook's kernel is gone; run its cells again.";

export class Page {
  readonly limits: Limits;
  readonly #handshakes: HandshakeLimit;
  readonly #toolCalls: TokenBucket;
  readonly #notes: TokenBucket;
  readonly #logs = new TokenBucket(50, 5);
  readonly #told = new TokenBucket(50, 20);
  readonly #pending = new Map<RpcId, Pending>();
  /** Requests of ours to the kernel on behalf of the page. */
  readonly #own = new Map<RpcId, (response: RpcResponse) => void>();
  /** Requests of the kernel that the page has not answered yet. */
  readonly #asked = new Set<RpcId>();
  /** The request to finish, while the page has not answered it. */
  #teardown: { id: RpcId; over: () => void; done: Promise<void> } | undefined;
  #modes: readonly string[] | undefined;
  #document = 0;
  /** The document that has begun a handshake. */
  #greetedDocument = -1;
  #ready = false;
  #stopped = false;
  #dropped = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  readonly view: string;
  readonly #open: OpenMessage;
  readonly #channel: Channel;
  readonly #host: PageHost;

  constructor(view: string, open: OpenMessage, channel: Channel, host: PageHost) {
    this.view = view;
    this.#open = open;
    this.#channel = channel;
    this.#host = host;
    this.limits = readLimits(open.limits);
    this.#handshakes = new HandshakeLimit(this.limits.handshakesPerMinute);
    this.#toolCalls = new TokenBucket(this.limits.toolCallBurst, this.limits.toolCallsPerMinute / 60);
    this.#notes = new TokenBucket(this.limits.notificationsPerSecond, this.limits.notificationsPerSecond);
  }

  /** Whether the page has finished a handshake: only then may anything but an answer be sent to it. */
  get initialized(): boolean {
    return this.#ready;
  }

  /** Whether the page has begun a handshake since its document started. */
  get greeted(): boolean {
    return this.#document === this.#greetedDocument;
  }

  dispose(): void {
    this.#stopped = true;
    this.#clear();
    clearInterval(this.#timer);
  }

  /** A new document is in the frame. What the one before it waited for is nobody's now. */
  newDocument(): void {
    this.#document++;
    this.#clear();
    this.#ready = false;
    this.#modes = undefined;
    this.#host.restarted();
  }

  /** Reports an event to the kernel's log. Bounded: a page can cause most of them. */
  log(level: LogLevel, event: string, text: string, data?: JsonObject): void {
    if (!this.#logs.take()) return;
    const message = { level, event, text: cleanLine(text, 500) };
    this.#channel.send("log", this.view, data ? { ...message, data } : message);
  }

  /** Posts something of the browser's own into the page. */
  #say(message: RpcMessage): void {
    this.#host.post(message);
    this.#tell("out", message);
  }

  /** Lets the kernel write down what page and browser say without it. Bounded: a page can cause most of it. */
  #tell(way: "in" | "out", message: RpcMessage, length = 0): void {
    if (length <= TOLD_CHARACTERS && this.#told.take())
      this.#channel.send("seen", this.view, { way, message });
  }

  /** JSON text that the page posted. */
  receive(text: string): void {
    if (this.#stopped) return;
    const value: unknown = JSON.parse(text);
    if (isObject(value) && typeof value[REPORT] === "string") {
      if (value[REPORT] === "start") this.newDocument();
      else this.#host.report(value[REPORT], value.detail);
      return;
    }
    const what = classify(value);
    if (what.kind === "invalid") this.invalid(what.id, what.reason);
    else if (what.kind === "request") this.#request(what.message, text);
    else if (what.kind === "notification") this.#notification(what.message, text);
    else this.#response(what.message, text);
  }

  /** The page posted something that cannot be encoded. */
  invalid(id: RpcId | null, reason: string): void {
    if (this.#stopped) return;
    this.log("warning", "dropped", `Not a JSON-RPC message: ${reason}`);
    this.#say(failure(id, INVALID_REQUEST, `Invalid request: ${reason}`));
  }

  /** A JSON-RPC message of the kernel for this page. */
  deliver(value: unknown): void {
    if (this.#stopped) return;
    const what = classify(value);
    if (what.kind === "response") {
      const { id } = what.message;
      const mine = this.#own.get(id);
      if (mine) {
        this.#own.delete(id);
        mine(what.message);
      } else if (this.#pending.get(id)?.relayed) {
        this.#settle(id);
        this.#host.post(what.message);
      }
    } else if (what.kind !== "invalid") {
      if (!this.#ready) return;
      if (what.kind === "request") this.#asked.add(what.message.id);
      this.#host.post(what.message);
    }
  }

  /** The kernel has these requests in hand. */
  stillWorking(ids: unknown): void {
    if (!Array.isArray(ids)) return;
    const now = performance.now();
    for (const id of ids) {
      const entry = isId(id) ? this.#pending.get(id) : undefined;
      if (entry) {
        entry.heard = now;
        entry.known = true;
      }
    }
    this.#tick();
  }

  /** The kernel is gone for good: every open request gets its answer now. */
  kernelGone(): void {
    for (const [id, entry] of [...this.#pending]) {
      if (entry.relayed) this.#giveUp(id, KERNEL_GONE);
    }
    this.#giveUpOwn(KERNEL_GONE);
  }

  /** Tells the page what changed in its host context. */
  contextChanged(change: JsonObject): void {
    if (this.#ready) this.#say(notification("ui/notifications/host-context-changed", change));
  }

  /** Asks the app's server for something on behalf of the page. */
  ask(method: string, params: JsonObject): Promise<RpcResponse> {
    const id = randomId("mcpapps-");
    return new Promise((resolve) => {
      this.#own.set(id, resolve);
      this.#channel.send("rpc", this.view, { jsonrpc: "2.0", id, method, params });
    });
  }

  /** Asks the page to finish, for an end that the kernel does not know of; nothing if there is nobody to ask. */
  teardown(reason: string): Promise<void> | undefined {
    if (!this.#ready) return undefined;
    if (this.#teardown) return this.#teardown.done;
    const id = randomId("mcpapps-");
    let over = () => {};
    const done = new Promise<void>((resolve) => {
      over = resolve;
      setTimeout(resolve, TEARDOWN_MS);
    });
    this.#teardown = { id, over, done };
    this.#say({ jsonrpc: "2.0", id, method: "ui/resource-teardown", params: { reason } });
    return done;
  }

  #clear(): void {
    this.#pending.clear();
    this.#asked.clear();
    this.#teardown?.over();
    this.#teardown = undefined;
    this.#giveUpOwn("The page is gone");
    this.#tick();
  }

  #giveUpOwn(reason: string): void {
    for (const [id, settle] of this.#own) settle(failure(id, SERVER_ERROR, reason));
    this.#own.clear();
  }

  #request(message: RpcRequest, text: string): void {
    const { id, method } = message;
    const params = message.params ?? {};
    if (this.#pending.has(id)) {
      this.invalid(id, `a request with the id ${JSON.stringify(id)} is still open`);
      return;
    }
    if (OURS.has(method)) this.#tell("in", message, text.length);
    if (method === "ui/initialize") this.#initialize(id, message.params);
    else if (method === "ping") this.#say(result(id, {}));
    else if (method === "ui/request-display-mode") this.#displayMode(id, params);
    else if (method === "ui/open-link") {
      const { url } = params;
      if (typeof url !== "string") this.#badParams(id, '"url" must be a string');
      else this.#decide(id, method, this.#host.openLink(url));
    } else if (method === "ui/download-file") {
      const { contents } = params;
      if (!Array.isArray(contents) || contents.length === 0) this.#badParams(id, '"contents" must be a list');
      else this.#decide(id, method, this.#host.download(contents));
    } else this.#relay(message, text);
  }

  #relay(message: RpcRequest, text: string): void {
    const { id, method } = message;
    const refuse = (reason: string, limit: string) => {
      this.log("warning", "limit", `${method} refused: ${reason}`);
      this.#tell("in", message, text.length);
      this.#say(failure(id, SERVER_ERROR, reason, { limit }));
    };
    if (!this.#channel.connected) {
      this.#say(failure(id, SERVER_ERROR, KERNEL_GONE));
    } else if (this.#pending.size >= this.limits.queue) {
      refuse(`Too many open requests (at most ${this.limits.queue} at a time)`, "concurrency");
    } else if (method === "tools/call" && !this.#toolCalls.take()) {
      refuse(`Too many tool calls (at most ${this.limits.toolCallsPerMinute} a minute)`, "rate");
    } else {
      this.#wait(id, method, true);
      this.#channel.send("rpc", this.view, message, text);
    }
  }

  #notification(message: RpcNotification, text: string): void {
    const { method, params = {} } = message;
    if (method.startsWith("ui/notifications/sandbox-")) {
      this.log(
        "warning",
        "dropped",
        `${method} is between the host and its own frames; a page may not send it`,
      );
    } else if (method === "ui/notifications/size-changed") {
      this.#tell("in", message, text.length);
      this.#host.sizeChanged(params.height);
    } else if (method === "ui/notifications/initialized") {
      // Without a handshake, or repeated within one, it says nothing new.
      if (!this.greeted || this.#ready) return;
      this.#ready = true;
      this.#channel.send("rpc", this.view, message, text);
      this.#host.initialized();
    } else {
      if (method === "notifications/cancelled") {
        const id = params.requestId;
        const entry = isId(id) ? this.#pending.get(id) : undefined;
        if (isId(id)) this.#settle(id);
        if (entry?.relayed === false) this.#host.cancelled(entry.method);
      } else if (!this.#notes.take()) {
        this.#drop();
        return;
      }
      this.#channel.send("rpc", this.view, message, text);
    }
  }

  #response(message: RpcResponse, text: string): void {
    if (message.id === this.#teardown?.id) this.#teardown.over();
    else if (this.#asked.delete(message.id)) this.#channel.send("rpc", this.view, message, text);
    else this.log("debug", "dropped", `An answer to ${JSON.stringify(message.id)}, which nobody asked`);
  }

  #initialize(id: RpcId, params: JsonObject | undefined): void {
    if (!this.#handshakes.take()) {
      const { handshakesPerMinute } = this.limits;
      this.#say(failure(id, SERVER_ERROR, "Too many handshakes"));
      this.#host.stop(
        `The page kept restarting (more than one handshake a second or ${handshakesPerMinute} a minute).`,
      );
      return;
    }
    const problem = handshakeProblem(params);
    if (problem || !params) {
      const reason = problem ?? '"params" are missing';
      this.log("warning", "handshake", `ui/initialize refused: ${reason}`);
      this.#tell("in", { jsonrpc: "2.0", id, method: "ui/initialize", params: params ?? {} });
      this.#badParams(id, reason);
      return;
    }
    const capabilities = isObject(params.appCapabilities) ? params.appCapabilities : {};
    const modes = capabilities.availableDisplayModes;
    this.#modes = Array.isArray(modes) ? modes.filter((mode) => typeof mode === "string") : undefined;
    // The kernel begins anew as well: what was asked before the handshake gets a clean answer, not silence.
    for (const [open, { relayed }] of [...this.#pending]) {
      if (relayed) this.#giveUp(open, "The page began a new handshake; ask again after it.");
    }
    this.#greetedDocument = this.#document;
    this.#ready = false;
    this.#asked.clear();
    this.#channel.send("state", this.view, { event: "initialize", params, id });
    const { protocolVersion, hostInfo, hostCapabilities, toolInfo } = this.#open;
    const context = this.#host.context();
    const hostContext = toolInfo ? { toolInfo, ...context } : context;
    this.#say(result(id, { protocolVersion, hostInfo, hostCapabilities, hostContext }));
  }

  #displayMode(id: RpcId, params: JsonObject): void {
    const mode = DISPLAY_MODES.find((known) => known === params.mode);
    if (!mode) {
      this.#badParams(id, `"mode" must be one of ${DISPLAY_MODES.join(", ")}`);
      return;
    }
    this.#say(result(id, { mode: this.#host.requestMode(mode) }));
  }

  /** Whether the page said that it can be shown this way; one that said nothing can be shown any way. */
  supports(mode: DisplayMode): boolean {
    return this.#modes === undefined || this.#modes.includes(mode);
  }

  /** Answers a request once the person, or the rules, have decided on it. */
  #decide(id: RpcId, method: string, decision: Promise<boolean>): void {
    const document = this.#document;
    this.#wait(id, method, false);
    void decision.then((agreed) => {
      if (this.#stopped || document !== this.#document || !this.#settle(id)) return;
      this.#say(result(id, agreed ? {} : { isError: true }));
    });
  }

  #badParams(id: RpcId, reason: string): void {
    this.#say(failure(id, INVALID_PARAMS, `Invalid params: ${reason}`));
  }

  #drop(): void {
    this.#dropped++;
    if (this.#dropped > 1) return;
    setTimeout(() => {
      const text = `${this.#dropped} notifications dropped (at most ${this.limits.notificationsPerSecond} a second)`;
      this.#dropped = 0;
      if (!this.#stopped) this.log("warning", "limit", text);
    }, 1000);
  }

  #wait(id: RpcId, method: string, relayed: boolean): void {
    const now = performance.now();
    this.#pending.set(id, { method, since: now, heard: now, known: false, relayed });
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
  }

  #settle(id: RpcId): boolean {
    const was = this.#pending.delete(id);
    if (was && this.#pending.size === 0) this.#tick();
    return was;
  }

  #giveUp(id: RpcId, reason: string): void {
    this.#pending.delete(id);
    this.#say(failure(id, SERVER_ERROR, reason));
  }

  #tick(): void {
    const now = performance.now();
    const seconds = this.limits.kernelGoneSeconds;
    let waiting = false;
    for (const [id, entry] of [...this.#pending]) {
      if (!entry.relayed) continue;
      if (now - entry.heard > seconds * 1000) {
        this.#giveUp(
          id,
          `The notebook's kernel has not answered for ${seconds} seconds: kernel gone or busy.`,
        );
        // Should the kernel come back, it must not do in silence what the page was told has failed.
        const params = { requestId: id, reason: "no answer" };
        this.#channel.send("rpc", this.view, notification("notifications/cancelled", params));
      } else if (!entry.known && now - entry.heard > BUSY_MS) {
        waiting = true;
      }
    }
    this.#host.busy(waiting);
    if (this.#pending.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }
}

/** What is wrong with the params of `ui/initialize`, if anything. */
function handshakeProblem(params: JsonObject | undefined): string | undefined {
  if (!params) return '"params" are missing';
  if (typeof params.protocolVersion !== "string") return '"protocolVersion" must be a string';
  const { appInfo, appCapabilities } = params;
  if (appInfo !== undefined && !(isObject(appInfo) && typeof appInfo.name === "string")) {
    return '"appInfo" must be an object with a "name"';
  }
  if (appCapabilities !== undefined && !isObject(appCapabilities))
    return '"appCapabilities" must be an object';
  return undefined;
}
