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

/* ---- one is away ---- */

#define VARIABLE "$[top$|top$|last$]"

static const char away_declarations[] =
    "struct node { int(0..3) v; node next; } shared node top; shared node last; shared node w; "
    "shared int(0..1) z; shared int(0..1) s; init { node a = new node; top = a; last = a; "
    "$[w = new node;$|w = new node;$|w = new node;$|w = a;$|$] $[node b = new node; a.next = b; "
    "$[last = b;$|w = b;$|$]$|$|$] } ";

/* What it reads, after where it begins again. */
static const char looks[] =
    "$[t = " VARIABLE ";$|t = w;$] $[k = z;$|k = z;$|r = w;$|$] "
    "$[x = t.next;$|x = t.next;$|x = t.next; if (x != null) { y = x.next; }$|$] "
    "$[$|$|$|$|$|s = 1;$|u = 1;$|int i = r.v;$|y = r.next;$|if (t == last) u = 1;$|n.v = 2;$] "
    "$[$|$|if (t != " VARIABLE ") continue;$|k = z;$]";

/* What it must not find as it was when others have been there. */
static const char succeeds[] = "$[cas(top, t, x)$|cas(top, t, x)$|cas(top, t, x)$|cas(last, t, x)$|"
                               "cas(top, t, n)$|cas(t.next, null, n)$|cas(t.next, null, n)$|"
                               "cas(last, t, n)$|cas(t.next, x, n)$]";

static const char away_again[] = "$[$|$|$|$|$|s = 1;$|u = 1;$|int j = t.v;$|y = r.next;$|int j = "
                                 "x.v;$|y = t.next; int j = y.v;$]";

static const char away_answers[] =
    "$[if (k != z) return 0; return 1;$|if (k != z) return 0; return 1;$|if (u == 1) return 0; "
    "return 1;$|return 1;$]";

#define POP "e = top; if (e != null) { x = e.next; cas(top, e, x); } "

/* What the other one does as stacks and queues do, */
#define PROPER                                                                                     \
    "$[e = top; n = new node; n.next = e; cas(top, e, n);$|"                                       \
    "e = " VARIABLE "; if (e != null) { x = e.next; cas(" VARIABLE ", e, x); }$|" POP "$|" POP     \
    "$|"                                                                                           \
    "e = " VARIABLE "; if (e != null) { n = new node; cas(e.next, null, n); $[cas(last, e, n);$|"  \
    "x = e.next; cas(last, e, x);$|$] }$|"                                                         \
    "z = 1;$|z = 1;$|w = e;$|w = n;$|e = top; cas(top, e, null);$|q = w;$] "

/* and as they do not. */
#define IMPROPER                                                                                   \
    "$[e = " VARIABLE "; if (e != null) { e.next = $[null$|q$]; }$|"                               \
    "e = top; m = e.next; z = 1; e.next = null; if (m != null) { m.next = e; top = m; }$|"         \
    "q = top; " PROPER PROPER VARIABLE " = q;$|"                                                   \
    "q = " VARIABLE "; " PROPER PROPER "e = top; cas(top, e, q);$|"                                \
    "q = w; z = 1; e = " VARIABLE "; if (e != null) { cas(e.next, null, q); } " POP "$|"           \
    "n = new node; q = w; n.next = q; e = top; z = 1; if (e != null) { cas(e.next, null, n); "     \
    "} " POP POP "$|"                                                                              \
    "n = new node; m = new node; q = w; n.next = q; d = cas(m.next, null, n); z = 1; e = top; "    \
    "m.next = e; if (cas(top, e, m)) { if (d) { cas(top, m, n); } } " POP "$|"                     \
    "n = new node; q = new node; e = top; m = e; if (z == 0) { m = n; } if (m != null && e != "    \
    "null) { cas(m.next, null, q); w = q; z = 1; cas(e.next, null, n); } " POP POP "$|"            \
    "n = new node; q = new node; e = top; if (!cas(w, null, n)) { d = true; } d = cas(last, "      \
    "null, n); cas(n.next, null, q); w = q; z = 1; if (!d && e != null) { cas(e.next, null, n); "  \
    "} " POP POP "$|"                                                                              \
    "n = new node; e = top; n.next = e; w = n; z = 1; cas(top, e, n);$|"                           \
    "n = new node; w = n; z = 1; e = top; cas(top, e, n);$|"                                       \
    "n = new node; q = w; n.next = q; x = n.next; e = top; n.next = e; z = 1; if (cas(top, e, "    \
    "n)) "                                                                                         \
    "{ cas(top, n, x); }$|"                                                                        \
    "n = new node; m = new node; q = w; e = top; n.next = q; m.next = e; z = 1; cas(top, e, "      \
    "n); " POP "$|"                                                                                \
    "e = " VARIABLE "; if (e != null) { x = e.next; cas(e.next, x, null); }$|"                     \
    "n = new node; swap(" VARIABLE ", n);$|e = top; if (e != null) { swap(e.next, null); }$|"      \
    "e = top; m = top; if (m != null) { x = m.next; cas(top, e, x); }$] "

void lin_random_print_away(uint64_t seed, struct text *text)
{
    struct text whole = TEXT_EMPTY, pattern = TEXT_EMPTY;
    struct grammar writer = {.out = &whole};
    random_seed(&writer.random, seed);
    text_format(&pattern,
                "spec one { op get() { return 1; } op put() { return 1; } } impl it { %s "
                "op get() only thread 0 { node n = new node; node t; node x; node y; node r; "
                "int k; int u = 0; while (true) { %s if (%s) { %s } %s } } "
                "op put() only thread 1 { node n = new node; node e; node x; node m; node q; "
                "bool d; ",
                away_declarations, looks, succeeds, away_answers, away_again);
    const unsigned count = 2 + (unsigned)random_below(&writer.random, 3),
                   improper = (unsigned)random_below(&writer.random, count + 2);
    for (unsigned i = 0; i < count; i++)
        text_append(&pattern, i == improper ? IMPROPER : PROPER);
    text_append(&pattern, "return 1; } } assert it linearizes one with threads = 2, ops = 1;");
    grammar_expand(&writer, text_string(&pattern));
    grammar_break_lines(text_string(&whole), text);
    text_release(&pattern);
    text_release(&whole);
}
