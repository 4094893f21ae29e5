// Pictures of the page that do not depend on the fonts of a machine: text is drawn in a font made
// here, in which every character is the same box, so that lines break and boxes end where they do
// everywhere.
//
//     node tests/page/screenshots.mjs      takes the pictures of tests/page/screenshots anew
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { close, open, report, reportOf, require, root, settle } from "./browser.mjs";

const opentype = require("opentype.js");
const { PNG } = require("pngjs");
export const pictures = join(root, "tests/page/screenshots");

/** How unlike two pixels may be, from 0 to 1, and which part of all pixels may be more unlike than
 * that. Edges of boxes are blended a little differently by other versions of Chromium. */
export const TOLERANCE = { pixel: 0.1, share: 0.001 };

/** What is shown: a report, and what is done with it. */
export const views = {
  history: {
    report: () => report("examples/histories/kv-stale-reads.txt"),
    show: tab => tab.evaluate(() => [...document.querySelectorAll(".core button")].at(-1).click()),
  },
  order: {
    report: () => report("examples/histories/stack-aba.jsonl", "--method=search"),
    show: async tab => {
      await tab.click('button[aria-label="step back"]');
      await tab.$eval(".steps", steps => steps.scrollIntoView());
    },
  },
  model: {
    report: () => reportOf("verify", "examples/models/treiber.lin:101"),
    show: tab => tab.click('tr[data-step="28"]'),
  },
  lasso: {
    report: () => reportOf("verify", "examples/models/locks.lin:124"),
    show: async tab => {
      await tab.click('button[aria-label="forward"]');
      await tab.click('button[aria-label="forward"]');
    },
  },
};

/** A font of boxes: of ASCII, Latin-1, punctuation, arrows, mathematics and drawing characters. */
function boxFont() {
  const path = new opentype.Path();
  path.moveTo(60, 0);
  path.lineTo(60, 600);
  path.lineTo(540, 600);
  path.lineTo(540, 0);
  path.close();
  const glyphs = [new opentype.Glyph({ name: ".notdef", unicode: 0, advanceWidth: 600, path })];
  for (const [first, last] of [[33, 126], [161, 255], [0x2010, 0x2027], [0x2190, 0x22ff], [0x2500, 0x25ff]])
    for (let point = first; point <= last; point++)
      glyphs.push(new opentype.Glyph({ name: `u${point}`, unicode: point, advanceWidth: 600, path }));
  for (const point of [32, 160])
    glyphs.push(new opentype.Glyph({ name: `u${point}`, unicode: point, advanceWidth: 600,
                                     path: new opentype.Path() }));
  const font = new opentype.Font({ familyName: "Boxes", styleName: "Regular", unitsPerEm: 1000,
                                   ascender: 800, descender: -200, glyphs });
  return Buffer.from(font.toArrayBuffer()).toString("base64");
}

/** The view as bytes of a PNG. */
export async function take({ report: write, show }, scheme) {
  const tab = await open(write(), { width: 1000, height: 800, scheme });
  await tab.evaluate(async font => {
    const bytes = Uint8Array.from(atob(font), letter => letter.charCodeAt(0));
    const face = new FontFace("Boxes", bytes.buffer, { weight: "1 1000" });
    document.fonts.add(await face.load());
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("*, ::before, ::marker { font-family: Boxes !important; text-rendering: geometricPrecision !important; }");
    document.adoptedStyleSheets = [sheet];
  }, boxFont());
  await settle(tab);
  await show(tab);
  await settle(tab);
  await settle(tab);
  const picture = await tab.screenshot();
  await tab.close();
  return picture;
}

/** How many pixels are unlike, of how many; and a picture that marks them. */
export async function compare(taken, path) {
  const pixelmatch = (await import(require.resolve("pixelmatch"))).default;
  const now = PNG.sync.read(Buffer.from(taken)), then = PNG.sync.read(readFileSync(path));
  if (now.width !== then.width || now.height !== then.height)
    return { unlike: Infinity, all: then.width * then.height, marked: taken };
  const marked = new PNG({ width: now.width, height: now.height });
  const unlike = pixelmatch(now.data, then.data, marked.data, now.width, now.height,
                            { threshold: TOLERANCE.pixel });
  return { unlike, all: now.width * now.height, marked: PNG.sync.write(marked) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(pictures, { recursive: true });
  for (const [name, view] of Object.entries(views))
    for (const scheme of ["light", "dark"])
      writeFileSync(join(pictures, `${name}-${scheme}.png`), await take(view, scheme));
  await close();
}
