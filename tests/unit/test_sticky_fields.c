/* Fields are supposed to be sticky, and items of arrays to be their threads' own: what a search of
 * few states did not find to be wrong must not be wrong in the full product, and its answer must be
 * that of the full product. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <string.h>

#include "base/attributes.h"
#include "base/interning.h"
#include "support/grammar.h"
#include "support/lin_random_stale.h"
#include "support/lin_random_sticky.h"
#include "support/lin_verdicts.h"
#include "support/seeds.h"
#include "verify/lin_instance_open.h"

#define MOST_STATES 4000  /* of a model; larger ones are left out */
#define MOST_WORK   40000 /* steps of a product */

static struct seeds seeds = {.first = 1, .count = 40};

static void print_random(uint64_t seed, struct text *text)
{
    if (seed % 8 == 0)
        lin_random_print_stale(seed, text);
    else if (seed % 8 == 4)
        lin_random_print_away(seed, text);
    else if (seed % 2 == 1)
        lin_random_print_fresh(seed, text);
    else
        lin_random_print_sticky(seed, text);
}

/* ---- what is supposed ---- */

enum searched {
    SEARCHED_ALL,
    SEARCHED_PART, /* there is too much, or the model is wrong */
    SEARCHED_WRONG_TEXT,
};

struct search {
    struct lin_fixture *fixture;
    struct labels *labels;
    struct lin_instance instance;
    struct word_arrays states;
    bool full; /* no step goes before others */
};

/* The steps from a state. */
static enum status expand(struct search *search, struct worker *worker, const uint32_t *state,
                          struct successors *next)
{
    const struct lin_steps *steps = &search->instance.steps;
    successors_clear(next);
    if (!search->full)
        return worker_successors(worker, state, next, &search->fixture->error);
    for (uint32_t i = 0; i < steps->setting.threads; i++) {
        const enum status status = lin_model_steps_of((struct lin_worker *)worker, state, i, i,
                                                      next, &search->fixture->error);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static void take(struct search *search, const struct successors *next)
{
    const uint32_t slots = search->instance.steps.slots;
    bool fresh;
    for (size_t i = 0; i < next->steps.length; i++)
        assert_int_not_equal(
            word_arrays_intern(&search->states, next->states.items + i * slots, slots, &fresh),
            UINT32_MAX);
}

static enum searched walk(struct search *search)
{
    struct worker *worker = worker_create(search->instance.reduced);
    struct successors next;
    uint32_t state[1024];
    size_t length;
    assert_non_null(worker);
    successors_init(&next, &search->fixture->budget);
    bool goes_on = search->instance.steps.slots <= ARRAY_LENGTH(state) &&
                   worker_initial(worker, &next, &search->fixture->error) == STATUS_OK;
    if (goes_on)
        take(search, &next);
    for (uint32_t i = 0; goes_on && i < search->states.items.length; i++) {
        const uint32_t *words = word_arrays_get(&search->states, i, &length);
        memcpy(state, words, length * sizeof *words);
        goes_on =
            i < MOST_STATES && expand(search, worker, state, &next) == STATUS_OK && !next.exhausted;
        if (goes_on)
            take(search, &next);
    }
    successors_release(&next);
    worker_destroy(worker);
    return goes_on ? SEARCHED_ALL : SEARCHED_PART;
}

/* Takes all steps until none shows a supposition to be wrong that is not in *refuted; *relied:
 * those that were relied on then. */
static enum searched search_all(struct lin_fixture *fixture, struct lin_options options, bool full,
                                _Atomic uint64_t *refuted, uint64_t *relied)
{
    enum searched searched;
    uint64_t before;
    options.refuted = refuted;
    do {
        struct search search = {.fixture = fixture, .full = full};
        before = *refuted;
        search.labels = labels_create(&fixture->budget);
        word_arrays_init(&search.states, &fixture->budget);
        searched = lin_instance_open(&search.instance, &fixture->module,
                                     &fixture->module.assertions.items[0], &options, search.labels,
                                     fixture->pool, &fixture->limits, &fixture->error) == STATUS_OK
                       ? walk(&search)
                       : SEARCHED_WRONG_TEXT;
        *relied = search.instance.model.supposed;
        word_arrays_release(&search.states);
        lin_instance_close(&search.instance);
        labels_destroy(search.labels);
    } while (searched == SEARCHED_PART && *refuted != before);
    return searched;
}

static const struct lin_options options[] = {
    {.decided = true},
    {.local = true},
    {.intervals = true, .local = true, .write_once = true},
    {.intervals = true, .local = true, .write_once = true, .pure = true},
    {.intervals = true, .local = true, .forget = true, .fields = true},
    {.local = true, .write_once = true, .forget = true, .fields = true, .stale = true},
    {.intervals = true,
     .local = true,
     .write_once = true,
     .pure = true,
     .stale = true,
     .decided = true,
     .forget = true,
     .fields = true,
     .symmetry = true},
};

struct tally {
    unsigned compared, refuted;
};

static bool misleads(const char *text, struct text *message, struct tally *tally)
{
    struct lin_fixture fixture;
    _Atomic uint64_t all = 0;
    uint64_t relied;
    bool wrong = false;
    const bool parsed = lin_fixture_open(&fixture, text) && fixture.module.assertions.length == 1;
    const enum searched full =
        parsed ? search_all(&fixture, (struct lin_options){0}, true, &all, &relied)
               : SEARCHED_WRONG_TEXT;
    if (full == SEARCHED_WRONG_TEXT)
        text_format(message, "%u: %s", fixture.error.line, fixture.error.message);
    for (size_t i = 0; full == SEARCHED_ALL && i < ARRAY_LENGTH(options) && !wrong; i++) {
        _Atomic uint64_t some = 0;
        wrong = search_all(&fixture, options[i], false, &some, &relied) == SEARCHED_ALL &&
                (all & relied);
        if (wrong)
            text_format(message, "with options %zu %llx are relied on, %llx are wrong", i,
                        (unsigned long long)relied, (unsigned long long)all);
    }
    if (tally && full == SEARCHED_ALL) {
        tally->compared++;
        tally->refuted += all != 0;
    }
    lin_fixture_close(&fixture);
    return wrong || (full == SEARCHED_WRONG_TEXT && tally);
}

/* ---- answers ---- */

#define STICKY REDUCE_STICKY
static const reductions sets[] = {STICKY,
                                  STICKY | REDUCE_SLICE,
                                  STICKY | REDUCE_INTERVALS,
                                  REDUCE_INTERVALS | REDUCE_PARTIAL_ORDER,
                                  STICKY | REDUCE_PURE | REDUCE_INTERVALS,
                                  STICKY | REDUCE_INTERVALS | REDUCE_PARTIAL_ORDER,
                                  STICKY | REDUCE_SYMMETRY | REDUCE_ANTICHAIN,
                                  STICKY | REDUCE_FIELDS | REDUCE_SLICE,
                                  STICKY | REDUCE_DECIDED | REDUCE_INTERVALS,
                                  STICKY | REDUCE_STALE | REDUCE_INTERVALS | REDUCE_PURE,
                                  REDUCE_DEFAULT & ~(reductions)STICKY,
                                  REDUCE_DEFAULT & ~(reductions)REDUCE_DECIDED,
                                  REDUCE_DEFAULT & ~(reductions)REDUCE_FIELDS,
                                  REDUCE_DEFAULT};

struct answers {
    unsigned held, violated, used, fewer;
};

struct found {
    enum verdict verdict;
    bool used;
    uint64_t states;
};

static struct found decide(struct lin_fixture *fixture, reductions used)
{
    struct limits limits;
    struct assertion_result result;
    limits_init(&limits, &fixture->budget);
    limits.most_work = MOST_WORK;
    const struct assertion_options asked = {.reductions = used, .limits = &limits};
    struct found found = {.verdict = lin_verdict_of(fixture, 0, &asked, &result)};
    found.states = result.states;
    found.used = result.reductions & REDUCE_STICKY;
    assertion_result_release(&result);
    return found;
}

static bool is_answer(enum verdict verdict)
{
    return verdict == VERDICT_HOLDS || verdict == VERDICT_VIOLATED || verdict == VERDICT_INTERNAL;
}

static bool differs(const char *text, struct text *message, struct answers *answers)
{
    struct lin_fixture fixture;
    bool differ = false;
    const bool parsed = lin_fixture_open(&fixture, text) && fixture.module.assertions.length == 1;
    const struct found full =
        parsed ? decide(&fixture, REDUCE_NONE) : (struct found){.verdict = VERDICT_WRONG_TEXT};
    if (full.verdict == VERDICT_WRONG_TEXT)
        text_format(message, "%u: %s", fixture.error.line, fixture.error.message);
    for (size_t i = 0; is_answer(full.verdict) && i < ARRAY_LENGTH(sets) && !differ; i++) {
        const struct found reduced = decide(&fixture, sets[i]);
        differ = is_answer(reduced.verdict) && reduced.verdict != full.verdict;
        if (differ)
            text_format(message, "the full product %s, with reductions %x it %s: %s",
                        verdict_names[full.verdict], sets[i], verdict_names[reduced.verdict],
                        fixture.error.message);
        if (answers && i == 0 && full.verdict == VERDICT_HOLDS) {
            answers->used += reduced.used;
            answers->fewer += reduced.used && reduced.states < full.states;
        }
    }
    if (answers) {
        answers->held += full.verdict == VERDICT_HOLDS;
        answers->violated += full.verdict == VERDICT_VIOLATED;
    }
    lin_fixture_close(&fixture);
    return differ || (full.verdict == VERDICT_WRONG_TEXT && answers);
}

/* ---- known answers ---- */

/* One thread sees what the other one has changed meanwhile. */
#define BEFORE                                                                                     \
    "spec one { op get() { return 1; } op put() { return 1; } } impl it { struct node { "          \
    "int(0..3) "                                                                                   \
    "v; int(0..3) w; node next; } shared node top; shared int(0..1) z; shared int(0..3) "          \
    "c[threads]; init { top = new node; top.next = new node; } op get() only thread 0 { node x = " \
    "top; int i; int j; int k; "
#define OTHER  " } op put() only thread 1 { node y = top; int k; "
#define BEHIND " return 1; } } assert it linearizes one with threads = 2, ops = 1;"
/* The one thread looks at `top` before something is done, and says so behind it. */
#define AFTER_IT                                                                                   \
    "node n = new node; bool b; i = z; if (i == 1) return 1; i = z; if (i == 0) return 1; "        \
    "c[thread] = 1; "
#define IT_IS_NEW "node m = new node; atomic { top = m; z = 1; } k = c[0]; if (k == 0) return 1; "

static const char *const changed[] = {
    /* an item is written again, by its own thread or by another one */
    "i = c[1]; if (i == 1) return 0; return 1;" OTHER "c[thread] = 1; c[thread] = 2;",
    "i = c[1]; if (i == 1) return 0; return 1;" OTHER "c[thread] = 1; cas(c[thread], 1, 2);",
    "i = c[thread]; j = c[thread]; if (i != j) return 0; return 1;" OTHER "c[0] = 1;",
    "i = c[thread]; j = c[thread]; if (i != j) return 0; return 1;" OTHER "k = 0; c[k] = 1;",
    "i = c[1]; j = c[1]; if (i == 1 && j == 2) return 0; return 1;" OTHER "c[thread] = 1; k = z; "
    "c[thread] = 2;",
    /* a field changes once more, or once another one says that it does not */
    "i = x.v; j = x.v; if (i == 1 && j == 2) return 0; return 1;" OTHER "y.v = 1; y.v = 2;",
    "i = x.v; j = x.v; if (i == 1 && j == 2) return 0; return 1;" OTHER "y.v = 1; cas(y.v, 1, 2);",
    "i = x.v; j = x.v; if (i == 1 && j == 0) return 0; return 1;" OTHER "y.v = 1; y.v = 0;",
    "k = x.w; i = x.v; j = x.v; if (k == 1 && i != j) return 0; return 1;" OTHER
    "y.v = 1; y.w = 1; y.v = 2; y.w = 1;",
    "k = x.w; i = x.v; j = x.v; if (k == 1 && i != j) return 0; return 1;" OTHER
    "y.v = 1; y.w = 1; y.w = 0; y.v = 2; y.w = 1;",
    /* what is not set yet is no matter of one thread */
    "i = x.v; j = x.v; if (i == 0 && j == 1) return 0; return 1;" OTHER "y.v = 1;",
    "x.v = 1; return 1;" OTHER "k = y.v; int m = y.v; if (k == 0 && m == 1) return 0;",
    "node n = new node; if (cas(x.next, null, n)) return 1; node m = x.next; if (m == null) "
    "return 0; return 1;" OTHER "y.next = null;",
    "bool b = cas(x.v, 0, 1); if (!b) return 0; return 1;" OTHER "bool b = cas(y.v, 0, 2); if (!b) "
    "return 1;",
    /* a variable comes back to a node from which it was moved along, for that is linked once more
     */
    AFTER_IT "b = x == top; if (b) return 0; return 1;" OTHER "node m = y.next; "
             "atomic { cas(top, y, m); z = 1; } k = c[0]; if (k == 0) return 1; cas(m.next, null, "
             "y); node q = top; m = "
             "q.next; cas(top, "
             "q, m);",
    "if (x == null) return 1; x = x.next; " AFTER_IT
    "b = x == top; if (b) return 0; return 1;" OTHER
    "node m = y.next; node n = new node; atomic { cas(top, y, null); z = 1; } k = c[0]; if (k == "
    "0) return 1; cas(top, null, n); node q = top; cas(q.next, null, m); m = q.next; cas(top, q, "
    "m);",
    /* or it is null again, or a node that others know, behind one that was new */
    AFTER_IT "node u; b = cas(top, u, n); if (b) return 0; return 1;" OTHER IT_IS_NEW "top = null;",
    AFTER_IT "b = cas(top, x, n); if (b) return 0; return 1;" OTHER IT_IS_NEW "top = y;",
    AFTER_IT "b = cas(top, x, n); if (b) return 0; return 1;" OTHER IT_IS_NEW "cas(top, m, y);",
    AFTER_IT "b = cas(top, x, n); if (b) return 0; return 1;" OTHER IT_IS_NEW "swap(top, y);",
    AFTER_IT "b = cas(top, x, n); if (b) return 0; return 1;" OTHER IT_IS_NEW "if (z == 1) m = y; "
             "top = m;",
};

static void known_violations_are_found(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(changed); i++) {
        struct lin_fixture fixture;
        struct text text = TEXT_EMPTY;
        text_format(&text, "%s%s%s", BEFORE, changed[i], BEHIND);
        if (!lin_fixture_open(&fixture, text_string(&text)))
            fail_msg("%s\n%s", fixture.error.message, text_string(&text));
        for (size_t j = 0; j <= ARRAY_LENGTH(sets); j++) {
            const reductions used = j ? sets[j - 1] : REDUCE_NONE;
            const enum verdict verdict = lin_verdict(&fixture, 0, used, MOST_WORK);
            if (verdict != VERDICT_VIOLATED)
                fail_msg("expected a violation, with reductions %x it %s\n%s", used,
                         verdict_names[verdict], changed[i]);
        }
        lin_fixture_close(&fixture);
        text_release(&text);
    }
}

/* ---- random programs ---- */

static bool is_wrong(const char *text, struct text *message)
{
    return misleads(text, message, NULL) || differs(text, message, NULL);
}

static bool still_wrong(void *context, const char *text)
{
    struct text message = TEXT_EMPTY;
    (void)context;
    const bool wrong = is_wrong(text, &message);
    text_release(&message);
    return wrong;
}

static void what_is_relied_on_is_so(void **unused)
{
    struct tally tally = {0};
    struct answers answers = {0};
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct text text = TEXT_EMPTY, message = TEXT_EMPTY;
        print_random(seed, &text);
        if (misleads(text_string(&text), &message, &tally) ||
            differs(text_string(&text), &message, &answers)) {
            grammar_shrink(&text, still_wrong, NULL);
            (void)is_wrong(text_string(&text), &message);
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, text_string(&message),
                     text_string(&text));
        }
        text_release(&message);
        text_release(&text);
    }
    print_message("%u searched, in %u something is wrong; %u hold, of them %u with sticky fields, "
                  "%u with fewer states; %u are violated\n",
                  tally.compared, tally.refuted, answers.held, answers.used, answers.fewer,
                  answers.violated);
    assert_true(tally.compared > seeds.count / 4);
    assert_true(tally.refuted > seeds.count / 40);
    assert_true(answers.held > seeds.count / 10);
    assert_true(answers.violated > seeds.count / 10);
    assert_true(answers.fewer > seeds.count / 20);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_violations_are_found),
        cmocka_unit_test(what_is_relied_on_is_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
