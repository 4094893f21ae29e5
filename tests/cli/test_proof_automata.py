#!/usr/bin/env python3
"""Certificates that a violation automaton accepts a history: accepted where it does, refused where it does not.

CASES histories are drawn with SEED."""
import json
import os
import pathlib
import random

from program import SOURCE, main
from proofs import ProofCase, digest, lines

SEED = int(os.environ.get("SEED", "1"))
CASES = int(os.environ.get("CASES", "45"))
RULES = SOURCE / "examples" / "rules"
OBJECTS = {"queue": ("enqueue", ["dequeue"]), "stack": ("push", ["pop"]), "set": ("add", ["remove", "contains"])}


def draw_history(draw, spec):
    """Each value is added once at most; answers are sometimes those of another moment."""
    add, others = OBJECTS[spec]
    events, held, running, added, todo = [], [], {}, 0, draw.randint(2, 9)
    wrong = draw.choice([0, 0.2])
    while todo or running:
        process = draw.randrange(3)
        if process not in running and todo:
            todo -= 1
            f = draw.choice([add, *others])
            argument = added if f == add else draw.randrange(max(added, 1)) if spec == "set" else None
            added += f == add
            running[process] = event = {"process": process, "type": "invoke", "f": f, "value": argument}
            events.append(event)
        elif process in running:
            event = running.pop(process)
            f, value = event["f"], event["value"]
            if f == add:
                result = True if spec == "set" else value
                held.append(value)
            elif spec == "set":
                result = value in held
                if f == "remove" and result:
                    held.remove(value)
                if draw.random() < wrong:
                    result = not result
            else:
                result = held.pop(0 if spec == "queue" else -1) if held else None
                if draw.random() < wrong:
                    result = draw.choice([None, *range(added)])
            events.append(dict(event, type="ok", value=result))
    return events


class Automata(ProofCase):
    command = "rules"

    def test_random_histories(self):
        draw = random.Random(SEED)
        written = 0
        for case in range(CASES):
            spec = list(OBJECTS)[case % len(OBJECTS)]
            content = lines(draw_history(draw, spec))
            self.file("h", content)
            where = "SEED=%d, case %d, %s: %s" % (SEED, case, spec, content)
            files = [str(path) for path in sorted(RULES.glob(spec + "_*.txt"))]
            said = self.run_program("rules", "--json", "--proof", "proof", "--on", "h", *files)
            if said.status == 2:  # a value is added twice, or the like
                continue
            answer, = said.objects()
            self.assertEqual(answer["proof"] == "written", answer["history"] == "violation", where)
            if answer["proof"] == "written":
                written += 1
                self.assertIn("accepted: h: accepted: ", self.recheck(0, "proof", where=where).out)
                self.spoil([json.loads(line) for line in (self.folder / "proof").read_text().splitlines()], where)
            else:
                self.assertIn("no automaton accepts", self.recheck(3, "proof").out, where)
                self.claim(draw, spec, content, draw.choice(files), where)
        self.assertGreater(written, 0)

    def spoil(self, claims, where):
        colours = claims[2]["colours"]
        self.refused(claims[:2] + [{"colours": colours[:-1]}] + claims[3:], where=where)
        self.refused(claims[:2] + [{"colours": [0] + colours[1:]}] + claims[3:], where=where)
        self.refused(claims[:2] + [{"colours": colours + [1]}] + claims[3:], where=where)
        self.refused(claims[:2] + [{"colours": [4] * len(colours)}] + claims[3:], where=where)
        for key in ("sha256", "automaton_sha256"):
            self.refused([claims[0], dict(claims[1], **{key: "0" * 64}), *claims[2:]], where=where)
        for i in range(1, len(claims)):
            if claims[i] != {"marked": []}:
                self.refused(claims[:i] + claims[i + 1:], where=where)

    def claim(self, draw, spec, content, automaton, where):
        """No colours let an automaton accept what is linearizable."""
        count = sum(json.loads(line)["type"] == "invoke" for line in content.splitlines())
        for _ in range(5):
            of = [draw.randint(1, 3) for _ in range(20)]  # of each value
            evidence = {"colours": [draw.choice([1, 2, 3]) if draw.random() < 0.3 else of[i] for i in range(count)]}
            self.refused([{"linchpin_proof": 1},
                          {"claim": "automaton", "input": "h", "sha256": digest(content), "verdict": "accepted", "spec": spec,
                           "automaton": automaton, "automaton_sha256": digest(pathlib.Path(automaton).read_text())},
                          evidence, {"end": 1}, {"claims": 1}], where=where)

    def reordered(self):
        return [{"process": 0, "type": type_, "f": f, "value": value}
                for f, argument, result in (("enqueue", 1, 1), ("enqueue", 2, 2), ("dequeue", None, 2), ("dequeue", None, 1))
                for type_, value in (("invoke", argument), ("ok", result))]

    def test_one_value_one_colour(self):
        self.file("h", lines(self.reordered()))
        _, claims = self.prove("--on", "h", str(RULES / "queue_order.txt"))
        self.assertEqual(claims[2], {"colours": [1, 2, 2, 1]})
        self.recheck(0, "proof")
        self.assertIn("two colours", self.refused(claims[:2] + [{"colours": [1, 2, 2, 3]}] + claims[3:]))
        self.assertIn("does not accept", self.refused(claims[:2] + [{"colours": [2, 1, 1, 2]}] + claims[3:]))
        self.assertIn("does not accept", self.refused(claims[:2] + [{"colours": [3, 3, 3, 3]}] + claims[3:]))
        self.assertIn("reads no DeqM", self.refused(claims[:3] + [{"marked": [2]}] + claims[4:]))

    def test_what_is_no_automaton(self):
        """What linchpin refuses as an automaton linchpin-recheck refuses as well."""
        draw = random.Random(SEED)
        content = (RULES / "queue_order.txt").read_text()
        rows = [line for line in content.splitlines() if line and not line.startswith("#")]
        heads = [line for line in rows if not line.startswith("trans")]
        texts = [content, "\n".join(rows) + "\n"] + ["\n".join(line for line in rows if line != head) for head in heads]
        texts += ["\n".join([*rows, head]) for head in heads] + ["\n".join(line + " 0" if line == head else line for line in rows) for head in heads]
        texts += ["\n".join(rows).replace(*change, 1) for change in (("adt queue", "adt stack"), ("accept", "accepts"), ("trans 0", "trans 99"), ("init 0", "init 1 2"),
                                                                    ("init 0", "init -1"), ("init", "\0init"), ("methods", "methods Enq"), ("trans", "  # trans"))]
        for _ in range(CASES // 3):
            words = "\n".join(rows).split(" ")
            words[draw.randrange(len(words))] = draw.choice(words + ["7", "-1", "x", "\n"])
            texts.append(" ".join(words))
        self.file("h", lines(self.reordered()))
        names = [self.file("a%d.txt" % i, text) for i, text in enumerate(texts)]
        for name, text in zip(names, texts):
            wrong = self.run_program("rules", "--on", "h", name).status == 2
            self.file("proof", lines([{"linchpin_proof": 1}, {"claim": "automaton", "input": "h", "sha256": digest(lines(self.reordered())), "verdict": "accepted",
                                                              "spec": "queue", "automaton": name, "automaton_sha256": digest(text)}, {"end": 0}, {"claims": 1}]))
            said = self.run_recheck("proof")
            self.assertIn(said.status, (1, 2) if wrong else (1,), text + said.err)
            self.assertNotIn("has no colour", said.out if wrong else "", text)

    def test_changed_bytes(self):
        draw = random.Random(SEED)
        self.file("h", lines(self.reordered()))
        content = (RULES / "queue_order.txt").read_text()
        self.file("a.txt", content)
        self.prove("--on", "h", "a.txt")
        proof = (self.folder / "proof").read_text()
        self.survives_changes(draw, CASES, "proof", proof)
        sha = proof.index(digest(content))
        for _ in range(CASES):
            at = draw.randrange(len(content))
            changed = content[:at] + draw.choice(["7", "states 900\n", "-1", "accept", "\n", "methods X\n"]) + content[at + draw.choice([0, 1, 3]):]
            self.file("a.txt", changed)
            self.survives_changes(draw, 1, "proof", proof[:sha] + digest(changed) + proof[sha + 64:])

    def test_no_certificate(self):
        said = self.expect(0, "rules", "--bound", "2", "--proof", "proof", str(RULES / "queue_order.txt"),
                           *[str(path) for path in RULES.glob("queue_[efr]*.txt")])
        self.assertIn("no certificate: linchpin-recheck compares no automata", said.out)
        self.recheck(3, "proof")


if __name__ == "__main__":
    main()
