/** Limits of one page, enforced here first so that a flood never reaches the notebook's websocket. */

import { isObject } from "./json";

export interface Limits {
  /** Requests that may wait for the kernel at the same time. */
  queue: number;
  /** `tools/call` requests a minute, after a burst of `toolCallBurst`. */
  toolCallsPerMinute: number;
  toolCallBurst: number;
  /** Notifications a second; more are dropped and counted. */
  notificationsPerSecond: number;
  /** Bytes of one encoded message. */
  maxMessageBytes: number;
  /** `ui/initialize` requests a minute; a page that restarts more often is stopped. */
  handshakesPerMinute: number;
  /** Seconds without a word from the kernel until a request is given up. */
  kernelGoneSeconds: number;
}

export const DEFAULT_LIMITS: Readonly<Limits> = {
  queue: 512,
  toolCallsPerMinute: 1200,
  toolCallBurst: 200,
  notificationsPerSecond: 100,
  maxMessageBytes: 64 * 1024 * 1024,
  handshakesPerMinute: 20,
  kernelGoneSeconds: 30,
};

/** The defaults with the positive numbers of `value` in their place. */
export function readLimits(value: unknown): Limits {
  const limits: Limits = { ...DEFAULT_LIMITS };
  if (!isObject(value)) return limits;
  for (const key of Object.keys(DEFAULT_LIMITS) as (keyof Limits)[]) {
    const given = value[key];
    if (typeof given === "number" && Number.isFinite(given) && given > 0) limits[key] = given;
  }
  return limits;
}

/** A token bucket: `burst` at once, then `perSecond`. A refused take costs nothing. */
export class TokenBucket {
  #tokens: number;
  #at: number;

  readonly #burst: number;
  readonly #perSecond: number;
  readonly #now: () => number;

  constructor(burst: number, perSecond: number, now: () => number = () => performance.now()) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#now = now;
    this.#tokens = burst;
    this.#at = now();
  }

  take(): boolean {
    const now = this.#now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) / 1000) * this.#perSecond);
    this.#at = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

/** Handshakes: one a second with a burst of five (a page may start, reload and start again), N a minute. */
export class HandshakeLimit {
  readonly #pace: TokenBucket;
  #recent: number[] = [];

  readonly #perMinute: number;
  readonly #now: () => number;

  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#now = now;
    this.#pace = new TokenBucket(5, 1, now);
  }

  take(): boolean {
    const now = this.#now();
    this.#recent = this.#recent.filter((at) => now - at < 60_000);
    if (this.#recent.length >= this.#perMinute || !this.#pace.take()) return false;
    this.#recent.push(now);
    return true;
  }
}
