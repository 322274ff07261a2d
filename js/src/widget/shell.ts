/**
 * The shell: our own document between the notebook and an app's page.
 *
 * It carries the Content-Security-Policy, which the page in its inner frame inherits; because the policy governs
 * the shell's frames too, the page cannot navigate itself to an undeclared origin. The document is a constant
 * with one hole, the policy. It talks to the notebook over a `MessagePort` only, and takes page messages only
 * from the window of its own inner frame.
 */

/** Key that marks what our line in the page reports. Untrusted: the page can forge it, for its own log only. */
export const REPORT = "mcpapps-report";

/** Notebook → shell. */
export type ToShell =
  | { page: string; allow: string; scheme: string; limit: number }
  | { message: unknown }
  | { scheme: string; backdrop: string }
  | { credit: number };

/** Messages of a page that may be on their way to the notebook at the same time. */
export const CREDIT = 256;

/** Shell → notebook: JSON text of a page's message, a message without JSON, or the page's n-th load. */
export type FromShell =
  | { text: string }
  | { bad: string; id: string | number | null }
  | { load: number }
  | { blocked: { directive: string; uri: string } };

// Runs inside the shell, so it may not refer to anything outside of itself.
function shell(credit: number): void {
  let port: MessagePort | undefined;
  let frame: HTMLIFrameElement | undefined;
  let loads = 0;
  let limit = 0;
  // A flood piles up here, with the page, and never in the notebook: that one takes so many at a time.
  let waiting: object[] = [];
  const holder = document.body.appendChild(document.createElement("div"));
  // Closed, so that no other frame can name the page's window by index.
  const root = holder.attachShadow({ mode: "closed" });
  const fill = (element: HTMLElement) => {
    element.style.cssText = "display:block;width:100%;height:100%;border:0;margin:0";
  };
  fill(holder);

  const fromPage = (data: unknown) => {
    const id = (data as { id?: unknown } | null)?.id;
    const known = typeof id === "string" || (typeof id === "number" && Number.isFinite(id)) ? id : null;
    let text: string | undefined;
    let bad = "the message is not JSON";
    try {
      text = JSON.stringify(data);
    } catch (error) {
      bad = String(error);
    }
    // Three bytes a unit is the most that UTF-8 can need. What is too large is not even passed on.
    if (text && text.length * 3 > limit) {
      const { size } = new Blob([text]);
      if (size > limit) {
        bad = `a message of ${size} bytes is over the limit of ${limit} bytes`;
        text = undefined;
      }
    }
    const item = text === undefined ? { bad, id: known } : { text };
    if (credit > 0) {
      credit--;
      port?.postMessage(item);
    } else if (waiting.length < 20_000) {
      waiting.push(item);
    } else if (known !== null) {
      const error = { code: -32000, message: "Too many messages at once" };
      frame?.contentWindow?.postMessage({ jsonrpc: "2.0", id: known, error }, "*");
    }
  };

  const refill = (more: number) => {
    credit += more;
    const next = waiting.slice(0, credit);
    waiting = waiting.slice(credit);
    credit -= next.length;
    for (const item of next) port?.postMessage(item);
  };

  const fromHost = (data: {
    page?: string;
    limit: number;
    allow: string;
    scheme?: string;
    backdrop?: string;
    credit?: number;
    message: unknown;
  }) => {
    if (data.credit) refill(data.credit);
    else if (data.page !== undefined && !frame) {
      limit = data.limit;
      frame = document.createElement("iframe");
      frame.setAttribute("sandbox", "allow-scripts allow-forms");
      frame.referrerPolicy = "no-referrer";
      frame.allow = data.allow;
      fill(frame);
      frame.style.colorScheme = data.scheme ?? "light";
      frame.onload = () => port?.postMessage({ load: ++loads });
      frame.srcdoc = data.page;
      root.append(frame);
    } else if (data.scheme !== undefined) {
      if (frame) {
        frame.style.colorScheme = data.scheme;
        frame.style.background = data.backdrop ?? "";
      }
    } else {
      frame?.contentWindow?.postMessage(data.message, "*");
    }
  };

  addEventListener("message", (event) => {
    if (frame && event.source === frame.contentWindow) {
      fromPage(event.data);
    } else if (event.source === parent && !port && event.ports[0]) {
      port = event.ports[0];
      port.onmessage = (message) => fromHost(message.data);
    }
  });
  addEventListener("securitypolicyviolation", (event) => {
    port?.postMessage({ blocked: { directive: event.effectiveDirective, uri: event.blockedURI } });
  });
}

// Runs as the first script of the page. `key` is REPORT.
function reporter(key: string): void {
  const w = window as unknown as Record<string, unknown>;
  const post = parent.postMessage.bind(parent);
  const report = (what: string, detail?: unknown) => post({ [key]: what, detail }, "*");
  report("start");
  document.currentScript?.remove();
  // Best effort: WebRTC is the one way out that no Content-Security-Policy closes.
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel"]) delete w[name];
  addEventListener("securitypolicyviolation", (event) => {
    report("csp", { directive: event.effectiveDirective, uri: event.blockedURI, line: event.lineNumber });
  });
  addEventListener("pointerdown", () => report("click"), true);
  // An ordinary link would open nothing or lose the page: going elsewhere is refused, and a new tab too.
  addEventListener("click", (event) => {
    const link = event.composedPath().find((it) => it instanceof HTMLAnchorElement && it.href !== "");
    if (event.defaultPrevented || !(link instanceof HTMLAnchorElement)) return;
    if (/^(about|javascript|blob|data):/.test(link.protocol)) return;
    event.preventDefault();
    report("link", link.href);
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) report("escape");
  });
  const media = matchMedia("(prefers-color-scheme: dark)");
  let last = "";
  const look = () => {
    if (!document.body) return;
    const html = getComputedStyle(document.documentElement);
    const body = getComputedStyle(document.body);
    const detail = [html.colorScheme, media.matches, body.color, html.backgroundColor, body.backgroundColor];
    if (String(detail) !== last) report("look", detail);
    last = String(detail);
  };
  const options = { attributes: true, attributeFilter: ["class", "style", "data-theme"] };
  const watch = new MutationObserver(() => setTimeout(look));
  watch.observe(document.documentElement, options);
  addEventListener("DOMContentLoaded", () => {
    look();
    watch.observe(document.body, options);
  });
  addEventListener("load", look);
  media.addEventListener("change", look);
}

const escapeAttribute = (text: string): string =>
  text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

/**
 * The shell's HTML with `csp` as its whole policy.
 *
 * The base comes before the policy, which forbids one. The page inherits it: without it a link to `#part` of the
 * page would resolve against the notebook's address, whose navigation is blocked, and the page would be lost;
 * and `document.baseURI` would tell the page the notebook's address.
 */
export function shellDocument(csp: string): string {
  return (
    '<!doctype html><html style="height:100%;color-scheme:light"><head><meta charset="utf-8"><base href="about:srcdoc">' +
    `<meta http-equiv="Content-Security-Policy" content="${escapeAttribute(csp)}">` +
    '<meta name="referrer" content="no-referrer"></head>' +
    `<body style="height:100%;margin:0;overflow:hidden"><script>(${shell})(${CREDIT})</script></body></html>`
  );
}

const REPORTER_LINE = `<script>(${reporter})(${JSON.stringify(REPORT)})</script>`;

/** The page as it is shown: untouched but for one line of ours before everything else. */
export function pageDocument(html: string): string {
  // A byte order mark is only one at the very start.
  return REPORTER_LINE + html.replace(/^\ufeff/, "");
}
