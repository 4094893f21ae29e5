#!/usr/bin/env python3
"""verify --expect: the comments behind the assertions decide the exit status."""
import xml.etree.ElementTree

from program import SOURCE, Case, main

MODEL = """var x:{0..3};
P = a{x = 1} -> Stop;
Q = a -> Q;
#assert P deadlockfree;%s
#assert Q
    deadlockfree;%s
"""
ENDLESS = "var x; P = a{x = x + 1} -> P; #assert P deadlockfree; %s\n"


class Expect(Case):
    def judged(self, status, *behind, words=()):
        self.file("m.csp", MODEL % behind)
        return self.expect(status, "verify", "--expect", "m.csp", *words)

    def test_as_expected(self):
        found = self.judged(0, " // expect: violated", "\t//expect:holds  \r", words=("-q",))
        self.assertEqual(found.out.count("as expected"), 2)
        found = self.judged(0, "   // expect: violated", "")
        self.assertIn("2 assertions: 1 holds, 1 violated; all as expected (", found.err)

    def test_other_than_expected(self):
        found = self.judged(1, " // expect: holds", " // expect: violated")
        self.assertIn("m.csp:4: violated: P deadlockfree (", found.out)
        self.assertIn("expected: holds", found.out)
        self.assertIn("m.csp:5: holds: Q deadlockfree (", found.out)
        self.assertIn("expected: violated", found.out)
        self.assertIn("; 0 as expected, 2 not (", found.err)
        self.judged(1, " // expect: violated", " // expect: unknown")

    def test_without_a_comment_it_is_to_hold(self):
        self.judged(1, "", "")
        self.judged(1, " // is expected: violated", " // expect: holds")
        self.judged(1, "\n// expect: violated", " // expect: holds")

    def test_nothing_is_compared_unless_asked_for(self):
        self.file("m.csp", MODEL % (" // expect: violated", ""))
        self.assertNotIn("expected", self.expect(1, "verify", "m.csp").out)

    def test_not_reached(self):
        self.file("endless.csp", ENDLESS % "// expect: holds")
        found = self.expect(3, "verify", "--expect", "--timeout=50ms", "endless.csp")
        self.assertIn("expected: holds", found.out)
        self.file("endless.csp", ENDLESS % "")
        self.expect(3, "verify", "--expect", "--timeout=50ms", "endless.csp")
        self.file("endless.csp", ENDLESS % "// expect: unknown")
        self.expect(0, "verify", "--expect", "--timeout=50ms", "endless.csp")
        self.file("m.csp", MODEL % ("", ""))
        found = self.expect(1, "verify", "--expect", "--timeout=50ms", "endless.csp", "m.csp")
        self.assertIn("3 assertions: 1 holds, 1 violated, 1 unknown; 2 as expected, 1 not (", found.err)

    def test_of_a_fairness(self):
        behind = " // expect: violated; process-weak: holds; global: violated"
        self.file("f.csp", "var x = 0;\nP = a -> P [] b{x = 1} -> P;\n#assert P deadlockfree;%s\n" % behind)
        self.expect(1, "verify", "--expect", "f.csp")
        self.expect(1, "verify", "--expect", "--fairness=event-strong", "f.csp")
        self.expect(1, "verify", "--expect", "--fairness=global", "f.csp")
        for kind in ("process-weak", "weak"):
            self.expect(0, "verify", "--expect", "--fairness", kind, "f.csp")

    def test_wrong_comments(self):
        for wrong in ("hold", "", "holds, I think", "violated; holds", "holds; weak: perhaps", "holds; wek: holds", "violated;"):
            found = self.judged(2, " // expect: " + wrong, "")
            self.assertIn("m.csp:4: error: expected holds, violated or unknown behind `expect:`", found.err, wrong)
            self.assertIn("found '%s'" % wrong, found.err)
            self.assertIn("m.csp:5: holds", found.out)

    def test_lin(self):
        self.file("m.lin", (SOURCE / "examples/models/hw_queue.lin").read_text())
        found = self.expect(0, "verify", "--expect", "-q", "m.lin").out
        self.assertEqual(found.count("as expected"), len(found.splitlines()))

    def test_json_and_junit(self):
        found = self.judged(1, " // expect: violated", " // expect: violated", words=("--json", "--junit=r.xml"))
        self.assertEqual([(answer["verdict"], answer["expected"], answer["as_expected"])
                          for answer in found.objects()],
                         [("violated", "violated", True), ("holds", "violated", False)])
        suite, = xml.etree.ElementTree.parse(self.folder / "r.xml").getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("errors")), ("2", "1", "0"))
        as_expected, other = suite
        self.assertEqual(list(as_expected), [])
        self.assertEqual(other[0].tag, "failure")
        self.assertTrue(other[0].get("message").startswith("expected: violated; found: holds"))


main()
