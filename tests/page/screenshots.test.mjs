// The page looks as it did: each view beside its picture in tests/page/screenshots.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { close, require } from "./browser.mjs";
import { compare, pictures, take, TOLERANCE, views } from "./screenshots.mjs";

after(close);

for (const [name, view] of Object.entries(views))
  for (const scheme of ["light", "dark"])
    test(`${name}, ${scheme}`, async () => {
      const path = join(pictures, `${name}-${scheme}.png`), taken = await take(view, scheme);
      const { unlike, all, marked } = await compare(taken, path);
      if (unlike <= TOLERANCE.share * all)
        return;
      const folder = mkdtempSync(join(tmpdir(), "linchpin-screenshots-"));
      writeFileSync(join(folder, "now.png"), taken);
      writeFileSync(join(folder, "unlike.png"), marked);
      assert.fail(`${unlike} of ${all} pixels are unlike ${path}: see ${folder}. ` +
                  "If they should be, take the pictures anew: npm run screenshots");
    });

// The comparison itself: a single bar of the timeline that is not where it was.
test("a bar in another place is seen", async () => {
  const { PNG } = require("pngjs"), path = join(pictures, "history-light.png");
  const picture = PNG.sync.read(readFileSync(path));
  for (let y = 500; y < 520; y++)
    for (let x = 200; x < 260; x++)
      picture.data.set([255, 0, 255, 255], 4 * (y * picture.width + x));
  const { unlike, all } = await compare(PNG.sync.write(picture), path);
  assert.ok(unlike > TOLERANCE.share * all);
});
