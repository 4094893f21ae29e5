#!/usr/bin/env python3
"""--sandbox: the same answers with less; and what is gone is gone."""
import os
import re
import shutil
import signal
import sys
import unittest

from program import QUEUE_BAD, REGISTER_BAD, SOURCE, Case, main, wait_until

MODELS = SOURCE / "examples/models"
NETS = SOURCE / "examples/nets"
# the leak sanitizer looks at the process from another one, which the sandbox rightly refuses
FREE = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":exitcode=99:detect_leaks=0"}

RUNS = [
    ("check", "--spec", "queue", "bad"),
    ("check", "--spec", "register", "-j2", "--html", "out", "register", "register"),
    ("check", "--json", "--spec", "queue", "--follow", "bad"),
    ("verify", "-j2", MODELS / "mailbox.lin"),
    ("verify", "--trace", "out", MODELS / "hasty_register.csp"),
    ("verify", "--checkpoint", "kept", MODELS / "hasty_register.csp"),
    ("check", "--spec", "queue", "--proof", "out", "bad"),
    ("cover", NETS / "two_locks.spec"),
    ("convert", "--to", "tla", "-o", "out", "bad"),
    ("rules", "--write", "--spec", "queue"),
    ("simulate", "--seed", "3", MODELS / "mailbox.csp"),
    ("graph", MODELS / "register.csp"),
    ("fmt", "laid.lin"),
]


def plain(text):
    return re.sub(r"[0-9.]+ (m?s)\b|\"seconds\":[0-9.e-]+", "TIME", text)


@unittest.skipUnless(sys.platform == "linux" and os.uname().machine in ("x86_64", "aarch64"), "no seccomp")
class Sandbox(Case):
    def setUp(self):
        super().setUp()
        self.file("bad", QUEUE_BAD)
        self.file("register", REGISTER_BAD)

    def run_it(self, *arguments):
        self.file("laid.lin", "spec s { value v;\nop read() { return v; } }\n")
        self.file("out", "")
        shutil.rmtree(self.folder / "kept", ignore_errors=True)
        result = self.run_program(*arguments, environment=FREE)
        written = (self.folder / "laid.lin").read_text(), (self.folder / "out").read_text()
        return result.status, plain(result.out), plain(result.err), [plain(text) for text in written]

    def test_answers_are_the_same(self):
        for arguments in RUNS:
            usual = self.run_it(*arguments)
            self.assertIn(usual[0], (0, 1), usual)
            if "--html" in arguments:
                usual[3].pop()
            bounded = self.run_it(arguments[0], "--sandbox", *arguments[1:])
            if "--html" in arguments:
                self.assertTrue(bounded[3].pop().rstrip().endswith("</html>"))
            if "--trace" in arguments:
                self.assertIn('"verdict"', bounded[3].pop())
                usual[3].pop()
            self.assertEqual(usual, bounded)

    def test_it_is_in_force(self):
        os.mkfifo(self.folder / "pipe")
        process = self.start("check", "--sandbox", "--spec", "queue", "pipe", environment=FREE)
        with open(self.folder / "pipe", "wb"):
            status = self.folder.__class__("/proc/%d/status" % process.pid)
            wait_until(lambda: "Seccomp:\t2" in status.read_text())
            self.assertIn("NoNewPrivs:\t1", status.read_text())
            process.send_signal(signal.SIGTERM)
        process.communicate()

    def test_no_other_program_is_run(self):
        words = ("graph", "--sandbox", "--to", "svg", MODELS / "register.csp")
        self.assertIn("Operation not permitted", self.expect(2, *words, environment=FREE).err)
        self.assertIn("Operation not permitted",
                      self.expect(2, *words, "-o", "out.svg", environment=FREE).err)
        self.assertFalse((self.folder / "out.svg").exists())

    def test_what_needs_more_is_refused(self):
        for words, more in ((("--engine=native",), "--engine=native, which runs a compiler"),):
            result = self.expect(2, "verify", "--sandbox", *words, MODELS / "mailbox.lin", environment=FREE)
            self.assertIn("--sandbox does not go with " + more, result.err)
        self.assertIn("there is no option '--sandbox'", self.expect(2, "test", "--sandbox", "x.c").err)

    def test_the_manual_lists_the_calls(self):
        source = (SOURCE / "src/cli/sandbox.c").read_text()
        manual = (SOURCE / "docs/manual/limits.md").read_text()
        for name, row in (("allowed", "always"), ("writing", "where an option names a file to be written")):
            code = re.search(r"const int %s\[\] = \{(.*?)\};" % name, source, re.S).group(1)
            told = re.search(r"^\| %s \| (.*) \|$" % row, manual, re.M).group(1)
            self.assertEqual(set(re.findall(r"SYS_(\w+)", code)), set(re.findall(r"`(\w+)`", told)))


if __name__ == "__main__":
    main()
