#!/usr/bin/env python3
"""Certificates of `.lin` models: shipped assertions that have one are accepted; with any one state removed or changed they are refused.

STATES states are removed and changed in turn, drawn with SEED: STATES=1000 takes all. Of random programs COUNT, from SEED on, are taken:
COUNT=10000 SEED=7 tests/cli/test_proof_models.py PROGRAM SOURCE Models.test_random_programs"""
import collections
import json
import os
import random
import re
import subprocess

from program import ENVIRONMENT, PROGRAM, SOURCE, main
from proofs import ProofCase, digest, lines

SEED = int(os.environ.get("SEED", "1"))
STATES = int(os.environ.get("STATES", "5"))
COUNT = int(os.environ.get("COUNT", "30"))
BATCH = 60  # programs that are decided by one run
MEMORY = "200M"  # larger ones are left out
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
        _, claims = self.prove_model(path)
        self.recheck(0, "proof")
        self.spoil_states(random.Random(SEED), claims, count, "SEED=%d, %s" % (SEED, path))

    def spoil_states(self, draw, claims, count, where):
        """Without any one of its states, or with one that is changed, a certificate is refused."""
        states = range(2, len(claims) - 2)
        self.assertIn("come to by no steps", self.refused(claims[:-2] + [dict(claims[2], state=len(states)), {"end": len(states) + 1}, claims[-1]]))
        twin = [dict(claims[0]), dict(claims[1], pairs=claims[1]["pairs"] + 1), *[dict(line, steps=list(line["steps"])) for line in claims[2:-2]]]
        source = draw.choice([line for line in twin[2:] if line["steps"]])
        to, thread, event = source["steps"][0]
        source["steps"][0] = [len(states), thread, event]
        self.refused(twin + [dict(twin[2 + to], state=len(states)), {"end": len(states) + 1}, claims[-1]], where=where)
        for at in draw.sample(states, min(count, len(states))):
            place = "%s, line %d" % (where, at + 1)
            state, first = claims[at], claims[at]["steps"][:1]
            self.refused(claims[:at] + claims[at + 1:], where=place)
            after = claims[at + 1] if at + 1 < len(claims) - 2 else {}
            if [after.get("shared"), after.get("steps")] != [state["shared"], state["steps"]]:  # else both may stand for one
                fewer = [dict(line, state=line["state"] - (line["state"] > state["state"]),
                              steps=[[to - (to > state["state"]), thread, event] for to, thread, event in line["steps"]])
                         for line in claims[2:-2] if line != state]
                self.refused(claims[:2] + fewer + [{"end": len(fewer)}, claims[-1]], where=place)
            changes = [dict(state, steps=state["steps"] + [[0, 0, "res.write.0"]])]
            if state["shared"]:
                changes += [dict(state, shared=dict(state["shared"], **{draw.choice(list(state["shared"])): "7"})), dict(state, shared={})]
            for to, thread, event in first:
                changes += [dict(state, steps=steps) for steps in (
                    state["steps"][1:], state["steps"] + first, [[to, 1 - thread, event], *state["steps"][1:]])]
                if [claims[2 + (to + 1) % len(states)][key] for key in ("shared", "steps")] != [claims[2 + to][key] for key in ("shared", "steps")]:
                    changes.append(dict(state, steps=[[(to + 1) % len(states), thread, event], *state["steps"][1:]]))
            for changed in draw.sample(changes, min(2, len(changes))):
                self.refused(claims[:at] + [changed] + claims[at + 1:], where="%s, %s" % (place, changed))

    # ---- random programs ----

    def draw_programs(self, seed, count):
        """FILE:LINE of their assertions, and the texts. Most that can have no certificate are left out."""
        made = subprocess.run([PROGRAM.parent / "bin/generate-model", "lin", str(seed), str(count)], env=ENVIRONMENT, check=True,
                              capture_output=True)
        drawn = {}
        for number, text in enumerate(made.stdout.decode().split("\0"), seed):
            text = re.sub(r"(void zap|int peep)\(\)\s*{[^}]*}|, nodes = 3", "", text)  # functions, mostly without a call
            if not re.search(r"\b(zap|peep|ll|sc|free|choose|either|record|spec|switch|(void|int|bool) \w+\()", text):
                name = self.file("m%d.lin" % number, text)
                drawn["%s:%d" % (name, text[:text.index("assert it linearizes")].count("\n") + 1)] = text
        return drawn

    def test_random_programs(self):
        """What holds has a certificate, which is accepted, with all its states; of what is violated the states are none."""
        draw, ends = random.Random(SEED), collections.Counter()
        for seed in range(SEED, SEED + COUNT, BATCH):
            drawn = self.draw_programs(seed, min(BATCH, SEED + COUNT - seed))
            answers, proof = self.prove("--reduce=none", "-m", MEMORY, *drawn)
            for answer in answers:
                self.look_at(draw, answer, drawn, self.claims_of(proof, answer), ends)
        self.assertGreater(ends["holds"], 0)
        self.assertGreater(ends["violated"], 0)
        print("SEED=%d COUNT=%d: %s" % (SEED, COUNT, dict(ends)))

    def claims_of(self, proof, answer):
        """A certificate of that answer alone."""
        begin = next(i for i, line in enumerate(proof) if line.get("input") == answer["input"])
        if proof[begin]["claim"] == "none":
            return None
        end = next(i for i in range(begin, len(proof)) if "end" in proof[i])
        return [proof[0], *proof[begin:end + 1], {"claims": 1}]

    def look_at(self, draw, answer, drawn, claims, ends):
        place = "%s:%d" % (answer["input"], answer["line"])
        where = "SEED=%d, %s\n%s" % (SEED, place, drawn[place])
        if claims:
            self.file("proof", lines(claims))
            self.recheck(0, "proof", where=where)
            self.assertEqual(claims[1]["pairs"], answer["states"], where)
            self.spoil_states(draw, claims, 1, where)
            ends["holds"] += 1
        elif answer["verdict"] == "violated" and " is not possible for the specification" in answer["reason"]:
            self.file("spoiled", lines(self.claim_that_holds(answer, drawn[place])))
            said = self.run_recheck("spoiled")
            known = "does not know" not in said.out  # functions, choices, ...
            self.assertEqual(said.status, 1 if known else 3, where + said.out + said.err)
            if known:
                self.assertIn("a violation", said.out, where)
                ends["violated"] += 1

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
        told, _ = self.prove_model("m.lin:11")
        self.assertEqual(told[0]["verdict"], "violated")
        self.assertIn("a violation", self.refused(self.claim_that_holds(told[0], (self.folder / "m.lin").read_text())))

    def test_answers_that_are_not_looked_at(self):
        """Where a specification answers nothing any answer is as good, symbols are; `ok` is the answer null."""
        model = ("impl last {\n    shared value x;\n    op push(value v) {\n        x = v;\n        %s;\n    }\n    op pop() {\n        value w = x;\n"
                 "        x = null;\n        if (w == null) { %s; }\n        return w;\n    }\n}\nassert last linearizes stack with ops = 1, threads = 1;\n")
        for push, pop, answers in (("return 5", "return", ["res.push.0.5"]), ("return true", "return ok", ["res.push.0.true"]),
                                   ("return done", "return null", ["res.push=done.0"]), ("return null", "return empty", ["res.push.0"]),
                                   ("if (v == 1) { int y; } return v == 1 ? done : y", "if (1 == 2) return foo", ["res.push=done.0", "res.push=y.0"])):
            self.file("m.lin", model % (push, pop))
            told, claims = self.prove_model("m.lin")
            self.assertEqual(told[0]["proof"], "written", push)
            self.recheck(0, "proof")
            said = {event for line in claims[2:-2] for _, _, event in line["steps"] if event.startswith("res.push")}
            self.assertEqual(said, set(answers))
            other = [dict(line, steps=[[to, thread, event.replace("push=done", "push")] for to, thread, event in line["steps"]]) for line in claims[2:-2]]
            if other != claims[2:-2]:
                self.refused(claims[:2] + other + claims[-2:])
            self.file("m.lin", model % (push, "return none"))
            told, _ = self.prove_model("m.lin")
            self.assertIn("a violation", self.refused(self.claim_that_holds(told[0], (self.folder / "m.lin").read_text())))

    def test_answers_true_and_false(self):
        """1 and 0 are as good; no other number is, and no number is true."""
        model = ("impl bits {\n    shared bool one;\n    op add(value v) { if (swap(one, true)) return %s; return %s; }\n"
                 "    op remove(value v) { return swap(one, false); }\n    op contains(value v) { return one; }\n}\n"
                 "assert bits linearizes set with threads = 1, ops = 2, values = 1;\n")
        for again, first in (("false", "true"), ("0", "1"), ("0", "true"), ("false", "1"), ("null", "true"), ("false", "2")):
            self.file("m.lin", model % (again, first))
            told, _ = self.prove_model("m.lin")
            self.assertEqual(told[0]["verdict"], "violated" if "null" in again or first == "2" else "holds")
            if told[0]["verdict"] == "holds":
                self.recheck(0, "proof")
            else:
                self.assertIn("a violation", self.refused(self.claim_that_holds(told[0], (self.folder / "m.lin").read_text())))

    def test_unknown_language(self):
        """What linchpin-recheck does not know it neither accepts nor refuses."""
        text = "enum { FULL }; impl last { shared value x; op push(value v) { x = v; return FULL; } op pop() { return x; } }\nassert last linearizes stack;\n"
        self.file("m.lin", text)
        self.file("proof", lines([{"linchpin_proof": 1}, {"claim": "model", "input": "m.lin", "sha256": digest(text), "verdict": "holds", "line": 2,
                                                          "assertion": "assert last linearizes stack", "pairs": 1}, {"end": 0}, {"claims": 1}]))
        self.assertIn("unknown: m.lin:1: linchpin-recheck does not know `enum` here", self.recheck(3, "proof").out)

    def claim_that_holds(self, answer, text):
        """A certificate of what is violated, with the states that there are."""
        graph = json.loads(self.run_program("graph", "--to", "json", "%s:%d" % (answer["input"], answer["line"])).out)
        shared = [{name: re.sub(r"\b(node|mote)\d+", "node", one["variables"][name]) for name in graph["states"][0]["variables"]}
                  for one in graph["states"]]
        states = [{"state": i, "shared": shared[i], "steps": []} for i in range(len(shared))]
        for edge in graph["edges"]:
            event = edge["event"] if edge["visible"] else edge["event"].split(":")[0]
            states[edge["source"]]["steps"].append([edge["target"], edge["process"], event])
        claim = {"claim": "model", "input": answer["input"], "sha256": digest(text), "verdict": "holds", "line": answer["line"],
                 "assertion": answer["assertion"], "pairs": answer["states"]}
        return [{"linchpin_proof": 1}, claim, *states, {"end": len(states)}, {"claims": 1}]

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
        for kind in "int", "int(0..2)":
            self.file("local.lin", "impl one { shared value x; shared int a[2]; op write(value v) { %s b[2]; b[0] = 1; a[0] = 1; x = v; return ok; }\n"
                                   "op read() { if (a[1] == 0) return x; else a[1] = 0; return x; } }\n"
                                   "assert one linearizes register with threads = 1, ops = 1;\n" % kind)
            told, _ = self.prove_model("local.lin")
            self.assertRegex(told[0]["proof"], "^no certificate: .*language")
        told, _ = self.prove_model(self.file("local.lin", (self.folder / "local.lin").read_text().replace("int(0..2) b[2]; b[0] = 1;", "")))
        self.assertEqual(told[0]["proof"], "written")
        told, _ = self.prove(str(MODELS / "treiber.lin:99"))
        self.assertRegex(told[0]["proof"], "--reduce=none")
        self.file("own.lin", "spec max { int n; op read() { return n; } }\nimpl max0 { shared int(0..9) n; op read() { return n; } }\n"
                  "assert max0 linearizes max;\nassert max0 deadlock_free;\nassert max0 linearizes counter with nodes = 2;\n")
        said = self.run_program("verify", "--reduce=none", "--proof", "proof", "own.lin", stderr=subprocess.STDOUT).out
        self.assertRegex(said, "(?s)own.lin:3: warning: no certificate: the specification is the file's own: `max`\n.*own.lin:3: holds: ")
        self.assertRegex(said, "own.lin:4: warning: no certificate: linchpin-recheck checks of models only that they linearize a specification\n")
        self.assertRegex(said, "own.lin:5: warning: .*`nodes`")
        self.file("half.lin", "impl half { shared int(0..9) n; op inc() { fetch_add(n, 1); return ok; } }\n"
                  "assert half linearizes counter;\n")
        told, _ = self.prove_model("half.lin")
        self.assertRegex(told[0]["proof"], "lacks operations of the specification")


if __name__ == "__main__":
    main()
