#!/usr/bin/env python3
"""The action for GitHub: what action.yml hands over, and what tools/action makes of it."""
import os
import re
import subprocess
import xml.etree.ElementTree

from program import ENVIRONMENT, PROGRAM, SOURCE, Case, main

MODEL = "P = a -> %s;\n#assert P deadlockfree;%s\n"


class Action(Case):
    def act(self, command, arguments):
        environment = dict(ENVIRONMENT, LINCHPIN_COMMAND=command, LINCHPIN_ARGUMENTS=arguments,
                           LINCHPIN_REPORT="the report", GITHUB_OUTPUT=str(self.folder / "outputs"))
        return subprocess.run([SOURCE / "tools/action", PROGRAM], cwd=self.folder, env=environment,
                              capture_output=True, text=True)

    def test_reports_and_annotations(self):
        os.mkdir(self.folder / "some models")
        self.file("some models/good.csp", MODEL % ("P", ""))
        self.file("some models/bad.csp", MODEL % ("Stop", ""))
        done = self.act("verify", "--quiet 'some models/*.csp'")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 2)
        self.assertIn("::error file=some models/bad.csp,line=2,", done.stderr)
        self.assertEqual((self.folder / "outputs").read_text(), "status=1\nreport=the report\n")
        self.assertEqual(sorted(os.listdir(self.folder / "the report")),
                         ["junit.xml", "linchpin.sarif", "report.html"])
        suite, = xml.etree.ElementTree.parse(self.folder / "the report/junit.xml").getroot()
        self.assertEqual(suite.get("failures"), "1")

    def test_expected_violations(self):
        self.file("bad.csp", MODEL % ("Stop", " // expect: violated"))
        done = self.act("verify", "--expect bad.csp")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("::error", done.stderr)

    def test_nothing_is_run(self):
        done = self.act("verify", "--list '$(touch made)' `touch made`")
        self.assertEqual(done.returncode, 2)
        self.assertFalse((self.folder / "made").exists())

    def test_a_quote_that_is_not_closed_is_no_violation(self):
        done = self.act("verify", "it's.csp")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("::error title=linchpin::arguments: a quote is not closed", done.stderr)

    def test_what_is_handed_over(self):
        text = (SOURCE / "action.yml").read_text()
        handed = set(re.findall(r"^ +(LINCHPIN_\w+): \$\{\{ inputs\.\w+ \}\}$", text, re.M))
        self.assertEqual(handed, set(re.findall(r"\$\{?(LINCHPIN_\w+)", (SOURCE / "tools/action").read_text())))
        inputs = re.search(r"^inputs:\n(.*?)^outputs:", text, re.M | re.S).group(1)
        self.assertEqual(set(re.findall(r"^  (\w+):", inputs, re.M)), set(re.findall(r"inputs\.(\w+)", text)))


main()
