// Colours: what has to be read can be read, and what differs by colour alone would differ for the
// colour-blind, too. The simulation is that of Machado, Oliveira and Fernandes (2009), for complete
// deuteranopia, protanopia and tritanopia; differences are CIE 1976, of which 2.3 can just be seen.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, open, report } from "./browser.mjs";

after(close);

const BLINDNESS = {
  none: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
};

function linear(colour) {
  const channels = colour.match(/[0-9a-f]{2}/gi).map(digits => parseInt(digits, 16) / 255);
  return channels.map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
}

function seen(colour, blindness) {
  const channels = linear(colour);
  return BLINDNESS[blindness].map(row => Math.min(1, Math.max(0,
    row.reduce((sum, weight, i) => sum + weight * channels[i], 0))));
}

/** Relative luminance of WCAG 2. */
function luminance(colour) {
  const [red, green, blue] = linear(colour);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function lab([red, green, blue]) {
  const curve = value => value > 216 / 24389 ? Math.cbrt(value) : (24389 / 27 * value + 16) / 116;
  const x = curve((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047);
  const y = curve(0.2126 * red + 0.7152 * green + 0.0722 * blue);
  const z = curve((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function difference(one, other, blindness) {
  const a = lab(seen(one, blindness)), b = lab(seen(other, blindness));
  return Math.hypot(...a.map((value, i) => value - b[i]));
}

const NAMES = ["ground", "text", "soft", "panel", "accent", "good", "bad", "open", "ok", "fail", "info",
               "on-bar", "lit", "nemesis"];

async function palette(scheme) {
  const tab = await open(report("examples/histories/stack-correct.jsonl"), { scheme });
  const colours = await tab.evaluate(names => {
    const style = getComputedStyle(document.documentElement);
    return Object.fromEntries(names.map(name => [name, style.getPropertyValue(`--${name}`).trim()]));
  }, NAMES);
  await tab.close();
  return colours;
}

test("the simulation leaves greys alone, and takes red and green together", () => {
  for (const blindness of Object.keys(BLINDNESS))
    assert.ok(difference("#808080", "#818181", blindness) < 1);
  assert.ok(difference("#c04040", "#408040", "deuteranopia") < difference("#c04040", "#408040", "none") / 2);
  assert.ok(Math.abs(contrast("#000000", "#ffffff") - 21) < 1e-9);
});

for (const scheme of ["light", "dark"])
  test(`colours can be told apart, ${scheme}`, async () => {
    const colours = await palette(scheme), faults = [];
    const need = (what, value, least) => value < least && faults.push(`${what}: ${value.toFixed(1)} < ${least}`);
    for (const name of ["text", "soft", "accent", "good", "bad", "open"])
      for (const ground of ["ground", "panel"]) // WCAG 2, 1.4.3: text
        need(`${name} on ${ground}`, contrast(colours[name], colours[ground]), 4.5);
    for (const name of ["ok", "fail", "info"])
      need(`labels on ${name}`, contrast(colours["on-bar"], colours[name]), 4.5);
    need("the frame of a violation", contrast(colours.lit, colours.ground), 3); // 1.4.11: no text
    for (const blindness of Object.keys(BLINDNESS))
      for (const [one, other] of [["ok", "fail"], ["ok", "info"], ["fail", "info"], ["lit", "accent"],
                                  ["lit", "ok"], ["lit", "info"], ["good", "bad"], ["bad", "open"]])
        need(`${one} and ${other}, ${blindness}`, difference(colours[one], colours[other], blindness), 10);
    assert.deepEqual(faults, []);
  });
