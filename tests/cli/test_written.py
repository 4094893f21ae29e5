#!/usr/bin/env python3
"""Files that are written: whole or not at all, with their rights, behind links; whatever happens.

LINCHPIN_KILLS=N ends N runs at random moments, drawn with LINCHPIN_SEED."""
import json
import os
import random
import re
import resource
import signal
import stat
import subprocess
import threading
import time

from program import REGISTER_BAD, SOURCE, Case, blocks_interrupts, events, hard, main, wait_until

SEED = int(os.environ.get("LINCHPIN_SEED") or random.SystemRandom().randrange(1 << 32))
KILLS = int(os.environ.get("LINCHPIN_KILLS", "24"))
MODELS = SOURCE / "examples/models"
HISTORIES = SOURCE / "examples/histories"
AWRY = "// laid out awry, and longer than what there is room for below\n" * 4 + "spec cell {\n  value v;\n op write(value x) { v = x; return ok; }\nop read() { return v; }\n}\n"
OLD = "what stood here before\n"


def is_json(text):
    json.loads(text)
    return True


# how to write a file, and what tells that it is whole
WRITERS = [
    (("check", "--spec", "register", "--html", "out", "bad"), lambda text: text.endswith("</html>\n")),
    (("check", "--spec", "register", "--junit", "out", "bad"), lambda text: text.endswith("</testsuites>\n")),
    (("check", "--spec", "register", "--sarif", "out", "bad"), is_json),
    (("check", "--spec", "register", "--trace", "out", "bad"), is_json),
    (("check", "--follow", "--metrics", "out", "--spec", "register", "bad"),
     lambda text: "\nlinchpin_unknown " in text and text.endswith("\n")),
    (("convert", "--to", "edn", "-o", "out", HISTORIES / "queue-correct.jsonl"), None),
    (("graph", "--to", "dot", "-o", "out", MODELS / "register.csp"), lambda text: text.endswith("}\n")),
    (("graph", "--to", "json", "-o", "out", MODELS / "register.csp"), is_json),
    (("verify", "--html", "out", MODELS / "hasty_register.csp"), lambda text: text.endswith("</html>\n")),
    (("verify", "--trace", "out", MODELS / "hasty_register.csp"), is_json),
    (("verify", "--proof", "out", MODELS / "hasty_register.csp"),
     lambda text: "claims" in json.loads(text.splitlines()[-1])),
    (("rules", "--write", "-o", "out", "--spec", "queue"), None),
    (("fmt", "out"), None),
]


class Written(Case):
    def setUp(self):
        super().setUp()
        self.file("bad", REGISTER_BAD)

    def convert(self, status, out, **more):
        return self.expect(status, "convert", "--to", "edn", "-o", out, "bad", **more)

    def names(self, folder="."):
        return sorted(os.listdir(self.folder / folder))

    def text(self, name):
        return (self.folder / name).read_text()

    def test_the_target_of_a_link_is_replaced(self):
        (self.folder / "far").mkdir()
        self.file("far/target", OLD)
        (self.folder / "link").symlink_to("far/target")
        (self.folder / "again").symlink_to("link")
        self.convert(0, "again")
        self.assertTrue((self.folder / "link").is_symlink() and (self.folder / "again").is_symlink())
        self.assertIn(":invoke", self.text("far/target"))
        self.assertEqual(["target"], self.names("far"))

    def test_a_link_that_leads_to_nothing_gets_its_target(self):
        (self.folder / "far").mkdir()
        (self.folder / "far/link").symlink_to("target")
        (self.folder / "link").symlink_to("far/link")
        self.convert(0, "link")
        self.assertEqual(["link", "target"], self.names("far"))
        self.assertTrue((self.folder / "link").is_symlink() and (self.folder / "far/link").is_symlink())
        (self.folder / "round").symlink_to("round")
        self.assertIn("cannot write 'round': ", self.convert(2, "round").err)
        (self.folder / "nowhere").symlink_to("no/folder")
        self.assertIn("cannot create 'nowhere': ", self.convert(2, "nowhere").err)

    def test_rights_stay(self):
        self.file("out", OLD)
        for mode in 0o600, 0o640, 0o755:
            os.chmod(self.folder / "out", mode)
            self.convert(0, "out")
            self.assertEqual(mode, stat.S_IMODE(os.stat(self.folder / "out").st_mode))
        self.convert(0, "new", preexec_fn=lambda: os.umask(0o027))
        self.assertEqual(0o640, stat.S_IMODE(os.stat(self.folder / "new").st_mode))

    def test_an_owner_stays(self):
        if os.geteuid() != 0:
            self.skipTest("only root gives files away")
        self.file("out", OLD)
        os.chown(self.folder / "out", 12345, 54321)
        self.convert(0, "out")
        found = os.stat(self.folder / "out")
        self.assertEqual((12345, 54321), (found.st_uid, found.st_gid))

    def test_what_must_not_be_written_is_not_replaced(self):
        self.file("out", OLD)
        os.chmod(self.folder / "out", 0o444)
        more = {}
        if os.geteuid() == 0:
            os.chmod(self.folder, 0o777)
            more["user"] = 12345
        self.assertIn("cannot write 'out': Permission denied", self.convert(2, "out", **more).err)
        self.assertEqual(OLD, self.text("out"))
        self.assertEqual(["bad", "out"], self.names())

    def test_devices_and_pipes_are_written_as_they_are(self):
        self.assertIn(":invoke", self.convert(0, "/dev/stdout").out)
        self.convert(0, "/dev/null")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        self.assertIn("No space left", self.convert(2, "/dev/full").err)
        os.mkfifo(self.folder / "pipe")
        process = self.start("convert", "--to", "edn", "-o", "pipe", "bad")
        self.assertIn(":invoke", self.text("pipe"))
        self.assertEqual((b"", b""), process.communicate())
        self.assertTrue(stat.S_ISFIFO(os.stat(self.folder / "pipe").st_mode))

    def test_a_full_disk(self):
        """Whatever is written when no more fits, the old file stands, and nothing beside it."""
        for arguments, _ in WRITERS:
            for room in 0, 1, 100:
                self.file("out", AWRY if arguments[0] == "fmt" else OLD)
                before = self.text("out")
                limit = lambda room=room: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
                result = self.run_program(*arguments, preexec_fn=limit)
                self.assertEqual(2, result.status, (arguments, room, result.out, result.err))
                self.assertIn("'out'", result.err)
                self.assertEqual(before, self.text("out"), (arguments, room))
                self.assertEqual(["bad", "out"], self.names(), (arguments, room))

    def test_a_full_disk_for_what_grows_or_is_kept(self):
        """The answer is given, and then that the log, or the checkpoint, is not what it should be."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        net, model = SOURCE / "examples/nets/readers_writers.spec", MODELS / "hasty_register.csp"
        for *arguments, answer in (("check", "--spec", "register", "bad", "violation"), ("cover", net, "safe"),
                                   ("verify", "-vv", model, "violated"),
                                   ("rules", "--spec", "queue", "--bound", "2", "--random", "10", "holds"),
                                   ("graph", MODELS / "register.csp", "digraph"),
                                   ("simulate", "-vv", "--steps", "20", MODELS / "register.csp", "")):
            result = self.expect(2, *arguments, "--log", "out", preexec_fn=limit)
            self.assertIn(answer, result.out)
            self.assertRegex(result.err, "linchpin %s: cannot write 'out': File too large" % arguments[0])
            self.assertEqual(100, len(self.text("out")))
        os.remove(self.folder / "out")
        self.file("good", events("0 invoke write 1\n0 ok write 1"))
        process = self.start("check", "--follow", "--spec", "register", "--checkpoint", "out", "good", preexec_fn=limit)
        said = process.stderr.readline()  # by now the handler of signals stands
        process.terminate()
        out, err = process.communicate()
        self.assertEqual(2, process.returncode)
        self.assertIn(b"--checkpoint: cannot write 'out': File too large; it is tried again", said)
        self.assertIn(b"good: linearizable", out)
        self.assertIn(b"good: error: cannot write 'out': File too large", err)
        self.assertEqual(["bad", "good"], self.names())

    def test_two_at_once(self):
        """Each writes the whole file, again and again; there is always a whole one."""
        self.convert(0, "out")
        whole, wrong, done = self.text("out"), [], threading.Event()

        def look():
            while not done.is_set():
                if self.text("out") != whole:
                    wrong.append(self.text("out"))

        reader = threading.Thread(target=look)
        reader.start()
        try:
            for _ in range(4):
                processes = [self.start("convert", "--to", "edn", "-o", "out", "bad") for _ in range(3)]
                for process in processes:
                    process.communicate()
                    self.assertEqual(0, process.returncode)
        finally:
            done.set()
            reader.join()
        self.assertEqual([], wrong)
        self.assertEqual(["bad", "out"], self.names())

    def prepare(self, folder, arguments):
        (folder / "out").write_text(AWRY if arguments[0] == "fmt" else OLD)
        (folder / "bad").write_text(REGISTER_BAD)

    def seen(self, folder, arguments, is_whole, usual):
        """What is wrong with what a run has left, or None."""
        before = AWRY if arguments[0] == "fmt" else OLD
        for path in folder.iterdir():
            text = path.read_text()
            if path.name == "bad" or (path.name == "out" and text == before):
                continue
            if path.name != "out" and not re.fullmatch(r"out\.[0-9a-f]{6}\.tmp", path.name):
                return "%s: %s is new" % (arguments, path.name)
            try:
                good = text == usual if is_whole is None else is_whole(text)
            except ValueError:
                good = False
            if not good:
                return "%s: %s is %r" % (arguments, path.name, text[-200:])
        return None

    def stop(self, process):
        process.wait()
        process.stdout.close()
        process.stderr.close()

    def test_killed_at_any_moment(self):
        """kill -9: what stands there is the old file, or the new one."""
        print("LINCHPIN_SEED=%d" % SEED)
        draw = random.Random(SEED)
        lasts, usual = {}, {}
        for number in range(KILLS):
            which = number % len(WRITERS)
            arguments, is_whole = WRITERS[which]
            folder = self.folder / ("k%d" % number)
            folder.mkdir()
            self.prepare(folder, arguments)
            follows = "--follow" in arguments
            if which not in lasts:
                began = time.monotonic()
                process = self.start(*arguments, cwd=folder)
                if follows:
                    wait_until(lambda out=folder / "out": out.read_text() != OLD)
                    process.kill()
                self.stop(process)
                lasts[which] = time.monotonic() - began
                usual[which] = (folder / "out").read_text()
                self.assertNotIn(usual[which], (OLD, AWRY), arguments)
                self.assertIsNone(self.seen(folder, arguments, is_whole, usual[which]))
                self.prepare(folder, arguments)
            process = self.start(*arguments, cwd=folder)
            time.sleep(draw.random() * lasts[which] * 1.1)
            process.kill()
            self.stop(process)
            self.assertIsNone(self.seen(folder, arguments, is_whole, usual[which]))

    def test_a_checkpoint_that_was_killed_is_no_damaged_one(self):
        draw = random.Random(SEED)
        arguments = ("verify", "--json", "--checkpoint", "kept", MODELS / "hasty_register.csp")
        began = time.monotonic()
        usual = self.run_program(*arguments)
        lasts = time.monotonic() - began
        for _ in range(max(2, KILLS // 12)):
            for path in (self.folder / "kept").iterdir():
                path.unlink()
            process = self.start(*arguments)
            time.sleep(draw.random() * lasts)
            process.kill()
            self.stop(process)
            again = self.run_program(*arguments)
            self.assertEqual((usual.status, ""), (again.status, again.err))
            self.assertEqual([answer["verdict"] for answer in usual.objects()],
                             [answer["verdict"] for answer in again.objects()])

    def test_two_interrupts_leave_nothing(self):
        self.file("hard", hard())
        process = self.start("check", "--method=definition", "--spec", "queue", "--html", "out", "hard",
                             stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        wait_until(lambda: blocks_interrupts(process))
        while process.poll() is None:
            process.send_signal(signal.SIGTERM)
            time.sleep(0.001)
        self.assertIn(process.returncode, (3, -signal.SIGTERM))
        self.assertLessEqual(set(self.names()), {"bad", "hard", "out"})


if __name__ == "__main__":
    main()
