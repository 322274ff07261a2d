import { describe, expect, it } from "vitest";
import { applyDisplayMode, HeightGovernor } from "../../src/widget/layout";

describe("HeightGovernor", () => {
  it.each([0, -3, Number.NaN, Number.POSITIVE_INFINITY, "300", null, undefined, {}])("ignores %s", (wish) =>
    expect(new HeightGovernor().propose(wish)).toBeUndefined(),
  );

  it("clamps, rounds up and has hysteresis", () => {
    const governor = new HeightGovernor();
    expect(governor.propose(10)).toBe(60);
    expect(governor.propose(99_999)).toBe(5000);
    expect(governor.propose(300.2)).toBe(301);
    expect(governor.propose(302)).toBeUndefined();
    expect(governor.propose(304)).toBe(304);
  });

  it("stops a page that grows with its frame, and grants it one step more", () => {
    let now = 0;
    const governor = new HeightGovernor(() => now);
    let frame = 200;
    const page = () => frame + 16; // 100vh and a margin
    const turn = () => {
      now += 100;
      frame = governor.propose(page()) ?? frame;
    };
    for (let i = 0; i < 100; i++) turn();
    const held = frame;
    expect(held).toBeLessThan(400);
    expect(governor.unsettled).toBe(true);
    frame = governor.settle() ?? frame;
    for (let i = 0; i < 100; i++) turn();
    expect(frame).toBe(held + 16);
    expect(governor.settle()).toBeUndefined();
  });

  it("settles a page that flips between two heights on the taller one", () => {
    let now = 0;
    const governor = new HeightGovernor(() => now);
    let frame = 300;
    const seen: number[] = [];
    for (let i = 0; i < 50; i++) {
      now += 100;
      frame = governor.propose(frame === 300 ? 320 : 300) ?? frame;
      seen.push(frame);
    }
    expect(new Set(seen.slice(-30))).toEqual(new Set([320]));
  });

  it("lets an animation run to its end", () => {
    let now = 0;
    const governor = new HeightGovernor(() => now);
    let frame = 200;
    for (let height = 210; height <= 600; height += 10) {
      now += 100;
      frame = governor.propose(height) ?? frame;
    }
    frame = governor.settle() ?? frame;
    expect(frame).toBe(600);
  });

  it("takes up a page's real change after a loop", () => {
    let now = 0;
    const governor = new HeightGovernor(() => now);
    let frame = 200;
    for (let i = 0; i < 20; i++) {
      now += 100;
      frame = governor.propose(frame + 16) ?? frame;
    }
    expect(governor.propose(900)).toBe(900);
  });
});

describe("applyDisplayMode", () => {
  it("never moves the element and keeps the cell's height", () => {
    const slot = document.createElement("div");
    const root = slot.appendChild(document.createElement("div"));
    root.dataset.mode = "inline";
    applyDisplayMode(root, "fullscreen");
    expect(root.parentElement).toBe(slot);
    expect(root.dataset.mode).toBe("fullscreen");
    expect(slot.style.minHeight).toMatch(/px$/);
    applyDisplayMode(root, "inline");
    expect(slot.style.minHeight).toBe("");
    expect(root.hasAttribute("popover")).toBe(false);
  });
});
