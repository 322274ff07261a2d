// The rules of the host protocol that a page can see for itself, run inside of one: `check(group)` gives what is
// broken. `request`, `notify`, `seen`, `greeting` and `HELLO` are the page's own.

const VERSION = "2026-01-26";
const INVALID_PARAMS = -32602;
const METHOD_NOT_FOUND = -32601;

function equal(actual, expected, what = "value") {
  const [is, wanted] = [actual, expected].map((value) => JSON.stringify(value));
  if (is !== wanted) throw new Error(`${what} is ${is}, not ${wanted}`);
}

function truth(value, what) {
  if (!value) throw new Error(what);
}

async function until(condition, what) {
  const end = performance.now() + 20_000;
  while (!condition()) {
    truth(performance.now() < end, `not within 20 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The notifications that the page has got, by the end of their method's name. */
const told = (method) => seen.filter((message) => message?.method?.endsWith(method)).map(({ params }) => params);
const code = async (method, params) => (await request(method, params)).error?.code;
const call = async (name, args, more) => await request("tools/call", { name, arguments: args, ...more });
/** Once a later request is answered, everything before it has arrived. */
const settle = () => call("echo", {});

const RULES = {
  greeting: {
    "H2 the answer has its four parts": () => {
      equal(Object.keys(greeting).sort(), ["hostCapabilities", "hostContext", "hostInfo", "protocolVersion"]);
      equal(greeting.protocolVersion, VERSION);
      truth(greeting.hostInfo.name && greeting.hostInfo.version, "hostInfo has a name and a version");
    },
    "6 the tool is named": () => {
      const { id, tool } = greeting.hostContext.toolInfo;
      truth(typeof id === "string" && id, "an id");
      equal(tool.name, "open_page");
      equal(tool.inputSchema, { type: "object" });
    },
    "6 theme and at least sixty variables, each with a value": () => {
      const { theme, styles } = greeting.hostContext;
      truth(["light", "dark"].includes(theme), `theme ${theme}`);
      const entries = Object.entries(styles.variables);
      truth(entries.length >= 60, `${entries.length} variables`);
      for (const [name, value] of entries) {
        truth(/^--(color|font|border|shadow)-/.test(name), name);
        truth(typeof value === "string" && value.trim() && !/var\(|--/.test(value), `${name}: ${value}`);
      }
    },
    "6 what the page is shown on": () => {
      const { displayMode, availableDisplayModes, containerDimensions, deviceCapabilities, safeAreaInsets } =
        greeting.hostContext;
      equal(displayMode, "inline");
      truth(availableDisplayModes.includes("inline"), "inline is there");
      equal(containerDimensions.width, innerWidth);
      truth(containerDimensions.maxHeight > 0 || containerDimensions.height > 0, "a height");
      equal(Object.values(deviceCapabilities).map((each) => typeof each), ["boolean", "boolean"]);
      equal(Object.keys(deviceCapabilities).sort(), ["hover", "touch"]);
      equal(safeAreaInsets, { top: 0, right: 0, bottom: 0, left: 0 });
    },
    "6 who it is shown to": () => {
      const { locale, timeZone, userAgent, platform } = greeting.hostContext;
      equal(Intl.getCanonicalLocales(locale), [locale]);
      equal(new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone, timeZone);
      truth(userAgent.includes(greeting.hostInfo.version), userAgent);
      truth(["web", "desktop", "mobile"].includes(platform), platform);
    },
    "7 the capabilities that work, and no other": () => {
      const { hostCapabilities: has } = greeting;
      const names = "downloadFile logging message openLinks sandbox serverResources serverTools updateModelContext";
      equal(Object.keys(has).sort(), names.split(" "));
      equal([has.serverTools, has.serverResources], [{ listChanged: true }, { listChanged: true }]);
      equal(Object.keys(has.message).sort(), ["image", "resource", "resourceLink", "text"]);
    },
    "F3 what was granted is echoed, not what was asked": () => {
      const nothing = { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] };
      equal(greeting.hostCapabilities.sandbox, { permissions: {}, csp: nothing });
    },
    "H4 one input, then one result, equal as JSON": async () => {
      await until(() => told("tool-result").length, "a result");
      await settle();
      const order = seen.map(({ method }) => method).filter((method) => method?.startsWith("ui/"));
      equal(order, ["ui/notifications/tool-input", "ui/notifications/tool-result"]);
      equal(told("tool-input"), [{ arguments: {} }]);
      equal(told("tool-result"), [everything]);
    },
    "H2 bad params": async () => {
      equal(await code("ui/initialize"), INVALID_PARAMS);
      equal(await code("ui/initialize", { protocolVersion: VERSION, appInfo: 5 }), INVALID_PARAMS);
    },
    "H2 and H6 another hello, in an unknown version": async () => {
      seen.length = 0;
      const { result } = await request("ui/initialize", { ...HELLO, protocolVersion: "1999-01-01" });
      equal(result.protocolVersion, VERSION);
      await new Promise((resolve) => setTimeout(resolve, 300));
      equal(seen.filter(({ method }) => method).length, 0, "what was sent before initialized");
      for (let i = 0; i < 3; i++) notify("ui/notifications/initialized", {});
      await until(() => told("tool-result").length, "the result again");
      await settle();
      equal([told("tool-input").length, told("tool-result").length], [1, 1]);
    },
  },

  methods: {
    "H7 ping": async () => equal((await request("ping")).result, {}),
    "H7 unknown requests, with the same id": async () => {
      for (const [method, id] of Object.entries({ "ui/foo": "x", "foo/bar": 0, initialize: -7, constructor: 1.5 })) {
        const answer = await request(method, {}, id);
        equal([answer.id, answer.error?.code, answer.jsonrpc], [id, METHOD_NOT_FOUND, "2.0"], method);
      }
    },
    "7 what is not advertised is not there": async () => {
      equal(await code("sampling/createMessage", { messages: [], maxTokens: 5 }), METHOD_NOT_FOUND);
    },
    "H7 and F5 notifications that are nobody's": async () => {
      const before = seen.length;
      notify("ui/notifications/size-change", { height: 5000 });
      notify("ui/notifications/foo");
      notify("ui/notifications/sandbox-proxy-ready", {});
      const impostor = { html: "<title>impostor</title>", sandbox: "allow-scripts allow-same-origin" };
      notify("ui/notifications/sandbox-resource-ready", impostor);
      await settle();
      equal(seen.length, before + 1, "messages that came");
      equal(document.title, "page");
    },
    "ui/update-model-context": async () => {
      equal((await request("ui/update-model-context", { structuredContent: { picked: [1] } })).result, {});
      equal(await code("ui/update-model-context", { structuredContent: [] }), INVALID_PARAMS);
    },
    "notifications/message": async () => {
      notify("notifications/message", { level: "warning", logger: "page", data: "said by the page" });
      await settle();
    },
    "ui/open-link and ui/download-file refuse what is none": async () => {
      equal((await request("ui/open-link", { url: "javascript:alert(1)" })).result, { isError: true });
      equal(await code("ui/open-link", {}), INVALID_PARAMS);
      equal(await code("ui/download-file", { contents: [] }), INVALID_PARAMS);
      equal((await request("ui/download-file", { contents: [{ type: "text", text: "x" }] })).result, {
        isError: true,
      });
    },
    "ui/message refuses what is none": async () => {
      const text = (words) => [{ type: "text", text: words }];
      for (const params of [
        {},
        { role: "assistant", content: text("x") },
        { role: "user", content: [] },
        { role: "user", content: [{ type: "audio", data: "", mimeType: "audio/wav" }] },
        { role: "user", content: text("\u200b \uff01rm -rf") },
        { role: "user", content: text("%mcpapp stop raw") },
      ]) {
        equal(await code("ui/message", params), INVALID_PARAMS, JSON.stringify(params));
      }
    },
    "ui/request-display-mode, without a new document": async () => {
      window.marker = 1;
      equal(await code("ui/request-display-mode", { mode: "elsewhere" }), INVALID_PARAMS);
      for (const mode of ["fullscreen", "pip", "inline"]) {
        equal((await request("ui/request-display-mode", { mode })).result, { mode });
        await until(() => told("host-context-changed").at(-1)?.displayMode === mode, `told of ${mode}`);
      }
      equal(window.marker, 1);
    },
    "ui/notifications/size-changed": async () => {
      notify("ui/notifications/size-changed", { height: 417, width: 50 });
      await until(() => innerHeight === 417, "as high as it asked for");
      truth(innerWidth > 300, "as wide as its cell, whatever it asked for");
    },
  },

  server: {
    "4 a result is the server's, as JSON": async () => equal((await call("everything")).result, everything),
    "4 an error is the server's": async () => {
      const { code, data } = (await call("fail")).error;
      equal([code, data], [-32002, { why: "tools/call" }]);
    },
    "4 arguments are the page's, and no more": async () => {
      const args = { none: null, deep: [{ "": [1.5, "ä\u2028"] }], ["__proto__"]: { own: 1 } };
      const sent = JSON.parse((await call("echo", args)).result.content[0].text);
      equal(sent.arguments, { ...args });
      equal(sent.name, "echo");
    },
    "S3 tools that are not for pages": async () => {
      equal(await code("tools/call", { name: "for_models" }), INVALID_PARAMS);
      equal(await code("tools/call", { name: "for_nobody" }), INVALID_PARAMS);
      truth((await call("for_pages")).result, "a tool for pages");
      truth((await call("for_odd")).result, "a visibility that is none counts as absent");
    },
    "S3 the list has those that are": async () => {
      const names = (await request("tools/list")).result.tools.map(({ name }) => name);
      const asked = ["echo", "for_pages", "for_odd", "for_models", "for_nobody"];
      equal(asked.map((name) => names.includes(name)), [true, true, true, false, false]);
    },
    "S4 no tool of another server, by any name": async () => {
      for (const name of ["get_inventory", "grocery.get_inventory", "raw.echo", "nope"]) {
        equal(await code("tools/call", { name, arguments: {} }), INVALID_PARAMS, name);
      }
    },
    "4 resources": async () => {
      const listed = (await request("resources/list")).result.resources.map(({ uri }) => uri);
      truth(listed.includes("raw://numbers"), String(listed));
      equal((await request("resources/read", { uri: "raw://numbers" })).result.contents[0].text, "[1, 2, 3]");
      equal(await code("resources/read", { uri: "raw://nowhere" }), -32002);
      const templates = (await request("resources/templates/list")).result.resourceTemplates;
      equal(templates[0].uriTemplate, "raw://number/{n}");
    },
    "4 prompts and completion": async () => {
      equal((await request("prompts/list")).result.prompts[0].name, "greet");
      const prompt = (await request("prompts/get", { name: "greet", arguments: { who: "Ada" } })).result;
      equal(prompt.messages[0].content.text, "Greet Ada");
      const argument = { name: "who", value: "A" };
      const asked = { ref: { type: "ref/prompt", name: "greet" }, argument };
      equal((await request("completion/complete", asked)).result.completion.values, ["Ada"]);
    },
    "4 progress comes with the page's own token, and a cancelled call gets no answer": async () => {
      const meta = { progressToken: "mine", "io.modelcontextprotocol/client": "forged", "x-kept": 1 };
      void request("tools/call", { name: "slow", arguments: {}, _meta: meta }, "slow");
      await until(() => told("notifications/progress").length === 2, "progress");
      equal(told("notifications/progress")[1], { progressToken: "mine", progress: 2, total: 2, message: "step 2" });
      notify("notifications/cancelled", { requestId: "slow", reason: "enough" });
      await settle();
      equal(seen.filter(({ id }) => id === "slow").length, 0, "answers");
    },
    "5 changes of the server's lists": async () => {
      for (const what of ["tools", "resources", "prompts"]) {
        const method = `notifications/${what}/list_changed`;
        await call("notify", { method });
        await until(() => told(method).length, method);
      }
    },
    "4 subscriptions": async () => {
      const changed = { method: "notifications/resources/updated", params: { uri: "raw://numbers" } };
      await call("notify", changed);
      await settle();
      equal(told("resources/updated").length, 0, "before it has subscribed");
      equal((await request("resources/subscribe", { uri: "raw://numbers" })).result, {});
      await call("notify", changed);
      await until(() => told("resources/updated").length, "news");
      equal(told("resources/updated"), [{ uri: "raw://numbers" }]);
      equal((await request("resources/unsubscribe", { uri: "raw://numbers" })).result, {});
      await call("notify", changed);
      await settle();
      equal(told("resources/updated").length, 1, "after it has unsubscribed");
    },
  },

  frame: {
    "F4 an origin of its own, which is none": () => {
      equal([origin, document.referrer, document.baseURI], ["null", "", "about:srcdoc"]);
      for (const reach of [
        () => parent.document,
        () => top.document,
        () => top.jupyterapp,
        () => document.cookie,
        () => localStorage,
        () => sessionStorage,
        () => indexedDB.open("x"),
      ]) {
        let reached = "nothing";
        try {
          reached = reach();
        } catch (error) {
          equal(error.name, "SecurityError", String(reach));
          continue;
        }
        throw new Error(`${reach} gave ${reached}`);
      }
    },
    "F3 no permission that was not granted": () => {
      const allowed = document.featurePolicy?.allowedFeatures() ?? [];
      for (const name of ["camera", "microphone", "geolocation", "clipboard-write", "fullscreen", "display-capture"]) {
        truth(!allowed.includes(name), name);
      }
    },
    "F1 script that makes script, in a worker too": async () => {
      equal(new Function("return 6 * 7")(), 42);
      const source = new Blob(["postMessage(6 * 7)"], { type: "text/javascript" });
      const worker = new Worker(URL.createObjectURL(source));
      equal(await new Promise((resolve) => (worker.onmessage = ({ data }) => resolve(data))), 42);
      worker.terminate();
      equal(await (await fetch("data:,bytes")).text(), "bytes");
    },
    "F1 forms tell the page's script, and go nowhere": async () => {
      const form = document.body.appendChild(document.createElement("form"));
      const told = new Promise((resolve) => form.addEventListener("submit", resolve));
      form.requestSubmit();
      (await told).preventDefault();
      form.remove();
    },
  },
};

async function check(group) {
  const broken = [];
  for (const [rule, test] of Object.entries(RULES[group])) {
    try {
      await test();
    } catch (error) {
      broken.push(`${rule}: ${error.message}`);
    }
  }
  return broken;
}
