import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import factory from "../../src/widget/index";
import { ARMING_MS } from "../../src/widget/strips";
import { FakeModel, openMessage } from "./fakes";

let model: FakeModel;
let widget: ReturnType<typeof factory>;
let slot: HTMLElement;
let close: () => void;
let end: () => void;

const root = () => slot.querySelector<HTMLElement>(".mcpapp");
const text = (selector: string) => slot.querySelector(selector)?.textContent ?? "";
const button = (label: string) =>
  [...slot.querySelectorAll("button")].find((one) => one.textContent === label || one.title === label);
const frameId = () => String(model.of("open").at(-1)?.view);
const approval = {
  ask: "a1",
  type: "approval",
  app: "Demo",
  tool: "wipe",
  title: "",
  arguments: { all: true },
};

/** A click as the browser makes it for a person: scripts cannot. */
function press(element: HTMLElement | undefined): void {
  const event = new MouseEvent("click", { bubbles: true });
  Object.defineProperty(event, "isTrusted", { value: true });
  element?.dispatchEvent(event);
}

/** Everything is in sight here. */
class Sight {
  constructor(private readonly seen: (entries: { isIntersecting: boolean }[]) => void) {}
  observe(): void {
    this.seen([{ isIntersecting: true }]);
  }
  disconnect(): void {}
}

beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal("IntersectionObserver", Sight);
  model = new FakeModel();
  widget = factory();
  end = widget.initialize({ model });
  slot = document.body.appendChild(document.createElement("div"));
  close = widget.render({ model, el: slot });
  await vi.advanceTimersByTimeAsync(10);
});

afterEach(() => {
  close();
  end();
  document.body.replaceChildren();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("a view", () => {
  it("says hello once, then asks for its page", () => {
    expect(model.of("hello")).toHaveLength(1);
    expect(model.of("open")).toHaveLength(1);
    expect(frameId()).toMatch(/^f-/);
    expect(text(".mcpapp-loading")).toBe("Opening Demo…");
  });

  it("builds one frame in a closed shadow root, sandboxed", () => {
    const attach = vi.spyOn(Element.prototype, "attachShadow");
    model.push("open", frameId(), openMessage());
    const [init] = attach.mock.calls[0] ?? [];
    expect(init?.mode).toBe("closed");
    const shadow = attach.mock.results[0]?.value as ShadowRoot;
    expect(shadow.querySelector("iframe")?.getAttribute("sandbox")).toBe("allow-scripts allow-forms");
    expect(slot.querySelector("iframe")).toBeNull();
    attach.mockRestore();
  });

  it("asks for an ended view back only when the person does", async () => {
    model.push("gone", "", { reason: "Too many pages were open.", teardown: false });
    expect(model.of("open").at(-1)?.message).toEqual({});
    press(button("Relaunch"));
    await vi.advanceTimersByTimeAsync(10);
    expect(model.of("open").at(-1)?.message).toEqual({ relaunch: true });
  });

  it("asks for a permission and says what it is for", async () => {
    const text = "wants to know where you are";
    model.push("ask", "", { ask: "p1", type: "permission", app: "Demo", tool: "geolocation", text });
    expect(slot.querySelector(".mcpapp-words")?.textContent).toBe(`The page of Demo (demo) ${text}.`);
    await vi.advanceTimersByTimeAsync(ARMING_MS + 200);
    press(button("Allow while open"));
    await vi.advanceTimersByTimeAsync(10);
    expect(model.of("answer").at(-1)?.message).toEqual({ ask: "p1", decision: "always" });
  });

  it("of another frame's id is not touched", () => {
    model.push("open", "f-other", openMessage());
    expect(slot.querySelector(".mcpapp-frame")).toBeNull();
  });

  it("keeps shortcuts of the notebook away", () => {
    expect(root()?.dataset.lmSuppressShortcuts).toBe("true");
    const keys = vi.fn();
    document.body.addEventListener("keydown", keys);
    button("More")?.dispatchEvent(new KeyboardEvent("keydown", { key: "d", bubbles: true }));
    document.body.removeEventListener("keydown", keys);
    expect(keys).not.toHaveBeenCalled();
  });

  it("shows the reason and the next step instead of a page, and the card again", () => {
    expect(root()?.classList.contains("mcpapp-live")).toBe(true);
    model.push("state", "", { state: "failed", text: "No page at ui://x", hint: "%mcpapp log demo" });
    expect(text(".mcpapp-reason")).toContain("No page at ui://x");
    expect(text(".mcpapp-reason")).toContain("%mcpapp log demo");
    expect(root()?.classList.contains("mcpapp-live")).toBe(false);
    press(button("Relaunch"));
    expect(text(".mcpapp-loading")).not.toBe("");
    expect(root()?.classList.contains("mcpapp-live")).toBe(true);
  });

  it("with a page shows a failure as a note, and never covers the page", () => {
    model.push("open", frameId(), openMessage());
    model.push("state", "", { state: "failed", text: "The server went away", hint: "restart" });
    expect(text(".mcpapp-note")).toBe("The server went away · restart");
    expect(slot.querySelector(".mcpapp-reason")).toBeNull();
    expect(slot.querySelector(".mcpapp-frame")).not.toBeNull();
  });

  it("keeps the failure of a call in sight when its page comes later", () => {
    model.push("state", "", { state: "failed", text: "No eggs left", hint: "%mcpapp restart raw" });
    const steps = [...slot.querySelectorAll(".mcpapp-next > *")].map((step) => step.textContent);
    expect(steps).toEqual(["Next:", "%mcpapp restart raw", "%mcpapp log demo"]);
    model.push("open", frameId(), openMessage());
    expect(text(".mcpapp-note")).toBe("No eggs left · %mcpapp restart raw");
    expect(slot.querySelector<HTMLElement>(".mcpapp-dot")?.dataset.tone).toBe("failed");
  });

  it("with a page shows what the kernel says of one that is well, until it says something else", () => {
    model.push("open", frameId(), openMessage());
    model.push("state", "", { state: "live", text: "The message is in view.messages" });
    expect(text(".mcpapp-note")).toBe("The message is in view.messages");
    expect(slot.querySelector<HTMLElement>(".mcpapp-dot")?.title).toBe("live");
    model.push("state", frameId(), { state: "live", text: "" });
    expect(text(".mcpapp-note")).toBe("");
  });

  it("has full screen, a small window, reload, log and close in its menu", async () => {
    const items = [...slot.querySelectorAll("[role=menuitem]")].map((item) => item.textContent);
    expect(items).toEqual(["Full screen", "Small window", "Reload the page", "Log", "Close the view"]);
    press(button("Log"));
    await vi.advanceTimersByTimeAsync(10);
    expect(model.of("state").at(-1)).toEqual({ kind: "state", view: frameId(), message: { event: "log" } });
    model.push("gone", "", { reason: "Closed." });
    press(button("Log"));
    await vi.advanceTimersByTimeAsync(10);
    expect(model.of("state").at(-1)).toEqual({ kind: "state", view: "", message: { event: "log" } });
  });

  it("ends with a reason, and its frame with it", async () => {
    model.push("open", frameId(), openMessage());
    const id = frameId();
    model.push("gone", "", { reason: "The app was stopped.", teardown: true });
    await vi.advanceTimersByTimeAsync(10);
    expect(slot.querySelector(".mcpapp-frame")).toBeNull();
    expect(text(".mcpapp-reason")).toContain("The app was stopped.");
    expect(model.of("gone")).toEqual([{ kind: "gone", view: id, message: {} }]);
  });

  it("reloads as a new frame", async () => {
    const first = frameId();
    model.push("open", first, openMessage());
    press(button("Reload the page"));
    await vi.advanceTimersByTimeAsync(10);
    expect(model.of("gone")[0]?.view).toBe(first);
    expect(frameId()).not.toBe(first);
  });

  it("says that its frame is gone with the tab, and opens anew when the tab is back", async () => {
    const first = frameId();
    model.push("open", first, openMessage());
    window.dispatchEvent(new Event("pagehide"));
    expect(model.of("gone")).toEqual([{ kind: "gone", view: first, message: {} }]);
    window.dispatchEvent(new Event("pageshow"));
    await vi.advanceTimersByTimeAsync(10);
    expect(model.of("open")).toHaveLength(1);
    window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
    await vi.advanceTimersByTimeAsync(10);
    expect(model.of("open")).toHaveLength(2);
    expect(frameId()).not.toBe(first);
  });

  it("that has ended stays so when the tab is back", async () => {
    model.push("gone", "", { reason: "Closed." });
    window.dispatchEvent(new Event("pagehide"));
    window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
    await vi.advanceTimersByTimeAsync(10);
    expect(model.of("open")).toHaveLength(1);
    expect(text(".mcpapp-reason")).toContain("Closed.");
  });

  it("says so when nobody is left", () => {
    model.dead = true;
    model.emit("comm_live_update");
    expect(text(".mcpapp-reason")).toContain("run the notebook's cells again from %load_ext on.");
    expect(button("Relaunch")).toBeUndefined();
  });

  it("keeps what there is to see when nobody is left", () => {
    model.push("open", frameId(), openMessage());
    model.dead = true;
    model.emit("comm_live_update");
    expect(text(".mcpapp-note")).toBe("Disconnected: run the notebook's cells again from %load_ext on");
    press(button("Reload the page"));
    expect(slot.querySelector(".mcpapp-frame")).not.toBeNull();
  });

  it("says so when the kernel is slow to give the page", async () => {
    await vi.advanceTimersByTimeAsync(2500);
    expect(text(".mcpapp-note")).toContain("waiting for the kernel");
    model.push("state", "", { state: "starting", text: "Starting…" });
    expect(text(".mcpapp-note")).toBe("");
    expect(text(".mcpapp-loading")).toBe("Starting…");
  });

  it("does not wait for a kernel that has said what takes so long", async () => {
    model.push("state", frameId(), { state: "starting", text: "Starting demo…" });
    await vi.advanceTimersByTimeAsync(2500);
    expect(text(".mcpapp-note")).toBe("");
    expect(text(".mcpapp-loading")).toBe("Starting demo…");
  });

  it("says its name once", () => {
    expect(text(".mcpapp-tool")).toBe("");
    model.traits.title = "Demo";
    model.emit("change:title");
    expect(text(".mcpapp-tool")).toBe("");
  });

  it("leaves nothing behind", async () => {
    model.push("open", frameId(), openMessage());
    close();
    await vi.advanceTimersByTimeAsync(10);
    expect(slot.children).toHaveLength(0);
    expect(model.of("gone")).toHaveLength(1);
    end();
    expect(model.listening).toBe(0);
  });

  it("follows its traits", () => {
    model.traits.title = "A title\u202e";
    model.traits.header = false;
    model.emit("change:title");
    expect(text(".mcpapp-tool")).toBe("A title");
    expect(root()?.classList.contains("mcpapp-bare")).toBe(true);
  });
});

describe("two views of one widget", () => {
  it("share what is asked; an answer in one closes it in both by the kernel's word", async () => {
    const other = document.body.appendChild(document.createElement("div"));
    const closeOther = widget.render({ model, el: other });
    model.push("ask", "", approval);
    const strips = () => document.querySelectorAll(".mcpapp-strip").length;
    expect(strips()).toBe(2);
    const third = widget.render({ model, el: document.body.appendChild(document.createElement("div")) });
    expect(strips()).toBe(3);
    model.push("ask", "", { ask: "a1", closed: true });
    expect(strips()).toBe(0);
    closeOther();
    third();
  });
});

describe("a question", () => {
  beforeEach(() => model.push("ask", "", approval));

  it("shows app, tool and arguments, and takes no focus", () => {
    const strip = text(".mcpapp-strip");
    for (const part of ["Demo", "wipe", '"all": true']) expect(strip).toContain(part);
    expect(document.activeElement).toBe(document.body);
    expect(slot.querySelector("[autofocus]")).toBeNull();
    expect(slot.querySelector(".mcpapp-strips")?.getAttribute("aria-live")).toBe("polite");
  });

  it("is deaf until it has stood still, and to scripts always", async () => {
    press(button("Allow once"));
    await vi.advanceTimersByTimeAsync(10);
    expect(model.of("answer")).toEqual([]);
    expect(button("Deny")?.getAttribute("aria-disabled")).toBe("true");
    await vi.advanceTimersByTimeAsync(ARMING_MS + 200);
    button("Allow once")?.click();
    await vi.advanceTimersByTimeAsync(10);
    expect(model.of("answer")).toEqual([]);
    press(button("Allow once"));
    await vi.advanceTimersByTimeAsync(10);
    expect(model.of("answer")).toEqual([
      { kind: "answer", view: frameId(), message: { ask: "a1", decision: "once" } },
    ]);
    expect(slot.querySelector(".mcpapp-strip")).toBeNull();
  });

  it("is deaf again after it has moved", async () => {
    await vi.advanceTimersByTimeAsync(ARMING_MS + 200);
    const row = slot.querySelector<HTMLElement>(".mcpapp-actions");
    if (row) row.getBoundingClientRect = () => new DOMRect(0, 200, 10, 10);
    await vi.advanceTimersByTimeAsync(150);
    press(button("Allow once"));
    await vi.advanceTimersByTimeAsync(10);
    expect(model.of("answer")).toEqual([]);
  });

  it("that is long is cut, and can be read in full", () => {
    model.push("ask", "", { ...approval, ask: "a2", arguments: { note: `<b>${"x".repeat(900)}` } });
    const strip = slot.querySelectorAll(".mcpapp-strip")[1];
    expect(strip?.querySelector("pre")?.textContent).toHaveLength(301);
    expect(strip?.querySelector("b")).toBeNull();
    strip?.querySelector<HTMLElement>(".mcpapp-more")?.click();
    expect(strip?.querySelector("pre")?.textContent?.length).toBeGreaterThan(900);
  });

  it("that the kernel repeats stays as it is", () => {
    const strip = slot.querySelector(".mcpapp-strip");
    model.push("ask", frameId(), approval);
    expect([...slot.querySelectorAll(".mcpapp-strip")]).toEqual([strip]);
  });

  it("ends with the view", () => {
    model.push("gone", "", { reason: "" });
    expect(slot.querySelector(".mcpapp-strip")).toBeNull();
  });
});

describe("a widget that only asks", () => {
  it("is nothing but its question", () => {
    model.traits.role = "question";
    const el = document.body.appendChild(document.createElement("div"));
    const closeThis = widget.render({ model, el });
    expect(el.querySelector(".mcpapp")?.classList.contains("mcpapp-question")).toBe(true);
    closeThis();
  });
});

describe("a message to send", () => {
  it("is shown cut to 200 characters, whole on demand, and sent by a click", async () => {
    const preview = `${"y".repeat(199)}😀${"z".repeat(19_799)}`;
    model.push("ask", "", { ask: "m", type: "message", app: "Demo", preview });
    expect(text(".mcpapp-text")).toBe(`${"y".repeat(199)}…`);
    button("Show all 20000 characters")?.click();
    expect(text(".mcpapp-text")).toBe(preview);
    await vi.advanceTimersByTimeAsync(ARMING_MS + 200);
    press(button("Send"));
    await vi.advanceTimersByTimeAsync(10);
    expect(model.of("answer")[0]?.message).toEqual({ ask: "m", decision: "send" });
  });
});

describe("an elicitation", () => {
  const schema = { properties: { name: { type: "string" } }, required: ["name"] };

  it("is answered with the form's content once it is right", async () => {
    model.push("ask", "", { ask: "e", type: "elicitation", app: "Demo", text: "Who?", schema });
    await vi.advanceTimersByTimeAsync(ARMING_MS + 200);
    press(button("Submit"));
    expect(text(".mcpapp-error")).toBe("Required.");
    const input = slot.querySelector<HTMLInputElement>("[name=name]");
    if (input) input.value = "Ada";
    press(button("Submit"));
    await vi.advanceTimersByTimeAsync(10);
    expect(model.of("answer")[0]?.message).toEqual({
      ask: "e",
      decision: "accept",
      content: { name: "Ada" },
    });
  });

  it("can be declined, and by Escape it is not answered", async () => {
    model.push("ask", "", { ask: "e", type: "elicitation", app: "Demo", text: "Who?", schema });
    await vi.advanceTimersByTimeAsync(ARMING_MS + 200);
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    expect(model.of("answer")).toEqual([]);
    press(button("Decline"));
    await vi.advanceTimersByTimeAsync(10);
    expect(model.of("answer")[0]?.message).toEqual({ ask: "e", decision: "decline" });
  });

  it("that is an address is opened by the click itself", async () => {
    const open = vi.fn();
    vi.stubGlobal("open", open);
    model.push("ask", "", {
      ask: "u",
      type: "elicitation",
      app: "Demo",
      text: "Log in",
      url: "https://a.example/x",
    });
    await vi.advanceTimersByTimeAsync(ARMING_MS + 200);
    press(button("Open https://a.example"));
    expect(open).toHaveBeenCalledWith("https://a.example/x", "_blank", "noopener,noreferrer");
    model.push("ask", "", {
      ask: "v",
      type: "elicitation",
      app: "Demo",
      text: "Log in",
      url: "javascript:1",
    });
    expect(slot.querySelectorAll(".mcpapp-strip .mcpapp-primary")).toHaveLength(0);
  });
});
