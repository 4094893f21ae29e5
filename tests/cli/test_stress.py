#!/usr/bin/env python3
"""linchpin stress: right and wrong code with real threads."""
import json
import shutil
import unittest
from random import Random

from program import SOURCE, Case, main

HEAD = """
#include <linchpin/test.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
"""

# a queue of four places under a lock; LOCK and UNLOCK can be taken away
QUEUE = HEAD + """
#ifndef LOCK
#define LOCK pthread_mutex_lock(&queue->lock)
#define UNLOCK pthread_mutex_unlock(&queue->lock)
#endif
struct queue { pthread_mutex_t lock; atomic_int first, count; atomic_long items[64]; };
static void *setup(void)
{
    struct queue *queue = calloc(1, sizeof *queue);
    pthread_mutex_init(&queue->lock, NULL);
    return queue;
}
static lp_int enqueue(void *object, lp_int value)
{
    struct queue *queue = object;
    LOCK;
    int place = atomic_load(&queue->count);
    atomic_store(&queue->items[place], value);
    atomic_store(&queue->count, place + 1);
    UNLOCK;
    return LP_DONE;
}
static lp_int dequeue(void *object, lp_int unused)
{
    struct queue *queue = object;
    (void)unused;
    lp_int value = LP_EMPTY;
    LOCK;
    int first = atomic_load(&queue->first);
    if (first < atomic_load(&queue->count)) {
        value = atomic_load(&queue->items[first]);
        atomic_store(&queue->first, first + 1);
    }
    UNLOCK;
    return value;
}
LP_TEST(queue, .spec = "queue", .setup = setup, .teardown = free,
        .ops = {{"enqueue", enqueue, LP_FRESH}, {"dequeue", dequeue}});
"""

ROUNDS = ("--rounds", "60", "--seed", "1")
MANY = ("--rounds", "1000000000", "--timeout", "300ms")


class RandomObject:
    """Operations as lists of statements: what an operation answers is worked out in r."""

    def __init__(self, random):
        kinds = ["load", "load", "store", "add", "add", "no if"]
        self.operations = [[(random.choice(kinds), random.randrange(2), random.randrange(1, 4))
                            for _ in range(random.randrange(2, 5))] for _ in range(3)]

    FORMS = {"load": "r = 3 * r + v{p}[{i}];", "store": "v{p}[{i}] = {n};",
             "add": "v{p}[{i}] = v{p}[{i}] + {n}; r = 3 * r + v{p}[{i}];",
             "no if": "if (v{p}[{i}] == {n}) {{ r = LP_NO; goto end; }}"}

    def source(self, p):
        text = "static atomic_long v%d[2];\n" % p
        for number, statements in enumerate(self.operations):
            text += "static lp_int o%d_%d(void *o, lp_int r)\n{\n(void)o;\nr = 1;\nLOCK;\n" % (p, number)
            text += "".join(self.FORMS[kind].format(p=p, i=i, n=n) + "\n" for kind, i, n in statements)
            text += "goto end;\nend:\nUNLOCK;\nreturn r;\n}\n"
        calls = ", ".join('{"f%d", o%d_%d}' % (number, p, number) for number in range(3))
        return text + "LP_TEST(o%d, .spec = \"auto\", .ops = {%s});\n" % (p, calls)

    def run(self, state, operation):
        state, r = list(state), 1
        for kind, i, n in self.operations[operation]:
            if kind == "no if":
                if state[i] == n:
                    return tuple(state), False
                continue
            state[i] = n if kind == "store" else state[i] + (n if kind == "add" else 0)
            r = r if kind == "store" else 3 * r + state[i]
        return tuple(state), r

    def has_order(self, events):
        """Of a history whose operations have all returned."""
        calls, running = [], {}
        for place, event in enumerate(events):
            if event["type"] == "invoke":
                running[event["process"]] = (place, int(event["f"][1:]))
            else:
                begin, operation = running.pop(event["process"])
                calls.append((begin, place, operation, event["value"]))
        seen = {(frozenset(), (0, 0))}
        open_ones = list(seen)
        while open_ones:
            done, state = open_ones.pop()
            if len(done) == len(calls):
                return True
            for number, (begin, _, operation, value) in enumerate(calls):
                if number in done or any(end < begin for other, (_, end, _, _) in enumerate(calls) if other not in done):
                    continue
                after, answer = self.run(state, operation)
                following = (done | {number}, after)
                if type(answer) is type(value) and answer == value and following not in seen:
                    seen.add(following)
                    open_ones.append(following)
        return False


class Stress(Case):
    def json(self, status, *arguments):
        return [json.loads(line) for line in
                self.expect(status, "stress", "--json", *arguments).out.splitlines()]

    def test_an_end_before_all_rounds_is_said(self):
        for spec in ("queue", "auto"):
            path = self.file("queue.c", QUEUE.replace('"queue", .setup', f'"{spec}", .setup'))
            ran = self.expect(0, "stress", *MANY, "--ops", "2", "--threads", "2", path)
            self.assertRegex(" ".join(ran.out.split()), r"; the time was up behind \d+ of 1000000000 rounds")

    def test_a_right_queue(self):
        self.file("queue.c", QUEUE)
        answer, = self.json(0, *ROUNDS, "queue.c")
        self.assertEqual((answer["test"], answer["spec"], answer["verdict"], answer["rounds"]),
                         ("queue", "queue", "linearizable", 60))
        self.assertEqual(answer["operations"], 60 * 3 * 8)
        self.assertIsNone(answer["finding"])

    def test_sizes_are_as_asked(self):
        self.file("queue.c", QUEUE)
        answer, = self.json(0, *ROUNDS, "--threads", "2", "--ops", "5", "--no-yield", "queue.c")
        self.assertEqual((answer["threads"], answer["operations"]), (2, 600))
        answer, = self.json(0, *ROUNDS, "--widen", "500", "queue.c")
        self.assertEqual(answer["verdict"], "linearizable")
        self.assertIn("at most 64", self.expect(2, "stress", "--threads", "65", "queue.c").err)

    def test_a_round_that_is_long_decided_is_no_hang(self):
        """Rounds that nobody reads yet: the program waits for that, its threads have all returned."""
        self.file("slow.c", self.REGISTER)
        answer, = self.json(0, "--rounds", "2", "--ops", "200", "slow.c", "--", "-DRIGHT", "-DDONE=LP_DONE",
                            "-DSTEP=poll(0,0,30)", "-includepoll.h")
        self.assertEqual(("linearizable", 2), (answer["verdict"], answer["rounds"]))

    def test_a_violation_with_widened_times_is_confirmed(self):
        self.file("queue.c", QUEUE)
        broken = ["--seed", "1", "queue.c", "--", "-DLOCK", "-DUNLOCK"]
        answer, = self.json(1, "--widen", "100", "--confirm", *broken)
        self.assertEqual(answer["verdict"], "violation")
        self.assertIn("; confirmed with fenced time stamps", answer["reason"])
        answer, = self.json(1, "--widen", "100", *broken)
        self.assertIn("; that 100 ns is widened enough is an assumption", answer["reason"])
        self.assertIn("--confirm: expected --widen", self.expect(2, "stress", "--confirm", *broken).err)

    def test_a_violation_that_is_not_confirmed_is_unknown(self):
        """An operation that answers wrongly only where operations are widened by 4321 ns."""
        self.file("lie.c", """
#define _GNU_SOURCE
#include <fcntl.h>
#include <linchpin/test.h>
#include <string.h>
#include <unistd.h>
static int lies;
static void *setup(void)
{
    char words[4096];
    int file = open("/proc/self/cmdline", O_RDONLY);
    ssize_t size = read(file, words, sizeof words);
    close(file);
    lies = size > 0 && memmem(words, (size_t)size, "4321", 4);
    return &lies;
}
static lp_int get(void *object, lp_int unused) { (void)object; (void)unused; return lies ? 7 : LP_EMPTY; }
LP_TEST(lie, .spec = "queue", .setup = setup, .ops = {{"dequeue", get}});
""")
        answer, = self.json(3, *ROUNDS, "--widen", "4321", "--confirm", "lie.c")
        self.assertEqual("unknown", answer["verdict"])
        self.assertIn("but not with fenced time stamps, in 60 rounds", answer["reason"])
        answer, = self.json(1, *ROUNDS, "--widen", "4321", "lie.c")
        self.assertEqual("violation", answer["verdict"])

    def test_a_queue_without_its_lock(self):
        self.file("queue.c", QUEUE)
        answer, = self.json(1, "--seed", "1", "--history", "h.jsonl", "queue.c", "--", "-DLOCK",
                            "-DUNLOCK")
        self.assertEqual((answer["verdict"], answer["finding"]), ("violation", "not linearizable"))
        self.assertTrue(answer["core"])
        self.assertIn("violation", self.expect(1, "check", "--spec", "queue", "h.jsonl").out)
        text = self.expect(1, "stress", "--seed", "1", "queue.c", "--", "-DLOCK", "-DUNLOCK").out
        self.assertIn("queue.c: queue: violation (queue, 3 threads,", text)
        self.assertRegex(text, r"the same operations again:\n +linchpin stress --seed 1 --threads 3 "
                               r"--test queue queue.c -- -DLOCK -DUNLOCK\n")

    def test_a_hang(self):
        self.file("hang.c", QUEUE.replace("UNLOCK;\n    return value", "return value"))
        answer, = self.json(1, "--seed", "1", "hang.c")
        self.assertEqual((answer["verdict"], answer["finding"]), ("violation", "hang"))

    def test_no_round_is_no_answer(self):
        self.file("hang.c", QUEUE.replace("    LOCK;", "    for (;;) ;"))
        answer, = self.json(3, "--timeout", "200ms", "hang.c")
        self.assertEqual((answer["verdict"], answer["rounds"]), ("unknown", 0))
        self.assertIn("no round", answer["reason"])

    def test_waiting_may_be_right(self):
        waits = QUEUE.replace("    UNLOCK;\n    return value", "    UNLOCK;\n    if (value == LP_EMPTY) "
                              "goto again;\n    return value").replace(
                                  "(void)unused;\n    lp_int value = LP_EMPTY;\n    LOCK",
                                  "(void)unused;\n    lp_int value = LP_EMPTY;\nagain:\n    LOCK")
        self.file("waits.c", waits.replace('{"dequeue", dequeue}', '{"dequeue", dequeue, 0, 0, 0, LP_MAY_WAIT}'))
        answer, = self.json(0, "--seed", "1", "--rounds", "10", "waits.c")
        self.assertEqual((answer["verdict"], answer["rounds"]), ("linearizable", 10))

    def test_a_crash(self):
        self.file("crash.c", QUEUE.replace("int place =", "if (value > 5) abort(); int place ="))
        answer, = self.json(1, *ROUNDS, "crash.c")
        self.assertEqual(answer["finding"], "crash")
        self.assertIn("the code was ended by signal 6 (Aborted) at crash.c:%d" % self.line_of("crash.c", "abort"), answer["reason"])

    def line_of(self, name, what):
        """The first line of a file that has it."""
        lines = (self.folder / name).read_text().splitlines()
        return next(i + 1 for i, line in enumerate(lines) if what in line)

    def test_the_place_of_a_crash(self):
        """Where the code itself is, or where it has called what crashes; the stack may be at its end."""
        deeper = ("#include <string.h>\nstatic volatile int found;\n"
                  "static int deeper(int n) { volatile char all[4096]; all[0] = (char)n; return deeper(n + 1) + all[0]; }\n")
        for wrong in ("*(volatile int *)8 = 1;", "found = (int)strlen((char *)8 + found);",
                      "atomic_store((atomic_int *)16, 1);", "found = deeper(7);"):
            text = QUEUE.replace("static lp_int dequeue", deeper + "static lp_int dequeue").replace(
                "(void)unused;", "(void)unused;\n    " + wrong)
            self.file("crash.c", text)
            answer, = self.json(1, *ROUNDS, "crash.c")
            line = self.line_of("crash.c", "static int deeper" if "deeper" in wrong else wrong)
            self.assertRegex(answer["reason"], r": the code was ended by signal 11 \(Segmentation fault\) at crash\.c:%d$" % line)

    def test_failing_for_no_reason(self):
        """An insertion that now and then answers no, though the value is new."""
        self.file("fails.c", HEAD + """
static atomic_int calls;
static lp_int add(void *object, lp_int value)
{
    (void)object;
    (void)value;
    return atomic_fetch_add(&calls, 1) % 7 ? LP_YES : LP_NO;
}
LP_TEST(fails, .spec = "set", .ops = {{"add", add, LP_FRESH, 0, FLAGS}});
""")
        answer, = self.json(1, *ROUNDS, "fails.c", "--", "-DFLAGS=0")
        self.assertEqual(answer["finding"], "not linearizable")
        # alone nothing else is under way
        answer, = self.json(1, "--threads", "1", *ROUNDS, "fails.c", "--", "-DFLAGS=LP_MAY_FAIL")
        self.assertEqual(answer["finding"], "not linearizable")

    def test_several_tests(self):
        self.file("queue.c", QUEUE + QUEUE[QUEUE.index("LP_TEST"):].replace("LP_TEST(queue",
                                                                           "LP_TEST(other"))
        self.assertEqual({a["test"] for a in self.json(0, *ROUNDS, "queue.c")}, {"queue", "other"})
        answer, = self.json(0, *ROUNDS, "--test", "other", "queue.c")
        self.assertEqual(answer["test"], "other")
        self.assertIn("there is no test third", self.expect(2, "stress", "--test", "third",
                                                            "queue.c").err)

    def test_a_main_of_the_sources_is_not_called(self):
        self.file("queue.c", QUEUE + "int main(void) { abort(); }\n")
        self.file("more.c", "int main(void) { return 1; }\n")
        answer, = self.json(0, *ROUNDS, "queue.c", "more.c")
        self.assertEqual(answer["verdict"], "linearizable")

    def test_clients_keep_to_the_order_of_the_specification(self):
        shutil.copy(SOURCE / "tests" / "code" / "locks.c", self.folder)
        for name in ("mutex", "permit"):
            answer, = self.json(0, *ROUNDS, "--ops", "7", "--test", name, "locks.c")
            # seven calls end behind an acquire: the release belongs to them
            self.assertEqual(("linearizable", 60 * 3 * 8), (answer["verdict"], answer["operations"]))
        answer, = self.json(1, "--seed", "1", "--test", "no_lock", "locks.c")
        self.assertEqual("not linearizable", answer["finding"])

    def test_tests_are_listed(self):
        self.file("queue.c", QUEUE)
        self.assertEqual("queue: queue\n", self.expect(0, "stress", "--list", "queue.c").out)

    def test_operations_of_two_arguments(self):
        self.file("map.c", HEAD + """
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static lp_int values[4];
static void *setup(void) { values[1] = values[2] = values[3] = 0; return 0; }
static lp_int put(void *o, lp_int key, lp_int value)
{
    (void)o;
    pthread_mutex_lock(&lock);
    values[KEY] = value;
    pthread_mutex_unlock(&lock);
    return LP_DONE;
}
static lp_int get(void *o, lp_int key)
{
    (void)o;
    pthread_mutex_lock(&lock);
    lp_int value = values[key];
    pthread_mutex_unlock(&lock);
    return value ? value : LP_EMPTY;
}
LP_TEST(map, .spec = "map", .setup = setup, .ops = {{"get", get, 1, 3}, LP_OP2("put", put, 1, 3, RANGE)});
""")
        for values in ("-DRANGE=LP_FRESH", "-DRANGE=1,2"):
            answer, = self.json(0, *ROUNDS, "map.c", "--", "-DKEY=key", values)
            self.assertEqual(("linearizable", 60 * 3 * 8), (answer["verdict"], answer["operations"]))
            answer, = self.json(1, *ROUNDS, "map.c", "--", "-DKEY=key>2?1:key", values)
            self.assertEqual("not linearizable", answer["finding"])
        self.assertIn("recorded in 32 bits", self.expect(2, "stress", "map.c", "--", "-DKEY=key",
                                                         "-DRANGE=1,99999999999").err)

    def test_operations_of_three_arguments(self):
        self.file("map.c", HEAD + """
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_long values[4];
static lp_int get(void *o, lp_int key)
{
    (void)o;
    lp_int value = values[key];
    return value ? value : LP_EMPTY;
}
static lp_int cas(void *o, lp_int key, lp_int old, lp_int new)
{
    (void)o;
    LOCK;
    int same = values[key] == old;
    if (same)
        values[key] = new;
    UNLOCK;
    return same ? LP_YES : LP_NO;
}
static lp_int put(void *o, lp_int key, lp_int value)
{
    (void)o;
    pthread_mutex_lock(&lock);
    values[key] = value;
    pthread_mutex_unlock(&lock);
    return LP_DONE;
}
LP_TEST(map, .spec = "map", .ops = {{"get", get, 1, 2}, LP_OP2("put", put, 1, 2, 1, MOST),
                                    LP_OP3("cas", cas, 1, 2, 1, 2, 1, MOST)});
""")
        right = ["-DLOCK=pthread_mutex_lock(&lock)", "-DUNLOCK=pthread_mutex_unlock(&lock)"]
        for most in ("2", "1048575"):
            answer, = self.json(0, *ROUNDS, "map.c", "--", *right, "-DMOST=" + most)
            self.assertEqual(("linearizable", 60 * 3 * 8), (answer["verdict"], answer["operations"]))
        answer, = self.json(1, "--seed", "1", "map.c", "--", "-DLOCK", "-DUNLOCK", "-DMOST=2")
        self.assertEqual("not linearizable", answer["finding"])
        self.assertIn("operation cas: of three arguments each is recorded in 21 bits, found 1048576",
                      self.expect(2, "stress", "map.c", "--", *right, "-DMOST=1048576").err)
        self.assertIn("too few for new values in rounds of so many calls",
                      self.expect(2, "stress", "--ops", "400000", "map.c", "--", *right,
                                  "-DMOST=-1").err)

    # ---- specifications in C ----

    REGISTER = HEAD + """
static atomic_long word;
static lp_int read(void *o, lp_int unused) { (void)o; (void)unused; return word; }
static lp_int write(void *o, lp_int value) { (void)o; word = value; return DONE; }
static lp_int cas(void *o, lp_int old, lp_int new)
{
    (void)o;
#ifdef RIGHT
    long expected = old;
    return atomic_compare_exchange_strong(&word, &expected, new) ? LP_YES : LP_NO;
#else
    if (word != old)
        return LP_NO;
    word = new;
    return LP_YES;
#endif
}
#ifndef STEP
#define STEP
#endif
static int step(void *state, const lp_sequential_call *call, lp_int *result)
{
    long *now = state;
    if (call->operation == 0)
        *result = *now;
    if (call->operation == 1) {
        STEP;
        *now = call->argument;
    }
    if (call->operation == 2) {
        *result = *now == call->argument ? LP_YES : LP_NO;
        if (*result == LP_YES)
            *now = call->second;
    }
    return 1;
}
static void init(void *state) { *(long *)state = 0; }
static const lp_sequential in_c = {sizeof(long), init, step};
LP_TEST(in_c, .sequential = &in_c,
        .ops = {{"read", read}, {"write", write, 1, 3}, LP_OP2("cas", cas, 0, 3, 1, 3)});
"""

    def test_functions_in_c_specify(self):
        self.file("register.c", self.REGISTER)
        answer, = self.json(0, *ROUNDS, "register.c", "--", "-DRIGHT", "-DDONE=LP_DONE")
        self.assertEqual(("functions in C", "linearizable", 60, 60 * 3 * 8),
                         (answer["spec"], answer["verdict"], answer["rounds"], answer["operations"]))
        answer, = self.json(1, "--seed", "1", "--history", "h.jsonl", "register.c", "--",
                            "-DDONE=LP_DONE")
        self.assertEqual("not linearizable", answer["finding"])
        self.assertTrue(answer["core"])
        history = (self.folder / "h.jsonl").read_text()
        self.file("h.jsonl", history.replace('"done"', "null"))
        self.assertIn("violation", self.expect(1, "check", "--spec", "cas-register(initial = 0)",
                                               "h.jsonl").out)

    def test_done_is_not_empty(self):
        self.file("register.c", self.REGISTER)
        answer, = self.json(1, *ROUNDS, "register.c", "--", "-DRIGHT", "-DDONE=LP_EMPTY")
        self.assertIn("write", answer["reason"])

    def test_functions_in_c_that_fail_are_told(self):
        self.file("register.c", self.REGISTER)
        flags = ["--", "-DRIGHT", "-DDONE=LP_DONE"]
        self.assertIn("the functions of in_c: the step of write crashes: Aborted",
                      self.expect(2, "stress", *ROUNDS, "register.c", *flags, "-DSTEP=abort()").err)
        self.file("large.c", self.REGISTER.replace("sizeof(long), init", "4097, init"))
        self.assertIn("at most 4096 bytes", self.expect(2, "stress", "large.c", *flags).err)

    def test_calls_that_no_client_makes_are_no_finding(self):
        self.file("register.c", self.REGISTER)
        answer, = self.json(3, *ROUNDS, "register.c", "--", "-DRIGHT", "-DDONE=LP_DONE",
                            "-DSTEP=return 0")
        self.assertEqual((0, 60), (answer["rounds"], answer["left_out"]))
        self.assertIn("no order of their calls is legal", answer["reason"])

    def test_a_file_may_say_where_an_operation_cannot_happen(self):
        """As with functions in C: only calls that are legal in no order of the threads are left out."""
        self.file("once.lin", """spec once { int n = 0; op up() { assume (n < 1); n = n + 1; return ok; } }
spec lock {
    client acquire, work, release;
    bool held = false;
    op acquire() { assume (!held); held = true; return ok; }
    op work() { assume (held); return ok; }
    op release() { assume (held); held = false; return ok; }
}
""")
        self.file("o.c", """#include <linchpin/test.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *setup(void) { return &m; }
static lp_int nothing(void *o, lp_int v) { return LP_DONE; }
static lp_int work(void *o, lp_int v) { usleep(100); return LP_DONE; }
static lp_int lock(void *o, lp_int v) { pthread_mutex_lock(o); return LP_DONE; }
static lp_int unlock(void *o, lp_int v) { pthread_mutex_unlock(o); return LP_DONE; }
LP_TEST(once, .spec = "once.lin:once", .setup = setup, .ops = {{"up", nothing}});
LP_TEST(right, .spec = "once.lin:lock", .setup = setup, .ops = {{"acquire", lock}, {"work", work}, {"release", unlock}});
LP_TEST(wrong, .spec = "once.lin:lock", .setup = setup, .ops = {{"acquire", nothing}, {"work", work}, {"release", nothing}});
""")
        once, = self.json(3, *ROUNDS, "--test", "once", "o.c")
        self.assertEqual(("unknown", 0, 60), (once["verdict"], once["rounds"], once["left_out"]))
        right, = self.json(0, *ROUNDS, "--test", "right", "o.c")
        self.assertEqual((60, 0), (right["rounds"], right.get("left_out", 0)))
        wrong, = self.json(1, "--rounds", "10000", "--test", "wrong", "o.c")
        self.assertEqual("not linearizable", wrong["finding"])

    def test_operations_that_take_effect_together(self):
        """Of an exchange that waits for another one it is told that nobody knows whether it may."""
        self.file("pair.lin", "spec pair {\n    op exchange(value v) { await (false); }\n"
                              "    together exchange(value v), exchange(value w) { return w, v; }\n}\n")
        self.file("pair.c", """#include <linchpin/test.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static lp_int first, second; static int state;
static void *setup(void) { state = 0; return &m; }
static lp_int exchange(void *o, lp_int v) { (void)o; lp_int other; pthread_mutex_lock(&m);
  while (state == 2) pthread_cond_wait(&c, &m);
  if (state == 0) { first = v; state = 1; while (state != 2) pthread_cond_wait(&c, &m); other = second; state = 0; }
  else { other = first; second = WRONG; state = 2; }
  pthread_cond_broadcast(&c); pthread_mutex_unlock(&m); return other; }
LP_TEST(pair, .spec = "pair.lin:pair", .setup = setup, .ops = {{"exchange", exchange, LP_FRESH}});
""")
        answer, = self.json(0, "--rounds", "20", "--ops", "3", "pair.c", "--", "-DWRONG=v")
        self.assertEqual(("linearizable", 20), (answer["verdict"], answer["rounds"]))
        self.assertRegex(answer["reason"], "is linearizable; in [0-9]+ of them operations wait for ever, and whether they "
                                           "may is not looked at")
        answer, = self.json(1, "--rounds", "20", "--ops", "3", "pair.c", "--", "-DWRONG=v + 1")
        self.assertEqual("not linearizable", answer["finding"])

    def test_an_object_in_variables_is_new_in_each_round(self):
        ids = SOURCE / "examples" / "code" / "ids.c"
        answer, = self.json(0, *ROUNDS, "--test", "ids", ids)
        self.assertEqual(60, answer["rounds"])
        answer, = self.json(1, "--seed", "1", "--test", "ids_in_two_steps", ids)
        self.assertEqual("not linearizable", answer["finding"])

    def test_crashes_and_hangs_without_setup(self):
        self.file("register.c", self.REGISTER)
        for what, finding in (("abort()", "crash"), ("exit(3)", "crash"), ("for (;;) ;", "hang")):
            answer, = self.json(1, *ROUNDS, "register.c", "--", "-DRIGHT",
                                "-DDONE=({ if (value == 3) { %s; } LP_DONE; })" % what)
            self.assertEqual(finding, answer["finding"])

    # ---- the code itself as specification ----

    COUNTS = HEAD + """
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int total;
static _Thread_local int own;
static lp_int add(void *o, lp_int by)
{
    (void)o;
    LOCK;
    total = total + (int)by;
    int now = total;
    UNLOCK;
    return now;
}
static lp_int reset(void *o, lp_int unused) { (void)o; (void)unused; LOCK; total = 0; UNLOCK; return LP_DONE; }
static lp_int mine(void *o, lp_int unused) { (void)o; (void)unused; return ++own; }
LP_TEST(counts, .spec = "auto", .ops = {{"add", add, 1, 3}, {"reset", reset}, {"mine", mine}});
"""
    LOCKED = ("-DLOCK=pthread_mutex_lock(&lock)", "-DUNLOCK=pthread_mutex_unlock(&lock)")

    def test_the_code_itself_specifies(self):
        """Calls are replayed each in its thread: `mine` counts those of one thread."""
        self.file("counts.c", self.COUNTS)
        answer, = self.json(0, *ROUNDS, "counts.c", "--", *self.LOCKED)
        self.assertEqual(("auto", "linearizable", 60, 60 * 9),
                         (answer["spec"], answer["verdict"], answer["rounds"], answer["operations"]))
        wrong = ("--seed", "1", "--threads", "2", "--ops", "4", "counts.c", "--", "-DLOCK", "-DUNLOCK")
        answer, = self.json(1, *wrong)
        self.assertEqual("not linearizable", answer["finding"])
        text = self.expect(1, "stress", *wrong).out
        self.assertIn("legal is what the code answers with one operation after the other", text)
        self.assertRegex(text, "alone [a-z]+")
        # with widened times operations of one thread are of several processes
        answer, = self.json(0, *ROUNDS, "--threads", "2", "--ops", "2", "--widen", "100000", "counts.c", "--",
                            *self.LOCKED)
        self.assertEqual("linearizable", answer["verdict"])

    def test_auto_has_rounds_of_few_calls(self):
        self.file("counts.c", self.COUNTS)
        locked = ("counts.c", "--", *self.LOCKED)
        for threads, calls in ((1, 9), (2, 8), (5, 5)):
            answer, = self.json(0, "--rounds", "5", "--threads", str(threads), *locked)
            self.assertEqual(5 * calls, answer["operations"])
        answer, = self.json(0, "--rounds", "5", "--threads", "2", "--ops", "6", *locked)
        self.assertEqual(5 * 12, answer["operations"])
        for wide in (("--ops", "8"), ("--threads", "13")):
            answer, = self.json(3, "--rounds", "10", *wide, *locked)
            self.assertIn("rounds have 12 calls at most", answer["reason"])
        self.assertEqual("counts: auto\n", self.expect(0, "stress", "--list", *locked).out)

    # passes once the gate is open; who opens it may forget to wake those who wait
    GATE = HEAD + """
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int open;
static lp_int let(void *o, lp_int unused)
{
    (void)o;
    (void)unused;
    pthread_mutex_lock(&lock);
    open++;
    WAKE;
    pthread_mutex_unlock(&lock);
    return LP_DONE;
}
static lp_int pass(void *o, lp_int unused)
{
    (void)o;
    (void)unused;
    pthread_mutex_lock(&lock);
    while (open == 0)
        pthread_cond_wait(&changed, &lock);
    lp_int left = --open;
    pthread_mutex_unlock(&lock);
    return left;
}
LP_TEST(gate, .spec = "auto", .ops = {{"let", let}, {"pass", pass}});
"""

    def test_operations_may_wait_where_they_do_alone(self):
        self.file("gate.c", self.GATE)
        answer, = self.json(0, *ROUNDS, "gate.c", "--", "-DWAKE=pthread_cond_signal(&changed)")
        self.assertEqual(("linearizable", 60), (answer["verdict"], answer["rounds"]))
        answer, = self.json(1, "--seed", "1", "--history", "h.jsonl", "gate.c", "--", "-DWAKE=")
        self.assertEqual(("violation", "hang"), (answer["verdict"], answer["finding"]))
        self.assertIn("every thread waits for a lock, a signal or the like", answer["reason"])
        self.assertRegex(answer["reason"], "pass of process [0-9]+ does not return, but does so alone")
        self.assertIn('"f": "pass"', (self.folder / "h.jsonl").read_text())

    def test_operations_may_wait_where_the_specification_does(self):
        self.file("gate.lin", """
spec gate {
    int open = 0;
    op let() { open++; return ok; }
    op pass() { await (open > 0); open--; return open; }
}
""")
        gate = self.GATE.replace('"auto"', '"gate.lin:gate"')
        self.file("gate.c", gate)
        answer, = self.json(0, "--rounds", "20", "--seed", "1", "gate.c", "--", "-DWAKE=pthread_cond_signal(&changed)")
        self.assertEqual(("linearizable", 20), (answer["verdict"], answer["rounds"]))
        answer, = self.json(1, "--seed", "1", "gate.c", "--", "-DWAKE=")
        self.assertEqual(("violation", "hang"), (answer["verdict"], answer["finding"]))
        self.assertIn("has an answer in gate.lin:gate", answer["reason"])  # though another one may have passed

    def test_spinning_is_waiting(self):
        self.file("gate.c", HEAD + """
static atomic_int open;
static lp_int let(void *o, lp_int unused) { (void)o; (void)unused; open = 1; return LP_DONE; }
static lp_int pass(void *o, lp_int unused) { (void)o; (void)unused; while (!open) { } return LP_DONE; }
LP_TEST(gate, .spec = "auto", .ops = {{"let", let}, {"pass", pass}});
""")
        answer, = self.json(0, "--rounds", "3", "--seed", "2", "--threads", "2", "--ops", "2", "gate.c")
        self.assertEqual("linearizable", answer["verdict"])

    def test_what_is_wrong_alone_is_a_finding(self):
        self.file("counts.c", self.COUNTS.replace("int now = total;", "int now = total; if (now > 6) WRONG;"))
        for wrong, said in (("abort()", "was ended by signal 6"), ("exit(3)", "ended the process with status 3")):
            answer, = self.json(1, *ROUNDS, "--threads", "1", "counts.c", "--", *self.LOCKED, "-DWRONG=" + wrong)
            self.assertEqual("crash", answer["finding"])
            self.assertIn(said, answer["reason"])

    def test_code_that_is_not_the_same_alone_is_unknown(self):
        """By a clock; by a thread of its own, whose work may be done or not."""
        self.file("clock.c", HEAD + """
#include <time.h>
static lp_int now(void *o, lp_int unused)
{
    (void)o;
    (void)unused;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000 + time.tv_nsec;
}
LP_TEST(now, .spec = "auto", .ops = {{"now", now}});
""")
        answer, = self.json(3, *ROUNDS, "clock.c")
        self.assertEqual("unknown", answer["verdict"])
        self.assertIn("is not known", answer["reason"])
        self.file("thread.c", HEAD + """
#include <unistd.h>
static atomic_int done;
static void *work(void *unused) { usleep(1000); done++; pause(); return unused; }
static lp_int begin(void *o, lp_int unused)
{
    (void)o;
    (void)unused;
    pthread_t thread;
    return pthread_create(&thread, NULL, work, NULL) ? LP_NO : LP_YES;
}
static lp_int look(void *o, lp_int unused) { (void)o; (void)unused; return done; }
LP_TEST(worker, .spec = "auto", .ops = {{"begin", begin}, {"look", look}});
""")
        answer, = self.json(3, *ROUNDS, "thread.c")
        self.assertIn("threads go on behind it", answer["reason"])

    def test_auto_excuses_failures_beside_others(self):
        self.file("try.c", HEAD + """#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static lp_int items;
static lp_int put(void *o, lp_int unused)
{
    (void)o;
    (void)unused;
    pthread_mutex_lock(&lock);
    items++;
    pthread_mutex_unlock(&lock);
    return LP_DONE;
}
static lp_int take(void *o, lp_int unused)
{
    (void)o;
    (void)unused;
    if (pthread_mutex_trylock(&lock) != 0)
        return LP_NO;
    usleep(20);
    lp_int left = items ? --items : LP_NO;
    pthread_mutex_unlock(&lock);
    return left;
}
LP_TEST(box, .spec = "auto", .ops = {{"put", put}, {"take", take, 0, 0, 0, FLAGS}});
""")
        answer, = self.json(0, *ROUNDS, "try.c", "--", "-DFLAGS=LP_MAY_FAIL")
        self.assertEqual("linearizable", answer["verdict"])
        answer, = self.json(1, "--seed", "1", "try.c", "--", "-DFLAGS=0")
        self.assertEqual("not linearizable", answer["finding"])

    def test_random_objects_are_legal_by_what_they_do_alone(self):
        """Operations of random statements on two variables, under a lock or not. Under one every
        round is linearizable; what is said to be none without has no legal order by an interpreter
        of the statements, on the history of the round."""
        random = Random(20261123)
        objects = [RandomObject(random) for _ in range(6)]
        self.file("random.c", HEAD + "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n" +
                  "".join(made.source(number) for number, made in enumerate(objects)))
        for answer in self.json(0, "--rounds", "25", "random.c", "--", *self.LOCKED):
            self.assertEqual(("linearizable", 25), (answer["verdict"], answer["rounds"]))
        violated = 0
        for number, made in enumerate(objects):
            found = self.run_program("stress", "--json", "--rounds", "60", "--threads", "2", "--ops", "4", "--seed", str(number + 1), "--test",
                                      "o%d" % number, "--history", "h%d" % number, "random.c", "--", "-DLOCK", "-DUNLOCK")
            answer = json.loads(found.out)
            if answer["verdict"] == "violation":
                violated += 1
                lines = (self.folder / ("h%d" % number)).read_text().splitlines()
                self.assertFalse(made.has_order([json.loads(line) for line in lines]), lines)
            else:
                self.assertEqual("linearizable", answer["verdict"])
        self.assertGreater(violated, 0)

    @unittest.skipUnless(shutil.which("g++"), "there is no g++")
    def test_auto_of_a_class(self):
        self.file("seats.cc", """
#include <linchpin/test.h>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
class Seats {
    std::mutex lock;
    std::map<int, int> taken; // by whom
public:
    bool take(int seat)
    {
        {
            GUARD;
            if (taken.count(seat)) return false;
        }
        std::this_thread::yield();
        GUARD;
        try {
            if (!taken.emplace(seat, 1).second) throw std::runtime_error("taken");
        } catch (const std::runtime_error &) {
            return ANSWER;
        }
        return true;
    }
    int left() { std::lock_guard<std::mutex> guard(lock); return 3 - (int)taken.size(); }
};
LP_CLASS(Seats, "auto", LP_METHOD(Seats, "take", take, 1, 3), LP_METHOD(Seats, "left", left));
""")
        guard = "-DGUARD=std::lock_guard<std::mutex> guard(lock)"
        answer, = self.json(0, *ROUNDS, "seats.cc", "--", guard, "-DANSWER=false")
        self.assertEqual(("Seats", "auto", "linearizable"), (answer["test"], answer["spec"], answer["verdict"]))
        answer, = self.json(1, "--seed", "1", "--ops", "2", "seats.cc", "--", guard, "-DANSWER=true")
        self.assertEqual("not linearizable", answer["finding"])

    def test_what_is_told_can_be_followed(self):
        """There is no trace; lines are those of the history; the command can be given to a shell."""
        self.file("queue.c", QUEUE)
        wrong = ["queue.c", "--", "-DLOCK", "-DUNLOCK", "-DUNUSED(x)=(x)"]
        text = self.expect(1, "stress", "--seed", "1", *wrong).out
        self.assertNotIn("replay", text)
        self.assertIn("which --history FILE keeps", text)
        self.assertIn(" -DUNLOCK '-DUNUSED(x)=(x)'\n", text)
        text = self.expect(1, "stress", "--seed", "1", "--history", "h.jsonl", *wrong).out
        self.assertIn("Lines are those of the round's history, in h.jsonl.", text)

    def test_a_test_without_a_specification(self):
        self.file("queue.c", QUEUE.replace('.spec = "queue", ', ""))
        answer, = self.json(3, *ROUNDS, "queue.c")
        self.assertEqual((answer["verdict"], answer["spec"]), ("unknown", None))

    @unittest.skipUnless(shutil.which("g++"), "there is no g++")
    def test_a_class(self):
        self.file("ring.cc", """
#include <linchpin/test.h>
#include <mutex>
#include <deque>
struct Ring {
    std::mutex lock;
    std::deque<int> items;
    void push(int value) { std::lock_guard<std::mutex> guard(lock); items.push_back(value); }
    std::optional<int> pop()
    {
        std::lock_guard<std::mutex> guard(lock);
        if (items.empty()) return {};
        int value = items.front();
        items.pop_front();
        return value;
    }
};
LP_CLASS(Ring, "queue", LP_METHOD(Ring, "enqueue", push, LP_FRESH), LP_METHOD(Ring, "dequeue", pop));
""")
        answer, = self.json(0, *ROUNDS, "ring.cc")
        self.assertEqual((answer["test"], answer["verdict"]), ("Ring", "linearizable"))

    def test_what_is_wrong_is_said(self):
        self.file("queue.c", QUEUE)
        self.file("broken.c", QUEUE + "int x = ;\n")
        self.file("empty.c", "int nothing;\n")
        self.assertIn("broken.c:", self.expect(2, "stress", "broken.c").err)
        self.assertIn("no source has a test", self.expect(2, "stress", "empty.c").err)
        self.file("other.c", QUEUE.replace('.spec = "queue"', '.spec = "stack"'))
        self.assertIn("other.c: error: queue: its operations do not fit its specification stack: ",
                      self.expect(2, "stress", "other.c").err)
        self.assertIn("missing.c: error: cannot be read", self.expect(2, "stress", "missing.c").err)
        self.assertIn("queue.txt", self.expect(2, "stress", "queue.txt").err)
        self.assertIn("-flto", self.expect(2, "stress", "queue.c", "--", "-flto").err)
        self.file("spec.c", QUEUE.replace('"queue",', '"quue",', 1))
        self.assertIn("quue", self.expect(2, "stress", "spec.c").err)


main()
