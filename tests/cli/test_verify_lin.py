#!/usr/bin/env python3
"""Implementations in .lin: verdicts, traces, replay, walks and drawings."""
from program import SOURCE, Case, main

COUNTER = """impl counting {
    shared int(0..9) n;
    op inc() {
        int t = n;
        n = t + 1;
        return ok;
    }
    op read() { return n; }
}
assert counting linearizes counter with threads = 2, ops = 2;
assert counting linearizes counter with threads = 1, ops = 3;
"""

POINTS = """impl slot { shared value x;
    op write(value v) {
        x = v;
        linearize ok;
        return ok;
    }
    op read() {
        value v = x;
        linearize v;
        return v;
    }
}
impl late { shared value x;
    op write(value v) { x = v; atomic { linearize ok; } return ok; }
    op read() { value v = x; linearize v; return v; }
}
impl twice { shared value x;
    op write(value v) { linearize;
        x = v; linearize ok; return ok; }
    op read() { value v = x; linearize v; return v; }
}
assert slot linearizes register with points, values = 1;
assert late linearizes register with points, values = 1;
assert late linearizes register with points = complete, values = 1;
assert late linearizes register with values = 1;
assert twice linearizes register with points, threads = 1;
"""

PROGRAM = """impl slot { shared value x;
    op write(value v) { x = null; x = v; return ok; }
    op read() { return x; }
}
impl stuck { op write(value v) { return ok; } op read() { await (false); return empty; } }
program p {
    thread { write(2); print 0; }
    thread { await (thread == 1); write(2); value v = read(); print v; }
}
assert p with slot refines p with register;
assert p with register refines p with slot;
assert p with stuck refines p with register;
assert p with register refines p with stuck;
"""

SPIN = """impl spin {
    shared bool held;
    op acquire() { lock(held); return ok; }
    op release() { unlock(held); return ok; }
}
"""


class Lin(Case):
    def test_verdicts_and_story(self):
        self.file("c.lin", COUNTER)
        result = self.expect(1, "verify", "--json", "c.lin")
        first, second = result.objects()
        self.assertEqual((first["line"], first["verdict"], first["method"]),
                         (10, "violated", "linearizability"))
        self.assertEqual(first["assertion"],
                         "assert counting linearizes counter with threads = 2, ops = 2")
        self.assertEqual(second["verdict"], "holds")
        events = [step["event"] for step in first["trace"]]
        self.assertIn("4: int t = n", events)
        self.assertIn("inv.inc.0", events)
        text = self.expect(1, "verify", "c.lin:10").out
        self.assertIn("read returned 1 after 2 additions had taken place", text)

    def test_a_step_is_shown_without_the_comment_behind_it(self):
        self.file("c.lin", COUNTER.replace("int t = n;", "int t = n; // read").replace(
            "n = t + 1;", "n = t /* one */ + 1;"))
        events = [step["event"] for step in
                  self.expect(1, "verify", "--json", "c.lin").objects()[0]["trace"]]
        self.assertIn("4: int t = n", events)
        self.assertIn("5: n = t", events)

    def test_the_operations_of_a_set_are_drawn_with_their_keys(self):
        self.file("s.lin", """impl forgetful { op add(int(4..4) k) { return true; }
                op remove(int(4..4) k) { return false; } op contains(int(4..4) k) { return false; } }
            assert forgetful linearizes set with threads = 1, ops = 2;
            """)
        self.assertRegex(self.expect(1, "verify", "s.lin").out,
                         "━ add 4 → true ━┫ ┣━ (add 4 → true|(remove|contains) 4 → false) ━┫")

    def test_the_number_of_threads_is_a_constant(self):
        self.file("n.lin", """spec counted(N) { op read() { return N; } }
            impl i { shared int(0..threads) n; shared bool seen[threads];
                init { for (int k = 0; k < threads; k++) n = n + 1; }
                op read() { seen[threads - 1] = true; return threads; } }
            assert i linearizes counted(3) with threads = 3, ops = 1;
            assert i linearizes counted(3) with threads = 2, ops = 1;
            assert i never (n != threads) with threads = 3;
            """)
        answers = self.expect(1, "verify", "--json", "n.lin").objects()
        self.assertEqual([answer["verdict"] for answer in answers], ["holds", "violated", "holds"])

    def test_init_may_make_nodes_in_any_order_and_lose_some(self):
        """Nodes keep the names that they were given there, whatever refers to them."""
        self.file("i.lin", """impl i { struct box { value v; } shared box a; shared box b;
                init { b = new box; b = new box; a = new box; }
                op write(value v) { a = null; return ok; } op read() { return null; } }
            assert i linearizes register;
            assert i never (a == null);
            assert i linearizes register with threads = any, nodes = 3;
            """)
        for answer in self.expect(1, "verify", "--json", "i.lin").objects():
            self.assertEqual(answer["verdict"], "violated")
            self.assertEqual((answer["start"]["a"], answer["start"]["b"]), ("box3", "box2"))

    def test_operations_that_the_implementation_lacks(self):
        self.file("m.lin", """impl half { shared int n; op inc() { fetch_add(n, 1); return ok; } }
            impl both { shared value x; op write(value v) { x = v; return ok; } op read() { return x; } }
            spec one { int n = 0; op inc() { n = n + 1; return ok; } op dec() { n = n - 1; return ok; } }
            assert half linearizes counter;
            assert half linearizes one with ops = any;
            assert both linearizes register;
            assert both linearizes register with threads = any;
            impl blind { shared value x; op write(value v) { x = v; return ok; } }
            assert blind linearizes register with threads = any;
            """)
        result = self.expect(0, "verify", "--json", "m.lin:4", "m.lin:6", "m.lin:7", "m.lin:9")
        self.assertEqual([answer.get("missing") for answer in result.objects()],
                         [["add", "read"], None, None, ["read"]])
        said = " ".join(self.expect(0, "verify", "m.lin:4").out.split())
        self.assertIn("nothing is proved of `add` and `read`, which the specification has and the implementation "
                      "lacks", said)

    def test_operations_that_the_client_order_does_not_come_to(self):
        """Of a lock that can only be released nothing is ever done, whatever `release` does; with
        `peek`, which is called at any time, something is."""
        self.file("r.lin", """impl rel_only { shared bool held; op release() { held = false; return ok; } }
            impl acq_only { shared bool held; op acquire() { lock(held); return ok; } }
            spec gate { client open, pass, shut; bool b = false;
                op open() { assume (!b); b = true; return ok; } op pass() { return ok; }
                op shut() { assume (b); b = false; return ok; } op peek() { return b; } }
            impl half_gate { shared bool b; op open() { lock(b); return ok; }
                op shut() { b = true; return ok; } op peek() { return b; } }
            assert rel_only linearizes mutex;
            assert rel_only linearizes mutex with threads = any;
            assert rel_only lock_free with spec = mutex, ops = any;
            assert rel_only deadlock_free with spec = mutex;
            assert rel_only never (held) with spec = mutex, threads = any;
            assert rel_only satisfies [] !(held) with spec = mutex;
            assert acq_only linearizes mutex with ops = 1;
            assert half_gate linearizes gate with ops = 2;
            assert half_gate obstruction_free with ops = 2, threads = 1;
            assert acq_only deadlock_free with spec = mutex, ops = any;
            """)
        unknown = self.expect(3, "verify", "--json", *["r.lin:%d" % line for line in range(8, 14)])
        for answer in unknown.objects():
            self.assertEqual(answer["verdict"], "unknown")
            self.assertEqual(answer["reason"], "no operation is ever called: nothing was asked")
            self.assertEqual((answer["missing"], answer["never_called"]), (["acquire"], ["release"]))
        holds = self.expect(0, "verify", "--json", "r.lin:14", "r.lin:15", "r.lin:16").objects()
        self.assertEqual([answer["verdict"] for answer in holds], ["holds"] * 3)
        self.assertEqual([(answer["missing"], answer.get("never_called")) for answer in holds],
                         [(["release"], None), (["pass"], ["shut"]), (["pass"], ["shut"])])
        # Nobody releases: the deadlock is one, and so is what it comes from.
        violated = self.expect(1, "verify", "--json", "r.lin:17").objects()[0]
        self.assertEqual(violated["missing"], ["release"])
        said = " ".join(self.expect(0, "verify", "r.lin:15").out.split())
        self.assertIn("of `pass`, which the specification has and the implementation lacks, nor of `shut`, which "
                      "is never called: the client order does not come to it", said)
        self.assertIn("unknown", self.expect(3, "verify", "-q", "r.lin:8").out)

    def test_the_client_order_of_a_specification_that_is_not_there(self):
        """Calls in any order would be another question, and a free lock be released."""
        self.file("o.lin", """spec door(K) { int n = 0; op enter() { await (n < K); n = n + 1; return ok; } }
            impl spin { shared bool held; op acquire() { lock(held); return ok; }
                op release() { unlock(held); return ok; } }
            impl open_door { op enter() { return ok; } }
            assert spin deadlock_free with spec = mutx;
            assert spin never (held) with threads = any, spec = mutx;
            assert spin satisfies [] !(held) with ops = 1,
                spec = mutx;
            assert open_door lock_free with threads = 1,
                spec = door;
            assert spin deadlock_free with spec = mutex;
            """)
        for asked, line in ((5, 5), (6, 6), (7, 8)):
            error = self.expect(2, "verify", "o.lin:%d" % asked).err
            self.assertTrue(error.startswith("o.lin:%d: error: expected a specification (" % line), error)
            self.assertIn("found mutx; did you mean mutex?", error)
        error = self.expect(2, "verify", "o.lin:9").err
        self.assertTrue(error.startswith("o.lin:10: error: expected door(K), found too few"), error)
        self.expect(0, "verify", "o.lin:11")

    def test_a_thread_that_there_is_not(self):
        self.file("t.lin", """impl i { shared bool b;
                op f() { b = true; return ok; }
                op g() only thread 3 { b = false; return ok; } }
            impl j { shared int(0..1) b; op f() { b = 1; return ok; } }
            spec s { op f() { return ok; } op g() { return ok; } }
            assert i linearizes s with threads = 2;
            assert i linearizes s with threads = 4, ops = 1;
            assert j never (b == 2 && running(2)) with threads = 2;
            assert j never (running(-1)) with threads = 2;
            assert j satisfies [] !(b == 2 && running(2)) with threads = 2;
            assert j satisfies [] !call.f(2) with threads = 2;
            assert j never (b == 2 && running(1)) with threads = 2;
            """)
        result = self.expect(2, "verify", "-q", "t.lin")
        self.assertIn("t.lin:3: error: expected the number of a thread, 0 to 1, found 3", result.err)
        for line in 8, 9, 10, 11:
            self.assertIn("t.lin:%d: error: expected the number of a thread, 0 to 1" % line,
                          result.err)
        for line in 7, 12:
            self.assertIn("t.lin:%d: holds" % line, result.out)

    def undecided_for_nodes(self, text, number, calls):
        """Assertion `number` is unknown, with a run in which so many calls have returned, and another
        one waits for a node; those before it hold."""
        self.file("p.lin", text)
        lines = ["p.lin:%d" % line for line, row in enumerate(text.splitlines(), 1)
                 if "assert" in row]
        if number > 0:
            self.expect(0, "verify", *lines[:number])
        answer = self.expect(3, "verify", "--json", lines[number]).objects()[0]
        self.assertEqual(answer["verdict"], "unknown")
        self.assertIn("for lack of nodes alone", answer["reason"])
        events = [step["event"] for step in answer["trace"] if step["visible"]]
        self.assertEqual(sum(event.startswith("inv.") for event in events), calls + 1)
        self.assertEqual(sum(event.startswith("res.") for event in events), calls)
        return answer

    def test_a_leak_is_no_reason_to_be_wait_free(self):
        """The loop in `inc` is the classic one that is lock-free and not wait-free."""
        text = """impl leaky_log {
                struct node { node older; }
                shared node last;
                op inc() {
                    node n = new node;
                    while (true) { node o = last; n.older = o; if (cas(last, o, n)) return ok; }
                }
                op read() { return 0; }
            }
            assert leaky_log lock_free with ops = any, nodes = 4;
            assert leaky_log wait_free with ops = 2, nodes = 4;
            assert leaky_log %s with ops = any, nodes = 4;
            """
        for property in "wait_free", "starvation_free":
            answer = self.undecided_for_nodes(text % property, 2, 4)
            self.assertIn("has taken 4 of 4", answer["reason"])
            self.assertIn("`inc` of thread 0 waits for a node and can never complete",
                          answer["reason"])
        holds = self.expect(3, "verify", "-q", "p.lin").out
        self.assertIn("nodes ran out (there are 4)", holds)
        self.assertIn("whether nodes last for further ones is not asked", holds)

    def test_a_leak_that_only_calls_to_come_are_spared(self):
        """Whoever toggles lets the next `inc` return; not the one that waits, and the loop in which
        it would go on is the classic one. Or `inc` takes a node only where it met another one, which
        is why a run of it alone shows nothing."""
        push = "node n = new node; while (true) { node h = head; n.next = h; if (cas(head, h, n)) break; }"
        start = "struct node { node next; } shared node head; "
        text = """impl cond_log { %s shared bool on;
                op toggle() { bool b = on; on = !b; return ok; }
                op inc() { if (on) { %s } return ok; } }
            impl met_log { %s shared int(0..2) inside;
                op inc() {
                    bool met = false;
                    if (fetch_add(inside, 1) == 1) met = true;
                    if (met) { %s }
                    fetch_add(inside, -1);
                    return ok; } }
            assert %s lock_free with ops = any, nodes = 3;
            assert %s %s with ops = any, nodes = 3;
            """
        for property in "wait_free", "starvation_free":
            for name in "cond_log", "met_log":
                self.file("c.lin", text % (start, push, start, push, name, name, property))
                answers = self.expect(3, "verify", "--json", "c.lin").objects()
                self.assertEqual([answer["verdict"] for answer in answers], ["holds", "unknown"])
                self.assertIn("which has taken 3 of 3, `inc` of thread", answers[1]["reason"])
                took = [step for step in answers[1]["trace"] if "new node" in step["event"]]
                self.assertEqual(len(took), 3)

    def test_optimistic_queue(self):
        """Ladan-Mozes and Shavit (2004): `next` leads to all nodes that were ever dequeued."""
        text = """impl optimistic_queue {
                struct node { value item; node next; node prev; }
                shared node head;
                shared node tail;
                init { head = new node; tail = head; }
                op enqueue(value v) {
                    node n = new node;
                    n.item = v;
                    while (true) {
                        node t = tail;
                        n.next = t;
                        if (cas(tail, t, n)) {
                            t.prev = n;
                            return ok;
                        }
                    }
                }
                op dequeue() {
                    while (true) {
                        node h = head;
                        node t = tail;
                        node f = h.prev;
                        if (h != head) continue;
                        if (h == t) return empty;
                        if (f == null) {
                            node c = t;
                            while (h == head && c != h) {
                                node x = c.next;
                                x.prev = c;
                                c = x;
                            }
                            continue;
                        }
                        value v = f.item;
                        if (cas(head, h, f)) return v;
                    }
                }
            }
            assert optimistic_queue linearizes queue with threads = 2, ops = 2, values = 2;
            assert optimistic_queue lock_free with ops = any, nodes = 4, values = 1;
            assert optimistic_queue wait_free with ops = any, nodes = 4, values = 1;
            """
        self.undecided_for_nodes(text, 2, 3)  # one node is that of `init`

    def test_universal_construction(self):
        """Herlihy and Shavit's lock-free one: a log of all that was ever done, kept by its tail."""
        text = """impl universal {
                struct node { node decided; node next; int(0..9) seq; }
                shared node tail;
                shared node head[2];
                init { tail = new node; tail.seq = 1; head[0] = tail; head[1] = tail; }
                op inc() {
                    node prefer = new node;
                    while (prefer.seq == 0) {
                        node a = head[0];
                        node b = head[1];
                        int i = a.seq;
                        int j = b.seq;
                        node before = a;
                        if (j > i) before = b;
                        cas(before.decided, null, prefer);
                        node after = before.decided;
                        before.next = after;
                        int s = before.seq;
                        after.seq = s + 1;
                        head[thread] = after;
                    }
                    node at = tail;
                    while (at != prefer) at = at.next;
                    return ok;
                }
                op read() {
                    node a = head[0];
                    node b = head[1];
                    int i = a.seq;
                    int j = b.seq;
                    return i > j ? i - 1 : j - 1;
                }
            }
            assert universal linearizes counter with threads = 2, ops = 2;
            assert universal lock_free with ops = any, nodes = 4;
            assert universal wait_free with ops = any, nodes = 4;
            """
        self.undecided_for_nodes(text, 2, 3)

    def test_one_operation_that_uses_up_all_nodes(self):
        """It never returns; that it stops is the pool's doing."""
        self.file("p.lin", """impl hoard {
                struct node { node older; }
                shared node all;
                op keep() { while (true) { node n = new node; node o = all; n.older = o; all = n; } }
                op look() { return all == null ? 0 : 1; }
            }
            assert hoard lock_free with ops = any, nodes = 3;
            assert hoard obstruction_free with ops = any, nodes = 3;
            assert hoard deadlock_free with ops = any, nodes = 3;
            assert hoard wait_free with ops = any, nodes = 3;
            """)
        for answer in self.expect(3, "verify", "--json", "p.lin").objects():
            self.assertEqual(answer["verdict"], "unknown")
            self.assertIn("`keep` of thread 0, alone, has taken 3 of 3", answer["reason"])
            self.assertEqual(sum("new node" in step["event"] for step in answer["trace"]), 3)
            self.assertEqual({step["process"] for step in answer["trace"]}, {0})

    def test_a_pool_that_others_fill_again_is_no_leak(self):
        """A push that waits on the full stack goes on as soon as somebody pops."""
        self.file("p.lin", (SOURCE / "examples/models/treiber.lin").read_text() + """
            assert treiber lock_free with threads = 2, ops = any, nodes = 2;
            assert treiber obstruction_free with threads = 2, ops = any, nodes = 2;
            assert treiber wait_free with threads = 2, ops = any, nodes = 2;
            """)
        answers = self.expect(1, "verify", "--json", "p.lin").objects()[-3:]
        self.assertEqual([answer["verdict"] for answer in answers], ["holds", "holds", "violated"])

    def test_operations_that_run_out_are_told(self):
        """With the lock in hand, so that the other waits for ever."""
        self.file("p.lin", """impl l { shared bool b;
                op acquire() { lock(b); return ok; } op release() { unlock(b); return ok; } }
            assert l linearizes mutex;
            assert l deadlock_free with ops = 1;
            assert l deadlock_free with ops = any;
            """)
        few = self.expect(0, "verify", "-q", "p.lin:4").out
        self.assertIn("ran out in the middle of its client order", " ".join(few.split()))
        self.assertEqual(self.expect(0, "verify", "-q", "p.lin:5").out.count("\n"), 1)

    def test_init_may_make_nodes_in_a_loop(self):
        """Five nodes are as good as five statements with `new`."""
        self.file("p.lin", """impl pooled(N) {
                struct node { value item; node next; }
                shared node spare;
                shared value last;
                init { for (int i = 0; i < N; i++) { node n = new node; n.next = spare; spare = n; } }
                op write(value v) { last = v; return ok; }
                op read() {
                    node n = spare;
                    for (int i = 1; i < N; i++) n = n.next;
                    if (n.next != null) return null;
                    return last;
                }
            }
            assert pooled(5) linearizes register with threads = 2, ops = 1;
            assert pooled(5) linearizes register with nodes = 5, threads = 2, ops = 1;
            assert pooled(5) linearizes register with threads = any;
            assert pooled(5) linearizes register with nodes = 4;
            """)
        result = self.expect(2, "verify", "--json", "p.lin")
        self.assertEqual([answer["verdict"] for answer in result.objects()], ["holds"] * 3)
        self.assertIn("found none: it makes more nodes than `nodes =` says", result.err)

    def test_init_that_makes_nodes_for_ever_is_refused(self):
        self.file("p.lin", """impl i {
                struct node { node next; }
                shared node all;
                shared value x;
                init { while (true) { node n = new node; n.next = all; all = n; } }
                op write(value v) { x = v; return ok; }
            }
            assert i linearizes register;
            """)
        result = self.expect(2, "verify", "p.lin")
        self.assertIn("expected an `init` that makes at most", result.err)

    def test_reductions_keep_verdicts(self):
        self.file("c.lin", COUNTER)
        for reduce in ("none", "intervals", "partial-order", "slice", "antichain", "write-once",
                       "pure-iterations", "stale-reads", "dead-fields", "decided-steps", "sticky-fields", "default"):
            answers = self.expect(1, "verify", "--json", "--reduce", reduce, "c.lin").objects()
            self.assertEqual([answer["verdict"] for answer in answers], ["violated", "holds"])

    def test_fields_written_once_need_no_step(self):
        """A field that is written once costs no states where it is read; one that is not does."""
        text = ("impl r { struct box { value v; } shared box b; init { b = new box; }\n"
                "op write(value v) { box x = new box; x.v = v; b = x; %s return ok; }\n"
                "op read() { box x = b; return x.v; } }\nassert r linearizes register;\n")
        self.file("once.lin", text % "")
        self.file("again.lin", text % "x.v = v;")
        plain, = self.expect(0, "verify", "--json", "--reduce=none", "once.lin").objects()
        reduced, = self.expect(0, "verify", "--json", "--reduce=write-once", "once.lin").objects()
        self.assertEqual(reduced["reductions"], ["write-once"])
        self.assertLess(reduced["states"], plain["states"])
        self.assertIn("written once: box.v", self.expect(0, "verify", "-vv", "once.lin").err)
        again, = self.expect(0, "verify", "--json", "--reduce=write-once", "again.lin").objects()
        self.assertEqual(again["reductions"], [])

    def test_to_try_again_costs_no_states(self):
        """An operation that fails and tries again is not looked at once more; one that counts how often is."""
        text = ("impl r { shared int c; op inc() { int n = 0; while (true) {\nint t = c;\n"
                "if (cas(c, t, t + 1)) return ok; %s } } }\n"
                "assert r linearizes counter with threads = 3, ops = 1;\n")
        self.file("once.lin", text % "")
        self.file("counted.lin", text % "n = n + 1; assert (n < 4);")
        plain, = self.expect(0, "verify", "--json", "--reduce=none", "once.lin").objects()
        reduced, = self.expect(0, "verify", "--json", "--reduce=pure-iterations", "once.lin").objects()
        self.assertEqual(reduced["reductions"], ["pure-iterations"])
        self.assertLess(reduced["transitions"], plain["transitions"])
        self.assertIn("pure iterations from line 2 on", self.expect(0, "verify", "-vv", "once.lin").err)
        plain, = self.expect(0, "verify", "--json", "--reduce=none", "counted.lin").objects()
        counted, = self.expect(0, "verify", "--json", "--reduce=pure-iterations", "counted.lin").objects()
        self.assertEqual(counted["transitions"], plain["transitions"])

    def test_what_is_stale_is_not_looked_at(self):
        """Who holds a node that is no longer in the stack costs no states; a stack that puts one back is not taken for one."""
        text = ("impl s { struct node { value item; node next; } shared node top;\n"
                "op push(value v) { node n = new node; n.item = v; node t; do {\nt = top;\nn.next = t;\n"
                "} while (!cas(top, t, n)); return ok; }\n"
                "op pop() { while (true) { node t = top; if (t == null) return empty; node x = t.next;\n"
                "if (cas(top, t, x)) { %s return t.item; } } } }\n"
                "assert s linearizes stack with threads = 2, ops = 2, values = 1;\n")
        self.file("gone.lin", text % "")
        self.file("back.lin", text % "cas(top, x, t); cas(top, t, x);")
        plain, = self.expect(0, "verify", "--json", "--reduce=none", "gone.lin").objects()
        reduced, = self.expect(0, "verify", "--json", "--reduce=stale-reads", "gone.lin").objects()
        self.assertEqual(reduced["reductions"], ["stale-reads"])
        self.assertLess(reduced["states"], plain["states"])
        self.assertIn("no stale reads before line", self.expect(0, "verify", "-vv", "gone.lin").err)
        back, = self.run_program("verify", "--json", "--reduce=stale-reads", "back.lin").objects()
        self.assertEqual(back["reductions"], [])

    def test_fields_that_nobody_will_read_cost_no_states(self):
        """What a node held in front of a queue is forgotten; where somebody looks at it, it is not."""
        text = ("impl q { struct node { value item; node next; } shared node head; shared node tail;\n"
                "init { head = new node; tail = head; }\n"
                "op enqueue(value v) { node n = new node; n.item = v; atomic { tail.next = n; tail = n; } return ok; }\n"
                "op dequeue() { while (true) { node h = head; node x = h.next; if (x == null) return empty;\n"
                "%s if (cas(head, h, x)) return x.item; } } }\n"
                "assert q linearizes queue with threads = 2, ops = 2;\n")
        self.file("front.lin", text % "")
        self.file("looks.lin", text % "value v = h.item;\nassert (v != null || v == null);\n")
        plain, = self.expect(0, "verify", "--json", "--reduce=none", "front.lin").objects()
        reduced, = self.expect(0, "verify", "--json", "--reduce=dead-fields", "front.lin").objects()
        self.assertEqual(reduced["reductions"], ["dead-fields"])
        self.assertLess(reduced["states"], plain["states"])
        self.file("few.lin", (text % "").replace("ops = 2;", "ops = 2, nodes = 6;"))
        self.file("free.lin", text % "if (x == h) free(h);")
        self.file("linked.lin", text % "node l = ll(tail);")
        for name in "few.lin", "free.lin", "linked.lin":
            answer, = self.expect(0, "verify", "--json", "--reduce=dead-fields", name).objects()
            self.assertEqual(answer["reductions"], [])
        self.assertIn("not read by way of head: node.item", self.expect(0, "verify", "-vv", "front.lin").err)
        self.assertNotIn("head: node.item", self.expect(0, "verify", "-vv", "looks.lin").err)

    def test_fields_are_shown_as_they_are(self):
        """What nobody will read is in the states that a trace shows all the same."""
        self.file("w.lin", """impl w { struct node { value item; node next; } shared node top;
            op push(value v) { node n = new node; n.item = v; node t = top; n.next = t; top = n; return ok; }
            op pop() { node t = top; if (t == null) return empty; node x = t.next; top = x; return t.item; } }
            assert w linearizes stack with threads = 2, ops = 2, values = 2;
            """)
        result, = self.expect(1, "verify", "--json", "w.lin").objects()
        shown, = self.expect(1, "verify", "--json", "--reduce=none", "w.lin").objects()
        for answer in (result, shown):
            items = {change for step in answer["trace"] for name, change in (step["changes"] or {}).items()
                     if name.endswith(".item")}
            self.assertTrue(items and items <= {"1", "2"}, items)

    def test_progress_shows_the_step_that_fails(self):
        self.file("n.lin", """impl early {
    struct node { value item; node next; }
    shared node top;
    op pop() {
        node t = top;
        node x = t.next;
        return t.item;
    }
}
assert early lock_free with threads = 2, ops = any, nodes = 1;
assert early wait_free with threads = 2, ops = 1, nodes = 1;
""")
        for answer in self.expect(1, "verify", "--json", "n.lin").objects():
            self.assertEqual(answer["reason"], "n.lin:6: a null reference is followed")
            self.assertEqual(answer["trace"][-1]["event"], "6: node x = t.next")

    def test_a_violation_that_has_room_only_without_dead_fields_is_told(self):
        """Shown with all fields, the nodes that are left behind are still to be reached, and no new one can be made."""
        self.file("r.lin", """spec one { op put() { } }
impl loses {
    struct node { node next; }
    shared node top, last;
    init { top = new node; last = new node; top.next = last; }
    op put() {
        node e = top, x;
        bool b;
        while (true) {
            x = new node;
            e = last;
            cas(e.next, null, x);
            e = last;
            x = e.next;
            b = cas(last, e, x);
        }
    }
}
assert loses linearizes one with threads = 2, ops = 1;
""")
        self.assertIn("r.lin:12: a null reference is followed", self.expect(1, "verify", "r.lin").out)

    def test_a_loop_that_waits_is_replayed(self):
        """To wait is a step of the loop, though the model takes none."""
        self.file("wait.lin", "impl r { shared bool f; op b() { await (f); return ok; } }\n" + "".join(
            "assert r %s with ops = any;\n" % kind
            for kind in ("wait_free", "lock_free", "obstruction_free", "starvation_free")))
        for line in range(2, 6):
            self.expect(1, "verify", "--trace", "t.json", "wait.lin:%d" % line)
            self.assertIn("waits at 1: await (f)", self.expect(1, "replay", "t.json").out)

    def test_replay(self):
        self.file("c.lin", COUNTER)
        self.expect(1, "verify", "--trace", "t.json", "c.lin:10")
        self.assertIn("5: n = t + 1", self.expect(1, "replay", "t.json").out)

    def test_what_a_step_changes_is_shown_by_item_field_and_local(self):
        """A stack of two: the second node pushed is node2 before and after it becomes the top."""
        self.file("n.lin", """impl stacked { struct node { value item; node next; } shared node top;
                shared int(0..9) pushes[2];
                op push(value v) { node n = new node; n.item = v; node t = top; n.next = t;
                    atomic { pushes[1] = pushes[1] + 1; } top = n; return ok; }
                op pop() { node t = top; if (t == null) return empty; return empty; } }
            assert stacked linearizes stack with threads = 1, ops = 3, values = 1;
            assert stacked never (pushes[1] == 2) with threads = 1, ops = 2, values = 1;
            """)
        for options in (), ("--reduce=none",):
            lost, twice = self.expect(1, "verify", "--json", *options, "n.lin").objects()
            for answer in lost, twice:
                self.assertEqual(answer["start"], {"top": "null", "pushes": "[0, 0]"})
            self.assertEqual([step["changes"] for step in twice["trace"] if step["changes"]], [
                {"node1": "{item = null, next = null}", "n": "node1"},
                {"node1.item": "1"}, {"t": "null"}, {"pushes[1]": "1"}, {"top": "node1"},
                {"node2": "{item = null, next = null}", "n": "node2"},
                {"node2.item": "1"}, {"t": "node1"}, {"node2.next": "node1"},
                {"pushes[1]": "2"}])
            self.expect(1, "verify", "--trace", "t.json", *options, "n.lin:7")
            self.assertIn("node2.next = node1", self.expect(1, "replay", "t.json").out)

    def test_an_answer_that_says_nothing_is_not_drawn(self):
        """That a put answered ok is no result; that a take found nothing is one."""
        self.file("d.lin", """spec cell { value v; op put(value x) { if (v != null) return full;
                v = x; return ok; } op take() { value x = v; v = null; return x; } }
            impl slot { shared value v; op put(value x) { if (!cas(v, null, x)) return full;
                return ok; } op take() { return null; } }
            assert slot linearizes cell with threads = 1, ops = 2, values = 1;
            """)
        text = self.expect(1, "verify", "d.lin").out
        self.assertIn("put 1 ━", text)
        self.assertIn("take → nil ━", text)
        self.assertNotIn("put 1 →", text)
        self.assertNotIn("put 1 ->", text)

    def test_a_node_that_is_handed_out_again_keeps_its_name_and_says_so(self):
        self.file("r.lin", """impl i { struct node { value item; } shared node top; shared bool b;
                op f() { node n = new node; free(n); node m = new node; top = m; b = n == m;
                    return ok; } }
            assert i never (b) with threads = 1, ops = 1, nodes = 1;
            """)
        answer, = self.expect(1, "verify", "--json", "r.lin").objects()
        self.assertEqual([step["changes"]["node1"] for step in answer["trace"]
                          if "node1" in step["changes"]],
                         ["{item = null}", "freed {item = null}", "reused {item = null}"])

    def test_a_loop_that_makes_nodes_is_told_and_replayed(self):
        """Each round leaves a new node behind; the push that never succeeds keeps its own."""
        self.file("w.lin", """impl s { struct node { value item; node next; } shared node top;
                op push(value v) { node n = new node; n.item = v; node t;
                    do { t = top; n.next = t; } while (!cas(top, t, n)); return ok; }
                op pop() { while (true) { node t = top; if (t == null) return empty;
                    node x = t.next; if (cas(top, t, x)) return t.item; } } }
            impl turns { shared value last;
                op swap_in(value v) { while (true) { value o = last; if (o != v) {
                    last = v; if (o == null) return ok; } else { value p = last; } } } }
            assert s wait_free with ops = any, nodes = 3;
            assert turns wait_free with threads = 2, ops = any, values = 3;
            """)
        for line in 9, 10:
            self.expect(1, "verify", "--trace", "t.json", "w.lin:%d" % line)
            self.assertIn("loop", self.expect(1, "replay", "t.json").out)
            default, full = (
                self.expect(1, "verify", "--json", *options, "w.lin:%d" % line).objects()[0]
                for options in ((), ("--reduce=none",)))
            self.assertIn("symmetry", default["reductions"])
            self.assertLess(default["states"], full["states"])
            self.assertIn("loop_start", default)

    def test_steps_that_exchange_values_are_no_answers(self):
        """Every step of this loop makes another value the shared one, and none of them returns."""
        self.file("r.lin", """impl restless { shared value a; op set(value v, value w) {
                if (v == w) return; while (true) { a = v; a = w; } } }
            impl fought_over { shared bool held; shared value a; op set(value v) {
                lock(held); a = v; unlock(held); } }
            assert restless lock_free with ops = any;
            assert restless obstruction_free with ops = any;
            assert fought_over starvation_free with ops = any;
            """)
        answers = self.expect(1, "verify", "--json", "r.lin").objects()
        self.assertEqual([answer["verdict"] for answer in answers], 3 * ["violated"])

    def test_simulate_and_graph(self):
        self.file("c.lin", COUNTER)
        walk = self.expect(0, "simulate", "--seed", "1", "c.lin").out
        self.assertIn("inv.", walk)
        self.assertIn("every operation has returned, and the threads may call no more", walk)
        self.assertEqual(self.expect(0, "simulate", "--json", "c.lin").objects()[0]["ended"],
                         "terminated")
        # along a trace, too, whose steps are only texts
        self.expect(1, "verify", "--trace", "t.json", "c.lin")
        walk = self.expect(0, "simulate", "--along", "t.json", "--steps", "100", "c.lin").out
        self.assertIn("every operation has returned, and the threads may call no more", walk)
        self.file("stuck.lin", "impl i { shared bool b; op inc() { await (b); } }\n"
                               "assert i linearizes counter;\n")
        self.assertIn("deadlock: no step is possible", self.expect(0, "simulate", "stuck.lin").out)
        self.assertIn("`counting ,` is not what could stand behind `assert`: expected what is asserted",
                      self.expect(2, "graph", "c.lin", "counting ,").err)
        # the implementation alone is that of the first assertion about it
        self.assertEqual(self.expect(0, "graph", "c.lin", "counting").out,
                         self.expect(0, "graph", "c.lin").out)
        other = "counting linearizes counter with threads = 1, ops = 1"
        self.assertIn("inv.inc.0", self.expect(0, "graph", "c.lin", other).out)

    def test_answers_that_are_symbols(self):
        self.file("s.lin", """spec cell { value v; op put(value x) { if (v != null) return full;
                v = x; return ok; } op take() { value x = v; v = null; return x; } }
            impl slot { shared value v; op put(value x) { value old = v; if (old != null)
                return full; v = x; return ok; } op take() { return swap(v, null); } }
            assert slot linearizes cell with threads = 2, ops = 2, values = 1;
            assert slot linearizes cell with threads = 1, ops = 3;
            """)
        first, second = self.expect(1, "verify", "--json", "s.lin").objects()
        self.assertEqual((first["verdict"], second["verdict"]), ("violated", "holds"))

    def test_what_is_not_decided_is_an_error_of_its_assertion(self):
        self.file("c.lin", COUNTER +
                  "assert counting linearizes counter with threads = any;\n")
        result = self.expect(2, "verify", "--json", "c.lin")
        self.assertEqual(len(result.objects()), 2)
        self.assertIn("c.lin:12: error:", result.complaints())

    def test_an_operation_outside_the_clients_order_is_called_at_any_time(self):
        self.file("o.lin", """spec gate { bool open; client enter, leave;
                op enter() { open = true; return ok; } op leave() { open = false; return ok; }
                op look() { return open; } }
            impl blind { op enter() { return ok; } op leave() { return ok; }
                op look() { return false; } }
            assert blind linearizes gate with threads = 1, ops = 2;
            assert blind linearizes gate with threads = 1, ops = 1;
            """)
        first, second = self.expect(1, "verify", "--json", "o.lin").objects()
        self.assertEqual((first["verdict"], second["verdict"]), ("violated", "holds"))
        self.assertEqual([step["event"] for step in first["trace"] if step["visible"]],
                         ["inv.enter.0", "res.enter.0", "inv.look.0", "res.look.0.false"])

    def test_linearization_points(self):
        self.file("p.lin", POINTS)
        for reduce in ("none", "intervals", "partial-order", "symmetry", "write-once", "pure-iterations", "stale-reads",
                       "dead-fields", "decided-steps", "sticky-fields", "default"):
            result = self.expect(2, "verify", "--json", "--reduce", reduce, "p.lin")
            self.assertEqual([answer["verdict"] for answer in result.objects()],
                             ["holds", "unknown", "violated", "holds"])
        self.expect(3, "verify", "p.lin:23")
        text = self.expect(1, "verify", "--trace", "t.json", "p.lin:24").out
        self.assertRegex(text, "`lin.read.[01](.1)?` is not possible for the specification here")
        self.assertIn("lin.read", self.expect(1, "replay", "t.json").out)

    def test_points_out_of_place_have_a_place_and_a_trace(self):
        self.file("p.lin", POINTS)
        error = self.expect(2, "verify", "p.lin:26").err
        self.assertIn("p.lin:19: error: expected one linearization point in `write`, found a second",
                      error)
        self.assertRegex(error, "inv.write.0.[12]\n.*lin.write=..0.[12].*\n.*19: x = v")
        self.file("n.lin", POINTS.replace("        linearize ok;\n", ""))
        error = self.expect(2, "verify", "n.lin:21").err
        self.assertIn("n.lin:4: error: expected a linearization point in `write` before it answers, "
                      "found none", error)

    def test_points_are_left_out_where_nobody_asks_for_them(self):
        """Without `with points` the same states, whether `linearize` stands there or not."""
        self.file("p.lin", POINTS)
        self.file("q.lin", POINTS.replace("atomic { linearize ok; }", ""))
        with_them, without = ([self.expect(0, "verify", "--json", "--reduce", reduce,
                                           name + ":25").objects()[0][count]
                               for reduce in ("none", "default")
                               for count in ("states", "transitions")]
                              for name in ("p.lin", "q.lin"))
        self.assertEqual(with_them, without)

    def test_points_can_be_walked_and_drawn(self):
        self.file("p.lin", POINTS)
        walked = "slot linearizes register with points, threads = 1, ops = 1"
        self.assertIn("lin.write.0.1", self.expect(0, "graph", "p.lin", walked).out)
        self.assertIn("lin.", self.expect(0, "simulate", "--seed", "1", "p.lin", walked).out)

    def test_programs(self):
        self.file("p.lin", PROGRAM)
        for reduce in ("none", "partial-order", "slice", "antichain", "write-once", "pure-iterations", "stale-reads",
                       "dead-fields", "decided-steps", "sticky-fields", "default"):
            answers = self.expect(1, "verify", "--json", "--reduce", reduce, "p.lin").objects()
            self.assertEqual([(answer["verdict"], answer["method"]) for answer in answers],
                             [("violated", "refinement"), ("holds", "refinement"),
                              ("holds", "refinement"), ("violated", "refinement")])
        self.assertEqual(answers[0]["trace"][-1]["event"], "print.1.null")
        text = self.expect(1, "verify", "--trace", "t.json", "p.lin:10").out
        self.assertIn("`print.1.null` is not possible for the specification here: it offers "
                      "print.0.0, print.1.2", " ".join(text.split()))
        self.assertIn("print.1.null", self.expect(1, "replay", "t.json").out)

    def test_the_end_of_a_program_is_seen(self):
        self.file("e.lin", """impl stuck { op read() { await (false); return empty; } }
            program p { thread { read(); } }
            assert p with register refines p with stuck;
            assert p with stuck refines p with register;
            """)
        first, second = self.expect(1, "verify", "--json", "e.lin").objects()
        self.assertIn("`terminate` is not possible", first["reason"])
        self.assertEqual((first["verdict"], second["verdict"]), ("violated", "holds"))

    def test_programs_are_walked_and_drawn(self):
        self.file("p.lin", PROGRAM)
        for used in "slot", "register":
            walked = "p with %s refines p with register" % used
            self.assertIn("print.0.", self.expect(0, "graph", "p.lin", walked).out)
            self.assertIn("print.1.", self.expect(0, "simulate", "--seed", "1", "p.lin", walked).out)

    def test_mistakes_in_programs_have_a_place(self):
        impl = "impl i { op f(value v) { return v; } op g(bool b) { return b; } }\n"
        for text, message in (
                ("program p { thread { f(); } }", "expected 1 argument of `f`, found 0"),
                ("program p { thread { h(); } }", "expected an operation of `i`, found `h`"),
                ("program p { thread { print 1 + f(2); } }", "expected a call that stands alone"),
                ("program p { thread { f(true); } }", "expected a value as `v` of `f`, found a bool"),
                ("program p { thread { g(1); } }", "expected a bool as `b` of `g`, found an int"),
                ("program p { thread { f(0); } }", "expected an argument other than null and 0"),
                ("program p { thread { bool b = f(2); } }", "expected true or false, found 2"),
                ("program p { thread { atomic { f(1); } } }", "`atomic` is not for programs"),
                ("program p { thread { assert (true); } }", "print what is to be compared"),
                ("program p { thread { print nowhere; } }", "found `nowhere`, which is not declared"),
                ("program p { thread { list l; } }", "expected int, bool or value in a program"),
                ("program p { thread { return 1; } }", "expected `return;` in a program"),
                ("program p { }", "expected `thread {`"),
                ("program q { thread { } }", "expected the name of a program, found `p`")):
            self.file("w.lin", impl + text + "\nassert p with i refines p with i;\n")
            error = self.expect(2, "verify", "w.lin").err
            self.assertRegex(error, r"^w.lin:[23]: error: ")
            self.assertIn(message, error)
        self.file("w.lin", impl + "program p { thread { f(1); } }\n"
                  "assert p with i refines p with i with threads = 2;\n")
        self.assertIn("w.lin:3: error: expected `nodes`, found `threads`",
                      self.expect(2, "verify", "w.lin").err)

    def test_a_null_reference_in_a_program_is_a_violation(self):
        self.file("n.lin", """impl bad { struct node { value v; } shared node top;
            op pop() { node t = top; value v = t.v; return v; } }
            impl good { op pop() { return empty; } }
            program p { thread { value x = pop(); print x; } }
            assert p with bad refines p with good;
            assert p with good refines p with bad;
            """)
        first, second = self.expect(1, "verify", "--json", "n.lin").objects()
        self.assertIn("a null reference is followed", first["reason"])
        self.assertEqual((first["verdict"], second["verdict"]), ("violated", "violated"))

    def test_progress_is_shown_as_a_lasso(self):
        self.file("s.lin", """impl spin { shared bool held;
            op acquire() { while (swap(held, true)) { } return ok; }
            op release() { held = false; return ok; } }
            assert spin linearizes mutex with threads = 2, ops = any;
            assert spin lock_free with threads = 2, ops = any;
            assert spin deadlock_free with threads = 2, ops = any;
            """)
        holds, violated, free = self.expect(1, "verify", "--json", "s.lin").objects()
        self.assertEqual([answer["verdict"] for answer in (holds, violated, free)],
                         ["holds", "violated", "holds"])
        self.assertEqual(violated["method"], "cycles")
        loop = violated["trace"][violated["loop_start"]:]
        self.assertTrue(loop)
        self.assertTrue(all(step["event"] == "2: while (swap(held, true))" for step in loop))

    def test_included_files(self):
        self.file("counter.lin", COUNTER)
        self.file("safe.lin", """#include "counter.lin"
            spec twice { int n = 0; op inc() { n = n + 2; return ok; } op read() { return n; } }
            impl safe { shared int(0..9) n; op inc() { fetch_add(n, 2); return ok; }
                op read() { return n; } }
            assert safe linearizes twice; assert safe linearizes counter;
            assert counting linearizes twice with threads = 1;
            """)
        answers = self.expect(1, "verify", "--json", "safe.lin").objects()
        self.assertEqual([answer["verdict"] for answer in answers],
                         ["holds", "violated", "violated"])
        self.assertIn("counter.lin:4: int t = n", [step["event"] for step in answers[2]["trace"]])
        self.file("counter.lin", COUNTER.replace("int t = n;", "int t = n; linearize;"))
        self.file("points.lin", """#include "counter.lin"
            assert counting linearizes counter with points;
            """)
        error = self.expect(2, "verify", "points.lin").err
        self.assertIn("counter.lin:8: error: expected a linearization point in `read`", error)
        self.assertIn("found while deciding points.lin:2: ", error)
        self.file("counter.lin", COUNTER)
        self.file("m.csp", """#include "safe.lin"
            #include "rest.csp";
            #assert P() linearizes twice; #assert P() linearizes counter;""")
        self.file("rest.csp", """var a; P() = inv.inc.0 -> {a = 1} -> res.inc.0 -> inv.read.0
            -> res.read.0.2 -> Skip; #assert P() deadlockfree;""")
        answers = self.expect(1, "verify", "--json", "--trace", "t.json", "m.csp").objects()
        self.assertEqual([answer["verdict"] for answer in answers], ["holds", "violated"])
        self.expect(1, "replay", "t.json")
        self.file("rest.csp", "P() = Skip;")
        self.assertIn("expected the model", self.expect(2, "replay", "t.json").err)
        self.file("counter.lin", "spec x { ) }")
        self.assertIn("counter.lin:1: error: expected", self.expect(2, "verify", "m.csp").err)

    def test_steps_of_one_line(self):
        self.file("o.lin", """impl o {
            shared int(0..2) n;
            op inc() {
                int t = n; if (t == 0 && (n == 0)) n = 1; else n = 2; // one
                return ok;
            }
            op read() { while (true) if (n == 1) return n; }
        }
        assert o never (running(0, read) && n == 2) with ops = 2;
        """)
        violated = self.expect(1, "verify", "--json", "o.lin").objects()[0]
        events = {step["event"] for step in violated["trace"]}
        for event in "4: int t = n", "4: if (t == 0 && (n == 0))", "4: n = 1", "4: n = 2":
            self.assertIn(event, events)
        walk = self.expect(0, "simulate", "--seed", "3", "--steps", "20", "o.lin").out
        self.assertRegex(walk, r"\n +3 {19}7: if \(n == 1\)\n")
        self.assertRegex(walk, r"\n +10 {19}7: return n\n")

    def test_a_step_in_one_line_with_its_for_is_shown_without_it(self):
        self.file("f.lin", """impl f {
            shared bool held[2];
            shared int(0..2) n;
            op wait() {
                for (int i = 0; i < 2; i++) await (!held[i]);
                for (int i = 0; i < 1; i++) if (n == i) n = 1;
                return ok;
            }
        }
        assert f never (n == 1) with threads = 1;
        """)
        violated = self.expect(1, "verify", "--json", "f.lin").objects()[0]
        events = [step["event"] for step in violated["trace"] if "event" in step]
        self.assertEqual(events, ["inv.wait.0", "5: await (!held[i])", "5: await (!held[i])",
                                  "6: if (n == i)", "6: n = 1"])

    def test_what_leads_to_a_fault_of_the_model(self):
        text = """impl i {
            shared int(0..2) n;
            op inc() {
                int t = n;
                n = t + 1;
                return ok;
            }
        }
        assert i %s with threads = 3, ops = 1;
        """
        for question in "linearizes counter", "never (n == 7)", "satisfies [] (n < 7)", "lock_free":
            self.file("i.lin", text % question)
            error = self.expect(2, "verify", "i.lin").err
            self.assertIn("i.lin:5: error: expected an int from 0 to 2, found 3", error)
            self.assertIn("found while deciding i.lin:9", error)
            for thread in range(3):  # each calls, reads, and two of them write
                self.assertEqual(error.count(f"inv.inc.{thread}\n"), 1, error)
            self.assertEqual(error.count(" 4: int t = n "), 3, error)
            self.assertEqual(error.count(" 5: n = t + 1 "), 2, error)

    def test_mistakes(self):
        self.file("bad.lin", "impl i { shared int n;\n op inc() { n = n + 1; } }\n"
                             "assert i linearizes counter;\n")
        result = self.expect(2, "verify", "--json", "bad.lin")
        self.assertIn("bad.lin:2: error: expected at most one shared location", result.complaints())
        self.assertEqual(result.out, "")

    def test_what_a_c_programmer_would_write(self):
        for statement, message in (
                ("top = NULL;", "found `NULL`, which is `null` here"),
                ("CAS(top, null, m);", "found `CAS`, which is `cas` here"),
                ("m = malloc(sizeof(node));", "found `malloc`, which is `new` here"),
                ("cas(&top, null, m);",
                 "(an address is passed where a function has a parameter like `int *p`)"),
                ("if (!m) return ok;", "found a reference to a node: compare it with `null`"),
                ("node *p = m;", "found `node`, which is a type (a variable is declared `node x`)"),
                ("m.nxt = top;", "expected a field of `node` (next, count), found `nxt`"),
                ("fetch_add(m.count, 1); m.count.fetch_add(1);", "expected a field, which is not called "
                 "(`f(x, 1)` is what C++ writes `x.f(1)`, `x` what it writes `x.load()`), found `(`"),
                ("top = nil;", "found `nil`, which is `null` here"),
                ("goto again;", "expected a statement (this is one of C only), found `goto`"),
                ("shared int x;", "expected a statement or `}` (what threads share stands outside of the operations), "
                 "found `shared`"),
                ("unsigned int k = 1;", "expected `int`, which has 32 bits, or `int(0..3)`, of a range, found `unsigned`"),
                ("long k = 1;", "expected a type, found `long`, which is `int` here, of 32 bits, or `int(0..3)`, of a "
                 "range"),
                ("m = new node(null, 1);", "expected nothing behind the struct (a new node has the initial values of "
                 "its fields, and then `n.x = 1;` sets one), found `(`"),
                ("tpo = m;", "found `tpo`, which is not declared; did you mean `top`?"),
                ("fetch_ad(n, 1);", "did you mean `fetch_add`?"),
                ("printf(m, 1);", "expected a function, found `printf`, which is not declared")):
            self.file("c.lin", """impl i { struct node { node next; int count; } shared node top; shared int n;
                    op inc() { node m = new node; %s return ok; } }
                assert i linearizes counter;
                """ % statement)
            error = self.expect(2, "verify", "c.lin").err
            self.assertIn(message + "\n", error)
            self.assertIn("c.lin:2: error: ", error)

    def test_a_built_in_object_holds_something_at_first(self):
        """One value for every key or a map of each, items of a container."""
        self.file("held.lin", """
            impl pair {
                shared int(0..3) a[2];
                init { a[1] = 2; }
                op get(int(0..1) k) { return a[k]; }
                op put(int(0..1) k, int(0..3) v) { a[k] = v; return ok; }
            }
            impl countdown {
                shared int(0..3) n = 2;
                op dequeue() {
                    int(0..3) t = 0;
                    atomic { t = n; if (t > 0) n = t - 1; }
                    if (t == 0) return empty;
                    return t;
                }
            }
            impl members {
                shared bool there[4];
                init { there[1] = true; there[3] = true; }
                op contains(int(0..3) k) { return there[k]; }
            }
            assert pair linearizes map(initial = {0: 0, 1: 2});         // expect: holds
            assert pair linearizes map(initial = {0: 0, 1: 1});         // expect: violated
            assert pair linearizes map(initial = {1: 2});               // expect: violated
            assert pair linearizes map(initial = {});                   // expect: violated
            assert pair linearizes map(initial = 2);                    // expect: violated
            assert countdown linearizes queue(initial = [2, 1]);        // expect: holds
            assert countdown linearizes queue(initial = [1, 2]);        // expect: violated
            assert members linearizes set(initial = {1, 3});            // expect: holds
            assert members linearizes set(initial = [3, 2, 1]);         // expect: violated
            assert members linearizes set(initial = {});                // expect: violated
            """)
        self.expect(0, "verify", "--expect", "held.lin")
        self.expect(0, "verify", "--expect", "--reduce=none", "held.lin")

    def test_what_was_meant_by_an_assertion(self):
        for text, message in (
                ("assert i linearize counter;", "expected `linearizes`, found `linearize`"),
                ("assert i lockfree;", "expected `lock_free`, found `lockfree`"),
                ("impl j { op int read() { return 1; } }", "expected the name of the operation (there is no type before "
                 "it: it answers what it returns), found `int`"),
                ("impl j { void op read() { return 1; } }", "expected `op` without a type before it (an operation "
                 "answers what it returns), found `void`"),
                ("import counter;", "expected `#include \"FILE.lin\"`, or nothing: specifications that are built in "
                 "need none, found `import`"),
                ("assert i linearizes counter with threads = , ops = 2;", "expected the value of `threads`, found `,`"),
                ("assert i linearizes counter with threads = 2, ops = ;", "expected the value of `ops`, found `;`"),
                ("assert i linearizes counter with points = yes;", "expected `points` or `points = complete`, found "
                 "`yes`"),
                ("assert i linearizes map(initial = {1: n});", "expected arguments of `map` that are integers, or "
                 "initial = V, which is made of integers, texts, true, false and null: one of them, or a list, set "
                 "or map (a map: that of each key, anything else: that of every key)"),
                ("impl j { shared uint64_t n; }", "expected a type, found `uint64_t`, which is `int` here, of 32 bits, "
                 "or `int(0..3)`, of a range"),
                ("assert i linearizes counter with threads 3;", "expected `=` after the option, found `3`"),
                ("impl j { struct node { node *next; } }", "expected a name (of a struct a variable is a reference "
                 "already: `node x` is what C writes `node *x`), found `*`"),
                ("impl j { op push_back(value v) { } op push(value v) { } } assert j linearizes deque;",
                 "expected an operation of `deque` (push_front, push_back, pop_front, pop_back), found `push`, "
                 "which it does not have")):
            self.file("c.lin", "impl i { shared int n; op read() { return n; } }\n%s\n" % text)
            self.assertIn("c.lin:2: error: %s\n" % message, self.expect(2, "verify", "c.lin").err)

    def test_options_that_were_meant(self):
        for option, message in (("thread = 3", "; did you mean `threads`?"),
                                ("op = 3", "; did you mean `ops`?"), ("colour = 1", "")):
            self.file("c.lin", "impl i { shared int n; op read() { return n; } }\n"
                               "assert i linearizes counter with %s;\n" % option)
            self.assertIn("expected threads, ops, values, nodes, spec, points or fairness, found "
                          "`%s`%s\n" % (option.split()[0], message),
                          self.expect(2, "verify", "c.lin").err)

    def test_only_thread_is_for_implementations(self):
        """In a specification it would restrict nobody."""
        one = "%s one { %s; op read() %s { return n; } }\n"
        for spec, impl, status in (("", "only thread 0", 0), ("only thread 0", "", 2)):
            self.file("o.lin", one % ("spec", "int n", spec) +
                      one % ("impl", "shared int n", impl) + "assert one linearizes one;\n")
            result = self.expect(status, "verify", "o.lin")
            self.assertEqual("o.lin:1: error: expected `only thread` in an implementation, found it "
                             "in a specification" in result.err, status == 2)

    def decide(self, formula, options=""):
        """The verdict of a formula about the lock, and the whole answer."""
        self.file("s.lin", SPIN + "assert spin satisfies %s with ops = any, spec = mutex%s;\n" %
                  (formula, options))
        answer = self.run_program("verify", "--json", "s.lin").objects()[0]
        return answer["verdict"], answer

    def test_formulas(self):
        # one of those who wait gets the lock; who it is, is a matter of fairness
        self.assertEqual(self.decide("[] (call.acquire -> <> return.acquire)")[0], "holds")
        mine = "[] (call.acquire(0) -> <> return.acquire(0))"
        for kind, verdict in (("none", "violated"), ("weak", "violated"), ("event_weak", "violated"),
                              ("strong", "holds"), ("process_strong", "holds"),
                              ("event_strong", "holds"), ("global", "holds")):
            found, answer = self.decide(mine, ", fairness = %s" % kind)
            self.assertEqual(found, verdict, kind)
            if found == "violated":
                self.assertLess(answer["loop_start"], len(answer["trace"]))
                loop = [step["event"] for step in answer["trace"][answer["loop_start"]:]]
                self.assertNotIn("res.acquire.0", loop)
        # what would help is said as it is written in an assertion
        fair = "[] (call.release(0) -> <> return.release(0))"
        self.assertIn("; fairness = weak leaves this loop out", self.decide(fair)[1]["reason"])
        self.assertEqual(self.decide(fair, ", fairness = weak")[0], "holds")
        self.file("s.lin", SPIN + "assert spin satisfies %s with ops = any, spec = mutex;\n"
                                  "assert spin satisfies %s with ops = any, spec = mutex;\n" %
                  (fair, mine))
        for kind, status in ("weak", 1), ("strong", 0):
            first, second = self.expect(status, "verify", "--json", "--fairness", kind,
                                        "s.lin").objects()
            self.assertEqual((first["verdict"], first["fairness"]), ("holds", "process-" + kind))
            self.assertEqual(second["verdict"], "holds" if kind == "strong" else "violated")
        # the step that should have been the call
        self.assertIn("`call.release` does not come in step 2",
                      self.decide("call.release R (call.acquire -> X call.release)")[1]["reason"])
        # mutual exclusion; the other one waits at last, so that the release must come
        for until in "WU":
            self.assertEqual(self.decide("[] (return.acquire(0) -> "
                                         "!return.acquire(1) %s call.release(0))" % until)[0],
                             "holds")
        self.assertEqual(self.decide("[] (held -> X held)")[0], "violated")
        self.assertEqual(self.decide("[] (running(0, release) -> running(0))")[0], "holds")

    def test_a_fault_violates_every_formula(self):
        self.file("f.lin", SPIN + "assert spin satisfies true with threads = 1, ops = 1;\n")
        result = self.expect(1, "verify", "f.lin")
        self.assertIn("a lock that nobody holds is unlocked", result.out)

    def test_the_runs_of_formulas_can_be_replayed(self):
        self.file("s.lin", SPIN + "assert spin satisfies [] <> call.acquire(0) with ops = any, "
                                  "spec = mutex, fairness = event_weak;\n"
                                  "assert spin satisfies <> call.release(0) with ops = 1;\n")
        for line in "s.lin:6", "s.lin:7":
            self.expect(1, "verify", "--trace", "t.json", line)
            self.assertIn("violated", self.expect(1, "replay", "t.json").out)

    def test_a_formula_with_too_many_eventualities_is_not_decided(self):
        parts = ["!(((v == %d) || X (w == %d)) U ((v == %d) && X (w == %d)))" % (a, b, a, b)
                 for a in range(8) for b in range(9)]
        self.file("l.lin", "impl i { shared int(0..9) v, w; op f() { v = 1; return ok; } }\n"
                           "assert i satisfies %s;\n" % " && ".join(parts))
        answer = self.expect(3, "verify", "--json", "l.lin").objects()[0]
        self.assertEqual((answer["verdict"], answer["reason"]),
                         ("unknown", "the formula has more than 64 eventualities"))

    def test_what_is_wrong_with_a_formula_is_shown(self):
        for formula, expected in (("[] call.enter", "expected an operation of `spin`"),
                                  ("[] call.acquire(7)", "expected the number of a thread, 0 to 1"),
                                  ("[] (held == 3)", "expected"), ("[] other", "`other`"),
                                  ("[] held == true", "parentheses around a condition")):
            self.file("w.lin", SPIN + "assert spin satisfies %s;\n" % formula)
            self.assertIn(expected, self.expect(2, "verify", "w.lin").err)
        self.file("w.lin", SPIN + "assert spin never (held && !held) with fairness = weak;\n")
        self.assertIn("expected `satisfies` before `fairness`", self.expect(2, "verify", "w.lin").err)
        self.file("w.lin", SPIN + "assert spin satisfies [] held with fairness = much;\n")
        self.assertIn("none, weak, strong", self.expect(2, "verify", "w.lin").err)

    def test_time_is_looked_at_while_orders_are_many(self):
        self.file("m.lin", """impl waits {
                shared bool go;
                op enqueue(value v) {
                    go = false;
                    await (go);
                    return ok;
                }
            }
            assert waits linearizes queue with threads = 12, ops = 1, values = 12;
            """)
        answer = self.expect(3, "verify", "--json", "--timeout", "300ms", "m.lin").objects()[0]
        self.assertEqual(answer["limit"], "time")
        self.assertLess(answer["seconds"], 3)


main()
