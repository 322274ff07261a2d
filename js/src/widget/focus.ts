/** Keeps a page from taking the keyboard away from the cell that somebody is typing in. */

const TYPING_MS = 3000;
const LOADING_MS = 5000;
const TAB_MS = 500;

/**
 * Gives the focus back when a frame takes it unasked: while somebody types elsewhere, or while the page loads,
 * unless the pointer is over the frame or the Tab key just led there.
 */
export function guardFocus(frame: HTMLElement, loadedAt: () => number, signal: AbortSignal): void {
  let last: HTMLElement | undefined;
  let typed = Number.NEGATIVE_INFINITY;
  let tabbed = Number.NEGATIVE_INFINITY;
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
      if (event.target instanceof HTMLElement && event.target !== frame) last = event.target;
    },
    options,
  );
  // The window loses the focus when one of its frames gets it; the active element is then our frame's host.
  window.addEventListener(
    "blur",
    () => {
      const now = performance.now();
      if (document.activeElement !== frame || frame.matches(":hover") || now - tabbed < TAB_MS) return;
      if (now - typed > TYPING_MS && now - loadedAt() > LOADING_MS) return;
      if (last?.isConnected) last.focus({ preventScroll: true });
      else frame.blur();
    },
    options,
  );
}
