/** Making elements. */

export interface Attributes {
  [name: string]: string | number | boolean | ((event: never) => void) | undefined;
}

export type Child = Node | string | false | null | undefined;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child): child is Node | string => Boolean(child)));
}

/** An HTML element. Functions become listeners of the event they are named for; `true` sets an empty attribute. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/** An SVG element. */
export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

/** A line icon of 16 by 16 units; says nothing to a screen reader. */
export const icon = (path: string): SVGSVGElement =>
  svg("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" }, svg("path", { d: path }));

/** Set text only when it differs, so that a live region speaks once. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
