/** Keeps a page from taking the keyboard away from the cell that somebody is typing in. */

import { NEVER } from "./timers";

const TYPING_MS = 3000;
const LOADING_MS = 5000;
const TAB_MS = 500;
/** A click in the page is reported through two frames; by then it is known. */
const REPORT_MS = 60;
const CLICK_MS = 500;

/**
 * Gives the focus back when a frame takes it unasked: while somebody types elsewhere, or while the page loads,
 * unless a click in the page or the Tab key led there. Where the pointer is says nothing by itself: a page that
 * appears under a resting pointer is hovered too.
 */
export function guardFocus(
  frame: HTMLElement,
  loadedAt: () => number,
  clickedAt: () => number,
  signal: AbortSignal,
): void {
  let last: Element | null = document.activeElement;
  let typed = NEVER;
  let tabbed = NEVER;
  const options = { capture: true, signal };
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Tab") tabbed = performance.now();
      else typed = performance.now();
    },
    options,
  );
  document.addEventListener(
    "focusin",
    (event) => {
      if (event.target instanceof Element && event.target !== frame) last = event.target;
    },
    options,
  );
  // The window loses the focus when one of its frames gets it; the active element is then our frame's host.
  const check = () => {
    const now = performance.now();
    if (document.activeElement !== frame || now - tabbed < TAB_MS || now - clickedAt() < CLICK_MS) return;
    if (now - typed > TYPING_MS && now - loadedAt() > LOADING_MS) return;
    if (last instanceof HTMLElement && last.isConnected) last.focus({ preventScroll: true });
    else frame.blur();
  };
  window.addEventListener("blur", () => setTimeout(check, REPORT_MS), options);
}
