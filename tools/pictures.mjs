#!/usr/bin/env node
// Makes the pictures of the documentation from the shipped examples: tools/pictures [PROGRAM]
// report.png, report-dark.png and execution.png are pages of --html, terminal.png is what the
// terminal shows; growth.svg, models-seconds.svg and models-memory.svg are drawn from the tables in
// docs/benchmarks.md, alone with --growth.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const pictures = join(root, "docs/pictures");
if (process.argv.includes("--growth")) {
  growth();
  process.exit(0);
}
const program = resolve(process.argv[2] ?? join(root, "build/linchpin"));
const puppeteer = createRequire(join(root, "package.json"))("puppeteer-core");
const folder = mkdtempSync(join(tmpdir(), "linchpin-pictures-"));
const browser = await puppeteer.launch({
  executablePath: ["/usr/bin/chromium", "/usr/bin/google-chrome"].find(existsSync),
  args: ["--no-sandbox", "--disable-gpu"] });

async function shoot(path, name, { width, height, scheme = "light", prepare }) {
  const tab = await browser.newPage();
  await tab.setViewport({ width, height, deviceScaleFactor: 1.5 });
  await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await tab.goto(`file://${path}`);
  await tab.waitForSelector("body[data-ready]");
  if (prepare)
    await tab.evaluate(prepare);
  await tab.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
  await tab.screenshot({ path: join(pictures, name) });
  await tab.close();
}

async function report(name, words, options) {
  const path = join(folder, "report.html");
  spawnSync(program, [words[0], "--html", path, "-q", ...words.slice(1)], { cwd: root });
  await shoot(path, name, options);
}

/** What the terminal shows of a command, as a page. */
async function terminal(name, words, size) {
  const run = spawnSync(program, [words[0], "--color=always", ...words.slice(1)],
                        { cwd: root, encoding: "utf8", env: { ...process.env, COLUMNS: "100" } });
  const escaped = run.stdout.replace(/[&<]/g, letter => letter === "&" ? "&amp;" : "&lt;")
    .replace(/\x1b\[1;31m/g, "<b class=bad>").replace(/\x1b\[1m/g, "<b>")
    .replace(/\x1b\[2m/g, "<b class=dim>").replace(/\x1b\[0m/g, "</b>");
  const path = join(folder, "terminal.html");
  writeFileSync(path, `<!DOCTYPE html><meta charset=utf-8><style>
    body { margin: 0; background: #14181d; color: #e6edf3; }
    pre { margin: 16px 20px; font: 14px/1.35 "DejaVu Sans Mono", monospace; }
    .bad { color: #ff8a80 } .dim { font-weight: 400; color: #9aa7b4 }</style>
    <body data-ready><pre>$ linchpin ${words.join(" ")}\n${escaped}</pre>`);
  await shoot(path, name, size);
}

/** The rows of a table of docs/benchmarks.md, by the text of their first column: [x, y] of each. */
function curvesOf(heading, row, [atX, atY]) {
  const text = readFileSync(join(root, "docs/benchmarks.md"), "utf8");
  const from = text.indexOf(`### ${heading}`);
  const lines = new Map();
  for (const found of text.slice(from, text.indexOf("###", from + 4)).matchAll(row)) {
    const points = lines.get(found[1]) ?? [];
    points.push([atX, atY].map(at => Number(found[at].replaceAll(",", ""))));
    lines.set(found[1], points);
  }
  return lines;
}

/** Lines by decimal powers of both: `ticks` are the values written beside the axes. */
function curves(name, title, lines, [ticksX, ticksY], unit) {
  const colours = ["#0b57b0", "#b3261e", "#1a6b30", "#7a5200", "#6a3fb5"];
  const place = (ticks, from, to) => value =>
    from + (Math.log10(value) - Math.log10(ticks[0])) / (Math.log10(ticks.at(-1)) - Math.log10(ticks[0])) * (to - from);
  const x = place(ticksX, 70, 540), y = place(ticksY, 295, 40);
  let svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 350" font-family="sans-serif" font-size="12">
<rect width="800" height="350" fill="#fff"/>
<text x="70" y="18" font-size="14">${title} (docs/benchmarks.md)</text>\n`;
  for (const value of ticksY)
    svg += `<line x1="70" x2="540" y1="${y(value).toFixed(1)}" y2="${y(value).toFixed(1)}" stroke="#d1d9e0"/>` +
      `<text x="62" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${value} ${unit}</text>\n`;
  for (const value of ticksX)
    svg += `<text x="${x(value).toFixed(1)}" y="320" text-anchor="middle">${value.toLocaleString("en-US")}</text>\n`;
  [...lines].forEach(([line, points], i) => {
    const path = points.map(([atX, atY]) => `${x(atX).toFixed(1)},${y(atY).toFixed(1)}`).join(" ");
    svg += `<polyline points="${path}" fill="none" stroke="${colours[i % 5]}" stroke-width="2"/>` +
      `<text x="560" y="${60 + 20 * i}" fill="${colours[i % 5]}">${line}</text>\n`;
  });
  writeFileSync(join(pictures, name), svg + "</svg>\n");
}

/** Of histories and of models, both from the tables alone. */
function growth() {
  curves("growth.svg", "seconds to decide a history, by operations",
         curvesOf("Growth", /^\| ([a-z-]+) \| ([\d,]+) \| ([\d.]+) \|/gm, [2, 3]),
         [[1e4, 1e5, 1e6, 1e7], [0.001, 0.01, 0.1, 1, 10, 100]], "s");
  const row = /^\| ([^|]+) \| \d+ x \d+ \| ([\d,]+) \| ([\d.]+) \| (\d+) \|/gm;
  const pairs = [1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
  curves("models-seconds.svg", "seconds to decide a model, by pairs", curvesOf("Time and memory", row, [2, 3]),
         [pairs, [0.01, 0.1, 1, 10, 100]], "s");
  curves("models-memory.svg", "megabytes to decide a model, by pairs", curvesOf("Time and memory", row, [2, 4]),
         [pairs, [1, 10, 100, 1000, 10000]], "MB");
}

await report("report.png", ["check", "examples/histories/kv-stale-reads.txt"],
             { width: 1150, height: 560 });
await report("execution.png", ["verify", "examples/models/treiber.lin"],
             { width: 1150, height: 760, scheme: "dark",
               prepare: () => document.querySelector("nav").remove() });
await terminal("terminal.png", ["check", "examples/histories/queue-two-lanes.edn"],
               { width: 900, height: 330 });
growth();
await browser.close();
rmSync(folder, { recursive: true });
