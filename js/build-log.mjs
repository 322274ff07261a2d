// Builds the log table's anywidget module. The output is committed, so a `pip install` needs no Node.
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.env.LOG_OUT ?? resolve(here, "../mcpapps_jupyter/static/log.js");

/** The module is sent with every table, so its size is part of the contract. */
export const MAX_BYTES = 15 * 1024;

const result = await build({
  absWorkingDir: here,
  entryPoints: ["src/log/index.ts"],
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
console.log(`log.js ${bytes} bytes`);
if (bytes > MAX_BYTES) {
  console.error(`log.js is larger than ${MAX_BYTES} bytes`);
  process.exitCode = 1;
}
