#include "support/lin_random_stale.h"

#include "base/attributes.h"
#include "base/random.h"
#include "support/grammar.h"

static const char *const noises[] = {"int m$# = z;", "node y$# = top;", "node y$# = last;"};

/* What is done besides, alone or with the variables that threads look at. `t` is a node that is
 * held, `n` one that is made. Some bring back what was there before. */
#define TRICK                                                                                      \
    "$[$|$|$|$|$|$|$|$|$|$|$|$|$|$|$|$|$|$|$|$|$|$|$|$|$|$|$|$|z = 1;$|"                           \
    "{ node a$# = top; node b$# = new node; int i$# = a$#.v; b$#.v = i$#; node e$# = a$#.next; "   \
    "b$#.next = e$#; "                                                                             \
    "if (cas(top, a$#, b$#)) { z = 1; $[top = a$#;$|cas(top, b$#, a$#);$|$] } }$|"                 \
    "{ node a$# = top; node b$# = new node; int i$# = a$#.v; b$#.v = i$#; $[b$#.next = a$#; "      \
    "if (cas(top, a$#, b$#)) { z = 1; node c$# = b$#.next; cas(top, b$#, c$#); }$|"                \
    "if (cas(top, a$#, b$#)) { z = 1; swap(top, a$#); }$] }$|"                                     \
    "atomic { node a$# = top; top = new node; top.v = a$#.v; z = 1; $[$|top.next = a$#;$] } "      \
    "$[$|{ node c$# = top; node d$# = c$#.next; if (d$# != null) { cas(top, c$#, d$#); } }$]$|"    \
    "{ node a$# = last; last = a$#; }$|"                                                           \
    "{ node a$# = last; node b$# = a$#.next; if (b$# != null) { if (cas(last, a$#, b$#)) { "       \
    "z = 1; $[$|last = a$#;$|cas(last, b$#, a$#);$|swap(last, a$#);$] } } }$|"                     \
    "{ node a$# = last; if (cas(a$#.next, null, g)) { z = 1; $[$|$|a$#.next = null;$|"             \
    "cas(a$#.next, g, null);$|swap(a$#.next, null);$] } }$|"                                       \
    "{ node a$# = last; node b$# = a$#.next; if (b$# != null) { z = 1; $[$|a$#.next = null;$|"     \
    "b$#.next = a$#; last = b$#;$|last = b$#; b$#.next = a$#;$] } }$]"

static const char locals[] =
    "node n = new node; node g = $[new node$|new node$|n$]; node t; node x; "
    "int w = 0; ";

/* A number is counted up, by a node put before the others */
static const char put_before[] =
    "$[while (true) { t = top; $[w = z;$|$] $N int i = t.v; n.v = i + 1; "
    "$[n.next = t;$|n.next = t;$|$|x = t.next; n.next = x;$] $[$|if (t != top) { continue; }$] "
    "$[w = z;$|$] " TRICK " if (cas(top, t, n)) { " TRICK " $W } " TRICK " }$|"
    "$[node o = top; n.next = o;$|$] do { t = top; $[w = z;$|$] int i = t.v; n.v = i + 1; "
    "$[$|n.next = t;$] " TRICK " } while (!cas(top, t, n)); $W$]";

/* or behind them. */
static const char put_behind[] =
    "$[while (true) { t = last; $[w = z;$|$] x = t.next; $[if (t != last) continue;$|$|$N$] "
    "if (x != null) { $[cas(last, t, x);$|cas(last, t, x);$|last = x;$|if (cas(last, t, x)) { z = "
    "1; }$] continue; } "
    "$[w = z;$|$] int i = t.v; n.v = i + 1; " TRICK " if (cas(t.next, "
    "$[null$|null$|x$], n)) { $[cas(last, t, n);$|cas(last, t, n);$|last = n;$|$] " TRICK
    " $W } " TRICK " }$|"
    "while (true) { t = last; $[w = z;$|$] int i = t.v; n.v = i + 1; x = t.next; if (x != null) { "
    "node y = t.next; cas(last, t, y); continue; } $N if (cas(t.next, null, n)) { $W } }$]";

static const char answers[] =
    "$[return n.v;$|return n.v;$|return n.v;$|if (w != z) return 0; return n.v;$|if (w != z) "
    "return 0; return n.v;$|"
    "if (t == last) return 0; return n.v;$|if (t == top) return 0; return n.v;$|"
    "if (z == 1) return 0; return n.v;$|if (t.next == null) return 0; return n.v;$]";

static const char get_before[] =
    "node g = new node; node t; node x; "
    "$[t = top; return t.v;$|" TRICK " t = top; return t.v;$|"
    "while (true) { t = top; int w = z; x = t.next; " TRICK " if (t != top) continue; "
    "$[if (w != z) return 0;$|$] return t.v; }$]";

static const char get_behind[] = "node g = new node; node t; node x; "
                                 "while (true) { t = last; x = t.next; $[if (t != last) "
                                 "continue;$|$] if (x == null) return t.v; "
                                 "cas(last, t, x); " TRICK " }";

static const char declarations[] =
    "struct node { int(0..3) v; node next; node other; } shared node top; shared node last; "
    "shared int(0..1) z; init { top = new node; last = top; } ";

static void assemble(const char *body, struct text *out)
{
    for (const char *at = body; *at; at++) {
        const bool answers_here = at[0] == '$' && at[1] == 'W';
        if (answers_here)
            text_append(out, answers);
        else
            text_append_char(out, *at);
        at += answers_here;
    }
}

void lin_random_print_stale(uint64_t seed, struct text *text)
{
    static const char *const sizes[] = {"threads = 2, ops = 1", "threads = 2, ops = 2",
                                        "threads = 3, ops = 1"};
    struct text whole = TEXT_EMPTY, pattern = TEXT_EMPTY;
    struct grammar writer = {.noises = noises, .noise_count = ARRAY_LENGTH(noises), .out = &whole};
    random_seed(&writer.random, seed);
    writer.noise = random_chance(&writer.random, 1, 4) ? 10 : 0;
    text_append(&whole,
                "spec count { int n; op inc() { n = n + 1; return n; } op get() { return n; "
                "} } impl it { ");
    text_append(&whole, declarations);
    const bool before = random_chance(&writer.random, 1, 2);
    text_format(&pattern, "op inc() { %s", locals);
    assemble(before ? put_before : put_behind, &pattern);
    text_format(&pattern, " } op get() { $N %s }", before ? get_before : get_behind);
    grammar_expand(&writer, text_string(&pattern));
    text_format(&whole, "} assert it linearizes count with %s%s;",
                sizes[random_below(&writer.random, ARRAY_LENGTH(sizes))],
                random_chance(&writer.random, 1, 8) ? ", nodes = 4" : "");
    grammar_break_lines(text_string(&whole), text);
    text_release(&pattern);
    text_release(&whole);
}
