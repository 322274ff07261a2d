import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CommChannel, PART_BYTES } from "../../src/widget/channel";
import type { Envelope } from "../../src/widget/wire";
import { FakeModel } from "./fakes";

let model: FakeModel;
let received: Envelope[];
let lost: number;
let controller: AbortController;
let channel: CommChannel;

const decode = (buffer: ArrayBuffer | undefined) => new TextDecoder().decode(buffer);

beforeEach(() => {
  vi.useFakeTimers();
  model = new FakeModel();
  received = [];
  lost = 0;
  controller = new AbortController();
  channel = new CommChannel(
    model,
    (envelope) => received.push(envelope),
    () => lost++,
    controller.signal,
  );
});
afterEach(() => vi.useRealTimers());

describe("sending", () => {
  it("puts what belongs to one moment into one message, in order", async () => {
    channel.send("hello", "", {});
    channel.send("open", "f", {});
    await vi.runAllTimersAsync();
    expect(model.sent).toHaveLength(1);
    expect(model.sent[0]?.content).toEqual({
      v: 1,
      batch: [
        { kind: "hello", view: "", message: {} },
        { kind: "open", view: "f", message: {} },
      ],
    });
  });

  it("never has an id at the top, whatever the message", async () => {
    channel.send("rpc", "f", { jsonrpc: "2.0", id: "7", method: "x" });
    await vi.runAllTimersAsync();
    expect(Object.keys(model.sent[0]?.content ?? {})).toEqual(["v", "batch"]);
  });

  it("gathers a flood into few messages", async () => {
    for (let i = 0; i < 300; i++) {
      channel.send("rpc", "f", i);
      await Promise.resolve();
    }
    await vi.runAllTimersAsync();
    expect(model.of("rpc").map((envelope) => envelope.message)).toEqual([...Array(300).keys()]);
    expect(model.sent.length).toBeLessThan(10);
  });

  it("sends more than 64 KB of UTF-8 as a buffer", async () => {
    const small = "ä".repeat(20_000);
    const large = "ä".repeat(40_000);
    channel.send("rpc", "f", small);
    channel.send("rpc", "f", large);
    await vi.runAllTimersAsync();
    const [first, second] = model.of("rpc");
    expect(first?.message).toBe(small);
    expect(second).toEqual({ kind: "rpc", view: "f", buffer: 0 });
    expect(JSON.parse(decode(model.sent[0]?.buffers[0]))).toBe(large);
  });

  it("splits what would close the websocket", async () => {
    const text = `"${"é".repeat(PART_BYTES)}"`;
    channel.send("rpc", "f", JSON.parse(text), text);
    channel.send("log", "f", "after");
    await vi.runAllTimersAsync();
    const parts = model.sent.filter((one) => one.content.batch[0]?.kind === "part");
    expect(parts).toHaveLength(3);
    for (const [index, { content, buffers }] of parts.entries()) {
      expect(content.batch).toHaveLength(1);
      expect(content.batch[0]).toMatchObject({ view: "f", part: { of: "rpc", index, count: 3 }, buffer: 0 });
      expect(buffers[0]?.byteLength).toBeLessThanOrEqual(PART_BYTES);
    }
    const joined = new Blob(parts.map((one) => one.buffers[0] ?? new ArrayBuffer(0)));
    expect(await joined.text()).toBe(text);
    expect(model.sent.at(-1)?.content.batch[0]?.kind).toBe("log");
  });
});

describe("receiving", () => {
  it("takes envelopes with a message or a buffer", () => {
    const bytes = new TextEncoder().encode('{"big":"ü"}');
    model.emit(
      "msg:custom",
      {
        v: 1,
        batch: [
          { kind: "state", view: "", message: 1 },
          { kind: "rpc", view: "f", buffer: 0 },
        ],
      },
      [new DataView(bytes.buffer)],
    );
    expect(received).toEqual([
      { kind: "state", view: "", message: 1 },
      { kind: "rpc", view: "f", message: { big: "ü" } },
    ]);
  });

  it.each([
    null,
    5,
    {},
    { v: 2, batch: [] },
    { v: 1, batch: 3 },
    { v: 1, batch: [null, 1, {}, { kind: 5 }, { kind: "rpc", buffer: 9 }] },
  ])("ignores %j", (content) => {
    model.emit("msg:custom", content, []);
    expect(received).toEqual([]);
  });

  it("goes on after an envelope that nobody can handle", () => {
    const quiet = vi.spyOn(console, "error").mockImplementation(() => {});
    const failing = new CommChannel(
      new FakeModel(),
      () => {},
      () => {},
      controller.signal,
    );
    expect(failing.connected).toBe(true);
    const seen: string[] = [];
    const other = new FakeModel();
    new CommChannel(
      other,
      ({ kind }) => {
        seen.push(kind);
        if (kind === "bad") throw new Error("bad");
      },
      () => {},
      controller.signal,
    );
    other.emit("msg:custom", {
      v: 1,
      batch: [
        { kind: "bad", view: "" },
        { kind: "good", view: "" },
      ],
    });
    expect(seen).toEqual(["bad", "good"]);
    quiet.mockRestore();
  });
});

describe("the end", () => {
  it("is noticed when the comm moves and nobody can be reached", () => {
    model.emit("comm_live_update");
    expect(lost).toBe(0);
    model.dead = true;
    model.emit("comm_live_update");
    expect([lost, channel.connected]).toEqual([1, false]);
  });

  it("is noticed by a send, once", async () => {
    model.dead = true;
    channel.send("rpc", "f", {});
    await vi.runAllTimersAsync();
    channel.send("rpc", "f", {});
    await vi.runAllTimersAsync();
    expect(lost).toBe(1);
  });

  it("takes every listener away", () => {
    expect(model.listening).toBe(2);
    controller.abort();
    expect(model.listening).toBe(0);
  });
});
