#!/usr/bin/env python3
"""Certificates of `.lin` models: shipped assertions that have one are accepted; with any one state removed or changed they are refused.

STATES states are removed and changed in turn, drawn with SEED: STATES=1000 takes all."""
import json
import os
import random
import re

from program import SOURCE, main
from proofs import ProofCase, digest, lines

SEED = int(os.environ.get("SEED", "1"))
STATES = int(os.environ.get("STATES", "8"))
MODELS = SOURCE / "examples" / "models"
MOST_WRITTEN = 22000  # pairs of an assertion that is taken here
TOO_LARGE = {"elimination_stack", "wait_free_queue", "points"}  # and without a certificate
WRITTEN = 12  # at least so many assertions have a certificate


class Models(ProofCase):
    command = "verify"

    def prove_model(self, path):
        return self.prove("--reduce=none", str(path))

    def test_shipped(self):
        written = 0
        for path in sorted(MODELS.glob("*.lin")):
            if path.stem in TOO_LARGE:
                continue
            text = path.read_text()
            for number, line in enumerate(text.splitlines(), 1):
                known = re.match(r"assert .* linearizes (queue|stack|register|set|mutex|semaphore|counter)\b[^;]*;.*expect: holds", line)
                if not known or "points" in line:
                    continue
                answer, claims = self.prove_model("%s:%d" % (path, number))
                if answer[0]["proof"] != "written" or answer[0]["states"] > MOST_WRITTEN:
                    continue
                said = self.recheck(0, "proof", where="%s:%d" % (path, number)).out
                self.assertIn(answer[0]["assertion"], said)
                self.assertEqual(claims[1]["pairs"], answer[0]["states"])
                written += 1
        self.assertGreaterEqual(written, WRITTEN)

    def test_every_state_counts(self):
        self.spoil(MODELS / "semaphore.lin:42", 2 * STATES)
        self.spoil(MODELS / "locks.lin:121", STATES)

    def spoil(self, path, count):
        draw = random.Random(SEED)
        _, claims = self.prove_model(path)
        self.recheck(0, "proof")
        states = range(2, len(claims) - 2)
        for at in draw.sample(states, min(count, len(states))):
            where = "SEED=%d, line %d" % (SEED, at + 1)
            state = claims[at]
            fewer = [dict(line, state=line["state"] - (line["state"] > state["state"]),
                          steps=[[to - (to > state["state"]), thread, event] for to, thread, event in line["steps"]])
                     for line in claims[2:-2] if line != state]
            self.refused(claims[:2] + fewer + [{"end": len(fewer)}, claims[-1]], where=where)
            name = draw.choice(list(state["shared"]))
            changes = [dict(state, shared=dict(state["shared"], **{name: "7"})), dict(state, shared={}),
                            dict(state, steps=state["steps"][1:]), dict(state, steps=state["steps"] + [[0, 0, "res.write.0"]]),
                            dict(state, steps=state["steps"] + state["steps"][:1]),
                            dict(state, steps=[[state["steps"][0][0] + 1, *state["steps"][0][1:]], *state["steps"][1:]]),
                            dict(state, steps=[[state["steps"][0][0], 1 - state["steps"][0][1], state["steps"][0][2]], *state["steps"][1:]])]
            self.refused(claims[:at] + claims[at + 1:], where=where)
            for changed in draw.sample(changes, 2):
                self.refused(claims[:at] + [changed] + claims[at + 1:], where=where)

    def test_another_claim(self):
        _, claims = self.prove_model(MODELS / "semaphore.lin:42")
        for changes in ({"pairs": 64}, {"line": 43}, {"verdict": "violated"}, {"assertion": "assert x linearizes y"}, {"sha256": "0" * 64}):
            self.refused([claims[0], dict(claims[1], **changes), *claims[2:]])

    def test_of_another_program(self):
        """States of a right program, claimed of one in which the order of two statements, a comparison or a number is another."""
        changes = (("ms_queue", 169, "if (t != tail) continue;", "if (t == tail) continue;"), ("locks", 115, "swap(held, true)", "swap(held, false)"),
                   ("two_lock_queue", 87, "        head = x;\n        unlock(head_lock);", "        unlock(head_lock);\n        head = x;"),
                   ("semaphore", 42, "p - 1", "p"), ("register", 60, "i--;\n            bit[i]", "bit[i] = false; i--;\n            bit[i]"),
                   ("treiber", 100, "t = top;", "t = null;"), ("hw_queue", 64, "fetch_add(back, 1)", "fetch_add(back, 0)"))
        for name, number, before, after in changes:
            content = (MODELS / (name + ".lin")).read_text()
            self.assertIn(before, content)
            self.file("m.lin", content)
            _, claims = self.prove_model("m.lin:%d" % number)
            changed = content.replace(before, after, 1)
            self.file("m.lin", changed)
            self.refused([claims[0], dict(claims[1], sha256=digest(changed)), *claims[2:]], where=name)

    def test_violations_are_refused(self):
        """Of a wrong program its own states are no certificate: the checker finds the violation by itself."""
        self.file("m.lin", "impl last {\n    shared value x;\n    op push(value v) {\n        x = v;\n        return ok;\n    }\n"
                  "    op pop() {\n        return x;\n    }\n}\nassert last linearizes stack with ops = 1, threads = 3;\n"
                  "assert last linearizes stack with ops = 1, threads = 1;\n")
        told, claims = self.prove_model("m.lin:12")
        self.assertEqual(told[0]["proof"], "written")
        self.recheck(0, "proof")
        self.assertEqual(self.prove_model("m.lin:11")[0][0]["verdict"], "violated")
        graph = json.loads(self.run_program("graph", "--to", "json", "m.lin:11").out)
        states = [{"state": one["id"], "shared": one["variables"], "steps": []} for one in graph["states"]]
        for edge in graph["edges"]:
            event = edge["event"] if edge["visible"] else edge["event"].split(":")[0]
            states[edge["source"]]["steps"].append([edge["target"], edge["process"], event])
        claim = dict(claims[1], line=11, assertion="assert last linearizes stack with ops = 1, threads = 3")
        self.assertIn("a violation", self.refused([claims[0], claim, *states, {"end": len(states)}, {"claims": 1}]))

    def test_changed_bytes(self):
        draw = random.Random(SEED)
        content = (MODELS / "semaphore.lin").read_text()
        self.file("m.lin", content)
        self.prove_model("m.lin:42")
        proof = (self.folder / "proof").read_text()
        self.survives_changes(draw, STATES, "proof", proof)
        sha = proof.index(digest(content))
        for _ in range(2 * STATES):
            at = draw.randrange(content.index("impl"), content.index("impl looks_once"))
            changed = content[:at] + draw.choice(["7", "(", "}", "-1", ".", "while", "cas(", "[", "/", "\n"]) + content[at + draw.choice([0, 1, 3]):]
            self.file("m.lin", changed)
            self.survives_changes(draw, 1, "proof", proof[:sha] + digest(changed) + proof[sha + 64:])

    def test_no_certificate(self):
        for line, why in ((101, "only that they hold"), (102, "does not know"), (103, "only that they linearize")):
            told, _ = self.prove_model(MODELS / ("treiber.lin:%d" % line))
            self.assertRegex(told[0]["proof"], "^no certificate: .*" + why)
            self.recheck(3, "proof")
        told, _ = self.prove(str(MODELS / "treiber.lin:99"))
        self.assertRegex(told[0]["proof"], "--reduce=none")


if __name__ == "__main__":
    main()
