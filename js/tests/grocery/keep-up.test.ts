import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keepUp } from "../../src/grocery/keep-up";

let visibility = "visible";

beforeEach(() => {
  vi.useFakeTimers();
  visibility = "visible";
  vi.spyOn(document, "visibilityState", "get").mockImplementation(
    () => visibility as DocumentVisibilityState,
  );
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function setVisibility(state: string): void {
  visibility = state;
  document.dispatchEvent(new Event("visibilitychange"));
}

test("looks every few seconds, and at once when told", async () => {
  const look = vi.fn(async () => {});
  const keeping = keepUp(look);
  await vi.advanceTimersByTimeAsync(9_500);
  expect(look).toHaveBeenCalledTimes(3);
  keeping.now();
  await vi.advanceTimersByTimeAsync(0);
  expect(look).toHaveBeenCalledTimes(4);
  keeping.stop();
});

test("rests while nobody sees the page, and looks as soon as somebody does", async () => {
  const look = vi.fn(async () => {});
  const keeping = keepUp(look);
  setVisibility("hidden");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(look).not.toHaveBeenCalled();
  setVisibility("visible");
  await vi.advanceTimersByTimeAsync(0);
  expect(look).toHaveBeenCalledTimes(1);
  keeping.stop();
});

test("takes longer pauses while the server is gone", async () => {
  const look = vi.fn(async () => {
    throw new Error("gone");
  });
  const keeping = keepUp(look);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(look.mock.calls.length).toBeLessThan(6);
  keeping.stop();
});

test("does not look twice at once, but once more if told meanwhile", async () => {
  let finish = (): void => {};
  const look = vi.fn(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  const keeping = keepUp(look);
  keeping.now();
  keeping.now();
  keeping.now();
  await vi.advanceTimersByTimeAsync(0);
  expect(look).toHaveBeenCalledTimes(1);
  finish();
  await vi.advanceTimersByTimeAsync(0);
  expect(look).toHaveBeenCalledTimes(2);
  keeping.stop();
  finish();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(look).toHaveBeenCalledTimes(2);
});
