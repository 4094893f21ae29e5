#!/usr/bin/env python3
"""linchpin check --trace and linchpin replay."""
import json
import os
import pty
import re

from program import QUEUE_BAD, QUEUE_OK, REGISTER_BAD, Case, events, main


class Trace(Case):
    def trace(self, *arguments, status=1):
        self.expect(status, "check", "--trace", "t.json", *arguments)
        return json.loads((self.folder / "t.json").read_text())

    def test_a_file_of_one_line_has_operations(self):
        """Where lines tell nothing, steps are numbered by operation; nil is an answer, of a key too."""
        events = [(0, "invoke", "write", ["k", 1]), (0, "ok", "write", ["k", 1]),
                  (1, "invoke", "read", ["k", None]), (1, "ok", "read", ["k", None])]
        self.file("h", json.dumps([dict(process=process, type=kind, f=f, value=value)
                                   for process, kind, f, value in events]))
        shown = self.expect(1, "check", "--independent", "--trace", "t", "h").out
        self.assertIn("read → nil", shown)
        steps = [line.split() for line in self.expect(1, "replay", "t").out.splitlines()
                 if " calls " in line or " returns " in line]
        self.assertEqual([words[1:3] for words in steps],
                         [["operation", "0"]] * 2 + [["operation", "1"]] * 2)

    def test_a_trace_is_the_result_and_the_request(self):
        self.file("h", REGISTER_BAD)
        trace = self.trace("--spec", "register", "--initial", "5", "h")
        self.assertEqual(trace["command"], "check")
        self.assertRegex(trace["hash"], r"^xxh3:[0-9a-f]{16}$")
        self.assertEqual(trace["options"]["spec"], ["register"])
        self.assertEqual(trace["options"]["initial"], "5")
        answer = self.expect(1, "check", "--json", "--spec", "register", "--initial", "5",
                             "h").objects()[0]
        for name in set(answer) - {"seconds"}:
            self.assertEqual(trace[name], answer[name], name)

    def test_the_first_violation_is_kept(self):
        self.file("ok", QUEUE_OK)
        self.file("bad", QUEUE_BAD)
        self.file("worse", REGISTER_BAD)
        for jobs in "1", "3":
            self.assertEqual(self.trace("-j", jobs, "ok", "worse", "bad")["input"], "worse")

    def test_without_a_violation_nothing_is_written(self):
        self.file("ok", QUEUE_OK)
        self.file("t.json", "old")
        self.expect(0, "check", "--trace", "t.json", "ok")
        self.assertEqual((self.folder / "t.json").read_text(), "old")
        self.assertEqual(sorted(os.listdir(self.folder)), ["ok", "t.json"])


class Replay(Case):
    def setUp(self):
        super().setUp()
        self.file("h", QUEUE_BAD)
        self.expect(1, "check", "--trace", "t.json", "h")

    def test_events_come_in_order(self):
        out = self.expect(1, "replay", "t.json").out
        self.assertTrue(out.startswith("h: violation (queue)\n"))
        self.assertIn("2 operations, checked again: they are a violation, and no fewer of them "
                      "are.", out)
        steps = re.findall(r"^ +(\d+)  line (\d+) +process (\d) +(calls|returns) +(.*)$", out, re.M)
        self.assertEqual(steps, [
            ("1", "1", "0", "calls", "enqueue 3"), ("2", "2", "0", "returns", "enqueue 3"),
            ("3", "4", "1", "calls", "enqueue 7"), ("4", "5", "2", "calls", "dequeue"),
            ("5", "6", "1", "returns", "enqueue 7"), ("6", "7", "2", "returns", "dequeue → 7"),
            ("7", "8", "3", "calls", "dequeue"), ("8", "9", "3", "returns", "dequeue → 3")])

    def test_a_changed_input_is_refused(self):
        before = json.loads((self.folder / "t.json").read_text())["hash"]
        self.file("h", QUEUE_BAD.replace("3", "4"))
        result = self.expect(2, "replay", "t.json")
        self.assertEqual(result.out, "")
        hashes = re.findall(r"xxh3:[0-9a-f]{16}", result.err)
        self.assertEqual(len(set(hashes)), 2)
        self.assertIn(before, hashes)

    def test_a_missing_input(self):
        (self.folder / "h").unlink()
        self.assertRegex(self.expect(2, "replay", "t.json").err, r"^h: error: ")

    def test_what_is_no_trace(self):
        for content in ("", "{", "{}", "[1]", "3", '{"command": "verify"}'):
            self.file("x.json", content)
            result = self.expect(2, "replay", "x.json")
            self.assertRegex(result.err, r"^x.json(:1)?: error: expected a trace as --trace of `linchpin check`, "
                             r"`verify`, `cover` or `test` writes it, found ")
        self.assertRegex(self.expect(2, "replay", "none.json").err, r"^none.json: error: ")

    def changed(self, **fields):
        trace = json.loads((self.folder / "t.json").read_text())
        trace.update(fields)
        self.file("u.json", json.dumps(trace))
        return self.expect(2, "replay", "u.json")

    def test_a_core_that_is_none_is_refused(self):
        result = self.changed(core=[0, 1])
        self.assertIn("the operations that the trace calls a violation are none", result.err)
        self.assertEqual(result.out, "")

    def test_operations_that_are_none_are_refused(self):
        self.assertIn("u.json: error: ", self.changed(core=[0, 99]).err)
        self.assertIn("u.json: error: ", self.changed(core=[-1]).err)
        self.assertIn("u.json: error: ", self.changed(evidence=["x"]).err)
        self.assertIn("u.json: error: ", self.changed(partials=[{"order": [77]}]).err)

    def test_a_core_that_is_not_minimal_is_said_to_be(self):
        trace = json.loads((self.folder / "t.json").read_text())
        trace["core"] = [0, 1, 2]
        self.file("u.json", json.dumps(trace))
        self.assertIn("fewer of them might be one too",
                      " ".join(self.expect(1, "replay", "u.json").out.split()))

    def test_states_along_an_order(self):
        self.file("r", events("""
            0 invoke write 1
            0 ok write 1
            0 invoke write 2
            0 ok write 2
            1 invoke read
            1 ok read 3
        """))
        self.expect(1, "check", "--method", "search", "--trace", "r.json", "r")
        out = self.expect(1, "replay", "r.json").out
        self.assertRegex(out, r"(?m)^ +1  write 1 +→ 1$")
        self.assertRegex(out, r"(?m)^ +2  write 2 +→ 2$")
        self.assertIn("read → 3 cannot follow", out)

    def test_one_key_of_several(self):
        self.file("k", events("""
            0 invoke write [:x 1]
            0 ok write [:x 1]
            0 invoke write ["y" 5]
            0 ok write ["y" 5]
            1 invoke read ["y" nil]
            1 ok read ["y" 6]
        """))
        self.expect(1, "check", "--spec", "register", "--independent", "--trace", "k.json", "k")
        out = self.expect(1, "replay", "k.json").out
        self.assertIn("read → 6", out)
        self.assertIn("checked again", out)

    def test_one_history_of_several(self):
        self.file("h.tla", 'H1 == << [op |-> "E", val |-> "x", proc |-> "A"], '
                           '[op |-> "Ok", proc |-> "A"] >>\n'
                           'H2 == << [op |-> "D", proc |-> "A"], '
                           '[op |-> "Ok", val |-> "x", proc |-> "A"] >>\n')
        self.expect(1, "check", "--trace", "k.json", "h.tla")
        self.assertTrue(self.expect(1, "replay", "k.json").out.startswith("h.tla#H2: violation"))

    def wait_for_steps(self, first, second):
        """Replays t.json on a terminal: the second step comes only after Enter."""
        ours, theirs = pty.openpty()
        process = self.start("replay", "t.json", stdin=theirs, stdout=theirs)
        os.close(theirs)
        written = b""

        def read_until(end):
            nonlocal written
            while end not in written:
                written += os.read(ours, 4096)

        read_until(first)
        self.assertNotIn(second, written.split(first)[-1])
        os.write(ours, b"\n")
        read_until(second)
        os.write(ours, b"q\n")
        process.communicate()
        self.assertEqual(process.returncode, 1)
        os.close(ours)

    def test_on_a_terminal_it_waits_after_each_step(self):
        self.wait_for_steps(b"enqueue 3\033[0m", b"returns")

    def test_on_a_terminal_it_waits_after_each_step_of_a_model(self):
        self.file("m.csp", "P = first -> second -> third -> Stop; S = first -> second -> Stop;"
                           "#assert P refines S;")
        self.expect(1, "verify", "--trace", "t.json", "m.csp")
        self.wait_for_steps(b"first\033[0m", b"second\033[0m")


main()
