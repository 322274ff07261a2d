// Builds the anywidget module. The output is committed, so a `pip install` needs no Node.
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.env.WIDGET_OUT ?? resolve(here, "../mcpapps_jupyter/static/widget.js");

/** The module is sent with every widget, so its size is part of the contract. */
export const MAX_BYTES = 60 * 1024;

const result = await build({
  absWorkingDir: here,
  entryPoints: ["src/widget/index.ts"],
  outfile: target,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  metafile: true,
});
const bytes = Object.values(result.metafile.outputs)[0].bytes;
console.log(`widget.js ${bytes} bytes`);
if (bytes > MAX_BYTES) {
  console.error(`widget.js is larger than ${MAX_BYTES} bytes`);
  process.exitCode = 1;
}
