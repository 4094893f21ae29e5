#!/usr/bin/env python3
"""What every reader of JSON owes: integers to the last digit, nothing nested without bound. The
readers: lines in their plainest form, other lines, values over several lines, trees (operations,
etcd's requests), traces."""
import json
import unittest

from program import QUEUE_BAD, Case, main

DEEP = 10 ** 6
LIMIT = 2 ** 63
# neighbours that a double cannot tell apart, the ends of 64 bits, and beyond
NEIGHBOURS = [(2 ** 53, 2 ** 53 + 1), (2 ** 53 + 1, 2 ** 53 + 2), (-2 ** 53 - 1, -2 ** 53),
              (LIMIT - 2, LIMIT - 1), (-LIMIT, 1 - LIMIT), (10 ** 17 - 1, 10 ** 17),
              (10 ** 18 - 1, 10 ** 18), (LIMIT - 1, LIMIT), (-LIMIT, -LIMIT - 1),
              (2 ** 64, 2 ** 64 + 1), (10 ** 40, 10 ** 40 + 1)]


def events(written, read):
    """A register: one write, then one read."""
    return ['{"process":0,"type":"invoke","f":"write","value":%s}' % written,
            '{"process":0,"type":"ok","f":"write","value":%s}' % written,
            '{"process":1,"type":"invoke","f":"read","value":null}',
            '{"process":1,"type":"ok","f":"read","value":%s}' % read]


def plain(written, read):
    return "\n".join(events(written, read)) + "\n"


def escaped(written, read):  # the fast reader leaves what has an escape to the other
    return plain(written, read).replace('"type"', '"t\\u0079pe"')


def array(written, read):
    return "[" + ",\n".join(events(written, read)) + "]"


def operations(written, read):
    return ('{"ClientId":0,"Input":{"f":"write","value":%s},"Call":0,"Output":null,"Return":1}\n'
            '{"ClientId":1,"Input":{"f":"read"},"Call":2,"Output":%s,"Return":3}\n' % (written, read))


class Integers(Case):
    def verdict(self, text):
        self.file("history", text)
        result = self.run_program("check", "--quiet", "--spec", "register", "history")
        self.assertIn(result.status, (0, 1), result.err)
        return result.status

    def test_neighbours_differ(self):
        for form in (plain, escaped, array, operations):
            for pair in NEIGHBOURS:
                for written in pair:
                    for read in pair:
                        self.assertEqual(self.verdict(form(written, read)), written != read,
                                         (form.__name__, written, read))

    def test_they_are_written_as_they_are_read(self):
        for number in {number for pair in NEIGHBOURS for number in pair}:
            self.file("history", plain(number, number))
            out = self.expect(0, "convert", "--to", "json", "history").out
            values = [json.loads(line).get("value") for line in out.splitlines()]
            self.assertEqual({str(value) for value in values if value is not None}, {str(number)})

    def test_where_64_bits_must_do(self):
        """Times of operations, and what a trace holds."""
        text = operations(1, 1)
        for number in (LIMIT, -LIMIT - 1, 10 ** 30):
            self.file("history", text.replace('"Return":3', '"Return":%d' % number))
            self.assertRegex(self.expect(2, "check", "--spec", "register", "history").err,
                             r"^history:2: error: .*%d" % number)
            self.file("trace", '{"command": "check",\n"hash": %d}' % number)
            self.assertEqual(self.expect(2, "replay", "trace").err,
                             "trace:2: error: expected an integer of at most 64 bits, found %d\n" % number)
        for number in (LIMIT - 1, -LIMIT):
            self.file("trace", '{"command": "check",\n"hash": %d}' % number)
            self.assertIn("another JSON value", self.expect(2, "replay", "trace").err)


class Depth(Case):
    def nested(self, depth):
        """Values with that many collections within one another."""
        return ["[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth,
                '[{"a":' * (depth // 2) + "1" + "}]" * (depth // 2), "[" * depth]

    def refused(self, text, line):
        self.file("history", text)
        result = self.expect(2, "check", "--format", self.format, "--spec", "register", "history")
        self.assertRegex(result.err, r"^history:%d: error: expected at most 200 collections within one "
                         r"another, found more" % line)

    def test_histories(self):
        for value in self.nested(DEEP):
            self.format = "json"
            for form in (plain, escaped, array):
                self.refused(form(1, value), 4)
            self.format = "porcupine-operations"
            self.refused(operations(1, value), 2)

    def test_alone(self):
        for value in self.nested(DEEP):
            for format in ("json", "porcupine-operations", "etcd"):
                self.file("history", "\n" + value)
                result = self.expect(2, "check", "--format", format, "--spec", "register", "history")
                self.assertRegex(result.err, r"^history:2: error: ")
            self.file("history", value)
            self.expect(2, "check", "history")

    def test_as_deep_as_may_be(self):
        value = "[" * 190 + "]" * 190
        for form in (plain, escaped, array, operations):
            self.file("history", form(value, value))
            self.expect(0, "check", "--spec", "register", "history")

    def test_traces(self):
        for value in self.nested(DEEP):
            for text, line in ((value, 1), ('{"command":"check",\n"core":%s}' % value, 2)):
                self.file("trace", text)
                result = self.expect(2, "replay", "trace")
                self.assertEqual(result.err, "trace:%d: error: expected at most 500 collections within one "
                                             "another, found more\n" % line)
        self.file("m.csp", "P = a -> P;\n#assert P deadlockfree;\n")
        self.file("trace", "[" * DEEP)
        self.assertRegex(self.expect(2, "simulate", "--along", "trace", "m.csp").err, "^trace:1: error: ")

    def test_a_trace_with_what_it_does_not_need(self):
        self.file("h", QUEUE_BAD)
        self.expect(1, "check", "--trace", "t.json", "h")
        trace = json.loads((self.folder / "t.json").read_text())
        trace["besides"] = json.loads("[" * 400 + "]" * 400)
        self.file("t.json", json.dumps(trace))
        self.expect(1, "replay", "t.json")


main()
