/** Stand-ins for the two neighbours of the widget: anywidget's model and, for a page, the view that shows it. */

import type { Channel, Model } from "../../src/widget/channel";
import type { PageHost } from "../../src/widget/page";
import type { OpenMessage } from "../../src/widget/wire";

export interface Sent {
  kind: string;
  view: string;
  message: unknown;
  text?: string;
}

/** A channel that remembers what was sent. */
export class FakeChannel implements Channel {
  connected = true;
  readonly sent: Sent[] = [];

  send(kind: string, view: string, message: unknown, text?: string): void {
    this.sent.push(text === undefined ? { kind, view, message } : { kind, view, message, text });
  }

  /** The messages of one kind. */
  of(kind: string): unknown[] {
    return this.sent.filter((one) => one.kind === kind).map((one) => one.message);
  }
}

/** A model whose kernel side is the test. */
export class FakeModel implements Model {
  readonly traits: Record<string, unknown> = { app_id: "demo", app_name: "Demo", height: 0, header: true };
  readonly sent: { content: { v: number; batch: Record<string, unknown>[] }; buffers: ArrayBuffer[] }[] = [];
  dead = false;
  private readonly listeners = new Map<string, Set<(...args: never[]) => void>>();

  get(name: string): unknown {
    return this.traits[name];
  }

  on(name: string, callback: (...args: never[]) => void): void {
    const known = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, known.add(callback));
  }

  off(name: string, callback: (...args: never[]) => void): void {
    this.listeners.get(name)?.delete(callback);
  }

  send(content: unknown, _callbacks?: unknown, buffers: ArrayBuffer[] = []): void {
    if (this.dead) throw new Error("Cannot send");
    this.sent.push({ content: content as FakeModel["sent"][number]["content"], buffers });
  }

  emit(name: string, ...args: unknown[]): void {
    for (const callback of this.listeners.get(name) ?? [])
      (callback as (...args: unknown[]) => void)(...args);
  }

  /** One envelope from the kernel. */
  push(kind: string, view: string, message: unknown): void {
    this.emit("msg:custom", { v: 1, batch: [{ kind, view, message }] }, []);
  }

  /** The envelopes of one kind that the front end has sent. */
  of(kind: string): Record<string, unknown>[] {
    return this.sent.flatMap((one) => one.content.batch).filter((envelope) => envelope.kind === kind);
  }

  get listening(): number {
    return [...this.listeners.values()].reduce((sum, set) => sum + set.size, 0);
  }
}

/** A page host that remembers what the page was told and what was asked of it. */
export class FakeHost implements PageHost {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every shape of message
  readonly posted: any[] = [];
  readonly heights: unknown[] = [];
  readonly links: string[] = [];
  readonly reports: string[] = [];
  readonly withdrawn: string[] = [];
  linkAnswer: Promise<boolean> = Promise.resolve(true);
  waiting = false;
  stopped = "";
  ready = 0;
  restarts = 0;

  post(message: unknown): void {
    this.posted.push(message);
  }
  context() {
    return { theme: "light" };
  }
  restarted(): void {
    this.restarts++;
  }
  initialized(): void {
    this.ready++;
  }
  sizeChanged(height: unknown): void {
    this.heights.push(height);
  }
  requestMode() {
    return "inline" as const;
  }
  openLink(url: string): Promise<boolean> {
    this.links.push(url);
    return this.linkAnswer;
  }
  download(): Promise<boolean> {
    return Promise.resolve(false);
  }
  cancelled(method: string): void {
    this.withdrawn.push(method);
  }
  busy(waiting: boolean): void {
    this.waiting = waiting;
  }
  stop(reason: string): void {
    this.stopped = reason;
  }
  report(what: string): void {
    this.reports.push(what);
  }
}

export function openMessage(limits: Record<string, number> = {}): OpenMessage {
  return {
    page: { html: "<p>", csp: "default-src 'none'", allow: "", prefersBorder: null },
    hostInfo: { name: "host", version: "1" },
    hostCapabilities: { openLinks: {} },
    protocolVersion: "2026-01-26",
    toolInfo: { id: "v", tool: { name: "show" } },
    limits,
  };
}
