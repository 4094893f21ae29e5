#include "support/lin_random_sticky.h"

#include "base/attributes.h"
#include "base/random.h"
#include "support/grammar.h"

static const char declarations[] =
    "struct node { int(0..3) v; int(0..3) w; node next; bool f; } shared node top; shared node "
    "last; "
    "shared int(0..1) z; shared node a[threads]; shared int(0..3) c[threads]; init { "
    "top = new node; $[last = top;$|last = new node;$] $[$|$|top.v = 1;$|top.w = 1;$|last.w = 2; "
    "last.v = 1;$] for (int i = 0; i < threads; i++) { $[a[i] = top;$|a[i] = last;$] } } ";

/* `x` and `y` are nodes that others may know, `n` one that was made, `i` and `j` numbers. */
#define FINDS                                                                                      \
    "$[x = top;$|x = last;$|y = top;$|y = last;$|x = a[0];$|x = a[1];$|y = a[thread];$|"           \
    "x = a[thread];$|x = a[i % 2];$|y = a[(j + 1) % 2];$|x = n;$|y = x;$|"                         \
    "{ node s$# = x.next; if (s$# != null) { y = s$#; } }$|"                                       \
    "{ node s$# = x.next; if (s$# != null) { x = s$#; } }$]"
#define READS                                                                                      \
    "$[i = x.v;$|i = x.v;$|j = x.v;$|j = x.w;$|i = x.w;$|j = y.v;$|i = y.w;$|b = x.f;$|"           \
    "{ node s$# = x.next; b = s$# != null; }$|"                                                    \
    "atomic { i = x.v; j = x.w; }$|i = c[0];$|i = c[thread];$|j = c[thread];$|j = c[1];$|"         \
    "i = c[i % 2];$|k = z;$|k = z;$]"
#define NUMBER "$[1$|1$|2$|i$|j$]"
#define WRITES                                                                                     \
    "$[x.v = " NUMBER ";$|x.v = 1;$|y.v = 1;$|x.v = 1; x.w = 1;$|x.v = i; x.w = 2;$|"              \
    "x.v = " NUMBER "; x.w = " NUMBER ";$|x.v = j; $[$|j = 1;$|x = y;$|i = x.w;$] x.w = 1;$|"      \
    "x.w = 1;$|x.w = " NUMBER ";$|x.f = true;$|x.f = b;$|cas(x.v, 0, 1);$|cas(x.v, 0, i);$|"       \
    "cas(x.w, 0, 2);$|b = cas(x.v, 0, 1);$|b = cas(x.v, i, j);$|cas(x.v, 1, 2);$|"                 \
    "b = cas(x.next, null, n);$|cas(x.next, null, n);$|x.next = n;$|n.next = x;$|n.v = 1;$|"       \
    "n.w = j;$|n.v = i; n.w = 1;$|c[thread] = " NUMBER ";$|c[thread] = i;$|c[thread] = 0;$|"       \
    "a[thread] = x;$|a[thread] = y;$|a[thread] = n;$|cas(c[thread], i, j);$|"                      \
    "cas(a[thread], x, y);$|top = n;$|top = x;$|last = y;$|cas(top, x, n);$|z = 1;$|z = 1;$|"      \
    "n = new node;$]"
/* What ends that a field is sticky, or that others only read an item. */
#define SPOILS                                                                                     \
    "$[x.v = 0;$|x.w = 0;$|x.v = 2;$|x.w = 0; x.v = 2;$|swap(x.v, 1);$|i = swap(x.w, 2);$|"        \
    "x.next = null;$|cas(x.next, n, null);$|cas(x.v, i, 0);$|c[0] = 1;$|c[i % 2] = 2;$|"           \
    "a[1] = x;$|swap(c[thread], 1);$|x.f = false;$|cas(c[1], 0, 1);$]"
#define ANY "$[" FINDS "$|" READS "$|" READS "$|" WRITES "$|" WRITES "$]"
#define STATEMENT                                                                                  \
    "$[" ANY "$|" ANY "$|" ANY "$|" ANY                                                            \
    "$|if ($[i == 1$|j == 1$|b$|k == 1$|x == y$|i == 0$]) { " ANY                                  \
    "$[$| return 1;$|$] } $[$|else { " ANY " }$]$|{ int q$# = 0; while (q$# < 2) { " ANY           \
    " q$# = q$# + 1; } }$|while (true) { " ANY " $[b = cas(x.v, 0, 1);$|i = x.v;$|b = x == y;$|"   \
    "b = true;$] if ($[b$|b || i != 0$]) break; }$]"

/* Of items alone. */
#define ITEM                                                                                       \
    "$[c[thread] = 1;$|c[thread] = 2;$|c[thread] = 0;$|c[thread] = i;$|c[thread] = j;$|i = "       \
    "c[0];$|"                                                                                      \
    "i = c[1];$|j = c[0];$|j = c[1];$|j = c[thread];$|i = c[thread];$|j = c[i % 2];$|k = z;$|"     \
    "z = 1;$|cas(c[thread], i, 1);$|b = cas(c[thread], 0, 1);$|a[thread] = n;$|x = a[0];$|"        \
    "x = a[thread];$|{ node s$# = a[1]; b = s$# == x; }$|if (i == 1) { c[thread] = 2; }$|"         \
    "if (j != i) { c[thread] = 1; z = 1; }$]"
#define SPOILS_ITEM "$[c[0] = 1;$|c[i % 2] = 2;$|cas(c[1], 0, 1);$|c[1] = 1;$|a[0] = x;$]"

static const char bad[] =
    "$[i == 1 && k == 1$|i != j$|i != j && k == 1$|b && k == 1$|x != y && i == 1$|i == 1 && j == "
    "2$|"
    "i == 0 && k == 1$|i == 2$|j == 1 && b$|i == 1$|b$|j != 0$|k == 1$|i != x.v$|j == c[0]$]";

static void print_operation(struct grammar *writer, struct text *pattern, const char *name,
                            const char *only, bool items, bool spoils)
{
    const unsigned count = 3 + (unsigned)random_below(&writer->random, 4),
                   spoiled = spoils ? (unsigned)random_below(&writer->random, count) : count;
    text_format(pattern,
                "op %s() %s { node x = top; node y = last; node n; int i; int j; int k; "
                "bool b; $[n = new node;$|n = x;$] ",
                name, only);
    for (unsigned i = 0; i < count; i++)
        text_append(pattern, items ? (i == spoiled ? SPOILS_ITEM : ITEM)
                                   : (i == spoiled ? SPOILS : STATEMENT));
    text_format(pattern, " if (%s) return 0; return 1; } ", bad);
}

void lin_random_print_sticky(uint64_t seed, struct text *text)
{
    static const char *const sizes[] = {"threads = 2, ops = 1", "threads = 2, ops = 1",
                                        "threads = 2, ops = 2", "threads = 3, ops = 1"};
    struct text whole = TEXT_EMPTY, pattern = TEXT_EMPTY;
    struct grammar writer = {.out = &whole};
    random_seed(&writer.random, seed);
    const bool apart = random_chance(&writer.random, 2, 3),
               items = random_chance(&writer.random, 1, 4);
    const uint64_t size =
        apart ? random_below(&writer.random, 3) : random_below(&writer.random, ARRAY_LENGTH(sizes));
    text_format(&pattern, "spec one { op get() { return 1; } op put() { return 1; } } impl it { %s",
                declarations);
    print_operation(&writer, &pattern, "get", apart ? "only thread 0" : "", items,
                    random_chance(&writer.random, 1, 6));
    print_operation(&writer, &pattern, "put", apart ? "only thread 1" : "", items,
                    random_chance(&writer.random, 1, 3));
    text_format(&pattern, "} assert it linearizes one with %s%s;", sizes[size],
                random_chance(&writer.random, 1, 10) ? ", nodes = 6" : "");
    grammar_expand(&writer, text_string(&pattern));
    grammar_break_lines(text_string(&whole), text);
    text_release(&pattern);
    text_release(&whole);
}

/* ---- what is written new nodes alone, and what is linked ---- */

static const char fresh_declarations[] =
    "struct node { int(0..3) v; node next; } struct cell { int(0..3) w; node at; } shared node "
    "top; shared node last; shared cell c[threads]; shared cell d; shared int(0..1) z; init { top "
    "= new node; last = top; $[$|node a = new node; top.next = a;$|node a = new node; top.next = "
    "a; last = a;$] for (int i = 0; i < threads; i++) { c[i] = new cell; $[$|c[i].at = "
    "top;$|c[i].at = new node; c[i].w = i;$] } $[d = c[0];$|d = new cell;$] } ";

/* `p` and `q` are cells that others may know, `r` one that was made; `e` and `x` nodes. */
#define FRESH_FINDS                                                                                \
    "$[p = c[0];$|p = c[1];$|q = c[thread];$|p = c[thread];$|p = d;$|q = d;$|q = p;$|e = top;$|"   \
    "e = last;$|x = e.next;$|{ node s$# = e.next; if (s$# != null) { e = s$#; } }$|"               \
    "{ node s$# = p.at; if (s$# != null) { x = s$#; } }$|{ node s$# = q.at; if (s$# != null) { e " \
    "= s$#; } }$]"
#define FRESH_READS                                                                                \
    "$[i = p.w;$|j = q.w;$|k = z;$|k = z;$|{ cell s$# = c[0]; b = s$# == p; }$|b = d == q;$|"      \
    "{ node s$# = last; b = s$# == e; }$|if (e != last) { j = 1; }$|if (e == top) { i = 1; }$]"
#define MAKE "r = new cell; $[$|r.w = 1;$|r.w = 2; r.at = e;$|r.at = x;$|r.at = new node;$] "
#define PLACE                                                                                      \
    "$[b = cas(c[0], p, r);$|b = cas(c[1], q, r);$|cas(c[i % 2], p, r);$|cas(d, q, r);$|"          \
    "b = cas(d, p, r);$|c[thread] = r;$|if (cas(c[1], p, r)) { z = 1; }$|if (cas(c[0], p, r)) { "  \
    "k "                                                                                           \
    "= z; }$|cas(d, q, null);$|if (!cas(d, p, r)) { j = 2; }$]"
#define LINK_IN                                                                                    \
    "$[e = last; if (cas(e.next, null, x)) { z = 1; }$|e = last; cas(e.next, null, x);$|"          \
    "x = new node; e = last; cas(e.next, null, x);$|if (e != null) { b = cas(e.next, null, x); "   \
    "}$]"
#define ADVANCE                                                                                    \
    "$[e = last; x = e.next; if (x != null) { cas(last, e, x); }$|e = top; x = e.next; if (x != "  \
    "null) { if (cas(top, e, x)) { z = 1; } }$|e = last; x = e.next; if (x != null) { b = "        \
    "cas(last, e, x); }$]"
#define FRESH_ANY                                                                                  \
    "$[" FRESH_FINDS "$|" FRESH_READS "$|" MAKE PLACE "$|" LINK_IN "$|" ADVANCE "$|z = 1;$]"
/* Nothing is made in a loop: then there may be fewer nodes than are wanted. */
#define FRESH_AGAIN "$[" FRESH_FINDS "$|" FRESH_READS "$|" ADVANCE "$|z = 1;$]"
#define FRESH_STATEMENT                                                                            \
    "$[" FRESH_ANY "$|" FRESH_ANY "$|" FRESH_ANY "$|" FRESH_FINDS " " FRESH_READS                  \
    "$|if ($[b$|i == 1$|k == 1$|p == q$]) { " FRESH_ANY                                            \
    " }$|{ int q$# = 0; while (q$# < 2) { " FRESH_AGAIN " q$# = q$# + 1; } }$|" MAKE               \
    "while (true) { " FRESH_FINDS                                                                  \
    " if (cas($[c[0]$|c[1]$|d$], $[p$|q$], r)) break; $[$|if (z == 1) break;$] }$|while (true) { " \
    "e = last; x = e.next; $[if (e != last) continue;$|$|k = z;$] if (x != null) { $[cas(last, "   \
    "e, x);$|cas(last, e, x);$|if (cas(last, e, x)) break;$] continue; } " FRESH_AGAIN             \
    " break; }$]"
#define FRESH_SPOILS                                                                               \
    "$[c[0] = p;$|cas(c[1], p, q);$|cas(d, p, q);$|d = q;$|p = d; z = 1; d = null; d = p;$|p = "   \
    "d; x = p.at; e = last; cas(e.next, null, x);$|last = e;$|e = top; x = e.next; cas(top, e, "   \
    "x); cas(last, x, e);$|e.next = null;$|x = top; e = last; z = 1; cas(e.next, null, x);$]"

static void print_fresh_operation(struct grammar *writer, struct text *pattern, const char *name,
                                  const char *only, bool spoils)
{
    const unsigned count = 3 + (unsigned)random_below(&writer->random, 3),
                   spoiled = spoils ? (unsigned)random_below(&writer->random, count) : count;
    text_format(pattern,
                "op %s() %s { node e = top; node x; cell p; cell q; cell r = new cell; int i; int "
                "j; int k; "
                "bool b; $[p = c[0];$|p = c[1];$] q = p; ",
                name, only);
    for (unsigned i = 0; i < count; i++)
        text_append(pattern, i == spoiled ? FRESH_SPOILS : FRESH_STATEMENT);
    text_append(pattern,
                " if ($[b && k == 1$|i == 1 && k == 1$|i != j$|p != q && k == 1$|i == 1 && "
                "j == 2$|b$|k == 1$|j == 2$|p == c[0]$|e != last$|j == 1 && i == 1$]) "
                "return 0; return 1; } ");
}

void lin_random_print_fresh(uint64_t seed, struct text *text)
{
    static const char *const sizes[] = {"threads = 2, ops = 1", "threads = 2, ops = 1",
                                        "threads = 2, ops = 2", "threads = 3, ops = 1"};
    struct text whole = TEXT_EMPTY, pattern = TEXT_EMPTY;
    struct grammar writer = {.out = &whole};
    random_seed(&writer.random, seed);
    const bool apart = random_chance(&writer.random, 2, 3);
    const uint64_t size = random_below(&writer.random, apart ? 3 : ARRAY_LENGTH(sizes));
    text_format(&pattern, "spec one { op get() { return 1; } op put() { return 1; } } impl it { %s",
                fresh_declarations);
    print_fresh_operation(&writer, &pattern, "get", apart ? "only thread 0" : "",
                          random_chance(&writer.random, 1, 6));
    print_fresh_operation(&writer, &pattern, "put", apart ? "only thread 1" : "",
                          random_chance(&writer.random, 1, 3));
    text_format(&pattern, "} assert it linearizes one with %s;", sizes[size]);
    grammar_expand(&writer, text_string(&pattern));
    grammar_break_lines(text_string(&whole), text);
    text_release(&pattern);
    text_release(&whole);
}
