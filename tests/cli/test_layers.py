#!/usr/bin/env python3
"""tools/check_layers finds what is wrong with the includes of small trees, and only that; how it and
its kin are called."""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import tempfile
import unittest

import program

LOADER = importlib.machinery.SourceFileLoader(
    "check_layers", str(program.SOURCE / "tools" / "check_layers"))
check_layers = importlib.util.module_from_spec(
    importlib.util.spec_from_loader("check_layers", LOADER))
LOADER.exec_module(check_layers)

ROOMS = {"base": [], "high": ["base"]}


class Layers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)

    def write(self, name, *included):
        path = self.tree / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f'#include "{header}"\n' for header in included))

    def write_tour(self):
        tour = self.tree / "docs" / "internals" / "tour.md"
        tour.parent.mkdir(parents=True, exist_ok=True)
        drawn = check_layers.draw(check_layers.includes(self.tree))
        tour.write_text(f"# A tour\n\n```\n{drawn}```\n")

    def make_house(self):
        self.write("base/text.h")
        self.write("base/text.c", "base/text.h")
        self.write("high/up.h", "base/text.h")
        self.write("high/up.c", "high/up.h")
        self.write_tour()

    def faults(self, rooms=None):
        return list(check_layers.faults(self.tree, rooms or ROOMS))

    def test_what_is_in_order_has_no_faults(self):
        self.make_house()
        self.assertEqual(self.faults(), [])

    def test_two_modules_that_include_each_other_are_a_circle(self):
        self.make_house()
        self.write("base/list.h", "base/text.h")
        self.write("base/text.c", "base/text.h", "base/list.h")
        self.assertEqual(self.faults(),
                         ["a circle of modules: src/base/list -> src/base/text -> src/base/list"])

    def test_a_long_circle_is_named_once_from_end_to_end(self):
        self.make_house()
        self.write("base/a.h", "base/b.h")
        self.write("base/b.c", "base/b.h", "base/c.h")
        self.write("base/b.h")
        self.write("base/c.h", "base/text.h", "base/a.h")
        self.assertEqual(self.faults(), [
            "a circle of modules: src/base/a -> src/base/b -> src/base/c -> src/base/a"])

    def test_a_room_does_not_include_one_above_it(self):
        self.make_house()
        self.write("base/text.c", "high/up.h")
        faults = self.faults()
        self.assertIn(f"{self.tree}/src/base/text.c:1: src/base may not use src/high", faults)
        self.assertTrue(any("a circle of modules" in fault for fault in faults))

    def test_a_room_is_not_allowed_what_it_never_includes(self):
        self.make_house()
        self.write("middle/own.h")
        self.write_tour()
        rooms = {"base": [], "middle": [], "high": ["base", "middle"]}
        self.assertEqual(self.faults(rooms), [
            "src/high may use src/middle, but includes nothing of it: strike it out"])

    def test_the_picture_is_that_of_the_includes(self):
        self.make_house()
        self.assertIn("high ─► base\nbase\n", (self.tree / "docs/internals/tour.md").read_text())
        self.write("low/deep.h")
        self.write("base/text.h", "low/deep.h")
        faults = self.faults({"low": [], "base": ["low"], "high": ["base"]})
        self.assertEqual(len(faults), 1)
        self.assertIn("its first picture is not that of the includes", faults[0])
        self.write_tour()
        self.assertEqual(self.faults({"low": [], "base": ["low"], "high": ["base"]}), [])

    def test_only_what_follows_from_no_other_arrow_is_drawn(self):
        self.make_house()
        self.write("top/all.h", "high/up.h", "base/text.h")
        self.assertEqual(check_layers.draw(check_layers.includes(self.tree)),
                         "top ─► high\nhigh ─► base\nbase\n")


class Usage(unittest.TestCase):
    def run_tool(self, name, *words, folder="/"):
        done = subprocess.run([program.SOURCE / "tools" / name, *words], cwd=folder, capture_output=True,
                              text=True)
        self.assertNotIn("Traceback", done.stderr)
        return done.returncode, done.stdout, done.stderr

    def test_the_source_is_the_folder_of_the_tool(self):
        for name in ("check_layers", "check_names"):
            self.assertEqual(self.run_tool(name), self.run_tool(name, ".", folder=program.SOURCE))

    def test_what_is_not_known_is_refused(self):
        for name in ("check_layers", "check_names", "check_docs"):
            status, said, errors = self.run_tool(name, "--help")
            self.assertEqual((status, said), (2, ""))
            self.assertTrue(errors.startswith("usage: " + name))


if __name__ == "__main__":
    program.main()
