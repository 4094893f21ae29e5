#include "support/lin_random.h"

#include <string.h>

#include "base/random.h"
#include "base/vector.h"
#include "support/grammar.h"

/* ---- the objects; grammar.h says what $[, $N, $( and $# are ---- */

struct subject_of {
    const char *spec; /* what it is said to be; with its text where it is not built in */
    const char *text; /* of the specification, may be empty */
    const char *body; /* of the implementation */
    uint8_t parallel; /* threads at most */
};

#define BAG                                                                                        \
    "spec bag { list l; op put(value v) { l = l + [v]; return ok; }"                               \
    " op take() { if (l == []) return empty; value v;"                                             \
    " either { v = first(l); l = but_first(l); } or { v = last(l); l = but_last(l); } return v; }" \
    " }"
#define CELL                                                                                       \
    "spec cell { list l; op put(value v) { if (len(l) == 1) return full; l = [v]; return ok; }"    \
    " op take() { if (l == []) return empty; value v = first(l); l = []; return v; } }"
#define COIN                                                                                       \
    "spec coin { bool thrown; int side; op toss() { if (!thrown) { side = choose(0..1);"           \
    " thrown = true; } return side; } op look() { return thrown; } }"
#define LOSSY                                                                                      \
    "spec lossy { int n; op inc() { either { n = n + 1; } or { } return ok; }"                     \
    " op read() { return n; } }"

#define SEEN                                                                                       \
    "spec seen { set s; value last; op put(value v) { if (v in s) return false; s = s + {v};"      \
    " last = v; return true; } op take() { if (s == {}) return empty; value v = choose(s);"        \
    " s = s - {v}; return v; } op look() { return last; } }"
/* Not all values are alike in it. */
#define FUSSY                                                                                      \
    "spec fussy { value last; op put(value v) { $[if (v == 2) return full; $|$]last = v;"          \
    " return ok; } op take() { $[if (last == 2) return empty; $|$]return last; } }"

static const struct subject_of subjects[] = {
    {"counter", "",
     "shared int n; shared bool l; void bump() { int t = n; $N n = t + 1; }"
     "int next() { int t = n; return t + 1; }"
     "op inc() { $N $[fetch_add(n, 1);$|int t = n; $N n = t + 1;$|atomic { n = n + 1; }$|"
     "int t; do { t = n; } while (!cas(n, t, t + 1));$|"
     "while (true) { int t = ll(n); $N if (sc(n, t + 1)) break; }$|int t = ll(n); sc(n, t + 1);$|"
     "lock(l); $N bump(); unlock(l);$|lock(l); int t = next(); n = t; unlock(l);$|"
     "lock(l); int t = n; unlock(l); lock(l); n = t + 1; unlock(l);$|atomic { bump(); }$|"
     "await (!l); l = true; bump(); l = false;$|while (swap(l, true)) { } bump(); l = false;$|"
     "if (!cas(n, 0, 1)) fetch_add(n, 1);$|int t = next(); if (!cas(n, t - 1, t)) fetch_add(n, 1);"
     "$] $N return ok; }"
     "op read() { $N $[return n;$|int t = n; $N return t;$|lock(l); int t = n; unlock(l); return t;"
     "$|int t = n; int u = n; return $[t$|u$|t == u ? t : u + 1$];$|return choose(0..1);$|"
     "int t = next(); return t - 1;$] }",
     3},
    {"counter", "",
     "shared int a[2]; op inc() only thread $[0$|1$] { $N $[fetch_add(a[thread], 1);$|"
     "int t = a[thread]; $N a[thread] = t + 1;$|int t = a[0]; a[0] = t + 1;$] return ok; }"
     "op read() { $N int t = a[0]; $N int u = a[1]; return t + u; }",
     2},
    {"register", "",
     "shared value s; shared value r; shared int(0..1) at;"
     "op write(value v) { $N $[s = v;$|swap(s, v);$|value o = s; $N cas(s, o, v);$|"
     "value o; do { o = s; } while (!cas(s, o, v));$|value o = ll(s); $N sc(s, v);$|"
     "s = v; s = v;$|r = v; s = v;$|s = v; $N r = v;$|atomic { s = v; r = v; }$|"
     "atomic { int i = at; if (i == 0) r = v; else s = v; at = 1 - i; }$] $N return ok; }"
     "op read() { $N $[return s;$|value v = s; $N return v;$|value v = r; value w = s; return "
     "$[v$|w$];$|value v; value w; do { v = s; w = r; } while (v != w); return v;$|"
     "atomic { if (at == 0) return s; return r; }$|return $[r$|s$];$] }",
     2},
    {"register", "",
     "record pair { value v; int(0..7) t; } struct box { value v; pair p; }"
     "shared pair p; shared box b; init { b = new box; }"
     "op write(value v) { $N $[pair q = p; $N p = pair(v, q.t + 1);$|"
     "pair q; do { q = p; } while (!cas(p, q, pair(v, q.t + 1)));$|atomic { p.v = v; }$|"
     "p.v = v;$|pair q = p; $N cas(p, q, pair(v, q.t));$] $N box x = new box; $N x.v = v; $N"
     " x.p = pair(v, 1); $N $[b = x;$|box o = b; o.v = v;$|box o = b; cas(b, o, x);$|"
     "b = x; x.v = v;$|b = x; box y = b; y.v = v;$] return ok; }"
     "op read() { $N $[return p.v;$|pair q = p; $N return q.v;$|box x = b; $N return x.v;$|"
     "box x = b; pair q = x.p; return q.v;$|box x = b; return x.p.v;$] }",
     2},
    {"set", "",
     "shared bool has[2]; shared bool l;"
     "op add(int(0..1) v) { $N $[return !swap(has[v], true);$|return cas(has[v], false, true);$|"
     "bool o = has[v]; $N has[v] = true; return !o;$|lock(l); bool o = has[v]; has[v] = true;"
     " unlock(l); return !o;$|atomic { if (has[v]) return false; has[v] = true; } return true;$|"
     "if (has[v]) return false; $N return cas(has[v], false, true);$] }"
     "op $[remove(int(0..1) v) { $N $[return swap(has[v], false);$|return cas(has[v], true, "
     "false);$|"
     "if (!has[v]) return false; has[v] = false; return true;$|lock(l); bool o = has[v]; has[v] = "
     "false; unlock(l); return o;$] }$|contains(int(0..1) v) { $N $[return has[v];$|"
     "bool o = has[v]; $N bool q = has[v]; return $[o$|q$|o && q$|o || q$];$] }$]",
     2},
    {"mutex", "",
     "shared bool h; shared int(0..1) turn; shared bool flag[2]; shared int next; shared int now;"
     "$[op acquire() { $N $[lock(h);$|while (swap(h, true)) { }$|await (!h); h = true;$|"
     "await (!h); $N await (cas(h, false, true));$|do { await (!h); } while (!cas(h, false, "
     "true));$|atomic { assume (!h); h = true; }$|while (true) { if (!ll(h)) { $N if (sc(h, true))"
     " break; } }$] $N return ok; } op release() { $N $[h = false;$|unlock(h);$|swap(h, false);$]"
     " return ok; }$|"
     "op acquire() { int t = fetch_add(next, 1); $N await (now == t); return ok; }"
     "op release() { $N $[fetch_add(now, 1);$|int t = now; now = t + 1;$] return ok; }$|"
     "op acquire() { $[flag[thread] = true; turn = 1 - thread;$|turn = 1 - thread; flag[thread] = "
     "true;$] while (true) { if (!flag[1 - thread]) break; if (turn == thread) break; } $N return "
     "ok; } op release() { flag[thread] = false; return ok; }$]",
     2},
    {"semaphore(2)", "",
     "shared int(0..2) n = $[2$|2$|1$]; op acquire() { $N $[atomic { assume (n > 0); n--; }$|"
     "while (true) { int(0..2) t = n; if (t > 0 && $[true$|t == t$]) { if (cas(n, t, t - 1)) break;"
     " } else { await (n > 0); } }$|await (n > 0); $N fetch_add(n, 0 - 1);$] return ok; }"
     "op release() { $N fetch_add(n, 1); return ok; }",
     3},
    /* Items of shared arrays that are a thread's own, or one of two threads'. */
    {"register", "",
     "shared value s; shared value mine[threads]; shared int(0..7) times[threads];"
     "op write(value v) { $N $[mine[thread] = v; $N value w = mine[thread]; s = w;$|"
     "value o = mine[thread]; mine[thread] = v; if (o != v) s = v;$|value o = ll(mine[thread]); if "
     "(sc(mine[thread], v)) s = v;$|s = v; mine[thread] = v;$|"
     "times[thread] = 1; int t = times[thread]; if (t == 1) s = v;$] $N return ok; }"
     "op read() { $N $[value v = s; $N mine[thread] = v; return v;$|value w = mine[thread];"
     " if (w != null) return w; return s;$|fetch_add(times[thread], 1); int t = times[thread];"
     " $[$|if (t > 1) return null; $]return s;$|value v = swap(mine[thread], null); $N return s;$] "
     "}",
     3},
    {"mutex", "",
     "shared bool flag[2]; op acquire() { $N $[flag[thread] = true; await (!flag[1 - thread]);$|"
     "await (!flag[1 - thread]); flag[thread] = true;$|while (true) { flag[thread] = true; "
     "if (!flag[1 - thread]) break; flag[thread] = false; }$|lock(flag[thread]);$] return ok; }"
     "op release() { $N $[flag[thread] = false;$|flag[1 - thread] = false;$] return ok; }",
     2},
    {"$[stack$|bag$]", BAG,
     "struct node { value item; node next; } shared node top; shared node spare[threads];"
     "op $A(value v) { node n = spare[thread]; $N if (n == null) n = new node; "
     "$[else spare[thread] = null;$|$] n.item = v; node t; do { t = top; n.next = t; }"
     " while (!cas(top, t, n)); return ok; }"
     "op $B() { while (true) { node t = top; if (t == null) return empty; node x = t.next; $N"
     " if (cas(top, t, x)) { value v = t.item; $[spare[thread] = t;$|$] return v; } } }",
     2},
    {"$[stack$|queue$|bag$]", BAG,
     "struct node { value item; node next; } shared node top; shared bool l;"
     "op $A(value v) { node n = new node; $N n.item = v; $[node t; do { t = top; $N n.next = t; }"
     " while (!cas(top, t, n));$|lock(l); node t = top; n.next = t; top = n; unlock(l);$|"
     "node t = top; n.next = t; top = n;$|atomic { n.next = top; top = n; }$|node t = swap(top, n);"
     " n.next = t;$|while (true) { node t = ll(top); n.next = t; if (sc(top, n)) break; }$]"
     " $N return ok; }"
     "op $B() { $N $[while (true) { node t = top; if (t == null) return empty; node x = t.next; "
     "$N if (cas(top, t, x)) { $[return t.item;$|value v = t.item; free(t); return v;$|"
     "value v = t.item; $N t.next = null; return v;$] } }$|lock(l); node t = top; if (t == null) {"
     " unlock(l); return empty; } node x = t.next; top = x; unlock(l); return t.item;$|"
     "node t = swap(top, null); if (t == null) return empty; node x = t.next; $N if (x != null) top"
     " = x; return t.item;$|atomic { if (top == null) return empty; node t = top; top = t.next; "
     "return t.item; }$] }",
     2},
    {"$[queue$|queue$|bag$]", BAG,
     "struct node { value item; node next; } shared node head; shared node tail; shared bool l;"
     "shared bool m; init { head = new node; tail = head; }"
     "op $A(value v) { node n = new node; $N n.item = v; $[lock(l); node t = tail; $[t.next = n; "
     "tail = n;$|tail = n; t.next = n;$] unlock(l);$|node t = swap(tail, n); $N t.next = n;$|"
     "while (true) { node t = tail; node x = t.next; if (x != null) { cas(tail, t, x); continue; }"
     " if (cas(t.next, null, n)) { $[cas(tail, t, n);$|$|tail = n;$] break; } }$|atomic { node t ="
     " tail; t.next = n; tail = n; }$] $N return ok; }"
     "op $B() { $N $[lock(m); node h = head; node x = h.next; if (x == null) { unlock(m); return "
     "empty; } $[value v = x.item; head = x; unlock(m); $[free(h);$|$] return v;$|head = x; "
     "unlock(m); return x.item;$]$|while (true) { node h = head; node x = h.next; if (x == null) "
     "return empty; value v = x.item; $[if (cas(head, h, x)) return v;$|head = x; return v;$] }$] "
     "}",
     2},
    {"$[cell$|cell$|queue$|bag$]", CELL BAG,
     "shared value s; shared bool used; op $A(value v) { $N $[if (cas(s, null, v)) return ok; "
     "return full;$|if (s != null) return full; $N s = v; return ok;$|value o = swap(s, v); return "
     "o == null ? ok : full;$|if (swap(used, true)) return full; s = v; return ok;$|await (cas(s, "
     "null, v)); return ok;$|return cas(s, null, v) ? ok : full;$] }"
     "op $B() { $N $[return swap(s, null);$|value v = s; $N s = null; return v;$|value v = s; if (v"
     " == null) return empty; $N if (cas(s, v, null)) return v; return empty;$|value v = s; s = "
     "null; used = false; return v;$|value v = swap(s, null); used = false; return v;$] }",
     3},
    {"coin", COIN,
     "shared int x = 2; shared bool thrown; op toss() { $N $[int m = choose(0..1); $N cas(x, 2, m);"
     " return x;$|if (x == 2) { either { cas(x, 2, 0); } or { cas(x, 2, 1); } } return x;$|int m; "
     "either { m = 0; } or { $N m = 1; } if (cas(x, 2, m)) return m; return x;$|int m = "
     "choose(0..1); if (x == 2) x = m; return x;$|x = choose(0..1); return x;$|return "
     "choose(0..1);$|atomic { if (x == 2) x = choose(0..1); } return x;$] }"
     "op look() { $N $[return x != 2;$|int t = x; return t != 2;$|return false;$] }",
     3},
    {"lossy", LOSSY,
     "shared int n; op inc() { $N $[int t = n; $N n = t + 1;$|int t = n; cas(n, t, t + 1);$|int t "
     "= ll(n); $N sc(n, t + 1);$|either { fetch_add(n, 1); } or { $N }$|fetch_add(n, choose(0..1));"
     "$|fetch_add(n, choose(0..2));$|fetch_add(n, 1);$] return ok; } op read() { $N return n; }",
     2},
    {"seen", SEEN,
     "shared value a; shared value b; shared value c; op put(value v) { $N $[value x = a; if (x == "
     "v) return false; $N value y = b; if (y == v) return false; $[if (cas(a, null, v)) return "
     "true; if (cas(b, null, v)) return true; return false;$|c = v; a = v; return true;$]$|atomic "
     "{ "
     "if (a == v) return false; if (b == v) return false; c = v; if (a == null) { a = v; return "
     "true; } b = v; } return true;$|value x = swap(a, v); if (x == v) return false; $N b = x; "
     "return true;$] } $[op take() { $N $[value v = swap(a, null); if (v != null) return v; $N "
     "return swap(b, null);$|value v = swap(b, null); return v;$|atomic { if (a != null) { value v "
     "= a; a = null; return v; } value w = b; b = null; return w; }$] }$|op look() { $N return "
     "$[c$|a$|b$]; }$]",
     3},
    {"fussy", FUSSY,
     "shared value a; op put(value v) { $N $[a = v; $N return ok;$|value x = a; if (x == v) return "
     "$[full$|ok$]; a = v; return ok;$] } op take() { $N return a; }",
     2},
    {"counter", "",
     "struct node { int n; node next; } shared node top; init { top = new node; }"
     "op inc() { $N $[node t; node n = new node; do { t = top; $N int k = t.n; n.n = k + 1; } "
     "while "
     "(!cas(top, t, n));$|node t = top; int k = t.n; $N t.n = k + 1;$|node t = top; fetch_add(t.n, "
     "1);$|node t = top; int k; do { k = t.n; } while (!cas(t.n, k, k + 1));$|node n = new node; "
     "node t = top; int k = t.n; n.n = k + 1; top = n;$|node t; node n = new node; do { t = top; "
     "int k = t.n; n.n = k + 1; } while (!cas(top, t, n)); free(t);$] return ok; }"
     "op read() { node t = top; $N return t.n; }",
     2},
    {"counter", "",
     "record pair { int n; bool b; } shared pair p; op inc() { $N $[while (true) { pair q = ll(p); "
     "$N if (sc(p, pair(q.n + 1, q.b))) break; }$|while (true) { int t = ll(p.n); $N if (sc(p.n, t "
     "+ 1)) break; }$|pair q; do { q = p; } while (!cas(p, q, pair(q.n + 1, q.b)));$|"
     "fetch_add(p.n, 1);$|pair q = p; $N p = pair(q.n + 1, !q.b);$|pair q = p; $N p.n = q.n + 1;$]"
     " $N $[p.b = true;$|$] return ok; } op read() { $N $[return p.n;$|pair q = p; $N return q.n;$|"
     "while (true) { pair q = ll(p); $N if (sc(p, pair(q.n, true))) return q.n; }$|"
     "bool b = ll(p.b); pair q = p; $N if (sc(p.b, !b)) return q.n; return p.n;$] }",
     2},
};

static const struct subject_of pointed_subjects[] = {
    {"counter", "",
     "shared int n; shared bool l; void bump() { int t = n; $N n = t + 1; $(ok$)}op inc() { $N "
     "$[fetch_add(n, 1); $(ok$)$|atomic { n = n + 1; $(ok$)}$|atomic { $(ok$)n = n + 1; "
     "}$|lock(l); $N bump(); unlock(l);$|atomic { bump(); }$|while (true) { int t = n; if (cas(n, "
     "t, t + 1)) { $(ok$)break; } }$|while (true) { int t = ll(n); $N if (sc(n, t + 1)) { "
     "$(ok$)break; } }$|$(ok$)int t = n; $N n = t + 1;$|atomic { $(ok$)} fetch_add(n, 1);$|int t "
     "= n; $N n = t + 1; $(ok$)$|lock(l); int t = n; $(ok$)n = t + 1; unlock(l);$|lock(l); int t "
     "= n; n = t + 1; unlock(l); $(ok$)$] $N return ok; }op read() { $N $[int t = n; $(t$)$N "
     "return t;$|atomic { $(n$)return n; }$|int t = n; $N int u = n; $($[t$|u$|u$]$)return "
     "$[t$|u$];$|lock(l); int t = n; $(t$)unlock(l); return t;$|lock(l); int t = n; unlock(l); "
     "$(t$)return t;$|int t = n; $N int u = n; if (t == u) { $(u$)} else { $(t$)} return "
     "u;$|$(0$)return 0;$] }",
     3},
    {"register", "",
     "shared value s; shared value r; op write(value v) { $N $[s = v; $(ok$)$|swap(s, v); "
     "$(ok$)$|value o = s; $N cas(s, o, v); $(ok$)$|value o; while (true) { o = s; if (cas(s, o, "
     "v)) { $(ok$)return ok; } }$|r = v; $N s = v; $(ok$)$|s = v; $(ok$)r = v;$|atomic { s = v; r "
     "= v; $(ok$)}$|v = v; s = v; $(ok$)$] $N return ok; } op read() { $N $[value v = s; $(v$)$N "
     "return v;$|value v = r; $(v$)return v;$|value v; value w; while (true) { v = s; w = r; if "
     "(v == w) { $(w$)return v; } }$|atomic { value v = $[r$|s$]; $(v$)return v; }$] }",
     2},
    {"set", "",
     "shared bool has[2]; shared bool l; op add(int(0..1) v) { $N $[bool o = swap(has[v], true); "
     "$(!o$)return !o;$|bool d = cas(has[v], false, true); $(d$)return d;$|if (cas(has[v], false, "
     "true)) { $(true$)return true; } $(false$)return false;$|bool o = has[v]; $N has[v] = true; "
     "$(!o$)return !o;$|lock(l); bool o = has[v]; has[v] = true; $(!o$)unlock(l); return "
     "!o;$|atomic { if (has[v]) { $(false$)return false; } has[v] = true; $(true$)} return "
     "true;$] }op $[remove(int(0..1) v) { $N $[bool o = swap(has[v], false); $(o$)return o;$|bool "
     "o = has[v]; if (o) { has[v] = false; } $(o$)return o;$|lock(l); bool o = has[v]; has[v] = "
     "false; unlock(l); $(o$)return o;$] }$|contains(int(0..1) v) { $N bool o = has[v]; $(o$)$N "
     "return o; }$]",
     2},
    {"$[stack$|stack$|bag$]", BAG,
     "struct node { value item; node next; } shared node top; shared bool l;op $A(value v) { node "
     "n = new node; $N n.item = v; $[while (true) { node t = top; n.next = t; if (cas(top, t, n)) "
     "{ $(ok$)break; } }$|lock(l); node t = top; n.next = t; top = n; $(ok$)unlock(l);$|node t = "
     "top; n.next = t; top = n; $(ok$)$|atomic { n.next = top; top = n; $(ok$)}$|node t = "
     "swap(top, n); $(ok$)n.next = t;$] $N return ok; }op $B() { $N $[while (true) { node t = "
     "top; if (t == null) { $(empty$)return empty; } node x = t.next; $N $[atomic { if (cas(top, "
     "t, x)) { $(t.item$)return t.item; } }$|if (cas(top, t, x)) { $($[$|t.item$]$)return t.item; "
     "}$|value v = t.item; if (cas(top, t, x)) { $(v$)return v; }$] }$|lock(l); node t = top; if "
     "(t == null) { $(empty$)unlock(l); return empty; } node x = t.next; value v = t.item; top = "
     "x; $(v$)unlock(l); return v;$|atomic { if (top == null) { $(empty$)return empty; } node t = "
     "top; top = t.next; $(t.item$)return t.item; }$] }",
     2},
    {"$[cell$|cell$|queue$]", CELL BAG,
     "shared value s; op $A(value v) { $N $[bool d = cas(s, null, v); $(d ? ok : full$)return d ? "
     "ok : full;$|if (s != null) { $(full$)return full; } $N s = v; $(ok$)return ok;$|value o = "
     "swap(s, v); $(o == null ? ok : full$)return o == null ? ok : full;$|await (cas(s, null, "
     "v)); $(ok$)return ok;$] }op $B() { $N $[value v = swap(s, null); $(v$)return v;$|value v = "
     "s; $(v$)$N s = null; return v;$|value v = s; if (v == null) { $(empty$)return empty; } $N "
     "if (cas(s, v, null)) { $(v$)return v; } $[$(empty$)$|$] return empty;$] }",
     3},
    {"coin", COIN,
     "shared int x = 2; op toss() { $N $[int m = choose(0..1); if (cas(x, 2, m)) { $(m$)return m; "
     "} int k = x; $(k$)return k;$|atomic { if (x == 2) x = choose(0..1); $(x$)} return x;$|int m "
     "= choose(0..1); $(m$)if (x == 2) x = m; return m;$] }op look() { $N $[int t = x; $(t != "
     "2$)return t != 2;$|$(false$)return false;$] }",
     3},
    {"lossy", LOSSY,
     "shared int n; op inc() { $N $[int t = n; $N n = t + 1; $(ok$)$|int t = n; cas(n, t, t + 1); "
     "$(ok$)$|either { fetch_add(n, 1); $(ok$)} or { $N $(ok$)}$|fetch_add(n, choose(0..2)); "
     "$(ok$)$] $N return ok; } op read() { $N int t = n; $(t$)$N return t; }",
     2},
};

/* ---- the same said twice ---- */

#define MODES "$<const int N = 1 + 1; const bool Y = N > 1; enum mode { OFF, ON, BUSY = N };$:$> "
/* Flipped twice it is stuck. */
#define LEVER                                                                                      \
    MODES                                                                                          \
    "spec lever { $<mode state = OFF;$:int(0..2) state;$> op flip() { $<switch (state) { "         \
    "case OFF: state = ON; return true; case ON: state = BUSY; default: return false; }$:"         \
    "if (state == 0) { state = 1; return true; } if (state == 1) state = 2; return false;$> "      \
    "} op look() { return state; } op reset() { state = $<OFF$:0$>; return ok; } }"
/* Tells one value from all others. */
#define CHOOSY                                                                                     \
    "$<const int N = 2;$:$> spec choosy { value last; op put(value v) { $<switch (v) { case N: "   \
    "return full; default: last = v; }$:if (v == 2) return full; last = v;$> return ok; } "        \
    "op take() { $<switch (last) { case null: case 1: return empty; } return last;$:"              \
    "if (last == null) return empty; if (last == 1) return empty; return last;$> } }"

/* Of these subjects: the values that they need (0: one to three), and a condition. */
struct more {
    uint8_t values;
    const char *never; /* null: none */
};

static const struct more more_of_twice[] = {
    {0, "seen[0] == $<ON$:1$> && m == $<BUSY$:2$>"},
    {3, "a == $[1$|2$|3$]"},
    {3, "a == $[1$|2$] && b == $[2$|3$]"},
    {4, NULL},
    {0, "p.$<v[1]$:v1$> != null && p.t > $[0$|1$]"},
    {0, "a[1] != null && a[0] == a[1]"},
    {0, NULL},
    {0, "n > $[0$|2$|4$]"},
    {0, "m0 > m1"},
    {0, NULL},
};

static const struct subject_of twice_subjects[] = {
    {"lever", LEVER,
     "shared $<enum mode$:int(0..2)$> m $<= OFF$:$>; shared int(0..2) seen[$<N$:2$>]; op flip() { "
     "$N $[$<switch (m) { case OFF: return cas(m, OFF, ON); case ON: cas(m, ON, BUSY); return "
     "false; } return false;$:int(0..2) s$# = m; if (s$# == 0) return cas(m, 0, 1); if (s$# == 1) "
     "{ cas(m, 1, 2); return false; } return false;$>$|"
     "while (true) { $<switch (m) { case OFF: if (cas(m, OFF, ON)) return Y; continue; case ON: if "
     "(!cas(m, ON, N)) break; return false; default: return !Y; }$:int(0..2) s$# = m; if (s$# == "
     "0) { if (cas(m, "
     "0, 1)) return true; continue; } if (s$# == 1) { if (cas(m, 1, 2)) return false; } else { "
     "return false; }$> "
     "}$|"
     "atomic { int t = m; $<switch (t) { default: return false; case ON: m = BUSY; return false; "
     "case 0: m = ON; return true; }$:int s$# = t; if (s$# == 0) { m = 1; return true; } if (s$# "
     "== 1) { m = 2; return false; } return false;$> }$|"
     "int t = m; seen[0] = t; $<switch (t) { case OFF: m = ON; break; case 1: case 2: m = N; }$:"
     "int s$# = t; if (s$# == 0) { m = 1; } else if (s$# == 1 || s$# == 2) m = 2;$> return t == "
     "$<OFF$:0$>;$] }"
     "op look() { $N $[return m;$|int t = m; $<switch (t == 0) { case true: return OFF; default: "
     "return t; }$:bool s$# = t == 0; if (s$#) return 0; return t;$>$] }"
     "op reset() { $N $[m = $<OFF$:0$>;$|int t = m; int k = 0; "
     "$<switch (t) { case ON: k = 1; case N: k = k + 1; } switch (k) { case 1: case 2: { m = OFF; "
     "break; } }$:int s$# = t; if (s$# == 1) k = 1; if (s$# == 1 || s$# == 2) k = k + 1; int q$# = "
     "k; if (q$# == 2 || q$# == 1) { m = 0; }$>$] return ok; }",
     2},
    {"choosy", CHOOSY,
     "shared value a; op put(value v) { $N $[if (v == $<N$:2$>) return full; a = v; return ok;$|"
     "$<switch (v) { case N: return full; default: a = v; return ok; }$:value s$# = v; if (s$# == "
     "2) return full; a = v; return ok;$>$|if (v != 1) a = v; return ok;$|"
     "$<bool b = cas(a, N, v);$:bool b; atomic { b = a == 2; if (b) a = v; }$> "
     "if (!b) b = cas(a, null, v); return ok;$] } op take() { $N "
     "$[value v = a; if (v == 1) return empty; return v;$|return a;$|value v = a; $N "
     "if (1 == v || v == null) return empty; value w = a; return $[v$|w$];$] }",
     2},
    /* The specification treats values alike, the code does not. */
    {"register", "$<const int N = 2;$:$>",
     "shared value a; shared value b; op write(value v) { $N $[if (v == $<N$:2$>) b = v; a = v;$|"
     "if (v != 1) b = v; $N a = v;$|$<switch (v) { case 1: case N + 1: b = v; break; case N: a = "
     "v; }$:value s$# = v; if (s$# == 1 || s$# == 3) { b = v; } else if (s$# == 2) a = v;$> $N a = "
     "v;$|if (v == 3) { b = v; return ok; } a = v;$|value o = swap(a, v); if (o == 1 && v == 2) b "
     "= o;$|$<switch (v) { case 2:$:value s$# = v; if (s$# == 2) {$> $N $[b = v;$|a = v; b = "
     "null;$] } a = v;$] return ok; } op read() { $N $[return a;$|value w = a; if (w == "
     "$[1$|$<N$:2$>$|3$]) { "
     "value x = b; return $[x$|w$|w$]; } return w;$|value w = a; $N value x = b; if (x == "
     "$<N$:2$>) "
     "return $[w$|x$]; return w;$] }",
     2},
    {"$[stack$|queue$|bag$]", BAG,
     "struct node { value item; node next; } shared node top; shared value odd; shared bool l;"
     "op $A(value v) { $[if (v == 3) { odd = v; }$|$] node n = new node; n.item = v; $N "
     "node t; do { t = top; n.next = t; } while (!cas(top, t, n)); return ok; }"
     "op $B() { $N $[while (true) { node t = top; if (t == null) return empty; node x = t.next; $N"
     " if (cas(top, t, x)) { value v = t.item; $[if (v == 1) { value w = odd; $[return w;$|$] }$|"
     "if (v == 2) free(t);$|$] return v; } }$|lock(l); node t = top; if (t == null) { unlock(l); "
     "return empty; } node x = t.next; value v = t.item; if (v != $[1$|4$]) top = x; unlock(l); "
     "return v;$] }",
     2},
    /* Arrays in records. */
    {"register", "$<const int N = 2;$:$>",
     "record pair { $<value v[N];$:value v0; value v1;$> int(0..7) t; } record two { pair p; "
     "$<bool b[N - 1]$:bool b0$>; } struct box { value v; two q; } shared pair p; shared box b; "
     "init { b = new box; } op write(value v) { $N "
     "$[pair q = p; $N p = $<pair([v, q.v[0]], q.t + 1)$:pair(v, q.v0, q.t + 1)$>;$|"
     "pair q; do { q = p; } while (!cas(p, q, $<pair([v, q.v[1]], q.t + 1)$:pair(v, q.v1, q.t + "
     "1)$>));$|p.$<v[0]$:v0$> = v; $N p.$<v[1]$:v1$> = v;$|pair q; q.$<v[0]$:v0$> = v; p = q;$|"
     "box x = new box; x.v = v; x.q = two($<pair([v, v], 1), [true]$:pair(v, v, 1), true$>); "
     "box o = b; b = x; two d = x.q; p = d.p;$|box x = new box; x.q.p.$<v[0]$:v0$> = v; two d = "
     "x.q; p = d.p;$] $N return ok; } op read() { $N $[return p.$<v[0]$:v0$>;$|pair q = p; $N "
     "return q.$<v[0]$:v0$>;$|box x = b; $N two d = x.q; return d.p.$<v[0]$:v0$>;$|pair q "
     "= p; pair u = p; if (q == u) return q.$<v[0]$:v0$>; return u.$<v[0]$:v0$>;$] }",
     2},
    /* Addresses. */
    {"register", "",
     "struct box { value v; box on; } shared value s; shared value a[2]; shared box top; "
     "$<void put(value *p, value v) { $:void put_s(value v) { s = v; } void put_at(int i, value v) "
     "{ a[i] = v; } void put_in(box x, value v) { x.v = v; }$>$<*p = v; } void put2(value *p, "
     "value v) { put(p, v); } $:$> $<bool swing(value *p, value o, value v) { return cas(*p, o, "
     "v); "
     "} void push(box *p, box x) { box t; do { t = *p; x.on = t; } while (!cas(*p, t, x)); }$:bool "
     "swing_s(value o, value v) { return cas(s, o, v); } void push_top(box x) { box t; do { t = "
     "top; x.on = t; } while (!cas(top, t, x)); } void push_on(box e, box x) { box t; do { t = "
     "e.on; x.on = t; } while (!cas(e.on, t, x)); }$> init { top = new box; }"
     "op write(value v) { $N $[$<put(&s, v)$:put_s(v)$>;$|int i = 1; $<put(&a[i], v)$:put_at(i, "
     "v)$>; $N i = 0; s = v;$|value o; do { o = s; } while (!$<swing(&s, o, v)$:swing_s(o, v)$>);$|"
     "box x = new box; $<put(&x.v, v)$:put_in(x, v)$>; $N $<push(&top, x)$:push_top(x)$>; "
     "$<put(&s, v)$:put_s(v)$>;$|box x = new box; x.v = v; box e = top; box d = e; $<push(&d.on, "
     "x)$:push_on(d, x)$>; d = null; $<put(&s, v)$:put_s(v)$>;$|int i = $[0$|1$]; $<put(&a[1 - i], "
     "v)$:put_at(1 - i, v)$>; s = v;$] $N return ok; } op read() { $N $[return s;$|value v = a[1]; "
     "if (v != null) return v; return s;$|box x = top; if (x == null) return s; value v = x.v; if "
     "(v == null) return s; return $[v$|s$];$] }",
     2},
    {"$[stack$|bag$]", BAG,
     "struct node { value item; node next; } shared node top; shared node other;"
     "$<void insert(node *list, node n) { node t; do { t = *list; n.next = t; } while (!cas(*list, "
     "t, n)); } value take_from(node *list) { while (true) { node t = *list; if (t == null) return "
     "null; node x = t.next; if (cas(*list, t, x)) { value v = t.item; return v; } } }$:"
     "void insert(node n) { node t; do { t = top; n.next = t; } while (!cas(top, t, n)); } value "
     "take_from() { while (true) { node t = top; if (t == null) return null; node x = t.next; if "
     "(cas(top, t, x)) { value v = t.item; return v; } } }$>"
     "op $A(value v) { node n = new node; n.item = v; $N insert($<&top, $:$>n); return ok; }"
     "op $B() { $N value v = take_from($<&top$:$>); return v; }",
     2},
    /* Recursion. */
    {"$<counted$:counter$>",
     "$<spec counted { list l; int len_of(list m) depth 9 { if (m == []) return 0; return "
     "len_of(but_first(m)) + 1; } op inc() { l = l + [1]; return ok; } op read() { return "
     "len_of(l); } }$:$>",
     "shared int n; $<int sum(int k) depth 3 { if (k == 0) return 0; int t = n; int r = sum(k - "
     "1); "
     "return r + t; } void up(int k) depth 3 { if (k > 0) { fetch_add(n, 1); up(k - 1); } }$:"
     "int sum1(int k) { if (k == 0) return 0; int t = n; return t; } int sum2(int k) { if (k == 0) "
     "return 0; int t = n; int r = sum1(k - 1); return r + t; } int sum(int k) { if (k == 0) "
     "return 0; int t = n; int r = sum2(k - 1); return r + t; } void up1(int k) { if (k > 0) "
     "fetch_add(n, 1); } void up2(int k) { if (k > 0) { fetch_add(n, 1); up1(k - 1); } } void "
     "up(int k) { if (k > 0) { fetch_add(n, 1); up2(k - 1); } }$>"
     "op inc() { $N $[up($[1$|1$|1$|2$]);$|int t = sum(1); $N n = t + 1;$|atomic { int t = sum(1); "
     "n = t + 1; }$|atomic { up(1); }$] $N return ok; } op read() { $N $[return n;$|int t = "
     "sum(1); return t;$|int t = sum(2); return t / 2;$|atomic { int t = sum(2); return t / 2; }$] "
     "}",
     2},
    /* Several words as one answer. */
    {"snap",
     "spec snap { int x; int y; op left(int(1..2) k) { x = k; return ok; } op right(int(1..2) k) { "
     "y "
     "= k; return ok; } op scan() { return $<[x, y]$:x * 8 + y$>; } }",
     "shared int m0; shared int m1; shared bool l; op left(int(1..2) k) { $N $[m0 = k;$|lock(l); "
     "m0 = "
     "k; "
     "unlock(l);$] $N return ok; } op right(int(1..2) k) { $N $[m1 = k;$|m0 = k; m1 = k;$|lock(l); "
     "m1 "
     "= "
     "k; unlock(l);$] return ok; } op scan() { $N $[int a = m0; int b = m1; return $<[a, b]$:a * 8 "
     "+ "
     "b$>;$|int a; int b; int c; int d; do { a = m0; b = m1; c = m0; d = m1; } while (a != c || b "
     "!= "
     "d); "
     "return $<[a, b]$:a * 8 + b$>;$|atomic { return $<[m0, m1]$:m0 * 8 + m1$>; }$|int a = m0; $N "
     "return "
     "$<[a, m1]$:a * 8 + m1$>;$|lock(l); int a = m0; int b = m1; unlock(l); return $<[a, b]$:a * 8 "
     "+ "
     "b$>;$] }",
     2},
    {"views",
     "spec views { value a; value b; op left(value v) { a = v; return ok; } op right(value v) { b "
     "= "
     "v; return ok; } op scan() { return [a, b]; } }",
     "record view { value v[2]; } shared view w; shared value a; shared value b; op left(value v) "
     "{ "
     "$N w.v[0] = v; $N a = v; return ok; } op right(value v) { $N w.v[1] = v; $N b = v; return "
     "ok; "
     "} op scan() { $N $[return w;$|view r = w; $N return r;$|value s[2]; s[0] = a; $N s[1] = b; "
     "return s;$|value x = a; $N return [x, b];$|atomic { return [a, b]; }$|view r = w; return "
     "[r.v[0], r.v[1]];$|value x = a; return [x, $[x$|null$]];$] }",
     3},
};

/* ---- operations that take effect together, and that stay open ---- */

#define SWAPPER                                                                                    \
    "spec swapper { op put(value v) { $[return empty;$|await (false); return empty;$] } "          \
    "together put(value v), put(value w) { return w, v; } }"
/* Who meets is told both, in one order. */
#define MEETING                                                                                    \
    "spec meeting { int n; op put(value v) { $[await (false);$|await (n > 0);$] return [v, v]; } " \
    "together put(value v), put(value w) { n = n + 1; return [v, w], [v, w]; } }"
#define RENDEZVOUS                                                                                 \
    "spec rendezvous { op put(value v) { await (false); return ok; } op take() { return empty; } " \
    "together take(), put(value v) { return v, ok; } }"
/* How many are inside. */
#define VISIT                                                                                      \
    "spec visit { int inside; op put(value v) { inside = inside + 1; return open; } "              \
    "op open put(value v) { inside = inside - 1; return v; } op look() { return inside; "          \
    "} "                                                                                           \
    "$[together open put(value v), open put(value w) { inside = inside - 2; return v, w; }$|$] }"
/* What a put shows while it runs. */
#define BILLBOARD                                                                                  \
    "spec billboard { op put(value v) { return open; } op open put(value v) { return ok; } "       \
    "op take() { $[return empty;$|await (false); return empty;$] } "                               \
    "together open put(value v), take() { return open, v; } "                                      \
    "$[together put(value v), take() { return ok, v; }$|$] }"

static const struct subject_of set_subjects[] = {
    {"swapper", SWAPPER,
     "struct offer { value item; value answer; } shared offer slot; shared value box; "
     "bool give(offer o, value v, int(0..2) k) depth 2 { if (k == 0) return false; bool b = "
     "cas(o.answer, null, v); if (b) return true; b = give(o, v, k - 1); return b; } "
     "op put(value v) { $N $[offer other = slot; if (other == null) { offer mine = new offer; "
     "mine.item = v; if (cas(slot, null, mine)) { $N $[if (cas(slot, mine, null)) return empty; "
     "$|$]await (mine.answer != null); return mine.answer; } return empty; } value w = other.item; "
     "$[if (cas(slot, other, null)) { $N other.answer = v; return w; }$|if (cas(slot, other, "
     "null)) "
     "{ bool b = give(other, v, 2); if (b) return w; }$|other.answer = v; if (cas(slot, other, "
     "null)) return w;$] return empty;$|return empty;$|value w = swap(box, v); return w;$|"
     "if (cas(box, null, v)) { $N value w = swap(box, null); $[if (w == v) return empty; "
     "$|$]return w; } value w = box; $[if (w != null && cas(box, w, v)) return w;$|if (w != null) "
     "{ "
     "box = v; return w; }$] return empty;$] }",
     3},
    {"meeting", MEETING,
     "record both { value v[2]; } struct seat { value first; both told; } shared seat s; "
     "op put(value v) { $N $[seat t = s; if (t == null) { seat n = new seat; n.first = v; if "
     "(cas(s, null, n)) { await (n.told.v[0] != null); both b = n.told; return $[b$|[b.v[0], "
     "b.v[1]]$|[v, b.v[1]]$|[b.v[1], b.v[0]]$]; } await (false); } value w = t.first; $N "
     "$[if (cas(s, t, null)) { t.told = both([w, v]); value a[2]; a[0] = w; a[1] = v; return a; }"
     "$|t.told = both([w, v]); if (cas(s, t, null)) return [w, v];$|s = null; t.told = both([w, "
     "v]); return [w, v];$] await (false); return [v, v];$|return [v, v];$] }",
     3},
    {"rendezvous", RENDEZVOUS,
     "record offer { value item; int(0..1) taken; } shared offer o; shared value cell; "
     "op put(value v) { $N $[await (cas(o, offer(null, 0), offer(v, 0))); $N await (o.taken == 1); "
     "o = offer(null, 0); return ok;$|await (cas(cell, null, v)); $N $[await (cell != v); $|$]"
     "return ok;$] } op take() { $N $[offer x = o; if (x.item == null || x.taken == 1) return "
     "empty; $N if (cas(o, x, offer(x.item, 1))) return x.item; return empty;$|value v = cell; $N "
     "$[if (v != null) { if (cas(cell, v, null)) return v; } return empty;$|cell = null; return "
     "v;$]$] }",
     3},
    {"visit", VISIT,
     "shared int n; shared int(0..3) half[2]; op put(value v) { $N $[fetch_add(n, 1); $N "
     "fetch_add(n, -1);$|int i = $[0$|v == null ? 0 : 1$]; fetch_add(half[i], 1); $N $N int t = "
     "half[i]; half[i] = t - 1;$|fetch_add(n, 1);$|atomic { n = n + 1; } $N if (n > 0) { $N atomic "
     "{ n = n - 1; } }$] return $[v$|v$|ok$]; } op look() { $N $[return n;$|int t = n; $N return "
     "t;$|int a = half[0]; $N int b = half[1]; return a + b;$|int t = n; switch (t) { case 0: "
     "return 0; case 1: return 1; default: return t; }$] }",
     3},
    {"billboard", BILLBOARD,
     "shared value box; shared value boxes[2]; op put(value v) { $N $[box = v; $N box = null;$|"
     "box = v;$|value o = swap(box, v); $N if (!cas(box, v, o)) box = null;$|int i = $[0$|thread > "
     "0 ? 1 : 0$]; boxes[i] = v; $N boxes[i] = null;$|if (cas(box, null, v)) { $N box = null; }$] "
     "return ok; } op take() { $N $[value v = box; $N $[return v;$|return box;$]$|value v = box; "
     "if "
     "(v != null) return v; value w = boxes[1]; return w;$|value v = boxes[0]; if (v == null) { v "
     "= boxes[1]; } return v;$] }",
     3},
};

/* Steps beside the object; `zap` and what they use come with them. */
static const char noise_declarations[] =
    "shared int z; shared mote y; shared bool g; struct mote { int k; mote on; }"
    "void zap() { z = 0; } int peep() { int k = z; return k; }";

static const char *const noises[] = {
    "",
    "",
    "int k$# = z;",
    "z = choose(0..1);",
    "fetch_add(z, 1);",
    "mote w$# = new mote; w$#.k = 1; mote u$# = w$#.on;",
    "mote w$# = new mote; mote u$# = y; w$#.on = u$#; y = w$#;",
    "mote w$# = y; if (w$# != null) { w$#.k = 2; mote u$# = w$#.on; y = u$#; }",
    "mote w$# = swap(y, null); if (w$# != null) free(w$#);",
    "either { z = 1; } or { int k$# = z; } or { }",
    "int k$# = choose(0..1); if (k$# == 0) { z = 0; }",
    "zap();",
    "int k$# = peep(); if (k$# > 0) zap();",
    "for (int i$# = 0; i$# < 2; i$#++) { int k$# = z; z = i$#; }",
    "lock(g); z = 1; unlock(g);",
    "atomic { z = 0; y = null; }",
    "int a$#[2]; a$#[1] = z; z = a$#[0];",
    "mote w$#; either { w$# = new mote; } or { w$# = y; } if (w$# != null) { w$#.k = 3; y = w$#; }",
    "mote w$# = new mote; mote x$# = new mote; w$#.on = x$#; x$#.k = 1; y = w$#; x$#.k = 2;",
    "int k$# = 0; while (k$# < 2) { k$# = k$# + 1; if (k$# == 1) continue; z = k$#; }",
};

/* What else is asserted where there is noise. */
#define NEVER                                                                                      \
    "never ($[z == 1$|z == 1 && y != null$|y != null && running(0)$|running(0) && running(1)$|"    \
    "g && running(1)$|z > 0 && g$])"
static const char asserted_besides[] =
    "$[" NEVER "$|lock_free$|wait_free$|obstruction_free$|deadlock_free$|starvation_free$]";
/* Where the specification may wait. */
static const char asserted_of_sets[] = "$[" NEVER "$|lock_free$|obstruction_free$|deadlock_free$]";

/* One of the subjects; with points it is asserted with them and without. */
static void print(uint64_t seed, const struct subject_of *from, const struct more *more,
                  size_t count, bool points, bool plain, struct text *text)
{
    struct text name = TEXT_EMPTY, whole = TEXT_EMPTY, options = TEXT_EMPTY;
    struct grammar writer = {
        .noises = noises, .noise_count = ARRAY_LENGTH(noises), .out = &name, .plain = plain};
    random_seed(&writer.random, seed);
    const uint32_t chosen = random_below(&writer.random, (uint32_t)count);
    const struct subject_of *subject = &from[chosen];
    const struct more besides = more ? more[chosen] : (struct more){0};
    grammar_expand(&writer, subject->spec);
    const char *spec = text_string(&name);
    bool stack = strcmp(spec, "stack") == 0, queue = strcmp(spec, "queue") == 0;
    writer.add = stack ? "push" : queue ? "enqueue" : "put";
    writer.take = stack ? "pop" : queue ? "dequeue" : "take";
    writer.out = &whole;
    writer.noise = random_chance(&writer.random, 2, 3) ? 15 : 0;
    uint32_t threads = 2 + random_below(&writer.random, subject->parallel - 1);
    grammar_expand(&writer, subject->text);
    text_format(&whole, " impl it { %s", writer.noise ? noise_declarations : "");
    grammar_expand(&writer, subject->body);
    text_format(&options, " with threads = %u, ops = %u, values = %u%s", threads,
                threads == 3 || random_chance(&writer.random, 4, 5) ? 1 : 2,
                besides.values ? besides.values : 1 + random_below(&writer.random, 3),
                random_chance(&writer.random, 1, 3) ? ", nodes = 3" : "");
    text_format(&whole, "} assert it linearizes %s%s%s;", spec, text_string(&options),
                points ? ", points = complete" : "");
    if (points) {
        text_format(&whole, "assert it linearizes %s%s;", spec, text_string(&options));
    } else if (besides.never && random_chance(&writer.random, 1, 2)) {
        text_append(&whole, "assert it never (");
        grammar_expand(&writer, besides.never);
        text_format(&whole, ")%s;", text_string(&options));
    } else if (writer.noise) {
        text_append(&whole, "assert it ");
        grammar_expand(&writer, from == set_subjects ? asserted_of_sets : asserted_besides);
        text_format(&whole, "%s;", text_string(&options));
    }
    grammar_break_lines(text_string(&whole), text);
    text_release(&whole);
    text_release(&name);
    text_release(&options);
}

void lin_random_print(uint64_t seed, struct text *text)
{
    print(seed, subjects, NULL, ARRAY_LENGTH(subjects), false, false, text);
}

void lin_random_print_points(uint64_t seed, struct text *text)
{
    print(seed, pointed_subjects, NULL, ARRAY_LENGTH(pointed_subjects), true, false, text);
}

void lin_random_print_sets(uint64_t seed, struct text *text)
{
    print(seed, set_subjects, NULL, ARRAY_LENGTH(set_subjects), false, false, text);
}

void lin_random_print_twice(uint64_t seed, bool plain, struct text *text)
{
    print(seed, twice_subjects, more_of_twice, ARRAY_LENGTH(twice_subjects), false, plain, text);
}

/* ---- progress ---- */

#define SPIN                                                                                       \
    "$[while (swap(a, true)) { }$|while (b) { }$|await (!a); a = true;$|lock(a);$|lock(b);$|"      \
    "await (n == t);$|await (w != v);$|while (w == v) { }$|do { t = n; } while (!cas(n, t, (t + "  \
    "1) % 3));$|while (n != t) { b = true; "                                                       \
    "}$|while (true) { if (!b) break; a = false; }$|atomic { assume (!b); b = true; }$|"           \
    "while (true) { t = n; if (t == 0) break; n = 0; }$|do { n = $[1$|2$]; t = n; } while (t != "  \
    "$[1$|2$]);$|do { b = !c; c = b; } while (c);$]"
#define MOVE                                                                                       \
    "$[$|$|a = false;$|b = false;$|b = true;$|w = v;$|w = v;$|w = null;$|n = choose(0..2);$|t = "  \
    "n;$|t = 1;$|if (t > 0) a = "                                                                  \
    "false;$|either { b = true; } or { }$|m = new node;$|m = null;$|c = b;$|"                      \
    "atomic { n = (n + 1) % 3; }$|" PUT "$|" PUT "$|k = m; if (k != null) { l = k.on; m = l; }$]"
/* Nodes that are kept in a list, one or as many as it takes. */
#define PUT "k = new node; l = m; k.on = l; m = k;"
#define PUT_MANY                                                                                   \
    "$[do { k = new node; l = m; k.on = l; } while (!cas(m, l, k));$|while (b) { " PUT " }$|"      \
    "k = null; do { l = new node; l.on = k; k = l; c = b; } while (c);$|" PUT " k = new node;$]"
#define BODY                                                                                       \
    "int(0..2) t; bool c; node k; node l; " MOVE " " MOVE " $[" SPIN "$|" SPIN " " MOVE " " SPIN   \
    "$|" MOVE "$|" PUT_MANY "$] "
/* Loops in which threads put their values in one another's place. */
#define EXCHANGE                                                                                   \
    "$[do { w = v; } while (w != v);$|while (b) { w = v; }$|while (w != null) { w = v; }$|"        \
    "do { o = swap(w, v); } while (o != $[v$|null$]);$|do { o = w; } while (!cas(w, o, v));$|"     \
    "do { w = v; o = w; w = null; } while (o == v);$|while (a) { o = w; w = v; }$|"                \
    "await (w == $[null$|v$]); w = $[v$|null$];$|while (!cas(w, v, null)) { w = v; }$|"            \
    "while (true) { w = v; o = w; if (o != v) b = false; if (!b) break; }$]"
#define SMALL_BODY                                                                                 \
    "value o; int(0..2) t; bool c; node k; node l; " MOVE " $[" EXCHANGE "$|" EXCHANGE "$|" SPIN   \
    "$] "

#define PROGRESSING(body)                                                                          \
    "spec s { op f(value v) { return ok; } op g(value v) { return ok; } $[client f, g;$|$] }"      \
    "impl it { struct node { bool of; node on; } shared bool a; shared bool b; shared int(0..2) "  \
    "n;"                                                                                           \
    "shared node m; shared value w; op f(value v) { " body MOVE                                    \
    " return ok; } op g(value v) { " body MOVE " return ok; } }"                                   \
    "assert it linearizes s;"

void lin_random_progress_print(uint64_t seed, struct text *text)
{
    static const char *const names[] = {"lock_free", "wait_free", "obstruction_free",
                                        "deadlock_free", "starvation_free"};
    static const char *const counts[] = {"any", "any", "any", "1", "2"};
    static const char *const programs[] = {PROGRESSING(BODY), PROGRESSING(SMALL_BODY)};
    struct text whole = TEXT_EMPTY;
    struct grammar writer = {.noises = noises, .noise_count = ARRAY_LENGTH(noises), .out = &whole};
    random_seed(&writer.random, seed);
    bool exchanges = random_chance(&writer.random, 1, 2);
    grammar_expand(&writer, programs[exchanges]);
    const char *operations = counts[random_below(&writer.random, ARRAY_LENGTH(counts))];
    uint32_t threads = !exchanges && random_chance(&writer.random, 1, 4) ? 3 : 2;
    uint32_t nodes = 1 + random_below(&writer.random, 3);
    uint32_t values = exchanges ? 2 + random_chance(&writer.random, 1, 4) : 1;
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        text_format(&whole, "assert it %s with threads = %u, ops = %s, nodes = %u, values = %u;",
                    names[i], threads, operations, nodes, values);
    grammar_break_lines(text_string(&whole), text);
    text_release(&whole);
}

/* ---- progress where the specification waits ---- */

#define TAKE(from, to)                                                                             \
    "$[await (cas(b, " from ", " to "));$|while (!cas(b, " from ", " to ")) { " MOVE " }$|"        \
    "while (true) { c = b; if (c == " from ") { b = " to "; break; } }$|"                          \
    "lock(a); while (b != " from ") { } b = " to "; a = false;$|"                                  \
    "while (true) { lock(a); c = b; if (c == " from ") { b = " to "; a = false; break; } "         \
    "a = false; }$|await (b == " from "); b = " to ";$|b = " to ";$|if (!cas(b, " from ", " to     \
    ")) { " SPIN " }$] "
#define WAITING_LOCALS "int(0..2) t; bool c; node k; node l; "

static void print_waiting_operation(const struct progress_specification *specification,
                                    unsigned number, struct text *text)
{
    const bool *in = specification->waits_in[number];
    text_format(text, "op %c(value v) { ", "fg"[number]);
    if (in[0] || in[1])
        text_format(text, "await (%s); ", in[0] && in[1] ? "false" : in[0] ? "full" : "!full");
    text_format(text, "full = %s; return ok; } ",
                specification->leads_to[number] ? "true" : "false");
}

void lin_random_waiting_print(uint64_t seed, struct progress_specification *specification,
                              struct text *text)
{
    static const char program[] =
        "impl it { struct node { bool of; node on; } shared bool a; shared bool b; shared "
        "int(0..2) "
        "n; shared node m; shared value w; op f(value v) { " WAITING_LOCALS
        "$[" TAKE("false", "true") "$|" TAKE(
            "false",
            "true") "$|" MOVE "$|" SPIN "$] " MOVE " return ok; } op g(value v) { " WAITING_LOCALS
                    "$[" TAKE("true", "false") "$|" TAKE("true", "false") "$|" MOVE "$|" SPIN
                                                                          "$] return ok; } }"
                                                                          "assert it linearizes s;";
    static const struct progress_specification known[] = {
        {{{false, true}, {true, false}},
         {1, 0}}, /* a box: put waits for room, take for something */
        {{{false, false}, {true, false}}, {1, 0}}, /* a flag: set at once, awaited and cleared */
        {{{false, false}, {true, false}}, {1, 1}}, /* a gate: once open it stays so */
        {{{false, true}, {true, true}}, {1, 1}},   /* one of the two, once */
    };
    static const char *const names[] = {"lock_free", "obstruction_free", "deadlock_free"};
    static const char *const counts[] = {"any", "any", "1", "2"};
    struct text whole = TEXT_EMPTY;
    struct grammar writer = {.noises = noises, .noise_count = ARRAY_LENGTH(noises), .out = &whole};
    random_seed(&writer.random, seed);
    *specification = known[random_below(&writer.random, ARRAY_LENGTH(known))];
    text_append(&whole, "spec s { bool full; ");
    print_waiting_operation(specification, 0, &whole);
    print_waiting_operation(specification, 1, &whole);
    text_append(&whole, "} ");
    grammar_expand(&writer, program);
    const char *operations = counts[random_below(&writer.random, ARRAY_LENGTH(counts))];
    uint32_t threads = random_chance(&writer.random, 1, 4) ? 3 : 2;
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        text_format(&whole, "assert it %s with threads = %u, ops = %s, nodes = 2, values = %u;",
                    names[i], threads, operations, 1 + (unsigned)(seed % 2));
    grammar_break_lines(text_string(&whole), text);
    text_release(&whole);
}
