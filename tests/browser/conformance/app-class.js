// The published client, as an app's author would use it: everything that it can ask of a host. `window.app` and
// what it has been told are for the test.

import { App } from "@modelcontextprotocol/ext-apps";

const told = [];
const app = new App({ name: "app class", version: "1.0.0" }, { tools: { listChanged: true } }, { autoResize: true });
for (const event of ["toolinput", "toolresult", "toolcancelled", "hostcontextchanged"]) {
  app[`on${event}`] = (params) => told.push([event, params]);
}
app.onteardown = () => {
  told.push(["teardown"]);
  return {};
};
app.onlisttools = async () => ({ tools: [{ name: "paint", inputSchema: { type: "object" } }] });
app.oncalltool = async ({ name }) => ({ content: [{ type: "text", text: `${name} called` }] });
Object.assign(globalThis, { app, told });
await app.connect();
globalThis.connected = true;
