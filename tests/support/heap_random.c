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
#define FLAGS                                                                                      \
    "f = true;$|f = false;$|if (f) t = a;$|if (swap(f, true)) x = b;$|k = 1;$|k = 0;$|"            \
    "if (k == 1) b = t;$|if (cas(k, 0, 1)) a = n;$|lock(l); t = a; a = n; unlock(l);$|"            \
    "lock(l); if (t != null) t.next = x; unlock(l);$|"

/* A program whose nodes have these fields besides, with these statements in it. */
#define PROGRAM(FIELDS, VARIABLES_TOO, MORE)                                                       \
    "impl it { struct node { value item; " FIELDS                                                  \
    "node next; } shared node a; shared node b; " VARIABLES_TOO                                    \
    "$[$|$|init { a = new node; $[b = a;$|$] }$] "                                                 \
    "op push(value v) { node n = new node; $[n.item = v;$|n.item = v;$|$] node t; node x; " STEPS( \
        MORE) STEPS(MORE)                                                                          \
        STEPS(MORE) "linearize; " STEPS(                                                           \
            MORE) "return ok; } "                                                                  \
                  "op pop() { node n; node t; node x; value w; $[$|n = new node;$] " STEPS(MORE)   \
                      STEPS(MORE) "if (t != null) { w = t.item; } " STEPS(                         \
                          MORE) "linearize; " STEPS(MORE) "if (w == null) return empty; return "   \
                                                          "w; } }"
#define STEPS(MORE) "$[$|" MORE ORDINARY "$] "

static const char *const programs[] = {
    PROGRAM("", "", ""),
    PROGRAM("", "", ""),
    PROGRAM("", "shared bool f; shared bool l; shared int(0..1) k; ", FLAGS FLAGS FLAGS),
    PROGRAM("bool mark; ", "", MARKS MARKS MARKS MARKS),
    PROGRAM("bool held; ", "", LOCKS LOCKS LOCKS LOCKS),
    PROGRAM("node other; ", "", OTHERS OTHERS OTHERS OTHERS),
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
