/* Real code: what is wrong with it is found, and said of the right thread and line; what is right
 * is not called wrong. Each program is a few lines, compiled by gcc and, where it is, by clang. */
#include <stdlib.h>
#include <string.h>

#include "support/code_fixture.h"

#define HEAD                                                                                       \
    "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n"     \
    "#include <string.h>\n#include <linchpin/test.h>\n"                                            \
    "#define OP(NAME) static lp_int NAME(void *o, lp_int v)\n"
#define USES "(void)o; (void)v; return LP_DONE;"

static const struct program {
    const char *text;     /* behind HEAD */
    const char *scenario; /* null: every operation a thread */
    enum exchange_end end;
    enum finding_kind kind;
    bool sc_too; /* found under sc as well */
} programs[] = {
    /* Two plain writes; two readers are no race. */
    {"int d; OP(a) { d = 1; " USES "} OP(b) { d = 2; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_RACE, true},
    {"int d = 3, r[2]; OP(a) { r[0] = d; " USES "} OP(b) { r[1] = d; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_COMPLETE, FINDING_NONE, true},
    {"static int d; OP(a) { d++; " USES "} LP_TEST(t, .ops = {{\"a\", a}});", "a | a", END_FINDING,
     FINDING_RACE, true},
    /* Neighbours in a word: no race; one byte of a word: a race. */
    {"char d[8]; OP(a) { d[0] = 1; " USES "} OP(b) { d[1] = 1; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_COMPLETE, FINDING_NONE, true},
    {"union { char c[8]; long l; } d; OP(a) { d.c[5] = 1; " USES "}"
     "OP(b) { d.l = 1; " USES "} LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_RACE, true},
    /* A byte written before, and its neighbour after a release: only the second is a race. */
    {"char d[2]; static atomic_int f; int r;"
     "OP(a) { d[0] = 1; atomic_store_explicit(&f, 1, memory_order_release); d[1] = 1; " USES "}"
     "OP(b) { if (atomic_load_explicit(&f, memory_order_acquire)) r = d[0]; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_COMPLETE, FINDING_NONE, true},
    {"char d[2]; static atomic_int f; int r;"
     "OP(a) { d[0] = 1; atomic_store_explicit(&f, 1, memory_order_release); d[1] = 1; " USES "}"
     "OP(b) { if (atomic_load_explicit(&f, memory_order_acquire)) r = d[1]; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_RACE, true},
    /* Copies, fills and comparisons of few bytes, which compilers make in place. */
    {"struct s { long l[4]; } d; OP(a) { memset(&d, 0, sizeof d); " USES "}"
     "OP(b) { d.l[3] = 1; " USES "} LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_RACE, true},
    {"struct s { long l[4]; } d; OP(a) { __builtin_memset(&d, 0, sizeof d); " USES "}"
     "OP(b) { d.l[3] = 1; " USES "} LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_RACE, true},
    {"struct s { long l[4]; } d, e; OP(a) { memcpy(&d, &e, sizeof d); " USES "}"
     "OP(b) { e.l[0] = 1; " USES "} LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_RACE, true},
    {"struct s { long l[4]; } d, e; OP(a) { __builtin_memcpy(&d, &e, sizeof d); " USES "}"
     "OP(b) { d.l[1] = 1; " USES "} LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_RACE, true},
    {"struct s { char c[8]; } d, e; int r; OP(a) { r = memcmp(&d, &e, sizeof d) == 0; " USES "}"
     "OP(b) { d.c[3] = 1; " USES "} LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_RACE, true},
    {"char d[8]; OP(a) { strcpy(d, \"word\"); " USES "} OP(b) { d[2] = 1; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_RACE, true},
    {"char d[64]; OP(a) { for (int i = 0; i < 64; i++) d[i] = 0; " USES "}"
     "OP(b) { d[63] = 1; " USES "} LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_RACE, true},
    {"struct s { long l[4]; } d[2]; OP(a) { memset(d, 0, 32); " USES "}"
     "OP(b) { memset(d + 1, 0, 32); " USES "} LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_COMPLETE, FINDING_NONE, true},
    /* What a compare-exchange that fails stores on the thread's own stack is seen by a volatile
       access there. */
    {"static atomic_long p = 5; OP(a) { long old = 0; volatile long *look = &old;"
     "assert(*look == 0); atomic_compare_exchange_strong(&p, &old, 1); assert(*look == 5); " USES
     "} LP_TEST(t, .ops = {{\"a\", a}});",
     NULL, END_COMPLETE, FINDING_NONE, true},
    /* A plain read races with an atomic write. */
    {"static atomic_int f; int r; OP(a) { f = 1; " USES "}"
     "OP(b) { r = *(int *)&f; " USES "} LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_RACE, true},
    /* So does a plain write, also where the atomic access is the first one of the location, and may
       come to something else before the write. */
    {"atomic_int f, g; OP(a) { *(int *)&f = 3; " USES "} OP(b) { if (f == 3) g++; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_RACE, true},
    {"atomic_int f; OP(a) { *(int *)&f = 3; " USES "} OP(b) { f++; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_RACE, true},
    {"atomic_int f, g; OP(a) { *(int *)&f = 3; " USES "} OP(b) { g++; f = 1; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_RACE, true},
    {"atomic_int f, g; OP(a) { *(int *)&f = 3; " USES "} OP(b) { int e = 0;"
     "if (atomic_compare_exchange_strong(&f, &e, 1)) g++; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_RACE, true},
    /* The heap. */
    {"static _Atomic(int *) p; int r;"
     "static void *up(void) { p = malloc(4); *p = 1; return 0; }"
     "OP(a) { int *m = atomic_exchange(&p, 0); free(m); " USES "}"
     "OP(b) { int *m = p; if (m) r = *m; " USES "}"
     "LP_TEST(t, .setup = up, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_USE_AFTER_FREE, true},
    {"int *p; static void *up(void) { p = malloc(4); return 0; }"
     "static void down(void *o) { free(p); free(o); } OP(a) { free(p); " USES "}"
     "LP_TEST(t, .setup = up, .teardown = down, .ops = {{\"a\", a}});",
     NULL, END_FINDING, FINDING_DOUBLE_FREE, true},
    {"static int x[2]; OP(a) { free(x + v); " USES "} LP_TEST(t, .ops = {{\"a\", a}});", NULL,
     END_FINDING, FINDING_BAD_FREE, true},
    {"int r; OP(a) { _Atomic int *m = malloc(8); m[0] = 1; r = m[v + 1]; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}});",
     NULL, END_FINDING, FINDING_UNINITIALISED, true},
    {"int r; OP(a) { int *m = malloc(8); m[0] = 1; r = m[v + 1]; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}});",
     NULL, END_COMPLETE, FINDING_NONE, true},
    {"int r; OP(a) { int *m = calloc(2, 4); r = m[v + 1]; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}});",
     NULL, END_COMPLETE, FINDING_NONE, true},
    {"int *m; OP(a) { m = malloc(8); m[v + 2] = 1; " USES "} LP_TEST(t, .ops = {{\"a\", a}});",
     NULL, END_FINDING, FINDING_OUT_OF_BLOCK, true},
    /* Several blocks that setup leaves. */
    {"static int *p[4]; static void *up(void) { for (int i = 0; i < 4; i++) { p[i] = malloc(40);"
     "*p[i] = i; } free(p[0]); return 0; } OP(a) { *p[3] += *p[2]; " USES "}"
     "LP_TEST(t, .setup = up, .ops = {{\"a\", a}});",
     "a; a", END_COMPLETE, FINDING_NONE, true},
    {"static int *p[4]; int r; static void *up(void) { for (int i = 0; i < 4; i++) {"
     "p[i] = malloc(40); *p[i] = i; } free(p[2]); return 0; } OP(a) { r = *p[2]; " USES "}"
     "LP_TEST(t, .setup = up, .ops = {{\"a\", a}});",
     NULL, END_FINDING, FINDING_USE_AFTER_FREE, true},
    /* A block of no bytes is freed as any other; it can be freed twice, too. */
    {"static void *p, *volatile q; OP(a) { q = malloc(0); free(q); p = realloc(malloc(1), 0);"
     "free(p); " USES "} LP_TEST(t, .ops = {{\"a\", a}});",
     "a; a", END_COMPLETE, FINDING_NONE, true},
    {"static void *volatile q; OP(a) { q = malloc(0); free(q); free(q); " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}});",
     NULL, END_FINDING, FINDING_DOUBLE_FREE, true},
    /* The zeros of calloc are a write: published without release, reading them is a race. */
    {"static _Atomic(int *) p; int r;"
     "OP(a) { atomic_store_explicit(&p, calloc(1, 4), memory_order_relaxed); " USES "}"
     "OP(b) { int *m = atomic_load_explicit(&p, memory_order_relaxed); if (m) r = *m; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_RACE, false},
    {"static _Atomic(int *) p; int r;"
     "OP(a) { atomic_store_explicit(&p, calloc(1, 4), memory_order_release); " USES "}"
     "OP(b) { int *m = atomic_load_explicit(&p, memory_order_acquire); if (m) r = *m; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_COMPLETE, FINDING_NONE, true},
    /* Thread-local variables that another thread has the address of are shared memory. */
    {"static _Thread_local int d; static _Atomic(int *) p; int r;"
     "OP(a) { d = 5; atomic_store_explicit(&p, &d, memory_order_relaxed); " USES "}"
     "OP(b) { int *m = atomic_load_explicit(&p, memory_order_relaxed); if (m) r = *m; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_RACE, false},
    {"static _Thread_local atomic_int d; static _Atomic(atomic_int *) p;"
     "OP(a) { d = 1; memset((void *)&d, 2, 4); p = &d; " USES "}"
     "OP(b) { atomic_int *m = p; if (m) assert(*m == 0x02020202); " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_COMPLETE, FINDING_NONE, true},
    /* A copy of a structure with a hole, and of one of which not all is set, is no use. */
    {"struct s { char c; long l; int i; }; static struct s *volatile to;"
     "OP(a) { struct s *m = malloc(sizeof *m), *n = malloc(sizeof *n); m->c = 1; m->l = 2;"
     "to = n; memcpy(to, m, sizeof *m); *n = *m; assert(to->l == 2); " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}});",
     NULL, END_COMPLETE, FINDING_NONE, true},
    /* Assertions, crashes, ends. */
    {"static atomic_int f; OP(a) { f = 1; " USES "} OP(b) { assert(f == 0); " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_ASSERTION, true},
    {"static _Atomic(int *) p; static int x; OP(a) { p = &x; " USES "}"
     "OP(b) { *(volatile int *)p = 1; " USES "} LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_CRASH, true},
    {"static atomic_int f; OP(a) { f = 1; " USES "} OP(b) { if (f) abort(); " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_ABORT, true},
    {"static pthread_mutex_t m; OP(a) { pthread_mutex_lock(&m); " USES "}"
     "OP(b) { pthread_mutex_unlock(&m); " USES "} LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_BAD_UNLOCK, true},
    {"int deep(int n) { char room[1024]; memset(room, n, sizeof room);"
     "return n ? deep(n + 1) + room[n % 9] : 0; } OP(a) { deep(1); " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}});",
     NULL, END_FINDING, FINDING_CRASH, true},
    /* A stack has as much room as that of a thread of the system. */
    {"static atomic_int f; OP(a) { volatile char room[7 << 20]; room[0] = room[6 << 20] = 1; f++;"
     "assert(room[0] == 1); " USES "} LP_TEST(t, .ops = {{\"a\", a}});",
     "a | a", END_COMPLETE, FINDING_NONE, true},
    /* Printing reads strings, as far as they are long, or as is asked for. */
    {"#include <stdio.h>\nstatic char d[8] = \"word\"; OP(a) { printf(\"%3d %.*f %s\", 1, 2, 3.0, "
     "d); " USES "} OP(b) { d[2] = 1; " USES "} LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_RACE, true},
    {"#include <stdio.h>\nstatic char d[8] = \"word\"; char to[20]; OP(a) { snprintf(to, 20, "
     "\"%ld%%%5.2s%c\", 1L, d, 'x'); " USES "} OP(b) { d[2] = 1; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_COMPLETE, FINDING_NONE, true},
    {"#include <stdio.h>\nstatic int d; OP(a) { fprintf(stderr, \"%Lg%n\", 1.0L, &d); " USES "}"
     "OP(b) { d = 1; " USES "} LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_RACE, true},
    {"#include <stdio.h>\nstatic char d[8] = \"word\"; OP(a) { puts(d); " USES "}"
     "OP(b) { d[4] = 1; " USES "} LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_RACE, true},
    {"#include <stdio.h>\nOP(a) { char *d = strdup(\"x\"); free(d); printf(\"%s\", d); " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}});",
     NULL, END_FINDING, FINDING_USE_AFTER_FREE, true},
    /* What is of an execution is gone in the next: globals of every kind, the heap. */
    {"static int zero, *p; int seven = 7; static atomic_int f; static _Thread_local int local = 5;"
     "OP(a) { assert(zero == 0 && seven == 7 && !p && local == 5); zero = seven = local = 1;"
     "p = malloc(4); *p = zero; f = 1; " USES "} OP(b) { assert(f <= 1); f = f + 2; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     "b | a", END_COMPLETE, FINDING_NONE, true},
    {"static int zero, *p; int seven = 7; static atomic_int f; static _Thread_local int local = 5;"
     "OP(a) { assert(zero == 0 && seven == 7 && !p && local == 5); zero = seven = local = 1;"
     "p = malloc(4); *p = zero; f = 1; " USES "}"
     "OP(b) { assert(local == 5); local++; (void)f; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_COMPLETE, FINDING_NONE, true},
    /* Threads of the program itself: what they are given, what they leave. */
    {"static int d; static void *work(void *p) { d += *(int *)p; return p; }"
     "OP(a) { pthread_t t; int n = 5; void *r; pthread_create(&t, 0, work, &n);"
     "pthread_join(t, &r); assert(d == 5 && r == &n); " USES "} LP_TEST(t, .ops = {{\"a\", a}});",
     NULL, END_COMPLETE, FINDING_NONE, true},
    {"int d; static void *work(void *p) { d = 1; return p; }"
     "OP(a) { pthread_t t; pthread_create(&t, 0, work, 0); d = 2; pthread_join(t, 0); " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}});",
     NULL, END_FINDING, FINDING_RACE, true},
    /* Plain stores to what is accessed atomically at other times. */
    {"static _Atomic int f; static pthread_mutex_t m; static void reset(void) {"
     "memset((void *)&f, 0, sizeof f); }"
     "OP(a) { pthread_mutex_lock(&m); f++; assert(f == 1); reset(); assert(f == 0);"
     "pthread_mutex_unlock(&m); " USES "} LP_TEST(t, .ops = {{\"a\", a}});",
     "a | a", END_COMPLETE, FINDING_NONE, true},
    /* Volatile variables are relaxed atomics: seen, and their values are those of the model. */
    {"static volatile int f, g; int r[2];"
     "OP(a) { f = 1; g = 1; " USES "} OP(b) { r[0] = g; r[1] = f; " USES "}"
     "static void down(void *o) { (void)o; assert(!(r[0] == 1 && r[1] == 0)); }"
     "LP_TEST(t, .teardown = down, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_ASSERTION, false},
    {"static volatile int f; static atomic_int d;"
     "OP(a) { d = 1; f = 1; " USES "} OP(b) { while (!f) continue; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_COMPLETE, FINDING_NONE, true},
    /* A lock that is tried by exchanges: one that finds it taken changes nothing. */
    {"static atomic_int l; int d; static void count(void) { while (atomic_exchange(&l, 1)) "
     "continue;"
     "d++; l = 0; } OP(a) { count(); " USES "} OP(b) { count(); " USES "} OP(c) { count(); " USES
     "}"
     "static void down(void *o) { (void)o; assert(d == 3); }"
     "LP_TEST(t, .teardown = down, .ops = {{\"a\", a}, {\"b\", b}, {\"c\", c}});",
     NULL, END_COMPLETE, FINDING_NONE, true},
    /* What a failed compare-and-exchange leaves in shared memory is a write: no loop is pure. */
    {"struct n { struct n *next; }; static _Atomic(struct n *) top; static struct n a1, b1;"
     "static void push(struct n *n) { n->next = top;"
     "while (!atomic_compare_exchange_weak(&top, &n->next, n)) continue; }"
     "OP(a) { push(&a1); " USES "} OP(b) { push(&b1); " USES "}"
     "static void down(void *o) { (void)o; struct n *first = top; assert(first && first->next &&"
     "!first->next->next); } LP_TEST(t, .teardown = down, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_COMPLETE, FINDING_NONE, true},
    /* A weak compare-and-exchange fails for no reason where nobody tries again ... */
    {"static atomic_int f; OP(a) { int e = 0; assert(atomic_compare_exchange_strong(&f, &e, "
     "1)); " USES "} LP_TEST(t, .ops = {{\"a\", a}});",
     NULL, END_COMPLETE, FINDING_NONE, true},
    {"static atomic_int f; OP(a) { int e = 0; while (!atomic_compare_exchange_weak(&f, &e, 1)) e = "
     "0;"
     "assert(f == 1); " USES "} LP_TEST(t, .ops = {{\"a\", a}});",
     NULL, END_COMPLETE, FINDING_NONE, true},
    /* What is tried out for one read (runtime/retry.h) ends with the operation, and leaves nothing:
       a second read gets what would have ended it, or had it join, at the first. (Of a static `g`
       clang knows that nobody writes it, and leaves its reads out.) */
    {"atomic_int f, g; OP(a) { if (f == 1) return LP_NO; if (f == 2) return LP_NO;"
     "while (g != 2) { } " USES "} OP(b) { int n = f; f++; (void)n; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a, .flags = LP_MAY_WAIT}, {\"b\", b}});",
     "b | a; b", END_COMPLETE, FINDING_NONE, true},
    {"static atomic_int f, g; static void *run(void *v) { return v; }"
     "OP(a) { pthread_t t; pthread_create(&t, NULL, run, NULL);"
     "if (f == 1) { pthread_join(t, NULL); return LP_NO; }"
     "g = f; pthread_join(t, NULL); " USES "} OP(b) { f = 1; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_COMPLETE, FINDING_NONE, true},
    {"static atomic_int f, g; static void *run(void *v) { return v; }"
     "OP(a) { pthread_t t; pthread_create(&t, NULL, run, NULL);"
     "if (f == 1) { pthread_detach(t); return f; }"
     "g = f; pthread_detach(t); " USES "} OP(b) { f = 1; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_COMPLETE, FINDING_NONE, true},
    /* An iteration that stores to the location that it tries to change makes the next one possible.
     */
    {"atomic_int x; OP(a) { int e = x; do x = 1; while (!atomic_compare_exchange_strong(&x, &e, "
     "2));"
     "assert(e == 1); " USES "} LP_TEST(t, .ops = {{\"a\", a}});",
     "a", END_COMPLETE, FINDING_NONE, true},
    /* One that writes its own stack may race with who has been given a place on it. */
    {"static _Atomic(int *) p; static atomic_int x;"
     "OP(a) { int mine = 0, t; atomic_store_explicit(&p, &mine, memory_order_release);"
     "do { t = atomic_load_explicit(&x, memory_order_relaxed); mine = t; }"
     "while (!atomic_compare_exchange_strong_explicit(&x, &t, t + 1, memory_order_relaxed, "
     "memory_order_relaxed)); p = NULL; " USES "}"
     "OP(b) { int *q = atomic_load_explicit(&p, memory_order_acquire); return q ? *q : 0; }"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_FINDING, FINDING_RACE, true},
    /* What cannot be gone through whole is not called so. */
    {"static atomic_int f; OP(a) { for (int i = 0; i < 300; i++) f++; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}});",
     NULL, END_TOO_LARGE, FINDING_NONE, true},
    {"static char room[1 << 26]; int d; OP(a) { memset(room, 1, sizeof room); d = 1; " USES "}"
     "OP(b) { d = 2; " USES "} static void down(void *o) { (void)o; assert(room[9] < 2); }"
     "LP_TEST(t, .teardown = down, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_NOT_MODELLED, FINDING_NONE, true},
    {"union { atomic_int i; _Atomic char c[4]; } u;"
     "OP(a) { u.i = 1; " USES "} OP(b) { u.c[1] = 1; " USES "}"
     "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
     NULL, END_MIXED, FINDING_NONE, true},
};

static void check(const struct program *program, const char *compiler, const char *flag)
{
    struct code_fixture code;
    struct exchange_result result;
    struct text text = TEXT_EMPTY;
    text_append(&text, HEAD);
    text_append(&text, program->text);
    code_build_text(&code, text_string(&text), ".c", flag);
    for (int model = MEMORY_SC; model <= MEMORY_RC11; model++) {
        enum exchange_end end =
            model == MEMORY_RC11 || program->sc_too ? program->end : END_COMPLETE;
        code_run(&code, 0, (enum memory_model)model, program->scenario, &result);
        if (result.end != end || (end == END_FINDING && result.finding.kind != program->kind))
            fail_msg("%s %s, model %d: ended with %u, found %u (%s)\n%s", compiler, flag, model,
                     result.end, result.finding.kind, result.finding.sentence, program->text);
    }
    text_release(&text);
    code_release(&code);
}

static void check_all(const char *compiler, const char *flag)
{
    if (!code_has_compiler(compiler))
        skip();
    setenv("CC", compiler, 1);
    for (size_t i = 0; i < ARRAY_LENGTH(programs); i++)
        check(&programs[i], compiler, flag);
    unsetenv("CC");
}

static void faults_are_found_in_what_gcc_makes(void **state)
{
    (void)state;
    check_all("gcc", "-O1");
}

static void faults_are_found_in_what_clang_makes(void **state)
{
    (void)state;
    check_all("clang", "-O1");
}

/* What clang makes does not tell weak from strong. */
static void weak_ones_fail_where_nobody_tries_again(void **state)
{
    (void)state;
    static const struct program weak[] = {
        {"static atomic_int f; OP(a) { int e = 0; assert(atomic_compare_exchange_weak(&f, &e, "
         "1)); " USES "} LP_TEST(t, .ops = {{\"a\", a}});",
         NULL, END_FINDING, FINDING_ASSERTION, true},
        {"static atomic_int f; OP(a) { int e = 0; if (!atomic_compare_exchange_weak(&f, &e, 1))"
         "{ assert(e == 0); assert(f == 0); } " USES "} LP_TEST(t, .ops = {{\"a\", a}});",
         NULL, END_COMPLETE, FINDING_NONE, true},
        {"static atomic_int f, g; OP(a) { int e = 0;"
         "while (!atomic_compare_exchange_weak(&f, &e, 1)) { g++; e = 0; }" USES "}"
         "static void down(void *o) { (void)o; assert(g == 0); }"
         "LP_TEST(t, .teardown = down, .ops = {{\"a\", a}});",
         NULL, END_FINDING, FINDING_ASSERTION, true},
        {"static atomic_int f; OP(a) { int e = 0, i = 0;"
         "while (i < 1 && !atomic_compare_exchange_weak(&f, &e, 1)) i++; assert(f); " USES "}"
         "LP_TEST(t, .ops = {{\"a\", a}});",
         NULL, END_FINDING, FINDING_ASSERTION, true},
        {"static atomic_int f, g; OP(a) { int e;" /* stores again what it has stored */
         "do { e = 0; g = 5; } while (!atomic_compare_exchange_weak(&f, &e, 1)); " USES "}"
         "LP_TEST(t, .ops = {{\"a\", a}});",
         NULL, END_COMPLETE, FINDING_NONE, true},
        {"static atomic_int f, r; OP(a) { int e = 0;"
         "if (atomic_compare_exchange_weak(&f, &e, 1)) r++; " USES "}" /* nobody succeeds */
         "static void down(void *o) { (void)o; assert(r == 1); }"
         "LP_TEST(t, .teardown = down, .ops = {{\"a\", a}});",
         "a | a", END_FINDING, FINDING_ASSERTION, true},
    };
    setenv("CC", "gcc", 1);
    for (size_t i = 0; i < ARRAY_LENGTH(weak); i++) {
        check(&weak[i], "gcc", "-O0");
        check(&weak[i], "gcc", "-O2");
    }
    unsetenv("CC");
}

static void a_crash_happens_again_along_its_graph(void **state)
{
    (void)state;
    struct code_fixture code;
    struct exchange_result result, again;
    struct error error = {0};
    code_build_text(&code,
                    HEAD "static _Atomic(int *) p; static atomic_int n; static int x;"
                         "OP(a) { n++; p = &x; " USES "} OP(b) { n++; *p = 1; " USES "}"
                         "LP_TEST(t, .ops = {{\"a\", a}, {\"b\", b}});",
                    ".c", "-O2");
    code_run(&code, 0, MEMORY_RC11, NULL, &result);
    assert_int_equal(result.finding.kind, FINDING_CRASH);
    assert_int_equal(result.finding.here.thread, 1);
    struct exchange_request request = {
        .version = EXCHANGE_VERSION,
        .kind = REQUEST_CONFIRM,
        .model = MEMORY_RC11,
        .scenario = {
            .thread_count = 2, .call_count = 2, .lengths = {1, 1}, .calls = {{0, 0}, {1, 0}}}};
    assert_int_equal(
        conversation_run(text_string(&code.program), &request, &result.graph, NULL, &again, &error),
        STATUS_OK);
    assert_int_equal(again.finding.kind, FINDING_CRASH);
    assert_ptr_equal(again.finding.here.at, result.finding.here.at);
    code_release(&code);
}

static void an_assertion_is_told_with_its_line(void **state)
{
    (void)state;
    struct code_fixture code;
    struct exchange_result result;
    code_build_text(&code, HEAD "OP(a) {\n assert(o);\n" USES "}\nLP_TEST(t, .ops = {{\"a\", a}});",
                    ".c", "-O2");
    code_run(&code, 0, MEMORY_SC, NULL, &result);
    assert_int_equal(result.finding.kind, FINDING_ASSERTION);
    assert_int_equal(result.finding.line, 9);
    assert_string_equal(result.finding.sentence, "o");
    code_release(&code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_found_in_what_gcc_makes),
        cmocka_unit_test(faults_are_found_in_what_clang_makes),
        cmocka_unit_test(weak_ones_fail_where_nobody_tries_again),
        cmocka_unit_test(a_crash_happens_again_along_its_graph),
        cmocka_unit_test(an_assertion_is_told_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
