import { describe, expect, test } from "vitest";
import { EVERYTHING, grouped, inScope, keyOf, matches, type Row, sorted, sum } from "../../src/grocery/stock";
import { row } from "./rows";

const ROWS = [
  row(),
  row({ storeId: 2, store: "Old Town Grocer", quantity: 4, stockValue: 8, status: "low" }),
  row({
    productId: 303,
    product: "Croissants",
    categoryId: 3,
    category: "Bakery",
    quantity: 0,
    stockValue: 0,
    status: "out",
  }),
];

describe("the filter", () => {
  const keys = (filter: Partial<typeof EVERYTHING>) =>
    ROWS.filter((item) => matches(item, { ...EVERYTHING, ...filter })).map(keyOf);

  test("lets everything through when empty", () => expect(keys({})).toHaveLength(3));
  test("narrows to a store and a category", () => {
    expect(keys({ storeId: 2 })).toEqual(["2-101"]);
    expect(keys({ storeId: 1, categoryId: 3 })).toEqual(["1-303"]);
  });
  test("counts an empty shelf as a low one", () => {
    expect(keys({ status: "low" })).toEqual(["2-101", "1-303"]);
    expect(keys({ status: "out" })).toEqual(["1-303"]);
  });
  test("finds all words, in any order and any case", () => {
    expect(keys({ search: "old BANAN" })).toEqual(["2-101"]);
    expect(keys({ search: "  green  bakery " })).toEqual(["1-303"]);
    expect(keys({ search: "zebra" })).toEqual([]);
  });
  test("leaves status and search out of the scope of the figures", () => {
    expect(
      ROWS.filter((item) => inScope(item, { ...EVERYTHING, status: "out", search: "zebra" })),
    ).toHaveLength(3);
  });
});

describe("sorting", () => {
  const order = (column: Parameters<typeof sorted>[1]["column"], descending = false) =>
    sorted(ROWS, { column, descending }).map(keyOf);

  test("puts the most pressing first", () => expect(order("status")).toEqual(["1-303", "2-101", "1-101"]));
  test("compares numbers as numbers and names as names", () => {
    expect(order("quantity", true)).toEqual(["1-101", "2-101", "1-303"]);
    expect(order("product", true)).toEqual(["1-303", "1-101", "2-101"]);
  });
  test("leaves what it was given alone", () => {
    sorted(ROWS, { column: "quantity", descending: false });
    expect(keyOf(ROWS[0] as Row)).toBe("1-101");
  });
});

test("sums are of units, value, low rows, and the share of full shelves", () => {
  expect(sum(ROWS)).toEqual({ items: 3, units: 34, value: 68, low: 2, out: 1, fill: 34 / 120 });
  expect(sum([]).fill).toBe(0);
});

test("the chart groups by what the filter leaves open", () => {
  const by = (filter: Partial<typeof EVERYTHING>) => grouped(ROWS, { ...EVERYTHING, ...filter }).by;
  expect(by({})).toBe("category");
  expect(by({ storeId: 1 })).toBe("category");
  expect(by({ categoryId: 1 })).toBe("store");
  expect(by({ categoryId: 1, storeId: 1 })).toBe("product");
  expect(grouped(ROWS, EVERYTHING).groups.map(([group]) => group.name)).toEqual([
    "Fruit & Vegetables",
    "Bakery",
  ]);
});
