// Builds the page of the bundled grocery app: TypeScript and CSS into one HTML file that loads nothing.
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, "src", "grocery");
const target = join(here, "..", "mcpapps_jupyter", "apps", "grocery", "dashboard.html");

// The SDK brings zod, which brings its error texts in fifty languages; the page shows none of them.
const onlyEnglish = {
  name: "only-english",
  setup(builder) {
    builder.onResolve({ filter: /\/locales\/index\.js$/ }, async (args) => ({
      path: join(args.resolveDir, args.path, "..", "en.js"),
      namespace: "zod-locale",
    }));
    builder.onLoad({ filter: /.*/, namespace: "zod-locale" }, (args) => ({
      contents: `export { default as en } from ${JSON.stringify(args.path)};`,
      resolveDir: dirname(args.path),
    }));
  },
};

// The SDK's modules do nothing when loaded but define things, and say so nowhere: unused ones can go.
const onlyUsed = {
  name: "only-used",
  setup(builder) {
    builder.onResolve({ filter: /.*/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === "resolved" || from.kind === "entry-point") return;
      const found = await builder.resolve(path, { ...from, pluginData: "resolved" });
      return found.path.includes("node_modules") ? { ...found, sideEffects: false } : found;
    });
  },
};

async function bundle(entry) {
  const result = await build({
    entryPoints: [join(source, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    legalComments: "none",
    charset: "utf8",
    plugins: [onlyEnglish, onlyUsed],
    metafile: true,
  });
  if (process.env.EXPLAIN) {
    const [output] = Object.values(result.metafile.outputs);
    const parts = Object.entries(output.inputs).sort((a, b) => b[1].bytesInOutput - a[1].bytesInOutput);
    for (const [path, { bytesInOutput }] of parts.slice(0, 25)) console.log(bytesInOutput, path);
  }
  return result.outputFiles[0].text;
}

const script = await bundle("main.ts");
const style = await bundle("style.css");
const page = (await readFile(join(source, "index.html"), "utf8"))
  // Functions as replacements: `$&` and its like in the code would be expanded otherwise.
  .replace("/* style */", () => style.trim())
  .replace("/* script */", () => script.trim().replaceAll("</script", "<\\/script"));
await writeFile(target, page);
console.log(`${target}: ${(Buffer.byteLength(page) / 1024).toFixed(0)} kB`);
