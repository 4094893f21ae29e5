// Makes one HTML file of the sources: node build.mjs OUTPUT
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = dirname(fileURLToPath(import.meta.url));

async function bundle(file) {
  const made = await build({
    entryPoints: [join(folder, file)],
    bundle: true,
    minify: true,
    charset: "ascii",
    format: "iife",
    target: "es2022",
    legalComments: "none",
    write: false,
  });
  return made.outputFiles[0].text.trimEnd();
}

const style = await bundle("page.css");
const script = await bundle("main.ts");
// The only script that a browser runs: texts of the answers cannot bring in another.
const hash = createHash("sha256").update(script).digest("base64");
const made = readFileSync(join(folder, "frame.html"), "utf8")
  .replace("%HASH%", () => hash)
  .replace("%STYLE%", () => style)
  .replace("%SCRIPT%", () => script);
if (/[^\x00-\x7f]/.test(made) || script.includes("</script"))
  throw new Error("the page must be ASCII, and its script must not end early");
writeFileSync(process.argv[2], made);
