#include "support/lin_random_pure.h"

#include "base/attributes.h"
#include "base/random.h"
#include "support/grammar.h"

static const char *const noises[] = {"", "int m$# = z;", "$[$|$]await (!l);",
                                     "node y$# = top; int m$# = y$# == null ? 0 : y$#.v;",
                                     "either { int m$# = z; } or { }"};

/* What an iteration does besides, which others may or may not notice, or what it changes for the
 * next one: `u`, `i`, `d`, `a` and `g` are locals that may be live where it begins. */
#define MESS                                                                                       \
    "$[$|$|{ $[u = 0;$|u = 1;$|u = u;$|u = 1; u = 0;$|i = i + 1; if (i == 2) { i = 0; }$|"         \
    "i = i + 1; if (i == 3) { break; }$|d = true;$|"                                               \
    "d = cas(z, 0, 1);$|bool h$# = cas(z, 0, 1); if (h$#) { u = 1; }$|cas(z, 0, 1);$|cas(z, 0, "   \
    "0);$|cas(z, 3, 1);$|z = 1;$|z = 1; z = 0;$|atomic { z = 1; z = 0; }$|swap(z, 1);$|"           \
    "fetch_add(z, 0);$|fetch_add(z, 1);$|bump();$|"                                                \
    "lock(l); unlock(l);$|lock(l); int m$# = z; unlock(l); int w$# = z;$|lock(l); unlock(l); "     \
    "int w$# = z; int x$# = z;$|"                                                                  \
    "l = true; l = false;$|l = true; l = false; int w$# = z;$|"                                    \
    "g.v = 3;$|g.v = 3; g.v = 0;$|g.w[1] = 3;$|int q$# = 0; g.w[q$#] = 3;$|node h$# = top; "       \
    "g.next = h$#;$|"                                                                              \
    "g.p = pack(3, 0);$|g.p.m = 1;$|put(&g.v, 3);$|swap(g.v, 3);$|cas(g.v, 0, 3);$|"               \
    "node e$# = g; e$#.v = 3;$|node e$# = new node; e$#.v = 3;$|node e$# = new node; g.next = "    \
    "e$#;"                                                                                         \
    "$|a = new node;$|a = g;$|a.v = 3;$|"                                                          \
    "mine[thread] = 1;$|mine[thread] = 1; int w$# = z;$|cas(mine[thread], 0, 1);$|"                \
    "bool h$# = cas(mine[thread], 0, 1); int w$# = z; if (h$#) { int x$# = z; }$|"                 \
    "swap(mine[thread], 1); int w$# = z;$|atomic { z = 1; mine[thread] = 1; } int w$# = z;$|"      \
    "int w$# = ll(z);$|int w$# = ll(z); "                                                          \
    "sc(z, 1);$|sc(z, 1);$|u = choose(0..1);$|either { u = 1; } or { }$|"                          \
    "if (cas(z, 1, 2)) { bump(); z = 0; }$|while (z == 1) { }$|assume (!l);$] }$]"

/* A number is counted up; who does it is told the new one. */
static const char inc[] =
    "$[int t = 0;$|int t = c;$|int t = ll(c);$|ll(c); int t = c;$] "
    "$[while (true) { " MESS " t = c; $N " MESS " $N if (cas(c, t, t + 1)) { $W } " MESS " }$|"
    "while (true) { t = c; " MESS " $N bool o = cas(c, t, t + 1); " MESS " $N if (o) { $W } }$|"
    "while (!d) { t = c; $N " MESS " $N d = cas(c, t, t + 1); } $W$|"
    "do { t = c; " MESS " int s = c; $N if (s != t) { continue; } } while (!cas(c, t, t + 1)); "
    "$W$|"
    "while (true) { if (cas(c, t, t + 1)) { $W } $N " MESS " t = c; $[$|int s = z;$] }$|"
    "while (true) { t = ll(c); $N " MESS " $N if (sc(c, t + 1)) { $W } " MESS " }$|"
    "while (true) { if (sc(c, t + 1)) { $W } " MESS
    " $[t = ll(c);$|ll(c); t = c;$|t = c;$|int s = ll(c); int q = z;$] }$|"
    "while (true) { t = c; $[if (u == 1) { return 3; }$|if (g.v == 3) { return 3; }$|$] $N "
    "if (cas(c, t, t + 1)) { $W } " MESS " }$|"
    "while (true) { await (!l); if (!swap(l, true)) { t = c; c = t + 1; l = false; $W } }$|"
    "while (true) { if (l) { " MESS " continue; } if (cas(l, false, true)) { t = c; $N c = t + 1; "
    "l = false; $W } }$|"
    "lock(l); t = c; c = t + 1; unlock(l); $W$] "
    "fetch_add(c, 1); return 0;";

/* The answer, which is wrong if what was done in an iteration can be told from it. */
static const char answers[] =
    "$[return t + 1;$|return t + 1;$|return t + 1;$|if (u == 1) { return 0; } return t + 1;$|"
    "if (i > 0) { return 0; } return t + 1;$|if (g.v == 3) { return 0; } return t + 1;$|"
    "if (g.w[1] == 3) { return 0; } return t + 1;$|if (g.p.w == 3) { return 0; } return t + 1;$|"
    "if (a.v == 3) { return 0; } return t + 1;$|if (g.next != null) { return 0; } return t + 1;$|"
    "if (mine[thread] == 1) { return 0; } return t + 1;$|"
    "if (mine[thread] == 1) { return 0; } return t + 1;$|if (mark) { return 0; } return t + 1;$|"
    "if (z == 1) { return 0; } return t + 1;$|return t + 1 - u;$]";

static const char get[] =
    "$[return c;$|return c;$|int t = c; if (z == 1) { return 3; } return t;$|"
    "int t = c; if (l) { return 3; } return t;$|if (z != 0) { return 3; } return c;$|"
    "if (l) { mark = true; } return c;$|"
    "if (z == 1) { mark = true; } return c;$|int t; do { t = c; } while (t != c); return t;$|"
    "while (z == 1) { } return c;$|"
    "int t = c; $N int s = c; while (s != t) { t = s; s = c; } return $[s$|t$];$]";

/* The last one that is put is read. */
static const char put[] =
    "node n = new node; $[n.v = k;$|$|$] node o; node b = n; "
    "$[while (true) { o = top; $F n.next = o; " MESS " $N if (cas(top, o, n)) { return ok; } $L "
    "}$|"
    "do { o = top; $F " MESS " $L } while (!cas(top, o, n)); return ok;$|"
    "while (true) { $F o = top; $L " MESS " $F if (cas(top, o, n)) { return ok; } " MESS " }$|"
    "bool f = false; while (!f) { o = top; $F $N f = cas(top, o, n); " MESS " if (!f) { $L } } "
    "return ok;$|"
    "while (true) { node x = new node; o = top; x.v = k; $L " MESS " if (cas(top, o, x)) { return "
    "ok; } }$|"
    "while (true) { n = new node; n.v = k; o = top; " MESS " if (cas(top, o, n)) { return ok; } "
    "$L }$|"
    "int j = 0; node r; while (j < 2) { r = n; n = new node; while (true) { o = top; $N r.v = k; "
    "if (cas(top, o, $[r$|n$])) { return ok; } n.v = $[3$|k$]; j = j + 1; } } top = r; return ok;$|"
    "o = ll(top); while (true) { $F if (sc(top, n)) { return ok; } $L o = ll(top); }$] top = n; "
    "return ok;";

static const char fill[] =
    "$[n.v = k;$|n.v = k;$|n.v = k;$|$|$|if (k == 1) { n.v = k; }$|if (o == null) { n.v = k; }$|"
    "b.v = k;$|n.v = 0; n.v = k;$|put(&n.v, k);$|{ node s = k == 1 ? n : g; s.v = k; }$|"
    "n.w[0] = k; n.v = k;$|n.p = pack(k, 0); n.v = k;$]";
static const char spill[] =
    "$[$|$|n.v = 3;$|n.v = 3;$|b.v = 3;$|n.w[0] = 3;$|n.p.w = 3;$|n.next = null;$|"
    "if (k == 1) { n.v = 3; }$|n.v = 3; n.v = k;$|n = new node; n.v = k;$|b = n; n = new node; "
    "n.v = 3;$]";

static const char declarations[] =
    "record pack { int(0..3) w; int(0..1) m; } struct node { int(0..3) v; node next; int(0..3) "
    "w[2]; pack p; } shared int(0..7) c; shared int(0..3) z; shared bool l; shared node top; "
    "shared int(0..1) mine[threads]; shared bool mark; void put(int(0..3) *p, int x) { *p = x; } "
    "void bump() { int x = c; if (x < 3) { cas(c, x, x + 1); } } ";
static const char locals[] = "int u = $[0$|1$]; int i = 0; bool d = false; node g = new node; "
                             "node a = $[g$|new node$|null$]; ";

/* $W, $F and $L, which are not the grammar's. */
static void assemble(const char *body, struct text *out)
{
    for (const char *at = body; *at; at++) {
        const char *part = at[0] != '$'   ? NULL
                           : at[1] == 'W' ? answers
                           : at[1] == 'F' ? fill
                           : at[1] == 'L' ? spill
                                          : NULL;
        if (part)
            text_append(out, part);
        else
            text_append_char(out, *at);
        at += part != NULL;
    }
}

void lin_random_print_pure(uint64_t seed, struct text *text)
{
    static const char *const sizes[] = {"threads = 2, ops = 2", "threads = 3, ops = 1",
                                        "threads = 2, ops = 1"}; /* too few to see what is stored */
    struct text whole = TEXT_EMPTY, pattern = TEXT_EMPTY;
    struct grammar writer = {.noises = noises, .noise_count = ARRAY_LENGTH(noises), .out = &whole};
    random_seed(&writer.random, seed);
    writer.noise = random_chance(&writer.random, 1, 4) ? 10 : 0;
    const bool counts = random_chance(&writer.random, 1, 2);
    text_append(&whole, counts ? "spec count { int n; op inc() { n = n + 1; return n; } "
                                 "op get() { return n; } } impl it { "
                               : "spec cell { int s; op store(int(1..2) k) { s = k; return ok; } "
                                 "op load() { return s; } } impl it { ");
    text_append(&whole, declarations);
    text_append(&pattern, counts ? "op inc() { " : "op store(int(1..2) k) { ");
    text_append(&pattern, locals);
    assemble(counts ? inc : put, &pattern);
    text_format(&pattern, " } op %s() { $N %s }", counts ? "get" : "load",
                counts ? get
                       : "node x = top; if (x == null) return 0; "
                         "$[return x.v;$|int t = x.v; if (x.p.w == 3) return 3; return t;$|int t = "
                         "x.v; if (x.w[0] == 3) return 3; return t;$|if (z == 1) return 3; return "
                         "x.v;$|if (l) return 3; return x.v;$]");
    grammar_expand(&writer, text_string(&pattern));
    text_format(&whole, "} assert it linearizes %s with %s%s;", counts ? "count" : "cell",
                sizes[random_below(&writer.random, ARRAY_LENGTH(sizes) - !counts)],
                random_chance(&writer.random, 1, 6) ? ", nodes = 5" : "");
    grammar_break_lines(text_string(&whole), text);
    text_release(&pattern);
    text_release(&whole);
}
