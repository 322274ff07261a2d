// Rebuilds everything and fails when a committed file differs from what its sources give.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "..");
const built = [resolve(root, "mcpapps_jupyter/static"), resolve(root, "mcpapps_jupyter/apps")];

/** Every file below `folder` that a build may have written. */
function* files(folder) {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* files(path);
    else if (/\.(js|html|css)$/.test(name)) yield path;
  }
}

const snapshot = () =>
  new Map(built.flatMap((folder) => [...files(folder)]).map((path) => [path, readFileSync(path, "utf8")]));

const before = snapshot();
execFileSync(process.execPath, [process.env.npm_execpath ?? "npm", "run", "build"], {
  cwd: here,
  stdio: "inherit",
});
const after = snapshot();
const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
  (p) => before.get(p) !== after.get(p),
);
for (const path of changed) console.error(`differs from its sources: ${relative(root, path)}`);
process.exitCode = changed.length ? 1 : 0;
