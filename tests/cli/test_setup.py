#!/usr/bin/env python3
"""tools/setup installs what is missing only where it is asked to."""
import os
import pathlib
import subprocess
import tempfile
import unittest

from program import SOURCE, main

# A machine with a package manager that tells what it is asked, and has only the package `there`.
DPKG_QUERY = """#!/bin/sh
for name; do :; done
[ "$name" = there ] && printf 'install ok installed'
"""
APT_GET = """#!/bin/sh
echo "apt-get $*" >> "$ASKED"
"""


class Setup(unittest.TestCase):
    def setup(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            for name, script in (("dpkg-query", DPKG_QUERY), ("apt-get", APT_GET), ("sudo", '#!/bin/sh\n"$@"\n')):
                path = pathlib.Path(folder, name)
                path.write_text(script)
                path.chmod(0o755)
            asked = pathlib.Path(folder, "asked")
            done = subprocess.run([SOURCE / "tools/setup", *words], capture_output=True, text=True,
                                  env=dict(os.environ, PATH=folder + ":" + os.environ["PATH"], ASKED=str(asked)))
            return done.returncode, done.stderr, asked.read_text() if asked.exists() else ""

    def test_says_what_is_missing(self):
        status, said, asked = self.setup("-n", "one", "there", "two")
        self.assertEqual((status, asked), (1, ""))
        self.assertIn("not installed, and needed: one two\n", said)
        self.assertIn("apt-get install one two\n", said)

    def test_installs_what_is_missing(self):
        status, said, asked = self.setup("one", "there", "two")
        self.assertEqual((status, said), (0, "installing: one two\n"))
        self.assertIn("apt-get install -y -qq one two\n", asked)

    def test_says_nothing_where_nothing_is_missing(self):
        self.assertEqual(self.setup("-n", "there"), (0, "", ""))
        self.assertEqual(self.setup("there"), (0, "", ""))

    def test_make_alone_only_says(self):
        asks = [line for line in subprocess.run(
            ["make", "-n", "-B", "-C", SOURCE, "all", "install", "package", "bench", "fuzz", "BUILD=/nonexistent"],
            capture_output=True, text=True).stdout.splitlines() if "tools/setup" in line]
        self.assertTrue(asks)
        for line in asks:
            self.assertIn("tools/setup -n ", line)


main()
