/** JSON values as they travel: encoding that cannot throw, text that cannot lie, sizes as people read them. */

export type JsonObject = Record<string, unknown>;

/** An object in the JSON sense: no array, no null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON text of `value`, or `undefined` when it has none (cycles, BigInt, functions). */
export function encode(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

// Controls, bidirectional overrides, zero-width and tag characters: what makes a text look like another.
const INVISIBLE = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** `value` as one line without invisible characters, cut to `limit` characters. */
export function cleanLine(value: unknown, limit = 200): string {
  const text = typeof value === "string" ? value : value === undefined || value === null ? "" : String(value);
  const line = text
    .slice(0, limit * 4)
    .replace(INVISIBLE, " ")
    .replace(/\s+/g, " ")
    .trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** `text` with invisible characters spelled out as `\uXXXX`; line breaks stay. */
export function spellOut(text: string): string {
  return text.replace(INVISIBLE, (match) =>
    Array.from(
      { length: match.length },
      (_, i) => `\\u${match.charCodeAt(i).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

/** Bytes as people read them. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
  return `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`;
}

/** An unguessable id. Not `crypto.randomUUID`: that one is missing on plain-http notebook servers. */
export function randomId(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return prefix + Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
