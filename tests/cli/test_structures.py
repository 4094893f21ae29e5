#!/usr/bin/env python3
"""The structures of the installed headers are those that programs were compiled with, as long as
the library has the same soname (docs/decisions/0019-structures-of-the-library.md). What they were is in
tests/support/structures.txt; `test_structures.py PROGRAM SOURCE --record` writes it anew, when the soname is
raised or a structure grows that may."""
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

RECORD = "--record" in sys.argv
if RECORD:
    sys.argv.remove("--record")

from program import SOURCE, Case, main

HEADERS = SOURCE / "include/linchpin"
RECORDED = SOURCE / "tests/support/structures.txt"
ALONE = ("lp_result", "lp_monitor_state")  # `check` of an lp_verification, a monitor, points to one
# compiled into the programs that include them, and never handed to the library
OWN = ("record.h", "test.h")


def fields(body):
    """The names that a structure's body declares."""
    found = []
    for declaration in body.split(";"):
        declaration = re.sub(r"\(\*(\w+)\)\s*\([^;]*\)", r" \1", declaration)
        for part in filter(str.strip, declaration.split(",")):
            found.append(re.search(r"(\w+)\s*(\[[^\]]*\])?\s*$", part).group(1))
    return found


def structures():
    """Each structure of the headers, with its fields."""
    found = {}
    for header in sorted(HEADERS.glob("*.h")):
        if header.name in OWN:
            continue
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        for name, body in re.findall(r"typedef struct (lp_\w+) \{(.*?)\n\} \1;", text, flags=re.S):
            found[name] = fields(body)
    return found


def kind_of(name, fields):
    """How it may change: "sized" ones and those that only the library makes, one at a time, may
    grow at their end."""
    if fields[0] == "size":
        return "sized"
    text = "".join(path.read_text() for path in sorted(HEADERS.glob("*.h")))
    made = re.search(r"\b%s \*\*\w+[,)]" % name, text)
    counted = re.search(r"\b%s \*\*\w+,\s*size_t \*count" % name, text)
    in_array = re.search(r"(?:const )?%s \*\w+;" % name, re.sub(r"/\*.*?\*/", "", text, flags=re.S))
    if name in ALONE or name.endswith("_progress") or (made and not counted and not in_array):
        return "made"
    return "fixed"


def measured():
    """What a C compiler says of them, a line each."""
    every, lines = structures(), []
    for name, members in every.items():
        lines.append('printf("%s %s %%zu:", sizeof(%s));' % (name, kind_of(name, members), name))
        for member in members:
            lines.append('printf(" %s %%zu %%zu,", offsetof(%s, %s), sizeof(((%s *)0)->%s));'
                         % (member, name, member, name, member))
        lines.append('puts("");')
    includes = "".join("#include <linchpin/%s>\n" % path.name for path in sorted(HEADERS.glob("*.h"))
                       if path.name not in OWN)
    text = includes + "#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n%s\n}\n" \
        % "\n".join(lines)
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "structures"
        subprocess.run(["cc", "-x", "c", "-I", SOURCE / "include", "-o", program, "-"], input=text,
                       text=True, check=True)
        return subprocess.run([program], capture_output=True, text=True, check=True).stdout


def soname():
    text = (SOURCE / "CMakeLists.txt").read_text()
    return re.search(r"project\(\w+ VERSION (\d+)\.", text).group(1)


def parsed(text):
    lines = (line.partition(":") for line in text.splitlines() if line.startswith("lp_"))
    return {head.split()[0]: (head.split()[1], head.split()[2], members.strip())
            for head, _, members in lines}


class Structures(Case):
    @classmethod
    def setUpClass(cls):
        cls.before, cls.now = parsed(RECORDED.read_text()), parsed(measured())

    def test_the_soname_is_the_one_they_were_recorded_for(self):
        self.assertTrue(RECORDED.read_text().startswith("soname %s\n" % soname()),
                        "the soname was raised: record the structures anew (--record)")

    def test_each_is_as_programs_have_it(self):
        self.assertGreater(len(self.before), 50)
        for name, (kind, size, members) in self.before.items():
            self.assertIn(name, self.now, "gone: that needs another soname")
            now_kind, now_size, now_members = self.now[name]
            self.assertEqual(now_kind, kind, name)
            if kind == "fixed":
                self.assertEqual((now_size, now_members), (size, members),
                                 "%s has changed: that needs another soname once 0.1.0 is out; until "
                                 "then, record it anew (--record)" % name)
            else:
                self.assertTrue(now_members.startswith(members) and int(now_size) >= int(size),
                                "%s may grow at its end only" % name)

    def test_all_are_recorded_as_they_are(self):
        self.assertEqual(self.now, self.before, "record what has grown (--record)")

    def test_what_callers_fill_in_says_its_size(self):
        for name, (kind, _, _) in self.now.items():
            if re.search("_(options|callbacks|columns)$", name):
                self.assertEqual(kind, "sized", name)


if not shutil.which("cc") or platform.machine() != "x86_64":
    print("skipped: there is no C compiler, or no x86-64")
    sys.exit(77)
if RECORD:
    RECORDED.write_text("soname %s\n%s" % (soname(), measured()))
else:
    main()
