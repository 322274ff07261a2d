/** Numbers and rows as text: on the screen, for a model, for a spreadsheet. */

import type { Row } from "./stock";

let locale = "en-US";

/** Write numbers the way people of this locale (BCP 47) do. */
export function useLocale(tag: string): void {
  try {
    new Intl.NumberFormat(tag);
    locale = tag;
  } catch {
    // Not a tag that this browser knows: stay with what we have.
  }
}

export const money = (value: number, digits = 2): string =>
  new Intl.NumberFormat(locale, {
    style: "currency",
    currency: "USD",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value);

export const whole = (value: number): string => new Intl.NumberFormat(locale).format(value);

export const percent = (share: number): string =>
  new Intl.NumberFormat(locale, { style: "percent" }).format(share);

/** `12 kg`, `1 loaf`, `3 boxes of 10`. */
export function amount(quantity: number, unit: string): string {
  if (quantity === 1 || unit === "kg") return `${whole(quantity)} ${unit}`;
  const [noun = "", ...rest] = unit.split(" ");
  const irregular: Record<string, string> = { box: "boxes", loaf: "loaves" };
  return [whole(quantity), irregular[noun] ?? `${noun}s`, ...rest].join(" ");
}

export const plural = (count: number, noun: string): string =>
  `${whole(count)} ${noun}${count === 1 ? "" : "s"}`;

/** The selection, for a model to read. */
export function selectionText(rows: Row[]): string {
  if (rows.length === 0) return "Nothing is selected in the inventory dashboard.";
  const lines = rows.map(
    (row) =>
      `- ${row.product} (productId ${row.productId}) at ${row.store} (storeId ${row.storeId}): ` +
      `${amount(row.quantity, row.unit)}, ${row.status}, reorder at ${row.reorderPoint}, full at ${row.targetLevel}`,
  );
  return [`The user selected ${plural(rows.length, "item")} in the inventory dashboard:`, ...lines].join(
    "\n",
  );
}

/** A request for an order that fills the shelves up, grouped by supplier. */
export function orderText(rows: Row[]): string {
  const bySupplier = new Map<string, string[]>();
  for (const row of rows) {
    const missing = Math.max(1, row.targetLevel - row.quantity);
    const line = `- ${amount(missing, row.unit)} of ${row.product} for ${row.store} (${whole(row.quantity)} on hand)`;
    bySupplier.set(row.supplier, [...(bySupplier.get(row.supplier) ?? []), line]);
  }
  const parts = [...bySupplier]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, lines]) => [`${name}:`, ...lines].join("\n"));
  return ["Please draft these orders to our suppliers:", ...parts].join("\n\n");
}

const CSV_COLUMNS: (keyof Row)[] = [
  "storeId",
  "store",
  "productId",
  "product",
  "category",
  "supplier",
  "unit",
  "quantity",
  "reorderPoint",
  "targetLevel",
  "unitPrice",
  "stockValue",
  "status",
];

/** Comma-separated values with a header line (RFC 4180). */
export function csv(rows: Row[]): string {
  const quoted = (value: unknown): string => {
    const text = String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [
    CSV_COLUMNS.join(","),
    ...rows.map((row) => CSV_COLUMNS.map((column) => quoted(row[column])).join(",")),
  ]
    .map((line) => `${line}\r\n`)
    .join("");
}
