/** Files that a page hands over: named, typed and sized for the person, saved by the browser on a click of ours. */

import { h } from "./dom";
import { cleanLine, formatSize, isObject } from "./json";
import { Strip, type Words } from "./strips";

/** Reads a resource of the page's own server; the answer is the result of `resources/read`. */
export type ReadResource = (uri: string) => Promise<unknown>;

export interface FileOffer {
  name: string;
  type: string;
  /** Absent for a link that is read only after the person agrees. */
  data: Blob | undefined;
  uri: string;
}

const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;

/** A file name without a path, without characters that mislead or that a file system refuses. */
export function cleanName(text: string, fallback = "download"): string {
  const base = cleanLine(text, 1000).split(/[\\/]/).at(-1) ?? "";
  let name = base
    .replace(/[<>:"|?*]/g, "_")
    .replace(/^[.\s]+|[.\s]+$/g, "")
    .trim();
  if (name.length > 120) {
    const dot = name.lastIndexOf(".");
    const extension = dot > 0 && name.length - dot <= 12 ? name.slice(dot) : "";
    name = name.slice(0, 120 - extension.length) + extension;
  }
  if (RESERVED.test(name)) name = `_${name}`;
  return name || fallback;
}

/** The file name that an address suggests. */
function nameOf(uri: string): string {
  const last = uri.split(/[?#]/)[0]?.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** Bytes of base64 text, standard or url-safe, padded or not; `undefined` when it is neither. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const standard = text.replace(/\s+/g, "").replace(/-/g, "+").replace(/_/g, "/").replace(/=+$/, "");
  try {
    return Uint8Array.from(atob(standard), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function blobOf(content: Record<string, unknown>, type: string): Blob | undefined {
  if (typeof content.text === "string") return new Blob([content.text], { type });
  const bytes = typeof content.blob === "string" ? decodeBase64(content.blob) : undefined;
  return bytes && new Blob([bytes], { type });
}

const mime = (value: unknown, fallback: string): string =>
  typeof value === "string" && /^[\w.+-]+\/[\w.+-]+(;[^\r\n]*)?$/.test(value) ? value : fallback;

/** What one item of `ui/download-file` offers, or `undefined` when it is not a file. */
export function readOffer(item: unknown): FileOffer | undefined {
  if (!isObject(item)) return undefined;
  if (item.type === "resource" && isObject(item.resource)) {
    const { resource } = item;
    const uri = typeof resource.uri === "string" ? resource.uri : "";
    const type = mime(
      resource.mimeType,
      typeof resource.text === "string" ? "text/plain" : "application/octet-stream",
    );
    const data = blobOf(resource, type);
    return data && { name: cleanName(nameOf(uri)), type, data, uri };
  }
  if (item.type === "resource_link" && typeof item.uri === "string") {
    const name = typeof item.name === "string" && item.name !== "" ? item.name : nameOf(item.uri);
    return { name: cleanName(name), type: mime(item.mimeType, ""), data: undefined, uri: item.uri };
  }
  return undefined;
}

function save(name: string, data: Blob): void {
  const url = URL.createObjectURL(data);
  const anchor = h("a", { href: url, download: name, rel: "noopener" });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export type DownloadLog = (text: string, decision: string, offers: readonly FileOffer[]) => void;

/** The downloads of one view: one question at a time. */
export class Downloads {
  #pending: { strip: Strip; finish: (saved: boolean) => void } | undefined;

  readonly #who: () => Words;
  readonly #place: (strip: Strip) => void;
  readonly #log: DownloadLog;
  readonly #read: ReadResource;
  readonly #allowed: () => boolean;

  constructor(
    who: () => Words,
    place: (strip: Strip) => void,
    log: DownloadLog,
    read: ReadResource,
    allowed: () => boolean,
  ) {
    this.#who = who;
    this.#place = place;
    this.#log = log;
    this.#read = read;
    this.#allowed = allowed;
  }

  /** Offers the files to the person. Resolves to whether all of them were handed to the browser. */
  request(contents: readonly unknown[]): Promise<boolean> {
    const offers = contents.map(readOffer).filter((offer) => offer !== undefined);
    if (offers.length < contents.length || !this.#allowed() || this.#pending) {
      this.#log("A download was refused", "refused", offers);
      return Promise.resolve(false);
    }
    return new Promise((resolve) => {
      const finish = (saved: boolean) => {
        this.#pending?.strip.close();
        this.#pending = undefined;
        resolve(saved);
      };
      const rows = offers.map((offer) => {
        const about = [
          offer.type || "unknown type",
          offer.data ? formatSize(offer.data.size) : "size not known yet",
        ];
        return h(
          "li",
          {},
          h("strong", {}, offer.name),
          h("span", { class: "mcpapp-quiet" }, ` ${about.join(" · ")}`),
        );
      });
      const title = offers.length === 1 ? "Save this file?" : `Save these ${offers.length} files?`;
      const strip = new Strip(
        "file",
        [...this.#who(), ` asks: ${title}`],
        [h("ul", { class: "mcpapp-files" }, ...rows)],
        [
          {
            label: "Save",
            primary: true,
            run: () => {
              strip.busy();
              void this.#saveAll(offers, () => this.#pending?.strip === strip).then((saved) => {
                if (this.#pending?.strip === strip) finish(saved);
              });
            },
          },
          {
            label: "Cancel",
            run: () => {
              this.#log("A download was cancelled", "cancel", offers);
              finish(false);
            },
          },
        ],
      );
      this.#pending = { strip, finish };
      this.#place(strip);
    });
  }

  cancel(): void {
    this.#pending?.finish(false);
  }

  async #saveAll(offers: readonly FileOffer[], wanted: () => boolean): Promise<boolean> {
    let complete = true;
    for (const offer of offers) {
      const data = offer.data ?? (await this.#fetch(offer));
      if (!wanted()) return false;
      if (data) save(offer.name, data);
      else complete = false;
    }
    this.#log(
      complete ? "A download was saved" : "A download could not be read",
      complete ? "save" : "failed",
      offers,
    );
    return complete;
  }

  async #fetch(offer: FileOffer): Promise<Blob | undefined> {
    const result = await this.#read(offer.uri);
    const contents = isObject(result) && Array.isArray(result.contents) ? result.contents : [];
    const content = contents.find(isObject);
    return content && blobOf(content, mime(content.mimeType, offer.type || "application/octet-stream"));
  }
}
