/* Random stacks, queues and registers with points that are given for others' operations. */
#include "support/grammar.h"
#include "support/heap_random.h"

/* Points of the operation itself; where it rather has none; of `who`, or of who made node o. */
#define OWN    "$[linearize; $|linearize; $|linearize; $|linearize; $|$]"
#define STRAY  "$[$|$|$|$|$|$|$|$|linearize; $]"
#define OTHERS "$[linearize who: ok; $|linearize who: ok; $|linearize who: ok; $|$]"
#define EARLY  "$[$|$|$|$|$|$|linearize who: ok; $]"
#define ATOMIC_OTHERS                                                                              \
    "$[linearize o.owner: ok; $|linearize o.owner: ok; $|linearize o.owner: ok; $|$]"
#define BOTH "$[" OTHERS OWN "$|" OTHERS OWN "$|" OTHERS OWN "$|" OWN OTHERS "$]"
#define WHO  "int(0..3) who = o.owner; "

/* ---- values that are handed over, beside a stack or not ---- */

/* Until the node is no more where it was put; or something else. */
#define WAITS                                                                                      \
    "$[while (slot == n) { } $|while (slot == n) { } $|while (slot == n) { } $|"                   \
    "while (done != n) { } $|if (slot == n) { t = slot; } $|while (slot != null) { } $]"
#define PUTS(THEN)                                                                                 \
    "$[while (!cas(slot, null, n)) { } $|while (!cas(slot, null, n)) { } $|"                       \
    "while (true) { if (cas(slot, null, n)) { " STRAY "break; } } $|"                              \
    "atomic { t = slot; if (t == null) slot = n; } if (t != null) { " THEN " } $|"                 \
    "slot = n; $]"
#define PUSHES "do { t = top; n.next = t; } while (!cas(top, t, n)); " OWN "return ok; "

static const char handed[] =
    "impl it { struct node { value item; int(0..3) owner; node next; } shared node top; "
    "shared node slot; shared node done; "
    "op push(value v) { node n = new node; n.item = v; n.owner = thread; node t; "
    "$[" PUTS(PUSHES) WAITS "return ok; } $|" /* */
    PUTS(PUSHES) WAITS "return ok; } $|"      /* */
    PUTS(PUSHES) "if (cas(slot, n, null)) { " PUSHES "} return ok; } $|"
                 "if (choose(0..1) == 0) { " PUSHES "} " PUTS(PUSHES) WAITS
    "return ok; } $|"
    "while (true) { if (choose(0..1) == 0) { t = top; n.next = t; if (cas(top, t, n)) { " OWN
    "return ok; } } else if (cas(slot, null, n)) { " STRAY "if (!cas(slot, n, null)) { " STRAY
    "return ok; } } } } $] "
    "op pop() { while (true) { node x; node o; value v; "
    "$[o = slot; if (o != null) { " WHO EARLY "if (cas(slot, o, null)) { " BOTH
    "$[done = o; $|done = o; $|$] return o.item; } } $|"
    "o = slot; if (o != null) { v = o.item; " WHO "if (cas(slot, o, null)) { " BOTH
    "return v; } } $|"
    "o = swap(slot, null); if (o != null) { " WHO BOTH "$[done = o; $|$] return o.item; } $|"
    "atomic { o = slot; if (o != null) { slot = null; " ATOMIC_OTHERS OWN "} } "
    "if (o != null) { $[done = o; $|$] return o.item; } $|"
    "o = slot; if (o != null) { " WHO "v = o.item; if (slot == o) { slot = null; " BOTH
    "return v; } } $|"
    "o = slot; if (o != null) { atomic { $[if (slot == o) { $|if (top == null) { $|{ $] "
    "o.next = top; top = o; slot = null; " ATOMIC_OTHERS "} } } $|"
    "o = slot; if (o != null) { " WHO "x = top; o.next = x; if (cas(top, x, o)) { " OTHERS
    "slot = null; " EARLY "} } $|"
    "o = slot; if (o != null) { " WHO "x = top; o.next = x; atomic { if (slot == o && top == x) { "
    "top = o; slot = null; " ATOMIC_OTHERS "} } } $] "
    "$[atomic { x = top; if (x == null) { " OWN "} } $|"
    "atomic { x = top; if (x == null && slot == null) { " OWN "} } $|"
    "x = top; $] if (x == null) return empty; "
    "$[o = x.next; if (cas(top, x, o)) { " OWN "return x.item; } $|"
    "atomic { if (top == x) { top = x.next; v = x.item; " OWN
    "} } if (v != null) return v; $] } } }";

/* ---- nodes that are announced, and put into a queue by whoever comes by ---- */

#define HELPS                                                                                      \
    "node o = due; if (o == null) return false; " WHO                                              \
    "$[atomic { $[if (due == o) { $|if (due == o) { $|if (due != null) { $] "                      \
    "tail.next = o; tail = o; due = null; " ATOMIC_OTHERS "} } $|"                                 \
    "atomic { if (due == o) { tail.next = o; tail = o; due = null; " ATOMIC_OTHERS "} } $|"        \
    "node t = tail; " EARLY "node x = t.next; if (x == null) { if (due == o) { "                   \
    "if (cas(t.next, null, o)) { " OTHERS "cas(tail, t, o); cas(due, o, null); " EARLY             \
    "} } } else { cas(tail, t, x); } $|"                                                           \
    "node t = tail; atomic { if (t.next == null && due == o) { t.next = o; " ATOMIC_OTHERS         \
    "} } node x = t.next; if (x != null) cas(tail, t, x); if (tail == o) { cas(due, o, null); "    \
    "} $|"                                                                                         \
    "if (cas(due, o, null)) { " EARLY "atomic { tail.next = o; tail = o; " ATOMIC_OTHERS           \
    "} last = o; } $] return true; "

static const char announced[] =
    "impl it { struct node { value item; int(0..3) owner; node next; } shared node head; "
    "shared node tail; shared node due; shared node last; init { head = new node; tail = head; } "
    "bool help() { " HELPS "} "
    "op enqueue(value v) { node n = new node; n.item = v; n.owner = thread; node y; "
    "$[if (choose(0..1) == 0) { atomic { tail.next = n; tail = n; " OWN "} return ok; } $|$|$] "
    "$[while (!cas(due, null, n)) { help(); } $|while (!cas(due, null, n)) { } $|"
    "while (!cas(due, null, n)) { help(); } $|due = n; $] "
    "$[while (due == n) { help(); } $|while (due == n) { help(); } $|while (due == n) { } $|"
    "while (last != n) { } $|help(); $|if (cas(due, n, null)) { atomic { tail.next = n; tail = "
    "n; " OWN "} } $] " STRAY "return ok; } "
    "op dequeue() { value v; node h; node x; $[help(); $|while (help()) { } $|$] "
    "$[atomic { x = head.next; if (x != null) { v = x.item; head = x; } " OWN "} "
    "if (v == null) return empty; return v; $|"
    "atomic { h = head; x = h.next; if (x == null) { " OWN "} } if (x == null) return empty; "
    "atomic { if (head == h) { head = x; v = x.item; " OWN "} } if (v != null) return v; "
    "atomic { x = head.next; if (x != null) { v = x.item; head = x; } " OWN "} "
    "if (v == null) return empty; return v; $|"
    "while (true) { atomic { h = head; x = h.next; if (x == null) { " OWN "} } "
    "if (x == null) return empty; v = x.item; if (cas(head, h, x)) { " OWN "return v; } } $] } }";

/* ---- a register whose writes are announced ---- */

static const char written[] =
    "impl it { struct node { value item; int(0..3) owner; } shared node now; shared node due; "
    "shared node old; bool help() { node o = due; if (o == null) return false; " WHO
    "$[atomic { $[if (due == o) { $|if (due != null) { $] now = o; due = null; " ATOMIC_OTHERS
    "} } $|now = o; " OTHERS "cas(due, o, null); " EARLY "$|"
    "if (cas(due, o, null)) { " EARLY "now = o; " OTHERS "} $] return true; } "
    "op write(value v) { node n = new node; n.item = v; n.owner = thread; node y; "
    "$[while (!cas(due, null, n)) { help(); } $|while (!cas(due, null, n)) { } $|due = n; $|"
    "if (!cas(due, null, n)) { now = n; " OWN "return ok; } $|"
    "$[$|old = n; $|y = now; old = y; $] now = n; " OWN "return ok; $|"
    "y = now; now = n; " OWN "old = y; return ok; $] "
    "$[while (due == n) { help(); } $|while (due == n) { } $|help(); $] " STRAY "return ok; } "
    "op read() { node x; node y; $[help(); $|$|while (help()) { } $] "
    "$[x = now; " OWN "$|x = now; " OWN "$|x = now; if (choose(0..1) == 0) { x = now; } $|"
    "x = now; y = now; if (x != y) { x = y; } $|x = now; y = now; if (x != y) { y = now; x = y; } "
    "$|"
    "x = old; if (x != null) { y = now; if (choose(0..1) == 0) { x = y; } } else { x = now; } $|"
    "x = due; if (x != null) { y = now; if (x != y) { x = y; } } else { x = now; } $|"
    "x = now; if (x == null) { x = due; } $|x = due; " OWN "$] "
    "if (x == null) return empty; return x.item; } }";

void heap_random_helped(struct random *random, struct text *text, const char **specification)
{
    static const struct {
        const char *text, *specification;
    } kinds[] = {{handed, "stack"}, {announced, "queue"}, {written, "register"}};
    struct text program = TEXT_EMPTY;
    struct grammar grammar = {.random = *random, .out = &program};
    const uint32_t kind = random_below(&grammar.random, ARRAY_LENGTH(kinds));
    *specification = kinds[kind].specification;
    grammar_expand(&grammar, kinds[kind].text);
    *random = grammar.random;
    grammar_break_lines(text_string(&program), text);
    text_release(&program);
}
