#!/usr/bin/env python3
"""The Dockerfile: every package that it installs is one of Debian's, and what building needs is
there. Packages are looked up where apt has an index."""
import re
import shutil
import subprocess
import unittest

from program import SOURCE, Case, main

TEXT = re.sub(r"\\\n", " ", (SOURCE / "Dockerfile").read_text())


def stages():
    """The packages that each stage installs."""
    return [[word for command in re.findall(r"apt-get install([^&|;\n]*)", stage)
             for word in command.split() if not word.startswith("-")]
            for stage in re.split(r"^FROM .*$", TEXT, flags=re.M)[1:]]


class Dockerfile(Case):
    def test_building_needs_no_more(self):
        makefile = re.sub(r"\\\n", " ", (SOURCE / "Makefile").read_text())
        needed = re.search(r"^BUILD_PACKAGES := (.*)$", makefile, re.M)[1].split()
        self.assertEqual(set(needed) - set(stages()[0]), {"python3"})  # which the benchmarks run

    def test_running_has_compilers(self):
        self.assertLessEqual({"gcc", "g++", "binutils", "libc6-dev"}, set(stages()[1]))
        self.assertNotIn("build-essential", stages()[1])

    def test_packages_exist(self):
        if not shutil.which("apt-cache"):
            self.skipTest("no apt")
        index = subprocess.run(["apt-cache", "pkgnames"], capture_output=True, text=True).stdout.split()
        if "cmake" not in index:
            self.skipTest("apt has no index")
        for packages in stages():
            self.assertTrue(packages)
            for package in packages:
                if not package.startswith("/"):
                    self.assertIn(package, index)

    def test_sources_are_there(self):
        for words in re.findall(r"^COPY (.*)$", TEXT, re.M):
            if "--from" not in words:
                for path in words.split()[:-1]:
                    self.assertTrue((SOURCE / path).exists(), path)


main()
