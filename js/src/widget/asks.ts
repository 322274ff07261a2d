/** Questions of the kernel: may this tool run, may this message be sent, what does the server want to know. */

import { h } from "./dom";
import { buildForm } from "./form";
import { cleanLine, type JsonObject, spellOut } from "./json";
import { addressBlock, hostOf, parseLink } from "./links";
import { asker, jsonBlock, Strip, textBlock, type Words } from "./strips";
import type { AskMessage, Decision } from "./wire";

type Answer = (decision: Decision, content?: JsonObject) => void;

/** The strip of a question of the app `id`. `answer` is called at most once. */
export function askStrip(ask: AskMessage, id: string, answer: Answer): Strip {
  const who = asker(ask.app, id);
  if (ask.type === "approval") return approval(ask, who, answer);
  if (ask.type === "permission") return permission(ask, who, answer);
  if (ask.type === "message") return message(ask, who, answer);
  return elicitation(ask, who, answer);
}

function approval(ask: AskMessage, who: Words, answer: Answer): Strip {
  const name = h("code", {}, cleanLine(ask.tool, 120));
  const title =
    ask.title && ask.title !== ask.tool ? h("span", {}, ` (${cleanLine(ask.title, 120)})`) : undefined;
  const question = ["The page of ", ...who, " wants to run ", name, title ?? "", "."];
  const why = ask.text ? h("p", { class: "mcpapp-quiet" }, cleanLine(ask.text, 300)) : undefined;
  return new Strip(
    "shield",
    question,
    [why, jsonBlock(ask.arguments)],
    [
      { label: "Allow once", primary: true, run: () => answer("once") },
      { label: "Allow while open", run: () => answer("always") },
      { label: "Deny", run: () => answer("deny") },
    ],
  );
}

function permission(ask: AskMessage, who: Words, answer: Answer): Strip {
  return new Strip(
    "shield",
    ["The page of ", ...who, ` ${cleanLine(ask.text, 120)}.`],
    [],
    [
      { label: "Allow while open", primary: true, run: () => answer("always") },
      { label: "Deny", run: () => answer("deny") },
    ],
  );
}

function message(ask: AskMessage, who: Words, answer: Answer): Strip {
  const preview = textBlock(spellOut(ask.preview || ask.text), 200, "mcpapp-prose");
  return new Strip(
    "message",
    [...who, " wants to send a message to the notebook:"],
    [preview],
    [
      { label: "Send", primary: true, run: () => answer("send") },
      { label: "Cancel", run: () => answer("cancel") },
    ],
  );
}

function elicitation(ask: AskMessage, who: Words, answer: Answer): Strip {
  const question = [...who, " asks: ", spellOut(ask.text || ask.preview).slice(0, 2000)];
  const others = [
    { label: "Decline", run: () => answer("decline") },
    { label: "Cancel", run: () => answer("cancel") },
  ];
  const link = ask.url === undefined ? undefined : parseLink(ask.url);
  if (ask.url !== undefined) {
    if (!link)
      return new Strip("link", [...question, " (with an address that cannot be opened)"], [], others);
    const open = () => {
      window.open(link.href, "_blank", "noopener,noreferrer");
      answer("accept");
    };
    return new Strip(
      "link",
      question,
      [addressBlock(link)],
      [{ label: `Open ${hostOf(link)}`, primary: true, run: open }, ...others],
    );
  }
  const form = buildForm(ask.schema ?? {});
  const submit = () => {
    const content = form.read();
    if (content && strip.armed) answer("accept", content);
  };
  form.element.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  const strip = new Strip(
    "form",
    question,
    [form.element],
    [{ label: "Submit", primary: true, run: submit }, ...others],
  );
  return strip;
}
