import { afterEach, describe, expect, test } from "vitest";
import {
  amount,
  csv,
  money,
  orderText,
  percent,
  plural,
  selectionText,
  useLocale,
  whole,
} from "../../src/grocery/texts";
import { row } from "./rows";

afterEach(() => useLocale("en-US"));

test("amounts read like words", () => {
  expect(amount(3, "kg")).toBe("3 kg");
  expect(amount(1, "loaf")).toBe("1 loaf");
  expect(amount(2, "loaf")).toBe("2 loaves");
  expect(amount(0, "box of 10")).toBe("0 boxes of 10");
  expect(plural(1, "item")).toBe("1 item");
});

test("numbers follow the host's locale, and an odd one is ignored", () => {
  expect([money(1234.5), whole(1234), percent(0.5)]).toEqual(["$1,234.50", "1,234", "50%"]);
  useLocale("de-DE");
  expect(whole(1234)).toBe("1.234");
  useLocale("not a locale!");
  expect(whole(1234)).toBe("1.234");
});

describe("what a model reads", () => {
  test("names the ids, so that it can act", () => {
    const text = selectionText([row({ quantity: 4, status: "low" })]);
    expect(text).toContain("1 item");
    expect(text).toContain("Bananas (productId 101) at Harbour Market (storeId 1): 4 kg, low");
  });
  test("says when nothing is selected", () => expect(selectionText([])).toContain("Nothing is selected"));
  test("orders are grouped by supplier and fill the shelf", () => {
    const text = orderText([
      row({ supplier: "Z" }),
      row({ supplier: "A", quantity: 0 }),
      row({ supplier: "Z", quantity: 40 }),
    ]);
    expect(text.indexOf("A:")).toBeLessThan(text.indexOf("Z:"));
    expect(text).toContain("- 40 kg of Bananas for Harbour Market (0 on hand)");
    expect(text).toContain("- 1 kg of Bananas");
    expect(text.match(/Z:/g)).toHaveLength(1);
  });
});

test("CSV quotes what has to be", () => {
  const lines = csv([row({ product: 'Bread, "fresh"' })]).split("\r\n");
  expect(lines[0]).toMatch(/^storeId,store,productId,product/);
  expect(lines[1]).toContain('"Bread, ""fresh"""');
  expect(lines[2]).toBe("");
});
