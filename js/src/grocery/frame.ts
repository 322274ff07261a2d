/** What is around the table: title, key figures, chart, filters, and the bar for the selection. */

import { h, icon, setText } from "./dom";
import type { Filter, Named, Sums } from "./stock";
import { money, percent, plural, whole } from "./texts";

export interface FrameActions {
  filter(change: Partial<Filter>): void;
  clearSelection(): void;
  draftOrder(): void;
  download(): void;
  toggleFullscreen(): void;
}

const BASKET = "M2 6.5h12l-1.3 7H3.3zM5 6.5l2-4M11 6.5l-2-4M6.2 9v2M9.8 9v2";
const EXPAND = "M9.5 2.5h4v4M13.5 2.5l-4.5 4.5M6.5 13.5h-4v-4M2.5 13.5l4.5-4.5";
const CROSS = "M4 4l8 8M12 4l-8 8";
const SHRINK = "M13.5 6.5h-4v-4M9.5 6.5l4.5-4.5M2.5 9.5h4v4M6.5 9.5l-4.5 4.5";

export class Frame {
  readonly chart = h("figure", { class: "chart", "data-testid": "chart" });
  private readonly subtitle = h("p", { class: "subtitle" });
  private readonly live = h("span", { class: "live", "data-testid": "live" }, "Connecting");
  private readonly fullscreen = h("button", {
    type: "button",
    class: "tool",
    hidden: true,
    "data-testid": "fullscreen",
    click: () => this.actions.toggleFullscreen(),
  });
  private readonly notice = h("div", { class: "notice", hidden: true, "data-testid": "notice" });
  private readonly said = h("span", { role: "alert" });
  private readonly value = figure("Stock value", "value");
  private readonly units = figure("On hand", "units");
  private readonly low: Figure;
  private readonly out: Figure;
  private readonly chartTitle = h("h2", {});
  private readonly search: HTMLInputElement;
  private readonly store: HTMLSelectElement;
  private readonly category: HTMLSelectElement;
  private readonly reset: HTMLButtonElement;
  private readonly summary = h("p", { class: "summary", role: "status", "data-testid": "summary" });
  private readonly clear: HTMLButtonElement;
  private readonly order: HTMLButtonElement;
  private readonly csv: HTMLButtonElement;
  private readonly empty: HTMLElement;

  constructor(
    root: HTMLElement,
    table: HTMLElement,
    private readonly actions: FrameActions,
  ) {
    const only = (status: "low" | "out") => () =>
      actions.filter({ status: this.filter.status === status ? null : status });
    this.low = figure("Running low", "low", only("low"));
    this.out = figure("Out of stock", "out", only("out"));
    this.search = h("input", {
      type: "search",
      placeholder: "Search product, category, supplier",
      "aria-label": "Search",
      "data-testid": "search",
      input: () => actions.filter({ search: this.search.value }),
    });
    this.store = chooser("Store", "store-filter", (storeId) => actions.filter({ storeId }));
    this.category = chooser("Category", "category-filter", (categoryId) => actions.filter({ categoryId }));
    this.reset = h(
      "button",
      {
        type: "button",
        class: "quiet",
        "aria-label": "Clear filters",
        "data-testid": "clear-filters",
        click: () => this.clearFilters(),
      },
      icon(CROSS),
      h("span", { class: "words" }, "Clear filters"),
    );
    this.clear = h(
      "button",
      {
        type: "button",
        class: "quiet",
        "data-testid": "clear-selection",
        click: () => actions.clearSelection(),
      },
      "Clear",
    );
    this.csv = h(
      "button",
      { type: "button", "data-testid": "download-csv", click: () => actions.download() },
      icon("M8 2.5v7.5M5 7.5l3 3 3-3M3 13h10"),
      "CSV",
    );
    this.order = h("button", {
      type: "button",
      class: "primary",
      "data-testid": "draft-order",
      click: () => actions.draftOrder(),
    });
    this.empty = h(
      "div",
      { class: "empty", hidden: true, "data-testid": "empty" },
      h("p", {}, "No item fits these filters."),
    );
    const dismiss = h(
      "button",
      {
        type: "button",
        class: "tool",
        "aria-label": "Dismiss",
        "data-testid": "dismiss",
        click: () => this.quiet(),
      },
      icon(CROSS),
    );
    this.notice.append(this.said, dismiss);
    root.replaceChildren(
      h(
        "header",
        {},
        h("span", { class: "logo", "aria-hidden": "true" }, icon(BASKET)),
        h("div", { class: "titles" }, h("h1", {}, "Inventory"), this.subtitle),
        h("div", { class: "corner" }, this.live, this.fullscreen),
      ),
      h(
        "section",
        { class: "overview", "aria-label": "Overview" },
        h(
          "div",
          { class: "figures" },
          this.value.element,
          this.units.element,
          this.low.element,
          this.out.element,
        ),
        h("div", { class: "card chart-card" }, this.chartTitle, this.chart),
      ),
      h(
        "section",
        { class: "card items", "aria-label": "Items" },
        h("div", { class: "filters", role: "search" }, this.search, this.store, this.category, this.reset),
        table,
        this.empty,
        this.notice,
        h(
          "div",
          { class: "actions" },
          this.summary,
          h("div", { class: "buttons" }, this.clear, this.csv, this.order),
        ),
      ),
    );
    this.filter = { storeId: null, categoryId: null, status: null, search: "" };
  }

  private filter: Filter;

  /** Offer these stores and categories. */
  offer(stores: Named[], categories: Named[]): void {
    const fill = (select: HTMLSelectElement, all: string, items: Named[]): void => {
      const options = items.map((item) => h("option", { value: item.id }, item.name));
      select.replaceChildren(h("option", { value: "" }, all), ...options);
    };
    fill(this.store, "All stores", stores);
    fill(this.category, "All categories", categories);
  }

  /** Show the filter, and the sums of what is in its scope. */
  show(filter: Filter, sums: Sums, chartTitle: string, scope: string): void {
    this.filter = filter;
    this.store.value = String(filter.storeId ?? "");
    this.category.value = String(filter.categoryId ?? "");
    if (this.search.value !== filter.search) this.search.value = filter.search;
    this.reset.hidden =
      filter.storeId === null && filter.categoryId === null && !filter.status && !filter.search;
    setText(this.subtitle, `${scope} · ${plural(sums.items, "item")}`);
    setText(this.chartTitle, chartTitle);
    this.value.show(money(sums.value, 0), "at selling prices");
    this.units.show(whole(sums.units), `${percent(sums.fill)} of full shelves`);
    this.low.show(whole(sums.low), "at or below reorder point", filter.status === "low");
    this.out.show(
      whole(sums.out),
      sums.out === 0 ? "every shelf has stock" : "nothing left",
      filter.status === "out",
    );
  }

  /** Say how many rows are in the table and how many are selected, and what an order would be about. */
  count(shown: number, selected: number, selectedValue: number, low: number): void {
    const words = `${plural(shown, "item")} shown`;
    setText(
      this.summary,
      selected ? `${words} · ${whole(selected)} selected, ${money(selectedValue)}` : words,
    );
    this.clear.hidden = selected === 0;
    this.empty.hidden = shown > 0;
    const about = selected || low;
    setText(
      this.order,
      about === 0 ? "Draft order" : `Draft order (${whole(about)}${selected ? "" : " low"})`,
    );
    this.order.disabled = about === 0;
    this.csv.disabled = shown === 0;
  }

  /** Show what the host can do. */
  enable(can: { message: boolean; download: boolean; fullscreen: boolean }, mode: string | undefined): void {
    this.order.hidden = !can.message;
    this.csv.hidden = !can.download;
    this.fullscreen.hidden = !can.fullscreen;
    const full = mode === "fullscreen";
    const label = full ? "Leave full screen" : "Full screen";
    this.fullscreen.replaceChildren(icon(full ? SHRINK : EXPAND));
    this.fullscreen.setAttribute("aria-label", label);
    this.fullscreen.title = label;
  }

  connected(on: boolean): void {
    this.live.dataset.on = String(on);
    setText(this.live, on ? "Live" : "Not connected");
  }

  /** Tell the person something that they should know. */
  say(text: string, kind: "trouble" | "done" = "trouble"): void {
    this.notice.hidden = false;
    this.notice.dataset.kind = kind;
    this.said.textContent = text;
  }

  quiet(): void {
    this.notice.hidden = true;
    this.said.textContent = "";
  }

  private clearFilters(): void {
    this.actions.filter({ storeId: null, categoryId: null, status: null, search: "" });
    this.search.focus();
  }
}

interface Figure {
  element: HTMLElement;
  show(value: string, note: string, pressed?: boolean): void;
}

/** A key figure; with `press`, one that filters the table. */
function figure(title: string, testId: "value" | "units" | "low" | "out", press?: () => void): Figure {
  const value = h("span", { class: "figure-value", "data-testid": `figure-${testId}` });
  const note = h("span", { class: "figure-note" });
  const parts = [h("span", { class: "figure-title" }, title), value, note];
  const attributes = { class: "card figure" };
  const element = press
    ? h("button", { ...attributes, type: "button", "data-testid": `only-${testId}`, click: press }, ...parts)
    : h("div", attributes, ...parts);
  return {
    element,
    show(text, words, pressed) {
      setText(value, text);
      setText(note, words);
      if (!press) return;
      element.setAttribute("aria-pressed", String(pressed === true));
      element.dataset.tone = text === "0" ? "none" : testId;
    },
  };
}

function chooser(label: string, testId: string, choose: (id: number | null) => void): HTMLSelectElement {
  const select: HTMLSelectElement = h("select", {
    "aria-label": label,
    "data-testid": testId,
    change: () => choose(select.value ? Number(select.value) : null),
  });
  return select;
}
