#!/usr/bin/env python3
"""Certificates of Petri nets: runs, and sets of markings that are closed, are accepted; spoiled ones, and those of nets that are not
safe, are refused.

CASES nets are drawn with SEED: CASES=10000 SEED=7 tests/cli/test_proof_nets.py PROGRAM SOURCE"""
import json
import os
import random

from program import SOURCE, main
from proofs import ProofCase, digest, lines

SEED = int(os.environ.get("SEED", "1"))
CASES = int(os.environ.get("CASES", "300"))
BATCH = max(50, CASES // 100)
NETS = SOURCE / "examples" / "nets"


class Net:
    """Places p0, p1, ...; rules are what is taken and what is given, by place."""

    def __init__(self, draw):
        self.places = draw.randint(2, 6)
        self.rules = [(self.tokens(draw, 2), self.tokens(draw, 2)) for _ in range(draw.randint(1, 6))]
        self.initial = [(draw.choice(["=", "=", "=", "=", ">="]), draw.choice([0, 0, 1, 2])) for _ in range(self.places)]
        self.targets = [self.tokens(draw, 3) or {0: 2} for _ in range(draw.randint(1, 2))]

    def tokens(self, draw, most):
        return {p: draw.choice([1, 1, 1, 2, 3]) for p in draw.sample(range(self.places), min(self.places, draw.randint(0, most)))}

    def text(self):
        rules = []
        for takes, gives in self.rules:
            guard = ", ".join("p%d >= %d" % pair for pair in takes.items()) or "true"
            changes = []
            for p in sorted({*takes, *gives}):
                more = gives.get(p, 0) - takes.get(p, 0)
                if more:
                    changes.append("p%d' = p%d %s %d" % (p, p, "+-"[more < 0], abs(more)))
            rules.append("    %s -> %s;\n" % (guard, ", ".join(changes)))
        return "vars\n    %s\nrules\n%sinit\n    %s\ntarget\n%s" % (
            " ".join("p%d" % p for p in range(self.places)), "".join(rules),
            ", ".join("p%d %s %d" % (p, *one) for p, one in enumerate(self.initial)),
            "".join("    %s\n" % ", ".join("p%d >= %d" % pair for pair in target.items()) for target in self.targets))

    def changed(self, draw):
        """Another net, like this one."""
        other = Net(draw)
        other.places, other.rules = self.places, [(dict(takes), dict(gives)) for takes, gives in self.rules]
        other.initial, other.targets = list(self.initial), [dict(target) for target in self.targets]
        what, p = draw.randrange(4), draw.randrange(self.places)
        if what == 0:
            draw.choice(other.rules)[0].pop(p, None)
        elif what == 1:
            draw.choice(other.rules)[1][p] = draw.randint(1, 3)
        elif what == 2:
            other.initial[p] = (draw.choice(["=", ">="]), draw.randint(0, 3))
        else:
            draw.choice(other.targets)[p] = 1
        return other


class Nets(ProofCase):
    command = "cover"

    def test_shipped_nets(self):
        paths = sorted(NETS.glob("*.spec"))
        for net in [*NETS.glob("*.tts"), *NETS.glob("*.pnml")]:
            written = self.expect(0, "cover", "--to", "spec", str(net)).out
            paths.append(self.file(net.stem + ".spec", written))
            answers, _ = self.prove(str(net))
            self.assertEqual(answers[0]["proof"], "no certificate: the net is not in mist's format")
            self.recheck(3, "proof")
        answers, _ = self.prove(*map(str, paths))
        self.assertEqual({answer["proof"] for answer in answers}, {"written"})
        self.assertEqual({answer["verdict"] for answer in answers}, {"safe", "unsafe"})
        said = self.recheck(0, "proof").out
        for answer in answers:
            self.assertIn(": accepted: %s: %s\n" % (answer["input"], answer["verdict"]), said)

    def test_random_nets(self):
        draw = random.Random(SEED)
        for first in range(0, CASES, BATCH):
            where = "SEED=%d, from case %d on: " % (SEED, first)
            nets = {"n%d.spec" % i: Net(draw) for i in range(min(BATCH, CASES - first))}
            for name, net in nets.items():
                self.file(name, net.text())
            answers, claims = self.prove("--timeout=10s", *nets)
            self.assertEqual({answer["proof"] for answer in answers}, {"written"}, where)
            self.assertGreater(len({answer["verdict"] for answer in answers}), 1, where)
            self.recheck(0, "proof", where=where)
            for i, line in enumerate(claims):
                if line.get("verdict") == "safe":
                    end = next(j for j in range(i, len(claims)) if "end" in claims[j])
                    self.believe_of_another(draw, nets[line["input"]], claims[i:end + 1], where)

    def believe_of_another(self, draw, net, claim, where):
        """A certificate of a safe net is none of a net like it that is not safe."""
        other = net.changed(draw).text()
        self.file("other.spec", other)
        answer = self.run_program("cover", "--json", "--timeout=10s", "other.spec").objects()[0]
        if answer["verdict"] == "unsafe":
            told = dict(claim[0], input="other.spec", sha256=digest(other))
            for kind in ("closed forwards", "closed backwards"):
                self.refused([{"linchpin_proof": 1}, dict(told, set=kind), *claim[1:], {"claims": 1}], where=where)

    def test_spoiled_runs(self):
        path = str(NETS / "test_then_set.spec")
        answers, claims = self.prove(path)
        self.assertEqual(answers[0]["verdict"], "unsafe")
        self.assertTrue(answers[0]["shortest"])
        run = claims[3]["fire"]
        spoiled = [run[:i] + run[i + 1:] for i in range(len(run))] + [run + [99], run + [-1], [], [run]]
        for fire in spoiled:
            self.refused(claims[:3] + [{"fire": fire}] + claims[4:])
        for start in ([], claims[2]["start"] + [[0, -1]], [[99, 1]], [[p, n + 1] for p, n in claims[2]["start"]]):
            self.refused(claims[:2] + [{"start": start}] + claims[3:])
        for i in range(1, len(claims)):
            self.refused(claims[:i] + claims[i + 1:])
        self.refused([claims[0], dict(claims[1], verdict="safe")] + claims[2:])
        self.refused([claims[0], dict(claims[1], verdict="reachable")] + claims[2:])
        self.refused([claims[0], dict(claims[1], verdict="reachable"), {"end": 0}, {"claims": 1}])
        self.refused([claims[0], dict(claims[1], sha256="0" * 64)] + claims[2:])

    def test_changed_bytes(self):
        draw = random.Random(SEED)
        for name in ("test_then_set.spec", "readers_writers.spec"):
            content = (NETS / name).read_text()
            self.file("n.spec", content)
            self.prove("n.spec")
            proof = (self.folder / "proof").read_text()
            self.survives_changes(draw, CASES // 10, "proof", proof)
            sha = proof.index(digest(content))
            for _ in range(CASES // 30):
                at = draw.randrange(len(content))
                changed = content[:at] + draw.choice(["0", "- 1", "true", ",", "'", ";", "99999999999"]) + content[at + draw.choice([0, 1, 3]):]
                self.file("n.spec", changed)
                self.survives_changes(draw, 1, "proof", proof[:sha] + digest(changed) + proof[sha + 64:])

    def test_what_is_no_net(self):
        """What linchpin refuses as an input linchpin-recheck refuses as well."""
        net = "vars a b\nrules b >= 1 -> a' = a + 1, b' = b - 1;\ninit a = 0, b = 2\ntarget a >= 1\n"
        changes = [("b >= 1", "b >= 3, b >= 1"), ("b = 2", "b = 2, b = 0"), ("a >= 1\n", "a >= 5, a >= 1\n"), ("a b", "a b a"), ("a b", "a, b"),
                   ("a b", "a b 7"), ("a b", "a b " + 256 * "c"), ("+ 1,", "+ 1, a' = a,"), ("1, b'", "1 b'"), ("0, b", "0 b"), ("b - 1", "b - 2"),
                   ("a >= 1\n", "a >= 1 b >= 1\n"), ("a >= 1\n", ""), ("1\n", "1\ninit a = 0\n"), ("1\n", "1\ninvariants\n a = 1,\n"),
                   ("1\n", "1\ninvariants\n a >= 1\n"), ("1\n", "1\n\0 b >= 1\n"), ("a >= 1\n", "a >= 1 /* or so */\n"), ("2", "1000000001"),
                   ("a' = a", "a' = b"), ("2", "x"), ("rules", "rules rules"), ("a = 0", "a <= 0"), ("true", "")]
        draw = random.Random(SEED)
        texts = [net] + [net.replace(*change, 1) for change in changes] + [net.replace("b >= 1 ->", "true ->").replace(", b' = b - 1", ",")]
        for _ in range(CASES // 6):
            words = net.split(" ")
            at = draw.randrange(len(words))
            words[at:at + draw.choice([0, 1, 1])] = [draw.choice(words + ["true", "-", ">=", "=", ",", ";", "7", "\n", "invariants"])]
            texts.append(" ".join(words))
        names = [self.file("n%d.spec" % i, text) for i, text in enumerate(texts)]
        said = self.run_program("cover", "--json", *names)
        wrong = {json.loads(line)["file"] for line in said.err.splitlines()}
        self.assertEqual(wrong.intersection(names[:len(changes)]), set(names[1:len(changes)]))
        self.assertGreater(set(names[len(changes):]) - wrong, set())
        for name, text in zip(names, texts):
            self.file("proof", lines([{"linchpin_proof": 1}, {"claim": "net", "input": name, "sha256": digest(text)}, {"end": 0}, {"claims": 1}]))
            self.recheck(2 if name in wrong else 1, "proof", where=text)

    def test_spoiled_sets(self):
        path = str(NETS / "readers_writers.spec")
        answers, claims = self.prove(path)
        self.assertEqual(answers[0]["verdict"], "safe")
        markings = [i for i, line in enumerate(claims) if "marking" in line]
        places = [i for i, line in enumerate(claims) if "place" in line]
        self.assertTrue(markings and places)
        evidence = len(claims) - 4
        for lost in markings + places:
            less = [line for i, line in enumerate(claims) if i != lost]
            less[-2] = {"end": evidence - 1}
            self.refused(less)
        for i in places:
            for beside in claims[i]["with"]:
                less = list(claims)
                less[i] = dict(claims[i], **{"with": [q for q in claims[i]["with"] if q != beside]})
                self.refused(less)
        everything = {"marking": [[p, -1] for p in range(4)]}
        self.assertIn("covers a target", self.refused(claims[:markings[0]] + [everything] + claims[markings[0] + 1:]))
        self.refused([claims[0], dict(claims[1], set="closed backwards")] + claims[2:])
        self.refused([claims[0], dict(claims[1], verdict="unsafe")] + claims[2:])
        self.assertIn("too large", self.recheck(3, "--limit", "3", "proof").out)


if __name__ == "__main__":
    main()
