/** How full the shelves are, as bars drawn by hand. */

import { svg } from "./dom";
import type { Named, Sums } from "./stock";
import { percent, plural } from "./texts";

const LINE = 19;
const BAR = 9;
const LABEL = 142;
const NUMBERS = 96;

/**
 * Draw into `figure`, `width` pixels wide.
 *
 * The drawing is one image, with its words in the label. A click on a bar is a short cut to what the filters above
 * the table do for every input device.
 */
export function drawChart(
  figure: HTMLElement,
  caption: string,
  groups: [Named, Sums][],
  width: number,
  pick: (id: number) => void,
): void {
  const label = width < 380 ? 112 : LABEL;
  const room = Math.max(40, width - label - NUMBERS);
  const bars = groups.map(([{ id, name }, sums], index) => {
    const y = index * LINE;
    const filled = Math.min(1, sums.fill) * room;
    return svg(
      "g",
      { transform: `translate(0 ${y})`, "data-pick": id, click: () => pick(id) },
      svg("title", {}, name),
      svg("rect", { width, height: LINE, class: "chart-back" }),
      svg("text", { x: label - 10, y: 13.5, class: "chart-label" }, shortened(name, label)),
      svg("rect", {
        x: label,
        y: (LINE - BAR) / 2,
        width: room,
        height: BAR,
        rx: BAR / 2,
        class: "chart-track",
      }),
      svg("rect", {
        x: label,
        y: (LINE - BAR) / 2,
        width: filled,
        height: BAR,
        rx: BAR / 2,
        class: "chart-bar",
      }),
      svg("text", { x: label + room + 38, y: 13.5, class: "chart-number" }, percent(sums.fill)),
      sums.low > 0 &&
        svg("circle", {
          cx: label + room + 53,
          cy: LINE / 2,
          r: 3.5,
          class: sums.out ? "chart-out" : "chart-low",
        }),
      sums.low > 0 && svg("text", { x: label + room + 61, y: 13.5, class: "chart-note" }, note(sums)),
    );
  });
  const height = groups.length * LINE;
  const words = groups.map(
    ([{ name }, { fill, low, out }]) =>
      `${name} ${percent(fill)}${low > out ? `, ${plural(low - out, "item")} low` : ""}` +
      (out ? `, ${plural(out, "item")} out` : ""),
  );
  figure.replaceChildren(
    svg(
      "svg",
      {
        width,
        height,
        viewBox: `0 0 ${width} ${height}`,
        role: "img",
        "aria-label": `${caption}: ${words.join("; ")}`,
      },
      ...bars,
    ),
  );
}

function shortened(name: string, width: number): string {
  const most = Math.floor((width - 10) / 6.6);
  return name.length > most ? `${name.slice(0, most - 1).trimEnd()}…` : name;
}

/** What is the matter beside a bar: the red dot is about what is out, the yellow one about what is low. */
function note({ low, out }: Sums): string {
  return out > 0 ? `${out} out` : `${low} low`;
}
