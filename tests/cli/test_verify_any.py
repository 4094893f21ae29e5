#!/usr/bin/env python3
"""Implementations in .lin with any number of threads: what is refused, verdicts, stories, limits."""
import json
import re
import signal

from program import SHARED, SOURCE, Case, main, wait_until, blocks_interrupts

LOCKS = """impl test_and_set {
    shared bool held;
    op acquire() { while (swap(held, true)) { } return ok; }
    op release() { held = false; return ok; }
}
impl test_then_set {
    shared bool held;
    op acquire() {
        await (!held);
        held = true;
        return ok;
    }
    op release() { held = false; return ok; }
}
impl ticket(N) {
    shared int(0..N-1) next;
    shared int(0..N-1) serving;
    op acquire() {
        int(0..N-1) mine;
        atomic { mine = next; next = (next + 1) % N; }
        await (serving == mine);
        return ok;
    }
    op release() {
        atomic { serving = (serving + 1) % N; }
        return ok;
    }
}
assert test_and_set linearizes mutex with threads = any;
assert test_then_set linearizes mutex with threads = any;
assert ticket(2) linearizes mutex with threads = any;
assert ticket(3) linearizes mutex with threads = any;
"""

# pop gives its node back at once: two threads and four operations on three nodes show ABA
TREIBER = """impl at_once {
    struct node { value item; node next; }
    shared node top;
    op push(value v) {
        node n = new node;
        n.item = v;
        node t;
        do { t = top; n.next = t; } while (!cas(top, t, n));
        return ok;
    }
    op pop() {
        while (true) {
            node t = top;
            if (t == null) return empty;
            node x = t.next;
            if (cas(top, t, x)) {
                value v = t.item;
                free(t);
                return v;
            }
        }
    }
}
impl kept {
    struct node { value item; node next; }
    shared node top;
    op push(value v) {
        node n = new node;
        n.item = v;
        node t;
        do { t = top; n.next = t; } while (!cas(top, t, n));
        return ok;
    }
    op pop() {
        while (true) {
            node t = top;
            if (t == null) return empty;
            node x = t.next;
            if (cas(top, t, x)) return t.item;
        }
    }
}
assert at_once linearizes stack with threads = any, nodes = 2;
assert kept linearizes stack with threads = any, nodes = 2;
assert kept linearizes stack with threads = any, nodes = 8;
"""
AT_ONCE, KEPT, LARGE = ("t.lin:%d" % (TREIBER.count("\n") - i) for i in (2, 1, 0))

BAG = """spec bag {
    list items = [];
    op put(value v) { items = items + [v]; return ok; }
    op take() {
        if (items == []) return empty;
        for (int i = choose(0..len(items) - 1); i > 0; i--)
            items = but_first(items) + [first(items)];
        value v = first(items);
        items = but_first(items);
        return v;
    }
}
automaton bag_fresh of bag {
    input Put = put(value);
    method Take = take() -> value;
    method TakeEmpty = take() -> empty;
    initial state start { call Put(1) -> dead; ret Take(1) -> taken; others -> start; }
    accepting state taken { others -> taken; }
}
automaton bag_repeat of bag {
    initial state start { call Put(1) -> put; ret Take(1) -> once; others -> start; }
    state put { call Put(1) -> dead; ret Take(1) -> both; others -> put; }
    state once { call Put(1) -> both; ret Take(1) -> twice; others -> once; }
    state both { call Put(1) -> dead; ret Take(1) -> twice; others -> both; }
    accepting state twice { others -> twice; }
}
"""

# whoever puts a value there waits until it is taken
HANDOFF = """impl handoff {
    shared value slot;
    op enqueue(value v) {
        bool done = false;
        while (!done) done = cas(slot, null, v);
        await (slot == null);
        return ok;
    }
    op dequeue() {
        value v = swap(slot, null);
        return v;
    }
}
assert handoff linearizes queue with threads = any;
"""

# each with its verdict: what waits for ever, forgets, is in two places, is handed over, or wants many threads
SMALL = """impl forget { shared value x;
    op write(value v) { x = v; return ok; }
    op read() { value v = x; if (v == null) return empty; if (choose(0..1) == 1) x = null; return v; } }
assert forget linearizes register with threads = any;  // violated
impl never2 { shared value x;
    op write(value v) { while (true) { value w = x; } }
    op read() { return x; } }
assert never2 linearizes register with threads = any;  // holds
impl repair { shared value x; shared value y;
    op write(value v) { x = v; y = v; return ok; }
    op read() { value v = y; value w = x; if (v == null) { return w; } return v; } }
assert repair linearizes register with threads = any;  // violated
impl onewriter { shared value x; shared value y;
    op write(value v) only thread 2 { x = v; y = v; return ok; }
    op read() { return y; } }
assert onewriter linearizes register with threads = any;  // holds
impl onewriter2 { shared value x; shared value y;
    op write(value v) only thread 2 { x = v; y = v; return ok; }
    op read() { value a = x; value b = y; either { return a; } or { return b; } } }
assert onewriter2 linearizes register with threads = any;  // violated
impl cell { shared value x;
    op enqueue(value v) { atomic { await (x == null); x = v; } return ok; }
    op dequeue() { value v = swap(x, null); return v; } }
assert cell linearizes queue with threads = any;  // holds
impl cell2 { shared value x;
    op push(value v) { atomic { await (x == null); x = v; } return ok; }
    op pop() { value v; atomic { await (x != null); v = x; x = null; } return v; } }
assert cell2 linearizes stack with threads = any;  // holds
impl bag2 { shared value s[2];
    op enqueue(value v) { while (true) { if (cas(s[0], null, v)) return ok; if (cas(s[1], null, v)) return ok; } }
    op dequeue() { value v = swap(s[0], null); if (v != null) return v; v = swap(s[1], null); return v; } }
assert bag2 linearizes queue with threads = any;  // violated
impl ring { shared value s[2]; shared int(0..1) h; shared int(0..1) t; shared bool l;

    op enqueue(value v) { atomic { await (s[t] == null); s[t] = v; t = 1 - t; } return ok; }

    op dequeue() { value v; atomic { v = s[h]; if (v != null) { s[h] = null; h = 1 - h; } } return v; } }
assert ring linearizes queue with threads = any;  // holds
impl ringbad { shared value s[2]; shared int(0..1) h; shared int(0..1) t; shared bool l;

    op enqueue(value v) { atomic { await (s[t] == null); s[t] = v; t = 1 - t; } return ok; }

    op dequeue() { value v; int(0..1) i = h; v = swap(s[i], null); if (v != null) h = 1 - i; return v; } }
assert ringbad linearizes queue with threads = any;  // violated
impl semlost { shared int(0..2) c;
    op acquire() { atomic { await (c < 2); c = c + 1; } return ok; }
    op release() { int(0..2) t = c; if (t > 0) c = t - 1; return ok; } }
assert semlost linearizes semaphore(2) with threads = any;  // violated
impl hand { shared bool held; shared bool pass;
    op acquire() { bool d = false; while (!d) { d = cas(held, false, true); if (!d) { d = cas(pass, true, false); } } return ok; }
    op release() { either { pass = true; } or { held = false; } return ok; } }
assert hand linearizes mutex with threads = any;  // holds
impl handbad { shared bool held; shared bool pass;
    op acquire() { bool d = false; while (!d) { d = cas(held, false, true); if (!d) { d = pass; pass = false; } } return ok; }
    op release() { either { pass = true; } or { held = false; } return ok; } }
assert handbad linearizes mutex with threads = any;  // violated
impl dead { shared bool a; shared bool b;
    op acquire() { either { lock(a); lock(b); } or { lock(b); lock(a); } return ok; }
    op release() { a = false; b = false; return ok; } }
assert dead linearizes mutex with threads = any;  // holds
impl fivein { shared int(0..5) c;
    op acquire() { bool d = false; atomic { if (c < 5) c = c + 1; d = c == 5; } if (d) return ok; await (c == 0); lock(g); return ok; }
    shared bool g;
    op release() { g = false; return ok; } }
assert fivein linearizes mutex with threads = any;  // violated
impl starving { struct node { node next; } shared node made; shared value x; shared value y;
    shared int(0..6) count; shared bool g;
    op write(value v) { lock(g);
        if (count == 6) { g = false; y = v; node k = new node; made = k; return ok; }
        x = v; node n = new node; made = n; atomic { count = count + 1; } g = false; return ok; }
    op read() { value v = y; if (v == null) return x; either { return v; } or { return x; } } }
assert starving linearizes register with threads = any, nodes = 6;  // violated
"""

# how many are inside; copies; nodes. What becomes true, with how many threads it takes
CONDITIONS = """impl test_and_set { shared bool held; shared int(0..6) inside;
    op acquire() { while (swap(held, true)) { } atomic { if (inside < 6) inside = inside + 1; } return ok; }
    op release() { atomic { if (inside > 0) inside = inside - 1; } held = false; return ok; } }
impl test_then_set { shared bool held; shared int(0..6) inside;
    op acquire() { await (!held); held = true; atomic { if (inside < 6) inside = inside + 1; } return ok; }
    op release() { atomic { if (inside > 0) inside = inside - 1; } held = false; return ok; } }
impl copies { shared value first; shared value second; shared value third;
    op write(value v) { first = v; second = v; return ok; }
    op other(value v, bool b) { if (b) third = v; return b; } }
impl list { struct node { node next; } shared node top;
    op push() { node n = new node; node t; do { t = top; n.next = t; } while (!cas(top, t, n)); return ok; } }
assert test_and_set never (inside > 1) with threads = any, spec = mutex;               // holds
assert test_and_set never (inside > 0 && !held) with threads = any, spec = mutex;      // holds
assert test_then_set never (inside > 1) with threads = any, spec = mutex;              // violated 2
assert test_then_set never (inside > 4) with threads = any, spec = mutex;              // violated 5
assert copies never (second != null && first == null) with threads = any;              // holds
assert copies never (first != null && first == second) with threads = any;             // violated 1
assert copies never (first == null && !(second != null)) with threads = any;                  // violated 1
assert copies never (first != null && second != null && third != null && first != second
    && second != third && third != first) with threads = any;                          // violated 1
assert copies never (first == second && first != second) with threads = any;           // holds
assert list never (top != null && top.next == top) with threads = any, nodes = 2;      // holds
"""

# locks that are tried, queues that may be full, what always answers the same
ANSWERS = """spec try_lock { bool held;
    op try_acquire() { if (held) return false; held = true; return true; }
    op release() { held = false; return ok; } }
impl tas { shared bool l;
    op try_acquire() { if (swap(l, true)) return false; return true; }
    op release() { l = false; return ok; } }
impl ttas { shared bool l;
    op try_acquire() { if (l) return false; if (cas(l, false, true)) return true; return false; }
    op release() { l = false; return ok; } }
impl hasty { shared bool l;
    op try_acquire() { if (l) return false; l = true; return true; }
    op release() { l = false; return ok; } }
impl spurious { shared bool l;
    op try_acquire() { if (choose(0..1) == 1) return false; if (swap(l, true)) return false; return true; }
    op release() { l = false; return ok; } }
spec bounded(N) { list q;
    op enqueue(value v) { if (len(q) == N) return full; q = q + [v]; return ok; }
    op dequeue() { if (q == []) return empty; value v = first(q); q = but_first(q); return v; } }
impl lockq { shared bool l; shared value a; shared value b; shared int(0..2) n;
    op enqueue(value v) { lock(l); if (n == 2) { unlock(l); return full; }
        atomic { if (n == 0) a = v; else b = v; n = n + 1; } unlock(l); return ok; }
    op dequeue() { value v; lock(l); if (n == 0) { unlock(l); return empty; }
        v = a; atomic { a = b; b = null; n = n - 1; } unlock(l); return v; } }
impl newest { shared bool l; shared value a; shared value b; shared int(0..2) n;
    op enqueue(value v) { lock(l); if (n == 2) { unlock(l); return full; }
        atomic { if (n == 0) a = v; else b = v; n = n + 1; } unlock(l); return ok; }
    op dequeue() { value v; lock(l); if (n == 0) { unlock(l); return empty; }
        atomic { if (n == 2) { v = b; b = null; } else { v = a; a = null; } n = n - 1; } unlock(l); return v; } }
impl cell { shared value a;
    op enqueue(value v) { if (cas(a, null, v)) return ok; return full; }
    op dequeue() { return swap(a, null); } }
impl looks { shared value a;
    op enqueue(value v) { value w = a; if (w != null) return full; a = v; return ok; }
    op dequeue() { return swap(a, null); } }
spec always { value x; op put(value v) { x = v; return true; } op get() { return x; } }
impl once { shared value x; op put(value v) { x = v; return true; } op get() { return x; } }
impl denies { shared value x; op put(value v) { x = v; return false; } op get() { return x; } }
impl second { shared value x; shared value y;
    op put(value v) { x = v; y = v; return true; } op get() { return y; } }
impl either_of { shared value x; shared value y;
    op put(value v) { x = v; y = v; return true; } op get() { either { return y; } or { return x; } } }
assert tas linearizes try_lock with threads = any;           // holds
assert ttas linearizes try_lock with threads = any;          // holds
assert hasty linearizes try_lock with threads = any;         // violated 2
assert spurious linearizes try_lock with threads = any;      // violated 1
assert lockq linearizes bounded(2) with threads = any;       // holds
assert lockq linearizes bounded(1) with threads = any;       // violated 1
assert newest linearizes bounded(2) with threads = any;      // violated 1
assert cell linearizes bounded(1) with threads = any;        // holds
assert looks linearizes bounded(1) with threads = any;       // violated 2
assert once linearizes always with threads = any;            // holds
assert denies linearizes always with threads = any;          // violated 1
assert second linearizes always with threads = any;          // holds
assert either_of linearizes always with threads = any;       // violated 2
"""


def expected(line):
    verdict, *threads = line.split("// ")[1].split()
    return verdict, int(threads[0]) if threads else None


HEAP = """impl stack_of {
    struct node { value item; node next; } shared node top;
    op push(value v) {
        node n = new node; n.item = v; node t;
        do { t = top; n.next = t; }
        while (!cas(top, t, n)); return ok; }
    op pop() {
        while (true) {
            node t = top;
            if (t == null) return empty;
            node x = t.next; value v = t.item;
            if (cas(top, t, x)) return v;
        } }
}
"""


# whoever takes something puts in what is announced at two places, in an order of its own
COLLECTED = """impl collected {
    struct node { value item; node next; }
    shared node head; shared node tail; shared node first; shared node second;
    init { head = new node; tail = head; }
    op enqueue(value v) {
        node n = new node; n.item = v;
        if (choose(0..1) == 0) { while (!cas(first, null, n)) { } while (first == n) { } }
        else { while (!cas(second, null, n)) { } while (second == n) { } }
        return ok; }
    op dequeue() {
        node x; value v;
        atomic {
            if (first != null) { tail.next = first; tail = first; first = null; }
            if (second != null) { tail.next = second; tail = second; second = null; }
            x = head.next;
            if (x != null) { head = x; v = x.item; } }
        if (x == null) return empty;
        return v; }
}
"""


class Any(Case):
    def answers(self, status, *arguments, **more):
        return self.expect(status, "verify", "--json", *arguments, **more).objects()

    # ---- what is refused ----

    def refused(self, options, message, property="linearizes mutex", found=None):
        self.file("r.lin", LOCKS + "assert test_and_set %s with %s;\n" % (property, options))
        line = 1 + LOCKS.count("\n")
        result = self.expect(2, "verify", "r.lin:%d" % line)
        self.assertEqual(result.out, "")
        self.assertIn("r.lin:%d: error: expected " % line, result.err)
        self.assertIn(message, result.err)
        if found:
            self.assertIn(found, result.err.splitlines()[2])

    def test_what_any_number_leaves_open_is_not_said(self):
        self.refused("threads = any, ops = 3", "`ops = any` or nothing")
        self.refused("values = 3, threads = any", "no `values`")
        self.refused("threads = any, points", "no `points`")

    def test_an_option_is_said_once(self):
        for number in "any", "2":
            self.refused("threads = %s, nodes = 3, nodes = any" % number, "expected `nodes` once, found it again")
        self.refused("threads = 2, threads = any", "expected `threads` once, found it again")

    def test_numbers_that_are_none_are_said_with_what_may_be_there(self):
        self.refused("threads = any, nodes = anything",
                     "expected `nodes =` and a number from 1 to 10000, or `any`, found `anything`")
        self.refused("nodes = 0", "expected `nodes =` and a number from 1 to 10000, or `any`, found 0")
        self.refused("values = some", "expected `values =` and a number from 1 to 1000, found `some`")

    def test_nodes_that_have_no_room_are_counted_in_words(self):
        self.file("w.lin", HEAP.replace("node next;", "node next[2000];").replace("n.next = t;", "n.next[0] = t;")
                  .replace("t.next;", "t.next[0];") + "".join(
                      "assert stack_of linearizes stack with %s;\n" % options for options in
                      ("threads = any", "threads = 1, ops = 2147483647", "nodes = 40")))
        result = self.expect(2, "verify", "w.lin")
        for found in ("40 of `node`, with 2002 words each: as many as one thread may see of a heap without bound",
                      "2147483648 of `node`, with 2002 words each: as many as operations may make; `nodes = M`",
                      "40 of `node`, with 2002 words each: `nodes =` asks for too many"):
            self.assertIn("w.lin:2: error: expected nodes of at most 65535 words all together, found " + found,
                          result.err)

    def test_other_properties_want_a_number(self):
        for property in "deadlock_free", "wait_free", "satisfies [] true":
            self.refused("threads = any", "only `linearizes`, `never` and `lock_free`", property)

    def test_other_assertions_are_still_decided(self):
        self.file("r.lin", LOCKS + "assert test_and_set wait_free with threads = any;\n")
        result = self.expect(2, "verify", "-q", "r.lin")
        self.assertEqual(result.out.count("with threads = any"), 4)
        self.assertEqual(result.err.count(": error: "), 1)

    def test_an_offence_has_its_line(self):
        self.file("o.lin", """impl i { shared value x;
                op push(value v) {
                    value w = x;
                    bool done = cas(x, w, v);
                    return ok; }
                op pop() { value v = x; return v; } }
            assert i linearizes stack with threads = any;
            assert i linearizes stack with threads = 1, ops = 1;
            """)
        result = self.expect(2, "verify", "-q", "o.lin")
        self.assertIn("o.lin:4: error: expected null as what `cas` compares with", result.err)
        self.assertIn("values may only be copied and compared with null", result.err)
        self.assertIn("o.lin:8: holds", result.out)

    # ---- nodes without number ----

    def test_where_operations_take_effect_is_found(self):
        self.file("h.lin", HEAP + "assert stack_of linearizes stack with threads = any;\n")
        answer, = self.answers(0, "h.lin")
        self.assertEqual(answer["verdict"], "holds")
        self.assertEqual(answer["method"], "views")
        self.assertIn("any number of nodes", answer["reason"])
        self.assertIn("`push` takes effect at line 6, and `pop` takes effect at line 12, or as it "
                      "last reads at line 9 if it changes nothing", answer["reason"])

    # ---- lock-freedom ----

    def test_what_lock_freedom_wants_is_said(self):
        self.refused("threads = any", "operations that are called in any order", "lock_free")
        self.file("n.lin", HEAP + "assert stack_of lock_free with threads = any, nodes = 3;\n")
        self.assertIn("n.lin:15: error: expected `nodes = any` or nothing beside `threads = any`",
                      self.expect(2, "verify", "n.lin").err)
        self.file("w.lin", """spec waits { list l; op put(value v) { l = l + [v]; return ok; }
                op take() { await (len(l) > 0); value v = first(l); l = but_first(l); return v; } }
            impl i { shared value x; op put(value v) { x = v; return ok; } op take() { value v = x; return v; } }
            assert i lock_free with threads = any, spec = waits;
            """)
        self.assertIn("specification never waits, with any number of threads, found `waits`",
                      self.expect(2, "verify", "w.lin").err)

    def test_lock_freedom_holds_for_any_number_of_threads(self):
        self.file("h.lin", HEAP + "assert stack_of lock_free with threads = any;\n")
        answer, = self.answers(0, "h.lin")
        self.assertEqual((answer["verdict"], answer["method"]), ("holds", "views"))
        self.assertIn("where operations go on some return, for while none does what others see changes finitely often "
                      "(at lines 6, 12, where no operation comes back to change something), and where nothing changes "
                      "no operation goes round; a certificate of", answer["reason"])

    def test_a_thread_that_goes_on_for_ever_is_shown(self):
        self.file("s.lin", HEAP.replace("return empty", "continue") + "assert stack_of lock_free with threads = any;\n")
        answer, = self.answers(1, "s.lin")
        self.assertTrue(answer["reason"].startswith("1 thread is enough: threads can step for ever"), answer["reason"])
        self.assertIn("loop_start", answer)

    def test_a_walk_along_nodes_ends(self):
        self.file("w.lin", """impl it { struct node { value item; node next; } shared node top;
            op push(value v) { node n = new node; n.item = v; atomic { n.next = top; top = n; } return ok; }
            op look() { node t = top; while (t != null) t = t.next; return ok; } }
            assert it lock_free with threads = any;
            """)
        answer, = self.answers(0, "w.lin")
        self.assertIn("where nothing changes no operation goes round but along fewer and fewer nodes", answer["reason"])

    def test_of_lock_freedom_that_is_not_proved_the_lines_are_told(self):
        count = """impl it { shared int(0..3) k;
            op go() {
                int(0..3) i = k;
                while (i < 3) {
                    cas(k, i, i + 1);
                    i = k; }
                return ok; } }
            """
        wait = """impl it { shared bool b;
            op go() { %s return ok; }
            op end() { return ok; } }
            """
        for text, reason in ((count, "what others see may change again and again at line 5: an operation may come back there"),
                             (wait % "assume (!b);", "an operation may wait for others at line 2")):
            self.file("u.lin", text + "assert it lock_free with threads = any;\n")
            answer, = self.answers(3, "--timeout", "20s", "u.lin")
            self.assertEqual(answer["verdict"], "unknown")
            self.assertIn("open: `progress` (" + reason, answer["reason"])

    def test_automata_of_the_file_are_proved_with_any_number_of_nodes(self):
        bag = HEAP.replace("op push", "op put").replace("op pop", "op take")
        asserted = "assert stack_of linearizes bag with threads = any, nodes = any;\n"
        self.file("b.lin", BAG + bag + asserted)
        answer, = self.answers(0, "b.lin")
        self.assertEqual(answer["method"], "views")
        self.assertIn("if the automata of the file describe all violations of `bag`", answer["reason"])
        wrong = bag.replace("if (cas(top, t, x)) return v;", "top = x; return v;")
        self.assertNotEqual(wrong, bag)
        self.file("w.lin", BAG + wrong + asserted)
        answer, = self.answers(1, "w.lin")
        self.assertIn("it breaks the rule `bag_repeat`", answer["reason"])

    def test_a_register_whose_value_is_in_a_node_takes_points(self):
        self.file("r.lin", """impl boxed {
            struct box { value v; }
            shared box b;
            op write(value v) { box x = new box; x.v = v; b = x; linearize ok; return ok; }
            op read() { box x = b; linearize; if (x == null) return empty; return x.v; }
            }
            assert boxed linearizes register with threads = any;
            """)
        answer, = self.answers(0, "r.lin")
        self.assertEqual((answer["verdict"], answer["method"]), ("holds", "views"))
        self.assertIn("`read` takes effect where it says so (line 5)", answer["reason"])

    def test_where_a_register_is_read_is_found(self):
        register = """impl boxed {
            struct box { value v; }
            shared box b;
            op write(value v) { box x = new box; x.v = v; b = x; return ok; }
            op read() { box x = b;
                if (x == null) return empty;
                return x.v; }
            }
            assert boxed linearizes register with threads = any;
            """
        self.file("r.lin", register)
        answer, = self.answers(0, "r.lin")
        self.assertEqual(answer["verdict"], "holds")
        self.assertIn("`write` takes effect at line 4, and `read` takes effect at line 5;", answer["reason"])
        self.file("w.lin", register.replace("x.v = v; b = x;", "b = x; x.v = v;"))
        self.assertEqual(self.answers(1, "w.lin")[0]["verdict"], "violated")

    def test_points_that_are_given_are_used_where_they_stand(self):
        models = (SOURCE / "examples/models/points.lin").read_text().split("\nassert")[0]
        lines = models.split("\n")
        begin = lines.index("impl ms_queue {")
        given = [begin + i for i, line in enumerate(lines[begin:], 1) if "linearize " in line]
        self.file("p.lin", models + """
            assert ms_queue linearizes queue with threads = any;
            assert too_early linearizes stack with threads = any;
            """)
        right, early = self.answers(0, "p.lin")
        enqueue, nothing, dequeue = given[:3]
        self.assertIn("`enqueue` takes effect where it says so (line %d), and `dequeue` takes effect where it says so "
                      "(lines %d, %d)" % (enqueue, nothing, dequeue), right["reason"])
        self.assertNotIn("do not do", right["reason"])
        self.assertNotIn("says so", early["reason"])
        self.assertIn("; the points that are given do not do;", early["reason"])

    def test_points_of_a_set_are_given_beside_others_that_are_found(self):
        lists = (SOURCE / "examples/models/lazy_list.lin").read_text().split("\nassert")[0]
        given = lists.replace("n.next = c;\n                    p.next = n;",
                              "n.next = c;\n                    p.next = n; linearize true;", 1)
        self.assertIn("linearize true;", given)
        self.file("s.lin", given + "\nassert lazy_list(1) linearizes set with threads = any;\n")
        answer, = self.answers(0, "s.lin")
        line = 1 + given[:given.index("linearize")].count("\n")
        self.assertRegex(answer["reason"], r"`add` takes effect where it says so \(line %d\), or at some moment if it "
                         r"changes nothing, and `remove` takes effect at line \d+" % line)

    def test_a_set_without_nodes(self):
        """Numbers are observed by the specification, whether or not operations make nodes."""
        bits = """impl %s { shared bool in_it[3];
            op add(int(1..2) k) { %s }
            op remove(int(1..2) k) { return swap(in_it[k], false); }
            op contains(int(1..2) k) { return in_it[k]; } }
            assert %s linearizes set with threads = any;
            """
        self.file("s.lin", bits % ("bits", "return !swap(in_it[k], true);", "bits") +
                  bits % ("late", "if (in_it[k]) return false; in_it[k] = true; return true;", "late"))
        right, wrong = self.answers(1, "s.lin")
        self.assertEqual((right["verdict"], right["method"], wrong["verdict"]), ("holds", "views", "violated"))

    def test_the_rule_that_is_named_is_one_of_the_answers(self):
        self.file("s.lin", """impl bits {
            shared bool has[3];
            shared bool was[3];
            op add(int(1..2) k) { bool b = swap(has[k], true); was[k] = true; return !b; }
            op remove(int(1..2) k) { return swap(has[k], false); }
            op contains(int(1..2) k) { return was[k]; }
            }
            impl lax {
            shared bool has[3];
            op add(int(1..2) k) { return !swap(has[k], true); }
            op remove(int(1..2) k) { if (!has[k]) return false; has[k] = false; return true; }
            }
            impl naive {
            shared bool has[3];
            op add(int(1..2) k) { if (has[k]) return false; has[k] = true; return true; }
            }
            assert bits linearizes set with threads = any;
            assert lax linearizes set with threads = any;
            assert naive linearizes set with threads = any;
            """)
        late, twice, added = self.answers(1, "s.lin")
        self.assertIn("it breaks the rule `set_late`: a value is found after it was removed", late["reason"])
        self.assertIn("it breaks the rule `set_repeat`: a value is removed twice", twice["reason"])
        # The rules are about histories that add a value once.
        self.assertNotIn("it breaks the rule", added["reason"])

    def test_a_violation_is_one_of_few_threads(self):
        self.file("h.lin", HEAP.replace("if (cas(top, t, x)) return v;", "top = x; return v;") +
                  "assert stack_of linearizes stack with threads = any;\n")
        answer, = self.answers(1, "h.lin")
        self.assertEqual(answer["verdict"], "violated")
        self.assertIn("2 threads are enough", answer["reason"])

    def test_one_thread_that_goes_on_long_enough_shows_a_violation(self):
        """The push of a seventh element is lost, which no proof excludes and few operations do not show."""
        self.file("s.lin", """impl s {
    struct node { value item; node next; }
    shared node top;
    shared int(0..6) count;
    op push(value v) {
        node n = new node;
        n.item = v;
        while (true) {
            node t = top;
            n.next = t;
            if (cas(top, t, n)) {
                int(0..6) k = count;
                if (k == 6) top = t; else count = k + 1;
                return ok;
            }
        }
    }
    op pop() {
        while (true) {
            node t = top;
            if (t == null) return empty;
            node x = t.next;
            if (cas(top, t, x)) return t.item;
        }
    }
}
assert s linearizes stack with threads = any;
""")
        answer, = self.answers(1, "s.lin")
        self.assertIn("1 thread is enough", answer["reason"])

    def test_what_is_not_known_is_said(self):
        # The value that a pop answers is read from a node that another thread has taken out with it.
        self.file("h.lin", HEAP.replace("return v;", "{ free(t); return v; }") +
                  "assert stack_of linearizes stack with threads = any;\n"
                  "assert stack_of never (top != null) with threads = any;\n")
        result = self.expect(2, "verify", "h.lin")
        self.assertIn("h.lin:16: error: expected `nodes = M` beside `threads = any`", result.err)
        self.assertIn("(line 4)", result.err)
        self.assertIn("h.lin:15: violated", result.out)
        self.file("h.lin", HEAP.replace("node t = top;", "node t = top; if (t != null) { node u = t.next; }").replace(
            "op push(value v) {", "op push(value v) only thread 0 {") +
                  "assert stack_of linearizes stack with threads = any;\n"
                  "assert stack_of lock_free with threads = any;\n")
        result = self.expect(2, "verify", "h.lin")
        for asks in ("`nodes = M` asks about at most M allocations", "`threads = M` asks about M threads"):
            self.assertIn("h.lin:3: error: expected operations that any thread may call, with any number of threads "
                          "and of nodes, found `push`, which is for one thread only: " + asks, result.err)

    def test_the_statement_is_named_that_a_specification_is_refused_for(self):
        text = """
            spec picks { int(0..1) last;
                op put(int(0..1) k) {
                    either { last = k; }
                    or { }
                    return ok; } }
            spec told { int(0..1) last;
                op put(int(0..1) k) {
                    if (thread == 0) last = k;
                    return ok; } }
            impl list { struct node { int(0..1) key; node next; } shared node top;
                op put(int(0..1) k) { node n = new node; n.key = k; top = n; return ok; } }
            assert list linearizes picks with threads = any;
            """
        self.file("s.lin", text)
        answer, = self.answers(3, "s.lin")
        self.assertIn("the specification `picks` is not provided for: it may do several things in one call (line 4)",
                      answer["reason"])
        self.file("s.lin", text.replace("linearizes picks", "linearizes told"))
        self.assertIn("s.lin:9: error: expected a specification that can observe", self.expect(2, "verify", "s.lin").err)

    def test_a_specification_of_the_file_observes_a_heap(self):
        text = """
            spec keys {
                bool one; bool two;
                op add(int(1..2) k) { if (k == 1) { bool had = one; one = true; return !had; } bool has = two; two = true; return !has; }
                op clear() { one = false; two = false; return ok; } }
            impl cell { struct node { bool one; bool two; } shared node last;
                init { last = new node; }
                op add(int(1..2) k) {
                    while (true) {
                        node l = last;
                        node n = new node;
                        bool one = l.one;
                        bool two = l.two;
                        if (k == 1 ? one : two) return false;
                        n.one = one || k == 1;
                        n.two = two || k == 2;
                        if (cas(last, l, n)) return true; } }
                op clear() { node n = new node; last = n; return ok; } }
            assert cell linearizes keys with threads = any;
            """
        self.file("k.lin", text)
        answer, = self.answers(0, "k.lin")
        self.assertEqual((answer["verdict"], answer["method"]), ("holds", "views"))
        self.file("k.lin", text.replace("cas(last, l, n)", "swap(last, n) != n"))
        self.assertEqual(self.answers(1, "k.lin")[0]["verdict"], "violated")

    def test_an_enqueue_may_take_effect_in_steps_of_others(self):
        asserted = "assert collected linearizes queue with threads = any;\n"
        self.file("c.lin", COLLECTED + asserted)
        answer, = self.answers(0, "c.lin")
        self.assertEqual((answer["verdict"], answer["method"]), ("holds", "views"))
        self.assertIn("`enqueue` takes effect at some moment between its call and its return, and `dequeue` takes "
                      "effect at line 12", answer["reason"])
        self.file("w.lin", COLLECTED.replace("while (second == n) { }", "") + asserted)
        self.assertEqual(self.answers(1, "w.lin")[0]["verdict"], "violated")

    def test_points_are_given_for_other_threads_operations(self):
        text = """
            impl handed { struct offer { value item; int(0..3) owner; } shared offer slot;
                op push(value v) {
                    offer mine = new offer;
                    mine.item = v;
                    mine.owner = thread;
                    while (!cas(slot, null, mine)) { }
                    while (slot == mine) { }
                    return ok; }
                op pop() {
                    while (true) {
                        offer o = slot;
                        if (o != null) {
                            int(0..3) owner = o.owner;
                            value v = o.item;
                            if (cas(slot, o, null)) { linearize owner: ok; linearize v; return v; } } } } }
            assert handed linearizes stack with threads = any;
            """
        self.file("h.lin", text)
        answer, = self.answers(0, "h.lin")
        self.assertIn("`push` takes effect where who helps says so (line 16), and `pop` takes effect where it says so "
                      "(line 16)", answer["reason"])
        self.file("e.lin", text.replace("linearize owner: ok; linearize v;", "linearize v; linearize owner: ok;"))
        answer, = self.answers(0, "e.lin")
        self.assertIn("`push` takes effect where it is met", answer["reason"])
        self.assertIn("the points that are given do not do", answer["reason"])
        # what is kept of a thread is for points alone
        for old, new, line in (("if (o != null) {", "if (o != null && o.owner == 0) {", 13),
                               ("mine.owner = thread;", "mine.owner = thread; mine.owner = 1;", 6),
                               ("value v = o.item;", "value v = o.item; int k = owner + 1;", 15)):
            self.file("w.lin", text.replace(old, new))
            self.assertIn(f"w.lin:{line}: error: expected the number of a thread to be kept for `linearize T: e;` alone",
                          self.expect(2, "verify", "w.lin").err)
        self.file("w.lin", text.replace("if (o != null) {", "if (o != null && thread == 0) {"))
        self.assertIn("w.lin:13: error: expected no `thread` with any number of threads",
                      self.expect(2, "verify", "w.lin").err)

    def collected_stack(self):
        text = COLLECTED.replace("enqueue", "push").replace("dequeue", "pop").replace(
            "    init { head = new node; tail = head; }\n", "").replace("shared node head; shared node tail;", "shared node top;")
        for queued, piled in (("tail.next = first; tail = first;", "first.next = top; top = first;"),
                              ("tail.next = second; tail = second;", "second.next = top; top = second;"),
                              ("x = head.next;", "x = top;"), ("head = x;", "top = x.next;")):
            text = text.replace(queued, piled)
        return text

    def test_a_push_may_take_effect_in_steps_of_others(self):
        asserted = "assert collected linearizes stack with threads = any;\n"
        self.file("p.lin", self.collected_stack() + asserted)
        answer, = self.answers(0, "p.lin")
        self.assertEqual((answer["verdict"], answer["method"]), ("holds", "views"))
        self.assertIn("`push` takes effect at some moment between its call and its return, and `pop` takes effect at some "
                      "moment between its call and line 11, or its return if it finds nothing", answer["reason"])
        hasty = self.collected_stack().replace("while (first == n) { }", "").replace("while (second == n) { }", "")
        self.file("w.lin", hasty + asserted)
        self.assertEqual(self.answers(1, "w.lin")[0]["verdict"], "violated")

    def test_steps_that_share_a_line_are_told_apart_by_columns(self):
        """A push that takes effect in a pop of another thread, which puts the value into a second node: there is no
        proof, and no violation."""
        text = self.collected_stack().replace("return v;", "node y = new node; y.item = v; return v;")
        self.file("p.lin", text + "assert collected linearizes stack with threads = any;\n")
        answer, = self.answers(3, "p.lin")
        lines = text.split("\n")
        told = [lines[int(line) - 1][int(column) - 1:]
                for line, column in re.findall(r"line (\d+):(\d+)", answer["reason"])]
        self.assertEqual(told, ["!cas(second, null, n)) { } while (second == n) { } }"])
        self.assertIn("the lines on the way there are 5:14 `node n = new node`, 5:35 `n.item = v`", answer["reason"])
        self.assertEqual((lines[4][13:], lines[4][34:]), ("n = new node; n.item = v;", "= v;"))

    def test_a_heap_too_large_to_begin_with_is_not_known(self):
        self.file("h.lin", HEAP.replace("op push(value v) {", """shared node spare;
            shared int(0..45) i;
            init { while (i < 45) { node m = new node; m.next = spare; spare = m; i = i + 1; } }
            op push(value v) {""") + "assert stack_of linearizes stack with threads = any;\n")
        answer, = self.answers(3, "h.lin")
        self.assertEqual(answer["verdict"], "unknown")
        self.assertIn("a thread sees too many nodes that differ", answer["reason"])

    def test_a_specification_has_automata(self):
        self.file("c.lin", """impl i { shared int(0..3) n; op inc() { n = 0; return ok; } }
            spec stack { op push(value v) { return ok; } }
            impl j { shared value x; op push(value v) { x = v; return ok; } }
            impl k { shared bool x; op contains(value v) { return x; } }
            assert i linearizes counter with threads = any;
            assert j linearizes stack with threads = any;
            assert k linearizes set with threads = any;
            """)
        result = self.expect(2, "verify", "c.lin")
        for line, name in (5, "counter"), (6, "stack"):
            self.assertRegex(result.err, r"c.lin:%d: error: expected a specification with violation "
                             r"automata .*queue, stack.*, found `%s`" % (line, name))
        self.assertRegex(result.err, "c.lin:7: error: expected operations that bring in a value, "
                         ".*found `add` of `set`")

    def test_automata_of_the_file(self):
        self.file("b.lin", BAG + """
            impl slots(N) { shared value slot[N];
                op put(value v) { while (true) for (int(0..N) i = 0; i < N; i = i + 1)
                    if (cas(slot[i], null, v)) return ok; }
                op take() { while (true) for (int(0..N) i = 0; i < N; i = i + 1) {
                    value v = swap(slot[i], null);
                    if (v != null) return v; } } }
            impl copies { shared value slot;
                op put(value v) { slot = v; return ok; }
                op take() { value v = slot; slot = null; return v; } }
            assert slots(2) linearizes bag with threads = any;
            assert copies linearizes bag with threads = any;
            """)
        proof, broken = self.answers(1, "b.lin")
        self.assertEqual(proof["verdict"], "holds")
        self.assertIn("if the automata of the file describe all violations of `bag`",
                      proof["reason"])
        self.assertEqual([question["rule"] for question in proof["questions"]],
                         ["range", "fault", "bag_fresh", "bag_repeat", "stuck"])
        self.assertEqual(broken["verdict"], "violated")

    def test_a_specification_of_the_file_leaves_values_alike(self):
        self.file("b.lin", BAG.replace("items = items + [v];",
                                       "if (v == 1) return ok; items = items + [v];") + """
            impl i { shared value x; op put(value v) { x = v; return ok; } }
            assert i linearizes bag with threads = any;
            """)
        line = 1 + BAG[:BAG.index("items = items + [v];")].count("\n")
        self.assertIn(f"b.lin:{line}: error: expected a specification that only keeps, compares and answers values, with any "
                      "number of threads, found that `bag` takes a value for a number here",
                      self.expect(2, "verify", "b.lin").err)

    def test_who_ends_something_has_begun_it(self):
        text = """spec gate { bool open; %s
                op enter() { assume (!open); open = true; return ok; }
                op leave() { open = false; return ok; } }
            automaton two of gate {
                rule "two are inside";
                input Enter = enter(); method Leave = leave();
                initial state none { ret Enter(1) -> one; others -> none; }
                state one { ret Enter(1) -> both; call Leave(1) -> dead; others -> one; }
                accepting state both { others -> both; } }
            impl i { shared bool held;
                op enter() { lock(held); return ok; } op leave() { held = false; return ok; } }
            impl j { shared bool held;
                op enter() { await (!held); held = true; return ok; }
                op leave() { held = false; return ok; } }
            assert i linearizes gate with threads = any;
            assert j linearizes gate with threads = any;
            """
        self.file("free.lin", text % "")
        self.file("order.lin", text % "client enter, leave;")
        self.assertIn("free.lin:1: error: expected `client enter, leave;`",
                      self.expect(2, "verify", "free.lin").err)
        proof, broken = self.answers(1, "order.lin")
        self.assertEqual((proof["verdict"], broken["verdict"]), ("holds", "violated"))
        self.assertIn("`two`: two are inside", broken["reason"])

    def test_an_automaton_more_is_asked_about_too(self):
        # it accepts what is no violation, which nobody can confirm
        self.file("q.lin", """automaton alarm of queue {
                initial state start { ret Deq(1) -> taken; others -> start; }
                accepting state taken { others -> taken; } }
            impl cell { shared value x;
                op enqueue(value v) { await (cas(x, null, v)); return ok; }
                op dequeue() { value v = swap(x, null); return v; } }
            assert cell linearizes queue with threads = any;
            """)
        answer = self.answers(3, "q.lin")[0]
        self.assertEqual([question["rule"] for question in answer["questions"]
                          if question["verdict"] != "safe"], ["alarm"])
        self.assertRegex(answer["reason"], "`alarm` cannot be ruled out: [12] threads? can come "
                         "there, but what (it|they) did is linearizable")

    def test_the_initial_value_is_null(self):
        self.file("i.lin", """impl i { shared value x; op read() { return x; } }
            assert i linearizes register(initial = 3) with threads = any;
            """)
        self.assertIn("begins without a value", self.expect(2, "verify", "i.lin").err)

    # ---- conditions ----

    def test_conditions(self):
        self.file("n.lin", CONDITIONS)
        answers = self.answers(1, "n.lin")
        self.assertEqual([(answer["verdict"], answer.get("threads")) for answer in answers],
                         [expected(line) for line in CONDITIONS.splitlines() if "// " in line])
        proof = answers[0]
        self.assertEqual(proof["method"], "coverability")
        self.assertEqual([question["rule"] for question in proof["questions"]],
                         ["range", "fault", "never"])
        self.assertIn("for any number of threads, operations and values", proof["reason"])
        self.assertIn("the condition is never true", proof["reason"])
        self.assertNotIn("allocation", proof["reason"])
        self.assertIn("at most 2 allocations", answers[-1]["reason"])

    def test_a_condition_that_becomes_true_is_done_again(self):
        # five: more than the search among few threads looks at
        self.file("n.lin", CONDITIONS)
        lines = [number for number, line in enumerate(CONDITIONS.splitlines(), 1)
                 if "inside >" in line and "violated" in line]
        for line, threads in zip(lines, (2, 5)):
            result = self.expect(1, "verify", "--trace", "t.json", "n.lin:%d" % line)
            self.assertIn("%d threads are enough: the condition becomes true" % threads, result.out)
            replayed = self.expect(1, "replay", "t.json").out
            self.assertIn("inside = %d" % threads, replayed)

    def test_a_condition_names_no_thread(self):
        for condition in "running(0)", "held && running(1, acquire)":
            self.refused("threads = any", "over the shared variables, found `running`",
                         "never (%s)" % condition)

    def test_a_condition_is_of_the_class(self):
        self.file("c.lin", """impl i { shared value x; shared value y;
                op write(value v) { value w = x; if (w == v) y = v; x = v; return ok; } }
            assert i never (x == y) with threads = any;
            assert i never (x == y && x != null) with threads = 2;
            """)
        result = self.expect(2, "verify", "-q", "c.lin")
        self.assertIn("c.lin:2: error: expected a comparison with null", result.err)

    def test_a_condition_that_can_fail_is_an_error(self):
        self.file("f.lin", """impl i { struct node { node next; value v; } shared node top; shared bool done;
                op write(value v) { node n = new node; n.v = v; top = n; done = true; return ok; } }
            assert i never (done && top.v == null) with threads = any, nodes = 2;
            assert i never (top.v == null) with threads = any, nodes = 2;
            assert i never (done && top.next.v == null) with threads = any, nodes = 2;
            """)
        result = self.expect(2, "verify", "-q", "f.lin")
        self.assertIn("f.lin:3: holds", result.out)
        for line in 4, 5:
            self.assertRegex(result.err, r"f.lin:%d: error: the condition itself fails: (?!f.lin)" % line)

    def test_no_spec_is_needed_but_for_an_order(self):
        # acquire after acquire: then two hold it
        text = CONDITIONS[:CONDITIONS.index("assert")] + """
            assert test_and_set never (inside > 1) with threads = any, spec = mutex;
            assert test_and_set never (inside > 1) with threads = any;
            """
        self.file("o.lin", text.replace("while (swap(held, true)) { }", "swap(held, true);"))
        self.assertEqual([answer["verdict"] for answer in self.answers(1, "o.lin")],
                         ["violated", "violated"])
        self.file("o.lin", text)
        self.assertEqual([answer["verdict"] for answer in self.answers(1, "o.lin")],
                         ["holds", "violated"])

    # ---- answers true, false and symbols ----

    def test_answers_of_the_file_s_own(self):
        self.file("a.lin", ANSWERS)
        answers = self.answers(1, "a.lin")
        self.assertEqual([(answer["verdict"], answer.get("threads")) for answer in answers],
                         [expected(line) for line in ANSWERS.splitlines() if "// " in line])
        proof = answers[0]
        self.assertEqual([question["rule"] for question in proof["questions"]],
                         ["range", "fault", "points"])
        self.assertIn("each operation takes effect at one of its own steps", proof["reason"])

    def test_a_wrong_answer_that_takes_many_threads_is_done_again(self):
        # four wait outside: then the fifth is let in, more than the search among few looks at
        self.file("m.lin", ANSWERS[:ANSWERS.index("impl tas")] + """
            impl crowd { shared bool l; shared int(0..4) n;
                op try_acquire() { bool got = false;
                    atomic { if (!l) { l = true; got = true; } else if (n == 4) got = true; }
                    if (got) return true;
                    atomic { if (n < 4) n = n + 1; }
                    atomic { if (n > 0) n = n - 1; }
                    return false; }
                op release() { l = false; return ok; } }
            assert crowd linearizes try_lock with threads = any;
            """)
        result = self.expect(1, "verify", "--trace", "t.json", "m.lin")
        self.assertIn("5 threads are enough: `res.try_acquire.4.true` is not possible", result.out)
        self.assertIn("res.try_acquire.4.true", self.expect(1, "replay", "t.json").out)

    def test_what_is_not_proved_says_why(self):
        # an attempt sees only later that somebody had the lock
        text = ANSWERS[:ANSWERS.index("assert")] + """
            impl watches { shared bool l; shared int(0..2) turn;
                op try_acquire() { int(0..2) t = turn; if (turn != t) return false; bool got = false;
                    atomic { if (!l) { l = true; turn = (turn + 1) % 3; got = true; } } return got; }
                op release() { l = false; return ok; } }
            spec vague { op flip() { return choose(0..1) == 1; } }
            impl coin { shared bool b; op flip() { bool o = b; b = !o; return o; } }
            spec same { value last; op put(value v) { if (v == last) return true; last = v; return true; } }
            impl last { shared value x; op put(value v) { x = v; return true; } }
            spec keeps { list q; op put(value v) { q = q + [v]; return true; } }
            impl yes { op put(value v) { return true; } }
            assert watches linearizes try_lock with threads = any;
            assert coin linearizes vague with threads = any;
            assert last linearizes same with threads = any;
            assert yes linearizes keeps with threads = any;
            """
        self.file("u.lin", text)
        vague = 1 + text[:text.index("spec vague")].count("\n")
        answers = self.answers(3, "u.lin")
        self.assertEqual([answer["verdict"] for answer in answers], ["unknown"] * 4)
        for answer, reason in zip(answers, (
                "`points` (an operation answers what it does not at its linearization point) "
                "cannot be ruled out: no steps were found",
                "the specification `vague` is not provided for: it may do several things in one call (line %u)" % vague,
                "the specification `same` is not provided for: it compares values with one another, or keeps them in a "
                "set or map (line %u)" % (vague + 2),
                "the specification `keeps` is not provided for: it keeps too many values")):
            self.assertIn(reason, answer["reason"])

    def test_two_threads_may_pass_one_value_again(self):
        self.file("w.lin", """
            spec same { value last; op put(value v) { if (v == last) return false; last = v; return true; } }
            impl last { shared value x; op put(value v) { x = v; return true; } }
            assert last linearizes same with threads = any;
            """)
        answer, = self.answers(1, "w.lin")
        self.assertEqual(answer["verdict"], "violated")

    def test_what_has_no_such_answers_still_needs_automata(self):
        self.file("c.lin", """spec cell { value x; op put(value v) { x = v; return ok; } }
            impl i { shared value x; op put(value v) { x = v; return ok; } }
            assert i linearizes cell with threads = any;
            """)
        self.assertIn("expected a specification with violation automata",
                      self.expect(2, "verify", "c.lin").err)

    def test_a_bounded_built_in_one_can_be_written_in_the_file(self):
        text = "impl i { shared value x; op enqueue(value v) { return cas(x, null, v); } }\n"
        self.file("b.lin", text + "assert i linearizes queue(1) with threads = any;\n")
        self.assertIn("found `queue(1)`; write it as a specification of the file",
                      self.expect(2, "verify", "b.lin").err)
        spec = """spec room {
            list l;
            op enqueue(value v) { if (len(l) == 1) return false; l = l + [v]; return true; }
        }
        """
        self.file("b.lin", spec + text + "assert i linearizes room with threads = any;\n")
        answer, = self.answers(0, "b.lin")
        self.assertEqual(answer["verdict"], "holds")

    # ---- verdicts ----

    def test_locks(self):
        self.file("l.lin", LOCKS)
        answers = self.answers(1, "l.lin")
        self.assertEqual([answer["verdict"] for answer in answers],
                         ["holds", "violated", "violated", "violated"])
        self.assertEqual([answer.get("threads") for answer in answers], [None, 2, 3, 4])
        proof, broken = answers[0], answers[1]
        self.assertEqual(proof["method"], "coverability")
        self.assertIn("for any number of threads", proof["reason"])
        self.assertNotIn("allocation", proof["reason"])
        self.assertEqual([question["rule"] for question in proof["questions"]],
                         ["range", "fault", "mutex_pair"])
        for question in proof["questions"]:
            self.assertEqual(question["verdict"], "safe")
            self.assertGreater(question["controls"], 0)
            self.assertGreaterEqual(question["places"], question["controls"])
            self.assertGreaterEqual(question["transitions"], 0)
            self.assertIsInstance(question["seconds"], float)
            self.assertIsInstance(question["method"], str)
        self.assertIn("2 threads are enough: ", broken["reason"])
        self.assertIn("it breaks the rule `mutex_pair`: two hold the lock at once",
                      broken["reason"])
        self.assertEqual(broken["failure"], "event")
        self.assertEqual([step["event"] for step in broken["trace"] if step["visible"]],
                         ["inv.acquire.0", "inv.acquire.1", "res.acquire.0", "res.acquire.1"])

    def test_small_models(self):
        self.file("s.lin", SMALL)
        expected = [line.split("// ")[1] for line in SMALL.splitlines() if "// " in line]
        self.assertEqual([answer["verdict"] for answer in self.answers(1, "s.lin")], expected)

    def test_threads_are_counted_from_0(self):
        self.file("s.lin", """impl i {
                shared value x;
                shared value y;
                shared bool done;
                shared bool held;
                op write(value v) {
                    if (done) { y = v; await (!done); return ok; }
                    lock(held);
                    if (done) { held = false; y = v; await (!done); return ok; }
                    x = v;
                    done = true;
                    held = false;
                    return ok;
                }
                op read() {
                    value v = y;
                    if (v != null) { either { return v; } or { return x; } }
                    return x;
                }
            }
            assert i linearizes register with threads = any;
            """)
        answer = self.answers(1, "s.lin")[0]
        self.assertEqual(answer["threads"], 2)
        self.assertEqual({step["process"] for step in answer["trace"]}, {0, 1})

    def test_shared_models(self):
        for name in "locks.lin", "queues.lin":
            path = SHARED / "models" / name
            if not path.exists():
                self.skipTest("the sample models are not here")
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if "threads = any" in line and line.startswith("assert"):
                    expected = line.split("expect: ")[1].strip()
                    answer = self.answers(int(expected == "violated"), "%s:%d" % (path, number))[0]
                    self.assertEqual((number, answer["verdict"]), (number, expected))

    def test_nodes_that_are_given_back(self):
        self.file("t.lin", TREIBER)
        broken, proof = self.answers(1, AT_ONCE, KEPT)
        self.assertEqual((broken["verdict"], broken["threads"]), ("violated", 2))
        self.assertIn("it breaks the rule `stack_empty`", broken["reason"])
        calls = [step["event"] for step in broken["trace"] if step["event"].startswith("inv.push")]
        self.assertEqual(len(calls), len(set(call.split(".")[3] for call in calls)),
                         "each value is pushed once")
        self.assertTrue(any("reused" in value for step in broken["trace"]
                            for value in step["changes"].values()))
        self.assertEqual(proof["verdict"], "holds")
        self.assertIn("at most 2 allocations,", proof["reason"])
        self.assertIn("leftover", [question["rule"] for question in proof["questions"]])

    def test_nodes_of_init_come_besides(self):
        """With one allocation there is one insertion ever, in which nothing can be out of order."""
        self.file("q.lin", """impl loses {
                struct node { value item; node next; }
                shared node head;
                shared node tail;
                init { head = new node; tail = head; }
                op enqueue(value v) {
                    node n = new node;
                    n.item = v;
                    node t = tail;
                    t.next = n;
                    tail = n;
                    return ok;
                }
                op dequeue() {
                    while (true) {
                        node h = head;
                        node x = h.next;
                        if (x == null) return empty;
                        if (cas(head, h, x)) return x.item;
                    }
                }
            }
            assert loses linearizes queue with threads = any, nodes = 1;
            assert loses linearizes queue with threads = any, nodes = 2;
            """)
        once, broken = self.answers(1, "q.lin")
        self.assertEqual(once["verdict"], "unknown")
        self.assertIn("within 1 allocation `enqueue` can complete only once", once["reason"])
        self.assertEqual(broken["verdict"], "violated")
        self.answers(3, "q.lin:23")

    def test_an_answer_says_how_often_operations_complete(self):
        self.file("t.lin", TREIBER.replace("kept linearizes stack with threads = any, nodes = 8",
                                           "kept linearizes stack with threads = any, nodes = 1"))
        twice, once = self.answers(3, KEPT, LARGE)
        self.assertIn("`push` can complete 2 times and `pop` any number of times",
                      twice["reason"])
        self.assertEqual((twice["verdict"], once["verdict"]), ("holds", "unknown"))

    def test_a_proof_that_cannot_be_checked_for_want_of_room_is_none(self):
        """A push links its node only once others may know it, and a pop reads what it has given up the lock for."""
        self.file("s.lin", """
            impl locked {
                struct node { value item; node next; }
                shared node top;
                shared bool l;
                op push(value v) {
                    node n = new node;
                    n.item = v;
                    lock(l);
                    node t = top;
                    top = n;
                    n.next = t;
                    unlock(l);
                    return ok;
                }
                op pop() {
                    lock(l);
                    node t = top;
                    if (t == null) { unlock(l); return empty; }
                    node x = t.next;
                    top = x;
                    unlock(l);
                    value v = t.item;
                    return v;
                }
            }
            assert locked linearizes stack with threads = any;
            """)
        answer, = self.answers(3, "s.lin", "--timeout", "200s")
        self.assertEqual(answer["verdict"], "unknown")
        self.assertIn("the check of what was proved met too many nodes at once", answer["reason"])

    def test_nodes_that_come_back_are_enough(self):
        path = SOURCE / "examples/models/any/two_lock_queue.lin"
        text = re.sub(r"(?m)^assert .*", "", path.read_text())
        self.file("q.lin", text + "\nassert two_locks linearizes queue with threads = any, "
                                  "nodes = 1;\n")
        proof = self.answers(0, "q.lin")[0]
        self.assertIn("at most 1 allocation besides those of `init`", proof["reason"])
        self.assertIn("`enqueue` can complete any number of times", proof["reason"])

    def test_an_operation_that_waits_for_one_that_is_called_later(self):
        self.file("h.lin", HANDOFF)
        answer = self.answers(0, "h.lin")[0]
        self.assertEqual(answer["verdict"], "holds")
        self.assertIn("stuck", [question["rule"] for question in answer["questions"]])

    def test_only_one_thread_of_a_number(self):
        text = """impl i {
                shared bool held;
                op acquire() %s {
                    await (!held);
                    held = true;
                    return ok;
                }
                op release() { held = false; return ok; }
            }
            assert i linearizes mutex with threads = any;
            """
        self.file("one.lin", text % "only thread 3")
        self.file("all.lin", text % "")
        self.assertEqual(self.answers(0, "one.lin")[0]["verdict"], "holds")
        self.assertEqual(self.answers(1, "all.lin")[0]["threads"], 2)

    def test_a_fault_of_the_algorithm(self):
        self.file("f.lin", """impl i {
                struct node { node next; }
                shared node top;
                init { top = new node; }
                op acquire() {
                    node t = top;
                    node x = t.next;
                    top = x;
                    return ok;
                }
            }
            assert i linearizes mutex with threads = any;
            """)
        answer = self.answers(1, "f.lin")[0]
        self.assertIn("f.lin:7: a null reference is followed", answer["reason"])

    def test_an_error_of_the_model(self):
        # only the seventh thread leaves the range: more than are looked at by themselves
        self.file("e.lin", """impl i {
                shared int(0..6) n;
                op write(value v) {
                    int i = fetch_add(n, 1);
                    i = fetch_add(n, -1);
                    return ok;
                }
            }
            assert i linearizes register with threads = any;
            """)
        result = self.expect(2, "verify", "e.lin")
        self.assertEqual(result.out, "")
        self.assertIn("e.lin:4: error: expected an int from 0 to 6, found 7", result.err)
        self.assertIn("found while deciding e.lin:9", result.err)
        self.assertIn("inv.write.5.6 (process 5)", result.err)

    def test_an_answer_that_the_object_never_gives(self):
        self.file("a.lin", """impl i {
                shared value x;
                op write(value v) { x = v; return ok; }
                op read() { value v = x; if (v == null) return full; return v; }
            }
            assert i linearizes register with threads = any;
            """)
        answer = self.answers(1, "a.lin")[0]
        self.assertIn("res.read=full.0", answer["reason"])
        self.assertIn("1 thread is enough", answer["reason"])

    def test_what_is_answered_where_nothing_is_asked(self):
        adds = """impl i { shared value x; op %s(value v) { value w = swap(x, v); return %s; } }
            assert i linearizes %s with threads = any;
            assert i linearizes %s with threads = 2;
            """
        locks = """impl i { shared bool held;
                op acquire() { lock(held); return %s; }
                op release() { held = false; return %s; } }
            assert i linearizes mutex with threads = any;
            assert i linearizes mutex with threads = 2;
            """
        for answer in "ok", "empty", "true", "full", "w", "v":
            models = [adds % ("write", answer, "register", "register"),
                      adds % ("enqueue", answer, "queue", "queue")]
            if answer not in "vw":
                models.append(locks % (answer, answer))
            for model in models:
                self.file("a.lin", model)
                self.assertEqual([line["verdict"] for line in self.answers(0, "a.lin")],
                                 ["holds", "holds"], model)

    # ---- options ----

    def test_reductions_and_order_keep_verdicts(self):
        self.file("l.lin", LOCKS)
        for options in (["--reduce", "none"], ["--reduce", "symmetry"], ["--search", "depth"]):
            answers = self.answers(1, *options, "l.lin")
            self.assertEqual([answer["verdict"] for answer in answers],
                             ["holds", "violated", "violated", "violated"])

    def test_junit_and_text(self):
        self.file("l.lin", LOCKS)
        result = self.expect(1, "verify", "--junit", "j.xml", "l.lin")
        self.assertIn("what could be wrong", result.out)
        self.assertRegex(result.out, r"\n    mutex_pair +never +pairs +\d+ +\d+ +\d+ +0\.\d+\n")
        self.assertIn("acquire by process 1 while process 0 held the mutex", result.out)
        junit = (self.folder / "j.xml").read_text()
        self.assertEqual(junit.count("<testcase"), 4)
        self.assertEqual(junit.count("<failure"), 3)

    # ---- traces and walks ----

    def test_replay(self):
        self.file("t.lin", TREIBER)
        self.expect(1, "verify", "-q", "--trace", "t.json", AT_ONCE)
        trace = json.loads((self.folder / "t.json").read_text())
        self.assertRegex(trace["process"], r"threads = any, nodes = 2 \[2 threads, \d+ values\]$")
        result = self.expect(1, "replay", "t.json")
        self.assertIn("%d steps, taken again on the model" % len(trace["trace"]), result.out)
        self.assertIn("2 threads are enough", result.out)
        walked = self.expect(0, "simulate", "--json", "--along", "t.json", "t.lin").objects()[0]
        self.assertEqual(len(walked["trace"]), len(trace["trace"]))
        trace["trace"][-1]["event"] = "res.pop.0.9"
        self.file("t.json", json.dumps(trace))
        self.assertIn("cannot take step", self.expect(2, "replay", "t.json").err)

    def test_a_walk_wants_a_number(self):
        self.file("l.lin", LOCKS)
        assertion = "ticket(3) linearizes mutex with threads = any"
        for command in ["simulate"], ["graph"], ["simulate", "--seed", "1"]:
            self.assertIn("[2 threads, 2 values]`", self.expect(2, *command, "l.lin").err)
        walk = self.expect(0, "simulate", "--json", "--steps", "9", "l.lin",
                           assertion + " [3 threads, 1 values]").objects()[0]
        self.assertEqual(len(walk["trace"]), 9)
        self.assertIn("held = false", self.expect(0, "graph", "l.lin",
                      "test_and_set linearizes mutex with threads = any [2 threads, 1 values]").out)
        for wrong in (assertion + " [0 threads, 1 values]", assertion + " [3 threads]",
                      "ticket(3) linearizes mutex with threads = 2 [3 threads, 1 values]"):
            self.expect(2, "simulate", "l.lin", wrong)

    # ---- limits ----

    def test_limits_leave_it_open(self):
        self.file("t.lin", TREIBER)
        for option, value, limit in (("--timeout", "300ms", "time"), ("--memory", "64M", "memory")):
            answer = self.answers(3, option, value, LARGE)[0]
            self.assertEqual((answer["verdict"], answer["limit"]), ("unknown", limit))
            self.assertRegex(answer["reason"], r"^the %s limit of .* was reached after \d of 8 "
                             r"questions were answered; open: `\w+`.*few threads with up to \d+ "
                             "operations together show no violation$" % limit)
            self.assertEqual(len(answer["questions"]), 8)

    def test_an_interrupt_leaves_it_open(self):
        self.file("t.lin", TREIBER)
        process = self.start("verify", LARGE)
        wait_until(lambda: blocks_interrupts(process))
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate()
        self.assertEqual(process.returncode, 3)
        self.assertIn(b"unknown", out)
        self.assertIn(b"interrupted", out)


if __name__ == "__main__":
    main()
