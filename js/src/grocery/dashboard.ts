/** The dashboard: holds what is shown, does what the controls say, and keeps every part in step. */

import { drawChart } from "./chart";
import { askCount } from "./count-dialog";
import { Frame } from "./frame";
import type { Host } from "./host";
import { inWords, type Server, type Snapshot } from "./server";
import {
  type Column,
  EVERYTHING,
  type Filter,
  grouped,
  inScope,
  keyOf,
  matches,
  type Named,
  type Row,
  type Sort,
  sorted,
  sum,
} from "./stock";
import { Table } from "./table";

const GROUP_TITLES = { category: "By category", store: "By store", product: "By product" };
/** Clicking through ten rows tells the model once. */
const TELL_AFTER = 150;

export class Dashboard {
  private readonly table: Table;
  private readonly frame: Frame;
  private readonly rows = new Map<string, Row>();
  private readonly selected = new Set<string>();
  /** What was clicked on a row while the server was still busy with it. */
  private readonly waiting = new Map<string, number>();
  private stores: Named[] = [];
  private shown: string[] = [];
  private filter: Filter = EVERYTHING;
  private sort: Sort = { column: "status", descending: false };
  /** The server's revision that is shown; -1 asks for everything. */
  private revision = -1;
  /** The filter of an earlier document of this page. */
  private recalled: Filter | undefined;
  private telling: ReturnType<typeof setTimeout> | undefined;

  constructor(
    root: HTMLElement,
    private readonly server: Server,
    private readonly host: Host,
  ) {
    this.table = new Table({
      adjust: (row, delta) => void this.adjust(row, delta),
      count: (row) => void this.count(row),
      select: (keys, on) => this.select(keys, on),
      sort: (column) => this.sortBy(column),
    });
    this.frame = new Frame(root, this.table.element, {
      filter: (change) => this.narrow(change),
      clearSelection: () => this.select([...this.selected], false),
      draftOrder: () =>
        void this.attempt(() => host.draftOrder(this.toOrder()), "Order handed over to be drafted."),
      download: () => void this.attempt(() => host.download(this.picked(this.shown))),
      toggleFullscreen: () => void this.attempt(() => host.toggleFullscreen()),
    });
    // The chart is drawn for its width in pixels, so that its text keeps its size.
    new ResizeObserver(() => this.draw()).observe(this.frame.chart);
  }

  get loaded(): boolean {
    return this.rows.size > 0;
  }

  /** Show a snapshot. If it is of one store, the next look for changes brings the others. */
  open({ rows, stores, categories, storeId, revision }: Snapshot): void {
    for (const row of rows) this.rows.set(keyOf(row), row);
    this.stores = stores;
    this.frame.offer(stores, categories);
    this.filter = this.recalled ?? { ...EVERYTHING, storeId };
    this.revision = storeId === null ? revision : -1;
    this.arrange();
  }

  /** Get what is new, or everything if there is nothing yet. Throws when the server does not answer. */
  async refresh(): Promise<void> {
    try {
      if (!this.loaded) this.open(await this.server.snapshot());
      else {
        const known = this.rows.size;
        const { revision, rows } = await this.server.changes(this.revision);
        this.revision = revision;
        const changed = rows.filter((row) => this.take(row, true));
        if (this.rows.size !== known) this.arrange();
        else if (changed.length) this.draw();
      }
      this.frame.connected(true);
    } catch (error) {
      this.frame.connected(false);
      if (!this.loaded) this.say(inWords(error));
      throw error;
    }
  }

  /** Go on with what an earlier document had selected, or with nothing where that was taken away. */
  recall(): void {
    const told = this.host.told();
    if (told === undefined) return;
    this.selected.clear();
    for (const row of told?.selected ?? []) this.selected.add(keyOf(row));
    if (told && !this.loaded) this.recalled = { ...EVERYTHING, ...told.filter };
    this.table.tick(this.selected);
    this.draw();
  }

  say(text: string): void {
    this.frame.say(text);
  }

  /** Show what the host can do, and fit the page into the room that it has. */
  follow(mode: string | undefined, fixedHeight: boolean): void {
    document.documentElement.dataset.fill = String(mode === "fullscreen" || fixedHeight);
    this.frame.enable(this.host.abilities(), mode);
  }

  private async adjust(row: Row, delta: number): Promise<void> {
    const key = keyOf(row);
    const waiting = this.waiting.get(key);
    if (waiting !== undefined) {
      this.waiting.set(key, waiting + delta);
      return;
    }
    this.waiting.set(key, 0);
    this.table.busy(row, true);
    let next = delta;
    while (next !== 0) {
      const now = next;
      if (!(await this.attempt(async () => this.changed(await this.server.adjust(row, now))))) break;
      next = this.waiting.get(key) ?? 0;
      this.waiting.set(key, 0);
    }
    this.waiting.delete(key);
    this.table.busy(row, false);
  }

  private async count(row: Row): Promise<void> {
    const counted = await askCount(row);
    if (counted === null) return;
    await this.attempt(async () => this.changed(await this.server.count(row, counted)));
  }

  private changed(row: Row): void {
    this.take(row, false);
    this.draw();
  }

  /** Put a row that the server sent in place of the one shown; whether it says anything new. */
  private take(row: Row, byOthers: boolean): boolean {
    const key = keyOf(row);
    const old = this.rows.get(key);
    this.rows.set(key, row);
    if (old && old.quantity === row.quantity) return false;
    // Not sorted again: a row must not jump away from under the pointer.
    if (old) this.table.patch(row, this.selected, byOthers);
    if (this.selected.has(key)) this.tell();
    return true;
  }

  private select(keys: string[], on: boolean): void {
    for (const key of keys) {
      if (on) this.selected.add(key);
      else this.selected.delete(key);
    }
    this.table.tick(this.selected);
    this.draw();
    this.tell();
  }

  private sortBy(column: Column): void {
    this.sort = { column, descending: this.sort.column === column && !this.sort.descending };
    this.arrange();
  }

  private narrow(change: Partial<Filter>): void {
    this.filter = { ...this.filter, ...change };
    this.arrange();
    this.table.element.scrollTop = 0;
  }

  /** Look into a group of the chart. */
  private pick(by: "category" | "store" | "product", id: number): void {
    if (by === "category") this.narrow({ categoryId: id });
    else if (by === "store") this.narrow({ storeId: id });
  }

  /** Pick and sort the rows of the table anew. */
  private arrange(): void {
    const rows = sorted(
      [...this.rows.values()].filter((row) => matches(row, this.filter)),
      this.sort,
    );
    this.shown = rows.map(keyOf);
    this.table.show(rows, this.sort, this.selected);
    this.table.element.dataset.oneStore = String(this.filter.storeId !== null);
    this.draw();
  }

  /** Bring everything around the table up to date. */
  private draw(): void {
    const scope = [...this.rows.values()].filter((row) => inScope(row, this.filter));
    const { by, groups } = grouped(scope, this.filter);
    const title = `How full the shelves are, ${GROUP_TITLES[by].toLowerCase()}`;
    const store = this.stores.find(({ id }) => id === this.filter.storeId);
    const picked = this.picked([...this.selected]);
    this.frame.show(this.filter, sum(scope), title, store?.name ?? `${this.stores.length} stores`);
    this.frame.count(this.shown.length, picked.length, sum(picked).value, this.lowShown().length);
    const width = Math.floor(this.frame.chart.clientWidth);
    if (width > 0) drawChart(this.frame.chart, title, groups, width, (id) => this.pick(by, id));
  }

  /** What an order is about: the selection, or else what is low in the table. */
  private toOrder(): Row[] {
    return this.selected.size ? this.picked([...this.selected]) : this.lowShown();
  }

  private lowShown(): Row[] {
    return this.picked(this.shown).filter((row) => row.status !== "ok");
  }

  private picked(keys: string[]): Row[] {
    return keys.map((key) => this.rows.get(key)).filter((row) => row !== undefined);
  }

  private tell(): void {
    clearTimeout(this.telling);
    this.telling = setTimeout(
      () => void this.host.tellModel(this.picked([...this.selected]), this.filter),
      TELL_AFTER,
    );
  }

  /** Do something that may be refused, and say so kindly if it is. */
  private async attempt(work: () => Promise<void>, done?: string): Promise<boolean> {
    try {
      await work();
      if (done) this.frame.say(done, "done");
      else this.frame.quiet();
      return true;
    } catch (error) {
      this.frame.say(inWords(error));
      return false;
    }
  }
}
