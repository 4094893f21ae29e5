#include "support/heap_random.h"

#include "support/grammar.h"

/* Statements that follow no null reference: of variables a and b, and locals t, x and n. */
#define VARIABLES                                                                                  \
    "t = a;$|t = b;$|x = a;$|a = t;$|b = t;$|b = x;$|a = n;$|b = n;$|b = null;$|t = x;$|n = t;$|"  \
    "atomic { a = b; }$|x = swap(a, n);$|t = swap(b, t);$|t = swap(a, null);$|cas(a, t, "          \
    "x);$|cas(a, t, n);$|"                                                                         \
    "cas(b, t, x);$|cas(b, null, n);$|if (t == x) t = b;$|if (t == a) x = b;$|"                    \
    "if (cas(a, t, x)) b = t;$|atomic { t = a; a = x; }$|atomic { b = a; a = n; }$|"
/* Likewise along links. */
#define LINKS                                                                                      \
    "if (t != null) x = t.next;$|if (t != null) t = t.next;$|if (x != null) x = x.next;$|"         \
    "if (t != null) t.next = x;$|if (t != null) t.next = null;$|if (t != null) t.next = n;$|"      \
    "if (n != null) n.next = t;$|if (n != null) { t = b; n.next = t; }$|if (x != null) x.next = "  \
    "t;$|"                                                                                         \
    "if (t != null) cas(t.next, x, n);$|if (t != null) cas(t.next, null, n);$|"                    \
    "if (t != null) { x = t.next; cas(a, t, x); }$|if (n != null) { n.next = t; cas(a, t, n); }$|" \
    "if (t != null) { if (t.next == x) t.next = n; }$|if (t != null) x = swap(t.next, n);$|"       \
    "if (t != null && x != null) atomic { t.next = x.next; x.next = n; }$|"                        \
    "while (t != null) { x = t; t = t.next; }$|"
/* Likewise with values. */
#define VALUES                                                                                     \
    "if (t != null && x != null) atomic { x.item = t.item; }$|if (t != null) t.item = null;$|"
#define ORDINARY VARIABLES LINKS VARIABLES LINKS VALUES

#define MARKS                                                                                      \
    "if (t != null) t.mark = true;$|if (t != null) { if (!t.mark) x = t.next; }$|"                 \
    "if (x != null) { if (x.mark) t = x; }$|if (t != null) { if (swap(t.mark, true)) a = x; }$|"   \
    "if (n != null) n.mark = true;$|"
#define LOCKED(THEN) "if (t != null) { lock(t.held); " THEN " unlock(t.held); }$|"
#define LOCKS                                                                                      \
    LOCKED("x = t.next;")                                                                          \
    LOCKED("t.next = x;")                                                                          \
    LOCKED("t.next = n;")                                                                          \
    LOCKED("a = t;")                                                                               \
    LOCKED("x = a;")                                                                               \
    LOCKED("x = t.next; if (x != null) { lock(x.held); "                                           \
           "node y = x.next; t.next = y; unlock(x.held); }")
#define OTHERS                                                                                     \
    "if (t != null) x = t.other;$|if (t != null) t.other = x;$|if (n != null) n.other = t;$|"      \
    "if (x != null) x.other = n;$|if (t != null) t.other = null;$|"                                \
    "if (t != null && x != null) { t.next = x; x.other = t; }$|"
/* Points for who has made a node, if there is one, and has put a value into it. */
#define POINT(NODE)                                                                                \
    "if (" NODE " != null) { if (" NODE ".item != null) linearize " NODE ".owner: ok; } "
#define HELPS                                                                                      \
    "atomic { " POINT("t") "}$|atomic { " POINT("x") "}$|atomic { " POINT(                         \
        "n") "}$|"                                                                                 \
             "atomic { " POINT("a") "}$|atomic { " POINT(                                          \
                 "t") "a = t; }$|atomic { t = a; a = n; " POINT("t") "}$|atomic { if (t != null) " \
                                                                     "t.next = n; " POINT("b") "}" \
                                                                                               "$" \
                                                                                               "|"
#define FLAGS                                                                                      \
    "f = true;$|f = false;$|if (f) t = a;$|if (swap(f, true)) x = b;$|k = 1;$|k = 0;$|"            \
    "if (k == 1) b = t;$|if (cas(k, 0, 1)) a = n;$|lock(l); t = a; a = n; unlock(l);$|"            \
    "lock(l); if (t != null) t.next = x; unlock(l);$|"
/* Until a variable is what it was. */
#define RETRIES                                                                                    \
    "do { t = a; if (t != null) x = t.next; } while (t != a);$|"                                   \
    "do { t = b; x = t; if (x != null) x = x.next; } while (!cas(b, t, x));$|"                     \
    "do { t = a; if (n != null) n.next = t; } while (!cas(a, t, n));$|"                            \
    "do { x = b; t = a; while (x != null && t == a) x = x.next; } while (t != a);$|"               \
    "do { x = a; t = x; if (x != null) { if (x.next != null) t = x.next; } } "                     \
    "while (!cas(a, x, t));$|"

/* A program whose nodes have these fields besides, with these statements in it. */
#define PROGRAM(FIELDS, VARIABLES_TOO, OWNER, MORE)                                                \
    "impl it { struct node { value item; " FIELDS                                                  \
    "node next; } shared node a; shared node b; " VARIABLES_TOO                                    \
    "$[$|$|init { a = new node; $[b = a;$|$] }$] "                                                 \
    "op push(value v) { node n = new node; " OWNER                                                 \
    "$[n.item = v;$|n.item = v;$|$] node t; node x; " STEPS(MORE) STEPS(MORE)                      \
        STEPS(MORE) "linearize; " STEPS(                                                           \
            MORE) "return ok; } "                                                                  \
                  "op pop() { node n; node t; node x; value w; $[$|n = new node;$] " STEPS(MORE)   \
                      STEPS(MORE) "if (t != null) { w = t.item; } " STEPS(                         \
                          MORE) "linearize; " STEPS(MORE) "if (w == null) return empty; return "   \
                                                          "w; } }"
#define STEPS(MORE) "$[$|" MORE ORDINARY "$] "

static const char *const programs[] = {
    PROGRAM("", "", "", ""),
    PROGRAM("", "", "", ""),
    PROGRAM("", "shared bool f; shared bool l; shared int(0..1) k; ", "", FLAGS FLAGS FLAGS),
    PROGRAM("bool mark; ", "", "", MARKS MARKS MARKS MARKS),
    PROGRAM("", "", "", RETRIES RETRIES RETRIES RETRIES),
    PROGRAM("bool mark; ", "", "", MARKS RETRIES MARKS RETRIES RETRIES),
    PROGRAM("bool held; ", "", "", LOCKS LOCKS LOCKS LOCKS),
    PROGRAM("node other; ", "", "", OTHERS OTHERS OTHERS OTHERS),
    PROGRAM("int(0..3) owner; ", "", "n.owner = thread; ", HELPS HELPS HELPS),
};

void heap_random_program(struct random *random, struct text *text)
{
    struct text program = TEXT_EMPTY;
    struct grammar grammar = {.random = *random, .out = &program};
    grammar_expand(&grammar, programs[random_below(&grammar.random, ARRAY_LENGTH(programs))]);
    *random = grammar.random;
    grammar_break_lines(text_string(&program), text);
    text_release(&program);
}

/* ---- stacks and queues ---- */

/* What does not matter to the object: of locals y and z, and of u, which is a value. */
#define WALKS                                                                                      \
    "y = $A;", "z = $A;", "if (y != null) y = y.next;", "z = y;",                                  \
        "if (y != null) { z = y.next; y = z; }", "while (y != null) { z = y; y = y.next; }",       \
        "if (y == z) y = null;", "if (y == $A) z = null;",                                         \
        "if (z != null) { if (z.next == y) y = null; }"
static const char *const walks[] = {WALKS};
static const char *const looks[] = {WALKS,
                                    "if (y != null) u = y.item;",
                                    "if (z != null) u = z.item;",
                                    "if (u == null) y = $A;",
                                    "if (y != null) { u = y.item; y = y.next; }",
                                    "u = null;"};

#define NODES      "impl it { struct node { value item; node next; } shared bool l; shared bool m; "
#define LOCALS     "node t; node x; node y; node z; "
#define OF_PUSH    "op push(value v) { node n = new node; n.item = v; " LOCALS "$N "
#define OF_POP     "op pop() { " LOCALS "value u; value v; $N "
#define OF_ENQUEUE "op enqueue(value v) { node n = new node; n.item = v; " LOCALS "$N "
#define OF_DEQUEUE "op dequeue() { " LOCALS "value u; value v; $N "

/* What brings values, and what takes them, with a lock or not. Some are wrong. */
static const struct {
    const char *variables, *adds, *takes, *adds_locked, *takes_locked;
} containers[] = {
    {NODES "shared node top; ",
     OF_PUSH "$[do { t = top; n.next = t; $N } while (!cas(top, t, n));$|"
             "do { t = top; n.next = t; $N } while (!cas(top, t, n));$|"
             "atomic { n.next = top; top = n; }$|atomic { n.next = top; top = n; }$|"
             "t = top; n.next = t; $N top = n;$] $N return ok; } ",
     OF_POP
     "$[while (true) { t = top; $N if (t == null) return empty; x = t.next; $N "
     "if (cas(top, t, x)) { $N return t.item; } }$|"
     "while (true) { t = top; if (t == null) return empty; v = t.item; $N x = t.next; "
     "if (cas(top, t, x)) { $N return v; } }$|"
     "atomic { x = top; if (x != null) { top = x.next; v = x.item; } } $N "
     "if (x == null) return empty; $N return v;$|"
     "atomic { x = top; if (x != null) { top = x.next; } } $N if (x == null) return empty; "
     "v = x.item; $N return v;$|"
     "x = top; if (x == null) return empty; $N v = x.item; t = x.next; top = t; return v;$] } }",
     OF_PUSH "lock(l); t = top; $N n.next = t; top = n; $N unlock(l); $N return ok; } ",
     OF_POP "lock(l); t = top; $N if (t == null) { unlock(l); return empty; } x = t.next; top = x; "
            "v = t.item; $N unlock(l); $N return v; } }"},
    {NODES "shared node head; shared node tail; init { head = new node; tail = head; } ",
     OF_ENQUEUE "$[while (true) { t = tail; x = t.next; $N if (t == tail) { if (x == null) { "
                "if (cas(t.next, null, n)) { $N cas(tail, t, n); $N return ok; } } else { "
                "cas(tail, t, x); } } }$|"
                "atomic { tail.next = n; tail = n; } $N return ok;$|"
                "atomic { tail.next = n; tail = n; } $N return ok;$|"
                "t = tail; t.next = n; $N tail = n; return ok;$] } ",
     OF_DEQUEUE "$[while (true) { node h = head; t = tail; x = h.next; $N if (h == head) { "
                "if (h == t) { if (x == null) return empty; cas(tail, t, x); } else { "
                "v = x.item; $N if (cas(head, h, x)) return v; } } }$|"
                "atomic { x = head.next; if (x != null) { head = x; v = x.item; } } $N "
                "if (x == null) return empty; $N return v;$|"
                "node h = head; x = h.next; if (x == null) return empty; $N v = x.item; head = x; "
                "return v;$] } }",
     OF_ENQUEUE "lock(l); t = tail; $N t.next = n; tail = n; $N unlock(l); $N return ok; } ",
     OF_DEQUEUE "lock(m); t = head; $N x = t.next; if (x == null) { unlock(m); return empty; } "
                "v = x.item; head = x; $N unlock(m); $N return v; } }"},
};

static void expand(struct grammar *grammar, const char *from, bool takes)
{
    grammar->noises = takes ? looks : walks;
    grammar->noise_count = takes ? ARRAY_LENGTH(looks) : ARRAY_LENGTH(walks);
    grammar_expand(grammar, from);
}

void heap_random_container(struct random *random, struct text *text, const char **specification)
{
    struct text program = TEXT_EMPTY;
    struct grammar grammar = {.random = *random, .out = &program, .noise = 30};
    const uint32_t queue = random_below(&grammar.random, 2);
    const bool locked = random_below(&grammar.random, 4) == 0;
    grammar.add = queue ? (random_below(&grammar.random, 2) ? "head" : "tail") : "top";
    grammar.take = grammar.add;
    *specification = queue ? "queue" : "stack";
    grammar_expand(&grammar, containers[queue].variables);
    expand(&grammar, locked ? containers[queue].adds_locked : containers[queue].adds, false);
    expand(&grammar, locked ? containers[queue].takes_locked : containers[queue].takes, true);
    *random = grammar.random;
    grammar_break_lines(text_string(&program), text);
    text_release(&program);
}
