import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Page } from "../../src/widget/page";
import { REPORT } from "../../src/widget/shell";
import { FakeChannel, FakeHost, openMessage } from "./fakes";

const PARAMS = { protocolVersion: "2026-01-26", appInfo: { name: "p", version: "1" }, appCapabilities: {} };

let channel: FakeChannel;
let host: FakeHost;
let page: Page;

function start(limits: Record<string, number> = {}): void {
  page?.dispose();
  channel = new FakeChannel();
  host = new FakeHost();
  page = new Page("f-1", openMessage(limits), channel, host);
}

const say = (message: unknown) => page.receive(JSON.stringify(message));
const request = (id: unknown, method: string, params?: unknown) =>
  say({ jsonrpc: "2.0", id, method, params });
const notify = (method: string, params?: unknown) => say({ jsonrpc: "2.0", method, params });
const answerTo = (id: unknown) => host.posted.filter((message) => message.id === id && !message.method);
const handshake = (id: unknown = 0) => {
  request(id, "ui/initialize", PARAMS);
  notify("ui/notifications/initialized");
};

beforeEach(() => {
  vi.useFakeTimers();
  start();
});
afterEach(() => {
  page.dispose();
  vi.useRealTimers();
});

describe("the handshake", () => {
  it("tells the kernel first, then answers from what `open` brought", () => {
    request(0, "ui/initialize", PARAMS);
    expect(channel.sent[0]).toEqual({
      kind: "state",
      view: "f-1",
      message: { event: "initialize", params: PARAMS, id: 0 },
    });
    expect(answerTo(0)[0].result).toEqual({
      protocolVersion: "2026-01-26",
      hostInfo: { name: "host", version: "1" },
      hostCapabilities: { openLinks: {} },
      hostContext: { theme: "light", toolInfo: { id: "v", tool: { name: "show" } } },
    });
  });

  it("has no toolInfo for a bare resource", () => {
    page.dispose();
    page = new Page("f-1", { ...openMessage(), toolInfo: null }, channel, host);
    request(0, "ui/initialize", PARAMS);
    expect(answerTo(0)[0].result.hostContext).not.toHaveProperty("toolInfo");
  });

  it.each([
    ["no params", undefined],
    ["no version", { ...PARAMS, protocolVersion: undefined }],
    ["a version that is no string", { ...PARAMS, protocolVersion: 1 }],
    ["appInfo of the wrong type", { ...PARAMS, appInfo: "x" }],
    ["appCapabilities of the wrong type", { ...PARAMS, appCapabilities: [] }],
  ])("refuses %s with -32602 and begins nothing", (_, params) => {
    request("a", "ui/initialize", params);
    expect(answerTo("a")[0].error.code).toBe(-32602);
    expect(channel.sent.map(({ kind }) => kind).filter((kind) => kind !== "seen")).toEqual(["log"]);
  });

  it("answers an unknown version with ours", () => {
    request(0, "ui/initialize", { ...PARAMS, protocolVersion: "1999-01-01" });
    expect(answerTo(0)[0].result.protocolVersion).toBe("2026-01-26");
  });

  it("sends the page nothing but answers before it is initialized", () => {
    const push = { jsonrpc: "2.0", method: "ui/notifications/tool-input", params: {} };
    page.deliver(push);
    request(0, "ui/initialize", PARAMS);
    page.deliver(push);
    expect(host.posted.filter((message) => message.method)).toEqual([]);
    notify("ui/notifications/initialized");
    page.deliver(push);
    expect(host.posted.filter((message) => message.method)).toEqual([push]);
  });

  it("relays `initialized` once a handshake, and never without one", () => {
    notify("ui/notifications/initialized");
    handshake(1);
    notify("ui/notifications/initialized");
    expect(channel.of("rpc")).toHaveLength(1);
    handshake(2);
    expect(channel.of("rpc")).toHaveLength(2);
    expect(host.ready).toBe(2);
  });

  it("gives what was asked before it one clean answer", () => {
    request("early", "tools/call", { name: "x" });
    expect(channel.of("rpc")).toHaveLength(1);
    request(0, "ui/initialize", PARAMS);
    expect(answerTo("early")[0].error.code).toBe(-32000);
    page.deliver({ jsonrpc: "2.0", id: "early", result: {} });
    expect(answerTo("early")).toHaveLength(1);
  });

  it("stops a page that restarts faster than once a second", () => {
    for (let i = 0; i < 6; i++) request(i, "ui/initialize", PARAMS);
    expect(host.stopped).toContain("kept restarting");
  });

  it("stops a page that restarts more than 20 times a minute", () => {
    for (let i = 0; i < 20; i++) {
      request(i, "ui/initialize", PARAMS);
      vi.advanceTimersByTime(2000);
    }
    expect(host.stopped).toBe("");
    request(20, "ui/initialize", PARAMS);
    expect(host.stopped).toContain("20 a minute");
  });
});

describe("requests", () => {
  it("go to the kernel as they are, and its answer to the page", () => {
    request("r", "tools/call", { name: "x", arguments: { a: 1 }, _meta: { progressToken: 3 } });
    const [sent] = channel.sent;
    expect(sent?.kind).toBe("rpc");
    expect(sent?.message).toEqual(JSON.parse(sent?.text ?? ""));
    const answer = { jsonrpc: "2.0", id: "r", result: { content: [], "vendor/key": 1 } };
    page.deliver(answer);
    expect(answerTo("r")).toEqual([answer]);
  });

  it("are answered once only", () => {
    request(1, "tools/call");
    page.deliver({ jsonrpc: "2.0", id: 1, result: {} });
    page.deliver({ jsonrpc: "2.0", id: 1, result: {} });
    page.deliver({ jsonrpc: "2.0", id: "1", result: {} });
    expect(host.posted).toHaveLength(1);
  });

  it("answer ping in the browser", () => {
    request("p", "ping");
    expect(answerTo("p")[0].result).toEqual({});
    expect(channel.sent.filter(({ kind }) => kind !== "seen")).toEqual([]);
  });

  it("tell the kernel what is settled without it, as far as it is little", () => {
    const seen = () => channel.of("seen");
    const ping = { jsonrpc: "2.0", id: "p", method: "ping" };
    say(ping);
    expect(seen()).toEqual([
      { way: "in", message: ping },
      { way: "out", message: { jsonrpc: "2.0", id: "p", result: {} } },
    ]);
    const contents = [{ type: "text", text: "x".repeat(70_000) }];
    request("d", "ui/download-file", { contents });
    expect(seen()).toHaveLength(2);
    for (let i = 0; i < 500; i++) notify("ui/notifications/size-changed", { height: i });
    expect(seen().length).toBeLessThan(80);
  });

  it("open links by the decision of the person", async () => {
    request("yes", "ui/open-link", { url: "https://example.com" });
    await vi.advanceTimersByTimeAsync(0);
    host.linkAnswer = Promise.resolve(false);
    request("no", "ui/open-link", { url: "https://example.com" });
    await vi.advanceTimersByTimeAsync(0);
    expect(answerTo("yes")[0].result).toEqual({});
    expect(answerTo("no")[0].result).toEqual({ isError: true });
    request("bad", "ui/open-link", { url: 1 });
    expect(answerTo("bad")[0].error.code).toBe(-32602);
    request("none", "ui/download-file", { contents: [] });
    expect(answerTo("none")[0].error.code).toBe(-32602);
  });

  it("refuse an unknown display mode", () => {
    request("m", "ui/request-display-mode", { mode: "huge" });
    expect(answerTo("m")[0].error.code).toBe(-32602);
    request("n", "ui/request-display-mode", { mode: "inline" });
    expect(answerTo("n")[0].result).toEqual({ mode: "inline" });
  });

  it("cannot reuse an id that is open", () => {
    request("x", "tools/call");
    request("x", "tools/call");
    expect(answerTo("x")[0].error.code).toBe(-32600);
    expect(channel.of("rpc")).toHaveLength(1);
  });

  it("of an older document get no answer", () => {
    request("x", "tools/call");
    page.newDocument();
    page.deliver({ jsonrpc: "2.0", id: "x", result: {} });
    expect(host.posted).toEqual([]);
  });

  it("are answered -32600 when they are no JSON-RPC", () => {
    for (const message of [5, [], null, {}, { jsonrpc: "2.0", id: {}, method: "ping" }]) say(message);
    expect(host.posted.map((message) => message.error.code)).toEqual(Array(5).fill(-32600));
    page.invalid("c", "cyclic");
    expect(answerTo("c")[0].error.code).toBe(-32600);
  });
});

describe("limits", () => {
  it("count tool calls by burst and minute, as their own error", () => {
    start({ toolCallBurst: 2, toolCallsPerMinute: 60 });
    for (const id of ["a", "b", "c"]) request(id, "tools/call");
    expect(answerTo("c")[0].error.data).toEqual({ limit: "rate" });
    vi.advanceTimersByTime(1000);
    request("d", "tools/call");
    expect(answerTo("d")).toEqual([]);
  });

  it("bound the open requests, as another error that costs no token", () => {
    start({ queue: 2, toolCallBurst: 3 });
    for (const id of ["a", "b", "c"]) request(id, "tools/call");
    expect(answerTo("c")[0].error.data).toEqual({ limit: "concurrency" });
    page.deliver({ jsonrpc: "2.0", id: "a", result: {} });
    request("d", "tools/call");
    expect(answerTo("d")).toEqual([]);
  });

  it("drop notifications above the rate and say how many", () => {
    start({ notificationsPerSecond: 10 });
    for (let i = 0; i < 50; i++) notify("notifications/message", { data: i });
    expect(channel.of("rpc")).toHaveLength(10);
    vi.advanceTimersByTime(1000);
    expect(channel.of("log")).toMatchObject([{ text: "40 notifications dropped (at most 10 a second)" }]);
  });

  it("never drop a cancellation", () => {
    start({ notificationsPerSecond: 1 });
    for (let i = 0; i < 5; i++) notify("notifications/cancelled", { requestId: i });
    expect(channel.of("rpc")).toHaveLength(5);
  });

  it("bound the log that a page can cause", () => {
    for (let i = 0; i < 500; i++) say(5);
    expect(channel.of("log").length).toBeLessThanOrEqual(50);
    expect(host.posted).toHaveLength(500);
  });
});

describe("notifications", () => {
  it("about the sandbox are dropped", () => {
    notify("ui/notifications/sandbox-proxy-ready", {});
    notify("ui/notifications/sandbox-resource-ready", { html: "x" });
    expect(channel.of("rpc")).toEqual([]);
    expect(channel.of("log")).toHaveLength(2);
  });

  it("about sizes stay in the browser, unknown ones go to the kernel", () => {
    notify("ui/notifications/size-changed", { height: 10 });
    notify("ui/notifications/size-change", { height: 10 });
    expect(host.heights).toEqual([10]);
    expect(channel.of("rpc")).toHaveLength(1);
  });
});

describe("answers of the page", () => {
  it("go to the kernel if it asked, once", () => {
    handshake();
    page.deliver({ jsonrpc: "2.0", id: "k", method: "tools/list" });
    const before = channel.of("rpc").length;
    say({ jsonrpc: "2.0", id: "k", result: {} });
    say({ jsonrpc: "2.0", id: "k", result: {} });
    say({ jsonrpc: "2.0", id: "other", result: {} });
    expect(channel.of("rpc")).toHaveLength(before + 1);
  });
});

describe("a silent kernel", () => {
  it("is called busy after two seconds and gone after thirty", () => {
    request("r", "tools/call");
    vi.advanceTimersByTime(1500);
    expect(host.waiting).toBe(false);
    vi.advanceTimersByTime(1500);
    expect(host.waiting).toBe(true);
    vi.advanceTimersByTime(28_000);
    expect(answerTo("r")[0].error).toMatchObject({ code: -32000 });
    expect(answerTo("r")[0].error.message).toContain("kernel gone");
    expect(host.waiting).toBe(false);
    expect(channel.of("rpc").at(-1)).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: "r" },
    });
  });

  it("is neither while it says that it works on the request", () => {
    request("r", "tools/call");
    for (let i = 0; i < 6; i++) {
      vi.advanceTimersByTime(i === 0 ? 1000 : 10_000);
      page.stillWorking({ ids: ["r"] });
      page.stillWorking(["r", {}, 7]);
      expect(host.waiting).toBe(false);
    }
    expect(answerTo("r")).toEqual([]);
  });

  it("does not matter to a question that the person has not answered", () => {
    host.linkAnswer = new Promise(() => {});
    request("l", "ui/open-link", { url: "https://example.com" });
    vi.advanceTimersByTime(120_000);
    expect(answerTo("l")).toEqual([]);
    expect(host.waiting).toBe(false);
  });

  it("that is gone for good answers everything at once", () => {
    request("r", "tools/call");
    page.kernelGone();
    expect(answerTo("r")[0].error.code).toBe(-32000);
    channel.connected = false;
    request("s", "tools/call");
    expect(answerTo("s")[0].error.code).toBe(-32000);
  });
});

describe("requests of our own", () => {
  it("are not the page's to answer or to see", async () => {
    const asked = page.ask("resources/read", { uri: "x://y" });
    const { id } = channel.of("rpc")[0] as { id: string };
    page.deliver({ jsonrpc: "2.0", id, result: { contents: [] } });
    await expect(asked).resolves.toMatchObject({ result: { contents: [] } });
    expect(host.posted).toEqual([]);
  });
});

describe("reports of our line in the page", () => {
  it("are no JSON-RPC; a start is a new document", () => {
    say({ [REPORT]: "start" });
    say({ [REPORT]: "csp", detail: {} });
    expect(host.restarts).toBe(1);
    expect(host.reports).toEqual(["csp"]);
    expect(host.posted).toEqual([]);
  });
});
