// Every wrong object of examples/code: the page of its violation tells the same as the program, and
// has each step's line of the source.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { accessibility, close, open, reportOf, root, text, texts } from "./browser.mjs";

after(close);

const folder = "examples/code";

/** The lines `// expect: TEST FINDING` but those of what holds: [file, test, finding]. */
function wrongOnes() {
  return readdirSync(join(root, folder)).filter(name => /\.cc?$/.test(name)).sort().flatMap(name =>
    [...readFileSync(join(root, folder, name), "utf8").matchAll(/^\/\/ expect: (\S+) (.*)$/gm)]
      .filter(([, , finding]) => finding !== "holds")
      .map(([, object, finding]) => [`${folder}/${name}`, object, finding]));
}

/** What the program says, as it stands in the page. */
async function answerOf(tab) {
  return JSON.parse(await tab.$eval('script[type="application/json"].answer', from => from.textContent)).fields;
}

/** The steps of the table: the line of the source that is marked at each, and what it says. */
async function walk(tab) {
  return tab.$$eval("tr[data-step]", rows => rows.map(row => {
    row.click();
    return [document.querySelector(".source [aria-current]")?.textContent.replace(/\s+/g, " ").trim(),
            document.querySelector("tr.now").dataset.step === row.dataset.step];
  }));
}

const wrong = wrongOnes();

test("there are wrong objects", () => assert.ok(wrong.length > 20, `${wrong.length} of them`));

for (const [file, object, finding] of wrong)
  test(`the page of ${object}`, async () => {
    const lines = readFileSync(join(root, file), "utf8").split("\n");
    const tab = await open(reportOf("test", `--test=${object}`, file));
    const answer = await answerOf(tab);
    assert.equal(await text(tab, "h2"), `${file}: ${object}: ${answer.scenario} violated`);
    assert.equal(await text(tab, ".finding"), finding);
    assert.ok((await text(tab, ".reason")).includes(answer.reason));
    // Each call has begun, and those that have returned have answered.
    const calls = await texts(tab, ".call");
    const returned = answer.operations.filter(call => call.includes(" -> "));
    assert.equal(calls.filter(call => !call.startsWith("\u2192")).length, answer.operations.length);
    assert.equal(calls.filter(call => call.startsWith("\u2192")).length, returned.length);
    // Each step stands with its line.
    const steps = await walk(tab);
    assert.equal(steps.length, answer.trace.length);
    for (const [i, step] of answer.trace.entries()) {
      assert.ok(steps[i][1]);
      if (step.file && basename(step.file) === basename(file))
        assert.equal(steps[i][0], `${step.line}: ${lines[step.line - 1].replace(/\s+/g, " ").trim()}`);
    }
    assert.deepEqual(tab.problems, []);
    assert.deepEqual(await accessibility(tab), []);
    await tab.close();
  });
