/** One view of a log table: its tools, its rows, following and pausing. */

import { h } from "../widget/dom";
import { clock, Filter, LEVELS, type Line, type Lines, SOURCES } from "./lines";

/** Rows that are drawn; of more lines the newest. */
const MAX_ROWS = 1000;
/** A scroll within this time of the reader's own doing is the reader's. */
const BY_HAND_MS = 1500;
const CHOICES = ["debug", "info", "notice", "warning", "error", "critical"];

export interface Settings {
  name: string;
  level: string;
  source: string;
}

export class Table {
  readonly root: HTMLElement;
  readonly #lines: Lines;
  readonly #ask: (key: string) => void;
  readonly #filter = new Filter();
  readonly #rows = h("tbody", { role: "rowgroup" });
  readonly #scroll: HTMLElement;
  readonly #count = h("span", { class: "log-count" });
  /** Spoken by screen readers: only what the reader has caused, not every new line. */
  readonly #spoken = h("span", { class: "log-unseen", role: "status" });
  readonly #chips = h("span", { class: "log-chips", role: "group", "aria-label": "Sources" });
  readonly #follow = h("button", { type: "button" });
  readonly #details = new Map<string, HTMLElement>();
  #paused: "" | "button" | "scroll" = "";
  #missed = 0;
  #byHand = Number.NEGATIVE_INFINITY;
  #over = "";

  constructor(lines: Lines, settings: Settings, ask: (key: string) => void) {
    this.#lines = lines;
    this.#ask = ask;
    this.#filter.level = LEVELS.includes(settings.level) ? settings.level : "debug";
    if (settings.source) this.#filter.sources.add(settings.source);
    const column = (name: string) => h("th", { role: "columnheader", class: `log-${name}` }, name);
    const head = h("tr", { role: "row" }, ...["time", "source", "level", "text"].map(column));
    this.#scroll = h(
      "div",
      { class: "log-scroll", role: "region", "aria-label": "Lines", tabindex: "0" },
      h(
        "table",
        { role: "table", "aria-label": `Log of ${settings.name}` },
        h("thead", { role: "rowgroup" }, head),
        this.#rows,
      ),
    );
    this.root = h(
      "section",
      { class: "mcpapp-log", "aria-label": `Log of ${settings.name}`, "data-lm-suppress-shortcuts": "true" },
      h(
        "div",
        { class: "log-tools" },
        h("b", {}, settings.name),
        this.#chips,
        this.#levelChoice(),
        this.#search(),
        this.#count,
        this.#follow,
      ),
      this.#scroll,
      this.#spoken,
    );
    this.#listen();
    this.redraw();
  }

  /** Draws what came. */
  update(fresh: readonly Line[], anew: boolean): void {
    this.#drawChips();
    if (anew) {
      this.redraw();
    } else if (this.#paused) {
      this.#missed += fresh.filter((line) => this.#filter.fits(line)).length;
      this.#drawState();
    } else {
      this.#append(fresh);
      this.#drawState();
    }
  }

  /** All that a message says; `null` when the kernel no longer has it. */
  detail(key: string, said: string | null): void {
    const place = this.#details.get(key);
    if (!place) return;
    place.textContent = said ?? "This message is no longer kept.";
    // In sight as a whole, if that is possible; only these lines move, not the notebook.
    const hidden = place.getBoundingClientRect().bottom - this.#scroll.getBoundingClientRect().bottom;
    if (hidden > 0) this.#scroll.scrollTop += hidden + 6;
  }

  /** Nothing comes any more, and why. */
  over(reason: string): void {
    this.#over = reason;
    this.#drawState();
    this.#spoken.textContent = reason;
  }

  /** Draws everything anew, for another filter or after a pause. */
  redraw(): void {
    this.#rows.replaceChildren();
    this.#details.clear();
    this.#missed = 0;
    this.#append(this.#lines.all);
    this.#drawChips();
    this.#drawState();
  }

  #append(lines: readonly Line[]): void {
    const fitting = lines.filter((line) => this.#filter.fits(line)).slice(-MAX_ROWS);
    if (fitting.length > 0) this.#rows.querySelector(".log-nothing")?.remove();
    this.#rows.append(...fitting.map((line) => this.#row(line)));
    for (let extra = this.#rows.childElementCount - MAX_ROWS; extra > 0; extra--) {
      const first = this.#rows.firstElementChild as HTMLElement;
      this.#details.delete(first.dataset.key ?? "");
      first.remove();
    }
    if (this.#rows.childElementCount === 0) {
      const said = this.#filter.empty ? "Nothing has been said yet." : "No line fits the filter.";
      const cell = h("td", { role: "cell", colspan: "4" }, said);
      this.#rows.append(h("tr", { role: "row", class: "log-nothing" }, cell));
    }
    this.#keepUp();
  }

  /** Shows the newest line to who follows. */
  #keepUp(): void {
    if (!this.#paused) this.#scroll.scrollTop = this.#scroll.scrollHeight;
  }

  #row(line: Line): HTMLElement {
    const cell = (name: string, ...content: (Node | string | undefined)[]) =>
      h("td", { role: "cell", class: `log-${name}` }, ...content);
    const page = line.page && this.#lines.pages.size > 1 ? h("i", {}, line.page) : undefined;
    const measure = line.measure ? h("small", {}, line.measure) : undefined;
    const said = [page, line.text, measure];
    const when = new Date(line.at);
    const time = h("time", { datetime: when.toISOString(), title: when.toLocaleString() }, clock(line.at));
    return h(
      "tr",
      { role: "row", "data-level": line.level, "data-source": line.source, "data-key": line.key },
      cell("time", time),
      cell("source", line.source),
      cell("level", line.level),
      line.source === "traffic" ? cell("text", this.#message(line.key, said)) : cell("text", ...said),
    );
  }

  /** A message that opens to show all that it says, fetched when it is opened first. */
  #message(key: string, said: (Node | string | undefined)[]): HTMLElement {
    const place = h("pre", { tabindex: "0" });
    const details = h("details", {}, h("summary", {}, ...said), place);
    details.addEventListener("toggle", () => {
      if (!details.open) return;
      if (!this.#paused) this.#pause("scroll"); // it is being read
      if (this.#details.has(key)) return;
      this.#details.set(key, place);
      place.textContent = "…";
      this.#ask(key);
    });
    return details;
  }

  #levelChoice(): HTMLElement {
    const { level } = this.#filter;
    const known = CHOICES.includes(level) ? CHOICES : [...CHOICES, level];
    const options = known.map((name) => {
      const label = name === "debug" ? "All levels" : `${name[0]?.toUpperCase()}${name.slice(1)} and up`;
      return h("option", { value: name }, label);
    });
    const select = h("select", { "aria-label": "Level" }, ...options);
    select.value = level;
    select.addEventListener("change", () => {
      this.#filter.level = select.value;
      this.#refilter();
    });
    return select;
  }

  #search(): HTMLElement {
    const input = h("input", { type: "search", placeholder: "Filter", "aria-label": "Filter by text" });
    input.addEventListener("input", () => {
      this.#filter.text = input.value;
      this.#refilter();
    });
    return input;
  }

  #refilter(): void {
    this.redraw();
    this.#spoken.textContent = this.#counted();
  }

  /** A button for each source that has said something; none is pressed while all are shown. */
  #drawChips(): void {
    const { sources } = this.#filter;
    const shown = SOURCES.filter((name) => this.#lines.sources.has(name) || sources.has(name));
    const present = [...this.#chips.children].map((chip) => chip.textContent);
    if (shown.join() === present.join()) return;
    const chips = shown.map((name) => {
      const chip = h("button", { type: "button", "aria-pressed": String(sources.has(name)) }, name);
      chip.addEventListener("click", () => {
        if (!sources.delete(name)) sources.add(name);
        chip.setAttribute("aria-pressed", String(sources.has(name)));
        this.#refilter();
      });
      return chip;
    });
    const focused = [...this.#chips.children].find((chip) => chip === document.activeElement)?.textContent;
    this.#chips.replaceChildren(...chips);
    chips.find((chip) => chip.textContent === focused)?.focus();
  }

  #counted(): string {
    const all = this.#lines.all.length;
    const fitting = this.#filter.empty
      ? all
      : this.#lines.all.filter((line) => this.#filter.fits(line)).length;
    const number = (value: number) => value.toLocaleString("en");
    return fitting === all
      ? `${number(all)} line${all === 1 ? "" : "s"}`
      : `${number(fitting)} of ${number(all)} lines`;
  }

  #drawState(): void {
    this.#count.textContent = this.#over || this.#counted();
    this.#follow.hidden = this.#over !== "";
    this.#follow.setAttribute("aria-pressed", String(!this.#paused));
    this.#follow.textContent = this.#paused && this.#missed > 0 ? `Follow (${this.#missed} new)` : "Follow";
    this.#follow.title = this.#paused ? "Show new lines as they come" : "New lines are shown as they come";
  }

  #pause(by: "button" | "scroll"): void {
    this.#paused = by;
    this.#drawState();
  }

  #resume(): void {
    this.#paused = "";
    if (this.#missed > 0) this.redraw();
    this.#keepUp();
    this.#drawState();
  }

  #listen(): void {
    this.#follow.addEventListener("click", () => (this.#paused ? this.#resume() : this.#pause("button")));
    const byHand = () => {
      this.#byHand = performance.now();
    };
    for (const kind of ["wheel", "touchmove", "pointerdown", "keydown"]) {
      this.#scroll.addEventListener(kind, byHand, { passive: true });
    }
    this.#scroll.addEventListener("scroll", () => {
      if (performance.now() - this.#byHand > BY_HAND_MS) return;
      const { scrollHeight, scrollTop, clientHeight } = this.#scroll;
      const atEnd = scrollHeight - scrollTop - clientHeight < 8;
      if (atEnd && this.#paused === "scroll") this.#resume();
      else if (!atEnd && !this.#paused) this.#pause("scroll");
    });
    // In another width the lines are of other heights.
    new ResizeObserver(() => this.#keepUp()).observe(this.#scroll);
    // The notebook has keys of its own, which would act on the cell.
    this.root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.target instanceof HTMLInputElement) event.stopPropagation();
    });
  }
}
