import factory from "/widget.js";

// A model of anywidget with a kernel that answers at once: `kernel.on[method]` takes a request over.
const CSP = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob: data:; style-src 'unsafe-inline'; " +
  "img-src data: blob:; connect-src blob: data:; frame-src 'none'; base-uri 'none'; form-action 'none'";

export class Kernel {
  listeners = {};
  sent = [];
  messages = 0;
  on = {};
  dead = false;

  constructor({ html, traits, page, limits }) {
    this.traits = { app_id: "demo", app_name: "Demo", tool: "show", title: "Show", height: 0, header: true, ...traits };
    this.opening = {
      page: { html, csp: CSP, allow: "", prefersBorder: null, ...page },
      hostInfo: { name: "host", version: "1" },
      hostCapabilities: { openLinks: {}, downloadFile: {} },
      protocolVersion: "2026-01-26",
      toolInfo: null,
      limits: limits ?? {},
    };
    this.model = {
      get: (name) => this.traits[name],
      on: (name, listener) => (this.listeners[name] ??= new Set()).add(listener),
      off: (name, listener) => this.listeners[name]?.delete(listener),
      send: (content, _callbacks, buffers) => {
        if (this.dead) throw new Error("Cannot send");
        this.messages++;
        for (const envelope of structuredClone(content).batch) {
          if ("buffer" in envelope && envelope.kind !== "part") {
            envelope.message = JSON.parse(new TextDecoder().decode(buffers[envelope.buffer]));
          }
          this.sent.push(envelope);
          setTimeout(() => this.receive(envelope));
        }
      },
    };
  }

  emit(name, ...args) {
    for (const listener of this.listeners[name] ?? []) listener(...args);
  }

  push(kind, view, message) {
    this.emit("msg:custom", { v: 1, batch: [{ kind, view, message }] }, []);
  }

  answer(view, id, result) {
    this.push("rpc", view, { jsonrpc: "2.0", id, result });
  }

  receive({ kind, view, message }) {
    if (kind === "open" && this.opening) this.push("open", view, this.opening);
    if (kind !== "rpc") return;
    const { id, method, params } = message;
    if (method === "ui/notifications/initialized") {
      const input = { jsonrpc: "2.0", method: "ui/notifications/tool-input", params: { arguments: {} } };
      this.push("rpc", view, input);
    } else if (method && this.on[method]) this.on[method](view, message);
    else if (method && id !== undefined) this.answer(view, id, { echo: method, params });
  }

  of(kind) {
    return this.sent.filter((envelope) => envelope.kind === kind).map(({ message }) => message);
  }

  /** Shows the widget in `slot`; gives what ends the view. */
  async show(slot) {
    if (!this.widget) {
      this.widget = factory();
      this.end = await this.widget.initialize({ model: this.model });
    }
    return this.widget.render({ model: this.model, el: slot });
  }
}
