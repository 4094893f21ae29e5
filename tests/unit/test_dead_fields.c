/* A state and what is left of it when the fields that nobody will read are forgotten take the same
 * steps, to states of which the same is left: looked at in every state of the full product of
 * random implementations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "base/attributes.h"
#include "implementation/canonical.h"
#include "implementation/stale.h"
#include "implementation/symmetry.h"
#include "support/grammar.h"
#include "support/lin_random.h"
#include "support/lin_random_pure.h"
#include "support/lin_random_stale.h"
#include "support/lin_random_write_once.h"
#include "support/lin_walk.h"
#include "support/seeds.h"

#define MOST_STATES 1500 /* of a model; the rest is not looked at */

static struct seeds seeds = {.first = 1, .count = 150};

static void print_random(uint64_t seed, struct text *text)
{
    static void (*const print[])(uint64_t seed, struct text * text) = {
        lin_random_print_write_once, lin_random_print_stale, lin_random_print_away,
        lin_random_print_write_once, lin_random_print_pure,  lin_random_print_points};
    print[seed % ARRAY_LENGTH(print)](seed, text);
}

struct comparison {
    struct lin_walk walk;
    struct lin_model forgetting;
    struct worker *whole, *left;
    struct successors of_whole, of_left;
    uint32_t *state; /* what is left of one */
    unsigned found;  /* states of which something is forgotten */
};

static void forget(struct comparison *comparison, const uint32_t *state, uint32_t *left)
{
    memcpy(left, state, comparison->walk.steps->slots * sizeof *left);
    assert_true(lin_model_turn((struct lin_worker *)comparison->left, left, RENUMBERING_NONE));
}

/* How the steps of a state and of what is left of it differ; null: they do not. */
static const char *compare_steps(struct comparison *comparison, enum status one, enum status other)
{
    const struct successors *whole = &comparison->of_whole, *left = &comparison->of_left;
    const uint32_t slots = comparison->walk.steps->slots;
    if (whole->exhausted) /* it has more nodes than what is left of it */
        return NULL;
    if (one != other || whole->waiting != left->waiting || whole->starving != left->starving ||
        strcmp(whole->fault, left->fault) != 0)
        return "ends or waits otherwise";
    if (whole->steps.length != left->steps.length)
        return "has other steps";
    for (size_t i = 0; i < whole->steps.length; i++) {
        const struct step *a = &whole->steps.items[i], *b = &left->steps.items[i];
        if (a->label != b->label || a->shown != b->shown || a->process != b->process)
            return "has steps with other labels";
        forget(comparison, whole->states.items + i * slots, comparison->state);
        if (memcmp(comparison->state, left->states.items + i * slots,
                   slots * sizeof *comparison->state) != 0)
            return "leads elsewhere";
    }
    return NULL;
}

static const char *compare_state(struct comparison *comparison, uint32_t number)
{
    struct lin_walk *walk = &comparison->walk;
    const uint32_t *state = lin_walk_state(walk, number);
    struct error error, other_error;
    uint32_t *left = test_malloc(walk->steps->slots * sizeof *left);
    successors_clear(&comparison->of_whole);
    successors_clear(&comparison->of_left);
    forget(comparison, state, left);
    memcpy(comparison->state, state, walk->steps->slots * sizeof *left);
    assert_true(lin_number_nodes((struct lin_worker *)comparison->whole, comparison->state));
    comparison->found += memcmp(comparison->state, left, walk->steps->slots * sizeof *left) != 0;
    const enum status one =
        worker_successors(comparison->whole, state, &comparison->of_whole, &error);
    const enum status other =
        worker_successors(comparison->left, left, &comparison->of_left, &other_error);
    const char *difference = compare_steps(comparison, one, other);
    for (uint32_t i = 0; walk->steps->decided_from && i < walk->steps->setting.threads; i++)
        if (!difference &&
            lin_is_decided(walk->steps, state, i) != lin_is_decided(walk->steps, left, i))
            difference = "has a decided step, or has not";
    if (!difference && walk->steps->stale_from &&
        lin_is_stale(&comparison->forgetting, state) != lin_is_stale(&comparison->forgetting, left))
        difference = "holds what is stale, or does not";
    test_free(left);
    return difference;
}

static const char *compare_all(struct comparison *comparison)
{
    struct lin_walk *walk = &comparison->walk;
    const struct lin_options options = {.fields = true};
    struct budget *budget = &walk->fixture.budget;
    const char *difference = NULL;
    const enum status status = lin_model_create(walk->steps, &options, walk->labels, budget,
                                                &comparison->forgetting, &walk->fixture.error);
    comparison->whole = worker_create(&walk->instance.model.model);
    comparison->left = worker_create(&comparison->forgetting.model);
    comparison->state = test_malloc(walk->steps->slots * sizeof *comparison->state);
    successors_init(&comparison->of_whole, budget);
    successors_init(&comparison->of_left, budget);
    assert_true(status == STATUS_OK && comparison->whole && comparison->left);
    for (uint32_t i = 0; i < walk->states.items.length && i < MOST_STATES && !difference; i++)
        difference = compare_state(comparison, i);
    successors_release(&comparison->of_whole);
    successors_release(&comparison->of_left);
    test_free(comparison->state);
    worker_destroy(comparison->whole);
    worker_destroy(comparison->left);
    lin_model_release(&comparison->forgetting);
    return difference;
}

/* True and a message if something differs; *found: of how many states something is forgotten. While
 * the text is made smaller, `found` is null and it may be wrong. */
static bool differs(const char *text, struct text *message, unsigned *found)
{
    struct comparison comparison = {0};
    struct lin_walk *walk = &comparison.walk;
    const char *difference = NULL;
    const bool opened = lin_walk_open(walk, text);
    if (!opened)
        text_format(message, "%u: %s", walk->fixture.error.line, walk->fixture.error.message);
    if (opened && walk->steps->shared_reads) {
        lin_walk_run(walk, MOST_STATES);
        difference = compare_all(&comparison);
    }
    if (found)
        *found = comparison.found;
    if (difference)
        text_format(message, "what is left of a state %s", difference);
    lin_walk_close(walk);
    return difference || (!opened && found);
}

static bool still_differs(void *context, const char *text)
{
    struct text message = TEXT_EMPTY;
    (void)context;
    const bool found = differs(text, &message, NULL);
    text_release(&message);
    return found;
}

static void what_is_left_takes_the_same_steps(void **unused)
{
    unsigned programs = 0;
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct text text = TEXT_EMPTY, message = TEXT_EMPTY;
        unsigned found = 0;
        print_random(seed, &text);
        if (differs(text_string(&text), &message, &found)) {
            grammar_shrink(&text, still_differs, NULL);
            text_clear(&message);
            (void)differs(text_string(&text), &message, &found);
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, text_string(&message),
                     text_string(&text));
        }
        programs += found > 0;
        text_release(&message);
        text_release(&text);
    }
    print_message("%u with states of which something is forgotten\n", programs);
    assert_true(programs > seeds.count / 4);
}

/* Of each something is forgotten, but not what the second operation reads. */
#define KNOWN(writes, reads)                                                                       \
    "spec any { op w() { return 1; } op r() { return 1; } } impl it { record pair { int(0..1) a; " \
    "int(0..1) z; } record lead { int(0..1) m; box to; } struct box { int(0..3) v; int(0..1) "     \
    "other; pair p; int(0..3) vs[2]; bool l; box on; } shared box b; shared box c; shared lead "   \
    "two; shared int s; init { b = new box; c = new box; c.on = b; } op w() { box x = b; x.v = "   \
    "3; "                                                                                          \
    "x.p.z = 1; x.vs[1] = 3; x.other = 1; " writes " return 1; } op r() { box y = c; " reads       \
    " return 1; } } assert it linearizes any with threads = 2, ops = 2;"

static const char *const known[] = {
    /* part of a field is written before the whole is read */
    KNOWN("", "box x = y.on; x.p.a = 1; pair q = x.p; s = q.z;"),
    KNOWN("", "box x = y.on; x.vs[0] = 2; int u = x.vs[1]; s = u;"),
    /* it is written through another reference than the one that it is read by */
    KNOWN("", "box x = y.on; box n = new box; x = n; x.v = 2; box o = y.on; int u = o.v; s = u;"),
    KNOWN("", "box x = y.on; if (s == 0) x.v = 2; int u = x.v; s = u;"),
    /* more is read of a node by way of what was found later */
    KNOWN("box e = c; x.on = e;",
          "box x = y.on; box d = x.on; if (d != null) { int u = d.v; s = u; }"),
    /* what is read otherwise than by a load of the field, or of a variable */
    KNOWN("", "box n = new box; box x = swap(b, n); int u = x.v; s = u;"),
    KNOWN("", "box x = y.on; int u = fetch_add(x.v, 0); s = u;"),
    KNOWN("", "box x = y.on; int u = swap(x.v, 1); s = u;"),
    KNOWN("", "box x = y.on; if (cas(x.v, 3, 0)) s = 1;"),
    KNOWN("box e = c; e.on = null; b = null;", "box x = y.on; if (x != null) { box row[2]; row[1] "
                                               "= x; s = 0; box z = row[1]; int u = z.v; s = u; }"),
    KNOWN("box e = c; e.on = null; b = null;", "box x = y.on; if (x != null) { lead l = lead(1, "
                                               "x); s = 0; box z = l.to; int u = z.v; s = u; }"),
    KNOWN("x.l = true;", "box x = y.on; lock(x.l); s = 1;"),
    KNOWN("",
          "box x = y.on; box two[2]; two[1] = x; two[0] = y; box z = two[1]; int u = z.v; s = u;"),
    KNOWN("", "box x = y.on; lead at = lead(1, x); two = at; lead to = two; box z = to.to; int u = "
              "z.v; s = u;"),
};

static void known_fields_are_kept(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(known); i++) {
        struct text message = TEXT_EMPTY;
        unsigned found = 0;
        if (differs(known[i], &message, &found) || found == 0)
            fail_msg("%s, %u found\n%s", text_string(&message), found, known[i]);
        text_release(&message);
    }
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_takes_the_same_steps),
        cmocka_unit_test(known_fields_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
