import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import module from "../../src/log/index";
import { clock, Filter, type Line, Lines, MAX_LINES, readLine } from "../../src/log/lines";
import { FakeModel } from "../widget/fakes";

const AT = new Date(2026, 0, 2, 3, 4, 5, 67).getTime();
let count = 0;

function line(more: Partial<Line> = {}): Line {
  count++;
  return {
    key: `log:${count}`,
    at: AT,
    source: "server",
    level: "info",
    page: "",
    text: `line ${count}`,
    measure: "",
    ...more,
  };
}

describe("lines", () => {
  it("reads what the kernel sends, and nothing odd", () => {
    expect(
      readLine({ key: "log:1", at: 5, source: "csp", level: "error", page: "p", text: "t", measure: "m" }),
    ).toEqual({
      key: "log:1",
      at: 5,
      source: "csp",
      level: "error",
      page: "p",
      text: "t",
      measure: "m",
    });
    expect(readLine({ level: "loud", text: 3, at: "x" })).toMatchObject({ level: "info", text: "", at: 0 });
    expect(readLine("line")).toBeUndefined();
    expect(new Lines().take(undefined)).toEqual({ fresh: [], anew: false });
    expect(new Lines().take({ lines: [null, 3] }).fresh).toEqual([]);
  });

  it("keeps the newest, and begins anew when told", () => {
    const lines = new Lines();
    lines.take({ lines: Array.from({ length: MAX_LINES + 10 }, () => line()) });
    expect(lines.all).toHaveLength(MAX_LINES);
    lines.take({ lines: [line({ text: "only" })], anew: true });
    expect(lines.all.map((one) => one.text)).toEqual(["only"]);
  });

  it("says how many came too fast", () => {
    const { fresh } = new Lines().take({ lines: [line()], leftOut: 1234 });
    expect(fresh[0]).toMatchObject({
      source: "host",
      level: "notice",
      text: "1,234 lines came too fast to be drawn",
    });
  });

  it("filters by level, source and words", () => {
    const filter = new Filter();
    const csp = line({ source: "csp", level: "warning", page: "show", text: "Declare https://cdn.example" });
    expect(filter.empty && filter.fits(csp)).toBe(true);
    filter.level = "error";
    expect(filter.fits(csp)).toBe(false);
    filter.level = "notice";
    filter.sources.add("server");
    expect(filter.fits(csp)).toBe(false);
    filter.sources.add("csp");
    filter.text = "  CDN  declare show ";
    expect(filter.fits(csp)).toBe(true);
    filter.text = "cdn other";
    expect(filter.fits(csp)).toBe(false);
  });

  it("shows the reader's own time", () => {
    expect(clock(AT)).toBe("03:04:05.067");
  });
});

describe("the table", () => {
  let model: FakeModel;
  let el: HTMLElement;
  let stop: () => void;
  let take: () => void;

  const push = (lines: Line[], more: Record<string, unknown> = {}) =>
    model.push("lines", "", { lines, leftOut: 0, anew: false, ...more });
  const rows = () => [...el.querySelectorAll<HTMLElement>("tbody tr")];
  const texts = () => rows().map((row) => row.querySelector(".log-text")?.textContent ?? row.textContent);
  const chip = (name: string) =>
    [...el.querySelectorAll<HTMLButtonElement>(".log-chips button")].find((one) => one.textContent === name);
  const follow = () =>
    [...el.querySelectorAll("button")].find((one) =>
      one.textContent?.startsWith("Follow"),
    ) as HTMLButtonElement;
  const type = (value: string) => {
    const input = el.querySelector("input") as HTMLInputElement;
    input.value = value;
    input.dispatchEvent(new Event("input"));
  };
  const choose = (value: string) => {
    const select = el.querySelector("select") as HTMLSelectElement;
    select.value = value;
    select.dispatchEvent(new Event("change"));
  };

  function open(traits: Record<string, string> = {}): void {
    model = new FakeModel();
    Object.assign(model.traits, traits);
    el = document.createElement("div");
    document.body.append(el);
    const widget = module();
    stop = widget.initialize({ model });
    take = widget.render({ model, el });
  }

  beforeEach(() => open());
  afterEach(() => {
    take();
    stop();
    el.remove();
    vi.restoreAllMocks();
  });

  it("asks for all there is, in an envelope without a top-level id", async () => {
    await Promise.resolve();
    expect(model.sent.map((one) => one.content)).toEqual([
      { v: 1, batch: [{ kind: "hello", view: "", message: {} }] },
    ]);
  });

  it("draws lines as they come, the newest last", () => {
    expect(texts()).toEqual(["Nothing has been said yet."]);
    push([line({ text: "one" }), line({ text: "two", level: "error", source: "stderr" })], { anew: true });
    push([line({ text: "three", measure: "12.0 ms, 3 B" })]);
    expect(texts()).toEqual(["one", "two", "three12.0 ms, 3 B"]);
    expect(rows()[1]?.dataset).toMatchObject({ level: "error", source: "stderr" });
    expect(rows()[0]?.querySelector("time")?.textContent).toBe("03:04:05.067");
    expect(el.querySelector(".log-count")?.textContent).toBe("3 lines");
  });

  it("is a table with names for screen readers, which does not read every line out", () => {
    push([line()]);
    expect(el.querySelector("table")?.getAttribute("aria-label")).toBe("Log of Demo");
    expect([...el.querySelectorAll("th")].map((th) => th.textContent)).toEqual([
      "time",
      "source",
      "level",
      "text",
    ]);
    for (const control of el.querySelectorAll("select, input, .log-scroll, .log-chips")) {
      expect(control.getAttribute("aria-label")).toBeTruthy();
    }
    expect(el.querySelector("[role=status]")?.textContent).toBe("");
    type("nothing like it");
    expect(el.querySelector("[role=status]")?.textContent).toBe("0 of 1 lines");
    expect(texts()).toEqual(["No line fits the filter."]);
  });

  it("filters by level, by source and by text, also what comes later", () => {
    push([
      line({ text: "a" }),
      line({ text: "b", level: "warning", source: "csp" }),
      line({ text: "c", source: "stderr" }),
    ]);
    expect([...el.querySelectorAll(".log-chips button")].map((one) => one.textContent)).toEqual([
      "server",
      "stderr",
      "csp",
    ]);
    choose("warning");
    expect(texts()).toEqual(["b"]);
    choose("debug");
    chip("stderr")?.click();
    expect(chip("stderr")?.getAttribute("aria-pressed")).toBe("true");
    expect(texts()).toEqual(["c"]);
    push([line({ text: "dozen" }), line({ text: "e", source: "stderr" })]);
    expect(texts()).toEqual(["c", "e"]);
    expect(el.querySelector(".log-count")?.textContent).toBe("2 of 5 lines");
    chip("stderr")?.click();
    type("DOZ");
    expect(texts()).toEqual(["dozen"]);
  });

  it("begins with the filter of the magic", () => {
    take();
    stop();
    open({ level: "error", source: "stderr" });
    push([line(), line({ level: "critical", source: "stderr", text: "no eggs" }), line({ level: "error" })]);
    expect(texts()).toEqual(["no eggs"]);
    expect(el.querySelector("select")?.value).toBe("error");
    expect(chip("stderr")?.getAttribute("aria-pressed")).toBe("true");
  });

  it("pauses and goes on without losing a line", () => {
    push([line({ text: "a" })]);
    follow().click();
    expect(follow().getAttribute("aria-pressed")).toBe("false");
    push([line({ text: "b" }), line({ text: "c" })]);
    expect(texts()).toEqual(["a"]);
    expect(follow().textContent).toBe("Follow (2 new)");
    follow().click();
    expect(texts()).toEqual(["a", "b", "c"]);
    expect(follow().textContent).toBe("Follow");
  });

  it("pauses while the reader has scrolled up, and goes on at the end", () => {
    const scroll = el.querySelector(".log-scroll") as HTMLElement;
    Object.defineProperties(scroll, { scrollHeight: { value: 500 }, clientHeight: { value: 100 } });
    push([line({ text: "a" })]);
    scroll.scrollTop = 10;
    scroll.dispatchEvent(new Event("scroll"));
    expect(follow().getAttribute("aria-pressed")).toBe("true"); // nobody did that by hand
    scroll.dispatchEvent(new Event("wheel"));
    scroll.dispatchEvent(new Event("scroll"));
    push([line({ text: "b" })]);
    expect(texts()).toEqual(["a"]);
    scroll.scrollTop = 400;
    scroll.dispatchEvent(new Event("scroll"));
    expect(texts()).toEqual(["a", "b"]);
  });

  it("shows text as text", () => {
    push([line({ text: "<img src=x onerror=alert(1)>", source: "<b>" })]);
    expect(el.querySelector("img, td b")).toBeNull();
    expect(texts()).toEqual(["<img src=x onerror=alert(1)>"]);
  });

  it("names the page where there are several", () => {
    push([line({ page: "show", text: "a" })]);
    push([line({ page: "other", text: "b" })]);
    expect(texts()).toEqual(["a", "otherb"]);
  });

  it("fetches all of a message when it is opened, once, and pauses for the reader", async () => {
    push([line({ key: "v:7", source: "traffic", level: "debug", text: "page → host tools/call" })]);
    const details = el.querySelector("details") as HTMLDetailsElement;
    details.open = true;
    details.dispatchEvent(new Event("toggle"));
    details.dispatchEvent(new Event("toggle"));
    await new Promise((done) => setTimeout(done, 20));
    expect(model.of("detail").map((one) => one.message)).toEqual([{ key: "v:7" }]);
    expect(follow().getAttribute("aria-pressed")).toBe("false");
    model.push("detail", "", { key: "v:7", text: '{\n  "id": 1\n}' });
    expect(details.querySelector("pre")?.textContent).toBe('{\n  "id": 1\n}');
    model.push("detail", "", { key: "v:7", text: null });
    expect(details.querySelector("pre")?.textContent).toBe("This message is no longer kept.");
  });

  it("draws at most a thousand rows, the newest", () => {
    push(Array.from({ length: 1200 }, (_, at) => line({ text: `n${at}` })));
    push([line({ text: "last" })]);
    expect(rows()).toHaveLength(1000);
    expect(texts().at(-1)).toBe("last");
    expect(texts()[0]).toBe("n201");
    expect(el.querySelector(".log-count")?.textContent).toBe("1,201 lines");
  });

  it("says when it is no longer followed, or the kernel is gone", () => {
    push([line({ text: "a" })]);
    model.push("ended", "", {});
    expect(el.querySelector(".log-count")?.textContent).toMatch(/run the cell again/);
    expect(follow().hidden).toBe(true);
    expect(texts()).toEqual(["a"]);
    model.dead = true;
    model.emit("comm_live_update");
    expect(el.querySelector(".log-count")?.textContent).toMatch(/kernel is gone/);
  });

  it("keeps the notebook's keys from acting while it has the focus", () => {
    const heard: string[] = [];
    el.addEventListener("keydown", (event) => heard.push(event.key));
    const scroll = el.querySelector(".log-scroll") as HTMLElement;
    for (const key of ["d", "Enter", "Escape"])
      scroll.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    expect(heard).toEqual(["Escape"]);
    expect(el.querySelector(".mcpapp-log")?.getAttribute("data-lm-suppress-shortcuts")).toBe("true");
  });

  it("leaves nothing behind", () => {
    expect(model.listening).toBeGreaterThan(0);
    take();
    stop();
    expect(model.listening).toBe(0);
    expect(el.childElementCount).toBe(0);
  });
});
