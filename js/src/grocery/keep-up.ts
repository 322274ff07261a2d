/** Looking for changes that others made: every few seconds while the page is seen, and at once when told. */

const EVERY = 3_000;
const AT_MOST = 30_000;

export interface KeepUp {
  /** Look now, or as soon as the page is seen. */
  now(): void;
  stop(): void;
}

/**
 * Run `look` again and again. When it throws, the pauses grow, so that a server that is gone is not pestered.
 *
 * One look at a time: being told again during a look starts one more after it, not beside it.
 */
export function keepUp(look: () => Promise<void>): KeepUp {
  let pause = EVERY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let looking = false;
  let again = false;
  let stopped = false;

  const seen = (): boolean => document.visibilityState === "visible";

  function wait(): void {
    clearTimeout(timer);
    if (!stopped && seen()) timer = setTimeout(run, pause);
  }

  async function run(): Promise<void> {
    if (stopped) return;
    if (looking) {
      again = true;
      return;
    }
    looking = true;
    try {
      await look();
      pause = EVERY;
    } catch {
      pause = Math.min(2 * pause, AT_MOST);
    }
    looking = false;
    if (again) {
      again = false;
      void run();
    } else wait();
  }

  const onVisibility = (): void => {
    clearTimeout(timer);
    if (seen()) void run();
  };
  document.addEventListener("visibilitychange", onVisibility);
  wait();

  return {
    now: () => {
      if (!seen()) return; // it will look when it is seen
      clearTimeout(timer);
      void run();
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisibility);
    },
  };
}
