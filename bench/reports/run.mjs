#!/usr/bin/env node
// Measures reports of histories of 10^3 to 10^6 operations: time to write, size, time to open.
// Usage: bench/reports/run.mjs BUILD, the folder with linchpin and bin/generate-history
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, openSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const build = resolve(process.argv[2] ?? join(root, "build"));
const puppeteer = createRequire(join(root, "package.json"))("puppeteer-core");
const folder = mkdtempSync(join(tmpdir(), "linchpin-reports-"));
const browser = await puppeteer.launch({
  executablePath: ["/usr/bin/chromium", "/usr/bin/google-chrome"].find(existsSync),
  args: ["--no-sandbox", "--disable-gpu"] });

function seconds(words) {
  const begin = performance.now();
  const run = spawnSync(join(build, "linchpin"), words);
  if (run.status !== 1)
    throw new Error(`linchpin ${words.join(" ")}: exit ${run.status}: ${run.stderr}`);
  return (performance.now() - begin) / 1000;
}

/** From asking for the page to its first picture, and to another one that shows all of it. */
async function open(path) {
  const tab = await browser.newPage();
  await tab.setViewport({ width: 1300, height: 1000 });
  const begin = performance.now();
  await tab.goto(`file://${path}`);
  await tab.waitForSelector("body[data-ready] .timeline .overview");
  const first = (performance.now() - begin) / 1000;
  const all = await tab.evaluate(() => new Promise(done => {
    const begin = performance.now();
    document.querySelector(".timeline").dispatchEvent(new KeyboardEvent("keydown", { key: "0" }));
    requestAnimationFrame(() => requestAnimationFrame(() => done((performance.now() - begin) / 1000)));
  }));
  await tab.close();
  return { first, all };
}

console.log("| operations | check, s | with report, s | bytes | bytes/op | first picture, s | all of it, s |");
console.log("|---:|---:|---:|---:|---:|---:|---:|");
for (const count of [1000, 2300, 10000, 100000, 1000000]) {
  const history = join(folder, "h.jsonl"), page = join(folder, "r.html");
  execFileSync(join(build, "bin/generate-history"),
               ["--object", "queue", "--operations", String(count), "--threads", "16", "--violation"],
               { stdio: ["ignore", openSync(history, "w"), "inherit"] });
  const plain = seconds(["check", "-q", "--spec=queue", history]);
  const written = seconds(["check", "-q", "--spec=queue", "--html", page, history]);
  const { first, all } = await open(page), size = statSync(page).size;
  console.log(`| ${count.toLocaleString("en-US")} | ${plain.toFixed(2)} | ${written.toFixed(2)} | ` +
    `${size.toLocaleString("en-US")} | ${(size / count).toFixed(1)} | ${first.toFixed(2)} | ${all.toFixed(2)} |`);
}
await browser.close();
rmSync(folder, { recursive: true });
