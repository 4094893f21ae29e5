#include "support/any_random.h"

#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "support/grammar.h"

/* ---- the objects; grammar.h says what $[, $N, $A and $B are ---- */

struct subject_of {
    const char *spec; /* what it is said to be, one of the alternatives */
    const char *body;
    uint8_t nodes; /* at least, or one more */
};

/* A lock around one or two cells, by a monitor's condition or without. */
#define LOCK "$[lock(l);$|lock(l);$|lock(l);$|lock(l);$|await (!l); l = true;$|$]"
#define ROOM                                                                                       \
    "$[atomic { assume (!l && n < 2); l = true; }$|atomic { assume (!l && n < 2); l = true; }$|"   \
    "atomic { assume (!l && n < 2); l = true; }$|while (true) { lock(l); if (n < 2) break; "       \
    "unlock(l); }$|await (n < 2); lock(l);$|await (n < 2);$]"
#define OLDEST "v = a; a = b; $[b = null;$|b = null;$|$]"
#define NEWEST                                                                                     \
    "if (n == 2) { v = b; $[b = null;$|b = null;$|$] } else { v = a; $[a = null;$|a = null;$|$] }"

/* Something inside two or three locks. */
#define NESTED(inside)                                                                             \
    "lock(t); $N lock(l); " inside " $[unlock(l); unlock(t);$|unlock(l); $N unlock(t);$|"          \
    "unlock(t); unlock(l);$]$|lock(t); lock(l); " inside " unlock(l); unlock(t);$|lock(l); "       \
    "lock(t); " inside " unlock(t); unlock(l);"
#define DEEP(inside)                                                                               \
    "lock(t); lock(l); lock(k); " inside " $[unlock(k); unlock(l); unlock(t);$|unlock(k); "        \
    "unlock(l); unlock(t);$|unlock(t); unlock(l); unlock(k);$]$|lock(k); $N lock(l); "             \
    "lock(t); " inside " unlock(t); unlock(l); unlock(k);$|lock(l); lock(k); " inside              \
    " unlock(k); unlock(l);"

static const struct subject_of subjects[] = {
    {"$[queue$|queue$|stack$]",
     "shared bool l; shared value a; shared value b; shared int(0..2) n;"
     "op $A(value v) { $N " ROOM " $N $[atomic { if (n == 0) a = v; else b = v; n++; }$|"
     "int(0..2) k = n; if (k == 0) a = v; else b = v; $N n = k == 2 ? 2 : k + 1;$] "
     "$[unlock(l);$|l = false;$] $N return ok; }"
     "op $B() { value v; $N " LOCK " $N $[atomic { if (n > $[0$|0$|0$|1$]) { " OLDEST " n--; } }$|"
     "int(0..2) k = n; if (k > 0) { v = a; value w = b; a = w; b = null; n = k - 1; }$] "
     "$[unlock(l);$|l = false;$] $N return v; }",
     0},
    {"$[stack$|stack$|queue$]",
     "shared bool l; shared value a; shared value b; shared int(0..2) n;"
     "op $A(value v) { $N " ROOM " $N $[atomic { if (n == 0) a = v; else b = v; n++; }$|"
     "int(0..2) k = n; if (k == 0) a = v; else b = v; $N n = k == 2 ? 2 : k + 1;$] "
     "$[unlock(l);$|l = false;$] $N return ok; }"
     "op $B() { value v; $N " LOCK " $N $[atomic { if (n > $[0$|0$|0$|1$]) { " NEWEST " n--; } }$|"
     "int(0..2) k = n; if (k == 2) { v = b; b = null; n = 1; } if (k == 1) { v = a; n = 0; }$] "
     "$[unlock(l);$|l = false;$] $N return v; }",
     0},
    /* One cell, swapped. */
    {"$[queue$|stack$]",
     "shared value a; shared value h; shared bool used;"
     "op $A(value v) { $N $[await (cas(a, null, v));$|await (cas(a, null, v));$|while (!cas(a, "
     "null, v)) { }$|await (a == null); a = v;$|await (!swap(used, true)); $N a = v;$|"
     "value o = swap(a, v); if (o != null) return full;$] $N return ok; }"
     "op $B() { $N $[return swap(a, null);$|return swap(a, null);$|value v = swap(a, null); $N "
     "used "
     "= false; return v;$|value v = a; $N a = null; return v;$|while (true) { value v = swap(a, "
     "null); if (v != null) return v; }$|value v; atomic { h = a; v = h; a = null; } $N return v;$|"
     "atomic { h = a; a = null; } $N return h;$] }",
     0},
    /* Herlihy and Wing's. */
    {"$[queue$|queue$|queue$|stack$]",
     "shared value slot[2]; shared int(0..2) back;"
     "op $A(value v) { int(0..2) i; $N $[atomic { assume (back < 2); i = back; back++; }$|"
     "atomic { assume (back < 2); i = fetch_add(back, 1); }$|i = back; assume (i < 2); back = i + "
     "1;$] $N slot[i] = v; $N return ok; }"
     "op $B() { $[while (true) { int(0..2) r = $[back$|back$|2$]; for (int(0..2) i = 0; i < r; "
     "i++) { $[value v = swap(slot[i], null);$|value v = swap(slot[i], null);$|value v = slot[i]; "
     "if (v != null) slot[i] = null;$] if (v != null) return v; } }$|"
     "int(0..2) r = back; for (int(0..2) i = 0; i < r; i++) { value v = swap(slot[i], null); if (v "
     "!= null) return v; } return empty;$|int(0..1) i; while (true) { value v = swap(slot[i], "
     "null); if (v != null) return v; i = 1 - i; }$] }",
     0},
    /* Treiber's. */
    {"$[stack$|stack$|stack$|queue$]",
     "struct node { value item; node next; } shared node top; shared bool l;"
     "op $A(value v) { node n = new node; $N n.item = v; $[node t; do { t = top; $N n.next = t; }"
     " while (!cas(top, t, n));$|node t; do { t = top; n.next = t; } while (!cas(top, t, n));$|"
     "lock(l); node t = top; n.next = t; top = n; unlock(l);$|node t = top; n.next = t; top = n;$|"
     "atomic { n.next = top; top = n; }$|node t = swap(top, n); n.next = t;$] $N return ok; }"
     "op $B() { $N $[while (true) { node t = top; if (t == null) return empty; $[value v = t.item; "
     "node x = t.next; if (cas(top, t, x)) { $[free(t);$|$|$] return v; }$|node x = t.next; $N if "
     "(cas(top, t, x)) { $[return t.item;$|value v = t.item; free(t); return v;$|free(t); return "
     "t.item;$|value v = t.item; $N t.next = null; return v;$] }$] }$|"
     "lock(l); node t = top; if (t == null) { unlock(l); return empty; } node x = t.next; top = x; "
     "unlock(l); $[return t.item;$|value v = t.item; free(t); return v;$]$|"
     "node t = swap(top, null); if (t == null) return empty; node x = t.next; $N if (x != null) top"
     " = x; return t.item;$|"
     "atomic { if (top == null) return empty; node t = top; top = t.next; return t.item; }$] }",
     2},
    /* Michael and Scott's, with two locks and without. */
    {"$[queue$|queue$|queue$|stack$]",
     "struct node { value item; node next; } shared node head; shared node tail; shared bool l;"
     "shared bool m; init { head = new node; tail = head; }"
     "op $A(value v) { node n = new node; $N n.item = v; $[lock(l); node t = tail; $[t.next = n; "
     "tail = n;$|t.next = n; tail = n;$|tail = n; t.next = n;$] unlock(l);$|node t = swap(tail, "
     "n); $N t.next = n;$|while (true) { node t = tail; node x = t.next; if (x != null) { "
     "cas(tail, "
     "t, x); continue; } if (cas(t.next, null, n)) { $[cas(tail, t, n);$|$|tail = n;$] break; } }$|"
     "atomic { node t = tail; t.next = n; tail = n; }$] $N return ok; }"
     "op $B() { $N $[lock(m); node h = head; node x = h.next; if (x == null) { unlock(m); return "
     "empty; } $[value v = x.item; head = x; unlock(m); $[free(h);$|free(h);$|$] return v;$|head = "
     "x; unlock(m); $[free(h);$|$|$] return x.item;$]$|while (true) { node h = head; node x = "
     "h.next; if (x == null) return empty; value v = x.item; $[if (cas(head, h, x)) { "
     "$[free(h);$|$|$] return v; }$|head = x; return v;$] }$] }",
     2},
    /* One enqueuer or dequeuer. */
    {"queue",
     "shared value slot[2]; shared int(0..1) front; shared int(0..1) back; op enqueue(value v) "
     "$[only thread 0$|only thread 0$|$] { $N int(0..1) i = back; await (slot[i] == null); "
     "$[slot[i] = v; $N back = 1 - i;$|back = 1 - i; $N slot[i] = v;$] return ok; }"
     "op dequeue() $[only thread 0$|only thread 0$|$] { int(0..1) i = front; $N value v = slot[i]; "
     "if (v == null) return empty; $[slot[i] = null; front = 1 - i;$|front = 1 - i; slot[i] = "
     "null;$|atomic { slot[i] = null; front = 1 - i; }$] return v; }",
     0},
    {"register",
     "shared value s; shared value r; shared int(0..1) at; shared bool l;"
     "op write(value v) $[only thread 0$|$|$|$] { $N $[s = v;$|s = v;$|swap(s, v);$|s = v; $N s = "
     "v;$|r = v; s = v;$|s = v; $N r = v;$|atomic { s = v; r = v; }$|lock(l); s = v; $N r = v; "
     "unlock(l);$|atomic { int(0..1) i = at; if (i == 0) r = v; else s = v; at = 1 - i; }$|"
     "int(0..1) i = at; if (i == 0) r = v; else s = v; at = 1 - i;$] $N return ok; }"
     "op read() { $N $[return s;$|return s;$|value v = s; $N return v;$|value v = r; value w = s; "
     "return $[v$|w$];$|either { return s; } or { return r; }$|lock(l); value v = s; unlock(l); "
     "return v;$|atomic { if (at == 0) return s; return r; }$|value v = s; if (v == null) return "
     "r; return v;$|value v = s; r = v; $N return r;$] }",
     0},
    {"register",
     "record pair { value v; int(0..1) t; } struct box { value v; } shared pair p; shared box b; "
     "init { b = new box; }"
     "op write(value v) { $N $[$[pair q = p; $N p = pair(v, 1 - q.t);$|p = pair(v, 1);$|p.v = v;$|"
     "atomic { p.v = v; p.t = 1 - p.t; }$]$|box x = new box; $N x.v = v; $N $[b = x;$|box o = b; "
     "o.v = v;$|box o = b; cas(b, o, x);$|b = x; $N x.v = v;$|box o = swap(b, x); $N free(o);$]$] "
     "return ok; }"
     "op read() { $N $[return p.v;$|pair q = p; $N return q.v;$|box x = b; $N return x.v;$|"
     "box x = b; value v = x.v; box y = b; if (x == y) return v; return y.v;$] }",
     2},
    /* Arrays in records, addresses, recursion and switches. */
    {"register",
     "record both { value v[2]; int(0..1) at; } shared both p; shared value s; shared bool l; void "
     "put(value *to, value v) { *to = v; } void again(value *to, value v, int(0..2) k) depth 2 { "
     "*to "
     "= v; if (k > 0) again(to, v, k - 1); } op write(value v) { $N $[put(&s, v);$|put(&p.v[0], "
     "v); "
     "$N put(&s, v);$|again(&s, v, 1);$|put(&p.v[0], v);$|both q = p; switch (q.at) { case 0: p = "
     "both([v, q.v[1]], 0); break; case 1: p = both([q.v[0], v], 1); } s = v;$|lock(l); put(&s, "
     "v); "
     "unlock(l);$] $N return ok; } op read() { $N $[return s;$|value v = s; $N return v;$|value v "
     "= "
     "p.v[0]; switch (v) { case null: return s; default: return v; }$|both q = p; $N value v = s; "
     "if (v == null) return q.v[0]; return v;$|lock(l); value v = s; unlock(l); return v;$] }",
     0},
    {"mutex",
     "shared bool h; shared bool g; shared int(0..1) next; shared int(0..1) now; shared int(0..2) "
     "n; $[op acquire() { $N $[lock(h);$|while (swap(h, true)) { }$|await (!h); h = true;$|"
     "await (!h); $N await (cas(h, false, true));$|do { await (!h); } while (!cas(h, false, "
     "true));$|atomic { assume (!h); h = true; }$|while (true) { if (!h) { $N h = true; break; } "
     "}$|lock(g); lock(h); unlock(g);$] $N return ok; } op release() { $N $[h = false;$|h = "
     "false;$|unlock(h);$|swap(h, false);$|h = false; $N h = false;$|atomic { assert (h); h = "
     "false; }$] return ok; }$|"
     "op acquire() { $[int(0..1) t; atomic { t = next; next = 1 - t; }$|int(0..1) t = next; next = "
     "1 - t;$] $N await (now == t); return ok; } op release() { int(0..1) t = now; $N now = 1 - t; "
     "return ok; }$|"
     "op acquire() { while (true) { int(0..2) t = n; if (t == 0) { if (cas(n, 0, $[1$|2$])) break; "
     "} else { $[cas(n, t, 2);$|n = 2;$|$] } } return ok; } op release() { $N n = 0; return ok; "
     "}$]",
     0},
    {"$[semaphore(2)$|semaphore(2)$|semaphore(1)$|mutex$]",
     "shared int(0..2) n = $[2$|2$|1$]; shared bool l; op acquire() { $N $[atomic { assume (n > 0);"
     " n--; }$|while (true) { int(0..2) t = n; if (t > 0) { if (cas(n, t, t - 1)) break; } }$|"
     "int(0..2) t = n; await (t > 0); $N n = t - 1;$|lock(l); await (n > 0); int(0..2) t = n; n = "
     "t - 1; unlock(l);$|while (true) { lock(l); int(0..2) t = n; if (t > 0) { n = t - 1; "
     "unlock(l); break; } unlock(l); }$] $N return ok; }"
     "op release() { $N $[atomic { if (n < 2) n++; }$|lock(l); int(0..2) t = n; if (t < 2) n = t + "
     "1; unlock(l);$|int(0..2) t = n; $N if (t < 2) n = t + 1;$|while (true) { int(0..2) t = n; if "
     "(t == 2) break; if (cas(n, t, t + 1)) break; }$] $N return ok; }",
     0},
    /* Locks inside one another: in one order or in several, the last one given back first or not.
     */
    {"register",
     "shared bool t; shared bool l; shared bool k; shared value s; shared value r; op write(value "
     "v) { $N $[" NESTED("s = v;") "$|" NESTED("r = v; s = v;") "$|" DEEP(
         "s = v;") "$] return ok; "
                   "} op read() { value v; $N $[lock(l); v = s; unlock(l);$|lock(k); v = s; "
                   "unlock(k);$|v = s;$|" NESTED("v = s;") "$|" DEEP("v = s;") "$] $N return v; }",
     0},
    {"$[queue$|stack$]",
     "shared bool t; shared bool l; shared bool k; shared value s; op $A(value v) { $N $[await (s "
     "== null);$|$] $[" NESTED("s = v;") "$|" NESTED("await (s == null); s = v;") "$|" DEEP(
         "s = v;") "$] return ok; } op $B() { value v; $N $[lock(l); v = swap(s, null); "
                   "unlock(l);$|"
                   "v = swap(s, null);$|" NESTED("v = swap(s, null);") "$|" DEEP(
                       "v = s; s = null;") "$] $N return v; }",
     0},
/* Statements at random. */
#define ANY_STEP                                                                                   \
    "$[$|$|w = a;$|w = b;$|a = w;$|b = w;$|a = null;$|b = null;$|w = swap(a, w);$|w = swap(b, "    \
    "null);$|await (cas(a, null, w));$|lock(l);$|unlock(l);$|l = false;$|k = i;$|i = 1;$|i = 1 - " \
    "k;$|await (i == k);$|if (w == null) w = a;$|if (k == 0) a = w; else b = w;$|atomic { b = "    \
    "a; a = w; }$|atomic { w = a; a = b; b = null; }$|atomic { assume (a == null); a = w; }$|"     \
    "while (w == null) { w = swap(a, null); }$|while (i != k) { k = i; }$|if (a == null) { b = "   \
    "w; }$|assume (b == null);$|n = new node;$|m = n;$|n = m;$|if (n != null) n.of = w;$|if (n "   \
    "!= "                                                                                          \
    "null) w = n.of;$|n = swap(m, null);$|if (n != null) free(n);$|cas(m, null, n);$]"
    {"$[queue$|stack$]",
     "struct node { value of; } shared node m; shared value a; shared value b; shared bool l; "
     "shared int(0..1) i; op $A(value v) { value w = v; int(0..1) k; node n; " ANY_STEP ANY_STEP
     "$[a = v;$|b = v;$|await (cas(a, null, v));$|atomic { assume (a == null); a = v; }$|n = new "
     "node; n.of = v; m = n;$|n = new node; n.of = v; await (cas(m, null, n));$] " ANY_STEP
     " return ok; } op $B() { value w; int(0..1) k; node n; " ANY_STEP
     "$[w = swap(a, null);$|w = swap(b, null);$|n = swap(m, null); if (n != null) w = "
     "n.of;$] " ANY_STEP ANY_STEP " return w; }",
     1},
    {"register",
     "struct node { value of; } shared node m; shared value a; shared value b; shared bool l; "
     "shared int(0..1) i; op write(value v) { value w = v; int(0..1) k; node n; " ANY_STEP ANY_STEP
     "$[a = v;$|a = v;$|b = v;$] " ANY_STEP " return ok; } op read() { value w; int(0..1) k; node "
     "n; " ANY_STEP "$[w = a;$|w = a;$|w = b;$] " ANY_STEP ANY_STEP " return w; }",
     1},
};

/* Steps beside the object. */
static const char noise_declarations[] = "shared bool z; shared bool g0;";

static const char *const noises[] = {
    "bool k$# = z;",
    "z = true;",
    "z = false;",
    "bool k$# = z; z = !k$#;",
    "lock(g0); unlock(g0);",
    "either { z = true; } or { }",
    "bool k$# = swap(z, true); if (k$#) z = false;",
    "bool k$# = choose(0..1) == 1; z = k$#;",
};

/* ---- mutations: by lines, one statement each ---- */

/* Where line `number` begins; the end of the text if there are fewer. */
static const char *line_at(const char *text, size_t number)
{
    while (number-- > 0 && *text)
        text += strcspn(text, "\n") + 1;
    return text;
}

/* Whether it is a statement that declares nothing. */
static bool is_plain(const char *line)
{
    static const char *const types[] = {"shared ", "value ", "bool ", "int(",
                                        "node ",   "box ",   "pair "};
    size_t length = strcspn(line, "\n");
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++)
        if (strncmp(line, types[i], strlen(types[i])) == 0)
            return false;
    return length > 0 && line[length - 1] == ';';
}

static bool begins_with(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

/* Whether a line is a whole statement: no part of an `if` with an `else`, of a `do`, of a switch.
 */
static bool is_whole(const char *text, size_t number)
{
    const char *line = line_at(text, number), *next = line_at(text, number + 1);
    const char *before = number > 0 ? line_at(text, number - 1) : "";
    return !begins_with(line, "else") && !begins_with(next, "else") && !begins_with(line, "do ") &&
           !(begins_with(line, "while") && (before[0] == '}' || begins_with(before, "do"))) &&
           !begins_with(line, "case ") && !begins_with(line, "default:");
}

/* Drops a statement, doubles it, or exchanges it with the one behind. */
static void mutate(struct text *text, struct random *random)
{
    size_t lines = 0, chosen;
    const char *from = text_string(text);
    for (const char *at = from; *at; at++)
        lines += *at == '\n';
    do
        chosen = random_below(random, (uint32_t)lines);
    while (!is_plain(line_at(from, chosen)) || !is_whole(from, chosen));
    const char *line = line_at(from, chosen), *next = line_at(from, chosen + 1);
    const char *behind = line_at(from, chosen + 2);
    bool doubled = random_chance(random, 1, 4);
    bool exchanged =
        !doubled && is_plain(next) && is_whole(from, chosen + 1) && random_chance(random, 1, 2);
    struct text mutant = TEXT_EMPTY;
    text_append_bytes(&mutant, from, (size_t)(line - from));
    if (doubled)
        text_append_bytes(&mutant, line, (size_t)(next - line));
    if (exchanged)
        text_append_bytes(&mutant, next, (size_t)(behind - next));
    if (doubled || exchanged)
        text_append_bytes(&mutant, line, (size_t)(next - line));
    text_append(&mutant, exchanged ? behind : next);
    text_release(text);
    *text = mutant;
}

/* ---- programs ---- */

/* ---- objects with specifications of their own; what they are said to be is a call of one ---- */

static const char answering[] =
    "spec try_lock { bool held; op try_acquire() { if (held) return false; held = true; return "
    "true; } op release() { held = false; return ok; } }\n"
    "spec bounded(N) { list q; op put(value v) { if (len(q) == N) return full; q = q + [v]; return "
    "ok; } op take() { if (q == []) return empty; value v = first(q); q = but_first(q); return v; "
    "} }\n"
    "spec pile(N) { list q; op put(value v) { if (len(q) == N) return full; q = q + [v]; return "
    "true; } op take() { if (q == []) return empty; value v = last(q); q = but_last(q); return v; "
    "} }\n"
    "spec flag { bool f; op set() { if (f) return same; f = true; return changed; } op clear() { "
    "if (!f) return same; f = false; return changed; } op get() { return f; } }\n"
    "spec exchanger { value x; op put(value v) { value o = x; x = v; return o; } op has() { return "
    "x != null; } op drop() { if (x == null) return false; x = null; return true; } }\n";

static const struct subject_of answering_subjects[] = {
    {"try_lock",
     "shared bool h; shared bool l; op try_acquire() { $N $[if (swap(h, true)) return false; $N "
     "return true;$|if (h) return false; $N if (cas(h, false, true)) return true; return false;$|"
     "if (h) return false; $N h = true; return true;$|while (true) { if (h) return false; if "
     "(cas(h, false, true)) return true; }$|lock(l); bool o = h; if (!o) h = true; $N unlock(l); "
     "return !o;$|bool o = h; $N bool w = swap(h, true); if (w) return false; return true;$|"
     "either { return false; } or { } return !swap(h, true);$] } op release() { $N $[h = false;$|"
     "h = false;$|swap(h, false);$|lock(l); h = false; unlock(l);$|if (h) h = false;$|h = false; "
     "$N h = false;$] $N return ok; }",
     0},
    {"$[bounded(2)$|bounded(2)$|pile(2)$|bounded(1)$]",
     "shared bool l; shared value a; shared value b; shared int(0..2) n; op put(value v) { $N "
     "$[lock(l);$|lock(l);$|$] if (n $[==$|==$|>=$] $[2$|2$|1$]) { $[unlock(l);$|unlock(l);$|l = "
     "false;$] $N return full; } $N atomic { if (n == 0) a = v; else b = v; n = n < 2 ? n + 1 : 2; "
     "} $[l = false;$|unlock(l);$] $N return $[ok$|true$]; } op take() { value v; $N "
     "$[lock(l);$|lock(l);$|$] if (n == 0) { $[unlock(l);$|l = false;$] return empty; } $N atomic "
     "{ "
     "$[v = a; a = b; b = null;$|if (n == 2) { v = b; b = null; } else { v = a; a = null; }$] n = "
     "n "
     "> 0 ? n - 1 : 0; } $[l = false;$|unlock(l);$] $N return v; }",
     0},
    {"$[bounded(1)$|bounded(1)$|pile(1)$]",
     "shared value a; op put(value v) { $N $[if (cas(a, null, v)) return $[ok$|true$]; $N return "
     "full;$|if (a != null) return full; $N if (cas(a, null, v)) return ok; return full;$|if (a != "
     "null) return full; a = v; return ok;$|while (true) { value w = a; if (w != null) return "
     "full; "
     "if (cas(a, null, v)) return true; }$|a = v; return ok;$] } op take() { $N $[return swap(a, "
     "null);$|value v = swap(a, null); $N return v;$|value v = a; if (v == null) return empty; a = "
     "null; return v;$|while (true) { value v = a; if (v == null) return empty; v = swap(a, null); "
     "if (v != null) return v; }$] }",
     0},
    {"flag",
     "shared bool f; shared bool l; op set() { $N $[if (swap(f, true)) return same; return "
     "changed;$|if (f) return same; $N f = true; return changed;$|lock(l); bool o = f; f = true; "
     "unlock(l); if (o) return same; return changed;$|if (cas(f, false, true)) return changed; $N "
     "return same;$] } op clear() { $N $[if (swap(f, false)) return changed; return same;$|if "
     "(cas(f, true, false)) return changed; return same;$|lock(l); bool o = f; f = false; "
     "unlock(l); if (o) return changed; return same;$|f = false; return changed;$] } op get() { $N "
     "$[return f;$|bool o = f; $N return o;$|bool o = f; bool p = f; return o $[&&$|!=$] p;$] }",
     0},
    {"exchanger",
     "shared value x; shared value y; shared bool l; op put(value v) { $N $[return swap(x, v);$|"
     "value o = swap(x, v); $N return o;$|value o = x; x = v; return o;$|lock(l); value o = x; $N "
     "x "
     "= v; unlock(l); return o;$|value o = swap(x, v); y = o; return y;$] } op has() { $N $[return "
     "x != null;$|value o = x; $N return o != null;$|lock(l); bool o = x != null; unlock(l); "
     "return "
     "o;$|value o = x; value p = x; return o != null && p != null;$] } op drop() { $N $[value o = "
     "swap(x, null); return o != null;$|lock(l); value o = x; x = null; unlock(l); return o != "
     "null;$|if (x == null) return false; x = null; return true;$] }",
     0},
};

/* The implementation `it` of a subject. */
static void write_implementation(struct grammar *writer, const struct subject_of *subject,
                                 struct text *out)
{
    struct text whole = TEXT_EMPTY;
    writer->noise = random_chance(&writer->random, 1, 2) ? 15 : 0;
    writer->out = &whole;
    text_format(&whole, "impl it { %s", writer->noise ? noise_declarations : "");
    grammar_expand(writer, subject->body);
    text_append(&whole, "}");
    grammar_break_lines(text_string(&whole), out);
    if (random_chance(&writer->random, 1, 2))
        mutate(out, &writer->random);
    text_release(&whole);
}

void any_random_create_answers(struct any_program *program, uint64_t seed)
{
    static const char *const specs[] = {"try_lock", "bounded(1)", "bounded(2)", "pile(1)",
                                        "pile(2)",  "flag",       "exchanger"};
    struct text name = TEXT_EMPTY;
    struct grammar writer = {.noises = noises, .noise_count = ARRAY_LENGTH(noises), .out = &name};
    random_seed(&writer.random, seed);
    const struct subject_of *subject =
        &answering_subjects[random_below(&writer.random, ARRAY_LENGTH(answering_subjects))];
    grammar_expand(&writer, subject->spec);
    *program = (struct any_program){0};
    for (size_t i = 0; i < ARRAY_LENGTH(specs); i++)
        if (strcmp(text_string(&name), specs[i]) == 0)
            program->spec = specs[i];
    struct text implementation = TEXT_EMPTY;
    write_implementation(&writer, subject, &implementation);
    text_append(&program->text, answering);
    text_append(&program->text, text_string(&implementation));
    text_release(&implementation);
    text_release(&name);
}

void any_random_create(struct any_program *program, uint64_t seed)
{
    static const char *const specs[] = {"queue", "stack",        "register",
                                        "mutex", "semaphore(1)", "semaphore(2)"};
    struct text name = TEXT_EMPTY;
    struct grammar writer = {.noises = noises, .noise_count = ARRAY_LENGTH(noises), .out = &name};
    random_seed(&writer.random, seed);
    const struct subject_of *subject =
        &subjects[random_below(&writer.random, ARRAY_LENGTH(subjects))];
    grammar_expand(&writer, subject->spec);
    *program = (struct any_program){0};
    for (size_t i = 0; i < ARRAY_LENGTH(specs); i++)
        if (strcmp(text_string(&name), specs[i]) == 0)
            program->spec = specs[i];
    bool stack = strcmp(program->spec, "stack") == 0;
    writer.add = stack ? "push" : "enqueue";
    writer.take = stack ? "pop" : "dequeue";
    if (subject->nodes)
        program->nodes = subject->nodes + random_below(&writer.random, 2);
    write_implementation(&writer, subject, &program->text);
    text_release(&name);
}

/* ---- conditions ---- */

#define MOST_SHARED 16

/* A scalar shared variable, or the first item of an array. */
struct shared_variable {
    char name[24];
    char kind; /* b: bool, i: int, v: value, r: a reference to a node */
};

/* Whether a line declares one, which is then filled in. */
static bool read_shared(const char *line, struct shared_variable *variable)
{
    static const char *const structs[] = {"node ", "box "};
    char type[24], name[24] = "";
    if (sscanf(line, "shared %23s %23[a-z0-9]", type, name) != 2)
        return false;
    const char *behind = strstr(line, name) + strlen(name);
    variable->kind = 0;
    if (strncmp(type, "bool", 4) == 0 || strncmp(type, "int(", 4) == 0 ||
        strcmp(type, "value") == 0)
        variable->kind = type[0];
    for (size_t i = 0; i < ARRAY_LENGTH(structs); i++)
        if (strncmp(line + strlen("shared "), structs[i], strlen(structs[i])) == 0)
            variable->kind = 'r';
    snprintf(variable->name, sizeof variable->name, "%.20s%s", name, *behind == '[' ? "[0]" : "");
    return variable->kind != 0;
}

static void append_atom(struct random *random, const struct shared_variable *variables,
                        size_t count, struct text *condition)
{
    const struct shared_variable *one = &variables[random_below(random, (uint32_t)count)];
    const struct shared_variable *other = &variables[random_below(random, (uint32_t)count)];
    const char *sign = random_chance(random, 1, 2) ? "==" : "!=";
    if (one->kind == 'b')
        text_format(condition, "%s%s", random_chance(random, 1, 2) ? "!" : "", one->name);
    else if (one->kind == 'i')
        text_format(condition, "%s %s %u", one->name, sign, random_below(random, 3));
    else if (other->kind == one->kind && other != one)
        text_format(condition, "%s %s %s", one->name, sign, other->name);
    else
        text_format(condition, "%s %s null", one->name, sign);
}

void any_random_condition(const struct any_program *program, uint64_t seed, struct text *condition)
{
    struct shared_variable variables[MOST_SHARED];
    struct random random;
    size_t count = 0;
    random_seed(&random, seed);
    for (const char *line = text_string(&program->text); *line && count < MOST_SHARED;
         line = line_at(line, 1))
        count += read_shared(line, &variables[count]);
    if (count == 0) {
        text_append(condition, "false");
        return;
    }
    append_atom(&random, variables, count, condition);
    for (uint32_t more = 1 + random_below(&random, 2); more > 0; more--) {
        text_append(condition, random_chance(&random, 5, 6) ? " && " : " || ");
        append_atom(&random, variables, count, condition);
    }
}

void any_random_release(struct any_program *program)
{
    text_release(&program->text);
}
