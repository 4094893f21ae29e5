// Violation automata in a browser: drawn, and read letter by letter.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { accessibility, close, folder, history, open, reportOf, root, text, texts } from "./browser.mjs";

after(close);

const rules = name => `examples/rules/${name}`;

/** A queue's automata, of which one takes values for ordered that are not. */
function falseAlarm() {
  const path = join(folder, "wrong.txt");
  writeFileSync(path, readFileSync(join(root, rules("queue_order.txt")), "utf8") + "trans 1 call Enq 2 3\n");
  return reportOf("rules", "-b", "3", path, ...["empty", "fresh", "repeat"].map(name => rules(`queue_${name}.txt`)));
}

const lit = tab => tab.$eval(".state.now > text", element => element.textContent);

test("an automaton is drawn, with the history that it accepts wrongly", async () => {
  const tab = await open(falseAlarm());
  assert.match(await text(tab, ".reason"), /accepts a history that is linearizable/);
  assert.equal(await text(tab, '.automata button[aria-pressed="true"]'), "queue_order");
  assert.deepEqual((await texts(tab, ".state > text")).toSorted(),
                   ["accepted", "first called", "first in", "second called", "start"]);
  assert.equal((await tab.$$(".state.accepting")).length, 1);
  assert.equal((await tab.$$(".start")).length, 1);
  assert.equal(await lit(tab), "accepted");
  assert.match(await text(tab, ".reading h3"), /a false alarm/);
  await tab.click('button[aria-label="beginning"]');
  assert.equal(await lit(tab), "start");
  await tab.$eval(".reading .lanes", lanes => lanes.focus());
  const passed = [];
  for (let i = 0; i < (await tab.$$(".reading tbody tr")).length; i++) {
    await tab.keyboard.press("ArrowDown");
    passed.push(await lit(tab));
    assert.equal((await tab.$$(".edge.now")).length, 1);
  }
  assert.deepEqual(passed, await texts(tab, ".reading tbody td:last-child"));
  assert.equal(passed.at(-1), "accepted");
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

test("states and letters do not cover one another", async () => {
  for (const object of ["queue", "stack", "set", "register"]) {
    const tab = await open(reportOf("rules", "-b", "2", "--random", "0", "--spec", object));
    for (const button of await tab.$$(".choice button")) {
      await button.click();
      const covered = await tab.$$eval(".state > rect:first-child, .letters", elements => {
        const boxes = elements.map(element => element.getBoundingClientRect());
        return boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b =>
          a.left < b.right - 2 && b.left < a.right - 2 && a.top < b.bottom - 3 && b.top < a.bottom - 3)).length;
      });
      assert.equal(covered, 0, `${object}: ${await text(tab, ".automata strong")}`);
    }
    await tab.close();
  }
});

test("the same stands in a table, for those who do not see drawings", async () => {
  const tab = await open(reportOf("rules", "-b", "2", "--random", "0", rules("queue_fresh.txt")));
  await tab.click("summary");
  assert.deepEqual(await texts(tab, "details tbody tr"), [
    "startret Enq, call Deq, DeqEmptystart", "startret Deq(1)accepted (accepts)",
    "acceptedallaccepted (accepts)"]);
  await tab.close();
});

test("a recorded history is read along its timeline", async () => {
  const tab = await open(reportOf("rules", "--spec", "queue", "--on", "docs/manual/histories/reordered.jsonl"));
  assert.equal(await text(tab, '.automata button[aria-pressed="true"]'), "queue_order");
  await tab.click(".reading tbody tr:nth-child(6)");
  assert.equal(await lit(tab), "accepted");
  assert.match(await text(tab, ".details"), /dequeue \u2192 7/);
  assert.equal((await tab.$$(".operation.selected")).length, 1);
  await tab.close();
});

test("large automata show what the history passes", async () => {
  const tab = await open(reportOf("rules", "-b", "3", "--random", "0", rules("register_conflict.txt"),
                                  rules("register_fresh.txt"), rules("register_init.txt")));
  assert.match(await text(tab, ".automata"), /Of 36 states those are drawn that the history passes/);
  const drawn = (await tab.$$(".state")).length;
  assert.ok(drawn > 2 && drawn < 12, String(drawn));
  await tab.close();
});

test("rules have their properties in a table", async () => {
  const tab = await open(reportOf("rules", "-b", "3", rules("queue.lin")));
  assert.ok((await texts(tab, "tbody tr")).some(row => /^step-by-stepholds/.test(row)));
  assert.deepEqual(await accessibility(tab), []);
  await tab.close();
});

test("texts of automata stay texts", async () => {
  const evil = "</script><img src=x onerror=window.broken=1>";
  const path = history(readFileSync(join(root, rules("queue_fresh.txt")), "utf8")
    .replace(/^rule .*$/m, `rule ${evil}`).replace(/^# state 0 = .*$/m, `# state 0 = ${evil}`));
  const tab = await open(reportOf("rules", "-b", "2", "--random", "0", path));
  assert.equal((await tab.$$("img")).length, 0);
  assert.equal(await tab.evaluate(() => window.broken), undefined);
  assert.ok((await texts(tab, ".state > text")).includes(evil));
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

for (const scheme of ["light", "dark"])
  test(`automata can be used by everyone, ${scheme}`, async () => {
    const tab = await open(falseAlarm(), { scheme });
    assert.deepEqual(await accessibility(tab), []);
    await tab.emulateMediaType("print");
    const width = await tab.$eval(".automaton", element => element.getBoundingClientRect().right);
    assert.ok(width <= 1300, String(width));
    await tab.close();
  });
