// The page in a browser: what is on it, and what it does when it is clicked, zoomed and typed at.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { accessibility, build, close, folder, history, open, pageFolder, report, reportOf, settle,
         text, texts, typecheck } from "./browser.mjs";

after(close);

const stale = () => report("examples/histories/kv-stale-reads.txt");

/** Operations in view, by index, with the left edge and width of their bars. */
async function bars(tab) {
  return tab.$$eval(".operation", groups => groups.map(group => {
    const box = group.querySelector("rect").getBoundingClientRect();
    return { index: Number(group.dataset.operation), left: box.left, width: box.width,
             classes: group.getAttribute("class") };
  }));
}

test("the committed page is what its sources make", () => {
  typecheck();
  const made = join(folder, "page.html");
  build(made);
  assert.equal(readFileSync(made, "utf8"), readFileSync(join(pageFolder, "page.html"), "utf8"));
});

test("a stranger finds the violation, why it is one, and its lines", async () => {
  const tab = await open(stale());
  assert.match(await tab.title(), /kv-stale-reads\.txt: violation/);
  assert.equal(await text(tab, ".badge"), "violation");
  assert.match(await text(tab, ".story .reason"), /get returned "v79" after "v79" had been overwritten by "v87"/);
  assert.deepEqual(await texts(tab, ".core tbody tr"), [
    'put "v79"2lines 154 and 157core', 'put "v87"7lines 167 and 170core', 'get \u2192 "v79"8lines 258 and 259core']);
  const core = (await bars(tab)).filter(bar => bar.classes.includes(" core"));
  assert.equal(core.length, 3);
  await tab.evaluate(() => [...document.querySelectorAll(".core button")].at(-1).click());
  await settle(tab);
  assert.match(await text(tab, ".details"), /examples\/histories\/kv-stale-reads\.txt, lines 258 and 259/);
  // The longest order, step by step to its end, and what cannot follow it.
  assert.match(await text(tab, ".steps h3"), /longest legal orders/);
  await tab.click('button[aria-label="first step"]');
  const [, length] = /1 of (\d+)/.exec(await text(tab, ".steps .count"));
  for (let step = 2; step <= Number(length); step++) {
    assert.equal((await tab.$$("ul.stuck")).length, 0);
    await tab.click('button[aria-label="step forward"]');
    assert.equal(await text(tab, ".steps .count"), `${step} of ${length}`);
    assert.equal((await tab.$$(".steps li.now code")).length, 1);
  }
  await tab.click("ul.stuck button");
  await settle(tab);
  assert.match(await text(tab, ".details"), /in the order ?not in it/);
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

test("a click on a bar tells of its operation", async () => {
  const tab = await open(stale());
  const last = (await bars(tab)).filter(bar => bar.classes.includes(" core")).at(-1);
  await tab.click(`[data-operation="${last.index}"] rect`);
  await settle(tab);
  assert.match(await text(tab, ".details"), /outcomeok: it happened/);
  assert.equal((await tab.$$(".operation.selected")).length, 1);
  await tab.close();
});

test("wheel, keys and drag zoom and move", async () => {
  const tab = await open(stale());
  const width = async () => (await bars(tab)).find(bar => bar.classes.includes(" core"))?.width ?? 0;
  const before = await width(), box = await (await tab.$(".timeline")).boundingBox();
  await tab.$eval(".timeline", timeline => timeline.focus());
  await tab.keyboard.press("-");
  await settle(tab);
  const less = await width();
  assert.ok(less < before, `${less} < ${before}`);
  await tab.keyboard.press("+");
  await settle(tab);
  assert.ok(Math.abs(await width() - before) < 1);
  const under = (await bars(tab)).find(bar => bar.classes.includes(" core"));
  await tab.mouse.move(under.left + under.width / 2, box.y + 60);
  await tab.mouse.wheel({ deltaY: -200 });
  await settle(tab);
  assert.ok(await width() > 1.3 * before);
  await tab.keyboard.press("v");
  await settle(tab);
  assert.ok(Math.abs(await width() - before) < 1);
  const left = (await bars(tab)).find(bar => bar.classes.includes(" core")).left;
  await tab.mouse.move(box.x + 700, box.y + 80);
  await tab.mouse.down();
  await tab.mouse.move(box.x + 600, box.y + 80, { steps: 5 });
  await tab.mouse.up();
  await settle(tab);
  const moved = (await bars(tab)).find(bar => bar.classes.includes(" core")).left;
  assert.ok(Math.abs(left - moved - 100) < 8, `${left - moved}`);
  assert.equal((await tab.$$(".operation.selected")).length, 0, "a drag is no click");
  await tab.close();
});

test("outcomes differ in more than their colour", async () => {
  const line = (process, type, value) => JSON.stringify({ process, type, f: "write", value }) + "\n";
  const tab = await open(report(history(["ok", "fail", "info"].map((type, i) =>
    line(i, "invoke", i) + line(i, type, i)).join("")), "--spec", "register"));
  const marks = await tab.$$eval(".operation", groups => groups.map(group =>
    [...group.querySelectorAll("line")].map(mark => mark.getAttribute("class")).join()));
  assert.deepEqual(marks, ["", "struck", "pending"]);
  await tab.close();
});

test("labels of the violation are not written over", async () => {
  const tab = await open(stale(), { width: 1150 });
  const boxes = await tab.$$eval(".operation text", labels => labels.map(label => {
    const { left, right, top } = label.getBoundingClientRect();
    return { left, right, top, beside: label.classList.contains("beside"), text: label.textContent };
  }));
  const beside = boxes.filter(box => box.beside);
  assert.ok(beside.length > 1);
  for (const one of beside)
    for (const other of boxes)
      assert.ok(one === other || one.top !== other.top || one.right <= other.left || other.right <= one.left,
                `${one.text} and ${other.text}`);
  await tab.close();
});

test("a violation of very many operations is summarised", async () => {
  // Each value leaves the queue before the one in front of it has been seen to: one that never leaves.
  let events = "";
  const line = (process, type, f, value) => JSON.stringify({ process, type, f, value }) + "\n";
  const COUNT = 300;
  for (let i = 0; i < COUNT; i++)
    events += line(0, "invoke", "enqueue", i) + line(0, "ok", "enqueue", i) +
      (i ? line(1, "invoke", "dequeue", null) + line(1, "ok", "dequeue", i - 1)
         : line(2, "invoke", "dequeue", null));
  events += line(2, "ok", "dequeue", null); // found it empty, though it never was
  const tab = await open(report(history(events), "--spec", "queue"));
  assert.match(await text(tab, ".story"), /and \d+ operations more, on the timeline/);
  assert.ok((await tab.$$(".core tbody tr")).length <= 30);
  assert.ok((await tab.$$(".activity.marked")).length > 0);
  assert.ok((await bars(tab)).length < COUNT);
  await tab.$eval(".timeline", timeline => timeline.focus());
  for (let i = 0; i < 10; i++)
    await tab.keyboard.press("+");
  await settle(tab);
  assert.equal((await tab.$$(".activity.marked")).length, 0, "near by there are bars again");
  assert.ok((await bars(tab)).some(bar => bar.classes.includes(" core")));
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

test("search finds values and processes", async () => {
  const tab = await open(stale());
  await tab.type("#search", '"v79"');
  await settle(tab);
  const found = await texts(tab, ".matches li button");
  assert.ok(found.length >= 2 && found.every(label => label.includes('"v79"')), found.join());
  await tab.keyboard.press("Enter");
  await settle(tab);
  assert.match(await text(tab, ".details"), /v79/);
  await tab.close();
});

test("the longest orders are stepped through, with the object after each operation", async () => {
  const path = report("examples/histories/stack-aba.jsonl", "--method=search");
  const tab = await open(path);
  assert.match(await text(tab, ".steps h3"), /longest legal orders/);
  assert.match(await text(tab, "ul.stuck"), /process/);
  const count = await text(tab, ".steps .count");
  await tab.click('button[aria-label="step back"]');
  await settle(tab);
  assert.notEqual(await text(tab, ".steps .count"), count);
  assert.match(await text(tab, ".details"), /object after/);
  assert.equal((await tab.$$("ul.stuck")).length, 0);
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

test("a linearization is numbered points that respect precedence", async () => {
  const tab = await open(report("examples/histories/stack-correct.jsonl"));
  assert.equal(await text(tab, ".badge"), "linearizable");
  await tab.click('button[aria-label="first step"]');
  await settle(tab);
  await tab.$eval(".timeline", timeline => timeline.focus());
  for (let i = 0; i < 6; i++)
    await tab.keyboard.press("+");
  await settle(tab);
  const inside = await tab.evaluate(() => [...document.querySelectorAll(".point circle")].map(circle => {
    const x = Number(circle.getAttribute("cx")), y = Number(circle.getAttribute("cy")) + 10;
    return [...document.querySelectorAll(".operation rect")].some(rect => {
      const left = Number(rect.getAttribute("x")), top = Number(rect.getAttribute("y"));
      return x >= left - 0.01 && x <= left + Number(rect.getAttribute("width")) + 0.01 &&
        y >= top && y <= top + 20;
    });
  }));
  assert.ok(inside.length > 3 && inside.every(Boolean), String(inside));
  const numbers = (await texts(tab, ".point text")).map(Number);
  assert.deepEqual(numbers, numbers.toSorted((a, b) => a - b));
  assert.match(await text(tab, ".steps .order li.now"), /process/);
  await tab.close();
});

test("texts of an input stay texts", async () => {
  const evil = '</script><img src=x onerror=\'window.broken=1\'><!--<script>window.broken=1</script>';
  const line = (type, f, value) => JSON.stringify({ process: 0, type, f, value }) + "\n";
  const path = report(history(line("invoke", "write", evil) + line("ok", "write", evil) +
                              line("invoke", "read", null) + line("ok", "read", evil + "\u2028") +
                              JSON.stringify({ process: evil, type: "info", f: evil, value: evil }) + "\n"),
                      "--spec", "register");
  const tab = await open(path);
  assert.equal(await tab.evaluate(() => window.broken), undefined);
  assert.equal((await tab.$$("img")).length, 0);
  assert.match(await text(tab, ".core"), /<img src=x onerror=/);
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

for (const scheme of ["light", "dark"])
  test(`it can be used by everyone, ${scheme}`, async () => {
    const tab = await open(stale(), { scheme });
    const ground = await tab.$eval("body", body => getComputedStyle(body).backgroundColor);
    assert.equal(ground, scheme === "dark" ? "rgb(15, 20, 25)" : "rgb(255, 255, 255)");
    assert.deepEqual(await accessibility(tab), []);
    await tab.click("button.theme");
    await tab.click("button.theme");
    assert.equal(await tab.$eval("body", body => getComputedStyle(body).backgroundColor),
                 "rgb(15, 20, 25)");
    assert.deepEqual(await accessibility(tab), []);
    await tab.close();
  });

test("a narrow page is read without moving it sideways", async () => {
  const long = JSON.stringify("a</b>".repeat(12));
  const event = (process, type, f, value) =>
    `{"process": ${process}, "type": "${type}", "f": "${f}", "value": ${value}}\n`;
  const inputs = [
    report(history(event(long, "invoke", "write", long) + event(long, "ok", "write", long) +
                   event(1, "invoke", "read", "null") + event(1, "ok", "read", "null"))),
    reportOf("test", "--test=treiber_relaxed", "--scenario", "push 1 | pop", "examples/code/treiber.c"),
    reportOf("verify", "examples/models/treiber.lin:101")];
  for (const input of inputs) {
    const tab = await open(input, { width: 400 });
    assert.equal(await tab.evaluate(() => document.documentElement.scrollWidth), 400);
    await tab.close();
  }
});

test("several answers are a list, the first bad one in front", async () => {
  const tab = await open(report("examples/histories/stack-correct.jsonl",
                                "examples/histories/stack-aba.jsonl"));
  assert.equal((await texts(tab, "nav button")).length, 2);
  assert.match(await text(tab, "h2"), /stack-aba/);
  await tab.evaluate(() => document.querySelector("nav button").click());
  await tab.waitForFunction(() => document.querySelector("h2").textContent.includes("correct"));
  assert.deepEqual(await accessibility(tab), []);
  await tab.close();
});

test("of several keys the one that is wrong is named with the reason", async () => {
  const of = (key, value) => ["invoke", "ok"].map(type => JSON.stringify(
    { process: 0, type, f: "read", key, value: type === "ok" ? value : null })).join("\n") + "\n";
  const tab = await open(report(history(of("x", null) + of("y", 3) + of("z", 4)), "--all",
                                "--spec=register"));
  assert.match(await text(tab, ".story .reason"), /^key "y": read returned 3/);
  await tab.select("#violation", await tab.$eval("#violation option:last-child", option => option.value));
  await settle(tab);
  assert.match(await text(tab, ".story .reason"), /^key "z": read returned 4/);
  await tab.close();
  const one = await open(report(history(of("y", 3)), "--spec=register"));
  assert.match(await text(one, ".story .reason"), /^read returned 3/); // there is no other
  await one.close();
});

test("an execution of a model: its steps, the state after each, and its operations", async () => {
  const tab = await open(reportOf("verify", "examples/models/treiber.lin"));
  assert.match(await text(tab, "h2"), /treiber\.lin:101: assert untagged linearizes stack/);
  const steps = await texts(tab, "tr[data-step]");
  assert.equal(steps.length, 35);
  assert.equal(steps[1], "244: node n = new node");
  await tab.click('tr[data-step="6"]');
  assert.match(await text(tab, ".state h3"), /After step 6/);
  assert.deepEqual(await texts(tab, ".state tr.changed"), ["topnode1"]);
  assert.deepEqual((await texts(tab, ".state tbody tr")).slice(0, 2),
                   ["topnode1", "node1{item = 1, next = null}"]);
  assert.match(await text(tab, ".details"), /0: push 1/);
  await tab.$eval(".lanes", lanes => lanes.focus());
  await tab.keyboard.press("ArrowDown");
  assert.match(await text(tab, ".details"), /1: pop/);
  assert.equal(await text(tab, "tr.now .visible"), "inv.pop.1");
  await tab.evaluate(() => [...document.querySelectorAll(".core button")].at(-1).click());
  assert.match(await text(tab, "tr.now"), /res\.pop\.1/);
  assert.deepEqual(tab.problems, []);
  assert.deepEqual(await accessibility(tab), []);
  await tab.close();
});

test("a lasso has its loop", async () => {
  const tab = await open(reportOf("verify", "examples/models/locks.lin"));
  await tab.evaluate(() => [...document.querySelectorAll("nav button")].find(
    button => button.textContent.includes("starvation_free") && button.textContent.includes("violated")).click());
  await tab.waitForFunction(() => document.querySelector("h2").textContent.includes("starvation_free"));
  const loop = await texts(tab, "tr.loop");
  assert.ok(loop.length > 1);
  assert.match(await text(tab, "tbody tr:last-child"), /and again from step 2, for ever/);
  await tab.close();
});

test("an execution of real code: a lane a thread, and where a read's value came from", async () => {
  const tab = await open(reportOf("test", "--test=treiber_relaxed", "--scenario", "push 1 | pop",
                                  "examples/code/treiber.c"));
  assert.match(await text(tab, ".reason"), /data race/);
  assert.deepEqual((await texts(tab, ".lanes th")).slice(1), ["thread 1", "thread 2"]);
  assert.ok((await texts(tab, ".from")).some(from => /from thread 1, line 29/.test(from)));
  assert.match(await text(tab, ".state"), /thread 2: pop\(\) has not returned/);
  assert.match(await text(tab, ".state"), /one has to happen before the other/);
  assert.match(await text(tab, ".state"), /rc11: violatedtso: not violatedsc: not violated/);
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

test("a run of a net", async () => {
  const tab = await open(reportOf("cover", "examples/nets/test_then_set.spec"));
  assert.equal((await texts(tab, "tr[data-step]")).length, 4);
  assert.deepEqual(await texts(tab, ".state tr.changed"), ["tested0", "inside2"]);
  await tab.close();
});

test("what the nemesis did is a band from its start to its stop", async () => {
  const line = (process, type, f, value) => JSON.stringify({ process, type, f, value }) + "\n";
  let events = "";
  for (let i = 0; i < 10; i++) {
    if (i === 2 || i === 6)
      events += line("nemesis", "info", i === 2 ? "start-partition" : "stop-partition", "n1").repeat(2);
    events += line(0, "invoke", "write", i) + line(0, "ok", "write", i);
  }
  const tab = await open(report(history(events), "--spec", "register"));
  const edges = await tab.$$eval(".band rect", rects => rects.map(rect => {
    const box = rect.getBoundingClientRect();
    return [box.left, box.right];
  }));
  const edge = index => tab.$eval(`[data-operation="${index}"] rect`, rect => rect.getBoundingClientRect().left);
  assert.equal(edges.length, 1);
  assert.ok(edges[0][0] > await edge(1) && edges[0][0] <= await edge(2) + 1, String(edges));
  assert.ok(edges[0][1] > await edge(5) && edges[0][1] <= await edge(6) + 1, String(edges));
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

test("labels of what the nemesis did stand clear of one another and of the operations", async () => {
  const line = (process, type, f, value) => JSON.stringify({ process, type, f, value }) + "\n";
  let events = "";
  for (let i = 0; i < 40; i++) {
    events += line("nemesis", "info", i % 2 ? "stop-partition" : "start-partition", `[n${i} n1] apart`);
    events += line(i % 5, "invoke", "write", i) + line(i % 5, "ok", "write", i);
  }
  const tab = await open(report(history(events), "--spec", "register"));
  const boxes = selector => tab.$$eval(selector, found => found.map(one => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    return { left, right, top, bottom, text: one.textContent };
  }));
  const labels = await boxes(".annotation text"), bars = await boxes(".operation rect");
  const [whole] = await boxes("svg.timeline");
  assert.ok(labels.length >= 6, `${labels.length} labels`);
  assert.equal(bars.length, 40);
  for (const label of labels) {
    assert.ok(label.right <= whole.right, label.text);
    for (const other of [...labels, ...bars])
      assert.ok(label === other || label.left >= other.right || other.left >= label.right ||
                label.top >= other.bottom - 3 || other.top >= label.bottom - 3, `${label.text}, ${other.text}`);
  }
  assert.deepEqual(tab.problems, []);
  await tab.close();
});
