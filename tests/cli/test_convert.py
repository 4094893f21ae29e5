#!/usr/bin/env python3
"""linchpin convert and linchpin specs."""
import json
import os

from program import BROKEN, QUEUE_BAD, QUEUE_OK, Case, events, main

TLA = ('H1 == << [op |-> "E", val |-> "x", proc |-> "A"], [op |-> "Ok", proc |-> "A"] >>\n'
       'H2 == << [op |-> "D", proc |-> "A"], [op |-> "Ok", val |-> "x", proc |-> "A"] >>\n')


class Convert(Case):
    def test_native_lines(self):
        self.file("h", QUEUE_OK)
        lines = [json.loads(line) for line in self.expect(0, "convert", "h").out.splitlines()]
        self.assertEqual(len(lines), 6)
        self.assertEqual((lines[0]["process"], lines[0]["type"], lines[0]["f"], lines[0]["value"]),
                         (0, "invoke", "enqueue", 3))

    def test_there_and_back(self):
        for content, status in (QUEUE_OK, 0), (QUEUE_BAD, 1):
            self.file("h.edn", content)
            before = self.expect(status, "check", "--json", "h.edn").objects()[0]
            for name in "json", "edn", "jepsen-text":
                self.expect(0, "convert", "--to", name, "-o", "h." + name, "h.edn")
                after = self.expect(status, "check", "--json", "h." + name).objects()[0]
                for field in "spec", "verdict", "operations", "pending", "reason", "core":
                    self.assertEqual(after.get(field), before.get(field), name + " " + field)
                self.expect(0, "convert", "--to", "edn", "-o", "back.edn", "h." + name)
                again = self.expect(0, "convert", "--to", name, "back.edn").out
                self.assertEqual(again, (self.folder / ("h." + name)).read_text())

    def test_standard_input_and_output(self):
        result = self.expect(0, "convert", "-", "-o", "-", given=QUEUE_OK.encode())
        self.assertEqual(len(result.out.splitlines()), 6)

    def test_errors_write_nothing(self):
        self.file("h", BROKEN)
        self.file("old", "old")
        result = self.expect(2, "convert", "h", "-o", "old")
        self.assertRegex(result.err, r"^h:2: error: ")
        self.assertEqual(result.out, "")
        self.assertEqual((self.folder / "old").read_text(), "old")
        self.assertEqual(sorted(os.listdir(self.folder)), ["h", "old"])

    def test_a_format_that_cannot_say_it(self):
        self.file("h", QUEUE_BAD)  # with a pending operation, of which this format knows nothing
        result = self.expect(2, "convert", "--to", "porcupine-kv", "h", "-o", "out")
        self.assertRegex(result.err, r"h.*error: ")
        self.assertEqual(os.listdir(self.folder), ["h"])

    def test_what_would_mean_something_else_is_refused(self):
        """Read as JSON, these would be linearizable."""
        for content, found in ((":x", '"x"'), ("x", ":x")):
            self.file("h", events("0 invoke write %s\n0 ok write\n0 invoke read\n0 ok read %s"
                                  % (content, found)))
            self.expect(1, "check", "h")
            for name in "json", "porcupine-operations":
                result = self.expect(2, "convert", "--to", name, "h", "-o", "out")
                self.assertIn("cannot tell", result.err)
                self.assertEqual(os.listdir(self.folder), ["h"])

    def test_sets(self):
        """A set and a list are two values, in every format."""
        for read, status in (("#{1 2}", 0), ("[1 2]", 1)):
            self.file("h", events("0 invoke write #{1 2}\n0 ok write\n0 invoke read\n0 ok read %s"
                                  % read))
            self.expect(status, "check", "h")
            for name in "json", "porcupine-operations", "edn", "jepsen-text", "tla", "limo":
                self.expect(0, "convert", "--to", name, "h", "-o", "out")
                self.expect(status, "check", "--spec", "register", "out")

    def test_one_of_several(self):
        self.file("h.tla", TLA)
        result = self.expect(2, "convert", "h.tla")
        self.assertEqual(result.out, "")
        self.assertIn("linchpin convert 'h.tla#H1'", result.err)
        self.assertIn("linchpin convert 'h.tla#H2'", result.err)
        self.assertIn('"D"', self.expect(0, "convert", "--to", "tla", "h.tla#H2").out)
        result = self.expect(2, "convert", "h.tla#H3")
        self.assertIn("expected one of the histories in the file: H1, H2, found 'H3'", result.err)

    def test_a_file_may_have_a_hash_in_its_name(self):
        self.file("h#1", QUEUE_OK)
        self.expect(0, "convert", "h#1")

    def test_limits(self):
        self.file("h", QUEUE_OK * 1)
        result = self.expect(3, "convert", "--memory", "1K", "h")
        self.assertIn("memory limit", result.err)
        self.assertEqual(result.out, "")

    def test_check_takes_one_of_several(self):
        self.file("h.tla", TLA)
        answers = self.expect(1, "check", "--json", "h.tla").objects()
        self.assertEqual([(each["input"], each["verdict"]) for each in answers],
                         [("h.tla#H1", "linearizable"), ("h.tla#H2", "violation")])
        self.assertEqual(self.expect(0, "check", "--json", "h.tla#H1").objects()[0]["input"],
                         "h.tla#H1")


class Specs(Case):
    def test_every_specification_is_listed(self):
        names = [each["spec"] for each in self.expect(0, "specs", "--json").objects()]
        self.assertEqual(names, ["register", "cas-register", "mutex", "semaphore", "queue", "queue",
                                 "unordered-queue", "stack", "stack", "set", "grow-set", "counter", "priority-queue", "deque", "deque",
                                 "multi-register", "map"])
        text = self.expect(0, "specs").out
        for name in names:
            self.assertRegex(text, r"(?m)^%s[(:]" % name)

    def test_operations(self):
        table = {each["spec"] + "(%s)" % each["parameters"] if each["parameters"] else each["spec"]: each
                 for each in self.expect(0, "specs", "--json").objects()}
        queue = {each["f"]: each for each in table["queue"]["operations"]}
        self.assertEqual(queue["enqueue"]["aliases"], ["enq"])
        self.assertEqual(queue["dequeue"]["argument"], "")
        self.assertEqual(table["semaphore(n)"]["parameters"], "n")
        self.assertEqual(table["queue(n)"]["operations"][0]["result"], "true if there was room")
        self.assertIn("dequeue → ", self.expect(0, "specs").out)
        self.assertTrue(self.expect(0, "specs", environment={"LC_ALL": "C"}).out.isascii())


main()
