#!/usr/bin/env python3
"""Histories as Jepsen's workloads `set` and `queue` leave them behind."""
from program import Case, events, main

ADDED = """
    0 invoke add 0
    1 invoke add 1
    0 ok add 0
    1 info add 1
    2 invoke add 2
    2 fail add 2
"""
QUEUED = """
    0 invoke enqueue 1
    0 ok enqueue 1
    1 invoke enqueue 2
    1 ok enqueue 2
    2 invoke enqueue 3
    2 info enqueue 3
    0 invoke dequeue
    0 ok dequeue 2
    1 invoke dequeue
    1 fail dequeue
"""


class Workloads(Case):
    def check(self, status, spec, content):
        """In EDN and, where sets are arrays, in JSON."""
        self.file("h", events(content))
        answer = self.expect(status, "check", "--json", "h").objects()[0]
        self.assertEqual(answer["spec"], spec)
        self.file("j", events(content.replace("#{", "[").replace("}", "]")))
        self.expect(0, "convert", "--to", "json", "-o", "j.json", "j")
        again = self.expect(status, "check", "--json", "j.json").objects()[0]
        self.assertEqual((again["spec"], again.get("core")), (spec, answer.get("core")))
        return answer

    def test_set(self):
        """An add that timed out may be there or not; one that failed must not."""
        for elements, status in (("0", 0), ("0 1", 0), ("1", 1), ("", 1), ("0 2", 1), ("0 7", 1)):
            self.check(status, "grow-set", ADDED + "3 invoke read\n3 ok read #{%s}" % elements)

    def test_an_element_that_comes_and_goes(self):
        reads = "3 invoke read\n3 ok read #{%s}\n" * 3
        self.check(0, "grow-set", ADDED + reads % ("0", "0 1", "0 1"))
        answer = self.check(1, "grow-set", ADDED + reads % ("0 1", "0 1", "0"))
        self.assertIn(5, answer["core"])

    def test_an_element_twice(self):
        self.file("h", events(ADDED + "3 invoke read\n3 ok read [0 0]"))
        self.expect(1, "check", "--spec", "grow-set", "h")

    def test_a_counter_stays_one(self):
        self.file("h", events("0 invoke add 1\n0 ok add 1\n1 invoke read\n1 ok read 1"))
        self.assertEqual(self.expect(0, "check", "--json", "h").objects()[0]["spec"], "counter")

    def test_queue(self):
        drain = "3 invoke drain\n3 ok drain [%s]"
        for taken, status in (("1", 0), ("3 1", 0), ("1 3", 0), ("2 1", 1), ("1 1", 1), ("4", 1)):
            self.check(status, "unordered-queue", QUEUED + drain % taken)

    def test_clients_that_drain_at_the_same_time(self):
        self.check(0, "unordered-queue", QUEUED + "3 invoke drain\n4 invoke drain\n"
                   "3 ok drain [3]\n4 ok drain [1]\n")
        self.check(1, "unordered-queue", QUEUED + "3 invoke drain\n4 invoke drain\n"
                   "3 ok drain [1]\n4 ok drain [1]\n")

    def test_a_queue_stays_one(self):
        self.file("h", events(QUEUED))
        self.assertEqual(self.expect(1, "check", "--json", "h").objects()[0]["spec"], "queue")
        self.expect(0, "check", "--spec", "unordered-queue", "h")

    def test_what_is_no_answer(self):
        for content in ("0 invoke read\n0 ok read 5", "0 invoke add nil\n0 ok add"):
            self.file("h", events(content))
            self.assertRegex(self.expect(2, "check", "--spec=grow-set", "h").err,
                             r"^h:[12]: error: \w+: expected ")
        self.file("h", events("0 invoke drain\n0 ok drain 5"))
        self.assertRegex(self.expect(2, "check", "h").err, r"^h:2: error: drain: expected a list")


main()
