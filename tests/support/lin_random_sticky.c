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
