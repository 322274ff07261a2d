/** One rendering of the widget: header, page or reason, and everything the page may ask of the notebook page. */

import { askStrip } from "./asks";
import { dimensions, hostContext, themeContext } from "./context";
import { h, icon } from "./dom";
import { Downloads, type FileOffer } from "./downloads";
import { guardFocus } from "./focus";
import { Frame } from "./frame";
import { Header } from "./header";
import { encode, isObject, type JsonObject, randomId } from "./json";
import {
  applyDisplayMode,
  Coalescer,
  DISPLAY_MODES,
  type DisplayMode,
  HeightGovernor,
  REST_MS,
} from "./layout";
import { Links } from "./links";
import { Page, type PageHost } from "./page";
import type { Session } from "./session";
import type { Strip } from "./strips";
import { installStyle } from "./style";
import { framing, theme, watchTheme } from "./theme";
import type { AskMessage, OpenMessage, StateMessage } from "./wire";

/** Height of a page that has not said one yet. */
const FIRST_HEIGHT = 300;
const HANDSHAKE_MS = 10_000;
const BUSY_MS = 2000;
const DISCONNECTED = "Disconnected: run the cell again";

export class View implements PageHost {
  /** Id of the frame element of the moment; a reload makes a new one. */
  frameId = "";
  private readonly controller = new AbortController();
  private readonly root: HTMLElement;
  private readonly header: Header;
  private readonly body = h("div", { class: "mcpapp-body" });
  private readonly panel = h("div", { class: "mcpapp-panel" });
  private readonly asks = new Map<string, Strip>();
  private readonly links: Links;
  private readonly downloads: Downloads;
  private readonly heights = new Coalescer<unknown>((height) => this.applyHeight(height));
  private governor = new HeightGovernor();
  private source: OpenMessage | undefined;
  private frame: Frame | undefined;
  private page: Page | undefined;
  private frameAbort = new AbortController();
  private mode: DisplayMode = "inline";
  private height = FIRST_HEIGHT;
  private width = 0;
  private look: readonly string[] = [];
  private sentTheme = "";
  /** The reporter has announced a document that has not finished loading yet. */
  private fresh = false;
  private loadedAt = Number.NEGATIVE_INFINITY;
  private modeLeft = false;
  private focusBefore: Element | null = null;
  private readonly timers = new Set<ReturnType<typeof setTimeout>>();

  constructor(
    private readonly session: Session,
    slot: HTMLElement,
  ) {
    const { signal } = this.controller;
    this.header = new Header(
      {
        toggleFullscreen: () => this.setMode(this.mode === "fullscreen" ? "inline" : "fullscreen", true),
        togglePip: () => this.setMode(this.mode === "pip" ? "inline" : "pip", true),
        reload: () => this.reload(),
        close: () => this.close(),
      },
      signal,
    );
    this.root = h(
      "div",
      // Without the attribute the notebook's one-letter shortcuts act on a focused button of ours.
      { class: "mcpapp mcpapp-live", "data-lm-suppress-shortcuts": "true", "data-mode": "inline" },
      this.header.element,
      this.body,
    );
    this.links = new Links(
      (strip) => this.header.strips.append(strip.element),
      (text, decision, url) =>
        this.page?.log("info", "link", text, { decision, url: url.href.slice(0, 2000) }),
      () => this.capable("openLinks"),
    );
    this.downloads = new Downloads(
      (strip) => this.header.strips.append(strip.element),
      (text, decision, offers) => this.logDownload(text, decision, offers),
      async (uri) => (await this.page?.ask("resources/read", { uri }))?.result,
      () => this.capable("downloadFile"),
    );
    installStyle(slot);
    slot.classList.add("mcpapp-slot");
    slot.replaceChildren(this.root);
    this.describe();
    this.watch(signal);
    this.session.add(this);
    this.start();
    const { mode } = this.session.descriptor;
    if (mode === "fullscreen") this.setMode("fullscreen", false);
  }

  dispose(): void {
    this.session.remove(this);
    this.setMode("inline", false);
    this.dropFrame();
    for (const strip of this.asks.values()) strip.close();
    this.timers.forEach(clearTimeout);
    this.controller.abort();
    this.root.remove();
  }

  // ---- what the session tells ----

  /** Shows what the widget's traits say. */
  describe(): void {
    const { appName, tool, title, header } = this.session.descriptor;
    this.header.title(appName, title || tool);
    this.root.classList.toggle("mcpapp-bare", !header);
    if (this.fixedHeight !== undefined) this.setHeight(this.fixedHeight);
  }

  /** The kernel has the page: build the frame. */
  open(source: OpenMessage): void {
    this.dropPage();
    this.source = source;
    this.governor = new HeightGovernor();
    this.page = new Page(this.frameId, source, this.session.channel, this);
    const { page } = this;
    this.frame = new Frame(source.page, `${this.session.descriptor.appName} app`, {
      message: (text) => page.receive(text),
      bad: (reason, id) => page.invalid(id, reason),
      load: (count) => this.loaded(count),
      blocked: (directive, uri) => this.violation({ directive, uri }),
      restart: () => {
        this.loadedAt = performance.now();
        page.newDocument();
      },
    });
    this.root.classList.toggle("mcpapp-plain", source.page.prefersBorder === false);
    this.root.classList.add("mcpapp-live");
    this.frameAbort = new AbortController();
    guardFocus(this.frame.element, () => this.loadedAt, this.frameAbort.signal);
    this.setHeight(this.fixedHeight ?? this.height);
    // The spinner lies over the frame until the page has loaded; a page that is there is never covered.
    this.body.prepend(this.frame.element);
    this.header.say("kernel", "");
    this.later(HANDSHAKE_MS, () => {
      if (page !== this.page || page.greeted) return;
      this.header.say("handshake", "The page has not called ui/initialize");
      page.log("warning", "handshake", "No ui/initialize within 10 seconds");
    });
  }

  deliver(message: unknown, session?: number): void {
    this.page?.deliver(message, session);
  }

  stillWorking(ids: unknown): void {
    this.page?.stillWorking(ids);
  }

  /** A state of the widget as a whole. */
  show(state: StateMessage): void {
    const tone = (
      { starting: "waiting", calling: "waiting", live: "live", failed: "failed", ended: "ended" } as const
    )[state.state];
    this.header.state(tone, state.text);
    if (state.state === "ended") {
      this.dropFrame();
      this.reason("This view has ended", state.text, state.hint, true);
    } else if (state.state === "failed" && !this.frame) {
      this.reason("The page cannot be shown", state.text, state.hint, true);
    } else {
      this.header.say("state", state.state === "failed" ? `${state.text} ${state.hint}` : "");
      if (!this.frame) this.spinner(state.text);
    }
  }

  ask(ask: AskMessage): void {
    this.closeAsk(ask.ask);
    const strip = askStrip(ask, (decision, content) => {
      const message = { ask: ask.ask, decision };
      this.session.channel.send("answer", this.frameId, content ? { ...message, content } : message);
      this.closeAsk(ask.ask);
    });
    this.asks.set(ask.ask, strip);
    this.header.strips.append(strip.element);
  }

  closeAsk(key: string): void {
    this.asks.get(key)?.close();
    this.asks.delete(key);
  }

  /** Nobody is at the other end any more. */
  disconnected(): void {
    this.page?.kernelGone();
    for (const key of [...this.asks.keys()]) this.closeAsk(key);
    this.header.state("warning", "disconnected");
    this.header.say("kernel", DISCONNECTED);
    if (!this.frame)
      this.reason("Disconnected", "The kernel that showed this app is gone.", "Run the cell again.", false);
  }

  // ---- what the page asks (PageHost) ----

  post(message: unknown): void {
    this.frame?.post(message);
  }

  context(): JsonObject {
    this.sentTheme = encode(themeContext(this.root)) ?? "";
    const room = dimensions(this.roomWidth, this.roomHeight);
    return hostContext(this.root, this.source?.hostInfo ?? {}, this.mode, room);
  }

  restarted(): void {
    this.fresh = true;
    this.links.cancel();
    this.downloads.cancel();
  }

  initialized(): void {
    this.header.say("handshake", "");
    this.header.state("live", "");
    this.uncover();
  }

  sizeChanged(height: unknown): void {
    if (this.fixedHeight === undefined) this.heights.push(height);
  }

  requestMode(mode: DisplayMode): DisplayMode {
    const granted = this.page?.supports(mode) ?? false;
    // Somebody who has left full screen is not taken back there without a click of theirs.
    const pushy = this.modeLeft && !(navigator.userActivation?.isActive ?? true);
    if (granted && !(pushy && mode !== "inline")) this.setMode(mode, false);
    return this.mode;
  }

  openLink(url: string): Promise<boolean> {
    return this.links.request(url);
  }

  download(contents: unknown[]): Promise<boolean> {
    return this.downloads.request(contents);
  }

  busy(waiting: boolean): void {
    this.header.say("busy", waiting ? "kernel busy…" : "");
  }

  stop(reason: string): void {
    this.page?.log("error", "stopped", reason);
    this.dropFrame();
    this.header.state("failed", reason);
    this.reason(
      "The page was stopped",
      reason,
      "Reload it with the button above, or look at the app's log.",
      true,
    );
  }

  report(what: string, detail: unknown): void {
    if (what === "csp" && isObject(detail)) this.violation(detail);
    else if (what === "escape" && this.mode !== "inline") this.setMode("inline", true);
    else if (what === "look" && Array.isArray(detail)) {
      this.look = detail.map(String);
      this.applyLook();
    }
  }

  // ---- the frame ----

  private start(): void {
    this.frameId = randomId("f-");
    const { state } = this.session;
    if (!this.session.channel.connected) {
      this.disconnected();
      return;
    }
    this.show(state.state === "ended" || state.state === "failed" ? state : { ...state, state: "starting" });
    this.session.channel.send("open", this.frameId, {});
    const { frameId } = this;
    this.later(BUSY_MS, () => {
      if (frameId === this.frameId && !this.frame) this.header.say("kernel", "waiting for the kernel…");
    });
  }

  private reload(): void {
    this.dropFrame();
    this.session.state = { state: "starting", text: "", hint: "" };
    this.start();
  }

  private close(): void {
    const { frameId } = this;
    this.session.channel.send("state", frameId, { event: "close" });
    // The kernel ends the view, with a word to the page first. Should it not, the frame goes anyway.
    this.later(BUSY_MS, () => {
      if (frameId === this.frameId && this.frame) this.show({ state: "ended", text: "Closed.", hint: "" });
    });
    this.setMode("inline", false);
  }

  private dropPage(): void {
    this.links.forget();
    this.downloads.cancel();
    this.page?.dispose();
    this.page = undefined;
    this.frameAbort.abort();
    this.frame?.remove();
    this.frame = undefined;
    this.look = [];
  }

  /** Takes the frame away and tells the kernel that it is gone. */
  private dropFrame(): void {
    this.dropPage();
    if (this.frameId) this.session.channel.send("gone", this.frameId, {});
    this.frameId = "";
    for (const matter of ["busy", "kernel", "handshake", "page"]) this.header.say(matter, "");
  }

  private loaded(count: number): void {
    this.uncover();
    // A second document without our line in it came from elsewhere: the page navigated to an origin it declared.
    if (count > 1 && !this.fresh) {
      this.page?.newDocument();
      this.links.forget();
      this.session.channel.send("state", this.frameId, { event: "navigated" });
      this.page?.log(
        "warning",
        "navigated",
        "The page navigated to another address; what was allowed to it is void",
      );
      this.header.say("page", "The page has left for another address");
      this.header.state("warning", "navigated");
    }
    this.fresh = false;
  }

  private violation({ directive, uri, line }: { directive?: unknown; uri?: unknown; line?: unknown }): void {
    const data = {
      directive: String(directive).slice(0, 100),
      uri: String(uri).slice(0, 500),
      line: Number(line) || 0,
    };
    this.page?.log("warning", "csp", `Blocked by ${data.directive}: ${data.uri}`, data);
  }

  private logDownload(text: string, decision: string, offers: readonly FileOffer[]): void {
    const files = offers.map(({ name, type, data, uri }) => ({ name, type, size: data?.size ?? null, uri }));
    this.page?.log("info", "download", text, { decision, files });
  }

  private capable(capability: string): boolean {
    return Object.hasOwn(this.source?.hostCapabilities ?? {}, capability);
  }

  // ---- looks and sizes ----

  private get fixedHeight(): number | undefined {
    return this.session.descriptor.height || undefined;
  }

  private get roomWidth(): number {
    return Math.max(1, Math.round(this.width || this.body.clientWidth || 640));
  }

  private get roomHeight(): number | undefined {
    if (this.mode === "inline") return this.fixedHeight;
    return Math.max(1, Math.round(this.body.clientHeight));
  }

  private setHeight(height: number): void {
    this.height = height;
    this.body.style.setProperty("--mcpapp-height", `${height}px`);
  }

  private applyHeight(wish: unknown): void {
    if (this.fixedHeight !== undefined || !this.frame) return;
    const height = this.governor.propose(wish);
    if (height !== undefined) this.setHeight(height);
    if (!this.governor.unsettled) return;
    this.page?.log("info", "size", "The page keeps growing with its frame; its height is held");
    this.later(REST_MS, () => {
      const last = this.governor.settle();
      if (last !== undefined) this.setHeight(last);
    });
  }

  private setMode(mode: DisplayMode, byPerson: boolean): void {
    if (mode === this.mode || !DISPLAY_MODES.includes(mode)) return;
    if (this.mode === "inline") this.focusBefore = document.activeElement;
    if (mode === "inline" && byPerson) this.modeLeft = true;
    this.mode = mode;
    applyDisplayMode(this.root, mode);
    this.header.mode(mode);
    if (mode === "inline" && this.focusBefore instanceof HTMLElement && this.focusBefore.isConnected) {
      this.focusBefore.focus({ preventScroll: true });
    } else if (byPerson) {
      this.header.focusFullscreen();
    }
    if (this.frameId) this.session.channel.send("state", this.frameId, { event: "display", mode });
    this.page?.contextChanged({
      displayMode: mode,
      containerDimensions: dimensions(this.roomWidth, this.roomHeight),
    });
  }

  private applyLook(): void {
    const { scheme, backdrop } = framing(this.look, theme() === "dark");
    this.frame?.look(scheme, backdrop);
  }

  private themeChanged(): void {
    this.applyLook();
    const change = themeContext(this.root);
    const text = encode(change) ?? "";
    if (text === this.sentTheme) return;
    this.sentTheme = text;
    this.page?.contextChanged({ ...change });
  }

  private resized(width: number): void {
    // A hidden notebook measures nothing; that is no size to tell a page about.
    if (width <= 0 || this.root.offsetHeight === 0) return;
    const before = this.width;
    this.width = width;
    if (before === 0 || Math.abs(before - width) < 1) return;
    this.page?.contextChanged({ containerDimensions: dimensions(this.roomWidth, this.roomHeight) });
  }

  private watch(signal: AbortSignal): void {
    watchTheme(() => this.themeChanged(), signal);
    const widths = new Coalescer<number>((width) => this.resized(width));
    const sizes = new ResizeObserver((entries) => widths.push(entries.at(-1)?.contentRect.width ?? 0));
    sizes.observe(this.body);
    let visible: boolean | undefined;
    const sight = new IntersectionObserver((entries) => {
      const now = entries.at(-1)?.isIntersecting ?? false;
      if (now === visible || !this.frameId) return;
      visible = now;
      this.session.channel.send("state", this.frameId, { event: "visible", visible: now });
    });
    sight.observe(this.root);
    signal.addEventListener("abort", () => {
      sizes.disconnect();
      sight.disconnect();
    });
    document.addEventListener(
      "keydown",
      (event) => {
        if (event.key !== "Escape" || this.mode !== "fullscreen" || event.defaultPrevented) return;
        event.stopPropagation();
        this.setMode("inline", true);
      },
      { capture: true, signal },
    );
    this.root.addEventListener("keydown", (event) => event.stopPropagation(), { signal });
  }

  // ---- what stands in the page's place ----

  private spinner(text: string): void {
    const name = this.session.descriptor.appName;
    const words = text || (name ? `Opening ${name}…` : "Opening the page…");
    this.panel.className = "mcpapp-panel mcpapp-loading";
    this.panel.replaceChildren(h("span", { class: "mcpapp-spinner" }), h("span", {}, words));
    this.root.classList.add("mcpapp-live");
    this.body.append(this.panel);
  }

  private reason(title: string, text: string, hint: string, again: boolean): void {
    const relaunch = h("button", { type: "button" }, "Relaunch");
    relaunch.addEventListener("click", () => this.reload(), { signal: this.controller.signal });
    this.panel.className = "mcpapp-panel mcpapp-reason";
    this.panel.replaceChildren(
      icon("alert"),
      h(
        "div",
        {},
        h("div", { class: "mcpapp-reason-title" }, title),
        text ? h("p", {}, text) : undefined,
        hint ? h("p", { class: "mcpapp-quiet" }, hint) : undefined,
      ),
    );
    if (again && this.session.channel.connected) this.panel.append(relaunch);
    // Without a page the static card of the result is worth seeing again.
    this.root.classList.remove("mcpapp-live");
    this.setMode("inline", false);
    this.body.append(this.panel);
  }

  private uncover(): void {
    this.panel.remove();
  }

  private later(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      act();
    }, ms);
    this.timers.add(timer);
  }
}
