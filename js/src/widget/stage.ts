/** One page on show: its frame and its JSON-RPC, its size and looks, and what it may ask of the notebook page. */

import { type ContainerDimensions, dimensions, hostContext, locale, themeContext } from "./context";
import { Downloads, type FileOffer } from "./downloads";
import { guardFocus } from "./focus";
import { Frame } from "./frame";
import type { Header } from "./header";
import { encode, isObject, type JsonObject } from "./json";
import { Coalescer, type DisplayMode, HeightGovernor, hasHeight, REST_MS, setHeight } from "./layout";
import { Links } from "./links";
import { Page, type PageHost } from "./page";
import type { Session } from "./session";
import { asker, type Strip } from "./strips";
import { framing, theme } from "./theme";
import { later, NEVER } from "./timers";
import { readViolation } from "./violations";
import type { OpenMessage } from "./wire";

/** Height of a page that has not said one yet: low, because many pages measure themselves as at least this. */
const FIRST_HEIGHT = 150;
/** Height of a page that never says one. */
const SILENT_HEIGHT = 400;
const SILENT_MS = 1500;
const HANDSHAKE_MS = 10_000;
/** A blocked navigation and the browser's error page that follows it are no further apart. */
const BLOCKED_MS = 2000;

/** The view around a page. */
export interface Surroundings {
  readonly session: Session;
  readonly frameId: string;
  readonly header: Header;
  readonly root: HTMLElement;
  readonly body: HTMLElement;
  readonly mode: DisplayMode;
  /** Whether the person has left a mode other than inline. */
  readonly modeLeft: boolean;
  setMode(mode: DisplayMode, byPerson: boolean): void;
  /** Shows a question in the header. */
  place(strip: Strip): void;
  /** Something of the page is there to be seen. */
  uncover(): void;
  /** The page is to be taken away, with the reason. */
  stop(reason: string): void;
}

export class Stage implements PageHost {
  readonly #view: Surroundings;
  readonly #source: OpenMessage;
  readonly #controller = new AbortController();
  readonly #page: Page;
  readonly #frame: Frame;
  readonly #links: Links;
  readonly #downloads: Downloads;
  readonly #heights = new Coalescer<unknown>((wish) => this.#grant(wish));
  readonly #governor = new HeightGovernor();
  #look: readonly string[] = [];
  #sentTheme = "";
  /** The view's width, for when the frame has none of its own because it is not drawn. */
  #width: number;
  #toldRoom = "";
  #sized = false;
  /** Our line has announced a document that has not finished loading yet. */
  #fresh = false;
  #loadedAt = NEVER;
  #clickedAt = NEVER;
  /** When the shell's policy last stopped the page from navigating itself. */
  #blockedAt = NEVER;

  constructor(view: Surroundings, source: OpenMessage) {
    this.#view = view;
    this.#source = source;
    this.#width = view.body.clientWidth;
    const who = () => asker(view.session.descriptor.appName, view.session.descriptor.appId);
    const place = (strip: Strip) => view.place(strip);
    this.#page = new Page(view.frameId, source, view.session.channel, this);
    const page = this.#page;
    this.#links = new Links(
      who,
      place,
      (text, decision, address) => page.log("info", "link", text, { decision, url: address.slice(0, 2000) }),
      () => this.#capable("openLinks"),
    );
    this.#downloads = new Downloads(
      who,
      place,
      (text, decision, offers) => this.#logDownload(text, decision, offers),
      async (uri) => (await page.ask("resources/read", { uri })).result,
      () => this.#capable("downloadFile"),
    );
    const title = `${view.session.descriptor.appName} app`;
    this.#frame = new Frame(source.page, title, theme(), page.limits.maxMessageBytes, {
      message: (text) => page.receive(text),
      bad: (reason, id) => page.invalid(id, reason),
      load: (count) => this.#loaded(count),
      blocked: (directive, uri) => {
        this.#blockedAt = performance.now();
        view.header.say("page", "The page tried to go to another address");
        this.#violation({ directive, uri });
      },
      restart: () => {
        this.#loadedAt = performance.now();
        page.newDocument();
      },
    });
    view.root.classList.toggle("mcpapp-plain", source.page.prefersBorder === false);
    const { signal } = this.#controller;
    guardFocus(
      this.#frame.element,
      () => this.#loadedAt,
      () => this.#clickedAt,
      signal,
    );
    // A page that is loaded again starts at the height that it had.
    if (!hasHeight(view.body)) this.setHeight(FIRST_HEIGHT);
    view.body.prepend(this.#frame.element);
    this.#applyLook();
    this.#later(HANDSHAKE_MS, () => {
      if (page.initialized) return;
      const missing = page.greeted
        ? "has called ui/initialize but not sent ui/notifications/initialized"
        : "has not called ui/initialize";
      view.header.say("page", `The page ${missing}`);
      if (view.session.state.state !== "failed") view.header.state("warning", "");
      page.log("warning", "handshake", `The page ${missing} within 10 seconds`);
    });
  }

  dispose(): void {
    this.#controller.abort();
    this.#links.cancel();
    this.#downloads.cancel();
    this.#page.dispose();
    this.#frame.remove();
    for (const matter of ["busy", "page"]) this.#view.header.say(matter, "");
  }

  // ---- from the kernel and the view ----

  deliver(message: unknown): void {
    this.#page.deliver(message);
  }

  stillWorking(ids: unknown): void {
    this.#page.stillWorking(ids);
  }

  kernelGone(): void {
    this.#page.kernelGone();
  }

  teardown(reason: string): Promise<void> | undefined {
    return this.#page.teardown(reason);
  }

  setHeight(height: number): void {
    setHeight(this.#view.body, height);
  }

  modeChanged(): void {
    this.#page.contextChanged({ displayMode: this.#view.mode, containerDimensions: this.#tellRoom() });
  }

  resized(width: number): void {
    this.#width = width;
    const told = this.#toldRoom;
    const containerDimensions = this.#tellRoom();
    if (told !== this.#toldRoom) this.#page.contextChanged({ containerDimensions });
  }

  languageChanged(): void {
    this.#page.contextChanged({ locale: locale() });
  }

  themeChanged(): void {
    this.#applyLook();
    const change = themeContext(this.#view.root);
    const text = encode(change) ?? "";
    if (text === this.#sentTheme) return;
    this.#sentTheme = text;
    this.#page.contextChanged({ ...change });
  }

  // ---- from the page (PageHost) ----

  post(message: unknown): void {
    this.#frame.post(message);
  }

  context(): JsonObject {
    const view = this.#view;
    const { root } = view;
    view.header.offer((mode) => this.#page.supports(mode));
    // Where it was opened in a way that it does not know.
    if (!this.#page.supports(view.mode)) view.setMode("inline", false);
    this.#sentTheme = encode(themeContext(root)) ?? "";
    return hostContext(root, this.#source.hostInfo, view.mode, this.#tellRoom());
  }

  restarted(): void {
    this.#fresh = true;
    this.#links.cancel();
    this.#downloads.cancel();
  }

  initialized(): void {
    this.#view.header.say("page", "");
    // A failed call stays in sight, even though its page is well.
    if (this.#view.session.state.state !== "failed") this.#view.header.state("live", "");
    this.#view.uncover();
  }

  sizeChanged(height: unknown): void {
    if (this.#fixedHeight === undefined) this.#heights.push(height);
  }

  requestMode(mode: DisplayMode): DisplayMode {
    const view = this.#view;
    // Somebody who has left full screen is not taken back there without a click of theirs.
    const pushy = mode !== "inline" && view.modeLeft && !(navigator.userActivation?.isActive ?? true);
    if (this.#page.supports(mode) && !pushy) view.setMode(mode, false);
    return view.mode;
  }

  openLink(url: string): Promise<boolean> {
    return this.#links.request(url);
  }

  download(contents: unknown[]): Promise<boolean> {
    return this.#downloads.request(contents);
  }

  cancelled(method: string): void {
    (method === "ui/open-link" ? this.#links : this.#downloads).cancel();
  }

  busy(waiting: boolean): void {
    this.#view.header.say("busy", waiting ? "kernel busy…" : "");
  }

  stop(reason: string): void {
    this.#page.log("error", "stopped", reason);
    this.#view.stop(reason);
  }

  report(what: string, detail: unknown): void {
    if (what === "csp" && isObject(detail)) this.#violation(detail);
    else if (what === "link") void this.openLink(String(detail));
    // The page could claim clicks to keep the keyboard; where the pointer is, it cannot claim.
    else if (what === "click" && this.#frame.element.matches(":hover")) this.#clickedAt = performance.now();
    else if (what === "escape" && this.#view.mode === "fullscreen") this.#view.setMode("inline", true);
    else if (what === "look" && Array.isArray(detail)) {
      this.#look = detail.map(String);
      this.#applyLook();
    }
  }

  // ---- details ----

  get #fixedHeight(): number | undefined {
    return this.#view.session.descriptor.height || undefined;
  }

  /** The room that the page has, to be told to it. */
  #tellRoom(): ContainerDimensions {
    const { clientWidth, clientHeight } = this.#frame.element;
    const width = Math.max(1, Math.round(clientWidth || this.#width || 640));
    const height = this.#view.mode === "inline" ? this.#fixedHeight : Math.max(1, clientHeight);
    this.#toldRoom = `${width} ${height}`;
    return dimensions(width, height);
  }

  #later(ms: number, act: () => void): void {
    later(ms, act, this.#controller.signal);
  }

  #capable(capability: string): boolean {
    return Object.hasOwn(this.#source.hostCapabilities, capability);
  }

  #loaded(count: number): void {
    const { header, session, frameId } = this.#view;
    this.#view.uncover();
    this.#later(SILENT_MS, () => {
      if (!this.#sized && this.#fixedHeight === undefined) this.setHeight(SILENT_HEIGHT);
    });
    // A second document without our line in it is not the page: it has navigated, or has tried to.
    if (count > 1 && !this.#fresh) {
      if (performance.now() - this.#blockedAt < BLOCKED_MS) {
        this.stop("The page tried to go to another address, which it may not, and is gone.");
        return;
      }
      this.#page.newDocument();
      this.#links.forget();
      session.channel.send("state", frameId, { event: "navigated" });
      this.#page.log("warning", "navigated", "The page navigated to another address; its grants are void");
      header.say("page", "The page has left for another address; reload it");
      header.state("warning", "navigated");
    }
    this.#fresh = false;
  }

  #grant(wish: unknown): void {
    if (this.#controller.signal.aborted || this.#fixedHeight !== undefined) return;
    this.#sized = true;
    const height = this.#governor.propose(wish);
    if (height !== undefined) this.setHeight(height);
    if (!this.#governor.unsettled) return;
    this.#later(REST_MS, () => {
      const last = this.#governor.settle();
      if (last !== undefined) this.setHeight(last);
    });
  }

  #applyLook(): void {
    const { scheme, backdrop, transparent } = framing(this.#look, theme() === "dark");
    this.#frame.look(scheme, backdrop);
    const border = this.#source.page.prefersBorder !== false;
    this.#view.root.classList.toggle("mcpapp-inset", transparent && border);
  }

  #violation(report: JsonObject): void {
    const { text, data } = readViolation(report);
    this.#page.log("warning", "csp", text, data);
  }

  #logDownload(text: string, decision: string, offers: readonly FileOffer[]): void {
    const files = offers.map(({ name, type, data, uri }) => ({ name, type, size: data?.size ?? null, uri }));
    this.#page.log("info", "download", text, { decision, files });
  }
}
