/* Where locals share words a model has the same states, but for where these words are, with the
 * same steps, which are shown in the same way: looked at in the states of random implementations
 * with functions, blocks, loops, records and arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "base/attributes.h"
#include "base/random.h"
#include "base/text.h"
#include "implementation/print.h"
#include "support/lin_fixture.h"
#include "support/lin_random.h"
#include "support/lin_random_pure.h"
#include "support/lin_random_stale.h"
#include "support/lin_walk.h"
#include "support/seeds.h"

#define MOST_STATES 400 /* of a model; the rest is not looked at */

static struct seeds seeds = {.first = 1, .count = 60};

/* ---- random implementations ---- */

enum kind {
    KIND_INT,
    KIND_NODE,
    KIND_VALUE,
    KIND_PAIR,
    KIND_COUNT,
};

struct writing {
    struct random random;
    struct text *text;
    unsigned names;        /* variables so far */
    unsigned known[32][2]; /* name and kind of those in scope */
    unsigned count;
};

static unsigned draw(struct writing *writing, unsigned below)
{
    return (unsigned)random_below(&writing->random, below);
}

/* The name of a variable in scope of that kind; -1: there is none. */
static int find(struct writing *writing, enum kind kind)
{
    int found = -1;
    for (unsigned i = 0, from = draw(writing, writing->count + 1); i < writing->count; i++) {
        const unsigned at = (from + i) % writing->count;
        if (writing->known[at][1] == kind)
            found = (int)writing->known[at][0];
    }
    return found;
}

/* A local, or a constant; false: there is none. */
static bool write_local(struct writing *writing, enum kind kind)
{
    static const char *const constants[KIND_COUNT] = {"1", "null", "null", NULL};
    const int local = draw(writing, 4) || !constants[kind] ? find(writing, kind) : -1;
    if (local >= 0)
        text_format(writing->text, "x%d", local);
    else if (constants[kind])
        text_append(writing->text, constants[kind]);
    return local >= 0 || constants[kind];
}

/* The same, or what is shared. */
static void write_word(struct writing *writing, enum kind kind)
{
    static const char *const shared[KIND_COUNT] = {"s", "h", "w", "p"},
                             *const fields[KIND_COUNT] = {NULL, "next", "item", NULL};
    const int node = find(writing, KIND_NODE);
    if (fields[kind] && node >= 0 && draw(writing, 4) == 0)
        text_format(writing->text, "x%d.%s", node, fields[kind]);
    else if (draw(writing, 2) || !write_local(writing, kind))
        text_append(writing->text, shared[kind]);
}

static void add(struct writing *writing, unsigned name, enum kind kind)
{
    writing->known[writing->count][0] = name;
    writing->known[writing->count++][1] = kind;
}

static void declare(struct writing *writing)
{
    static const char *const types[KIND_COUNT] = {"int(0..2)", "node", "value", "pair"};
    const enum kind kind = (enum kind)draw(writing, KIND_COUNT);
    const unsigned name = writing->names++;
    text_format(writing->text, "%s x%u", types[kind], name);
    if (draw(writing, 4)) {
        text_append(writing->text, " = ");
        write_word(writing, kind);
    }
    text_append(writing->text, "; ");
    add(writing, name, kind);
}

static void store(struct writing *writing)
{
    static const char *const shared[KIND_COUNT] = {"s", "h", "w", "p"};
    const enum kind kind = (enum kind)draw(writing, KIND_COUNT);
    const int local = find(writing, kind);
    if (local >= 0 && draw(writing, 2)) {
        text_format(writing->text, "x%d = ", local);
        write_word(writing, kind);
    } else if (local >= 0) {
        text_format(writing->text, "%s = x%d", shared[kind], local);
    } else {
        text_append(writing->text, "s = 2");
    }
    text_append(writing->text, "; ");
}

static void write_block(struct writing *writing, unsigned depth, unsigned functions)
{
    const unsigned scope = writing->count;
    for (unsigned i = 1 + draw(writing, 4); i-- > 0;) {
        const unsigned what = draw(writing, 10);
        if (what < 4 && writing->count < 30) {
            declare(writing);
        } else if (what == 4 && depth > 0) {
            text_append(writing->text, "if (");
            write_word(writing, KIND_INT);
            text_append(writing->text, " == 1) { ");
            write_block(writing, depth - 1, functions);
            text_append(writing->text, "} else { ");
            write_block(writing, depth - 1, functions);
            text_append(writing->text, "} ");
        } else if (what == 5 && depth > 0) {
            text_append(writing->text, "while (s == 2) { ");
            write_block(writing, depth - 1, functions);
            text_append(writing->text, "} ");
        } else if (what == 6 && functions > 0 && writing->count < 30) {
            const unsigned name = writing->names++;
            text_format(writing->text, "int(0..2) x%u = f%u(", name, draw(writing, functions));
            (void)write_local(writing, KIND_INT);
            text_append(writing->text, ", ");
            (void)write_local(writing, KIND_NODE);
            text_append(writing->text, "); ");
            add(writing, name, KIND_INT);
        } else if (what == 7) {
            const unsigned name = writing->names++;
            text_format(writing->text, "int(0..2) x%u[2]; x%u[", name, name);
            (void)write_local(writing, KIND_INT);
            text_append(writing->text, " % 2] = ");
            (void)write_local(writing, KIND_INT);
            text_format(writing->text, "; s = x%u[1]; ", name);
        } else {
            store(writing);
        }
    }
    writing->count = scope;
}

static void write_functions(struct writing *writing, unsigned functions)
{
    for (unsigned i = 0; i < functions; i++) {
        const unsigned name = writing->names;
        text_format(writing->text, "int(0..2) f%u(int(0..2) x%u, node x%u) { ", i, name, name + 1);
        writing->names += 2;
        writing->count = 0;
        add(writing, name, KIND_INT);
        add(writing, name + 1, KIND_NODE);
        write_block(writing, 1, i);
        text_append(writing->text, "return ");
        (void)write_local(writing, KIND_INT);
        text_append(writing->text, "; } ");
    }
}

static void print_with_functions(uint64_t seed, struct text *text)
{
    struct writing writing = {.text = text};
    random_seed(&writing.random, seed);
    const unsigned functions = 1 + draw(&writing, 3);
    text_append(text,
                "spec any { op w() { return 1; } op r(value v) { return 1; } } impl it { "
                "struct node { value item; node next; } record pair { int(0..2) a; node at; } "
                "shared int(0..2) s; shared node h; shared value w; shared pair p; "
                "init { h = new node; h.next = h; } ");
    write_functions(&writing, functions);
    for (unsigned i = 0; i < 2; i++) {
        text_append(text, i ? "op r(value v) { " : "op w() { ");
        writing.count = 0;
        write_block(&writing, 2, functions);
        write_block(&writing, 1, functions);
        text_append(text, "return 1; } ");
    }
    text_append(text, "} assert it linearizes any with threads = 2, ops = 1, values = 1;");
}

static void print_random(uint64_t seed, struct text *text)
{
    if (seed % 4)
        print_with_functions(seed, text);
    else if (seed % 8)
        lin_random_print_points(seed, text);
    else if (seed % 16)
        lin_random_print_stale(seed, text);
    else
        lin_random_print_pure(seed, text);
}

/* ---- two models of one text ---- */

struct comparison {
    struct lin_walk walk;   /* the model whose locals have words of their own, */
    struct lin_model apart; /* with what is dead forgotten */
    struct lin_instance shared;
    struct successors of_apart, of_shared;
    struct word_arrays apart_states, shared_states; /* those with one number belong together */
};

static bool is_added(struct comparison *comparison, size_t number)
{
    const uint32_t slots = comparison->apart.model.slots,
                   other_slots = comparison->shared.model.model.slots;
    bool fresh, other_fresh;
    const uint32_t one =
        word_arrays_intern(&comparison->apart_states,
                           comparison->of_apart.states.items + number * slots, slots, &fresh);
    const uint32_t other = word_arrays_intern(
        &comparison->shared_states, comparison->of_shared.states.items + number * other_slots,
        other_slots, &other_fresh);
    return one == other && fresh == other_fresh;
}

static bool is_shown_alike(struct comparison *comparison, size_t number, const uint32_t *one,
                           const uint32_t *other)
{
    struct text text = TEXT_EMPTY, other_text = TEXT_EMPTY;
    lin_print(comparison->walk.steps,
              comparison->of_apart.states.items + number * comparison->apart.model.slots, one,
              &text);
    lin_print(&comparison->shared.steps,
              comparison->of_shared.states.items + number * comparison->shared.model.model.slots,
              other, &other_text);
    const bool alike = strcmp(text_string(&text), text_string(&other_text)) == 0;
    text_release(&text);
    text_release(&other_text);
    return alike;
}

/* How the steps of two states differ; null: they do not. */
static const char *compare_steps(struct comparison *comparison, const uint32_t *one,
                                 const uint32_t *other)
{
    const struct successors *apart = &comparison->of_apart, *shared = &comparison->of_shared;
    if (apart->steps.length != shared->steps.length || apart->waiting != shared->waiting ||
        apart->starving != shared->starving || strcmp(apart->fault, shared->fault) != 0)
        return "has other steps";
    for (size_t i = 0; i < apart->steps.length; i++) {
        const struct step *a = &apart->steps.items[i], *b = &shared->steps.items[i];
        if (a->label != b->label || a->shown != b->shown || a->process != b->process)
            return "has steps with other labels";
        if (!is_added(comparison, i))
            return "leads elsewhere";
        if (one && !is_shown_alike(comparison, i, one, other))
            return "has steps that are shown otherwise";
    }
    return NULL;
}

static const uint32_t *copy_of(const struct word_arrays *states, uint32_t number)
{
    size_t slots;
    const uint32_t *stored = word_arrays_get(states, number, &slots);
    uint32_t *copy = test_malloc(slots * sizeof *copy);
    memcpy(copy, stored, slots * sizeof *copy);
    return copy;
}

static const char *walk(struct comparison *comparison)
{
    struct worker *apart = worker_create(&comparison->apart.model),
                  *shared = worker_create(&comparison->shared.model.model);
    struct error error;
    const char *difference = NULL;
    assert_true(apart && shared);
    enum status status = worker_initial(apart, &comparison->of_apart, &error);
    if (status != worker_initial(shared, &comparison->of_shared, &error))
        difference = "begins otherwise";
    else if (status == STATUS_OK)
        difference = compare_steps(comparison, NULL, NULL);
    for (uint32_t i = 0;
         i < comparison->apart_states.items.length && i < MOST_STATES && !difference; i++) {
        const uint32_t *one = copy_of(&comparison->apart_states, i),
                       *other = copy_of(&comparison->shared_states, i);
        successors_clear(&comparison->of_apart);
        successors_clear(&comparison->of_shared);
        status = worker_successors(apart, one, &comparison->of_apart, &error);
        difference = status != worker_successors(shared, other, &comparison->of_shared, &error)
                         ? "ends otherwise"
                         : compare_steps(comparison, one, other);
        test_free((void *)one);
        test_free((void *)other);
    }
    worker_destroy(apart);
    worker_destroy(shared);
    return difference;
}

/* How they differ; null: they do not. *fewer: locals share words. */
static const char *compare(const char *text, bool *fewer)
{
    static const struct lin_options options = {.forget = true};
    struct comparison comparison = {0};
    struct lin_walk *of = &comparison.walk;
    const char *difference = "is wrong";
    *fewer = false;
    if (lin_walk_open(of, text)) {
        struct budget *budget = &of->fixture.budget;
        assert_int_equal(lin_model_create(of->steps, &options, of->labels, budget,
                                          &comparison.apart, &of->fixture.error),
                         STATUS_OK);
        assert_int_equal(lin_instance_open(&comparison.shared, &of->fixture.module,
                                           &of->fixture.module.assertions.items[0], &options,
                                           of->labels, of->fixture.pool, &of->fixture.limits,
                                           &of->fixture.error),
                         STATUS_OK);
        *fewer = comparison.shared.steps.locals < of->steps->locals;
        word_arrays_init(&comparison.apart_states, budget);
        word_arrays_init(&comparison.shared_states, budget);
        successors_init(&comparison.of_apart, budget);
        successors_init(&comparison.of_shared, budget);
        difference = walk(&comparison);
        successors_release(&comparison.of_apart);
        successors_release(&comparison.of_shared);
        word_arrays_release(&comparison.apart_states);
        word_arrays_release(&comparison.shared_states);
        lin_instance_close(&comparison.shared);
        lin_model_release(&comparison.apart);
    } else {
        print_message("%u: %s\n", of->fixture.error.line, of->fixture.error.message);
    }
    lin_walk_close(of);
    return difference;
}

static void models_are_the_same(void **unused)
{
    unsigned sharing = 0;
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct text text = TEXT_EMPTY;
        bool fewer;
        print_random(seed, &text);
        const char *difference = compare(text_string(&text), &fewer);
        if (difference)
            fail_msg("seed %llu: one %s\n%s", (unsigned long long)seed, difference,
                     text_string(&text));
        sharing += fewer;
        text_release(&text);
    }
    print_message("%u whose locals share words\n", sharing);
    assert_true(sharing > seeds.count / 2);
}

/* A local that nobody reads is stored while others are needed; an array is read by its address,
 * which is there before another array is stored. */
static void words_are_kept(void **unused)
{
    static const char text[] =
        "spec any { op w() { return 1; } } impl it { shared int(0..3) s; "
        "int(0..3) f(int(0..3) a) { int(0..3) b = a; s = b; return b; } "
        "int(0..3) g(int(0..3) a) { int(0..3) b[2]; b[a % 2] = 3; b[0] = a; return b[0]; } "
        "op w() { int(0..3) x = s; int(0..3) unused = f(3); int(0..3) y = f(x); "
        "int(0..3) items[2]; items[g(y) % 2] = g(x); s = items[g(0)]; s = x; return 1; } } "
        "assert it linearizes any with threads = 2, ops = 2;";
    bool fewer;
    (void)unused;
    assert_null(compare(text, &fewer));
    assert_true(fewer);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_the_same),
        cmocka_unit_test(words_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
