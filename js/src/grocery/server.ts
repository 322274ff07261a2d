/** Calls to the app's own server, through the host. */

import type { App } from "@modelcontextprotocol/ext-apps";
import type { Named, Row } from "./stock";

export interface Snapshot {
  revision: number;
  storeId: number | null;
  stores: Named[];
  categories: Named[];
  rows: Row[];
}

export interface Changes {
  revision: number;
  rows: Row[];
}

/** A host may ask a person first, who may take their time: longer than hosts wait, in milliseconds. */
export const PATIENCE = { timeout: 150_000 };

/** A call that did not work, in words to show. */
export class Refusal extends Error {}

export class Server {
  constructor(private readonly app: App) {}

  adjust = (row: Row, delta: number): Promise<Row> =>
    this.call("adjust_stock", { storeId: row.storeId, productId: row.productId, delta });

  count = (row: Row, quantity: number): Promise<Row> =>
    this.call("set_inventory", { storeId: row.storeId, productId: row.productId, quantity });

  changes = (sinceRevision: number): Promise<Changes> =>
    this.call("get_inventory_changes", { sinceRevision });

  /** Everything, also in a host that opened the page without a tool. */
  snapshot = (): Promise<Snapshot> => this.call("show_store_inventory_dashboard", {});

  private async call<T>(name: string, args: Record<string, unknown>): Promise<T> {
    let result: Awaited<ReturnType<App["callServerTool"]>>;
    try {
      result = await this.app.callServerTool({ name, arguments: args }, PATIENCE);
    } catch (error) {
      throw new Refusal(inWords(error));
    }
    if (result.isError || !result.structuredContent) {
      throw new Refusal(textOf(result.content) || "The server did not say why it refused.");
    }
    return result.structuredContent as T;
  }
}

export function textOf(content: { type: string }[]): string {
  return content
    .map((item) => ("text" in item && item.type === "text" ? String(item.text) : ""))
    .join(" ")
    .trim();
}

/** What went wrong, without the code that the SDK puts before it. */
export function inWords(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/^MCP error -?\d+: /, "");
}
