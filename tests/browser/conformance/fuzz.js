// Random messages of a page: requests with fresh ids among all that resembles them. `fuzz(seed, count)` posts them
// and gives the ids of those that are requests; `unanswered(ids)` is what has had no answer yet.

function dice(seed) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return { chance: (share) => next() < share, pick: (list) => list[Math.floor(next() * list.length)] };
}

const CYCLE = {};
CYCLE.itself = CYCLE;
const THINGS = [
  ...[null, undefined, true, 0, -1, 0.5, Number.NaN, Infinity, 10n, "", "text", "\u0000\ud83d", "x".repeat(70_000)],
  ...[[], {}, [[[]]], CYCLE, new Map([[1, 2]]), new Date(0), new Uint8Array(9), new Blob(["x"]), /x/],
  JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {}}}'),
];
// None of these waits for a person or ends the page.
const METHODS = [
  ...["ping", "tools/call", "tools/call", "tools/list", "resources/read", "resources/list", "prompts/get"],
  ...["resources/subscribe", "resources/unsubscribe", "completion/complete", "sampling/createMessage"],
  ...["ui/update-model-context", "ui/request-display-mode", "nonsense", "ui/nonsense", "__proto__", "hasOwnProperty"],
  ...["notifications/message", "ui/notifications/size-changed", "ui/notifications/sandbox-resource-ready", "noise"],
];
const NAMES = ["echo", "count", "everything", "fail", "for_models", "for_pages", "nope", "__class__"];

function fuzz(seed, count) {
  const { chance, pick } = dice(seed);
  const anything = (depth = 0) =>
    depth < 3 && chance(0.2)
      ? { [pick(["name", "arguments", "uri", "_meta", "content", "role", "__proto__"])]: anything(depth + 1) }
      : pick(THINGS);
  const ids = [];
  for (let number = 0; number < count; number++) {
    if (chance(0.02)) {
      parent.postMessage(anything(), "*");
      continue;
    }
    const method = pick(METHODS);
    const message = { jsonrpc: "2.0", method };
    if (chance(0.9)) message.params = { name: pick(NAMES), arguments: {}, uri: "raw://numbers" };
    if (chance(0.3)) message.params = anything();
    if (chance(0.1)) message[pick(["jsonrpc", "method", "result", "error", "extra"])] = anything();
    if (chance(0.03)) delete message[pick(["jsonrpc", "method"])];
    if (chance(0.8)) {
      message.id = chance(0.5) ? `${seed}-${number}` : seed * 1e6 + number;
      // Without a method it may be a response, which nobody answers.
      if (message.method !== undefined) ids.push(message.id);
    } else if (chance(0.2)) message.id = pick([null, {}, [], Number.NaN, true]);
    parent.postMessage(message, "*");
  }
  return ids;
}

/** What of these ids is not answered; an answer is taken once. */
function unanswered(ids) {
  const answered = new Set(seen.filter((message) => message && !message.method).map(({ id }) => id));
  return ids.filter((id) => !answered.has(id));
}
