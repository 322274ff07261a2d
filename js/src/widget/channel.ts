/**
 * The channel to the kernel: sends and receives envelopes. Nothing else knows what carries them.
 *
 * The carrier here is the widget's comm. Envelopes of one moment share one comm message; JSON above 64 KB
 * travels as a binary buffer; a message above 8 MB is split, because 10 MiB on the wire closes the websocket.
 */

import { isObject, randomId } from "./json";
import { NEVER } from "./timers";
import type { Envelope } from "./wire";

/** The part of anywidget's model that we use. */
export interface Model {
  get(name: string): unknown;
  on(name: string, callback: (...args: never[]) => void): void;
  off(name: string, callback: (...args: never[]) => void): void;
  send(content: unknown, callbacks?: unknown, buffers?: ArrayBuffer[]): void;
}

export interface Channel {
  /** Sends one message. `text` is its JSON when the caller already has it. */
  send(kind: string, view: string, message: unknown, text?: string): void;
  /** False once a send has failed: the kernel side of this widget is gone. */
  readonly connected: boolean;
}

interface Outgoing {
  envelope: Record<string, unknown>;
  bytes: number;
  buffer?: Uint8Array;
}

export const BUFFER_BYTES = 64 * 1024;
export const PART_BYTES = 8_000_000;
const INLINE_BYTES = 1_000_000;
/** Messages that follow each other more closely than this share a comm message. */
const GATHER_MS = 4;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class CommChannel implements Channel {
  connected = true;
  #queue: Outgoing[] = [];
  #scheduled = false;
  #lastFlush = NEVER;

  readonly #model: Model;
  readonly #receive: (envelope: Envelope) => void;
  readonly #lost: () => void;

  constructor(model: Model, receive: (envelope: Envelope) => void, lost: () => void, signal: AbortSignal) {
    this.#model = model;
    this.#receive = receive;
    this.#lost = lost;
    const onMessage = (content: unknown, buffers: DataView[] = []) => this.#unpack(content, buffers);
    // Also fires when the comm goes: then only a send tells whether anybody is left.
    const onLive = () => this.#probe();
    model.on("msg:custom", onMessage);
    model.on("comm_live_update", onLive);
    signal.addEventListener("abort", () => {
      model.off("msg:custom", onMessage);
      model.off("comm_live_update", onLive);
      this.#queue = [];
      this.connected = false;
    });
  }

  send(kind: string, view: string, message: unknown, text?: string): void {
    if (!this.connected) return;
    const json = text ?? JSON.stringify(message);
    // Three bytes a unit is the most that UTF-8 can need.
    const bytes = json.length * 3 <= BUFFER_BYTES ? undefined : encoder.encode(json);
    if (bytes === undefined || bytes.byteLength <= BUFFER_BYTES) {
      this.#queue.push({ envelope: { kind, view, message }, bytes: json.length });
    } else if (bytes.byteLength <= PART_BYTES) {
      this.#queue.push({ envelope: { kind, view }, bytes: bytes.byteLength, buffer: bytes });
    } else {
      const count = Math.ceil(bytes.byteLength / PART_BYTES);
      const key = randomId("p-");
      for (let index = 0; index < count; index++) {
        const buffer = bytes.slice(index * PART_BYTES, (index + 1) * PART_BYTES);
        const part = { of: kind, key, index, count };
        this.#queue.push({ envelope: { kind: "part", view, part }, bytes: buffer.byteLength, buffer });
      }
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const flush = () => {
      this.#scheduled = false;
      this.flush();
    };
    if (performance.now() - this.#lastFlush < GATHER_MS) setTimeout(flush, GATHER_MS);
    else queueMicrotask(flush);
  }

  /** Sends at once what waits to be sent. */
  flush(): void {
    this.#lastFlush = performance.now();
    const queue = this.#queue;
    this.#queue = [];
    let from = 0;
    while (from < queue.length && this.connected) {
      let to = from;
      let bytes = 0;
      const batch: Record<string, unknown>[] = [];
      const buffers: ArrayBuffer[] = [];
      // A split part always travels alone, everything else in the order it came.
      for (let next = queue[to]; next; next = queue[++to]) {
        const apart = next.envelope.kind === "part" || batch[0]?.kind === "part";
        if (to > from && (apart || bytes + next.bytes > INLINE_BYTES)) break;
        bytes += next.bytes;
        if (next.buffer) {
          batch.push({ ...next.envelope, buffer: buffers.length });
          buffers.push(next.buffer.buffer as ArrayBuffer);
        } else {
          batch.push(next.envelope);
        }
      }
      this.#post({ v: 1, batch }, buffers);
      from = to;
    }
  }

  #probe(): void {
    if (this.connected) this.#post({ v: 1, batch: [] }, []);
  }

  #post(content: unknown, buffers: ArrayBuffer[]): void {
    try {
      this.#model.send(content, undefined, buffers);
    } catch {
      // "Cannot send": the kernel was restarted or the widget closed. There is no way back for this model.
      this.connected = false;
      this.#lost();
    }
  }

  #unpack(content: unknown, buffers: DataView[]): void {
    if (!isObject(content) || content.v !== 1 || !Array.isArray(content.batch)) return;
    for (const item of content.batch) {
      if (!isObject(item) || typeof item.kind !== "string") continue;
      let message = item.message;
      if (typeof item.buffer === "number") {
        const buffer = buffers[item.buffer];
        if (!buffer) continue;
        message = JSON.parse(decoder.decode(buffer));
      }
      const view = typeof item.view === "string" ? item.view : "";
      try {
        this.#receive({ kind: item.kind, view, message });
      } catch (error) {
        // One bad message must not take the rest of its batch with it.
        console.error("mcpapps", error);
      }
    }
  }
}
