/** What stands in the page's place: a spinner while there is none yet, the reason and the next step when there is none. */

import { h, icon } from "./dom";

export class Panel {
  readonly element = h("div", { class: "mcpapp-panel" });

  loading(words: string): void {
    this.element.className = "mcpapp-panel mcpapp-loading";
    this.element.replaceChildren(h("span", { class: "mcpapp-spinner" }), h("span", {}, words));
  }

  /** Says why there is no page, and what to do about it. `relaunch` draws a button for another try. */
  reason(title: string, text: string, hints: string[], relaunch?: () => void): void {
    this.element.className = "mcpapp-panel mcpapp-reason";
    const words = h("div", {}, h("div", { class: "mcpapp-reason-title" }, title));
    if (text) words.append(h("p", {}, text));
    const steps = [...new Set(hints)].filter(Boolean).map(nextStep);
    if (steps[0]?.localName === "code") steps.unshift(h("span", {}, "Next:"));
    if (steps.length > 0) words.append(h("p", { class: "mcpapp-quiet mcpapp-next" }, ...steps));
    this.element.replaceChildren(icon("alert"), words);
    if (!relaunch) return;
    const button = h("button", { type: "button" }, "Relaunch");
    button.addEventListener("click", relaunch);
    this.element.append(button);
  }

  remove(): void {
    this.element.remove();
  }
}

/** A hint as words; one that can be run in a cell looks like it. */
function nextStep(hint: string): HTMLElement {
  return h(hint.startsWith("%") ? "code" : "span", {}, hint);
}
