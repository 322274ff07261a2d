import {
  App,
  applyDocumentTheme,
  applyHostStyleVariables,
  type McpUiHostContext,
} from "@modelcontextprotocol/ext-apps";

interface Row {
  storeId: number;
  store: string;
  productId: number;
  product: string;
  category: string;
  unit: string;
  quantity: number;
  reorderPoint: number;
  status: string;
}

const app = new App(
  { name: "grocery-dashboard", version: "1.0.0" },
  { availableDisplayModes: ["inline", "fullscreen"] },
);
const main = document.getElementById("app") as HTMLElement;
const selected = new Set<string>();
let rows: Row[] = [];
let note = "";
const key = (row: Row) => `${row.storeId}-${row.productId}`;

function button(label: string, testId: string, act: () => void): HTMLButtonElement {
  const element = document.createElement("button");
  element.textContent = label;
  element.dataset.testid = testId;
  element.addEventListener("click", act);
  return element;
}

function render(): void {
  const table = document.createElement("table");
  for (const row of rows) {
    const tr = table.insertRow();
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = selected.has(key(row));
    box.dataset.testid = `select-${key(row)}`;
    box.setAttribute("aria-label", `Select ${row.product} at ${row.store}`);
    box.addEventListener("change", () => {
      if (box.checked) selected.add(key(row));
      else selected.delete(key(row));
      void tellModel();
    });
    tr.insertCell().append(box);
    for (const text of [row.store, row.product, row.category, row.status]) tr.insertCell().textContent = text;
    const quantity = document.createElement("output");
    quantity.dataset.testid = `qty-${key(row)}`;
    quantity.textContent = String(row.quantity);
    tr.insertCell().append(
      button("−", `minus-${key(row)}`, () => void adjust(row, -1)),
      quantity,
      button("+", `plus-${key(row)}`, () => void adjust(row, 1)),
    );
  }
  const status = document.createElement("p");
  status.setAttribute("role", "status");
  status.textContent = note;
  main.replaceChildren(status, table);
}

async function call(
  name: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown> | undefined> {
  try {
    const result = await app.callServerTool({ name, arguments: args });
    const first = result.content[0];
    note = result.isError && first?.type === "text" ? first.text : "";
    return result.isError ? undefined : (result.structuredContent as Record<string, unknown>);
  } catch (error) {
    note = error instanceof Error ? error.message : String(error);
    return undefined;
  }
}

async function adjust(row: Row, delta: number): Promise<void> {
  const changed = await call("adjust_stock", { storeId: row.storeId, productId: row.productId, delta });
  if (changed) Object.assign(row, changed);
  render();
}

async function refresh(): Promise<void> {
  const found = await call("get_inventory", {});
  if (found && JSON.stringify(found.result) !== JSON.stringify(rows)) {
    rows = found.result as Row[];
    render();
  }
}

async function tellModel(): Promise<void> {
  const picked = rows.filter((row) => selected.has(key(row)));
  await app.updateModelContext({
    content: [
      {
        type: "text",
        text: picked.map((row) => `${row.product} at ${row.store}: ${row.quantity}`).join("\n"),
      },
    ],
    structuredContent: { selected: picked },
  });
}

function follow(context: McpUiHostContext | undefined): void {
  if (context?.theme) applyDocumentTheme(context.theme);
  if (context?.styles?.variables) applyHostStyleVariables(context.styles.variables);
}

app.ontoolresult = (result) => {
  rows = (result.structuredContent as { rows?: Row[] } | undefined)?.rows ?? [];
  render();
};
app.onhostcontextchanged = () => follow(app.getHostContext());
void app.connect().then(() => follow(app.getHostContext()));
setInterval(() => document.visibilityState === "visible" && void refresh(), 4000);
