/** Building DOM without HTML strings: text stays text. */

type Attributes = Record<string, string | boolean | undefined>;

/** An element with attributes and children; strings become text nodes. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string | undefined)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (typeof value === "string") element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

const ICONS = {
  fullscreen: "M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3",
  leave: "M6 3v3H3M13 6h-3V3M10 13v-3h3M3 10h3v3",
  reload: "M13 8a5 5 0 1 1-1.5-3.6M13 2.5V5h-2.5",
  menu: "M3 8h1M7.5 8h1M12 8h1",
  pip: "M2.5 3.5h11v9h-11zM8.5 8.5h4v3h-4z",
  log: "M3 4h10M3 8h10M3 12h6",
  close: "M4 4l8 8M12 4l-8 8",
  link: "M6.5 4H4v8h8V9.5M9 3.5h3.5V7M12.3 3.7 7.5 8.5",
  file: "M8 3v7M5 7.5 8 10.5l3-3M3 13h10",
  shield: "M8 2.5 3.5 4v3.5c0 3 1.8 5 4.5 6 2.7-1 4.5-3 4.5-6V4z",
  message: "M3 3.5h10v7H7.5L5 13v-2.5H3z",
  form: "M3.5 3h9v10h-9zM6 6h4M6 8.5h4",
  alert: "M8 3 2.5 13h11zM8 7v2.5M8 11.3h.01",
} as const;

export type IconName = keyof typeof ICONS;

/** A line icon in the text's colour. */
export function icon(name: IconName): SVGSVGElement {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "mcpapp-icon");
  const path = document.createElementNS(ns, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}
