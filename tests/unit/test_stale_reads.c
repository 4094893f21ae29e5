/* States in which a thread holds what is stale are left out. In each of them, in the full product,
 * what the thread has done is the beginning of an iteration that comes back with nothing left, and
 * whatever happens it does so. Steps that are decided go before all others: in the full product
 * nobody notices them, and no step of others changes how they come out. And answers must be those
 * of the full product. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "base/attributes.h"
#include "implementation/stale.h"
#include "support/grammar.h"
#include "support/lin_random_stale.h"
#include "support/lin_verdicts.h"
#include "support/lin_walk.h"
#include "support/seeds.h"

#define MOST_STATES 2500  /* of a model; the rest is not looked at */
#define MOST_WORK   40000 /* steps of a product; larger ones are left out */

#define MORE 20 /* times as many programs are looked at state by state as are decided */

static struct seeds seeds = {.first = 1, .count = 100};

static void print_random(uint64_t seed, struct text *text)
{
    if (seed % 4 == 0)
        lin_random_print_stale(seed, text);
    else
        lin_random_print_away(seed, text);
}

/* ---- what each state means ---- */

/* The states between a head and itself, of a thread that holds what is stale in some of them. */
struct region {
    struct lin_walk *walk;
    uint32_t thread, head;
    struct bits marked; /* states */
    VECTOR(uint32_t) left;
    const uint32_t *starts, *steps; /* by state: where the numbers of its steps begin */
    bool forwards;
};

static uint32_t stands_at(const struct region *region, uint32_t state)
{
    const struct lin_walk *walk = region->walk;
    return thread_slots_of(walk->steps, lin_walk_state(walk, state),
                           region->thread)[LIN_THREAD_AT] -
           1;
}

static bool differ(const uint32_t *one, const uint32_t *other, size_t first, size_t end)
{
    return memcmp(one + first, other + first, (end - first) * sizeof *one) != 0;
}

static bool has_changed_nodes(struct lin_walk *walk, const uint32_t *old, const uint32_t *new)
{
    bool changed = false;
    for (uint32_t i = 0; i < walk->steps->pool_count; i++) {
        const struct lin_pool *pool = &walk->steps->pools[i];
        for (uint32_t j = 0; j < pool->nodes; j++) {
            const uint32_t at = pool->first + j * pool->words;
            changed |= lin_walk_has_reached(walk, i, j) && differ(old, new, at, at + pool->words);
        }
    }
    return changed;
}

static uint32_t own_slots(const struct lin_steps *steps, uint32_t thread)
{
    return steps->thread_first + thread * steps->thread_words;
}

/* What others may notice of a step; null: nothing. */
static const char *shows(struct lin_walk *walk, const struct lin_walk_step *step)
{
    const struct lin_steps *steps = walk->steps;
    const uint32_t *old = lin_walk_state(walk, step->from), *new = lin_walk_state(walk, step->to),
                   own = own_slots(steps, step->thread);
    if (step->label != LABEL_TAU)
        return "a label";
    if (differ(old, new, 0, steps->heap_first) || differ(old, new, steps->thread_first, own) ||
        differ(old, new, own + steps->thread_words, steps->slots))
        return "what is shared changed";
    lin_walk_reach_without(walk, old, step->thread);
    return has_changed_nodes(walk, old, new) ? "a node changed" : NULL;
}

/* What a step of the thread leaves behind; null: nothing. */
static const char *leaves(const struct region *region, const struct lin_walk_step *step)
{
    struct lin_walk *walk = region->walk;
    const struct lin_steps *steps = walk->steps;
    const uint32_t *old = lin_walk_state(walk, step->from), *new = lin_walk_state(walk, step->to),
                   own = own_slots(steps, region->thread);
    const char *shown = shows(walk, step);
    if (shown)
        return shown;
    for (uint32_t i = 0; i < steps->locals; i++)
        if (lin_steps_live(steps, region->head, i) &&
            old[own + LIN_THREAD_HEADER + i] != new[own + LIN_THREAD_HEADER + i])
            return "a local changed";
    return NULL;
}

static void mark(struct region *region, uint32_t state)
{
    if (bits_get(region->marked, state))
        return;
    bits_set(region->marked, state);
    assert_true(vector_push(&region->left, state));
}

/* From the marked states on, or back from them, up to where the thread stands at the head: what its
 * steps leave. */
static const char *walk_region(struct region *region)
{
    const char *left = NULL;
    while (region->left.length > 0 && !left) {
        const uint32_t state = region->left.items[--region->left.length];
        for (uint32_t i = region->starts[state]; i < region->starts[state + 1] && !left; i++) {
            const struct lin_walk_step *step = &region->walk->taken.items[region->steps[i]];
            const uint32_t next = region->forwards ? step->to : step->from;
            const bool own = step->thread == region->thread;
            left = own ? leaves(region, step) : NULL;
            if (!own || stands_at(region, next) != region->head)
                mark(region, next);
        }
    }
    return left;
}

/* By state, the numbers of the steps that lead from it, or to it. */
static void index_steps(const struct lin_walk *walk, bool forwards, uint32_t *starts,
                        uint32_t *steps)
{
    const size_t states = walk->states.items.length, taken = walk->taken.length;
    memset(starts, 0, (states + 2) * sizeof *starts);
    for (size_t i = 0; i < taken; i++)
        starts[(forwards ? walk->taken.items[i].from : walk->taken.items[i].to) + 2]++;
    for (size_t i = 0; i < states; i++)
        starts[i + 2] += starts[i + 1];
    for (size_t i = 0; i < taken; i++)
        steps[starts[(forwards ? walk->taken.items[i].from : walk->taken.items[i].to) + 1]++] =
            (uint32_t)i;
}

/* Marks the states in which the thread stands for nothing, and can but come back to the head. */
static unsigned mark_stale(struct region *region)
{
    const struct lin_steps *steps = region->walk->steps;
    unsigned found = 0;
    for (uint32_t i = 0; i < region->walk->states.items.length; i++) {
        const uint32_t *state = lin_walk_state(region->walk, i),
                       *own = thread_slots_of(steps, state, region->thread);
        bool stale = false;
        for (size_t j = 0; is_at_code(own) && j < steps->stale.length && !stale; j++)
            stale = steps->stale.items[j].head == region->head &&
                    steps->stale.items[j].at == own[LIN_THREAD_AT] - 1 &&
                    lin_holds_stale(steps, state, own + LIN_THREAD_HEADER, &steps->stale.items[j]);
        if (stale)
            mark(region, i);
        found += stale;
    }
    return found;
}

/* What is left by an iteration that is said to leave nothing; null: nothing, as it should be. */
static const char *look_at_head(struct lin_walk *walk, uint32_t thread, uint32_t head,
                                const struct region index[2], unsigned *found)
{
    const char *left = NULL;
    for (unsigned forwards = 0; forwards < 2 && !left; forwards++) {
        struct region region = index[forwards];
        region.thread = thread;
        region.head = head;
        region.marked = bits_allocate(NULL, walk->states.items.length + 1);
        vector_init(&region.left, NULL);
        *found = mark_stale(&region);
        left = walk_region(&region);
        vector_release(&region.left);
        bits_release(NULL, region.marked);
    }
    return left;
}

/* The steps of a thread from one state, and from another one, end differently for it. */
static bool end_differently(const struct region *index, uint32_t thread, uint32_t one,
                            uint32_t other)
{
    const struct lin_walk *walk = index->walk;
    const uint32_t own = own_slots(walk->steps, thread);
    uint32_t next = index->starts[other];
    for (uint32_t i = index->starts[one]; i < index->starts[one + 1]; i++) {
        const struct lin_walk_step *step = &walk->taken.items[index->steps[i]], *again;
        if (step->thread != thread)
            continue;
        while (next < index->starts[other + 1] &&
               walk->taken.items[index->steps[next]].thread != thread)
            next++;
        if (next == index->starts[other + 1])
            return true;
        again = &walk->taken.items[index->steps[next++]];
        if (step->label != again->label ||
            differ(lin_walk_state(walk, step->to), lin_walk_state(walk, again->to), own,
                   own + walk->steps->thread_words))
            return true;
    }
    return false;
}

/* What is wrong with the steps from a state in which the thread's are said to be decided. */
static const char *look_at_steps(const struct region *index, uint32_t thread, uint32_t state)
{
    const struct lin_walk *walk = index->walk;
    const char *wrong = NULL;
    for (uint32_t i = index->starts[state]; i < index->starts[state + 1] && !wrong; i++) {
        const struct lin_walk_step *step = &walk->taken.items[index->steps[i]];
        const bool is_seen = index->starts[step->to] < index->starts[step->to + 1];
        if (step->thread == thread)
            wrong = step->label == walk->instance.model.fault ? NULL : shows(index->walk, step);
        else if (is_seen && !lin_is_decided(walk->steps, lin_walk_state(walk, step->to), thread))
            wrong = "does not stay decided";
        else if (is_seen && end_differently(index, thread, state, step->to))
            wrong = "comes out differently behind another's";
    }
    return wrong;
}

/* *found: states and threads whose steps are decided. */
static const char *look_at_decided(const struct region *index, unsigned *found)
{
    const struct lin_walk *walk = index->walk;
    const char *wrong = NULL;
    for (uint32_t state = 0; state < walk->states.items.length; state++)
        for (uint32_t thread = 0; thread < walk->steps->setting.threads && !wrong; thread++)
            if (lin_is_decided(walk->steps, lin_walk_state(walk, state), thread)) {
                wrong = look_at_steps(index, thread, state);
                ++*found;
            }
    return wrong;
}

static const char *look_at_all(struct lin_walk *walk, unsigned found[2])
{
    const struct lin_steps *steps = walk->steps;
    const size_t states = walk->states.items.length, taken = walk->taken.length;
    struct region index[2];
    uint32_t *numbers[4];
    const char *left = NULL;
    for (unsigned i = 0; i < 2; i++) {
        numbers[2 * i] = test_malloc((states + 2) * sizeof *numbers[0]);
        numbers[2 * i + 1] = test_malloc((taken + 1) * sizeof *numbers[0]);
        index_steps(walk, i, numbers[2 * i], numbers[2 * i + 1]);
        index[i] = (struct region){
            .walk = walk, .forwards = i, .starts = numbers[2 * i], .steps = numbers[2 * i + 1]};
    }
    for (size_t i = 0; i < steps->stale.length; i++)
        for (uint32_t thread = 0; thread < steps->setting.threads && !left; thread++) {
            unsigned here;
            left = look_at_head(walk, thread, steps->stale.items[i].head, index, &here);
            found[0] += here;
        }
    if (!left && steps->decided_from)
        left = look_at_decided(&index[1], &found[1]);
    for (unsigned i = 0; i < 4; i++)
        test_free(numbers[i]);
    return left;
}

/* True and a message if it does; found: states in which a thread holds what is stale, and in which
 * its step is decided. While the text is made smaller, `found` is null and it may be wrong. */
static bool misleads(const char *text, struct text *message, unsigned found[2])
{
    struct lin_walk walk;
    const char *left = NULL;
    unsigned states[2] = {0};
    const bool opened = lin_walk_open(&walk, text);
    if (!opened)
        text_format(message, "%u: %s", walk.fixture.error.line, walk.fixture.error.message);
    const bool wrong = !opened && found;
    if (opened && walk.steps->stale.length + walk.steps->decided.length > 0) {
        lin_walk_run(&walk, MOST_STATES);
        left = look_at_all(&walk, states);
    }
    if (found)
        memcpy(found, states, sizeof states);
    if (left)
        text_format(message, "an iteration that comes to nothing, or a step that is decided: %s",
                    left);
    lin_walk_close(&walk);
    return wrong || left;
}

static bool still_misleads(void *context, const char *text)
{
    struct text message = TEXT_EMPTY;
    (void)context;
    const bool wrong = misleads(text, &message, NULL);
    text_release(&message);
    return wrong;
}

static void what_is_said_of_states_is_so(void **unused)
{
    unsigned programs[2] = {0};
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + MORE * seeds.count; seed++) {
        struct text text = TEXT_EMPTY, message = TEXT_EMPTY;
        unsigned found[2] = {0};
        print_random(seed, &text);
        if (misleads(text_string(&text), &message, found)) {
            grammar_shrink(&text, still_misleads, NULL);
            text_clear(&message);
            (void)misleads(text_string(&text), &message, found);
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, text_string(&message),
                     text_string(&text));
        }
        programs[0] += found[0] > 0;
        programs[1] += found[1] > 0;
        text_release(&message);
        text_release(&text);
    }
    print_message("%u with states in which a thread holds what is stale, %u with decided steps\n",
                  programs[0], programs[1]);
    assert_true(programs[0] > MORE * seeds.count / 8);
    assert_true(programs[1] > MORE * seeds.count / 8);
}

/* ---- known answers ---- */

/* One thread looks at what it may move; the other one brings it about that it is there again, and
 * says in between, by z, that something has happened. */
#define BEFORE                                                                                     \
    "spec one { op get() { return 1; } op put() { return 1; } } impl it { struct node { "          \
    "int(0..3) "                                                                                   \
    "v; node next; } shared node top; shared node last; shared node w; shared node none; shared "  \
    "int(0..1) z; shared int(0..1) s; init { node a = new node; node b = new node; a.next = b; "   \
    "top = a; last = b; w = new node; } op get() only thread 0 { node n = new node; "
#define OTHER                                                                                      \
    " } op put() only thread 1 { node n = new node; node m = new node; node q; node e; node x; "   \
    "bool d; int c; "
#define BEHIND " return 1; } } assert it linearizes one with threads = 2, ops = 1;"
#define AWAY(from, looks, succeeds)                                                                \
    "while (true) { node t = " from "; int k = z; " looks "node x = t.next; bool f; int r; "       \
    "atomic { f = " succeeds "; r = z; } if (f) { if (k != r) return 0; return 1; } }" OTHER
#define IN_TIME "if (s == 1) return 1; "
#define POPS    AWAY("top", IN_TIME, "cas(top, t, x)") /* of what is on top, or */
#define COMES   AWAY("w", "", "cas(top, t, x)")        /* of what is not there yet */
#define LINKS   AWAY("last", IN_TIME, "cas(t.next, null, n)")
#define TAKE    "e = top; x = e.next; cas(top, e, x); "
#define LINK    "e = last; cas(e.next, null, n); "
#define SEEN(holds, reads, finds)                                                                  \
    "node t = last; node x; " holds "s = 1; atomic { " reads " } if (x != null && " finds          \
    ") return 0; return 1;" OTHER "if (s == 0) return 1; "
#define AT_ONCE(change) "atomic { s = 1; " change "} z = 1; "
#define CATCH           "atomic { c = z; s = 1; " TAKE "} if (c == 0 && z == 1) return 0; "

/* All are violated, by what the other thread does. */
static const char *const away[] = {
    /* the variable is put back, or leads to what is below again */
    POPS "q = top; " AT_ONCE(TAKE) "top = q;",
    POPS "q = top; " AT_ONCE(TAKE) "swap(top, q);",
    POPS "q = top; " AT_ONCE(TAKE) "e = top; cas(top, e, q);",
    POPS "q = top; " AT_ONCE(TAKE) "e = ll(top); sc(top, q);",
    POPS "e = top; n.next = e; " AT_ONCE("cas(top, e, n); ") TAKE,
    /* what is linked is taken away */
    LINKS "e = last; " AT_ONCE("cas(e.next, null, n); ") "e.next = null;",
    LINKS "e = last; " AT_ONCE("cas(e.next, null, n); ") "swap(e.next, null);",
    LINKS "e = last; " AT_ONCE("cas(e.next, null, n); ") "cas(e.next, n, null);",
    /* a node that others know is linked, or leads on to one */
    COMES "q = w; e = last; z = 1; cas(e.next, null, q); " TAKE TAKE,
    COMES "q = w; n.next = q; e = last; z = 1; cas(e.next, null, n); " TAKE TAKE TAKE,
    COMES "e = top; n.next = e; w = n; z = 1; cas(top, e, n);",
    COMES "w = n; z = 1; e = top; cas(top, e, n);",
    COMES "q = w; e = top; n.next = q; m.next = e; z = 1; cas(top, e, n); " TAKE,
    COMES "q = w; n.next = q; x = n.next; e = top; n.next = e; z = 1; if (cas(top, e, n)) cas(top, "
          "n, x);",
    /* it was linked to by a cas, but then by a write */
    COMES "q = w; n.next = q; d = cas(m.next, null, n); z = 1; e = top; m.next = e; if (cas(top, "
          "e, m)) { if (d) cas(top, m, n); } " TAKE,
    /* what a cas links behind is the thread's own on one of two ways, or once another cas failed */
    COMES "q = new node; e = last; m = e; if (z == 0) m = n; cas(m.next, null, q); w = q; z = 1; "
          "cas(e.next, null, n); " TAKE TAKE TAKE,
    COMES "q = new node; d = cas(last, null, n); cas(n.next, null, q); w = q; z = 1; e = last; if "
          "(!d) cas(e.next, null, n); " TAKE TAKE TAKE,
    /* it comes back, but something is left */
    "int u = 0; while (true) { node t = top; node x = t.next; if (cas(top, t, x)) { if (u == 1) "
    "return 0; return 1; } u = 1; }" OTHER TAKE,
    "while (true) { node t = top; node x = t.next; if (cas(top, t, x)) return 1; cas(s, 0, 1); "
    "}" OTHER TAKE "if (s == 1) return 0;",
    "while (true) { node t = top; node x = t.next; if (cas(top, t, x)) return 1; s = 1; }" OTHER
        TAKE "if (s == 1) return 0;",
    "while (true) { node t = top; node r = none; node x = t.next; if (cas(top, t, x)) return 1; "
    "int j = r.v; }" OTHER TAKE,
    "while (true) { node t = top; node x = t.next; if (cas(top, t, x)) return 1; node y = x.next; "
    "int j = y.v; }" OTHER TAKE,
    /* or something is done before */
    "while (true) { node t = top; if (s == 1) return 1; z = 1; if (cas(top, t, n)) return 1; "
    "}" OTHER CATCH,
    "while (true) { node t = top; if (z == 1) return 0; z = 1; while (true) { node y = w; if (y == "
    "null) continue; if (cas(top, t, n)) return 1; break; } }" OTHER TAKE,
    /* by a step that goes on to where it stands for nothing */
    "node t = top; if (s == 1) return 1; z = 1; while (true) { int j = n.v; if (cas(top, t, n)) "
    "return 1; }" OTHER CATCH,
    /* what is known to come out the same is not all that a step does */
    "node t = top; bool f; int r; atomic { f = top == t; r = z; } if (!f && r == 1) return 0; "
    "return 1;" OTHER TAKE "z = 1;",
    "node t = top; bool f; int r; atomic { f = top == t; r = z; } int k = s; if (!f && r == 1) "
    "return 0; return 1;" OTHER TAKE "z = 1;",
    "node t = top; bool f; bool r; atomic { f = cas(top, t, null); r = cas(s, 1, 0); } if (!f && "
    "r) "
    "return 0; return 1;" OTHER TAKE "s = 1;",
    "node t = top; bool f; int r; atomic { f = top == t; r = t.v; } if (!f && r == 1) return 0; "
    "return 1;" OTHER TAKE "e.v = 1;",
    "node t = top; bool f; atomic { f = top == t; s = 1; } if (!f && z == 1) return 0; return "
    "1;" OTHER TAKE "if (s == 0) z = 1;",
    "node t = top; bool f; atomic { f = top == t; cas(s, 0, 1); } if (!f && z == 1) return 0; "
    "return 1;" OTHER TAKE "if (s == 0) z = 1;",
    SEEN("int r; ", "x = t.next; r = z;", "r == 1") LINK "z = 1;",
    SEEN("node u = w; node y; ", "x = t.next; y = u.next;", "y != null") LINK
    "e = w; cas(e.next, null, m);",
    SEEN("int r = 0; ", "x = t.next; r = t.v;", "r == 1") LINK "e.v = 1;",
    SEEN("int r = 0; ", "x = t.next; if (x != null) r = x.v;", "r == 1") LINK "n.v = 1;",
    /* a thread that waits before a head is left out once it stands further on */
    "node t = top; node u = last; s = 1; while (true) { if (top == t) continue; if (cas(last, u, "
    "null)) return 1; }" OTHER "if (s == 0) return 1; " TAKE
    "e = last; if (e == null) return 1; if (cas(last, e, null)) return 0;",
};

static const reductions sets[] = {REDUCE_STALE,
                                  REDUCE_STALE | REDUCE_SLICE,
                                  REDUCE_STALE | REDUCE_INTERVALS,
                                  REDUCE_STALE | REDUCE_PURE | REDUCE_INTERVALS,
                                  REDUCE_STALE | REDUCE_INTERVALS | REDUCE_PARTIAL_ORDER,
                                  REDUCE_STALE | REDUCE_SYMMETRY | REDUCE_ANTICHAIN,
                                  REDUCE_STALE | REDUCE_FIELDS,
                                  REDUCE_DECIDED,
                                  REDUCE_DECIDED | REDUCE_INTERVALS | REDUCE_PARTIAL_ORDER,
                                  REDUCE_DECIDED | REDUCE_PURE | REDUCE_INTERVALS,
                                  REDUCE_DECIDED | REDUCE_STALE | REDUCE_SYMMETRY,
                                  REDUCE_DECIDED | REDUCE_FIELDS | REDUCE_SLICE | REDUCE_ANTICHAIN,
                                  REDUCE_DEFAULT & ~(reductions)REDUCE_DECIDED,
                                  REDUCE_DEFAULT & ~(reductions)REDUCE_STALE,
                                  REDUCE_DEFAULT};

static void known_violations_are_found(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(away); i++) {
        struct lin_fixture fixture;
        struct text text = TEXT_EMPTY;
        text_format(&text, "%s%s%s", BEFORE, away[i], BEHIND);
        if (!lin_fixture_open(&fixture, text_string(&text)))
            fail_msg("%s\n%s", fixture.error.message, text_string(&text));
        for (size_t j = 0; j <= ARRAY_LENGTH(sets); j++) {
            const reductions used = j ? sets[j - 1] : REDUCE_NONE;
            const enum verdict verdict = lin_verdict(&fixture, 0, used, MOST_WORK);
            if (verdict != VERDICT_VIOLATED)
                fail_msg("expected a violation, with reductions %x it %s\n%s", used,
                         verdict_names[verdict], away[i]);
        }
        lin_fixture_close(&fixture);
        text_release(&text);
    }
}

/* ---- answers ---- */

struct tally {
    unsigned held, violated, fewer;
};

struct decided {
    enum verdict verdict;
    bool used;
    uint64_t states;
};

static struct decided decide(struct lin_fixture *fixture, reductions used)
{
    struct limits limits;
    struct assertion_result result;
    limits_init(&limits, &fixture->budget);
    limits.most_work = MOST_WORK;
    const struct assertion_options options = {.reductions = used, .limits = &limits};
    struct decided decided = {.verdict = lin_verdict_of(fixture, 0, &options, &result)};
    decided.states = result.states;
    decided.used = result.reductions & REDUCE_STALE;
    assertion_result_release(&result);
    return decided;
}

static bool is_answer(enum verdict verdict)
{
    return verdict == VERDICT_HOLDS || verdict == VERDICT_VIOLATED || verdict == VERDICT_INTERNAL;
}

static bool differs(const char *text, struct text *message, struct tally *tally)
{
    struct lin_fixture fixture;
    bool found = false;
    const bool parsed = lin_fixture_open(&fixture, text) && fixture.module.assertions.length == 1;
    const struct decided full =
        parsed ? decide(&fixture, REDUCE_NONE) : (struct decided){.verdict = VERDICT_WRONG_TEXT};
    if (full.verdict == VERDICT_WRONG_TEXT)
        text_format(message, "%u: %s", fixture.error.line, fixture.error.message);
    found = full.verdict == VERDICT_WRONG_TEXT && tally;
    for (size_t i = 0; is_answer(full.verdict) && i < ARRAY_LENGTH(sets) && !found; i++) {
        const struct decided reduced = decide(&fixture, sets[i]);
        found = is_answer(reduced.verdict) && reduced.verdict != full.verdict;
        if (found)
            text_format(message, "the full product %s, with reductions %x it %s: %s",
                        verdict_names[full.verdict], sets[i], verdict_names[reduced.verdict],
                        fixture.error.message);
        if (tally && i == 0 && reduced.used && full.verdict == VERDICT_HOLDS)
            tally->fewer += reduced.states < full.states;
    }
    if (tally) {
        tally->held += full.verdict == VERDICT_HOLDS;
        tally->violated += full.verdict == VERDICT_VIOLATED;
    }
    lin_fixture_close(&fixture);
    return found;
}

static bool still_differs(void *context, const char *text)
{
    struct text message = TEXT_EMPTY;
    (void)context;
    const bool found = differs(text, &message, NULL);
    text_release(&message);
    return found;
}

static void what_is_stale_is_never_needed(void **unused)
{
    struct tally tally = {0};
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct text text = TEXT_EMPTY, message = TEXT_EMPTY;
        print_random(seed, &text);
        if (differs(text_string(&text), &message, &tally)) {
            grammar_shrink(&text, still_differs, NULL);
            text_clear(&message);
            (void)differs(text_string(&text), &message, NULL);
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, text_string(&message),
                     text_string(&text));
        }
        text_release(&message);
        text_release(&text);
    }
    print_message("%u hold, %u of them with fewer states; %u are violated\n", tally.held,
                  tally.fewer, tally.violated);
    assert_true(tally.held > seeds.count / 8);
    assert_true(tally.violated > seeds.count / 8);
    assert_true(tally.fewer > seeds.count / 40);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    if (count > 3)
        cmocka_set_test_filter(arguments[3]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_said_of_states_is_so),
        cmocka_unit_test(known_violations_are_found),
        cmocka_unit_test(what_is_stale_is_never_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
