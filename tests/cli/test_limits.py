#!/usr/bin/env python3
"""Time, memory, interrupts, and outputs that take no more."""
import os
import signal
import subprocess

from program import QUEUE_BAD, QUEUE_OK, Case, blocks_interrupts, events, hard, main, wait_until

SLOW = ("check", "--json", "--method=definition")


class Limits(Case):
    def setUp(self):
        super().setUp()
        self.file("hard", hard())
        self.file("ok", QUEUE_OK)
        self.file("bad", QUEUE_BAD)

    def test_time_for_each_history(self):
        answers = self.expect(3, *SLOW, "--timeout", "1s", "hard", "ok", "hard").objects()
        self.assertEqual([each["verdict"] for each in answers], ["unknown", "linearizable",
                                                                 "unknown"])
        self.assertRegex(answers[0]["reason"],
                         r"^the time limit of 1 s was reached: [0-9,]+ configurations explored")

    def test_time_for_all(self):
        answers = self.expect(3, *SLOW, "-j1", "--total-timeout", "1500ms", "ok", "hard", "ok",
                              "bad").objects()
        self.assertEqual([each["verdict"] for each in answers],
                         ["linearizable", "unknown", "unknown", "unknown"])
        self.assertEqual({each["limit"] for each in answers[1:]}, {"time"})
        self.assertEqual(answers[3]["reason"],
                         "the total time limit of 1.5 s was reached before it was read")
        self.assertEqual(answers[3]["spec"], None)

    def test_processes_that_nest_for_ever(self):
        """Each turn of P puts one more process behind it, and whether P can step depends on a
        variable. That is no reason to overflow the stack, and none to answer that it holds."""
        self.file("deep.csp", "var x;\nP = ([x == 0] a -> P); Q;\nQ = b -> Skip;\n"
                  "#assert P deadlockfree;\n")
        answer = self.expect(3, "verify", "--json", "deep.csp").objects()[0]
        self.assertEqual((answer["verdict"], answer["limit"]), ("unknown", "depth"))
        self.assertIn("processes nest more than 2,500 deep", answer["reason"])

    def test_a_choice_among_billions(self):
        """Limits are looked at within one step, too."""
        self.file("wide.lin", """spec wide { op f() { return choose(0..2000000000); } }
impl called { shared int x = 0; op f(int(0..2000000000) k) { x = k; return 0; } }
impl chosen { shared int x = 0; op f() { x = choose(0..2000000000); return 0; } }
impl fixed { op f() { return 0; } }
impl begun { shared int x; init { x = choose(0..2000000000); } op f() { return 0; } }
impl made { struct node { node next; } shared node top; init { top = new node; int x = choose(0..2000000000); }
    op push(value v) { top = new node; return ok; } op pop() { return empty; } }
assert called never (x < 0);
assert chosen never (x < 0);
assert begun linearizes wide with threads = 1, ops = 1;
assert begun lock_free with threads = 2, ops = 1;
assert made linearizes stack with threads = 2, ops = 1;
assert made linearizes stack with threads = any;
assert fixed linearizes wide;
""")
        self.file("h", events("0 invoke f\n0 ok f -1"))
        limits = ("--json", "--timeout", "100ms")
        answers = self.expect(3, "verify", *limits, "wide.lin").objects()
        for method in "auto", "definition":
            answers += self.expect(3, "check", *limits, "--method", method, "--spec",
                                   "wide.lin:wide", "h").objects()
        self.file("deep.lin", """spec deep { map a = {};
    op f() { for (int i = 0; i < 1000; i++) a[a] = a; return -1; } }
""")
        answers += self.expect(3, "check", *limits, "--spec", "deep.lin", "h").objects()
        self.assertEqual([each["limit"] for each in answers], ["time"] * 10)

    def test_memory(self):
        result = self.expect(3, "check", "--memory", "1M", "ok")
        self.assertTrue(result.out.startswith("ok: unknown\n"))
        self.assertIn("the memory limit of 1 MiB was reached before it was read", result.out)
        answer = self.expect(3, "check", "--json", "--memory", "1M", "ok").objects()[0]
        self.assertEqual(answer["limit"], "memory")

    def test_the_verdict_does_not_depend_on_the_neighbours(self):
        """Half of the memory that one history needs is too little for it, but two at once are
        decided with little more than that."""
        lines = []
        for i in range(20000):
            lines.append("0 invoke write %d\n0 ok write %d" % (i, i))
        self.file("large", events("\n".join(lines)))

        def decided(megabytes, *names):
            result = self.run_program("check", "-q", "-j2", "--memory", "%dM" % megabytes, *names)
            self.assertIn(result.status, (0, 3))
            return result.status == 0

        low, high = 1, 2048
        while high - low > 1:  # decided with high, not with low
            middle = (low + high) // 2
            low, high = (low, middle) if decided(middle, "large") else (middle, high)
        self.assertTrue(decided(high + 4, "large", "large"))

    def test_what_can_be_read_only_once_is_not_lost(self):
        """Nor is its second half, or nothing, taken for all of it when its share of the memory was
        too small."""
        lines = ['0 invoke write "v%d"\n0 ok write "v%d"' % (i, i) for i in range(60000)]
        bad = events("\n".join(lines + ["0 invoke read", "0 ok read 7"]))
        limits = ["%dM" % megabytes for megabytes in range(8, 64, 2)]
        enough = next(at for at, limit in enumerate(limits)
                      if self.run_program("check", "-q", "--memory", limit, "-",
                                          given=bad.encode()).status == 1)
        for stream in "-", "/dev/stdin":
            for limit in limits[enough + 1:enough + 6]:
                self.expect(1, "check", "-q", "-j2", "--memory", limit, stream, "ok",
                            given=bad.encode())

    def test_an_interrupt_is_an_answer(self):
        for which in signal.SIGINT, signal.SIGTERM:
            process = self.start(*SLOW, "-j1", "bad", "hard", "ok")
            first = process.stdout.readline()  # the first history is decided, the second is not
            self.assertIn(b'"violation"', first)
            process.send_signal(which)
            out, err = process.communicate()
            self.assertEqual(process.returncode, 1, err)
            self.assertEqual(out.count(b'"limit":"interrupt"'), 2, out)

    def test_an_interrupt_alone_is_undecided(self):
        process = self.start(*SLOW, "hard")
        wait_until(lambda: blocks_interrupts(process))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        self.assertEqual(process.returncode, 3, err)
        self.assertIn(b'"limit":"interrupt"', out)

    def test_an_interrupt_leaves_no_files(self):
        process = self.start(*SLOW, "--junit", "j.xml", "--trace", "t.json", "hard")
        wait_until(lambda: blocks_interrupts(process))
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.assertEqual(sorted(os.listdir(self.folder)), ["bad", "hard", "j.xml", "ok"])
        self.assertIn("unknown", (self.folder / "j.xml").read_text())

    def test_an_interrupt_before_the_work_begins_is_kept(self):
        """It comes while the options' own files are read, here a specification from a pipe."""
        rules = b"spec one { op enqueue(value v) { return ok; } op dequeue() { return empty; } }\n"
        for which in signal.SIGINT, signal.SIGTERM:
            for more, status, answer in ((["--follow"], 0, b'"linearizable"'), ([], 3, b'"limit":"interrupt"')):
                os.mkfifo(self.folder / "s.lin")
                self.file("log", events("0 invoke enqueue 1\n0 ok enqueue 1"))
                process = self.start("check", "--json", *more, "--spec", "s.lin", "log")
                with open(self.folder / "s.lin", "wb", buffering=0) as spec:  # it is being read now
                    process.send_signal(which)
                    os.remove(self.folder / "s.lin")
                    (self.folder / "s.lin").write_bytes(rules)
                    spec.write(rules)
                out, err = process.communicate()
                self.assertEqual(process.returncode, status, err)
                self.assertIn(answer, out)
                os.remove(self.folder / "s.lin")

    def test_waiting_for_input_can_be_interrupted(self):
        process = self.start("check", "--json", "-", stdin=subprocess.PIPE)
        wait_until(lambda: blocks_interrupts(process))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 3)
        self.assertIn(b'"limit":"interrupt"', process.stdout.read())
        for stream in process.stdin, process.stdout, process.stderr:
            stream.close()

    def test_waiting_for_input_has_its_time(self):
        process = self.start("check", "--json", "--timeout", "50ms", "-", stdin=subprocess.PIPE)
        self.assertEqual(process.wait(), 3)
        self.assertIn(b'"limit":"time"', process.stdout.read())
        for stream in process.stdin, process.stdout, process.stderr:
            stream.close()


class Outputs(Case):
    def setUp(self):
        super().setUp()
        self.file("ok", QUEUE_OK)
        self.file("bad", QUEUE_BAD)

    def test_a_full_disk_is_an_error(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("needs /dev/full")
        with open("/dev/full", "wb") as full:
            for arguments in (("check", "ok"), ("check", "--json", "bad"), ("convert", "ok"),
                              ("specs",), ("check", "--help"), ("--version",)):
                result = self.run_program(*arguments, stdout=full)
                self.assertEqual(result.status, 2, arguments)
                self.assertIn("No space left on device", result.err)
        for option in "--junit", "--trace", "--html":
            result = self.expect(2, "check", option, "/dev/full", "bad")
            self.assertIn("cannot write '/dev/full': No space left on device", result.err)

    def test_a_closed_pipe_is_an_error_without_noise(self):
        for arguments in ("check", "bad", "bad", "ok"), ("convert", "ok"):
            ours, theirs = os.pipe()
            os.close(ours)
            process = self.start(*arguments, stdout=theirs)
            os.close(theirs)
            _, err = process.communicate()
            self.assertEqual(process.returncode, 2)
            self.assertNotIn(b"cannot write to standard output", err)

    def test_a_closed_standard_output(self):
        process = self.start("check", "ok", stdout=subprocess.DEVNULL,
                             preexec_fn=lambda: os.close(1))
        process.communicate()
        self.assertEqual(process.returncode, 2)


main()
