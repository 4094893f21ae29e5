// The walk of someone who sees a report for the first time: finds the violation, sees why it is one,
// finds the line of the source, and goes through the steps.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { accessibility, close, open, reportOf, root, settle, text, texts } from "./browser.mjs";

after(close);

/** The line of a file of the source, without the spaces around it. */
function sourceLine(file, number) {
  return readFileSync(join(root, file), "utf8").split("\n")[number - 1].trim();
}

/** What the page says of the state: names with values. */
async function state(tab) {
  return Object.fromEntries(await tab.$$eval(".state tbody tr", rows =>
    rows.map(row => [...row.cells].map(cell => cell.textContent))));
}

/** The line that is marked in the source. */
async function shownLine(tab) {
  return text(tab, ".source [aria-current]");
}

async function press(tab, key, times = 1) {
  for (let i = 0; i < times; i++)
    await tab.keyboard.press(key);
  await settle(tab);
}

/** Tab until what has the focus is such an element. */
async function tabTo(tab, selector, words = "") {
  for (let i = 0; i < 200; i++) {
    await tab.keyboard.press("Tab");
    const found = await tab.evaluate((wanted, part) => {
      const element = document.activeElement;
      return element.matches(wanted) && element.textContent.includes(part);
    }, selector, words);
    if (found)
      return;
  }
  assert.fail(`no Tab leads to ${selector} ${words}`);
}

test("a trace of an algorithm in .lin", async () => {
  const file = "examples/models/treiber.lin";
  const tab = await open(reportOf("verify", file));
  // The violation: of six answers the first that is one is in front.
  assert.match(await text(tab, "h2"), /treiber\.lin:101: assert untagged linearizes stack .* violated/);
  assert.match(sourceLine(file, 101), /^assert untagged linearizes stack/);
  // Why: three pushes and only one pop that took something, and yet the stack is empty.
  assert.match(await text(tab, "p.reason"), /no legal order of push 1 .*push 1 .*push 1 .* and pop -> nil by process 1/);
  assert.deepEqual((await texts(tab, ".core tbody td:first-child")),
                   ["push 1 \u2192 nil", "push 1 \u2192 nil", "push 1 \u2192 nil", "pop \u2192 nil"]);
  // Where: an operation leads to its steps, a step to its line.
  const steps = await texts(tab, "tr[data-step]");
  assert.equal((await texts(tab, ".core tbody td:nth-child(3)")).at(-1), "steps 33 to 35");
  assert.deepEqual([steps[32], steps[34]], ["33inv.pop.1", "35\u2717 res.pop.1"]);
  await tab.evaluate(() => [...document.querySelectorAll(".core button")][0].click());
  await settle(tab);
  assert.match(await text(tab, ".state h3"), /After step 8/);
  assert.match(await text(tab, ".details"), /in the execution ?steps 1 to 8/);
  // Every step that is a statement has the line that is in the file.
  await tab.$eval(".lanes", lanes => lanes.focus());
  await press(tab, "Home");
  assert.equal(await text(tab, ".state h3"), "At the start");
  assert.equal(await text(tab, ".source"), "");
  for (const step of steps) {
    await press(tab, "ArrowDown");
    const [, line, statement] = /^\d+(\d\d): (.*)$/.exec(step) ?? []; // behind the step's number
    if (!line) {
      assert.match(await text(tab, ".source"), /^No line yet\.$|, before this step/);
      continue;
    }
    assert.match(await text(tab, ".source h3"), new RegExp(`${file}, line ${line}$`));
    assert.equal(await shownLine(tab), `${line}: ${sourceLine(file, line)}`);
    assert.ok(sourceLine(file, line).includes(statement), `${line}: ${statement}`);
  }
  // What went wrong: the pop that was slow still believes that node2 is followed by nothing.
  await tab.click('tr[data-step="28"]');
  assert.equal(await shownLine(tab), `58: ${sourceLine(file, 58)}`);
  assert.deepEqual(await texts(tab, ".state tr.changed"), ["x (process 0)null"]);
  assert.match((await state(tab)).node2, /next = null/);
  await tab.click('button[aria-label="forward"]');
  assert.match((await state(tab)).node2, /next = node1/);
  await tab.click('tr[data-step="31"]');
  assert.deepEqual([(await state(tab)).top, (await state(tab)).node1], ["null", "{item = 1, next = null}"]);
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

test("the loop of a livelock of real code", async () => {
  const tab = await open(reportOf("test", "--test=writing", "--scenario", "polite | as_polite", "tests/code/hanging.c"));
  const rows = await texts(tab, ".lanes tbody tr"), from = rows.indexOf("the loop:");
  assert.ok(from > 0);
  assert.equal(rows.at(-1), `and again from step ${from + 1}, for ever`);
  const loop = await texts(tab, "tr.loop");
  assert.deepEqual(rows.slice(from + 1, -1), loop);
  await tabTo(tab, ".lanes");
  await press(tab, "Home");
  await press(tab, "ArrowDown", from);
  const before = await state(tab);
  await press(tab, "End");
  assert.deepEqual(await state(tab), before);
  await press(tab, "ArrowDown");
  assert.equal(await text(tab, "tr.now"), loop[0]);
  assert.match(await text(tab, ".count"), /round 2 of the loop/);
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

test("a lasso, with the keyboard alone", async () => {
  const file = "examples/models/locks.lin";
  const tab = await open(reportOf("verify", file));
  // The answer is chosen from the list, and stays in view.
  await tabTo(tab, "nav button", "violated examples/models/locks.lin:124");
  await press(tab, "Enter");
  await tab.waitForFunction(() => document.querySelector("h2").textContent.includes("starvation_free"));
  assert.match(sourceLine(file, 124), /^assert test_and_set starvation_free/);
  assert.match(await text(tab, "p.reason"), /an operation of thread 0 never returns/);
  // The loop is marked in words, and goes from its first step to its last.
  const rows = await texts(tab, ".lanes tbody tr");
  const from = rows.indexOf("the loop:");
  assert.ok(from > 0);
  assert.equal(rows.at(-1), `and again from step ${from + 1}, for ever`);
  const loop = await texts(tab, "tr.loop");
  assert.deepEqual(rows.slice(from + 1, -1), loop);
  // Process 0 has called before it, tries within it and never returns; process 1 does return.
  assert.ok(rows.slice(0, from).some(row => row.endsWith("inv.acquire.0")));
  assert.ok(!rows.some(row => row.endsWith("res.acquire.0")));
  assert.ok(loop.some(row => row.endsWith("res.acquire.1")));
  // Round and round: behind the last step comes the first one of the loop, in the same state.
  await tabTo(tab, ".lanes");
  await press(tab, "Home");
  await press(tab, "ArrowDown", from);
  const before = await state(tab);
  await press(tab, "End");
  assert.deepEqual(await state(tab), before);
  for (let round = 2; round < 4; round++) {
    const seen = [];
    for (let i = 0; i < loop.length; i++) {
      await press(tab, "ArrowDown");
      seen.push(await text(tab, "tr.now"));
      assert.match(await text(tab, ".count"), new RegExp(`round ${round} of the loop`));
    }
    assert.deepEqual(seen, loop);
    assert.deepEqual(await state(tab), before);
  }
  await press(tab, "ArrowUp", loop.length);
  assert.match(await text(tab, ".count"), new RegExp(`^${from + loop.length} of .*round 2`));
  // The step at which process 0 finds the lock taken, and its line.
  const tries = loop.findIndex(row => row.includes("19: while"));
  await press(tab, "Home");
  await press(tab, "ArrowDown", from + 1 + tries);
  assert.equal(await shownLine(tab), `19: ${sourceLine(file, 19)}`);
  assert.deepEqual(await state(tab), { held: "true" });
  // A button for those who do not know the keys.
  await tabTo(tab, "button", "colours"); // round the page once more
  await tabTo(tab, 'button[aria-label="beginning of the loop"]');
  await press(tab, "Enter");
  assert.match(await text(tab, ".count"), new RegExp(`^${from + 1} of`));
  assert.deepEqual(tab.problems, []);
  assert.deepEqual(await accessibility(tab), []);
  await tab.close();
});

test("an execution of C11 code", async () => {
  const file = "examples/code/mailbox.c";
  const tab = await open(reportOf("test", "--test=mailbox_release_acquire", file));
  // The violation, and why.
  assert.match(await text(tab, "h2"), /mailbox_release_acquire: enqueue 1 \| dequeue violated/);
  assert.equal(await text(tab, ".finding"), "waits for ever");
  assert.match(await text(tab, ".reason"), /dequeue\(\) of thread 2 does not return/);
  assert.match(await text(tab, ".state"), /How it comes about ?the store of thread 2 at mailbox\.c:97 and the load of thread 1 at mailbox\.c:88/);
  // The calls stand where they begin and end: one has answered, the other has not.
  assert.deepEqual(await texts(tab, ".call"), ["dequeue()", "enqueue(1)", "\u2192 done"]);
  // The read that is stale: its line, its value, and the newer one that is there.
  const row = await tab.$eval(".stale", from => from.closest("tr").dataset.step);
  assert.equal(await text(tab, ".stale"), "from initial; stale: 1 newer");
  await tab.click(`tr[data-step="${row}"]`);
  assert.equal(await shownLine(tab), `88: ${sourceLine(file, 88)}`);
  assert.match(sourceLine(file, 88), /sleeps/);
  assert.match(await text(tab, "tr.now .event"), /load acquire object\+8 = 0$/);
  assert.equal((await state(tab))["object+8"], "1");
  assert.match(sourceLine(file, 97), /sleeps.*1/);
  assert.deepEqual(tab.problems, []);
  assert.deepEqual(await accessibility(tab), []);
  await tab.close();
});

test("in C11 code, a read leads to the step that wrote its value", async () => {
  const file = "examples/code/treiber.c";
  const tab = await open(reportOf("test", "--test=treiber_relaxed", "--scenario", "push 1 | pop", file));
  assert.match(await text(tab, ".reason"), /thread 2 reads at treiber\.c:36 what thread 1 writes at treiber\.c:27/);
  const read = await tab.$$eval("tr[data-step]", rows => rows.find(
    candidate => candidate.querySelector(".from button")).dataset.step);
  await tab.click(`tr[data-step="${read}"]`);
  assert.equal(await shownLine(tab), `35: ${sourceLine(file, 35)}`);
  const value = (await text(tab, "tr.now .event")).split(" = ")[1];
  await tab.click(`tr[data-step="${read}"] .from button`);
  assert.equal(await shownLine(tab), `29: ${sourceLine(file, 29)}`);
  assert.ok((await text(tab, "tr.now .event")).endsWith(`-> ${value}`));
  assert.deepEqual(await texts(tab, ".state tr.changed"), [`object${value}`]);
  assert.deepEqual(tab.problems, []);
  await tab.close();
});
