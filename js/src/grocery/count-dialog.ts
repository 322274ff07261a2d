/** The question before a count replaces what is recorded: that cannot be taken back. */

import { h } from "./dom";
import type { Row } from "./stock";
import { amount } from "./texts";

/** Ask for the counted quantity. `null` if the person thought better of it. */
export function askCount(row: Row): Promise<number | null> {
  return new Promise((resolve) => {
    const input = h("input", {
      type: "number",
      id: "count",
      min: 0,
      max: 99_999,
      step: 1,
      required: true,
      inputmode: "numeric",
      value: row.quantity,
      "data-testid": "count-input",
      input: () => describe(),
    });
    const save = h("button", { type: "submit", class: "primary", "data-testid": "count-save" });
    const cancel = h(
      "button",
      { type: "button", "data-testid": "count-cancel", click: () => dialog.close() },
      "Cancel",
    );
    const form = h(
      "form",
      {
        method: "dialog",
        submit: (event: SubmitEvent) => {
          event.preventDefault();
          const counted = input.valueAsNumber;
          dialog.close();
          answer(counted);
        },
      },
      h("h2", { id: "count-title" }, `Count ${row.product}`),
      h(
        "p",
        { id: "count-text" },
        `${row.store} has ${amount(row.quantity, row.unit)} on record. Your count replaces that number, which cannot be brought back.`,
      ),
      h("label", { for: "count" }, `Counted (${row.unit})`),
      input,
      h("div", { class: "buttons" }, cancel, save),
    );
    const dialog = h(
      "dialog",
      { "aria-labelledby": "count-title", "aria-describedby": "count-text", close: () => answer(null) },
      form,
    );

    function describe(): void {
      const counted = input.valueAsNumber;
      save.textContent = input.validity.valid ? `Replace ${row.quantity} by ${counted}` : "Replace";
    }

    let answered = false;
    function answer(counted: number | null): void {
      if (answered) return;
      answered = true;
      // A native dialog gives focus back to what had it; it has to be gone from the document for the next one.
      dialog.remove();
      resolve(counted);
    }

    describe();
    document.body.append(dialog);
    dialog.showModal();
    input.select();
  });
}
