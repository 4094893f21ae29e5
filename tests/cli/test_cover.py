#!/usr/bin/env python3
"""linchpin cover: verdicts of the shipped nets and of published ones, runs, traces, formats."""
import json
import re
import xml.etree.ElementTree as ElementTree

from program import SHARED, SOURCE, Case, main

NETS = SOURCE / "examples" / "nets"

LOCK = """vars
    idle tested inside clear

rules
    idle >= 1, clear >= 1 -> idle' = idle - 1, tested' = tested + 1;
    tested >= 1 -> tested' = tested - 1, inside' = inside + 1;

init
    idle >= 0, tested = 0, inside = 0, clear = 1

target
    inside >= 2
"""
SAFE = LOCK.replace("clear >= 1 -> ", "clear >= 1 -> clear' = clear - 1, ")


def ring(places, tokens):
    """Tokens that go round two by two, and a target with odd numbers of them: no sum of tokens tells that
    it is not covered, so that the many markings have to be looked at."""
    names = ["p%d" % i for i in range(places)]
    rules = ["%s >= 2 -> %s' = %s - 2, %s' = %s + 2;" % (p, p, p, q, q)
             for p, q in zip(names, names[1:] + names[:1])]
    init = ["p0 = %d" % tokens] + ["%s = 0" % name for name in names[1:]]
    return "vars %s\nrules\n%s\ninit %s\ntarget p0 >= %d, p1 >= 1\n" % (
        " ".join(names), "\n".join(rules), ", ".join(init), tokens - 1)


def expected():
    for line in (NETS / "expected.tsv").read_text().splitlines():
        if not line.startswith("#"):
            yield line.split("\t")


def fire(net, answer):
    """Follows a run with rules that are read here once more, and tells whether it covers a target."""
    text = re.sub(r"#.*", "", net)
    rules = [rule for rule in text[text.index("rules") + 5:text.index("\ninit")].split(";")[:-1]]
    tokens = {name: int(count) for name, count in answer["start"].items()}
    for step in answer["trace"]:
        guard, change = rules[int(re.match(r"rule (\d+),", step["event"])[1]) - 1].split("->")
        for name, least in re.findall(r"(\w+)\s*>=\s*(\d+)", guard):
            assert tokens.get(name, 0) >= int(least), step
        for name, sign, count in re.findall(r"(\w+)'\s*=\s*\w+\s*([-+])\s*(\d+)", change):
            tokens[name] = tokens.get(name, 0) + int(sign + count)
            assert int(step["changes"][name]) == tokens[name], step
    targets = re.split(r"\binvariants\b", text[text.index("\ntarget") + 7:])[0]
    return any(all(tokens.get(name, 0) >= int(least)
                   for name, least in re.findall(r"(\w+)\s*>=\s*(\d+)", line))
               for line in targets.strip().splitlines())


class Cover(Case):
    def test_each_example_has_its_verdict(self):
        for file, verdict, shortest in expected():
            with self.subTest(file):
                status = 0 if verdict == "safe" else 1
                (answer,) = self.expect(status, "cover", "--json", NETS / file).objects()
                self.assertEqual(answer["verdict"], verdict)
                if verdict == "unsafe":
                    self.assertTrue(answer["shortest"])
                    self.assertEqual(len(answer["trace"]), int(shortest))

    def test_none_is_forgotten(self):
        files = {path.name for path in NETS.iterdir() if path.suffix in (".spec", ".tts", ".pnml")}
        self.assertEqual(files, {line[0] for line in expected()})

    def test_an_unsafe_net_is_shown_with_its_run(self):
        self.file("lock.spec", LOCK)
        result = self.expect(1, "cover", "lock.spec")
        lines = result.out.splitlines()
        self.assertRegex(lines[0], r"^lock\.spec: unsafe \((forward|backward), ")
        self.assertEqual(lines[1], "  the shortest run of 4 transitions covers inside >= 2")
        self.assertIn("idle = 2, clear = 1", lines[4])
        self.assertIn("linchpin replay trace.json", result.out)
        self.assertEqual(result.err, "")

    def test_json(self):
        self.file("lock.spec", LOCK)
        self.file("safe.spec", SAFE)
        unsafe, safe = self.expect(1, "cover", "--json", "lock.spec", "safe.spec").objects()
        self.assertEqual(unsafe["input"], "lock.spec")
        self.assertEqual(unsafe["start"], {"idle": "2", "clear": "1"})
        self.assertEqual(len(unsafe["trace"]), 4)
        self.assertTrue(fire(LOCK, unsafe))
        self.assertEqual((safe["verdict"], "trace" in safe), ("safe", False))
        for answer in unsafe, safe:
            self.assertIn(answer["method"], ("forward", "backward", "pairs", "invariants"))
            self.assertGreaterEqual(answer["seconds"], 0)

    def test_several_nets(self):
        self.file("lock.spec", LOCK)
        self.file("safe.spec", SAFE)
        self.file("wrong.spec", "vars a\nrules\na >= 1 -> a' = 0;\n")
        result = self.expect(2, "cover", "-q", "safe.spec", "wrong.spec", "lock.spec")
        self.assertEqual([line.split(" (")[0] for line in result.out.splitlines()],
                         ["safe.spec: safe", "lock.spec: unsafe"])
        self.assertIn("wrong.spec:3: error: expected the same place again; only Petri nets are "
                      "decided, without resets, found '0'\n    a >= 1 -> a' = 0;\n", result.err)
        result = self.expect(1, "cover", "safe.spec", "lock.spec")
        self.assertIn("2 nets: 1 safe, 1 unsafe", result.err)

    def test_an_error_prints_nothing_on_standard_output(self):
        self.file("wrong.spec", "vars a a")
        self.assertEqual(self.expect(2, "cover", "--json", "wrong.spec", "missing.spec").out, "")

    def test_standard_input(self):
        (answer,) = self.expect(1, "cover", "--json", "-", given=LOCK.encode()).objects()
        self.assertEqual((answer["input"], answer["verdict"]), ("-", "unsafe"))
        result = self.expect(2, "cover", "-", given=b"1 1\n")
        self.assertIn("expected the property of the thread transition system in a .prop file",
                      result.err)

    def test_a_trace_is_replayed_and_checked(self):
        self.file("lock.spec", LOCK)
        self.expect(1, "cover", "--trace", "trace.json", "lock.spec")
        trace = json.loads((self.folder / "trace.json").read_text())
        self.assertEqual((trace["command"], trace["verdict"]), ("cover", "unsafe"))
        result = self.expect(1, "replay", "trace.json")
        self.assertIn("4 steps, taken again on the net.", result.out)

        def spoiled(change, complaint):
            other = json.loads(json.dumps(trace))
            change(other)
            self.file("spoiled.json", json.dumps(other))
            self.assertIn(complaint, self.expect(2, "replay", "spoiled.json").err)

        spoiled(lambda other: other["trace"].pop(0), "the net cannot take step ")
        spoiled(lambda other: other["trace"].pop(), "no target is covered at the end of the trace")
        spoiled(lambda other: other["start"].update(clear="2"),
                "does not start in an initial marking")
        spoiled(lambda other: other["trace"][0]["changes"].update(idle="0"), "cannot take step 1")
        self.file("lock.spec", LOCK + "\n# changed\n")
        result = self.expect(2, "replay", "trace.json")
        self.assertIn("expected the net that the trace was made of", result.err)

    def test_no_trace_without_an_unsafe_net(self):
        self.file("safe.spec", SAFE)
        self.expect(0, "cover", "--trace", "trace.json", "safe.spec")
        self.assertFalse((self.folder / "trace.json").exists())

    def test_limits(self):
        self.file("ring.spec", ring(40, 40))
        (answer,) = self.expect(3, "cover", "--json", "--timeout", "300ms", "ring.spec").objects()
        self.assertEqual((answer["verdict"], answer["limit"]), ("unknown", "time"))
        self.assertRegex(answer["reason"],
                         r"^the time limit of 300 ms was reached after [0-9,]+ markings$")
        self.file("long.spec", ring(200, 40))
        (answer,) = self.expect(3, "cover", "--json", "--memory", "9M", "long.spec").objects()
        self.assertEqual((answer["verdict"], answer["limit"]), ("unknown", "memory"))

    def test_little_of_anything_is_a_limit(self):
        """With next to no time or memory the answer is unknown, or the right one."""
        names = ["p%d" % i for i in range(20000)]
        moves = ["%s >= 1 -> %s' = %s - 1, %s' = %s + 1;" % (p, p, p, q, q) for p, q in zip(names, names[1:])]
        zero = "".join(", %s = 0" % name for name in names[1:])
        for start, rules, target, right in (
                ("= 1", moves, "p19999 >= 2", "safe"), (">= 1", moves, "p19999 >= 2", "unsafe"),
                ("= 1", moves[::-1], "p19999 >= 1", "unsafe")):
            self.file("chain.spec", "vars %s\nrules\n%s\ninit p0 %s%s\ntarget %s\n" % (
                " ".join(names), "\n".join(rules), start, zero, target))
            for option, limit in (("--timeout", "1ms"), ("--total-timeout", "1ms"), ("--memory", "1M")):
                result = self.run_program("cover", "--json", option, limit, "chain.spec")
                (answer,) = result.objects()
                if result.status == 3:
                    self.assertEqual((answer["verdict"], answer["limit"]),
                                     ("unknown", "memory" if option == "--memory" else "time"))
                else:
                    self.assertEqual((result.status, answer["verdict"]), ({"safe": 0, "unsafe": 1}[right], right))
                    self.assertNotEqual(option, "--memory")
        (answer,) = self.expect(3, "cover", "--json", "--timeout", "1ms", "--memory", "1M", "chain.spec").objects()
        self.assertEqual(answer["verdict"], "unknown")

    def test_a_target_that_asks_for_nothing(self):
        self.file("net.spec", "vars a b\nrules\n  -> a' = a + 1;\ninit a = 0, b = 0\ntarget b >= 1\n  b >= 0\n")
        result = self.expect(1, "cover", "net.spec")
        warning = "target 2 asks for no token, so that every marking covers it"
        self.assertEqual(result.err, "net.spec: warning: %s\n" % warning)
        self.assertIn("an initial marking covers a target that asks for no token", result.out)
        (answer,) = self.expect(1, "cover", "--json", "net.spec").objects()
        self.assertEqual((answer["warnings"], answer["trace"]), ([warning], []))

    def test_a_rule_without_a_guard(self):
        for guard in "", "true":
            self.file("net.spec", "vars a\nrules\n  %s -> a' = a + 2;\ninit a = 0\ntarget a >= 3\n" % guard)
            (answer,) = self.expect(1, "cover", "--json", "net.spec").objects()
            self.assertEqual([step["changes"] for step in answer["trace"]], [{"a": "2"}, {"a": "4"}])

    def test_a_sum_that_stays_the_same_is_seen(self):
        self.file("ring.spec", ring(40, 40).replace("p0 >= 39, p1 >= 1", "p0 >= 39, p7 >= 2"))
        (answer,) = self.expect(0, "cover", "--json", "--timeout", "60s", "ring.spec").objects()
        self.assertEqual(answer["method"], "invariants")

    def test_junit(self):
        self.file("lock.spec", LOCK)
        self.file("safe.spec", SAFE)
        self.expect(1, "cover", "--junit", "report.xml", "lock.spec", "safe.spec")
        root = ElementTree.parse(self.folder / "report.xml").getroot()
        cases = list(root.iter("testcase"))
        self.assertEqual([len(case.findall("failure")) for case in cases], [1, 0])

    def test_written_nets_have_the_same_verdict(self):
        for file, verdict, _ in expected():
            with self.subTest(file):
                for form in "spec", "tts", "prop", "pnml":
                    self.expect(0, "cover", "--to", form, "-o", "net." + form, NETS / file)
                for form in "spec", "tts", "pnml":
                    (answer,) = self.run_program("cover", "--json", "net." + form).objects()
                    self.assertEqual(answer["verdict"], verdict, form)

    def test_pnml(self):
        result = self.expect(0, "cover", "--to", "pnml", NETS / "readers_writers.spec")
        root = ElementTree.fromstring(result.out)
        name = "{http://www.pnml.org/version-2009/grammar/pnml}"
        self.assertEqual(len(list(root.iter(name + "place"))), 4)
        self.assertEqual(len(list(root.iter(name + "transition"))), 4)
        arcs = [arc for arc in root.iter(name + "arc") if arc.get("source") == "t3"]
        self.assertEqual({arc.get("target"): arc.find("*/" + name + "text").text for arc in arcs},
                         {"p0": "1", "p3": "5"})

    def test_pnml_is_read(self):
        self.file("lock.spec", LOCK)
        self.expect(0, "cover", "--to", "pnml", "-o", "lock.pnml", "lock.spec")
        given, read = self.expect(1, "cover", "--json", "lock.spec", "lock.pnml").objects()
        self.assertEqual(read["start"], given["start"])
        self.assertEqual([step["changes"] for step in read["trace"]],
                         [step["changes"] for step in given["trace"]])
        self.expect(1, "cover", "--trace", "trace.json", "lock.pnml")
        self.assertIn("4 steps, taken again on the net.", self.expect(1, "replay", "trace.json").out)

    def test_pnml_of_other_nets_is_refused(self):
        for arc in ('<type value="inhibitor"/>', "<arctype><text>reset</text></arctype>"):
            self.file("net.pnml", '<pnml><net id="n"><place id="p"/><transition id="t"/>\n'
                                  '<arc id="a" source="p" target="t">' + arc + "</arc></net></pnml>")
            self.assertIn("net.pnml:2: error: expected an ordinary arc", self.expect(2, "cover", "net.pnml").err)
        self.file("net.pnml", '<pnml>\n<net id="n" type="http://www.pnml.org/version-2009/grammar/symmetricnet"/></pnml>')
        self.assertIn("net.pnml:2: error: expected a place/transition net", self.expect(2, "cover", "net.pnml").err)

    def test_pnml_without_a_target(self):
        self.file("net.pnml", '<pnml><net id="n"><place id="p"/></net></pnml>')
        self.assertIn("net.pnml: error: expected a target", self.expect(2, "cover", "net.pnml").err)

    def test_targets_beside_pnml(self):
        """They are asked instead of those in the net, and belong to what a trace was made of."""
        self.file("lock.spec", LOCK)
        self.expect(0, "cover", "--to", "pnml", "-o", "lock.pnml", "lock.spec")
        for name in "lock.target", "lock.pnml.target":
            self.file(name, "inside >= 1, clear >= 2 # never\n")
            (answer,) = self.expect(0, "cover", "--json", "lock.pnml").objects()
            self.assertEqual(answer["verdict"], "safe")
            self.file(name, "clear >= 2\ninside >= 3\n")
            (answer,) = self.expect(1, "cover", "--json", "--trace", "trace.json", "lock.pnml").objects()
            self.assertEqual(len(answer["trace"]), 6)
            self.expect(1, "replay", "trace.json")
            self.file(name, "inside >= 2\n")
            self.assertIn("expected the net that the trace was made of", self.expect(2, "replay", "trace.json").err)
            self.file(name, "inside >= 1\noutside >= 1\n")
            self.assertIn(name + ":2: error: expected a place", self.expect(2, "cover", "lock.pnml").err)
            (self.folder / name).unlink()

    def test_usage(self):
        self.file("lock.spec", LOCK)
        for words, complaint in (
                (["--to", "dot", "lock.spec"], "expected spec, tts, prop or pnml, found 'dot'"),
                (["-o", "x", "lock.spec"], "--output says where --to writes"),
                (["--to", "spec", "lock.spec", "lock.spec"], "--to writes one net"),
                (["--to", "spec", "-o", "lock.spec", "lock.spec"], "would be written over"),
                (["--trace", "lock.spec", "lock.spec"], "would be written over")):
            self.assertIn(complaint, self.expect(2, "cover", *words).err)

    def test_published_nets(self):
        table = SHARED / "data" / "nets" / "expected.tsv"
        if not table.exists():
            self.skipTest("the published nets are not here")
        rows = [line.split("\t") for line in table.read_text().splitlines()[1:]]
        paths = [table.parent / suite / (name + ".spec") for suite, name, _ in rows]
        answers = self.expect(1, "cover", "--json", "--timeout", "60s", *paths).objects()
        for (_, name, published), path, answer in zip(rows, paths, answers):
            with self.subTest(name):
                allowed = {"reachable": "unsafe", "unreachable": "safe"}[published]
                self.assertIn(answer["verdict"], (allowed, "unknown"))
                if answer["verdict"] == "unsafe":
                    self.assertTrue(fire(path.read_text(), answer))


main()
