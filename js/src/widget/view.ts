/** One rendering of the widget: the header, and below it a page, a spinner or a reason. */

import { askStrip } from "./asks";
import { h } from "./dom";
import { Header, type Tone } from "./header";
import { randomId } from "./json";
import { applyDisplayMode, Coalescer, type DisplayMode, setHeight } from "./layout";
import { Panel } from "./panel";
import type { Session } from "./session";
import { Stage, type Surroundings } from "./stage";
import type { Strip } from "./strips";
import { installStyle } from "./style";
import { theme, watchTheme } from "./theme";
import { later } from "./timers";
import type { AskMessage, OpenMessage, StateMessage, StateName } from "./wire";

const BUSY_MS = 2000;
const CLOSE_MS = 2000;
/** A kernel that was restarted knows nothing of the extension either. */
const AGAIN = "run the notebook's cells again from %load_ext on";

const TONES: Record<StateName, Tone> = {
  starting: "waiting",
  calling: "waiting",
  live: "live",
  failed: "failed",
  ended: "ended",
};

export class View implements Surroundings {
  readonly session: Session;
  readonly header: Header;
  readonly body = h("div", { class: "mcpapp-body" });
  readonly root: HTMLElement;
  /** Id of the frame element of the moment; a reload makes a new one. */
  frameId = "";
  mode: DisplayMode = "inline";
  modeLeft = false;
  readonly #controller = new AbortController();
  readonly #panel = new Panel();
  readonly #asks = new Map<string, Strip>();
  #stage: Stage | undefined;
  /** Whether the kernel has said something since this frame asked for its page. */
  #heard = false;
  /** Counts what is done to the frame. */
  #turn = 0;
  #focusBefore: Element | null = null;

  constructor(session: Session, slot: HTMLElement) {
    this.session = session;
    const { signal } = this.#controller;
    const toggle = (mode: DisplayMode) => () => this.setMode(this.mode === mode ? "inline" : mode, true);
    const actions = {
      fullscreen: toggle("fullscreen"),
      pip: toggle("pip"),
      reload: () => this.#reload(),
      log: () => session.channel.send("state", this.frameId, { event: "log" }),
      close: () => this.#close(),
    };
    this.header = new Header(actions, signal);
    this.root = h(
      "div",
      // Without the attribute the notebook's one-letter shortcuts act on a focused button of ours.
      { class: "mcpapp mcpapp-live", "data-lm-suppress-shortcuts": "true", "data-mode": "inline" },
      this.header.element,
      this.body,
    );
    installStyle(slot);
    slot.classList.add("mcpapp-slot");
    slot.replaceChildren(this.root);
    this.describe();
    this.#watch(signal);
    session.add(this);
    this.#start();
    if (session.descriptor.mode === "fullscreen") this.setMode("fullscreen", false);
  }

  dispose(): void {
    this.session.remove(this);
    this.setMode("inline", false);
    this.#dropFrame();
    this.#closeAsks();
    this.#controller.abort();
    this.root.remove();
  }

  // ---- from the session ----

  /** Shows what the widget's traits say. */
  describe(): void {
    const { appName, tool, title, header, height, question } = this.session.descriptor;
    const what = title || tool;
    this.header.title(appName, what === appName ? "" : what);
    this.root.classList.toggle("mcpapp-bare", !header);
    this.root.classList.toggle("mcpapp-question", question);
    if (height) setHeight(this.body, height);
  }

  /** The kernel has the page: put it on show. */
  open(source: OpenMessage): void {
    this.#afterFarewell("Another page takes its place.", () => {
      this.#stage?.dispose();
      this.header.say("kernel", "");
      this.root.classList.add("mcpapp-live");
      // The spinner lies over the frame until the page has loaded; a page that is there is never covered.
      this.#stage = new Stage(this, source);
      this.show(this.session.state);
    });
  }

  deliver(message: unknown): void {
    this.#stage?.deliver(message);
  }

  stillWorking(ids: unknown): void {
    this.#stage?.stillWorking(ids);
  }

  /** A state of the widget as a whole. */
  show({ state, text, hint }: StateMessage): void {
    this.#heard = true;
    this.header.say("kernel", "");
    this.header.state(TONES[state], state === "live" ? "" : text);
    if (state === "ended") {
      this.#closeAsks();
      this.#dropFrame();
      this.#reason("This view has ended", text, hint);
    } else if (this.#stage) {
      const words = state === "failed" ? [text, hint] : state === "live" ? [text] : [];
      this.header.say("state", words.filter(Boolean).join(" · "));
    } else if (state === "failed") {
      this.#reason("The page cannot be shown", text, hint, this.#logLine);
    } else {
      this.#spinner(state === "live" ? "" : text);
    }
  }

  ask(ask: AskMessage): void {
    // The kernel repeats what is open to each new frame; what is being answered stays as it is.
    if (this.#asks.has(ask.ask)) return;
    const strip = askStrip(ask, this.session.descriptor.appId, (decision, content) => {
      const message = { ask: ask.ask, decision };
      this.session.channel.send("answer", this.frameId, content ? { ...message, content } : message);
      this.closeAsk(ask.ask);
    });
    this.#asks.set(ask.ask, strip);
    this.place(strip);
  }

  closeAsk(key: string): void {
    this.#asks.get(key)?.close();
    this.#asks.delete(key);
  }

  /** Nobody is at the other end any more. */
  disconnected(): void {
    this.#stage?.kernelGone();
    this.#closeAsks();
    this.header.state("warning", "disconnected");
    if (this.#stage) this.header.say("kernel", `Disconnected: ${AGAIN}`);
    else this.#reason("Disconnected", `The kernel that showed this app is gone: ${AGAIN}.`);
  }

  // ---- from the page on show (Surroundings) ----

  setMode(mode: DisplayMode, byPerson: boolean): void {
    if (mode === this.mode) return;
    if (this.mode === "inline") this.#focusBefore = document.activeElement;
    if (mode === "inline" && byPerson) this.modeLeft = true;
    this.mode = mode;
    applyDisplayMode(this.root, mode);
    this.header.mode(mode);
    const before = this.#focusBefore;
    if (mode === "inline" && before instanceof HTMLElement && before.isConnected)
      before.focus({ preventScroll: true });
    else if (byPerson) this.header.focusFullscreen();
    if (this.frameId) this.session.channel.send("state", this.frameId, { event: "display", mode });
    this.#stage?.modeChanged();
  }

  place(strip: Strip): void {
    this.header.strips.append(strip.element);
    const { activeElement } = this.root.getRootNode() as Document | ShadowRoot;
    if (!this.body.contains(activeElement)) return;
    // Somebody is in a page that may be higher than the window: they are to see that it waits for them.
    const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
    this.header.element.scrollIntoView({ block: "nearest", behavior });
  }

  uncover(): void {
    this.#panel.remove();
  }

  stop(reason: string): void {
    this.#dropFrame();
    this.header.state("failed", reason);
    this.#reason("The page was stopped", reason, "Relaunch it, or look into the log first.", this.#logLine);
  }

  // ---- the frame's life ----

  #start(relaunch = false): void {
    const { channel, state } = this.session;
    if (!channel.connected) {
      this.disconnected();
      return;
    }
    this.frameId = randomId("f-");
    this.show(state);
    this.#heard = false;
    // Only a person's wish may bring a view back that has ended: to load the tab again is none.
    channel.send("open", this.frameId, relaunch ? { relaunch } : {});
    const { frameId } = this;
    const waiting = () => {
      if (frameId === this.frameId && !this.#heard && channel.connected)
        this.header.say("kernel", "waiting for the kernel…");
    };
    later(BUSY_MS, waiting, this.#controller.signal);
  }

  #reload(): void {
    // What there is can still be looked at; nothing would come in its place.
    if (!this.session.channel.connected) return;
    this.#afterFarewell("The page is loaded again.", () => {
      this.#dropFrame();
      this.session.state = { state: "starting", text: "", hint: "" };
      this.#start(true);
    });
  }

  /** Lets the page on show finish and then does `act`, unless something else has happened to the frame meanwhile. */
  #afterFarewell(reason: string, act: () => void): void {
    const turn = ++this.#turn;
    const farewell = this.#stage?.teardown(reason);
    if (!farewell) act();
    else void farewell.then(() => turn === this.#turn && act());
  }

  #close(): void {
    const { frameId } = this;
    this.setMode("inline", false);
    this.session.channel.send("state", frameId, { event: "close" });
    // The kernel ends the view, with a word to the page first. Should it not, the frame goes anyway.
    const anyway = () => {
      if (frameId === this.frameId) this.show({ state: "ended", text: "Closed.", hint: "" });
    };
    later(CLOSE_MS, anyway, this.#controller.signal);
  }

  /** Takes the frame away and tells the kernel that it is gone. */
  #dropFrame(): void {
    this.#turn++;
    this.#stage?.dispose();
    this.#stage = undefined;
    if (this.frameId) this.session.channel.send("gone", this.frameId, {});
    this.frameId = "";
    for (const matter of ["kernel", "state"]) this.header.say(matter, "");
  }

  #closeAsks(): void {
    for (const key of [...this.#asks.keys()]) this.closeAsk(key);
  }

  #spinner(text: string): void {
    const name = this.session.descriptor.appName;
    this.#panel.loading(text || `Opening ${name || "the page"}…`);
    this.root.classList.add("mcpapp-live");
    this.body.append(this.#panel.element);
  }

  /** The line of a cell that shows what has happened. */
  get #logLine(): string {
    return `%mcpapp log ${this.session.descriptor.appId}`;
  }

  #reason(title: string, text: string, ...hints: string[]): void {
    this.#panel.reason(title, text, hints, this.session.channel.connected ? () => this.#reload() : undefined);
    // Without a page the static card of the result is worth seeing again.
    this.root.classList.remove("mcpapp-live");
    this.setMode("inline", false);
    this.body.append(this.#panel.element);
  }

  // ---- what happens around ----

  #watch(signal: AbortSignal): void {
    const dress = () => {
      this.root.dataset.theme = theme();
      this.#stage?.themeChanged();
    };
    dress();
    watchTheme(dress, signal);
    const widths = new Coalescer<number>((width) => {
      // A hidden notebook measures nothing; that is no size to tell a page about.
      if (width > 0 && this.root.offsetHeight > 0) this.#stage?.resized(width);
    });
    const sizes = new ResizeObserver((entries) => widths.push(entries.at(-1)?.contentRect.width ?? 0));
    sizes.observe(this.body);
    let seen: boolean | undefined;
    const sight = new IntersectionObserver((entries) => {
      const visible = entries.at(-1)?.isIntersecting ?? false;
      if (visible === seen || !this.frameId) return;
      seen = visible;
      this.session.channel.send("state", this.frameId, { event: "visible", visible });
    });
    sight.observe(this.root);
    signal.addEventListener("abort", () => {
      sizes.disconnect();
      sight.disconnect();
    });
    window.addEventListener("languagechange", () => this.#stage?.languageChanged(), { signal });
    const leave = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || this.mode !== "fullscreen" || this.header.menuOpen) return;
      event.stopPropagation();
      this.setMode("inline", true);
    };
    document.addEventListener("keydown", leave, { capture: true, signal });
    // A tab that goes says so itself: nothing else tells the kernel that nobody is behind a frame any more.
    let left = false;
    const hide = () => {
      left = this.frameId !== "";
      this.#dropFrame();
      this.session.channel.flush();
    };
    // Back from the browser's cache of whole tabs.
    const back = (event: PageTransitionEvent) => {
      if (event.persisted && left) this.#start();
    };
    window.addEventListener("pagehide", hide, { signal });
    window.addEventListener("pageshow", back, { signal });
    this.root.addEventListener("keydown", (event) => event.stopPropagation(), { signal });
  }
}
