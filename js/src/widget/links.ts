/** Links that a page wants to open: the address is a way out past the policy, so a person confirms it in words. */

import { h } from "./dom";
import { cleanLine, spellOut } from "./json";
import { Strip, textBlock, type Words } from "./strips";

const SCHEMES = ["http:", "https:", "mailto:"];

/** The URL when it may be opened at all: http, https or mailto, and no name and password in it. */
export function parseLink(text: string): URL | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  if (!SCHEMES.includes(url.protocol) || url.username || url.password) return undefined;
  return url;
}

/** What a person has to recognise: the origin, or the address of a mail. International names are in punycode. */
export function hostOf(url: URL): string {
  return cleanLine(url.protocol === "mailto:" ? url.pathname : url.origin, 200);
}

/** The whole address: what it carries away is often at its end. */
export function addressBlock(url: URL): HTMLElement {
  return textBlock(spellOut(url.href), 200, "mcpapp-url");
}

function open(url: URL): void {
  window.open(url.href, "_blank", "noopener,noreferrer");
}

export type LinkLog = (text: string, decision: string, address: string) => void;

/** The link policy of one view: what the person has allowed for good, and the one question that may be open. */
export class Links {
  readonly #always = new Set<string>();
  #pending: { strip: Strip; finish: (opened: boolean) => void } | undefined;

  readonly #who: () => Words;
  readonly #place: (strip: Strip) => void;
  readonly #log: LinkLog;
  readonly #allowed: () => boolean;

  constructor(who: () => Words, place: (strip: Strip) => void, log: LinkLog, allowed: () => boolean) {
    this.#who = who;
    this.#place = place;
    this.#log = log;
    this.#allowed = allowed;
  }

  /** Opens `text` once the person agrees. Resolves to whether it was opened. */
  request(text: string): Promise<boolean> {
    const url = parseLink(text);
    if (!url || !this.#allowed() || this.#pending) {
      const reason = url
        ? "another link waits, or links are off"
        : "only http, https and mailto addresses are opened";
      this.#log(`A link was refused: ${reason}`, "refused", text);
      return Promise.resolve(false);
    }
    // Without a click just now the browser would block the window, so it takes the click on our bar.
    if (this.#always.has(url.origin) && (navigator.userActivation?.isActive ?? true)) {
      open(url);
      this.#log(`Link to ${hostOf(url)} opened (always)`, "always", url.href);
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const finish = (opened: boolean) => {
        this.#pending?.strip.close();
        this.#pending = undefined;
        resolve(opened);
      };
      const agree = (decision: "once" | "always") => {
        if (decision === "always") this.#always.add(url.origin);
        open(url);
        this.#log(`Link to ${hostOf(url)} opened (${decision})`, decision, url.href);
        finish(true);
      };
      const always = { label: "Always for this origin", run: () => agree("always") };
      const strip = new Strip(
        "link",
        [
          ...this.#who(),
          " asks: Open ",
          h("strong", { class: "mcpapp-origin" }, hostOf(url)),
          " in a new tab?",
        ],
        [addressBlock(url)],
        [
          { label: "Open", primary: true, run: () => agree("once") },
          // Every mailto address shares the origin "null": there is nothing to remember.
          ...(url.protocol === "mailto:" ? [] : [always]),
          {
            label: "Cancel",
            run: () => {
              this.#log(`Link to ${hostOf(url)} cancelled`, "cancel", url.href);
              finish(false);
            },
          },
        ],
      );
      this.#pending = { strip, finish };
      this.#place(strip);
    });
  }

  /** Takes the open question away: nobody waits for its answer any more. */
  cancel(): void {
    this.#pending?.finish(false);
  }

  /** Forgets what was allowed for good: the document is not the one it was allowed to. */
  forget(): void {
    this.#always.clear();
    this.cancel();
  }
}
