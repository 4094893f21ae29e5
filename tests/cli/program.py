"""What the tests of the program share: running it, and making histories.

Each test script is called as `test_x.py PROGRAM SOURCE_DIR`."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(sys.argv[2]).resolve()
SHARED = SOURCE / ".." / "shared"

ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name not in ("COLUMNS", "NO_COLOR", "LANG", "LC_CTYPE")}
ENVIRONMENT.update(LC_ALL="C.UTF-8", TERM="xterm")
# what a sanitizer finds must not look like a violation
ENVIRONMENT["ASAN_OPTIONS"] = "exitcode=99:" + ENVIRONMENT.get("ASAN_OPTIONS", "")


def events(text):
    """EDN from lines like `0 invoke enqueue 3`: process, type, function, value (perhaps none)."""
    lines = []
    for line in text.strip().splitlines():
        process, kind, function, *value = line.split(None, 3)
        lines.append("{:process %s, :type :%s, :f :%s, :value %s}\n"
                     % (process, kind, function, value[0] if value else "nil"))
    return "".join(lines)


# value 7 leaves the queue before value 3, which came first; the last dequeue never returns
QUEUE_BAD = events("""
    0 invoke enqueue 3
    0 ok enqueue 3
    :nemesis info kill "n1"
    1 invoke enqueue 7
    2 invoke dequeue
    1 ok enqueue 7
    2 ok dequeue 7
    3 invoke dequeue
    3 ok dequeue 3
    0 invoke dequeue
""")
QUEUE_OK = events("""
    0 invoke enqueue 3
    1 invoke enqueue 7
    0 ok enqueue 3
    1 ok enqueue 7
    2 invoke dequeue
    2 ok dequeue 7
""")
REGISTER_BAD = events("""
    0 invoke write 1
    0 ok write 1
    1 invoke read
    1 ok read 2
""")
# A counter in C that loses increments.
LOST = """
#include <stdatomic.h>
#include <linchpin/test.h>
static atomic_int count;
static lp_int inc(void *o, lp_int v) { (void)o; (void)v;
  int n = count; count = n + 1; return LP_DONE; }
static lp_int get(void *o, lp_int v) { (void)o; (void)v; return count; }
LP_TEST(counter, .spec = "counter", .ops = {{"inc", inc}, {"read", get}});
"""
BROKEN = events("0 invoke enqueue 3") + "{:process 0, :type :ok, :f :dequeue, :value 3}\n"


def hard(width=13):
    """A history that the definition cannot decide in a lifetime: every order of `width` concurrent
    enqueues and dequeues has to be tried before the last dequeue is seen to be wrong."""
    lines = ["%d invoke enqueue %d" % (i, i) for i in range(width)]
    lines += ["%d invoke dequeue" % (width + i) for i in range(width)]
    lines += ["%d ok enqueue %d" % (i, i) for i in range(width)]
    lines += ["%d ok dequeue %d" % (width + i, i) for i in range(width)]
    lines += ["99 invoke dequeue", "99 ok dequeue 99"]
    return events("\n".join(lines))


def answers(page):
    """The data of the answers in a report in HTML."""
    blocks = re.findall(r'<script type="application/json" class="answer">(.*?)</script>', page, re.S)
    return [json.loads(block) for block in blocks]


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def objects(self):
        return [json.loads(line) for line in self.out.splitlines()]

    def complaints(self):
        """Of --json: the errors, as they are said without."""
        return "".join("%s:%d: error: %s\n" % (error["file"], error["line"], error["error"])
                       for error in map(json.loads, self.err.splitlines()))


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="linchpin-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def file(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def start(self, *arguments, **more):
        environment = dict(ENVIRONMENT, **more.pop("environment", {}))
        options = dict(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       cwd=self.folder, env=environment)
        options.update(more)
        return subprocess.Popen([PROGRAM, *arguments], **options)

    def run_program(self, *arguments, given=None, **more):
        if given is not None:
            more["stdin"] = subprocess.PIPE
        process = self.start(*arguments, **more)
        out, err = process.communicate(given)
        return Result(process.returncode, (out or b"").decode(), (err or b"").decode())

    def expect(self, status, *arguments, **more):
        """Runs the program and requires the exit status."""
        result = self.run_program(*arguments, **more)
        self.assertEqual(result.status, status, result.out + result.err)
        return result


def wait_until(condition):
    """Until something that is sure to happen has happened."""
    while not condition():
        time.sleep(0.005)


def blocks_interrupts(process):
    """Whether the program has come so far as to handle SIGINT itself."""
    status = pathlib.Path("/proc/%d/status" % process.pid).read_text()
    blocked = [line.split()[1] for line in status.splitlines() if line.startswith("SigBlk")]
    return bool(blocked) and int(blocked[0], 16) >> (signal.SIGINT - 1) & 1 == 1


def main():
    unittest.main(argv=[sys.argv[0]])
