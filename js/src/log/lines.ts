/** The lines of a log table and the filter on them. Nothing here touches the DOM. */

import { isObject } from "../widget/json";

/** From the least grave to the gravest. */
export const LEVELS: readonly string[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** In the order of the filter's buttons. */
export const SOURCES: readonly string[] = ["server", "stderr", "stdout", "host", "page", "csp", "traffic"];

export interface Line {
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly source: string;
  readonly level: string;
  /** The page it is about; empty for the app as a whole. */
  readonly page: string;
  readonly text: string;
  /** Times and sizes, in words. */
  readonly measure: string;
}

/** Lines that are kept here; the kernel has its own bounds. */
export const MAX_LINES = 4000;

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** One line of the kernel, or `undefined` for what is none. */
export function readLine(value: unknown): Line | undefined {
  if (!isObject(value)) return undefined;
  return {
    key: text(value.key),
    at: Number(value.at) || 0,
    source: text(value.source),
    level: LEVELS.includes(text(value.level)) ? text(value.level) : "info",
    page: text(value.page),
    text: text(value.text),
    measure: text(value.measure),
  };
}

/** What the reader wants to see. */
export class Filter {
  /** This grave or graver. */
  level = "debug";
  /** Only these; empty for all. */
  readonly sources = new Set<string>();
  #words: string[] = [];

  set text(value: string) {
    this.#words = value.toLowerCase().split(/\s+/).filter(Boolean);
  }

  get empty(): boolean {
    return this.level === "debug" && this.sources.size === 0 && this.#words.length === 0;
  }

  fits(line: Line): boolean {
    if (LEVELS.indexOf(line.level) < LEVELS.indexOf(this.level)) return false;
    if (this.sources.size > 0 && !this.sources.has(line.source)) return false;
    if (this.#words.length === 0) return true;
    const said = `${line.source} ${line.level} ${line.page} ${line.text} ${line.measure}`.toLowerCase();
    return this.#words.every((word) => said.includes(word));
  }
}

/** The newest lines, oldest first. */
export class Lines {
  all: Line[] = [];
  /** Sources and pages that have had a line. */
  readonly sources = new Set<string>();
  readonly pages = new Set<string>();

  /** Takes a message of the kernel and gives the lines that are new. */
  take(message: unknown): { fresh: Line[]; anew: boolean } {
    if (!isObject(message) || !Array.isArray(message.lines)) return { fresh: [], anew: false };
    const anew = message.anew === true;
    const fresh = message.lines.map(readLine).filter((line) => line !== undefined);
    const leftOut = Number(message.leftOut) || 0;
    if (leftOut > 0) fresh.unshift(gap(leftOut, fresh[0]?.at ?? Date.now()));
    if (anew) this.all = [];
    this.all.push(...fresh);
    if (this.all.length > MAX_LINES) this.all.splice(0, this.all.length - MAX_LINES);
    for (const line of fresh) {
      this.sources.add(line.source);
      if (line.page) this.pages.add(line.page);
    }
    return { fresh, anew };
  }
}

function gap(count: number, at: number): Line {
  const said = `${count.toLocaleString("en")} lines came too fast to be drawn`;
  return { key: "", at, source: "host", level: "notice", page: "", text: said, measure: "" };
}

/** `14:03:59.120` in the reader's own time zone. */
export function clock(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two);
  return `${parts.join(":")}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}
