#!/usr/bin/env python3
"""What linchpin test tells of a violation in real code: the smallest scenario, the execution, the
other memory models, a schedule that runs it again, a trace.

With LINCHPIN_SEED and LINCHPIN_PROGRAMS in the environment other random programs are taken."""
import json
import os
import random
import re
import shlex
import shutil
import xml.etree.ElementTree

from program import SOURCE, Case, main

STACKS = str(SOURCE / "examples" / "code" / "treiber.c")

LOST = """\
#include <stdatomic.h>
#include <linchpin/test.h>
static atomic_int count;
static lp_int inc(void *o, lp_int v) { (void)o; (void)v;
    int n = count;
    count = n + 1; return LP_DONE; }
static lp_int get(void *o, lp_int v) { (void)o; (void)v;
    return count; }
LP_TEST(counter, .spec = "counter", .ops = {{"inc", inc}, {"read", get}});
"""

# What inc does between its load and its store nobody else sees: the order is that of an interleaving.
LOST_TABLE = """\
  the execution, in lost.c:
    line  thread 1                         thread 2
          inc()
       5  load seq_cst count: 0 (initial)
                                           inc()
       5                                   load seq_cst count: 0 (initial)
       6                                   store seq_cst count = 1
                                           -> done
       6  store seq_cst count = 1
          -> done
          read()
       8  load seq_cst count: 1                                             from thread 1, line 6
          -> 1
"""

MESSAGE = """\
#include <assert.h>
#include <stdatomic.h>
#include <linchpin/test.h>
#define RELAXED memory_order_relaxed
static atomic_int data, flag;
static lp_int put(void *o, lp_int v) { (void)o; (void)v;
    atomic_store_explicit(&data, -7, RELAXED);
    atomic_store_explicit(&flag, 1, RELAXED);
    return LP_DONE; }
static lp_int get(void *o, lp_int v) { (void)o; (void)v;
    if (atomic_load_explicit(&flag, RELAXED))
        assert(atomic_load_explicit(&data, RELAXED) == -7);
    return LP_DONE; }
LP_TEST(message, .ops = {{"put", put}, {"get", get}});
"""

MESSAGE_TABLE = """\
  the execution, in message.c:
    line  thread 1                 thread 2
          put()
       7  store relaxed data = -7
       8  store relaxed flag = 1
          -> done
                                   get()
      11                           load relaxed flag: 1            from thread 1, line 8
      12                           load relaxed data: 0 (initial)  stale: 1 newer
      12                           assertion fails
"""

# A wait that nobody ends, behind a lock that was tried in vain.
CALLS = """\
#include <pthread.h>
#include <linchpin/test.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int full;
static lp_int put(void *o, lp_int v) { (void)o; (void)v;
    pthread_mutex_lock(&m);
    if (full) pthread_cond_signal(&c);
    full = 1;
    pthread_mutex_unlock(&m); return LP_DONE; }
static lp_int get(void *o, lp_int v) { (void)o; (void)v;
    if (pthread_mutex_trylock(&m)) return LP_EMPTY;
    while (!full)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m); return 1; }
LP_TEST(calls, .spec = "queue", .ops = {{"enqueue", put, 1, 1}, {"dequeue", get, 0, 0, 1, LP_MAY_WAIT}});
"""

CALLS_TABLE = """\
  the execution, in calls.c:
    line  thread 1                thread 2
          dequeue()
      12  try_lock m
      14  wait c
      14  unlock m
      14  sleep c: not signalled
                                  enqueue(1)
       7                          lock m      from thread 1, line 14
      10                          unlock m
                                  -> done
"""

# Threads that sleep on a word of a global, and of a block, and are not woken.
SLEEPERS = """\
#include <linchpin/test.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
struct gate { int other; atomic_int open; };
static atomic_int full;
static void *setup(void) { struct gate *gate = calloc(1, sizeof *gate); return gate; }
static void sleep_on(atomic_int *word) { while (!*word) syscall(SYS_futex, word, FUTEX_WAIT, 0, 0, 0, 0); }
static lp_int put(void *o, lp_int v) { full = 1; return LP_DONE; }
static lp_int get(void *o, lp_int v) { sleep_on(&full); return 1; }
static lp_int let(void *o, lp_int v) { ((struct gate *)o)->open = 1; return LP_DONE; }
static lp_int pass(void *o, lp_int v) { sleep_on(&((struct gate *)o)->open); return 1; }
LP_TEST(global, .setup = setup, .ops = {{"put", put}, {"get", get}});
LP_TEST(block, .setup = setup, .ops = {{"let", let}, {"pass", pass}});
"""

# A wait that ends for no reason, and is not begun again.
WOKEN = """\
#include <pthread.h>
#include <linchpin/test.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int full;
static lp_int enqueue(void *object, lp_int v) {
    pthread_mutex_lock(&m);
    full = (int)v;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return LP_DONE;
}
static lp_int dequeue(void *object, lp_int v) {
    pthread_mutex_lock(&m);
    if (!full)
        pthread_cond_wait(&c, &m);
    lp_int taken = full;
    full = 0;
    pthread_mutex_unlock(&m);
    return taken;
}
LP_TEST(woken, .spec = "queue", .ops = {{"enqueue", enqueue, LP_FRESH, 1}, {"dequeue", dequeue, 0, 0, 1, LP_MAY_WAIT}});
"""

WOKEN_TABLE = """\
          dequeue()
      14  lock m
      16  unlock m: waits for a signal
      16  lock m: wakes, perhaps for no reason  from thread 1, line 16
      19  unlock m
          -> 0
"""

# A function ends in an atomic access: that is not where it was called.
ENDS = """\
#include <stdatomic.h>
#include <linchpin/test.h>
static atomic_int count;
__attribute__((noinline)) static void set(int n) {
    atomic_store_explicit(&count, n, memory_order_release); }
__attribute__((noinline)) static int look(void) {
    return atomic_load_explicit(&count, memory_order_acquire); }
static lp_int inc(void *o, lp_int v) { (void)o; (void)v;
    int n = look();
    set(n + 1);
    return LP_DONE; }
static lp_int get(void *o, lp_int v) { (void)o; (void)v; return look(); }
LP_TEST(ends, .spec = "counter", .ops = {{"inc", inc}, {"read", get}});
"""

# Two calls race; one of them alone fails an assertion.
KINDS = """\
#include <assert.h>
#include <stdatomic.h>
#include <linchpin/test.h>
int plain;
static atomic_int asked;
static lp_int look(void *o, lp_int v) { (void)o; (void)v;
    plain = 1;
    assert(atomic_load(&asked));
    return LP_DONE; }
static lp_int ask(void *o, lp_int v) { (void)o; (void)v;
    atomic_store(&asked, 1);
    plain = 2;
    return LP_DONE; }
LP_TEST(kinds, .ops = {{"look", look}, {"ask", ask}});
"""

NAMES = """\
#include <stdatomic.h>
#include <stdlib.h>
#include <assert.h>
#include <linchpin/test.h>
struct node { long number; _Atomic(struct node *) next; };
static struct { long first; _Atomic(struct node *) top; } both;
static void *setup(void) { return malloc(sizeof(struct node)); }
static lp_int link_up(void *o, lp_int v) { struct node *object = o; (void)v;
    struct node *one = malloc(sizeof *one);
    struct node *two = malloc(sizeof *two);
    atomic_store(&one->next, object);
    atomic_store(&two->next, one);
    atomic_store(&both.top, two);
    assert(0);
    return LP_DONE; }
LP_TEST(names, .setup = setup, .ops = {{"link", link_up}});
"""


# what is awaited is never signalled
GATE = """\
#include <linchpin/test.h>
#include <condition_variable>
#include <mutex>
struct Gate {
    std::mutex lock;
    std::KIND changed;
    bool open = false;
    void let() {
        std::lock_guard<std::mutex> guard(lock); // 9
        open = true;
    } // 11
    void pass() {
        std::unique_lock<std::mutex> guard(lock); // 13
        changed.wait(guard, [this] { return open; }); // 14
    }
};
LP_CLASS(Gate, "auto", LP_METHOD(Gate, "let", let), LP_METHOD(Gate, "pass", pass));
"""


class Told(Case):
    def result(self, status, *words):
        return json.loads(self.expect(status, "test", "--json", *words).out)

    def again(self, found, path, *flags):
        words = [f"--test={found['test']}", "--scenario", found["scenario"], "--schedule",
                 found["schedule"], "--memory-model", found["memory_model"], path]
        return self.result(1, *words, *(["--", *flags] if flags else []))

    def test_the_execution_is_a_table_with_a_column_for_each_thread(self):
        path = self.file("lost.c", LOST)
        self.assertIn(LOST_TABLE, self.expect(1, "test", "--scenario", "inc; read | inc", path).out)
        path = self.file("message.c", MESSAGE)
        self.assertIn(MESSAGE_TABLE, self.expect(1, "test", "--scenario", "put | get", path).out)

    def test_the_smallest_scenario_is_told_and_the_one_that_was_given(self):
        found = self.result(1, "--scenario", "inc; inc; read | inc; read | read; inc", self.file("lost.c", LOST))
        self.assertEqual("inc; inc; read | inc; read | read; inc", found["found_in"])
        self.assertIn(found["scenario"], ("inc; read | inc", "inc | inc; read", "inc | read; inc"))

    def test_calls_of_several_threads_are_given_to_one_if_that_will_do(self):
        text = LOST.replace("count = n + 1;", "count = n + 2;")
        found = self.result(1, "--scenario", "inc | read", self.file("twice.c", text))
        self.assertEqual("inc; read", found["scenario"])
        self.assertEqual("inc | read", found["found_in"])

    def test_what_is_the_smallest_already_is_told_as_it_is(self):
        found = self.result(1, "--scenario", "inc; read | inc", self.file("lost.c", LOST))
        self.assertNotIn("found_in", found)

    def test_who_is_waited_for_has_gone_through_its_order(self):
        """A writer wakes one of two readers. That readers wait while a writer does for a reader who stays is no fault of it."""
        self.file("rw.lin", """spec rw {
            int readers = 0; bool writing = false;
            client read, unread; client write, unwrite;
            op read() { await (!writing); readers++; return ok; }
            op unread() { readers--; return ok; }
            op write() { await (!writing && readers == 0); writing = true; return ok; }
            op unwrite() { writing = false; return ok; }
            }
            """)
        path = str(self.file("rw.cc", """#include <condition_variable>
#include <mutex>
#include <linchpin/test.h>
struct Lock {
    std::mutex m; std::condition_variable r, w;
    int readers = 0, waiting = 0; bool writing = false;
    void read() { std::unique_lock<std::mutex> l(m); r.wait(l, [&] { return !writing && MAY_READ; }); readers++; }
    void unread() { std::lock_guard<std::mutex> l(m); if (--readers == 0) w.notify_one(); }
    void write() { std::unique_lock<std::mutex> l(m); waiting++; w.wait(l, [&] { return !writing && !readers; });
                   waiting--; writing = true; }
    void unwrite() { std::lock_guard<std::mutex> l(m); writing = false; if (waiting) w.notify_one(); else r.WAKE(); }
};
LP_CLASS(Lock, "rw.lin:rw", LP_METHOD(Lock, "read", read), LP_METHOD(Lock, "unread", unread),
         LP_METHOD(Lock, "write", write), LP_METHOD(Lock, "unwrite", unwrite));
"""))
        def pair(found):
            return found["finding"], found["scenario"]

        def result(status, *words, reads="!waiting", wake="notify_all"):
            return self.result(status, *words, path, "--", f"-DWAKE={wake}", "-DMAY_READ=" + reads)
        given = "read; unread | read; unread | write; unwrite"
        self.assertEqual("holds", result(0, "--scenario", given)["verdict"])
        found = result(1, "--scenario", given + " | write; unwrite", wake="notify_one")
        self.assertEqual(("waits for ever", given, given + " | write; unwrite"),
                         (found["finding"], found["scenario"], found["found_in"]))
        # in a set of scenarios, too, only who stays and is not waited for rightly has others wait: ...
        found = result(0, "--ops=3")
        self.assertGreater(found["waiting_behind"], 0)
        self.assertIn("whose calls are over within its order: that is not held against the object", found["reason"])
        self.assertEqual(0, result(0, "--ops=3", reads="true").get("waiting_behind", 0))
        # ... a reader who is not woken, though nobody writes, and one whom another reader keeps out, are faults
        self.assertEqual(("waits for ever", "write; unwrite | read | read"), pair(result(1, "--ops=4", wake="notify_one")))
        self.assertEqual(("waits for ever", "read | read"), pair(result(1, "--ops=3", reads="!readers")))
        # and what is given is looked at as it stands
        self.assertEqual(("waits for ever", "read | read | write"), pair(result(1, "--scenario=read | read | write")))

    def test_nobody_waits_behind_one_that_takes_something_else(self):
        """Two locks with one condition variable, of which one thread is woken: he waits for the other lock."""
        self.file("two.lin", """spec two {
            bool a = false, b = false;
            client lock_a, unlock_a; client lock_b, unlock_b;
            op lock_a() { await (!a); a = true; return ok; }
            op unlock_a() { a = false; return ok; }
            op lock_b() { await (!b); b = true; return ok; }
            op unlock_b() { b = false; return ok; }
            }
            """)
        path = str(self.file("two.cc", """#include <condition_variable>
#include <mutex>
#include <linchpin/test.h>
struct Two {
    std::mutex m; std::condition_variable c; bool a = false, b = false;
    void lock(bool& which) { std::unique_lock<std::mutex> l(m); c.wait(l, [&] { return !which; }); which = true; }
    void unlock(bool& which) { std::lock_guard<std::mutex> l(m); which = false; c.WAKE(); }
    void lock_a() { lock(a); }
    void unlock_a() { unlock(a); }
    void lock_b() { lock(b); }
    void unlock_b() { unlock(b); }
};
LP_CLASS(Two, "two.lin:two", LP_METHOD(Two, "lock_a", lock_a), LP_METHOD(Two, "unlock_a", unlock_a),
         LP_METHOD(Two, "lock_b", lock_b), LP_METHOD(Two, "unlock_b", unlock_b));
"""))
        found = self.result(1, "--threads=4", "--ops=5", path, "--", "-DWAKE=notify_one")
        self.assertEqual(("waits for ever", "lock_a; unlock_a | lock_a | lock_b | lock_b"),
                         (found["finding"], found["scenario"]))
        found = self.result(0, "--threads=4", "--ops=5", path, "--", "-DWAKE=notify_all")
        self.assertEqual(0, found.get("waiting_behind", 0))

    def test_why_no_order_explains_it(self):
        found = self.result(1, "--scenario", "inc; read | inc", self.file("lost.c", LOST))
        self.assertEqual({0, 2}, set(found["order"]))  # both inc, in some order
        self.assertEqual([1], found["stuck"])
        self.assertEqual("2", found["state"])
        self.assertIn("comes between the load of thread", found["unordered"][0])

    def test_a_stale_read_is_told_with_the_store_that_it_misses(self):
        found = self.result(1, "--scenario", "put | get", self.file("message.c", MESSAGE))
        self.assertEqual(["the store of thread 1 at message.c:7 and the load of thread 2 at message.c:12: if the "
                          "first happened before the second, 0 could not be read"], found["unordered"])

    def test_a_race_is_told_with_its_plain_accesses(self):
        found = self.result(1, "--test=treiber_relaxed", "--scenario", "push 1 | pop", STACKS)
        plain = [(step["thread"], step["access"], step["location"]) for step in found["trace"]
                 if step["access"].startswith("plain")]
        self.assertEqual([(1, "plain write", "block 1 of treiber.c:25->next"),
                          (2, "plain read", "block 1 of treiber.c:25->next")], plain)
        self.assertEqual("plain read", found["trace"][-1]["access"])

    def test_a_wait_that_ends_for_no_reason(self):
        path = self.file("woken.c", WOKEN)
        self.assertIn(WOKEN_TABLE, self.expect(1, "test", "--scenario", "dequeue", path).out)

    def test_calls_that_lock_and_wait_are_told_as_such(self):
        path = self.file("calls.c", CALLS)
        self.assertIn(CALLS_TABLE, self.expect(1, "test", "--scenario", "dequeue | enqueue 1", path).out)
        found = self.result(1, "--scenario", "dequeue | enqueue 1", path)
        self.assertEqual([("try_lock", "m"), ("wait", "c"), ("unlock", "m"), ("sleep", "c"), ("lock", "m"),
                          ("unlock", "m")],
                         [(step["access"], step["location"]) for step in found["trace"]])

    def test_words_that_threads_sleep_on_are_named(self):
        path = self.file("sleepers.c", SLEEPERS)
        for test, scenario, word in (("global", "get | put", "full"), ("block", "pass | let", "object->open")):
            found = self.result(1, "--test", test, "--scenario", scenario, path)
            self.assertEqual([("wait", word), ("sleep", word)],
                             [(step["access"], step["location"]) for step in found["trace"]
                              if step["access"] in ("wait", "sleep")])

    def test_what_the_library_of_cpp_does_is_told_where_it_is_called(self):
        for compiler in filter(shutil.which, ("g++", "clang++")):
            for kind in ("condition_variable", "condition_variable_any"):
                path = self.file("gate.cc", GATE.replace("KIND", kind))
                found = json.loads(self.expect(1, "test", "--json", "--scenario", "let | pass", path,
                                               environment={"CXX": compiler}).out)
                self.assertEqual("waits for ever", found["finding"])
                self.assertIn("for a signal at gate.cc:14", found["reason"])
                self.assertEqual([("object->lock", 13), ("object->changed", 14), ("object->lock", 14),
                                  ("object->changed", 14), ("object->lock", 9), ("object->lock", 11)],
                                 [(step["location"], step["line"]) for step in found["trace"]])
                self.assertEqual({"gate.cc"}, {os.path.basename(step["file"]) for step in found["trace"]})

    def test_lines_of_headers_are_not_told_as_those_of_the_source(self):
        """Without optimisation the library's functions are called."""
        path = self.file("gate.cc", GATE.replace("KIND", "condition_variable"))
        for compiler in filter(shutil.which, ("g++", "clang++")):
            found = json.loads(self.expect(1, "test", "--json", "--scenario", "let | pass", path, "--", "-O0",
                                           environment={"CXX": compiler}).out)
            for step in found["trace"]:
                self.assertTrue(not step["file"].endswith("/gate.cc") or step["line"] <= 16, step)

    def test_an_access_at_the_end_of_a_function_is_told_with_its_own_line(self):
        path = self.file("ends.c", ENDS)
        for compiler in ("gcc", "clang"):
            ran = self.expect(1, "test", "--json", "--scenario", "inc; read | inc", path, environment={"CC": compiler})
            found = json.loads(ran.out)
            self.assertEqual({5, 7}, {step["line"] for step in found["trace"]})

    def test_a_smaller_scenario_has_the_same_kind_of_finding(self):
        path = self.file("kinds.c", KINDS)
        found = self.result(1, "--scenario", "ask | look", path)
        self.assertEqual("data race", found["finding"])
        self.assertEqual("ask | look", found["scenario"])
        self.assertIn("another kind of finding", found["cut_off"])
        self.assertEqual("failed assertion", self.result(1, "--scenario", "look", path)["finding"])

    def test_what_is_freed_is_among_the_steps(self):
        found = self.result(1, "--test=treiber_freed_early", "--scenario", "pop | push 2; pop", STACKS)
        accesses = [(step["access"], step.get("location")) for step in found["trace"]]
        self.assertLess(accesses.index(("free", "block 1 of treiber.c:25")), len(accesses) - 1)
        self.assertEqual(("plain read", "block 1 of treiber.c:25->next"), accesses[-1])

    def test_memory_is_called_as_the_code_calls_it(self):
        for flags in ([], ["-O0"]):
            found = self.result(1, "--scenario", "link", self.file("names.c", NAMES), "--", *flags)
            stores = [(step["line"], step["location"], step["value"]) for step in found["trace"]
                      if step["access"].startswith("store")]
            self.assertEqual([(11, "block 1 of names.c:9->next", "object"),
                              (12, "block 1 of names.c:10->next", "block 1 of names.c:9"),
                              (13, "both.top", "block 1 of names.c:10")], stores)
            self.assertEqual((14, "assertion fails"), (found["trace"][-1]["line"], found["trace"][-1]["access"]))

    def test_other_memory_models_are_run(self):
        found = self.result(1, "--scenario", "put | get", self.file("message.c", MESSAGE))
        self.assertEqual(([], []), (found["also_in"], found["also_in_unknown"]))
        self.assertIn("not under sc, not under tso: every behaviour of this scenario was covered",
                      " ".join(self.expect(1, "test", "--scenario", "put | get", self.file("message.c", MESSAGE))
                               .out.split()))
        found = self.result(1, "--scenario", "inc; read | inc", "--memory-model=tso", self.file("lost.c", LOST))
        self.assertEqual(["sc", "rc11"], found["also_in"])

    def test_a_schedule_runs_the_execution_again(self):
        path = self.file("lost.c", LOST)
        found = self.result(1, "--scenario", "inc; read | inc", path)
        again = self.again(found, path)
        for field in ("finding", "trace", "operations", "client", "schedule", "reason"):
            self.assertEqual(found[field], again[field])
        self.assertEqual(1, again["executions"])
        said = self.expect(1, "test", "--scenario", "inc; read | inc", path).out.splitlines()[-1]
        ran = self.expect(1, *shlex.split(said)[1:])
        self.assertIn(LOST_TABLE, ran.out)

    def test_schedules_have_threads_that_are_created_locks_and_waits(self):
        path = str(SOURCE / "tests" / "code" / "threads.c")
        for test, scenario, finding in [("thread_detached", "a | a", "data race"),
                                        ("thread_key", "a; a", "failed assertion"),
                                        ("wait_timed_wrong", "a", "failed assertion"),
                                        ("wait_right", "a", "waits for ever"),
                                        ("mutex_itself", "a", "deadlock"),
                                        ("semaphore_try", "a | a", "data race"),
                                        ("wait_no_mutex", "a", "misuse")]:
            found = self.result(1, f"--test={test}", "--scenario", scenario, path)
            self.assertEqual((finding, scenario), (found["finding"], found["scenario"]))
            again = self.again(found, path)
            for field in ("finding", "trace", "operations", "schedule", "reason"):
                self.assertEqual(found[field], again[field], test)

    def test_schedules_go_round_where_a_thread_would_wait(self):
        path = str(SOURCE / "tests" / "code" / "rounds.c")
        for test in ("reading", "updating", "looking"):
            found = self.result(1, f"--test={test}", "--scenario", "wait | then", path)
            again = self.again(found, path)
            for field in ("finding", "trace", "operations", "schedule", "reason"):
                self.assertEqual(found[field], again[field], test)

    def test_a_schedule_of_other_code_is_refused(self):
        path = self.file("lost.c", LOST)
        found = self.result(1, "--scenario", "inc; read | inc", path)
        words = ["--test=counter", "--scenario", found["scenario"], "--schedule", found["schedule"]]
        for changed, place in [(LOST.replace("int n = count;", "int n = count; n = count;"), ":5"),
                               (LOST.replace("int n = count;", "int n = count++;"), ":5"),
                               (LOST.replace("return count;", "return 0;"), "")]:
            self.file("lost.c", changed)
            ran = self.expect(2, "test", *words, path)
            self.assertIn("the schedule is none of this program and scenario under rc11: its step ", ran.err)
            self.assertIn("lost.c" + place if place else "step", ran.err)
            self.assertEqual("", ran.out)

    def test_a_schedule_under_which_nothing_is_wrong_any_more_is_not_decided(self):
        path = self.file("message.c", MESSAGE)
        found = self.result(1, "--scenario", "put | get", path)
        self.file("message.c", MESSAGE.replace("== -7", "<= 0"))
        ran = self.result(3, "--test=message", "--scenario", found["scenario"], "--schedule", found["schedule"], path)
        self.assertEqual(("unknown", False), (ran["verdict"], ran["complete"]))

    def test_a_schedule_is_of_a_scenario_and_a_model(self):
        path = self.file("message.c", MESSAGE)
        found = self.result(1, "--scenario", "put | get", path)
        schedule = ["--schedule", found["schedule"]]
        self.assertIn("expected --scenario, too", self.expect(2, "test", *schedule, path).err)
        words = ["test", "--scenario", found["scenario"], *schedule, "--memory-model=tso", path]
        self.assertIn("under tso: its step", self.expect(2, *words).err)

    def test_the_loop_of_a_livelock_leads_back_to_its_beginning(self):
        path, trace = str(SOURCE / "tests" / "code" / "hanging.c"), self.folder / "trace.json"
        words = ["--test=writing", "--scenario", "polite | as_polite"]
        for compiler in ("gcc", "clang"):
            environment = {"CC": compiler}
            found = json.loads(self.expect(1, "test", "--json", *words, path, environment=environment).out)
            memory = [{step["location"]: "0" for step in found["trace"]}]  # behind so many steps, by what they store
            for step in found["trace"]:
                stored = step["value"].split(" -> ")[-1]
                memory.append(dict(memory[-1], **{step["location"]: stored}))
            start = found["loop_start"]
            loop = found["trace"][start:]
            self.assertEqual(memory[start], memory[-1])
            self.assertEqual({1, 2}, {step["thread"] for step in loop})
            self.assertIn(f"the last {len(loop)} steps lead back", found["reason"])
            told = self.expect(1, "test", *words, "--trace", trace, path, environment=environment).out
            head, rest = told.split("    -- the loop --\n")
            inside, behind = rest.split("    -- back to its first step, and so on for ever --\n")
            steps = [line for line in inside.splitlines() if not line.endswith("polite()")]  # calls that begin there
            self.assertEqual(len(loop), len(steps))
            self.assertIn("the execution", head)
            shown = self.expect(1, "replay", trace, environment={"CC": "false", "PATH": ""}).out
            self.assertIn("    -- the loop --\n" + inside, shown)
            shown = json.loads(self.expect(1, "replay", "--json", trace).out)
            self.assertEqual(start, shown["loop_start"])
            kept = json.loads(trace.read_text())
            kept["loop_start"] = len(kept["trace"]) + 1
            self.file("other.json", json.dumps(kept))
            self.expect(2, "replay", "other.json")
        found = self.result(1, "--scenario", "inc; read | inc", self.file("lost.c", LOST))
        self.assertNotIn("loop_start", found)

    def test_lines_that_come_again_and_again_stand_once(self):
        path = self.file("round.c", """#include <stdatomic.h>
#include <linchpin/test.h>
static atomic_int x;
static lp_int turn(void *o, lp_int v) { (void)o; (void)v;
  for (;;) { for (int i = 0; i < 12; i++) { atomic_exchange(&x, 1); atomic_exchange(&x, 0); } } }
LP_TEST(round, .ops = {{"turn", turn}});
""")
        found = self.result(1, "--scenario=turn", path)
        told = self.expect(1, "test", "--scenario=turn", path).out
        rows = told.split("the execution, in round.c:\n")[1].split("\n\n")[0].splitlines()
        steps = [line for line in rows if " exchange " in line]
        folded = [(int(lines or 1), int(times)) for lines, times in
                  re.findall(r"^    -- (?:this|these (\d+)) lines? (\d+) more times --$", "\n".join(rows), re.M)]
        self.assertEqual(len(found["trace"]), len(steps) + sum(lines * times for lines, times in folded))
        self.assertLess(len(steps), 8)

    def test_a_trace_is_shown_again_and_nothing_is_run(self):
        path, trace = self.file("lost.c", LOST), self.folder / "trace.json"
        self.expect(1, "test", "--scenario", "inc; read | inc", "--trace", trace, path)
        shown = self.expect(1, "replay", trace, environment={"CC": "false", "PATH": ""})
        self.assertIn(LOST_TABLE, shown.out)
        self.assertIn("3 calls, checked again: no legal order of counter has their results",
                      " ".join(shown.out.split()))
        quiet = self.expect(1, "replay", "-q", trace).out
        self.assertEqual(1, len(quiet.splitlines()), quiet)
        self.assertIn("violated", quiet)
        kept = json.loads(trace.read_text())
        kept["calls"][1]["result"] = "2"
        self.file("other.json", json.dumps(kept))
        self.assertIn("have a legal order", self.expect(2, "replay", "other.json").err)
        self.file("lost.c", LOST + "// changed\n")
        self.assertIn("expected the sources that the trace was made of", self.expect(2, "replay", trace).err)

    def test_a_trace_of_a_specification_in_c_runs_it_neither(self):
        path, trace = str(SOURCE / "examples" / "code" / "ids.c"), self.folder / "trace.json"
        self.expect(1, "test", "--test=ids_in_two_steps", "--scenario", "take | take", "--trace", trace, path)
        shown = self.expect(1, "replay", trace)
        self.assertIn("Nothing was run, the specification neither", " ".join(shown.out.split()))

    def test_a_command_is_shown_so_that_a_shell_takes_it_as_words(self):
        path, trace = self.file("lost.c", LOST), self.folder / "trace.json"
        self.expect(1, "test", "--scenario", "inc; read | inc", "--trace", trace, path)
        kept = json.loads(trace.read_text())
        kept["options"]["flags"] = ["$(touch gone)", "a'b;c"]
        kept["test"] = "x\x1b[2J; rm -r /"
        trace.write_text(json.dumps(kept))
        said = self.expect(1, "replay", trace).out
        self.assertNotIn("\x1b", said)
        words = shlex.split(said.splitlines()[-1])
        self.assertEqual(["--", "$(touch gone)", "a'b;c"], words[-3:])

    def test_results_are_written_as_junit(self):
        path, junit = self.file("lost.c", LOST), self.folder / "junit.xml"
        self.expect(1, "test", "--scenario", "inc; read | inc", "--junit", junit, path)
        case = xml.etree.ElementTree.parse(junit).getroot().find(".//testcase")
        self.assertIn("store seq_cst count = 1", case.find("failure").text)

    def test_a_test_case_has_the_same_name_whatever_comes_out_and_wherever_the_file_is(self):
        path, junit = self.file("lost.c", LOST), self.folder / "junit.xml"
        for status, scenario in ((0, "inc"), (1, "inc; read | inc")):
            self.expect(status, "test", "--scenario", scenario, "--junit", junit, path)
            case = xml.etree.ElementTree.parse(junit).getroot().find(".//testcase")
            self.assertEqual(("lost.c", "lost.c: counter"), (case.get("classname"), case.get("name")))

    def test_errors_are_objects_with_json(self):
        path = self.file("broken.c", "int x")
        ran = self.expect(2, "test", "--json", path)
        self.assertEqual("", ran.out)
        self.assertIn("gcc failed", json.loads(ran.err)["error"])
        path = self.file("lost.c", LOST)
        ran = self.expect(2, "test", "--json", "--scenario", "inc | peek", path)
        self.assertIn("peek", json.loads(ran.err)["error"])

    def test_tests_are_listed_in_the_order_of_the_source(self):
        source = (SOURCE / "examples" / "code" / "treiber.c").read_text()
        names = re.findall(r"^LP_TEST\((\w+)", source, re.M)
        self.assertGreater(len(names), 2)
        for compiler in ("gcc", "clang"):
            ran = self.expect(0, "test", "--list", STACKS, environment={"CC": compiler})
            self.assertEqual(names, [line.split(":")[0] for line in ran.out.splitlines()])
        source = (SOURCE / "examples" / "code" / "ring.cc").read_text()
        names = re.findall(r"^LP_CLASS\((\w+)", source, re.M)
        ran = self.expect(0, "test", "--list", str(SOURCE / "examples" / "code" / "ring.cc"))
        self.assertEqual(names, [line.split(":")[0] for line in ran.out.splitlines()])


INCREMENTS = ["atomic_fetch_add_explicit(&{a}, 1, {o});",
              "int n = atomic_load_explicit(&{a}, {o}); atomic_store_explicit(&{a}, n + 1, {p});",
              "int n = atomic_load_explicit(&{a}, {o}); "
              "if (!atomic_compare_exchange_strong_explicit(&{a}, &n, n + 1, {o}, memory_order_relaxed)) "
              "atomic_fetch_add_explicit(&{a}, 1, {p});",
              "plain++; atomic_fetch_add_explicit(&{a}, 1, {o});"]
READS = ["return atomic_load_explicit(&x, {o}) + atomic_load_explicit(&y, {p});",
         "int n = atomic_load_explicit(&y, {o}); return n + atomic_load_explicit(&x, {p});",
         "int n = atomic_load_explicit(&x, {o}); assert(atomic_load_explicit(&x, {p}) == n); return n;",
         "return atomic_load_explicit(&x, {o});"]


class RandomPrograms(Case):
    """Counters of which most are wrong. The oracle is the program run on other scenarios and schedules."""
    seed = int(os.environ.get("LINCHPIN_SEED", "1"))
    programs = int(os.environ.get("LINCHPIN_PROGRAMS", "5"))

    def make(self, draw):
        def filled(text):
            order = lambda kinds: "memory_order_" + draw.choice(kinds)
            return text.format(a=draw.choice("xy"), o=order(["relaxed", "seq_cst", "acquire"]),
                               p=order(["relaxed", "seq_cst"]))
        head = "static lp_int {}(void *o, lp_int v) {{ (void)o; (void)v;\n    {} {} }}\n"
        return ("#include <assert.h>\n#include <stdatomic.h>\n#include <linchpin/test.h>\n"
                "static atomic_int x, y;\nint plain;\n"
                + head.format("one", filled(draw.choice(INCREMENTS)), "return LP_DONE;")
                + head.format("other", filled(draw.choice(INCREMENTS)), "return LP_DONE;")
                + head.format("get", filled(draw.choice(READS)), "")
                + 'LP_TEST(random, .spec = "counter", .ops = {{"inc", one}, {"read", get}, {"inc", other}});\n')

    def scenario(self, draw):
        # two operations of one name: a scenario names the first, so `inc` of the other goes unused
        threads = [[draw.choice(["inc", "inc", "read"]) for _ in range(draw.randint(1, 2))]
                   for _ in range(draw.randint(1, 3))]
        return " | ".join("; ".join(calls) for calls in threads)

    def without_one(self, scenario):
        threads = [thread.split("; ") for thread in scenario.split(" | ")]
        for i, calls in enumerate(threads):
            for j in range(len(calls)):
                left = [other if k != i else calls[:j] + calls[j + 1:] for k, other in enumerate(threads)]
                if any(left):
                    yield " | ".join("; ".join(calls) for calls in left if calls)

    def run_test(self, *words):
        ran = self.run_program("test", "--json", "--test=random", *words)
        self.assertIn(ran.status, (0, 1), ran.err)
        return json.loads(ran.out)

    def test_what_is_told_of_random_programs(self):
        violated = 0
        for seed in range(self.seed, self.seed + self.programs):
            draw = random.Random(seed)
            source = self.file("random.c", self.make(draw))
            model = draw.choice(["sc", "tso", "rc11"])
            for _ in range(4):
                given = self.scenario(draw)
                with self.subTest(seed=seed, given=given, model=model):
                    found = self.run_test("--scenario", given, "--memory-model", model, source)
                    if found["verdict"] == "holds":
                        continue
                    violated += 1
                    again = self.run_test("--scenario", found["scenario"], "--memory-model", model, "--schedule",
                                          found["schedule"], source)
                    for field in ("finding", "trace", "operations", "client", "schedule"):
                        self.assertEqual(found.get(field), again.get(field))
                    cut_off = "cut_off" in found  # on a machine that has other things to do
                    for smaller in set() if cut_off else set(self.without_one(found["scenario"])):
                        self.assertEqual("holds", self.run_test("--scenario", smaller, "--memory-model", model,
                                                                source)["verdict"], smaller)
                    for other in {"sc", "tso", "rc11"} - {model}:
                        verdict = self.run_test("--scenario", found["scenario"], "--memory-model", other,
                                                source)["verdict"]
                        if other not in found["also_in_unknown"]:
                            self.assertEqual(verdict == "violated", other in found["also_in"], other)
        self.assertGreater(violated, self.programs // 2)


main()
