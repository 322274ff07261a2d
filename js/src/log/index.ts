/** The log table's anywidget module: one channel and one set of lines a model, any number of views. */

import { CommChannel, type Model } from "../widget/channel";
import { isObject } from "../widget/json";
import type { Envelope } from "../widget/wire";
import { Lines } from "./lines";
import { installStyle } from "./style";
import { Table } from "./table";

class LogSession {
  readonly #lines = new Lines();
  readonly #tables = new Set<Table>();
  readonly #model: Model;
  readonly #channel: CommChannel;
  #over = "";

  constructor(model: Model, signal: AbortSignal) {
    this.#model = model;
    this.#channel = new CommChannel(
      model,
      (envelope) => this.#receive(envelope),
      () => this.#end("The kernel is gone: run the cells again from %load_ext on"),
      signal,
    );
    this.#channel.send("hello", "", {});
  }

  add(el: HTMLElement): () => void {
    const get = (name: string) => String(this.#model.get(name) ?? "");
    const settings = { name: get("app_name") || get("app_id"), level: get("level"), source: get("source") };
    const table = new Table(this.#lines, settings, (key) => this.#channel.send("detail", "", { key }));
    if (this.#over) table.over(this.#over);
    this.#tables.add(table);
    el.append(table.root);
    installStyle(table.root);
    table.redraw(); // now that there is something to scroll
    return () => {
      this.#tables.delete(table);
      table.root.remove();
    };
  }

  #receive({ kind, message }: Envelope): void {
    if (kind === "lines") {
      const { fresh, anew } = this.#lines.take(message);
      for (const table of this.#tables) table.update(fresh, anew);
    } else if (kind === "detail" && isObject(message)) {
      const said = typeof message.text === "string" ? message.text : null;
      for (const table of this.#tables) table.detail(String(message.key), said);
    } else if (kind === "ended") {
      this.#end("No longer followed: run the cell again");
    }
  }

  #end(reason: string): void {
    this.#over = reason;
    for (const table of this.#tables) table.over(reason);
  }
}

export default () => {
  let session: LogSession | undefined;
  return {
    initialize({ model }: { model: Model }): () => void {
      const controller = new AbortController();
      session = new LogSession(model, controller.signal);
      return () => controller.abort();
    },
    render({ el }: { model: Model; el: HTMLElement }): () => void {
      if (!session) throw new Error("render was called before initialize");
      return session.add(el);
    },
  };
};
