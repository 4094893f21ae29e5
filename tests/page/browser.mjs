// What the tests of the page share: linchpin's reports, opened in Chromium without a window.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const pageFolder = join(root, "src/html/page");
export const require = createRequire(join(root, "package.json"));
export const program = process.env.LINCHPIN ?? join(root, "build/linchpin");
export const folder = mkdtempSync(join(tmpdir(), "linchpin-page-"));

const puppeteer = require("puppeteer-core");
const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
  .find(existsSync);
let browser;

/** What `check` says of an input, as a report in a file. */
export function report(input, ...options) {
  return reportOf("check", input, ...options);
}

/** The report of a command. */
export function reportOf(command, ...words) {
  const path = join(folder, `${Math.random()}.html`);
  const run = spawnSync(program, [command, "--html", path, "-q", ...words],
                        { cwd: root, encoding: "utf8" });
  if (run.status > 1 && run.status !== 3)
    throw new Error(`linchpin: exit ${run.status}: ${run.stderr}`);
  return path;
}

/** A history of this text, as a file. */
export function history(text) {
  const path = join(folder, `${Math.random()}.jsonl`);
  writeFileSync(path, text);
  return path;
}

/** A tab that shows the file; what it complains of, and what it asks the network for, is kept. */
export async function open(path, { width = 1300, height = 1000, scheme = "light" } = {}) {
  browser ??= await puppeteer.launch({
    executablePath: chromium,
    args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"] });
  const tab = await browser.newPage();
  tab.problems = [];
  tab.on("console", message => tab.problems.push(message.text()));
  tab.on("pageerror", error => tab.problems.push(String(error)));
  tab.on("request", request => {
    if (!request.url().startsWith("file:"))
      tab.problems.push(`request: ${request.url()}`);
  });
  await tab.setViewport({ width, height });
  await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await tab.goto(`file://${path}`);
  await tab.waitForSelector("body[data-ready]", { timeout: 60000 });
  await settle(tab);
  return tab;
}

/** Waits until the timeline is drawn. */
export async function settle(tab) {
  await tab.evaluate(() => new Promise(done =>
    requestAnimationFrame(() => requestAnimationFrame(done))));
}

export async function text(tab, selector) {
  return tab.$eval(selector, element => element.textContent.replace(/\s+/g, " ").trim());
}

export async function texts(tab, selector) {
  return tab.$$eval(selector, elements =>
    elements.map(element => element.textContent.replace(/\s+/g, " ").trim()));
}

/** What axe-core finds that people with a disability could not use. */
export async function accessibility(tab) {
  await tab.evaluate(require("axe-core").source);
  const found = await tab.evaluate(() => window.axe.run());
  return found.violations.map(rule => `${rule.id}: ${rule.nodes.map(node => node.html).join(" ")}`);
}

export async function close() {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
}

export function build(output) {
  execFileSync("node", [join(pageFolder, "build.mjs"), output], { stdio: "inherit" });
}

export function typecheck() {
  execFileSync("node", [require.resolve("typescript/bin/tsc"), "-p", pageFolder],
               { stdio: "inherit" });
}
