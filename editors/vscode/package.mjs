// Makes the .vsix: node package.mjs FOLDER VERSION, where FOLDER gets linchpin-VERSION.vsix. Nothing is fetched, and nothing written into
// the source folder.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { createVSIX } from "@vscode/vsce";
import { build } from "esbuild";

const source = dirname(fileURLToPath(import.meta.url));
const [target, version] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "linchpin-vscode-"));
try {
  for (const name of ["README.md", "language-configuration.json", "syntaxes"])
    cpSync(join(source, name), join(folder, name), { recursive: true });
  cpSync(join(source, "../../LICENSE"), join(folder, "LICENSE"));
  const description = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...description, version }, null, 2));
  await build({
    entryPoints: [join(source, "src/extension.ts")],
    outfile: join(folder, "extension.js"),
    bundle: true,
    minify: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["vscode"],
    legalComments: "inline",
    logLevel: "warning",
  });
  await createVSIX({
    cwd: folder,
    packagePath: join(resolve(target), `linchpin-${version}.vsix`),
    dependencies: false,
    allowMissingRepository: true,
  });
} finally {
  rmSync(folder, { recursive: true });
}
