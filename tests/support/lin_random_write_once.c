#include "support/lin_random_write_once.h"

#include "base/attributes.h"
#include "base/random.h"
#include "support/grammar.h"

static const char *const noises[] = {"",
                                     "int m$# = z;",
                                     "fetch_add(z, 1);",
                                     "box w$# = new box; w$#.v = 3; int m$# = w$#.v;",
                                     "box w$# = idle; idle = null; if (w$# != null) w$#.v = 0;",
                                     "either { z = 1; } or { }"};

/* How a node becomes known to others, and how they come by it. */
struct route {
    const char *publish, *obtain;
};

/* `x` is published; what else is needed has names of its own. */
static const struct route routes[] = {
    {"b = x;", "box x = b;"},
    {"$[box o$# = swap(b, x);$|swap(b, x);$|put(&b, x);$|swing_to(x);$]", "box x = b;"},
    {"$[box o$#; do { o$# = b; } while (!cas(b, o$#, x));$|"
     "while (true) { box o$# = b; bool d$# = cas(b, o$#, x); if (d$#) break; }$|"
     "bool d$# = false; while (!d$#) { box o$# = b; d$# = !cas(b, o$#, x); d$# = !d$#; }$|"
     "while (true) { box o$# = b; if (!$[swing(o$#, x)$|cas(b, o$#, x)$]) { x.v = 3; x.v = k; } "
     "else break; }$|"
     "while (true) { box o$# = b; if (k > 0 && cas(b, o$#, x)) break; }$|"
     "while (true) { box o$# = b; if (cas(b, o$#, x) || k == 3) break; }$|"
     "while (true) { box o$# = ll(b); if (sc(b, x)) break; x.v = k; }$|"
     "box o$# = b; bool d$# = cas(b, o$#, x); if (!d$#) b = x;$]",
     "box x = b;"},
    {"$[at = link(1, x);$|link q$# = link(0, x); at = q$#;$|"
     "link q$#; q$#.to = x; link r$# = q$#; at = r$#;$|"
     "link o$#; do { o$# = at; } while (!cas(at, o$#, link(1, x)));$]",
     "link q = at; box x = q.to;"},
    {"box h$# = home; $[h$#.on = x;$|cas(h$#.on, null, x); h$#.on = x;$|"
     "h$#.pair = link(1, x); h$#.on = x;$|put(&h$#.on, x);$]",
     "box h = home; box x = h.on;"},
    {"box h$# = new box; $[h$#.on = x; b = h$#;$|b = h$#; h$#.on = x;$|"
     "h$#.pair = link(0, x); h$#.on = x; swap(b, h$#);$]",
     "box h = b; box x = h.on;"},
    {"$[many[1] = x;$|int i$# = 1; many[i$#] = x;$|put(&many[k - k + 1], x);$]",
     "box x = many[1];"},
    {"mine[thread] = x; box y$# = mine[thread]; b = y$#;", "box x = b;"},
    {"box two$#[2]; two$#[0] = x; $[b = two$#[0];$|two$#[1] = two$#[0]; b = two$#[1];$]",
     "box x = b;"},
    {"atomic { $[b = x; z = 0;$|x.k = true; b = x;$] }", "box x = b;"},
};

/* What is done to `x`, as other nodes take its place: nothing that anybody could notice, or
 * something that a reader must not see. */
static const char late[] =
    "$[$|$|int u$# = x.v;$|x = null;$|x.v = 3;$|if (k == 1) x.v = 3;$|a.v = 3;$|c.v = 3;$|"
    "fill(x, 3);$|fill(a, 3);$|"
    "box two$#[2]; two$#[1] = x; two$#[0].v = 3;$|box two$#[2]; two$#[1] = x; two$#[1].v = 3;$|"
    "box y$# = new box; box two$#[2]; two$#[0] = x; two$#[1] = y$#; two$#[0].v = 3;$|"
    "link q$# = link(1, x); box y$# = q$#.to; y$#.v = 3;$|"
    "box y$# = new box; y$# = k == 1 ? x : y$#; y$#.v = 3;$|box y$# = same(x); y$#.v = 3;$|"
    "int i$# = 0; while (i$# < 2) { if (i$# == 1) x.v = 3; i$# = i$# + 1; }$|"
    "swap(x.v, 3);$|cas(x.v, k, 3);$|int u$# = x.v; fetch_add(x.v, 3 - u$#);$|put_v(&x.v, 3);$|"
    "lock(x.l);$|x.p.m = 1;$|x.p = pack(3, 1);$|x.vs[1] = 3;$|int i$# = 0; x.vs[i$#] = 3;$|"
    "free(x); box y$# = new box; y$#.v = 3; y$#.l = true;$|"
    "if (late) x.v = 3;$|if (!late) x.v = 3;$|await (k > 0); x.v = 3;$]";

/* Ways to make two nodes that follow each other; `x` is the first, which was published. */
static const char *const bodies[] = {
    /* one after the other */
    "box x = new box; box c; bool late = k == 1; $N $M $[box a = x;$|box a; a = x;$|"
    "box a = new box; if (k == 1) a = x;$|box a = x; if (k == 2) a = new box;$] $N $P $N "
    "c = x; box e = x; x = new box; x.v = k; $P x = e; $N $L",
    /* in a loop: the first is that of the round before */
    "box x; box a; box c; box e; bool late = k == 1; int i = 0; while (i < 2) { e = x; "
    "x = new box; c = x; if (i == 1) { x = e; a = e; $L x = c; } $M $N $P x = new box; x.v = k; "
    "$P x = c; i = i + 1; }",
    /* published on one way, or if it could be */
    "box x = new box; box c; box a = x; bool late = $[k == 1$|cas(b, b0, x)$|!cas(b, b0, x)$]; "
    "$M $N if ($[late$|!late$|k == 2$]) { $P } $N box e = x; x = new box; x.v = k; c = e; $P "
    "x = e; $L",
    /* whether it was is asked, and then it is */
    "box x = new box; box a = x; $M box o = b; bool late = cas(b, o, x); $N if (!late) { "
    "$[b = x;$|$P$] } box e = x; box c = x; x = new box; x.v = k; $P x = e; $L",
    /* whether it was is known */
    "box x = new box; box a = x; $M box o = b; "
    "$[bool late = cas(b, o, x);$|bool late = !cas(b, o, x);$|bool late = k == 1; await (cas(b, o, "
    "x));$] $N box e = x; box c "
    "= x; "
    "x = new box; x.v = k; $P x = e; $L",
    /* another thread's */
    "box x = new box; $M $N $P box e = b; box c = e; box a = c; bool late = k == 1; x = new box; "
    "x.v = k; $P if (e != null) { x = e; $L }",
};

static const char fillings[] =
    "$[x.v = k;$|fill(x, k);$|box y$# = x; y$#.v = k;$|box two$#[2]; two$#[1] = x; "
    "two$#[1].v = k;$|x.v = 3; x.v = k;$|put_v(&x.v, k);$|cas(x.v, 0, k);$|atomic { x.v = k; }$] "
    "$[$|$|x.vs[0] = k;$|x.p = pack(k, 0);$|x.k = true;$]";

static const char declarations[] =
    "record link { int(0..1) m; box to; } record pack { int(0..3) w; int(0..1) m; }"
    "struct box { int(0..3) v; box on; bool l; bool k; link pair; pack p; int(0..3) vs[2]; }"
    "shared box b; shared box home; shared box many[2]; shared box mine[threads]; shared link at;"
    "shared box idle; shared int z; init { home = new box; }"
    "void fill(box x, int n) { x.v = n; } void put(box *p, box x) { *p = x; }"
    "void put_v(int(0..3) *p, int n) { *p = n; } box same(box x) { box y = x; return y; }"
    "bool swing(box o, box x) { return cas(b, o, x); }"
    "void swing_to(box x) { box o; do { o = b; } while (!swing(o, x)); }";

/* `x` is a node. */
static const char readings[] =
    "$[return x.v;$|int t = x.v; $N return t;$|box y = x; $N return y.v;$|"
    "bool g = x.l; if (g) return 3; return x.v;$|pack p = x.p; $N if (p.m == 1) return 3; "
    "return x.v;$|"
    "int w = x.vs[1]; if (w == 3) return 3; return x.v;$|int w = x.vs[k0]; if (w == 3) return 3; "
    "int t = x.v; return t;$|"
    "int t = x.v; int u = x.v; return $[t$|u$];$|atomic { return x.v; }$|"
    "int t; do { t = x.v; } while (t == 0); return t;$|assert (x.v > 0); return x.v;$|"
    "await (x.v > 0); return x.v;$|atomic { int t = x.v; assume (t > 0); return t; }$|"
    "bool g = x.k; $N int t = x.v; return t;$]";

/* A part of a body, whose names get a number that no other part's have. */
static void append_part(const char *part, unsigned number, struct text *out)
{
    for (const char *at = part; *at; at++)
        if (at[0] == '$' && at[1] == '#') {
            text_format(out, "%u", number);
            at++;
        } else {
            text_append_char(out, *at);
        }
    text_append(out, "$N");
}

/* Puts the parts where they belong: $P, $M and $L are not the grammar's. */
static void assemble(const char *body, const struct route *route, struct text *out)
{
    unsigned number = 0;
    for (const char *at = body; *at; at++) {
        const bool part = at[0] == '$' && (at[1] == 'P' || at[1] == 'M' || at[1] == 'L');
        if (part)
            append_part(at[1] == 'P'   ? route->publish
                        : at[1] == 'M' ? fillings
                                       : late,
                        ++number, out);
        else
            text_append_char(out, *at);
        at += part;
    }
}

void lin_random_print_write_once(uint64_t seed, struct text *text)
{
    struct text whole = TEXT_EMPTY, pattern = TEXT_EMPTY;
    struct grammar writer = {.noises = noises, .noise_count = ARRAY_LENGTH(noises), .out = &whole};
    random_seed(&writer.random, seed);
    writer.noise = random_chance(&writer.random, 1, 2) ? 12 : 0;
    const struct route *route = &routes[random_below(&writer.random, ARRAY_LENGTH(routes))];
    text_append(&pattern, "op write(int(1..2) k) { box b0; ");
    assemble(bodies[random_below(&writer.random, ARRAY_LENGTH(bodies))], route, &pattern);
    text_format(&pattern,
                "return ok; } op read() { int k0 = 0; $N %s $N if (x == null) return 0; %s }",
                route->obtain, readings);
    text_append(&whole, "spec cell { int s; op write(int(1..2) k) { s = k; return ok; } "
                        "op read() { return s; } } impl it { ");
    text_append(&whole, declarations);
    grammar_expand(&writer, text_string(&pattern));
    const bool more = random_chance(&writer.random, 1, 8);
    text_format(&whole, "} assert it linearizes cell with threads = 2, ops = %u%s;", more ? 2 : 1,
                random_chance(&writer.random, 1, 6) ? ", nodes = 4" : "");
    if (random_chance(&writer.random, 1, 3)) {
        text_append(&whole, "assert it never (");
        grammar_expand(&writer, "$[b != null && b.v == 3$|z > 1$|b != null && running(1)$|"
                                "home.on != null && b == null$|b != null && b.k$]");
        text_append(&whole, ") with threads = 2, ops = 1;");
    }
    grammar_break_lines(text_string(&whole), text);
    text_release(&pattern);
    text_release(&whole);
}
