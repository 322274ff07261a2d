/** The table: a row for each product in each store, with the buttons that change its stock. */

import { h, icon, setText } from "./dom";
import { type Column, fillOf, keyOf, type Row, type Sort, type Status } from "./stock";
import { amount, money, whole } from "./texts";

export interface TableActions {
  adjust(row: Row, delta: number): void;
  count(row: Row): void;
  select(keys: string[], on: boolean): void;
  sort(column: Column): void;
}

const HEADINGS: [Column, string, string?][] = [
  ["product", "Product"],
  ["category", "Category", "wide"],
  ["store", "Store", "store"],
  ["quantity", "In stock", "stock"],
  ["reorderPoint", "Reorder at", "wider number"],
  ["stockValue", "Value", "wide number"],
  ["status", "Status"],
];

const STATUS: Record<Status, string> = { ok: "OK", low: "Low", out: "Out" };
const MINUS = "M3.5 8h9";
const PLUS = "M3.5 8h9M8 3.5v9";

export class Table {
  readonly element: HTMLElement;
  private readonly body = h("tbody", { keydown: (event: KeyboardEvent) => this.moveByArrow(event) });
  private readonly all = h("input", {
    type: "checkbox",
    "aria-label": "Select all items in the table",
    "data-testid": "select-all",
    change: () => this.actions.select(this.keys, this.all.checked),
  });
  private readonly headings = new Map<Column, HTMLElement>();
  private readonly lines = new Map<string, Line>();
  private keys: string[] = [];

  constructor(private readonly actions: TableActions) {
    const heads = HEADINGS.map(([column, title, kind]) => {
      const button = h(
        "button",
        { type: "button", class: "sort", "data-testid": `sort-${column}`, click: () => actions.sort(column) },
        title,
        icon("M5 6.5 8 3.5l3 3M5 9.5l3 3 3-3"),
      );
      const heading = h("th", { scope: "col", class: kind }, button);
      this.headings.set(column, heading);
      return heading;
    });
    const table = h(
      "table",
      { "data-testid": "inventory-table" },
      h("caption", { class: "hidden" }, "Stock by product and store"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "pick" }, this.all), ...heads)),
      this.body,
    );
    this.element = h(
      "div",
      { class: "scroll", role: "region", "aria-label": "Inventory", tabindex: 0 },
      table,
    );
  }

  /** Show these rows in this order. Rows that stay keep their elements, and with them the focus. */
  show(rows: Row[], sort: Sort, selected: ReadonlySet<string>): void {
    this.keys = rows.map(keyOf);
    const elements = rows.map((row) => {
      const line = this.line(row);
      line.show(row, selected.has(keyOf(row)));
      return line.element;
    });
    const current = this.body.children;
    if (elements.length !== current.length || elements.some((element, index) => element !== current[index])) {
      this.body.replaceChildren(...elements);
    }
    for (const [column, heading] of this.headings) {
      const direction = sort.column !== column ? "none" : sort.descending ? "descending" : "ascending";
      heading.setAttribute("aria-sort", direction);
    }
    this.tick(selected);
  }

  /** Bring one row up to date, where it is. */
  patch(row: Row, selected: ReadonlySet<string>, changedByOthers: boolean): void {
    const line = this.lines.get(keyOf(row));
    line?.show(row, selected.has(keyOf(row)));
    if (changedByOthers) line?.flash();
  }

  /** Show that a row waits for the server. */
  busy(row: Row, on: boolean): void {
    this.lines.get(keyOf(row))?.element.setAttribute("aria-busy", String(on));
  }

  /** Show what is selected. */
  tick(selected: ReadonlySet<string>): void {
    for (const key of this.keys) this.lines.get(key)?.tick(selected.has(key));
    const count = this.keys.filter((key) => selected.has(key)).length;
    this.all.checked = count > 0 && count === this.keys.length;
    this.all.indeterminate = count > 0 && count < this.keys.length;
  }

  private line(row: Row): Line {
    const key = keyOf(row);
    const known = this.lines.get(key);
    if (known) return known;
    const line = new Line(row, this.actions);
    this.lines.set(key, line);
    return line;
  }

  /** Up and down go to the same control of the next row. */
  private moveByArrow(event: KeyboardEvent): void {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const from = event.target as HTMLElement;
    const row = from.closest("tr");
    if (!step || !row) return;
    const controls = (of: Element) => [...of.querySelectorAll<HTMLElement>("input, button")];
    const next = step === 1 ? row.nextElementSibling : row.previousElementSibling;
    if (!next) return;
    event.preventDefault();
    controls(next)[controls(row).indexOf(from)]?.focus();
  }
}

/** One row of the table. */
class Line {
  readonly element: HTMLTableRowElement;
  private row: Row;
  private readonly box: HTMLInputElement;
  private readonly quantity: HTMLButtonElement;
  private readonly meter = h("span", { class: "meter-fill" });
  private readonly reorder = h("td", { class: "wider number" });
  private readonly value = h("td", { class: "wide number" });
  private readonly status = h("span", { class: "status" });

  constructor(row: Row, actions: TableActions) {
    this.row = row;
    const key = keyOf(row);
    const what = `${row.product} at ${row.store}`;
    this.box = h("input", {
      type: "checkbox",
      "aria-label": `Select ${what}`,
      "data-testid": `select-${key}`,
      change: () => actions.select([key], this.box.checked),
    });
    this.quantity = h("button", {
      type: "button",
      class: "quantity",
      title: "Enter a count",
      "data-testid": `qty-${key}`,
      click: () => actions.count(this.row),
    });
    const step = (sign: 1 | -1, name: string, path: string) =>
      h(
        "button",
        {
          type: "button",
          class: "step",
          title: "With Shift: by ten",
          "aria-label": `${sign > 0 ? "Add one" : "Take one away"}: ${what}`,
          "data-testid": `${name}-${key}`,
          click: (event: MouseEvent) => actions.adjust(this.row, sign * (event.shiftKey ? 10 : 1)),
        },
        icon(path),
      );
    const mark = Math.min(100, (100 * row.reorderPoint) / Math.max(1, row.targetLevel));
    this.element = h(
      "tr",
      { "data-testid": `row-${key}` },
      h("td", { class: "pick" }, this.box),
      h(
        "th",
        { scope: "row" },
        h("span", { class: "name" }, row.product),
        h(
          "span",
          { class: "note" },
          h("span", { class: "note-store" }, row.store),
          h("span", { class: "note-price" }, `${money(row.unitPrice)} / ${row.unit}`),
        ),
      ),
      h("td", { class: "wide" }, row.category),
      h("td", { class: "store" }, row.store),
      h(
        "td",
        { class: "stock" },
        h("div", { class: "stepper" }, step(-1, "minus", MINUS), this.quantity, step(1, "plus", PLUS)),
        h(
          "div",
          { class: "meter", "aria-hidden": "true" },
          this.meter,
          h("span", { class: "meter-mark", style: `left:${mark}%` }),
        ),
      ),
      this.reorder,
      this.value,
      h("td", {}, this.status),
    );
  }

  show(row: Row, selected: boolean): void {
    this.row = row;
    this.element.dataset.status = row.status;
    setText(this.quantity, whole(row.quantity));
    this.quantity.setAttribute(
      "aria-label",
      `${amount(row.quantity, row.unit)} of ${row.product} at ${row.store}. Enter a count`,
    );
    this.meter.style.width = `${Math.min(100, 100 * fillOf(row))}%`;
    setText(this.reorder, whole(row.reorderPoint));
    setText(this.value, money(row.stockValue));
    setText(this.status, STATUS[row.status]);
    this.tick(selected);
  }

  tick(selected: boolean): void {
    this.box.checked = selected;
    this.element.toggleAttribute("data-selected", selected);
  }

  /** Draw the eye to a change that the person did not make here. */
  flash(): void {
    this.element.classList.remove("flash");
    void this.element.offsetWidth; // restarts the animation
    this.element.classList.add("flash");
  }
}
