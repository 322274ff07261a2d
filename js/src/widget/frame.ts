/** The frame element of one page: the shell in a closed shadow root, a fresh port for each of its loads. */

import { CREDIT, type FromShell, pageDocument, shellDocument, type ToShell } from "./shell";
import type { PageSource } from "./wire";

export interface FrameHandlers {
  /** JSON text that the page posted. */
  message(text: string): void;
  /** The page posted something that has no JSON. */
  bad(reason: string, id: string | number | null): void;
  /** The page's document has loaded for the n-th time in this shell. */
  load(count: number): void;
  /** The shell's own policy stopped something: the page tried to navigate itself. */
  blocked(directive: string, uri: string): void;
  /** The shell has (re)loaded: whatever page was there is gone. */
  restart(): void;
}

export class Frame {
  /** The element to place; it has to stay where it is put, moving it reloads the page. */
  readonly element: HTMLDivElement;
  #port: MessagePort | undefined;
  #scheme: string;

  constructor(source: PageSource, title: string, scheme: string, limit: number, handlers: FrameHandlers) {
    this.#scheme = scheme;
    this.element = document.createElement("div");
    this.element.className = "mcpapp-frame";
    const iframe = document.createElement("iframe");
    iframe.setAttribute("sandbox", "allow-scripts allow-forms");
    iframe.referrerPolicy = "no-referrer";
    iframe.allow = source.allow;
    iframe.title = title;
    iframe.style.cssText = "display:block;width:100%;height:100%;border:0;margin:0;color-scheme:light";
    iframe.addEventListener("load", () => {
      this.#port?.close();
      handlers.restart();
      const { port1, port2 } = new MessageChannel();
      let taken = 0;
      port1.onmessage = ({ data }: MessageEvent<FromShell>) => {
        if ("load" in data) handlers.load(data.load);
        else if ("blocked" in data) handlers.blocked(data.blocked.directive, data.blocked.uri);
        else {
          if (++taken % (CREDIT / 2) === 0) this.#tell({ credit: CREDIT / 2 });
          if ("text" in data) handlers.message(data.text);
          else handlers.bad(data.bad, data.id);
        }
      };
      this.#port = port1;
      iframe.contentWindow?.postMessage(null, "*", [port2]);
      this.#tell({ page: pageDocument(source.html), allow: source.allow, scheme: this.#scheme, limit });
    });
    iframe.srcdoc = shellDocument(source.csp);
    // Closed: other frames on this page must not reach the shell as `top[i]`.
    this.element.attachShadow({ mode: "closed" }).append(iframe);
  }

  /** Posts a JSON-RPC message to the page. */
  post(message: unknown): void {
    this.#tell({ message });
  }

  /** Matches both frames to the page's colour scheme, so that its background stays transparent. */
  look(scheme: string, backdrop: string): void {
    this.#scheme = scheme;
    this.#tell({ scheme, backdrop });
  }

  remove(): void {
    this.#port?.close();
    this.#port = undefined;
    this.element.remove();
  }

  #tell(data: ToShell): void {
    this.#port?.postMessage(data);
  }
}
