/** The stock as the page knows it: rows, what is picked out of them, and sums. No DOM, no server. */

export type Status = "ok" | "low" | "out";

export interface Row {
  storeId: number;
  store: string;
  productId: number;
  product: string;
  categoryId: number;
  category: string;
  supplierId: number;
  supplier: string;
  unit: string;
  quantity: number;
  reorderPoint: number;
  targetLevel: number;
  unitPrice: number;
  stockValue: number;
  status: Status;
}

export interface Named {
  id: number;
  name: string;
}

export interface Filter {
  storeId: number | null;
  categoryId: number | null;
  status: "low" | "out" | null;
  search: string;
}

export type Column = "product" | "category" | "store" | "quantity" | "reorderPoint" | "stockValue" | "status";

export interface Sort {
  column: Column;
  descending: boolean;
}

export interface Sums {
  items: number;
  units: number;
  value: number;
  /** Rows at or below their reorder point, the empty ones among them. */
  low: number;
  /** Rows with nothing left. */
  out: number;
  /** On hand as a share of the target level, 0 to 1. */
  fill: number;
}

export const EVERYTHING: Filter = { storeId: null, categoryId: null, status: null, search: "" };

export const keyOf = (row: { storeId: number; productId: number }): string =>
  `${row.storeId}-${row.productId}`;

/** Whether the row is in the part of the chain that is looked at: store and category, not status and search. */
export function inScope(row: Row, filter: Filter): boolean {
  return (
    (filter.storeId === null || row.storeId === filter.storeId) &&
    (filter.categoryId === null || row.categoryId === filter.categoryId)
  );
}

/** Whether the row is in the table. */
export function matches(row: Row, filter: Filter): boolean {
  if (!inScope(row, filter)) return false;
  // An empty shelf is the worst case of a low one.
  if (filter.status === "low" && row.status === "ok") return false;
  if (filter.status === "out" && row.status !== "out") return false;
  const text = `${row.product} ${row.store} ${row.category} ${row.supplier}`.toLowerCase();
  return filter.search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

const URGENCY: Record<Status, number> = { out: 0, low: 1, ok: 2 };

/** Sorted copy; equal rows by product, then store, so that the order never depends on what came before. */
export function sorted(rows: Row[], { column, descending }: Sort): Row[] {
  const sign = descending ? -1 : 1;
  const by = (a: Row, b: Row): number => {
    if (column === "status") return URGENCY[a.status] - URGENCY[b.status] || fillOf(a) - fillOf(b);
    const left = a[column];
    const right = b[column];
    return typeof left === "number" && typeof right === "number"
      ? left - right
      : String(left).localeCompare(String(right));
  };
  return [...rows].sort(
    (a, b) => sign * by(a, b) || a.product.localeCompare(b.product) || a.storeId - b.storeId,
  );
}

export const fillOf = (row: Row): number => (row.targetLevel > 0 ? row.quantity / row.targetLevel : 1);

export function sum(rows: Row[]): Sums {
  const sums: Sums = { items: rows.length, units: 0, value: 0, low: 0, out: 0, fill: 0 };
  let target = 0;
  for (const row of rows) {
    sums.units += row.quantity;
    sums.value += row.stockValue;
    target += row.targetLevel;
    if (row.status !== "ok") sums.low += 1;
    if (row.status === "out") sums.out += 1;
  }
  sums.fill = target > 0 ? sums.units / target : 0;
  return sums;
}

/** The rows in groups for the chart: by category, by store once a category is chosen, by product with both. */
export function grouped(
  rows: Row[],
  filter: Filter,
): { by: "category" | "store" | "product"; groups: [Named, Sums][] } {
  const by = filter.categoryId === null ? "category" : filter.storeId === null ? "store" : "product";
  const groups = new Map<number, { name: string; rows: Row[] }>();
  for (const row of rows) {
    const id = row[`${by}Id`];
    const group = groups.get(id);
    if (group) group.rows.push(row);
    else groups.set(id, { name: row[by], rows: [row] });
  }
  return { by, groups: [...groups].map(([id, group]) => [{ id, name: group.name }, sum(group.rows)]) };
}
