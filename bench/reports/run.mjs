#!/usr/bin/env node
// Measures reports of histories of 10^3 to 10^6 operations: time to write, size, time to open.
//
//     bench/reports/run.mjs BUILD         the folder with linchpin and bin/generate-history
//     bench/reports/run.mjs --open FILE...
//                                         any HTML files, other tools' reports among them: size, and
//                                         the least of three times to open each, in turns
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, openSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const build = resolve(process.argv[2] ?? join(root, "build"));
const PATIENCE = 120000; // milliseconds
const puppeteer = createRequire(join(root, "package.json"))("puppeteer-core");
const folder = mkdtempSync(join(tmpdir(), "linchpin-reports-"));
const browser = await puppeteer.launch({
  executablePath: ["/usr/bin/chromium", "/usr/bin/google-chrome"].find(existsSync),
  protocolTimeout: PATIENCE, args: ["--no-sandbox", "--disable-gpu"] });

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

/** From asking for any page to the frame behind its load, and behind our own page's being drawn. */
async function openAny(path) {
  const tab = await browser.newPage();
  await tab.setViewport({ width: 1300, height: 1000 });
  const begin = performance.now();
  try {
    await tab.goto(`file://${path}`, { timeout: PATIENCE });
    if (await tab.$("script.answer"))
      await tab.waitForSelector("body[data-ready]", { timeout: PATIENCE });
    await tab.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    return (performance.now() - begin) / 1000;
  } catch {
    return Infinity; // it took too long, or the tab crashed
  } finally {
    await tab.close().catch(() => {});
  }
}

async function openFiles(paths) {
  const least = paths.map(() => Infinity);
  for (let round = 0; round < 3; round++)
    for (const [i, path] of paths.entries())
      if (round === 0 || least[i] < Infinity)
        least[i] = Math.min(least[i], await openAny(resolve(path)));
  console.log("| file | bytes | first picture, s |\n|---|---:|---:|");
  paths.forEach((path, i) => console.log(`| ${path} | ${statSync(path).size.toLocaleString("en-US")} | ` +
    `${least[i] < Infinity ? least[i].toFixed(2) : "none"} |`));
}

async function measure() {
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
}

if (process.argv[2] === "--open")
  await openFiles(process.argv.slice(3));
else
  await measure();
await browser.close();
rmSync(folder, { recursive: true });
