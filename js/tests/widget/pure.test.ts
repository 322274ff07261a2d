import { describe, expect, it } from "vitest";
import types from "../../node_modules/@modelcontextprotocol/ext-apps/dist/src/spec.types.d.ts?raw";
import { cleanName, decodeBase64, readOffer } from "../../src/widget/downloads";
import { cleanLine, encode, formatSize, randomId, spellOut } from "../../src/widget/json";
import { HandshakeLimit, readLimits, TokenBucket } from "../../src/widget/limits";
import { hostOf, parseLink } from "../../src/widget/links";
import { classify } from "../../src/widget/rpc";
import { pageDocument, REPORT, shellDocument } from "../../src/widget/shell";
import { framing, parseColor, styleVariables } from "../../src/widget/theme";
import { readViolation } from "../../src/widget/violations";
import { readAsk, readOpen, readState } from "../../src/widget/wire";

describe("text", () => {
  it("cannot pretend to be other text", () => {
    expect(cleanLine("a\u202eb\u200bc\nd\u0007\u{e0041}")).toBe("a b c d");
    expect(cleanLine("x".repeat(300), 10)).toBe(`${"x".repeat(9)}…`);
    expect(cleanLine(undefined)).toBe("");
    expect(cleanLine(12)).toBe("12");
    expect(spellOut("a\u202eb\n\u{e0041}")).toBe("a\\u202eb\n\\udb40\\udc41");
  });

  it("of a value that has no JSON is undefined, not an exception", () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    expect(encode(cyclic)).toBeUndefined();
    expect(encode({ a: 1 })).toBe('{"a":1}');
  });

  it("sizes are readable", () => {
    expect([8, 1500, 25_000, 3_400_000, 25_000_000].map(formatSize)).toEqual([
      "8 B",
      "1.5 kB",
      "25 kB",
      "3.4 MB",
      "25 MB",
    ]);
  });

  it("ids do not repeat", () => {
    expect(new Set(Array.from({ length: 100 }, () => randomId("f-"))).size).toBe(100);
    expect(randomId("f-")).toMatch(/^f-[0-9a-f]{24}$/);
  });
});

describe("classify", () => {
  it.each([
    [{ jsonrpc: "2.0", id: 1, method: "m" }, "request"],
    [{ jsonrpc: "2.0", id: "", method: "m", params: {} }, "request"],
    [{ jsonrpc: "2.0", method: "m" }, "notification"],
    [{ jsonrpc: "2.0", id: 0, result: null }, "response"],
    [{ jsonrpc: "2.0", id: 0, error: { code: 1, message: "" } }, "response"],
    [{ jsonrpc: "1.0", id: 0, method: "m" }, "invalid"],
    [{ jsonrpc: "2.0", id: null, method: "m" }, "invalid"],
    [{ jsonrpc: "2.0", id: true, method: "m" }, "invalid"],
    [{ jsonrpc: "2.0", id: 1, method: "m", params: [] }, "invalid"],
    [{ jsonrpc: "2.0", id: 1, method: "" }, "invalid"],
    [{ jsonrpc: "2.0", id: 1 }, "invalid"],
    [{ jsonrpc: "2.0", result: 1 }, "invalid"],
    [{ jsonrpc: "2.0", id: 1, result: 1, error: {} }, "invalid"],
    [{ jsonrpc: "2.0", id: 1, error: "x" }, "invalid"],
    [[{ jsonrpc: "2.0", id: 1, method: "m" }], "invalid"],
    ["x", "invalid"],
  ])("%j is a %s", (value, kind) => expect(classify(value).kind).toBe(kind));

  it("keeps the id of an invalid request when it is usable", () => {
    expect(classify({ id: 4 })).toMatchObject({ id: 4 });
    expect(classify({ id: {} })).toMatchObject({ id: null });
  });
});

describe("limits", () => {
  it("a bucket gives its burst, refills with time, and a refusal costs nothing", () => {
    let now = 0;
    const bucket = new TokenBucket(2, 1, () => now);
    expect([bucket.take(), bucket.take(), bucket.take(), bucket.take()]).toEqual([true, true, false, false]);
    now = 1000;
    expect([bucket.take(), bucket.take()]).toEqual([true, false]);
    now = 1e6;
    expect([bucket.take(), bucket.take(), bucket.take()]).toEqual([true, true, false]);
  });

  it("handshakes come once a second at most, and so many a minute", () => {
    let now = 0;
    const limit = new HandshakeLimit(20, () => now);
    const taken = () => limit.take();
    expect(Array.from({ length: 6 }, taken).filter(Boolean)).toHaveLength(5);
    let allowed = 5;
    for (now = 1000; now < 59_000; now += 1000) if (limit.take()) allowed++;
    expect(allowed).toBe(20);
    now = 61_000;
    expect(limit.take()).toBe(true);
  });

  it("come from the kernel only as positive numbers", () => {
    expect(readLimits({ queue: 5, toolCallBurst: -1, maxMessageBytes: "x" })).toMatchObject({
      queue: 5,
      toolCallBurst: 200,
      maxMessageBytes: 64 * 1024 * 1024,
    });
    expect(readLimits(null).queue).toBe(512);
  });
});

describe("links", () => {
  it.each(["http://a.example", "https://a.example/x?y#z", "mailto:a@b.example"])(
    "%s may be asked for",
    (url) => expect(parseLink(url)?.href).toBeDefined(),
  );
  it.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "ftp://a.example",
    "blob:https://a/1",
    "/relative",
    "https://user:pass@a.example",
    "",
  ])("%s may not", (url) => expect(parseLink(url)).toBeUndefined());
  it("are shown by their full origin, international names in punycode", () => {
    expect(hostOf(new URL("https://a.example:8443/x"))).toBe("https://a.example:8443");
    expect(hostOf(new URL("https://аpple.com/"))).toContain("xn--");
    expect(hostOf(new URL("mailto:a@b.example"))).toBe("a@b.example");
  });
});

describe("downloads", () => {
  it.each([
    ["report.csv", "report.csv"],
    ["../../etc/passwd", "passwd"],
    ["C:\\x\\y.txt", "y.txt"],
    [".bashrc", "bashrc"],
    ["a\u202egnp.exe", "a gnp.exe"],
    ['a<b>:"c|?*.txt', "a_b___c___.txt"],
    ["con.txt", "_con.txt"],
    ["", "download"],
    ["...", "download"],
  ])("the name %j becomes %j", (name, clean) => expect(cleanName(name)).toBe(clean));

  it("long names keep their extension", () => {
    const name = cleanName(`${"x".repeat(500)}.parquet`);
    expect(name).toHaveLength(120);
    expect(name.endsWith(".parquet")).toBe(true);
  });

  it("base64 comes in every spelling", () => {
    const bytes = (text: string) => Array.from(decodeBase64(text) ?? []);
    expect(bytes("+/8=")).toEqual([251, 255]);
    expect(bytes("-_8")).toEqual([251, 255]);
    expect(bytes("+/\n8")).toEqual([251, 255]);
    expect(decodeBase64("*")).toBeUndefined();
  });

  it("offers text, blobs and links, and nothing else", async () => {
    const text = readOffer({
      type: "resource",
      resource: { uri: "file:///a/b%20c.csv", mimeType: "text/csv", text: "é" },
    });
    expect(text).toMatchObject({ name: "b c.csv", type: "text/csv" });
    expect(text?.data?.size).toBe(2);
    expect(readOffer({ type: "resource", resource: { uri: "x", blob: "AAEC" } })?.type).toBe(
      "application/octet-stream",
    );
    expect(readOffer({ type: "resource_link", uri: "r://x/pic.png", name: "" })).toMatchObject({
      name: "pic.png",
      data: undefined,
      uri: "r://x/pic.png",
    });
    for (const bad of [
      null,
      {},
      { type: "text", text: "x" },
      { type: "resource", resource: { uri: "x", blob: "*" } },
    ]) {
      expect(readOffer(bad)).toBeUndefined();
    }
  });
});

describe("the shell", () => {
  it("has one hole, and nothing gets out of it", () => {
    const evil = `x"><script>alert(1)</script><meta content="&`;
    const html = shellDocument(evil);
    expect(html).toContain(
      'content="x&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;meta content=&quot;&amp;"',
    );
    expect(html.match(/<script>/g)).toHaveLength(1);
    expect(html.indexOf("<base")).toBeLessThan(html.indexOf("Content-Security-Policy"));
  });

  it("prepends one line to the page and changes nothing else", () => {
    const page = "<!doctype html><html lang=en><p>$& $1 $$</p>";
    const html = pageDocument(`\ufeff${page}`);
    expect(html.endsWith(page)).toBe(true);
    const line = html.slice(0, -page.length);
    expect(line.startsWith("<script>")).toBe(true);
    expect(line).toContain(JSON.stringify(REPORT));
    expect(line.match(/<\/script>/g)).toHaveLength(1);
  });
});

describe("the theme", () => {
  it("gives every style variable of the specification, and no other", () => {
    const union = types.match(/type McpUiStyleVariableKey = ([^;]+);/)?.[1] ?? "";
    const names = [...union.matchAll(/"([^"]+)"/g)].map((match) => match[1]);
    expect(names.length).toBeGreaterThan(60);
    const variables = styleVariables(document.body);
    expect(Object.keys(variables).sort()).toEqual([...names].sort());
    for (const value of Object.values(variables)) expect(value).toMatch(/\S/);
  });

  it("reads computed colours", () => {
    expect(parseColor("rgb(1, 2, 3)")).toEqual([1, 2, 3, 1]);
    expect(parseColor("rgba(1, 2, 3, 0.5)")).toEqual([1, 2, 3, 0.5]);
    expect(parseColor("color(srgb 1 0.5 0 / 0.25)")).toEqual([255, 128, 0, 0.25]);
    expect(parseColor("transparent")).toBeUndefined();
  });

  const clear = "rgba(0, 0, 0, 0)";
  it.each([
    ["a dark page in the dark", ["dark", "false", "rgb(255, 255, 255)", clear, clear], true, "dark", ""],
    [
      "one that follows a dark reader",
      ["light dark", "true", "rgb(255, 255, 255)", clear, clear],
      true,
      "dark",
      "",
    ],
    [
      "one that follows a light reader",
      ["light dark", "false", "rgb(0, 0, 0)", clear, clear],
      true,
      "light",
      "#fff",
    ],
    [
      "light text without a scheme",
      ["normal", "false", "rgb(255, 255, 255)", clear, clear],
      true,
      "light",
      "",
    ],
    [
      "dark text that expects paper",
      ["normal", "false", "rgb(0, 0, 0)", clear, clear],
      true,
      "light",
      "#fff",
    ],
    [
      "a page with a ground of its own",
      ["normal", "false", "rgb(0, 0, 0)", clear, "rgb(240, 240, 240)"],
      true,
      "light",
      "",
    ],
    ["dark text in the light", ["normal", "false", "rgb(0, 0, 0)", clear, clear], false, "light", ""],
    [
      "light text in the light",
      ["normal", "false", "rgb(250, 250, 250)", clear, clear],
      false,
      "light",
      "#1e1e1e",
    ],
    ["nothing reported yet", [], true, "light", ""],
  ])("frames %s", (_, look, dark, scheme, backdrop) => {
    if (look.length > 0) expect(framing(look, dark)).toMatchObject({ scheme, backdrop });
    else expect(framing(look, dark).backdrop).toBe("");
  });
});

describe("a policy violation", () => {
  it("says which origin to declare, and where", () => {
    expect(readViolation({ directive: "img-src", uri: "https://a.example/x.png" }).text).toContain(
      "declare https://a.example in csp.resourceDomains",
    );
    expect(readViolation({ directive: "script-src-elem", uri: "https://a.example" }).text).toContain(
      "resourceDomains",
    );
    expect(readViolation({ directive: "connect-src", uri: "wss://a.example" }).text).toContain(
      "csp.connectDomains",
    );
    expect(readViolation({ directive: "form-action", uri: "https://a.example" }).text).not.toContain(
      "declare",
    );
    expect(readViolation({ directive: "script-src", uri: "eval" }).text).not.toContain("declare");
    expect(readViolation({}).data).toEqual({ directive: "undefined", uri: "undefined", line: 0 });
  });
});

describe("the wire", () => {
  it("has no page without a policy", () => {
    const page = { html: "", csp: "default-src 'none'", allow: "x", prefersBorder: true };
    expect(readOpen({ page })?.page).toEqual(page);
    for (const bad of [null, {}, { page: { html: "x" } }, { page: { html: "x", csp: "" } }]) {
      expect(readOpen(bad)).toBeUndefined();
    }
  });

  it("reads states and questions and refuses other things", () => {
    expect(readState({ state: "live" })).toEqual({ state: "live", text: "", hint: "" });
    expect(readState({ state: "x" })).toBeUndefined();
    expect(readAsk({ ask: "a", type: "approval", tool: "t", arguments: { b: 1 } })).toMatchObject({
      tool: "t",
    });
    expect(readAsk({ ask: "a", type: "x" })).toBeUndefined();
    expect(readAsk({ type: "approval" })).toBeUndefined();
  });
});
