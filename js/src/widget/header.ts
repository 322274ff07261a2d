/** The header line: which app, which tool, how it is doing, and what can be done with the view. */

import { h, type IconName, icon } from "./dom";
import { cleanLine } from "./json";
import type { DisplayMode } from "./layout";

export type Tone = "waiting" | "live" | "warning" | "failed" | "ended";

export interface HeaderActions {
  fullscreen(): void;
  pip(): void;
  reload(): void;
  log(): void;
  close(): void;
}

const LARGE = "Full screen";
const SMALL = "Small window";

const DOTS: Record<Tone, string> = {
  waiting: "starting",
  live: "live",
  warning: "needs attention",
  failed: "failed",
  ended: "ended",
};

export class Header {
  readonly element: HTMLElement;
  /** Where questions appear: part of the header, at a fixed place above the page. */
  readonly strips: HTMLElement;
  readonly #app = h("span", { class: "mcpapp-app" });
  readonly #tool = h("span", { class: "mcpapp-tool" });
  readonly #note = h("span", { class: "mcpapp-note", role: "status" });
  readonly #dot = h("span", { class: "mcpapp-dot", role: "img" });
  readonly #fullscreen: HTMLButtonElement;
  readonly #large: HTMLElement;
  readonly #pip: HTMLElement;
  readonly #menu: HTMLElement;
  readonly #notes = new Map<string, string>();

  constructor(actions: HeaderActions, signal: AbortSignal) {
    this.#fullscreen = this.#button("fullscreen", LARGE, actions.fullscreen, signal);
    const item = (symbol: IconName, label: string, run: () => void) => {
      const entry = h("button", { type: "button", role: "menuitem" }, icon(symbol), label);
      const pick = () => {
        this.#menu.hidePopover?.();
        run();
      };
      entry.addEventListener("click", pick, { signal });
      return entry;
    };
    this.#large = item("fullscreen", LARGE, actions.fullscreen);
    this.#pip = item("pip", SMALL, actions.pip);
    // Without a page there is nothing to show in another way.
    for (const control of [this.#fullscreen, this.#large, this.#pip]) control.classList.add("mcpapp-way");
    this.#menu = h(
      "div",
      { class: "mcpapp-menu", role: "menu", popover: "auto" },
      this.#large,
      this.#pip,
      item("reload", "Reload the page", actions.reload),
      item("log", "Log", actions.log),
      item("close", "Close the view", actions.close),
    );
    const more = this.#button("menu", "More", () => this.#toggleMenu(more), signal);
    more.setAttribute("aria-haspopup", "menu");
    // A click into a frame is not a click of this document, but it takes the focus away from its window.
    window.addEventListener("blur", () => this.#menu.hidePopover?.(), { signal });
    const reload = this.#button("reload", "Reload the page", actions.reload, signal);
    const title = h("div", { class: "mcpapp-title" }, this.#dot, this.#app, this.#tool);
    const line = h(
      "div",
      { class: "mcpapp-line" },
      title,
      this.#note,
      reload,
      this.#fullscreen,
      more,
      this.#menu,
    );
    this.strips = h("div", { class: "mcpapp-strips", "aria-live": "polite" });
    this.element = h("header", { class: "mcpapp-header" }, line, this.strips);
    this.state("waiting", "");
  }

  title(app: string, tool: string): void {
    this.#app.textContent = cleanLine(app, 80);
    this.#tool.textContent = cleanLine(tool, 120);
    this.#tool.title = this.#tool.textContent;
  }

  /** Colours the dot; `text` says more, where the notebook's state has words for it. */
  state(tone: Tone, text: string): void {
    this.#dot.dataset.tone = tone;
    const label = cleanLine(text, 200) || DOTS[tone];
    this.#dot.title = label;
    this.#dot.setAttribute("aria-label", label);
  }

  /** Shows or (with an empty text) removes the note about one matter. The newest matter is the one shown. */
  say(matter: string, text: string): void {
    if ((this.#notes.get(matter) ?? "") === text) return;
    this.#notes.delete(matter);
    if (text) this.#notes.set(matter, cleanLine(text, 200));
    const shown = [...this.#notes.values()].at(-1) ?? "";
    this.#note.textContent = shown;
    this.#note.title = shown;
  }

  /** Offers only the ways of being shown that the page knows. */
  offer(supports: (mode: DisplayMode) => boolean): void {
    for (const control of [this.#fullscreen, this.#large]) control.hidden = !supports("fullscreen");
    this.#pip.hidden = !supports("pip");
  }

  mode(mode: DisplayMode): void {
    const out = mode === "fullscreen";
    this.#fullscreen.replaceChildren(icon(out ? "leave" : "fullscreen"));
    label(this.#fullscreen, out ? "Leave full screen (Esc)" : LARGE);
    const small = mode === "pip";
    this.#pip.replaceChildren(icon(small ? "leave" : "pip"), small ? "Back to the cell" : SMALL);
  }

  /** Whether Escape is the menu's to close. */
  get menuOpen(): boolean {
    return this.#menu.contains(document.activeElement);
  }

  focusFullscreen(): void {
    this.#fullscreen.focus();
  }

  #button(symbol: IconName, text: string, run: () => void, signal: AbortSignal): HTMLButtonElement {
    const button = h("button", { type: "button", class: "mcpapp-tool-button" }, icon(symbol));
    label(button, text);
    button.addEventListener("click", run, { signal });
    return button;
  }

  #toggleMenu(anchor: HTMLElement): void {
    this.#menu.togglePopover?.();
    const { right, top, bottom } = anchor.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this.#menu;
    const below = bottom + 4;
    this.#menu.style.top = `${below + offsetHeight > innerHeight ? top - 4 - offsetHeight : below}px`;
    this.#menu.style.left = `${Math.max(4, right - offsetWidth)}px`;
    this.#menu.querySelector("button")?.focus();
  }
}

function label(button: HTMLElement, text: string): void {
  button.title = text;
  button.setAttribute("aria-label", text);
}
