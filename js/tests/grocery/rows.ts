import type { Row } from "../../src/grocery/stock";

/** A row of the stock, with these fields changed. */
export function row(change: Partial<Row> = {}): Row {
  return {
    storeId: 1,
    store: "Harbour Market",
    productId: 101,
    product: "Bananas",
    categoryId: 1,
    category: "Fruit & Vegetables",
    supplierId: 1,
    supplier: "Green Valley Growers",
    unit: "kg",
    quantity: 30,
    reorderPoint: 10,
    targetLevel: 40,
    unitPrice: 2,
    stockValue: 60,
    status: "ok",
    ...change,
  };
}
