/**
 * Strips: our questions to the person, in the header and outside of the page.
 *
 * A page can provoke a strip just before an expected click, so the buttons of a strip are dead until it has been
 * visible and has stood still for a moment. A strip never takes the focus: keys act only for someone who went there.
 */

import { h, type IconName, icon } from "./dom";
import { cleanLine, encode, spellOut } from "./json";

/** Milliseconds that a strip must stand still before its buttons act. */
export const ARMING_MS = 600;
const SAMPLE_MS = 100;

export interface Action {
  label: string;
  primary?: boolean;
  /** Called by a click on an armed button. */
  run(): void;
}

/** Refuses clicks on things that have only just appeared or moved under the pointer. */
export class Guard {
  #since = performance.now();
  #visible = typeof IntersectionObserver === "undefined";
  #place = "";
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #observer: IntersectionObserver | undefined;

  readonly #element: HTMLElement;
  readonly #changed: (armed: boolean) => void;

  constructor(element: HTMLElement, changed: (armed: boolean) => void) {
    this.#element = element;
    this.#changed = changed;
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
    if (!this.#visible) {
      this.#observer = new IntersectionObserver(
        (entries) => {
          const visible = entries.at(-1)?.isIntersecting ?? false;
          if (visible && !this.#visible) this.#since = performance.now();
          this.#visible = visible;
          this.#sample();
        },
        { threshold: 0.9 },
      );
      this.#observer.observe(element);
    }
  }

  get armed(): boolean {
    return this.#visible && performance.now() - this.#since >= ARMING_MS;
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#observer?.disconnect();
  }

  #sample(): void {
    const { left, top } = this.#element.getBoundingClientRect();
    const place = `${Math.round(left / 4)},${Math.round(top / 4)}`;
    if (place !== this.#place) {
      this.#place = place;
      this.#since = performance.now();
    }
    this.#changed(this.armed);
  }
}

export type Words = (Node | string)[];

/** Who asks. The name is what the app calls itself; the id is what the person has opened. */
export function asker(name: string, id: string): Words {
  const called = h("strong", {}, cleanLine(name || id, 120));
  return id === "" || id === name ? [called] : [called, " (", h("code", {}, cleanLine(id, 120)), ")"];
}

/** One question with its buttons. */
export class Strip {
  readonly element: HTMLElement;
  readonly #guard: Guard;
  readonly #buttons: HTMLButtonElement[];

  constructor(symbol: IconName, title: Words, details: (Node | undefined)[], actions: readonly Action[]) {
    this.#buttons = actions.map((action) => {
      const button = h(
        "button",
        // Dead from the first moment, and said to be: the guard wakes them.
        { type: "button", class: action.primary ? "mcpapp-primary" : "", "aria-disabled": "true" },
        action.label,
      );
      button.addEventListener("click", (event) => {
        if (event.isTrusted && this.#guard.armed) action.run();
      });
      return button;
    });
    const row = h("div", { class: "mcpapp-actions" }, ...this.#buttons);
    this.element = h(
      "section",
      { class: "mcpapp-strip", role: "group" },
      icon(symbol),
      h("div", { class: "mcpapp-ask" }, h("div", { class: "mcpapp-words" }, ...title), ...details),
      row,
    );
    this.#guard = new Guard(row, (armed) => {
      for (const button of this.#buttons) {
        if (armed) button.removeAttribute("aria-disabled");
        else button.setAttribute("aria-disabled", "true");
      }
    });
  }

  /** Whether the strip has stood still long enough to act on. */
  get armed(): boolean {
    return this.#guard.armed;
  }

  /** The person has decided, and what they decided takes a while: a second click must not do it twice. */
  busy(): void {
    this.element.setAttribute("aria-busy", "true");
    for (const button of this.#buttons) button.disabled = true;
  }

  close(): void {
    this.#guard.dispose();
    this.element.remove();
  }
}

const SHOWN = 300;

/** A value as escaped JSON: the first characters, the whole on demand. */
export function jsonBlock(value: unknown, shown = SHOWN): HTMLElement | undefined {
  const text = spellOut(encode(value) === undefined ? "" : JSON.stringify(value, null, 2));
  if (text === "" || text === "{}") return undefined;
  return textBlock(text, shown);
}

/** Text cut to `shown` characters, with a button for the rest; `kind` is one more class. */
export function textBlock(text: string, shown: number, kind = ""): HTMLElement {
  const name = `mcpapp-text ${kind}`;
  if (text.length <= shown) return h("pre", { class: name }, text);
  // Not within a pair of surrogates.
  const start = text.slice(0, shown).replace(/[\ud800-\udbff]$/, "");
  const pre = h("pre", { class: name }, `${start}…`);
  const more = h("button", { type: "button", class: "mcpapp-more" }, `Show all ${text.length} characters`);
  more.addEventListener("click", () => {
    pre.textContent = text;
    more.remove();
  });
  return h("div", {}, pre, more);
}
