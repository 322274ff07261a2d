/** What a Content-Security-Policy violation of a page means to the author of the app. */

import type { JsonObject } from "./json";

const KEYS: [RegExp, string][] = [
  [/^connect-src/, "connectDomains"],
  [/^(script|style|img|font|media)-src/, "resourceDomains"],
  [/^frame-src/, "frameDomains"],
  [/^base-uri/, "baseUriDomains"],
];

export interface Violation {
  text: string;
  data: { directive: string; uri: string; line: number };
}

/** A report of the page, untrusted, as a log entry; names the key and the origin that the server would declare. */
export function readViolation({ directive, uri, line }: JsonObject): Violation {
  const data = {
    directive: String(directive).slice(0, 100),
    uri: String(uri).slice(0, 500),
    line: Number(line) || 0,
  };
  const key = KEYS.find(([pattern]) => pattern.test(data.directive))?.[1];
  const origin = URL.canParse(data.uri) ? new URL(data.uri).origin : "null";
  const advice =
    key && origin !== "null" ? ` (the server would have to declare ${origin} in csp.${key})` : "";
  return { text: `Blocked by ${data.directive}: ${data.uri}${advice}`, data };
}
