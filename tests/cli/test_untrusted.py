#!/usr/bin/env python3
"""Inputs from strangers: bounded memory and depth, and nothing of them is more than text in a report.

LINCHPIN_LINE=BYTES makes the long line longer than it is unless given."""
import gzip
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as tree

from program import PROGRAM, Case, answers, main

LINE = int(os.environ.get("LINCHPIN_LINE", str(16 << 20)))
DEEP = 1000000
EVIL = "</script><img src=x onerror=alert(1)>\x1b[2J\x1b]0;owned\x07&\"'%0A::error::\u009b31m"
SMALL = "32M"


class Untrusted(Case):
    def bounded(self, *arguments, **more):
        """Runs it with --memory; how much it had in use at most must be near to that."""
        with self.start(*arguments, **more) as process:
            out, err = process.stdout.read(), process.stderr.read()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertIn(process.returncode, (0, 1, 2, 3), (arguments, out[-500:], err[-3000:]))
        self.assertLess(len(out) + len(err), 1 << 20, arguments)
        return process.returncode, out.decode(errors="replace"), err.decode(errors="replace"), used.ru_maxrss << 10

    def small(self, name, statuses, *words):
        """What it says of that file, which is larger than its memory."""
        status, out, err, used = self.bounded(*words, "--memory", SMALL, name)
        self.assertIn(status, statuses, (name, out[-500:], err[-500:]))
        if not self.is_sanitized():
            self.assertLess(used, 96 << 20, (name, out, err))
        return out + err

    def is_sanitized(self):
        return b"__asan_init" in PROGRAM.read_bytes()

    def test_a_long_line(self):
        for name, begin, unit, end in (
                ("value.jsonl", '{"process":0,"type":"invoke","f":"write","value":"', "x" * 4096, '"}\n'),
                ("blank.jsonl", "", " " * 4096, "\n"),
                ("value.edn", "{:process 0, :type :invoke, :f :write, :value \"", "x" * 4096, "\"}\n"),
                ("list.edn", "{:process 0, :type :invoke, :f :write, :value [", "1 " * 2048, "]}\n"),
                ("words.txt", "", "word " * 800, "\n")):
            with open(self.folder / name, "w") as out:
                out.write(begin)
                for _ in range(LINE // len(unit)):
                    out.write(unit)
                out.write(end)
            self.small(name, (2, 3), "check", "--spec", "register")
            os.unlink(self.folder / name)
        for name, unit in (("m.lin", "x" * 4096), ("c.lin", "// " + "y" * 4000), ("m.csp", "P = a -> " * 500),
                           ("n.spec", "vars x " * 500)):
            with open(self.folder / name, "w") as out:
                for _ in range(LINE // len(unit)):
                    out.write(unit)
            self.small(name, (0, 2, 3), "cover" if name.endswith("spec") else "verify")
            os.unlink(self.folder / name)

    def test_nesting(self):
        for name, text in (("v.jsonl", '{"process":0,"type":"invoke","f":"write","value":%s1%s}\n'
                            % ("[" * DEEP, "]" * DEEP)),
                           ("o.jsonl", '{"a":' * DEEP + "1" + "}" * DEEP + "\n"),
                           ("open.jsonl", "[" * DEEP + "\n"),
                           ("v.edn", "{:process 0, :type :invoke, :f :write, :value %s1%s}\n" % ("[" * DEEP, "]" * DEEP)),
                           ("tag.edn", "#a " * DEEP + "1\n"), ("drop.edn", "#_ " * DEEP + "1\n"),
                           ("h.tla", "H1 == " + "<<" * DEEP + ">>" * DEEP + "\n")):
            self.file(name, text)
            self.small(name, (2, 3), "check", "--spec", "register")
        deep = "(" * DEEP + "1" + ")" * DEEP
        for name, text in (("e.lin", "spec s { int n = 0; op f() { return %s; } }\n" % deep),
                           ("b.lin", "spec s { op f() { %s return ok; %s } }\n" % ("{" * DEEP, "}" * DEEP)),
                           ("n.lin", "spec s { op f() { return %s1; } }\n" % ("!" * DEEP)),
                           ("i.lin", "spec s { op f() { %s return ok; } }\n" % ("if (true) " * DEEP)),
                           ("l.lin", "spec s { op f() { return 1%s; } }\n" % (" + 1" * DEEP)),
                           ("p.csp", "P = %sSkip%s;\n#assert P() deadlockfree;\n" % ("(" * DEEP, ")" * DEEP)),
                           ("a.csp", "P = %sSkip;\n#assert P() deadlockfree;\n" % ("a -> " * DEEP)),
                           ("v.csp", "var x = %s;\nP = Skip;\n#assert P() deadlockfree;\n" % deep),
                           ("t.csp", "P = Skip;\n#assert P() |= %s a;\n" % ("[] " * DEEP))):
            self.file(name, text)
            self.small(name, (0, 2, 3), "verify")
            if name in ("e.lin", "b.lin"):
                self.small(name, (0, 1, 2, 3), "fmt", "--check")
        self.file("n.pnml", "<pnml>" + "<net>" * DEEP + "</net>" * DEEP + "</pnml>")
        self.small("n.pnml", (2, 3), "cover")

    def test_a_refused_model_is_looked_through_once(self):
        # For signs of other languages: a name that may stand very often, and comments that do not end.
        for name, text in (("names.csp", "Wait[" * 200000 + "\nvar Wait;\n"), ("comments.csp", "/*a" * 1000000)):
            self.file(name, text)
            status, _, err, _ = self.bounded("verify", "--memory", "256M", name)
            self.assertEqual(2, status, err)

    def test_a_model_with_very_many_faults(self):
        # Each has a place, and all are counted.
        self.file("f.lin", "spec s {\n    op" + "for prefixes;truecall " * 40000)
        status, _, err, _ = self.bounded("verify", "--memory", "256M", "f.lin")
        self.assertEqual(2, status, err)
        self.assertRegex(err, "[0-9]+ more errors are not listed")

    def test_files_that_unpack_to_more_than_there_is_memory_for(self):
        self.bomb("bomb.gz", lambda file: gzip.GzipFile("", "wb", 9, file))
        if shutil.which("zstd"):
            raw = self.folder / "raw"
            with open(raw, "wb") as out:
                out.truncate(LINE * 4)
            subprocess.run(["zstd", "-q", "-19", "--long=27", raw, "-o", self.folder / "bomb.zst"], check=True)
            os.unlink(raw)
            self.small("bomb.zst", (2, 3), "check", "--spec", "register")

    def bomb(self, name, pack):
        with open(self.folder / name, "wb") as file, pack(file) as out:
            for _ in range(LINE * 4 >> 20):
                out.write(bytes(1 << 20))
        self.assertLess(os.path.getsize(self.folder / name), LINE // 100)
        self.small(name, (2, 3), "check", "--spec", "register")

    def test_a_model_of_many_states(self):
        self.file("m.lin", "impl many {\n" + "".join("    shared int(0..1000) a%d;\n" % i for i in range(9))
                  + "".join("    op set%d(value v) { a%d = choose(0..1000); return ok; }\n" % (i, i) for i in range(9))
                  + "}\nassert many never (a0 == 1 && a1 == 1000 && a8 == 77 && a7 == 99 && a6 == 12) "
                  "with threads = 2, ops = 9;\n")
        text = self.small("m.lin", (3,), "verify", "--json", "-j1")
        self.assertIn('"verdict":"unknown"', text)
        self.assertIn("memory", text)

    def evil_history(self):
        lines = []
        for process, kind, f, value in ((0, "invoke", "write", EVIL), (0, "ok", "write", EVIL),
                                        (1, "invoke", "read", None), (1, "ok", "read", EVIL + "?")):
            lines.append(json.dumps({"process": process, "type": kind, "f": f, "value": value}) + "\n")
        lines.insert(1, json.dumps({"process": EVIL, "type": "info", "f": EVIL, "value": EVIL}) + "\n")
        return "".join(lines)

    def controls(self, text):
        return re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)

    def test_reports_show_text(self):
        name = "a</script><b>\x1b[31m\x9b.jsonl"
        self.file(name, self.evil_history())
        files = ("--html", "h.html", "--junit", "j.xml", "--sarif", "s.json", "--trace", "t.json")
        for more in (), ("--color=always",), ("--github",), ("-v",):
            result = self.expect(1, "check", "--spec", "register", *more, *files, name)
            allowed = re.sub(r"\x1b\[[0-9;]*m", "", result.out + result.err) if "--color=always" in more \
                else result.out + result.err
            self.assertEqual([], self.controls(allowed), more)
            for line in result.err.splitlines():
                if line.startswith("::"):
                    self.assertRegex(line, r"^::(error|warning|notice) ")
        page = (self.folder / "h.html").read_text()
        self.assertNotIn("<img src=x", page)
        self.assertEqual([], [c for c in self.controls(page) if c < " "])
        self.assertIn("onerror=alert(1)", json.dumps(answers(page)))
        tree.parse(self.folder / "j.xml")
        for written in "s.json", "t.json":
            json.loads((self.folder / written).read_text())
        told = self.expect(1, "replay", "t.json").out
        self.assertEqual([], self.controls(told))
        for kind in "edn", "tla", "jepsen-text":
            self.run_program("convert", "--to", kind, name)

    def test_messages_show_text(self):
        self.file("e", json.dumps({"process": 0, "type": EVIL, "f": "read", "value": 1}) + "\n")
        self.file("f", json.dumps({"process": 0, "type": "invoke", "f": EVIL, "value": 1}) + "\n")
        self.file("m.lin", "spec \x1b[2J s { }\n")
        self.file("n.lin", "// \x1b[2J\nspec s { op f() { return \"\x1b]0;x\x07\u009b\"; } } assert x;\n")
        self.file("m.csp", "P = \x1b[2J\u009b -> Skip;\n")
        self.file("n.spec", "vars\n \x1b[2J\n")
        for name, command in (("e", "check"), ("f", "check"), ("m.lin", "verify"), ("n.lin", "verify"),
                              ("m.csp", "verify"), ("n.spec", "cover")):
            for more in (), ("--json",):
                words = ("--spec", "register") if command == "check" else ()
                result = self.expect(2, command, *words, *more, name)
                told = result.out + result.err  # in JSON they may stand
                self.assertEqual([], [c for c in self.controls(told) if not more or c < " "], (name, told))

    def test_only_models_are_included(self):
        """What a model includes is shown in messages and answers: no file that is not meant for that."""
        self.file("secret", "hunter2 : x\n")
        self.file("number.txt", "4711\n")
        os.symlink("secret", self.folder / "link.lin")
        os.symlink("number.txt", self.folder / "link.csp")
        os.symlink("secret", self.folder / "loop.txt")
        for name in "secret", "link.lin", "loop.txt", str(self.folder / "secret"), "/proc/self/environ", "/etc/passwd":
            for model in "m.lin", "m.csp":
                self.file(model, '#include "%s"\n' % name)
                result = self.expect(2, "verify", model)
                self.assertNotIn("hunter2", result.out + result.err)
                self.assertIn('%s:1: error: #include "%s": expected a file that is named .lin or .csp' % (model, name),
                              result.err)
                self.assertEqual("", result.out)
        for name in "number.txt", "link.csp":
            self.file("m.csp", 'var x =\n#include "%s"\n;\n#assert P() deadlockfree; P() = [x == 0]Stop();' % name)
            result = self.expect(2, "verify", "m.csp")
            self.assertNotIn("4711", result.out + result.err)
        self.file("number.CSP", "4711\n")
        os.symlink("number.CSP", self.folder / "named")
        for name in "number.CSP", "named":
            self.file("m.csp", 'var x =\n#include "%s"\n;;\n#define same x == 4711;\nP() = Stop();\n#assert P() |= [] same;' % name)
            self.expect(0, "verify", "m.csp")

    def test_drawings_show_text(self):
        self.file("m.csp", "enum {red};\nvar a = 0;\nP = e{a = 1;} -> Stop;\n")
        out = self.expect(0, "graph", "m.csp", "P").out
        self.assertEqual([], self.controls(out))


if __name__ == "__main__":
    main()
