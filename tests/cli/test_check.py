#!/usr/bin/env python3
"""linchpin check: verdicts, exit statuses, inputs."""
import gzip
import json
import re

from program import BROKEN, QUEUE_BAD, QUEUE_OK, REGISTER_BAD, Case, events, hard, main


class Check(Case):
    def test_linearizable(self):
        self.file("h", QUEUE_OK)
        result = self.expect(0, "check", "h")
        self.assertRegex(result.out, r"^h: linearizable \(queue, 3 operations, 1 part, monitor, "
                                     r"\d+\.\d+ s\)\n$")
        self.assertEqual(result.err, "")

    def test_violation(self):
        self.file("h", QUEUE_BAD)
        result = self.expect(1, "check", "h")
        self.assertRegex(result.out, r"^h: violation \(queue, 5 operations, 1 pending, "
                                     "1 event skipped, 1 part, ")
        self.assertEqual(result.err, "")

    def test_what_an_insertion_answers_is_drawn_where_there_is_an_answer(self):
        self.file("h", events("0 invoke enqueue 1\n0 ok enqueue false"))
        bounded = self.expect(1, "check", "--spec", "queue(2)", "h")
        self.assertIn("enqueue 1 -> false", bounded.out.split("\n\n")[1].replace("→", "->"))
        self.file("h", events("0 invoke enqueue 1\n0 ok enqueue true\n"
                              "0 invoke dequeue\n0 ok dequeue 2"))
        unbounded = self.expect(1, "check", "--spec", "queue", "h")
        self.assertNotIn("true", unbounded.out)

    def test_input_error(self):
        self.file("h", BROKEN)
        for option in (), ("--json",):
            result = self.expect(2, "check", *option, "h")
            self.assertEqual(result.out, "")
            complaint = result.complaints() if option else result.err
            self.assertRegex(complaint, r"^h:2: error: .*expected .*\n$")

    def test_forgotten_keys(self):
        """Each key has its own register; taken together no read would agree with any write."""
        self.file("h", events("""
            0 invoke write [1 3]
            0 ok write [1 3]
            1 invoke read [1 nil]
            1 ok read [1 3]
        """))
        self.assertEqual(self.expect(2, "check", "h").err,
                         "h:3: error: expected no argument of read, found [1 nil]; if values are "
                         "[key value], give --independent\n")
        self.expect(0, "check", "--independent", "h")

    def test_keys_that_are_none(self):
        self.file("h", events("0 invoke cas [2 3]\n0 ok cas [2 3]"))
        self.assertEqual(self.expect(2, "check", "--independent", "h").err,
                         "h:1: error: cas: expected [old new], found 3 as the value of a "
                         "[key value] (--independent); "
                         "cas-register was inferred from the operations (--spec names another, "
                         "such as map)\n")

    def test_pairs_are_values_too(self):
        self.file("h", events("""
            0 invoke write [1 nil]
            0 ok write [1 nil]
            1 invoke read
            1 ok read [1 nil]
        """))
        self.expect(0, "check", "h")

    def test_missing_file(self):
        result = self.expect(2, "check", "none")
        self.assertRegex(result.err, r"^none: error: .*No such file or directory\n$")

    def test_unknown(self):
        self.file("h", hard())
        result = self.expect(3, "check", "--method=definition", "--timeout", "500ms", "h")
        self.assertTrue(result.out.startswith("h: unknown (queue, "))

    def test_an_empty_file_is_the_empty_history(self):
        """which proves nothing: a path that a test forgot to write to looks like this"""
        self.file("h", "")
        result = self.expect(0, "check", "--spec", "queue", "h")
        self.assertRegex(result.out, r"^h: linearizable \(queue, 0 operations")
        said = "the history has no operations, so that it says nothing of the object"
        self.assertEqual(result.err, "h: warning: %s\n" % said)
        result = self.expect(0, "check", "--json", "h")
        self.assertEqual(json.loads(result.out)["warnings"], [said])
        self.assertEqual(self.expect(0, "check", "-q", "h").err, "h: warning: %s\n" % said)

    def test_required_operations(self):
        self.file("empty", "")
        self.file("h", QUEUE_OK)
        result = self.expect(2, "check", "--require", "1", "empty", "h")
        self.assertEqual(result.err.splitlines()[0],
                         "empty: error: expected at least 1 operation, as required, found 0")
        self.assertRegex(result.out, "^h: linearizable")
        self.expect(0, "check", "--require", "3", "h")
        self.expect(2, "check", "--require", "4", "h")
        self.expect(2, "check", "--require", "0", "h")

    def test_what_was_inferred_is_said_when_it_does_not_fit(self):
        event = '{"process": %d, "type": "%s", "f": "%s", "value": %s}\n'
        adds = event % (0, "invoke", "add", '"a"') + event % (0, "ok", "add", '"a"')
        self.file("h.jsonl", adds + event % (1, "invoke", "read", "null")
                  + event % (1, "info", "read", "null"))
        guess = "counter was inferred from the operations (--spec names another, such as grow-set)"
        self.assertIn(guess, self.expect(2, "check", "h.jsonl").err)
        self.assertNotIn("inferred", self.expect(2, "check", "-s", "counter", "h.jsonl").err)
        self.expect(0, "check", "-s", "grow-set", "h.jsonl")
        self.file("adds.jsonl", adds)
        self.assertIn("(add): set, grow-set, counter", self.expect(2, "check", "adds.jsonl").err)

    def test_logs_of_clients_one_behind_the_other(self):
        """Read in the order of the file, process 1 sees what process 0 had overwritten."""
        line = '{"process": %d, "type": "%s", "f": "%s", "value": %s, "time": %d}\n'
        self.file("h", "".join(line % event for event in (
            (0, "invoke", "write", 1, 10), (0, "ok", "write", 1, 20),
            (0, "invoke", "write", 2, 30), (0, "ok", "write", 2, 40),
            (1, "invoke", "read", "null", 25), (1, "ok", "read", 1, 27))))
        found = "the times run backwards: 25 in line 5, after 40 in line 4"
        result = self.expect(2, "check", "h")
        self.assertTrue(result.err.startswith("h:5: error: %s; " % found))
        self.assertEqual(result.out, "")
        self.expect(0, "check", "--order=time", "h")
        result = self.expect(1, "check", "--order=file", "--trace", "t", "h")
        self.assertEqual(result.err, "")
        self.expect(1, "replay", "t")
        self.expect(2, "check", "--order=sideways", "h")
        # a conversion keeps both orders, or is refused
        self.run_program("convert", "--to=edn", "-o", "both", "h")
        self.expect(2, "check", "both")
        for form in "jepsen-text", "limo", "tla", "porcupine-operations":
            result = self.expect(2, "convert", "--to", form, "h")
            self.assertIn(found, result.err)
            self.expect(0, "convert", "--to", form, "--order=time", "-o", "times", "h")
            self.expect(0, "check", "--spec=register", "times")
            self.expect(0, "convert", "--to", form, "--order=file", "-o", "file", "h")
            self.expect(1, "check", "--spec=register", "file")
        self.expect(0, "convert", "--order=time", "-o", "times", "h")
        self.assertEqual(self.expect(0, "check", "times").err, "")

    def test_logs_of_clients_in_files_of_their_own(self):
        """Each by itself reads what nobody in it wrote; one run may have left them so. Files that share a process, or
        were not written at one time, are of several runs."""
        def write(name, process, f, value, *times):
            self.file(name, "".join(json.dumps({"process": process, "type": kind, "f": f, "value": value, "time": at})
                                    + "\n" for kind, at in zip(["invoke", "ok"] * 2, times)))

        write("writer", 0, "write", 7, 1, 2, 9, 10)
        for process, times, hinted in ((1, (3, 4, 5, 6), True), (0, (3, 4, 5, 6), False), (1, (13, 14, 15, 16), False)):
            write("reader", process, "read", 7, *times)
            result = self.expect(1, "check", "writer", "reader")
            self.assertEqual("cat FILE... | linchpin check --order=time -" in result.err, hinted, result.err)
        write("reader", 1, "read", None, 3, 4, 5, 6)  # nothing is wrong
        self.assertNotIn("cat FILE", self.expect(0, "check", "writer", "reader").err)
        write("reader", 1, "read", 7, 3, 4, 5, 6)
        self.assertEqual(self.expect(1, "check", "reader").err, "")
        self.assertEqual(self.expect(1, "check", "--json", "writer", "reader").err, "")
        self.file("both", (self.folder / "writer").read_text() + (self.folder / "reader").read_text())
        self.expect(0, "check", "--order=time", "both")

    def test_named_processes_in_a_format_of_jepsens(self):
        """To skip the operations of c0 would make another history of this one."""
        for lines, function in ((REGISTER_BAD, "read"),
                                (events("0 invoke write 1\n0 ok write 1\n"), "cas")):
            self.file("h", lines + events(":c0 invoke %s [1 2]" % function))
            line = len(lines.splitlines()) + 1
            result = self.expect(2, "check", "h")
            self.assertEqual(result.out, "")
            self.assertRegex(result.err, "^h:%d: error: expected an integer as `process` of `%s`, "
                             "an operation of .*register, found :c0 " % (line, function))
        self.file("h", REGISTER_BAD + events(":c0 invoke bump [1 2]"))
        self.expect(1, "check", "h")

    def test_what_is_skipped_is_counted(self):
        self.file("h", QUEUE_BAD)
        result = self.expect(1, "check", "-q", "h")
        self.assertIn("(queue, 5 operations, 1 pending, 1 event skipped, 1 part, ", result.out)
        self.assertEqual(json.loads(self.expect(1, "check", "--json", "h").out)["skipped"], 1)
        self.file("h", QUEUE_OK + events(":n info start\n:n info stop"))
        self.assertIn("3 operations, 2 events skipped, 1 part,", self.expect(0, "check", "h").out)
        self.file("h", QUEUE_OK)
        self.assertNotIn("skipped", self.expect(0, "check", "h").out)
        self.assertEqual(json.loads(self.expect(0, "check", "--json", "h").out)["skipped"], 0)

    def test_lines_of_a_log_are_counted(self):
        log = "INFO  jepsen.util - "
        self.file("h", "lein run test\n\n" + log + "0\t:invoke\t:acquire\n"
                  "WARN  jepsen.core - Process 0 indeterminate\n\tat jepsen.core$worker.invoke\n"
                  + log + "0\t:info\t:acquire\n")
        self.assertIn("(mutex, 1 operation, 1 pending, 3 lines passed over, ",
                      self.expect(0, "check", "-q", "--spec=mutex", "h").out)
        self.assertEqual(json.loads(self.expect(0, "check", "--json", "--spec=mutex",
                                                "h").out)["passed_over"], 3)
        self.assertEqual(self.expect(0, "convert", "h").err,
                         "h: warning: 3 lines that are no events were passed over\n")

    def test_partly_named_processes(self):
        """c0 reads what was not there yet: the write comes behind it."""
        line = '{"process": %s, "type": "%s", "f": "%s", "value": %s}\n'
        self.file("h", "".join(line % event for event in (
            ('"c0"', "invoke", "read", "null"), ('"c0"', "ok", "read", 1),
            (0, "invoke", "write", 1), (0, "ok", "write", 1),
            ('"nemesis"', "info", "kill", '"n1"'))))
        result = self.expect(1, "check", "h")
        self.assertIn("(register, 2 operations, 1 event skipped, ", result.out)
        self.assertRegex(result.out, 'process "?c0')

    def test_no_conversion_makes_clients_or_drops_them(self):
        """Elsewhere what invokes is a client, or is left out: the verdict would be another one."""
        self.file("h", QUEUE_OK + events(":n info kill 1\n:n ok kill 1\n:c0 invoke dequeue"))
        line = len((self.folder / "h").read_text().splitlines())
        self.assertIn("h:%d: error: expected an integer as `process` of `dequeue`" % line,
                      self.expect(2, "check", "h").err)
        for form in "json", "limo", "tla", "porcupine-operations":
            self.assertEqual(self.expect(2, "convert", "--to", form, "h").err,
                             "h:%d: error: the format %s cannot say that process :c0, which is no "
                             "client, invokes an operation\n" % (line, form))
        for form in "edn", "jepsen-text":
            self.expect(0, "convert", "--to", form, "-o", form, "h")
            self.expect(2, "check", form)
        self.file("h", QUEUE_OK + events(":n info kill 1\n:n ok kill 1"))
        self.expect(0, "convert", "--to=json", "-o", "j", "h")
        self.assertIn("3 operations, 2 events skipped", self.expect(0, "check", "j").out)

    def test_a_violation_of_an_order_that_time_did_not_suffice_to_doubt(self):
        """One after the other in the file, all at once by their times, for the definition to try."""
        line = '{"process": %d, "type": "%s", "f": "%s", "value": %s, "time": %d}\n'
        lines = []
        for process in range(26):
            function, value = ("enqueue", process) if process < 13 else ("dequeue", 25 - process)
            lines.append(line % (process, "invoke", function, value, process))
            lines.append(line % (process, "ok", function, value, 100 + process))
        lines += [line % (26, "invoke", "dequeue", "null", 200),
                  line % (26, "ok", "dequeue", 99, 201)]
        self.file("h", "".join(lines))
        self.expect(1, "check", "--order=file", "--method=definition", "h")
        result = self.expect(3, "check", "--method=definition", "--timeout", "2s", "h")
        self.assertRegex(result.out, "^h: unknown ")
        self.assertRegex(" ".join(result.out.split()), "time limit of 2 s was reached: .* in the "
                         "order of the times; in that of the file the history is a violation")
        self.assertIn("h:3: warning: the times run backwards: 1 in line 3, after 100 in line 2",
                      result.err)

    def test_intervals_have_no_order_but_that_of_their_times(self):
        self.file("h", '{"ClientId":0,"Input":{"f":"write","value":1},"Call":1,"Return":2}\n')
        self.expect(0, "check", "--spec=register", "--order=time", "h")
        self.assertEqual(self.expect(2, "check", "--order=file", "h").err,
                         "h: error: expected events in an order of their own, found the format "
                         "porcupine-operations, whose operations are ordered by their times\n")

    def test_the_worst_status_counts(self):
        self.file("ok", QUEUE_OK)
        self.file("bad", QUEUE_BAD)
        self.file("broken", BROKEN)
        self.file("hard", hard())
        slow = ["--method=definition", "--timeout", "1s"]
        self.expect(3, "check", *slow, "ok", "hard")
        self.expect(1, "check", *slow, "ok", "hard", "bad")
        self.expect(2, "check", *slow, "ok", "hard", "bad", "broken")
        self.expect(2, "check", *slow, "broken", "ok")

    def test_others_are_still_decided(self):
        self.file("ok", QUEUE_OK)
        self.file("bad", QUEUE_BAD)
        self.file("broken", BROKEN)
        result = self.expect(2, "check", "-q", "bad", "broken", "none", "ok")
        self.assertEqual(re.findall(r"^(\w+): (\w+) ", result.out, re.M),
                         [("bad", "violation"), ("ok", "linearizable")])
        self.assertEqual(re.findall(r"^(\w+):", result.err, re.M), ["broken", "none"])

    def test_results_stand_in_the_order_of_the_arguments(self):
        names = []
        for i in range(40):
            names.append(self.file("h%d" % i, QUEUE_BAD if i % 7 == 3 else QUEUE_OK))
        for jobs in ("1", "2", "7"):
            result = self.expect(1, "check", "--json", "-j", jobs, *names)
            self.assertEqual([each["input"] for each in result.objects()], names)
            self.assertEqual([each["verdict"] for each in result.objects()],
                             ["violation" if i % 7 == 3 else "linearizable" for i in range(40)])

    def test_summary(self):
        for name, content in ("a", QUEUE_OK), ("b", QUEUE_BAD), ("c", BROKEN):
            self.file(name, content)
        last = self.expect(2, "check", "a", "b", "c").err.splitlines()[-1]
        self.assertRegex(last, r"^2 histories: 1 linearizable, 1 violation; 1 error \(.* s\)$")
        self.assertEqual(self.expect(0, "check", "--json", "a", "a").err, "")
        self.assertEqual(self.expect(0, "check", "-q", "a", "a").err, "")
        self.assertIn("2 histories", self.expect(0, "check", "--json", "-v", "a", "a").err)

    def test_quiet(self):
        self.file("h", QUEUE_BAD)
        self.assertEqual(len(self.expect(1, "check", "-q", "h").out.splitlines()), 1)

    def test_verbose(self):
        self.file("h", QUEUE_OK)
        result = self.expect(0, "check", "-v", "h")
        self.assertRegex(result.err, r"^h: read 3 operations \(edn\), \d\.\d+ s, .*iB\n"
                                     r"h: done, .*iB at most\n$")
        self.assertEqual(len(result.out.splitlines()), 1)

    def test_standard_input(self):
        result = self.expect(1, "check", "--json", "-", given=QUEUE_BAD.encode())
        self.assertEqual(result.objects()[0]["input"], "-")
        result = self.expect(0, "check", "-", given=gzip.compress(QUEUE_OK.encode()))
        self.assertTrue(result.out.startswith("-: linearizable"))

    def test_specifications(self):
        self.file("h", REGISTER_BAD)
        self.expect(1, "check", "--spec", "register", "h")
        result = self.expect(2, "check", "--spec", "queue", "h")
        self.assertRegex(result.err, r"^h:1: error: ")
        self.file("s", events("""
            0 invoke acquire
            0 ok acquire
            1 invoke acquire
            1 ok acquire
        """))
        self.expect(0, "check", "-s", "semaphore(2)", "s")
        self.expect(1, "check", "-s", "semaphore(1)", "s")
        self.expect(1, "check", "-s", "mutex", "s")
        self.expect(2, "check", "-s", "semaphore", "s")

    def test_initial_value(self):
        self.file("h", events("0 invoke read\n0 ok read 5"))
        self.expect(1, "check", "--spec", "register", "h")
        self.expect(0, "check", "--spec", "register", "--initial", "5", "h")
        self.expect(0, "check", "--initial", "5", "h")
        self.expect(2, "check", "--initial", "[5", "--spec", "register", "h")

    def test_another_log_is_told_how_it_can_be_written(self):
        self.file("own.log", "10:00:01 client 1 PUT x 1\n")
        error = self.expect(2, "check", "own.log").err
        self.assertIn("found `10:00:01 client 1 PUT x 1`; another log can be written as json", error)
        event = re.search(r"an object for each event: (\{.*\})", error).group(1)
        self.file("said.jsonl", event + "\n" + event.replace("invoke", "ok") + "\n")
        self.expect(0, "check", "said.jsonl")

    def test_an_initial_map_as_other_languages_write_it_is_refused(self):
        self.file("h", events("0 invoke get \"x\"\n0 ok get 7"))
        for initial in ("{x 7}", "{\"x\" 7, y 8}"):
            self.expect(0, "check", "--spec", "map", "--initial", initial, "h")
        for initial in ("{x: 7}", "{\"x\": 7}", "{y 1, x: 7}"):
            self.assertIn("expected a map without colons, {x 7, y 8}, found " + initial,
                          self.expect(2, "check", "--spec", "map", "--initial", initial, "h").err)

    def test_nil_reads_as_knossos_has_them(self):
        self.file("h", events("0 invoke write 1\n0 ok write 1\n0 invoke read\n0 ok read nil"))
        self.expect(1, "check", "--spec", "register", "h")
        self.expect(0, "check", "--spec", "register", "--knossos-nil", "h")

    def test_owned(self):
        self.file("h", events("0 invoke acquire\n0 ok acquire\n1 invoke release\n1 ok release"))
        self.expect(0, "check", "--spec", "mutex", "h")
        self.expect(1, "check", "--spec", "mutex", "--owned", "h")

    def test_independent(self):
        self.file("h", events("""
            0 invoke write [:x 1]
            0 ok write [:x 1]
            0 invoke write [:y 2]
            0 ok write [:y 2]
            1 invoke read [:x nil]
            1 ok read [:x 1]
        """))
        result = self.expect(0, "check", "--json", "--spec", "register", "--independent", "h")
        self.assertEqual(result.objects()[0]["partitions"], 2)

    def test_several_objects(self):
        register = REGISTER_BAD.replace("read, :value 2", "read, :value 1") \
            .replace(":process ", ":process 1")
        self.file("h", QUEUE_BAD.replace("}", ", :object \"q\"}") +
                  register.replace("}", ", :object \"r\"}"))
        result = self.expect(1, "check", "--json", "--spec", "q=queue", "--spec", "r=register", "h")
        answer = result.objects()[0]
        self.assertEqual(answer["spec"], "q=queue,r=register")
        self.assertEqual(answer["object"], "q")
        self.assertIn("object q", self.expect(1, "check", "-s", "q=queue", "-s", "r=register",
                                              "h").out)

    def test_all(self):
        lines = []
        for key in "abc":
            wrong = key != "b"
            lines += ["0 invoke write [:%s 1]" % key, "0 ok write [:%s 1]" % key,
                      "0 invoke read [:%s nil]" % key,
                      "0 ok read [:%s %d]" % (key, 2 if wrong else 1)]
        self.file("h", events("\n".join(lines)))
        options = ["check", "--spec", "register", "--independent"]
        first = self.expect(1, *options, "--json", "h").objects()[0]
        self.assertEqual(first["key"], "a")
        self.assertNotIn("violations", first)
        every = self.expect(1, *options, "--json", "--all", "h").objects()[0]
        self.assertEqual([each["key"] for each in every["violations"]], ["a", "c"])
        text = self.expect(1, *options, "--all", "h").out
        self.assertIn("violation 1 of 2, key :a", text)
        self.assertIn("violation 2 of 2, key :c", text)

    def test_methods_agree(self):
        self.file("ok", QUEUE_OK)
        self.file("bad", QUEUE_BAD)
        for method in ("auto", "monitor", "search", "definition"):
            for name, status in ("ok", 0), ("bad", 1):
                answer = self.expect(status, "check", "--json", "--method", method,
                                     name).objects()[0]
                if method != "auto":
                    self.assertEqual(answer["method"], method)

    def test_a_monitor_that_does_not_apply(self):
        twice = events("""
            0 invoke enqueue 1
            0 ok enqueue 1
            0 invoke enqueue 1
            0 ok enqueue 1
            0 invoke dequeue
            0 ok dequeue 1
        """)
        self.file("h", twice)
        result = self.expect(2, "check", "--method", "monitor", "h")
        self.assertEqual(result.out, "")
        self.assertRegex(result.err, r"^h:?.*: error: ")
        self.expect(0, "check", "h")
        taken = events("""
            0 invoke dequeue
            0 ok dequeue 1
        """)
        self.file("taken", taken)
        for words, message in (
                (["--spec", "queue", "--initial", "[1 1]"],
                 "the monitor for queue does not apply: value 1 stands twice in the initial contents"),
                (["--spec", "deque"], "there is no monitor for deque; use --method=search")):
            self.file("taken", taken.replace("dequeue", "pop-front") if "deque" in words else taken)
            result = self.expect(2, "check", "--method=monitor", *words, "taken")
            self.assertIn("taken: error: " + message, result.err)

    def test_witness(self):
        self.file("h", QUEUE_OK)
        lines = self.expect(0, "check", "--witness", "h").out.splitlines()
        self.assertTrue(lines[0].startswith("h: linearizable"))
        self.file("w", "\n".join(lines[1:]) + "\n")
        answer = self.expect(0, "check", "--json", "--witness", "w").objects()[0]
        self.assertEqual(answer["linearization"], [0, 1, 2])  # sequential already
        self.assertEqual(self.expect(1, "check", "-q", "--witness",
                                     self.file("b", QUEUE_BAD)).out.count("\n"), 1)

    def test_a_folder_of_runs(self):
        self.file("store/queue/20260101T000000/history.edn", QUEUE_OK)
        self.file("store/queue/20260102T000000/history.edn", QUEUE_BAD)
        result = self.expect(1, "check", "--json", "store")
        self.assertEqual([each["verdict"] for each in result.objects()],
                         ["linearizable", "violation"])
        for each in result.objects():  # each can be named on its own
            self.run_program("check", each["input"])
            again = self.run_program("check", "--json", each["input"]).objects()
            self.assertEqual(again[0]["verdict"], each["verdict"])


main()
