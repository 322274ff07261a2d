// Builds one anywidget module: `node build-module.mjs widget` or `log`. The output is committed, so a
// `pip install` needs no Node.
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));

/** A module is sent with every widget, so its size is part of the contract: bytes. */
const LIMITS = { widget: 64 * 1024, log: 15 * 1024 };

const name = process.argv[2];
const limit = LIMITS[name];
if (!limit) throw new Error(`usage: node build-module.mjs ${Object.keys(LIMITS).join("|")}`);
const target =
  process.env[`${name.toUpperCase()}_OUT`] ?? resolve(here, `../mcpapps_jupyter/static/${name}.js`);

const result = await build({
  absWorkingDir: here,
  entryPoints: [`src/${name}/index.ts`],
  outfile: target,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  // Browsers keep plain ASCII in half the memory, and they keep every module that they have ever loaded.
  charset: "ascii",
  legalComments: "none",
  metafile: true,
});
const bytes = Object.values(result.metafile.outputs)[0].bytes;
console.log(`${name}.js ${bytes} bytes`);
if (bytes > limit) {
  console.error(`${name}.js is larger than ${limit} bytes`);
  process.exitCode = 1;
}
