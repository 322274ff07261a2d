/** The page of the grocery app: connects to the host and follows what it says. */

import {
  App,
  applyDocumentTheme,
  applyHostFonts,
  applyHostStyleVariables,
  type McpUiHostContext,
} from "@modelcontextprotocol/ext-apps";
import { Dashboard } from "./dashboard";
import { Host } from "./host";
import { keepUp } from "./keep-up";
import { Server, type Snapshot, textOf } from "./server";
import { useLocale } from "./texts";

/** A resource that reads differently after every change of stock, whoever made it. */
const CHAIN = "inventory://summary";
/** How long to wait for the result of the tool that opened the page before asking for the stock ourselves. */
const PATIENCE = 1_500;

const app = new App(
  { name: "grocery-dashboard", version: "1.0.0" },
  { availableDisplayModes: ["inline", "fullscreen"] },
);
const root = document.getElementById("app") ?? document.body;
const dashboard = new Dashboard(root, new Server(app), new Host(app));
let ready = false;
const keeping = keepUp(async () => {
  if (ready) await dashboard.refresh();
});

function start(): void {
  ready = true;
  keeping.now();
}

function follow(context: McpUiHostContext | undefined): void {
  if (context?.theme) applyDocumentTheme(context.theme);
  if (context?.styles?.variables) applyHostStyleVariables(context.styles.variables);
  if (context?.styles?.css?.fonts) applyHostFonts(context.styles.css.fonts);
  if (context?.locale) useLocale(context.locale);
  dashboard.follow(context?.displayMode, "height" in (context?.containerDimensions ?? {}));
}

app.ontoolresult = (result) => {
  if (result.isError) dashboard.say(`${textOf(result.content)} Showing all stores.`);
  else if (result.structuredContent) dashboard.open(result.structuredContent as unknown as Snapshot);
  start();
};
app.ontoolcancelled = start;
app.onhostcontextchanged = (change) => {
  follow(app.getHostContext());
  if ("_meta" in change) dashboard.recall();
};
app.onteardown = () => {
  keeping.stop();
  return {};
};
app.setNotificationHandler("notifications/resources/updated", () => keeping.now());

app.connect().then(
  () => {
    follow(app.getHostContext());
    setTimeout(start, PATIENCE);
    // Not every host passes subscriptions on; then the page looks by itself.
    app.request({ method: "resources/subscribe", params: { uri: CHAIN } }).catch(() => {});
  },
  () => dashboard.say("This page needs an MCP Apps host to talk to."),
);
