#!/usr/bin/env python3
"""What results look like: JSON, JUnit, text on wide, narrow, coloured and ASCII terminals."""
import os
import pty
import re
import subprocess
import unicodedata
import xml.etree.ElementTree

from program import BROKEN, ENVIRONMENT, PROGRAM, QUEUE_BAD, QUEUE_OK, REGISTER_BAD, Case, events, \
    hard, main

FIELDS = {"input": str, "spec": str, "verdict": str, "operations": int, "pending": int,
          "skipped": int, "passed_over": int,
          "partitions": int, "method": str, "seconds": float, "explored": int}


class Json(Case):
    def test_linearizable(self):
        self.file("h", QUEUE_OK)
        answer = self.expect(0, "check", "--json", "h").objects()[0]
        for name, kind in FIELDS.items():
            self.assertIsInstance(answer[name], kind, name)
        self.assertEqual((answer["input"], answer["spec"], answer["verdict"], answer["operations"],
                          answer["pending"], answer["partitions"], answer["reason"]),
                         ("h", "queue", "linearizable", 3, 0, 1, None))
        for name in ("core", "limit", "linearization", "object"):
            self.assertNotIn(name, answer)

    def test_witness(self):
        self.file("h", QUEUE_OK)
        answer = self.expect(0, "check", "--json", "--witness", "h").objects()[0]
        self.assertEqual(answer["linearization"], [1, 0, 2])  # 7 goes first, so that it comes first

    def test_violation(self):
        self.file("h", QUEUE_BAD)
        result = self.expect(1, "check", "--json", "h")
        self.assertEqual(result.out.count("\n"), 1)
        answer = result.objects()[0]
        self.assertEqual(answer["verdict"], "violation")
        self.assertEqual(answer["operations"], 5)
        self.assertEqual(answer["pending"], 1)
        self.assertIn("7", answer["reason"])
        # That 7 leaves first is only possible if 3 does not come before it.
        self.assertEqual(answer["core"], [0, 2])
        self.assertIs(answer["core_complete"], True)
        for name in ("context", "evidence"):
            self.assertIsInstance(answer[name], list)
        shown = {each["operation"]: each for each in answer["shown"]}
        self.assertEqual(shown[2], {
            "operation": 2, "core": True, "process": 2, "f": "dequeue", "argument": None,
            "result": 7, "type": "ok", "invoke_line": 5, "response_line": 7})

    def test_partial_linearizations(self):
        self.file("h", REGISTER_BAD)
        answer = self.expect(1, "check", "--json", "--method", "search", "h").objects()[0]
        longest = answer["partials"][0]
        self.assertEqual((longest["order"], longest["stuck"], longest["state"]), ([0], [1], "1"))

    def test_unknown(self):
        self.file("h", hard())
        answer = self.expect(3, "check", "--json", "--method=definition", "--timeout", "20ms",
                             "h").objects()[0]
        self.assertEqual(answer["verdict"], "unknown")
        self.assertEqual(answer["limit"], "time")
        self.assertEqual(answer["partitions_decided"], 0)
        self.assertTrue(answer["reason"])

    def test_pending_and_failed(self):
        self.file("h", events("""
            0 invoke write 1
            0 info write 1
            1 invoke write 2
            1 fail write 2
            2 invoke read
            2 ok read 3
        """))
        answer = self.expect(1, "check", "--json", "h").objects()[0]
        self.assertEqual((answer["operations"], answer["pending"]), (3, 1))

    def test_what_is_not_utf8_is_replaced(self):
        name = b"h\xff.edn"
        (self.folder / os.fsdecode(name)).write_text(QUEUE_OK)
        answer = self.expect(0, "check", "--json", name).objects()[0]
        self.assertEqual(answer["input"], "h\ufffd.edn")

    def test_numbers_keep_64_bits(self):
        big = 2 ** 63 - 1
        self.file("h", events("0 invoke write 1\n0 ok write 1\n0 invoke read\n0 ok read %d" % big))
        answer = self.expect(1, "check", "--json", "--spec", "register", "h").objects()[0]
        self.assertIn(big, [each.get("result") for each in answer["shown"]])


class Junit(Case):
    def suite(self, *arguments, status):
        self.run_program("check", "--junit", "out.xml", *arguments)
        self.expect(status, "check", "--junit", "out.xml", *arguments)
        root = xml.etree.ElementTree.parse(self.folder / "out.xml").getroot()
        self.assertEqual(root.tag, "testsuites")
        return root.find("testsuite")

    def test_one_case_for_each_history(self):
        self.file("ok", QUEUE_OK)
        self.file("bad", QUEUE_BAD)
        self.file("broken", BROKEN)
        self.file("hard", hard())
        suite = self.suite("--method=definition", "--timeout", "2s", "ok", "bad", "broken",
                           "hard", status=2)
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("errors")),
                         ("4", "1", "2"))
        ok, bad, broken, slow = suite.findall("testcase")
        self.assertEqual([each.get("name") for each in (ok, bad, broken, slow)],
                         ["ok", "bad", "broken", "hard"])
        self.assertEqual(len(ok), 0)
        self.assertEqual(ok.get("classname"), "queue")
        self.assertEqual(bad.find("failure").get("type"), "violation")
        self.assertIn("enqueue 3", bad.find("failure").text)
        self.assertNotIn("\033", bad.find("failure").text)
        self.assertEqual(broken.find("error").get("type"), "input")
        self.assertEqual(slow.find("error").get("type"), "unknown")

    def test_anything_can_be_said_in_xml(self):
        self.file("a&b<c>\"d\001.edn", events("""
            0 invoke write 1
            0 ok write 1
            0 invoke read
            0 ok read "<&]]>\\"\001"
        """))
        suite = self.suite("--spec", "register", "a&b<c>\"d\001.edn", status=1)
        case = suite.find("testcase")
        self.assertEqual(case.get("name"), "a&b<c>\"d\ufffd.edn")
        self.assertIn("<&]]>", case.find("failure").text)


WIDE = """\
h: violation (queue, 5 operations, 1 pending, 1 event skipped, 1 part, monitor, 0 s)
  value 7 was dequeued before value 3, though 3 was enqueued before 7

    nemesis                   ▼ kill "n1"
    process 0  ┣━ enqueue 3 ━┫
    process 1                  ├─ enqueue 7 ─┤
    process 2                   ┣━ dequeue → 7 ━┫
    process 3                                     ├─ dequeue → 3 ─┤

    enqueue 3     process 0   lines 1 and 2
    enqueue 7     process 1   lines 4 and 6
    dequeue → 7   process 2   lines 5 and 7
    dequeue → 3   process 3   lines 8 and 9

  to step through it:
    linchpin check --trace trace.json h
    linchpin replay trace.json
"""


def masked(text):
    return re.sub(r"\d+\.\d+ s\)", "0 s)", text)


class Text(Case):
    def setUp(self):
        super().setUp()
        self.file("h", QUEUE_BAD)

    def test_the_story_of_a_violation(self):
        self.assertEqual(masked(self.expect(1, "check", "h").out), WIDE)

    def test_a_large_core_is_told_by_what_the_sentence_speaks_of(self):
        """Any of the six writes, had it come late, would explain the read; the last one does."""
        writes = "".join("0 invoke write 0\n0 ok write 0\n" for _ in range(6))
        self.file("r", events(writes + "1 invoke write 3\n1 ok write 3\n"
                                       "2 invoke read\n2 ok read 0\n"))
        out = self.expect(1, "check", "--trace", "t", "r").out
        self.assertIn("  `read -> 0` by process 2 began after `write 3` by process 1 had "
                      "completed, and\n  nothing wrote 0 in between\n", out)
        self.assertIn("    process 0  ┣━ write 0 ━┫\n", out)
        self.assertIn("    write 0    process 0   lines 11 and 12\n"
                      "    write 3    process 1   lines 13 and 14\n"
                      "    read → 0   process 2   lines 15 and 16\n\n"
                      "  5 operations more belong to the core; replay shows all of it.\n", out)
        (answer,) = self.expect(1, "check", "--json", "r").objects()
        self.assertEqual((answer["core"], answer["evidence"]), (list(range(8)), [5, 6, 7]))
        self.assertEqual([each["operation"] for each in answer["shown"]], [5, 6, 7])
        self.assertEqual(self.expect(1, "replay", "t").out.count(" calls "), 8)

    def test_a_swap_says_whether_it_was_done(self):
        self.file("s", events("""
            0 invoke write 1
            0 ok write 1
            0 invoke cas [1 3]
            1 invoke read
            1 ok read 1
            0 ok cas false
        """))
        out = self.expect(1, "check", "s").out
        self.assertIn("    process 0  ┣━ write 1 ━┫ ┣━ cas [1 3] → false ━┫\n", out)
        self.assertIn("    cas [1 3] → false   process 0   lines 3 and 6\n", out)
        self.assertRegex(out, r"write 1, read → 1 +1 +cas \[1 3\] → false \(line 3\)\n")
        self.file("d", events("""
            0 invoke cas [nil 1]
            0 ok cas true
            0 invoke cas [1 4]
            0 ok cas true
            1 invoke read
            1 ok read 1
        """))
        self.assertIn(" ┣━ cas [1 4] → true ━┫\n", self.expect(1, "check", "d").out)

    def test_a_lock_taken_twice_after_many_turns(self):
        """Pending releases might come in between: each acquire before belongs to the core."""
        turns = "0 invoke acquire\n0 ok acquire\n0 invoke release\n0 ok release\n" * 20
        self.file("m", events(turns + "1 invoke acquire\n1 ok acquire\n"
                                      "2 invoke acquire\n2 ok acquire\n"))
        out = self.expect(1, "check", "m").out
        self.assertIn("  acquire by process 2 while process 1 held the mutex\n\n"
                      "    process 1  ┣━ acquire ━┫\n"
                      "    process 2                ┣━ acquire ━┫\n\n", out)
        (answer,) = self.expect(1, "check", "--json", "m").objects()
        self.assertEqual(answer["evidence"], [40, 41])
        self.assertEqual(answer["core"], list(range(0, 40, 2)) + [40, 41])

    def test_times_are_shown_where_they_were_recorded(self):
        self.file("t", "".join(
            '{"process":%d,"type":"%s","f":"%s","value":%s,"time":%d}\n' % each for each in (
                (0, "invoke", "write", "1", 100), (0, "ok", "write", "1", 250),
                (1, "invoke", "read", "null", 300), (1, "ok", "read", "2", 420))))
        out = self.expect(1, "check", "t").out
        self.assertIn("    read → 2   process 1   lines 3 and 4   time 300 to 420\n", out)
        (answer,) = self.expect(1, "check", "--json", "t").objects()
        (shown,) = [each for each in answer["shown"] if each["f"] == "read"]
        self.assertEqual((shown["invoke_time"], shown["response_time"]), (300, 420))

    def test_operations_of_a_file_of_one_line_are_named_by_number(self):
        self.file("t", '[{"process":0,"type":"invoke","f":"write","value":1},'
                       '{"process":0,"type":"ok","f":"write","value":1},'
                       '{"process":1,"type":"invoke","f":"read"},'
                       '{"process":1,"type":"ok","f":"read","value":2}]')
        out = self.expect(1, "check", "t").out
        self.assertIn("    read → 2   process 1   operation 1\n", out)
        self.assertNotIn("line 1", out)

    def test_lost_values_are_named(self):
        """Five values are lost, and only four dequeues pending."""
        lost = "".join("0 invoke enqueue %d\n0 ok enqueue %d\n" % (n, n) for n in range(1, 7))
        pending = "".join("%d invoke dequeue\n%d info dequeue\n" % (n, n) for n in range(1, 5))
        self.file("q", events(lost + pending + "5 invoke dequeue\n5 ok dequeue 6\n"))
        out = self.expect(1, "check", "q").out
        self.assertIn("  value 6 was dequeued though values 1, 2, 3 and 2 more, enqueued before it, had\n"
                      "  not been: more than the pending dequeues can have taken\n", out)

    def note(self, *notes):
        """What is drawn for these events of the nemesis before the second enqueue."""
        lines = "".join(":nemesis info %s\n" % note for note in notes)
        self.file("n", QUEUE_BAD.replace(events(':nemesis info kill "n1"'), events(lines)))
        out = self.expect(1, "check", "n", environment={"COLUMNS": "120"}).out
        return re.search("    nemesis +▼ (.*)\n", out)[1]

    def test_what_the_nemesis_did(self):
        self.assertEqual(self.note("cut", "cut"), "cut")
        self.assertEqual(self.note("cut", 'cut "n1"'), 'cut "n1"')  # asked for, and done
        self.assertEqual(self.note('kill "n1"', 'kill "n2"'), 'kill "n1", kill "n2"')
        self.assertEqual(self.note("cut", "heal", 'kill "n1"', 'kill "n2"'),
                         '…, kill "n1", kill "n2"')
        self.assertEqual(self.note('say "%s"' % ("x" * 90)), 'say "%s…' % ("x" * 51))
        self.assertEqual(self.note("cut", 'say "%s"' % ("x" * 90)), 'cut, say "%s…' % ("x" * 23))

    def test_ascii_where_the_locale_has_no_more(self):
        plain = masked(self.expect(1, "check", "h", environment={"LC_ALL": "C"}).out)
        self.assertTrue(plain.isascii())
        self.assertIn("    process 0  |= enqueue 3 =|\n", plain)
        self.assertIn("|- dequeue -> 3 -|", plain)

    def test_narrow_terminals(self):
        for columns in (40, 55, 80, 200):
            out = self.expect(1, "check", "h", environment={"COLUMNS": str(columns)}).out
            for line in out.splitlines()[1:]:
                if not re.search("lines|linchpin", line):
                    self.assertLessEqual(len(line), columns, out)

    def test_values_cannot_play_with_the_terminal(self):
        self.file("e", events('0 invoke write "a"\n0 ok write "a"\n'
                              '0 invoke read\n0 ok read "\\u001b[31mred"'))
        result = self.expect(1, "check", "--spec", "register", "e")
        self.assertNotIn("\033", result.out)

    def test_keys_are_said_once(self):
        self.file("k", events("""
            0 invoke write [:x 1]
            0 ok write [:x 1]
            0 invoke read [:x nil]
            0 ok read [:x 2]
        """))
        out = self.expect(1, "check", "--spec", "register", "--independent", "k").out
        self.assertIn("  key :x\n", out)
        self.assertIn(" read → 2 ", out)

    def test_partial_linearizations(self):
        self.file("r", REGISTER_BAD)
        out = self.expect(1, "check", "--method", "search", "r").out
        self.assertIn("    the longest orders end with   state   cannot go on with\n"
                      "    write 1                       1       read → 2 (line 3)\n", out)

    def test_the_command_is_quoted(self):
        self.file("it's", QUEUE_BAD)
        out = self.expect(1, "check", "--spec", "queue", "it's").out
        command = out.split("to step through it:\n")[1]
        self.assertEqual(command, "    linchpin check --spec queue --trace trace.json 'it'\\''s'\n"
                                  "    linchpin replay trace.json\n")
        done = subprocess.run(command.replace("linchpin", str(PROGRAM)), shell=True,
                              cwd=self.folder, env=ENVIRONMENT, capture_output=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)


class Terminal(Case):
    def on_terminal(self, *arguments, environment=None, stream="stdout"):
        """What the program writes when its standard output (or error) is a terminal."""
        ours, theirs = pty.openpty()
        process = self.start(*arguments, environment=environment or {}, **{stream: theirs})
        os.close(theirs)
        written = b""
        while True:
            try:
                block = os.read(ours, 65536)
            except OSError:
                break
            if not block:
                break
            written += block
        process.communicate()
        os.close(ours)
        return written.decode()

    def test_colours_on_a_terminal_only(self):
        self.file("h", QUEUE_BAD)
        self.assertNotIn("\033[", self.expect(1, "check", "h").out)
        self.assertIn("\033[1;31mviolation\033[0m", self.on_terminal("check", "h"))

    def test_no_color(self):
        self.file("h", QUEUE_BAD)
        self.assertNotIn("\033[", self.on_terminal("check", "h", environment={"NO_COLOR": "1"}))
        self.assertIn("\033[", self.on_terminal("check", "h", environment={"NO_COLOR": ""}))
        self.assertNotIn("\033[", self.on_terminal("check", "h", environment={"TERM": "dumb"}))
        self.assertNotIn("\033[", self.on_terminal("check", "--color=never", "h"))

    def test_always(self):
        self.file("h", QUEUE_BAD)
        out = self.expect(1, "check", "--color=always", "h", environment={"NO_COLOR": "1"}).out
        self.assertIn("\033[1;31m", out)
        self.assertEqual(masked(re.sub("\033\\[[0-9;]*m", "", out)), WIDE)

    def test_progress(self):
        self.file("hard", hard())
        slow = ("check", "--method=definition", "--timeout", "1500ms")
        drawn = self.on_terminal(*slow, "hard", stream="stderr")
        self.assertRegex(drawn, r"\rhard: 0 of 1 part, [0-9,]+ steps \([0-9,]+/s\), \d+ MB, \d s")
        self.assertTrue(drawn.endswith("\r\033[K"))  # and is taken away
        self.assertIn("[2/2] hard: ", self.on_terminal(*slow, self.file("ok", QUEUE_OK), "hard",
                                                       stream="stderr"))
        self.assertEqual(self.on_terminal(*slow, "--no-progress", "hard", stream="stderr"), "")
        self.assertEqual(self.on_terminal(*slow, "--json", "hard", stream="stderr"), "")
        self.assertEqual(self.expect(3, *slow, "hard").err, "")


def columns(line):
    """Of a line on a terminal, by the Unicode database of Python."""
    return sum(0 if unicodedata.category(letter) in ("Mn", "Me", "Cf") else
               2 if unicodedata.east_asian_width(letter) in ("W", "F") else 1 for letter in line)


class Widths(Case):
    VALUES = ("東京都", "한국어", "e\u0301te\u0301", "naïve", "🍎🍏", "ｆｕｌｌ", "plain", "x" * 70)

    def test_no_line_is_wider_than_the_terminal(self):
        lines = []
        for i, value in enumerate(self.VALUES):
            lines += ['%d invoke enqueue "%s"' % (i, value), '%d ok enqueue "%s"' % (i, value)]
        for i, value in enumerate(reversed(self.VALUES)):
            lines += ["%d invoke dequeue" % i, '%d ok dequeue "%s"' % (i, value)]
        self.file("h", events("\n".join(lines)))
        for width in (60, 66, 80, 101, 140, 200):
            result = self.expect(1, "check", "--spec=queue", "--method=search", "h",
                                 environment={"COLUMNS": str(width)})
            story = [line for line in result.out.splitlines() if "linchpin" not in line]
            self.assertTrue(any("東" in line or "plain" in line for line in story), result.out)
            for line in story[1:]:
                self.assertLessEqual(columns(line), width, line)

    def test_ends_stand_below_one_another(self):
        """Of two operations that end in consecutive events the later end is one column right."""
        self.file("h", events("""
            0 invoke enqueue "東京"
            1 invoke enqueue "abcd"
            0 ok enqueue "東京"
            1 ok enqueue "abcd"
            2 invoke dequeue
            2 ok dequeue "z"
        """))
        result = self.expect(1, "check", "--spec=queue", "--method=search", "h",
                             environment={"COLUMNS": "100"})
        rows = [line for line in result.out.splitlines() if "┤" in line or "┫" in line]
        ends = {line.split()[1]: columns(re.split("[┤┫]", line)[0]) for line in rows}
        if "0" in ends and "1" in ends:
            self.assertEqual(ends["1"], ends["0"] + 1, result.out)
        else:
            self.assertIn("2", ends, result.out)


main()
