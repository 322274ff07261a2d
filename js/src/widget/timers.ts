/** Moments, and timeouts that end with their owner. */

/** When something happened that has not happened yet. */
export const NEVER = Number.NEGATIVE_INFINITY;

/** Calls `act` after `ms` milliseconds unless `signal` aborts first. */
export function later(ms: number, act: () => void, signal: AbortSignal): void {
  if (signal.aborted) return;
  const timer = setTimeout(act, ms);
  signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
}
