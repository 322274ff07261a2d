/** Sizes and display modes: how high the page is, and how it leaves the cell without being moved in the DOM. */

import { NEVER } from "./timers";

export const MIN_HEIGHT = 60;
export const MAX_HEIGHT = 5000;
/** Smaller differences are rounding, not a wish. */
const HYSTERESIS = 2;
/** At most ten layout changes a second. */
const INTERVAL_MS = 100;
/** After so many changes in a row that each follow from the one before, the page is chasing its own size. */
const LOOP_LENGTH = 8;
/** A page that has asked for nothing this long is at rest. */
export const REST_MS = 1000;

const HEIGHT = "--mcpapp-height";

/** Gives the page in `body`, and what stands in its place while it is loaded, a height. */
export function setHeight(body: HTMLElement, height: number): void {
  body.style.setProperty(HEIGHT, `${height}px`);
}

export function hasHeight(body: HTMLElement): boolean {
  return body.style.getPropertyValue(HEIGHT) !== "";
}

/**
 * Decides which of the heights that a page asks for is applied.
 *
 * A page whose height depends on its frame's (`100vh` plus a margin) would grow without end, or flip between two
 * heights, if every wish were granted. Such runs are stopped. A page that is only animating asks for something
 * new while it is held, which frees it at once; one that was held on its last step gets that step by `settle`.
 */
export class HeightGovernor {
  #current = 0;
  #changes: { height: number; at: number }[] = [];
  /** The wish that is not granted, and by how much it was more than the height it was made at. */
  #held: { wish: number; step: number; tried: boolean } | undefined;

  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The height to apply for this wish, or `undefined` to leave things as they are. */
  propose(wish: unknown): number | undefined {
    if (typeof wish !== "number" || !Number.isFinite(wish) || wish <= 0) return undefined;
    const height = Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, Math.ceil(wish)));
    if (near(height, this.#current)) return undefined;
    if (this.#held) {
      if (near(height, this.#held.wish)) return undefined;
      if (this.#held.tried && near(height - this.#current, this.#held.step)) {
        this.#held.wish = height;
        return undefined;
      }
      this.#held = undefined;
      this.#changes = [];
    }
    const now = this.#now();
    if (now - (this.#changes.at(-1)?.at ?? now) > REST_MS) this.#changes = [];
    this.#changes = [...this.#changes, { height, at: now }].slice(-LOOP_LENGTH);
    const loop = this.#loop();
    if (loop === "growing") {
      this.#held = { wish: height, step: height - this.#current, tried: false };
      return undefined;
    }
    if (loop === "flipping") {
      // The taller of the two, so that nothing is cut off.
      const taller = Math.max(height, this.#current);
      this.#held = { wish: Math.min(height, this.#current), step: 0, tried: true };
      if (taller === this.#current) return undefined;
      this.#current = taller;
      return taller;
    }
    this.#current = height;
    return height;
  }

  /** The last wish of a page that was held while growing and has been at rest since: granted once. */
  settle(): number | undefined {
    if (!this.#held || this.#held.tried) return undefined;
    this.#held.tried = true;
    this.#current = this.#held.wish;
    return this.#current;
  }

  /** Whether `settle` has something to grant. */
  get unsettled(): boolean {
    return this.#held?.tried === false;
  }

  #loop(): "growing" | "flipping" | undefined {
    if (this.#changes.length < LOOP_LENGTH) return undefined;
    const steps = this.#changes.slice(1).map((change, i) => change.height - (this.#changes[i]?.height ?? 0));
    const first = steps[0] ?? 0;
    if (first > 0 && steps.every((step) => near(step, first))) return "growing";
    if (steps.every((step, i) => i === 0 || near(step, -(steps[i - 1] ?? 0)))) return "flipping";
    return undefined;
  }
}

function near(a: number, b: number): boolean {
  return Math.abs(a - b) <= HYSTERESIS;
}

/** Runs the latest of many calls, at most every 100 ms and in an animation frame. */
export class Coalescer<T> {
  #latest: T | undefined;
  #waiting = false;
  #last = NEVER;

  readonly #run: (value: T) => void;

  constructor(run: (value: T) => void) {
    this.#run = run;
  }

  push(value: T): void {
    this.#latest = value;
    if (this.#waiting) return;
    this.#waiting = true;
    const apply = () => {
      this.#waiting = false;
      this.#last = performance.now();
      this.#run(this.#latest as T);
    };
    const wait = INTERVAL_MS - (performance.now() - this.#last);
    if (wait > 0) setTimeout(() => requestAnimationFrame(apply), wait);
    else requestAnimationFrame(apply);
  }
}

export type DisplayMode = "inline" | "fullscreen" | "pip";
export const DISPLAY_MODES: readonly DisplayMode[] = ["inline", "fullscreen", "pip"];

/**
 * Shows `root` in a mode by CSS and the top layer alone.
 *
 * Moving an iframe reloads it, and `position: fixed` alone is caught by the containment that JupyterLab puts on
 * cells; an element shown as a popover escapes every ancestor while it stays where it is in the DOM.
 */
export function applyDisplayMode(root: HTMLElement, mode: DisplayMode): void {
  const slot = root.parentElement;
  const out = mode !== "inline";
  // The cell keeps its height meanwhile, or the notebook would jump.
  if (slot && out && root.dataset.mode === "inline") slot.style.minHeight = `${root.offsetHeight}px`;
  root.dataset.mode = mode;
  root.classList.toggle("mcpapp-out", out);
  if (out) {
    if (root.popover !== "manual") root.popover = "manual";
    if (!isShown(root)) root.showPopover?.();
  } else {
    root.removeAttribute("popover");
    if (slot) slot.style.minHeight = "";
  }
}

function isShown(root: HTMLElement): boolean {
  try {
    return root.matches(":popover-open");
  } catch {
    return false;
  }
}
