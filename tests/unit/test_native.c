/* Compiled steps against the interpreter: on random implementations every state has the same
 * successors, bit by bit and in the same order, with the same labels, waits, faults and errors, one
 * by one and, where that is possible, all at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interning.h"
#include "base/log.h"
#include "implementation/native.h"
#include "space/state_layout.h"
#include "support/lin_fixture.h"
#include "support/lin_random.h"
#include "support/lin_random_pure.h"
#include "support/lin_random_stale.h"
#include "support/lin_random_sticky.h"
#include "support/lin_random_write_once.h"
#include "support/seeds.h"
#include "verify/lin_instance_open.h"

#define MOST_STATES 1500 /* of one model that are compared */

static struct seeds seeds = {1, 6};

struct tally {
    unsigned models, wrong, uncompiled;
    size_t states, steps;
    size_t expanded; /* states whose steps were all taken at once */
};

static struct tally tally;

static const struct lin_options option_sets[] = {
    {0},
    {.intervals = true,
     .local = true,
     .write_once = true,
     .symmetry = true,
     .values = true,
     .pure = true,
     .stale = true,
     .decided = true,
     .forget = true,
     .fields = true},
    {.local = true, .stale = true, .fields = true, .decided = true},
    {.local = true, .pure = true, .forget = true},
    {.intervals = true, .write_once = true, .values = true, .pure = true},
    {.symmetry = true, .forget = true, .shows_errors = true},
    {.intervals = true, .local = true, .symmetry = true, .ignores_faults = true},
};

/* ---- one state ---- */

static void expect_same_steps(const struct successors *one, const struct successors *other,
                              uint32_t slots)
{
    assert_int_equal(one->steps.length, other->steps.length);
    for (size_t i = 0; i < one->steps.length; i++) {
        const struct step *a = &one->steps.items[i], *b = &other->steps.items[i];
        assert_int_equal(a->label, b->label);
        assert_int_equal(a->shown, b->shown);
        assert_int_equal(a->process, b->process);
    }
    assert_memory_equal(one->states.items, other->states.items,
                        one->steps.length * slots * sizeof *one->states.items);
    assert_int_equal(one->waiting, other->waiting);
    assert_int_equal(one->starving, other->starving);
    assert_int_equal(one->exhausted, other->exhausted);
    assert_int_equal(one->waits.length, other->waits.length);
    assert_string_equal(one->fault, other->fault);
}

/* ---- all steps of a state at once ---- */

/* A layout for a state, and maybe for the states of steps, or some of them. */
static struct state_layout *draw_layout(const uint32_t *state, const struct successors *steps,
                                        size_t count, uint32_t slots, struct budget *budget)
{
    struct state_layout *layout = state_layout_create(budget, state, slots, slots);
    for (size_t i = 0; i < count; i++) {
        struct state_layout *wider =
            state_layout_widen(layout, steps->states.items + i * slots, &slot_widths_needed);
        state_layout_destroy(layout);
        layout = wider;
    }
    return layout;
}

static const struct packing *packing_of(const struct state_layout *layout)
{
    return layout->groups ? state_groups_packing(layout->groups) : NULL;
}

/* Those of the state that is so many in a row. */
static void expect_same_words(const struct packed_steps *found, uint32_t which,
                              const struct state_layout *layout, const struct successors *steps)
{
    uint64_t words[256];
    const size_t first = which ? found->ends.items[which - 1] : 0;
    assert_int_equal(found->ends.items[which] - first, steps->steps.length);
    assert_int_equal(found->exhausted, steps->exhausted);
    for (size_t i = 0; i < steps->steps.length; i++) {
        const uint32_t *state = steps->states.items + i * layout->slots;
        assert_int_equal(found->labels.items[first + i], steps->steps.items[i].label);
        assert_true(state_layout_pack(layout, state, words));
        assert_memory_equal(found->words.items + (first + i) * layout->words, words,
                            layout->words * sizeof *words);
        if (!found->unhashed)
            assert_int_equal(found->hashes.items[first + i],
                             state_groups_hash(state, layout->slots));
    }
}

#define IN_A_ROW 3

/* The state, several times in a row, and those that follow are packed in different layouts, of
 * which the latter has now and then no room for all of them. */
static void expect_same_at_once(struct worker *compiled, const uint32_t *state,
                                const struct successors *steps, struct budget *budget)
{
    const uint32_t slots = compiled->model->slots;
    const size_t count = steps->steps.length, some = tally.states % 5 ? count : count / 2;
    struct state_layout *from = draw_layout(state, steps, tally.states % 3, slots, budget);
    struct state_layout *to = draw_layout(state, steps, some, slots, budget);
    uint64_t words[IN_A_ROW * 256];
    struct packed_steps found = {.from = packing_of(from),
                                 .to = packing_of(to),
                                 .states = words,
                                 .count = tally.states % IN_A_ROW + 1,
                                 .unhashed = tally.states % 2,
                                 .condition = UINT32_MAX};
    vectors_init(budget, &found.ends, &found.labels, &found.hashes, &found.words);
    assert_true(slots < 256);
    for (uint32_t i = 0; i < found.count; i++)
        assert_true(state_layout_pack(from, state, words + (size_t)i * from->words));
    if (found.from && found.to)
        assert_int_equal(compiled->model->class->expand(compiled, &found), STATUS_OK);
    assert_true(found.done == 0 || found.done == found.count);
    for (uint32_t i = 0; i < found.done; i++)
        expect_same_words(&found, i, to, steps);
    tally.expanded += found.done > 0;
    vectors_release(&found.ends, &found.labels, &found.hashes, &found.words);
    state_layout_destroy(from);
    state_layout_destroy(to);
}

/* ---- one model ---- */

struct compared {
    const struct model *plain, *compiled;
    struct word_arrays states;
    struct successors one, other;
};

static void add_states(struct compared *compared, const struct successors *from)
{
    const uint32_t slots = compared->plain->slots;
    bool fresh;
    for (size_t i = 0; i < from->steps.length; i++)
        assert_true(word_arrays_intern(&compared->states, from->states.items + i * slots, slots,
                                       &fresh) != UINT32_MAX);
}

static void walk(struct compared *compared)
{
    struct worker *plain = worker_create(compared->plain);
    struct worker *compiled = worker_create(compared->compiled);
    struct error error, other_error;
    enum status initial = worker_initial(plain, &compared->one, &error);
    assert_int_equal(initial, worker_initial(compiled, &compared->other, &other_error));
    if (initial == STATUS_OK)
        add_states(compared, &compared->one);
    for (uint32_t i = 0; i < compared->states.items.length && i < MOST_STATES; i++) {
        size_t slots;
        successors_clear(&compared->one);
        successors_clear(&compared->other);
        const uint32_t *stored = word_arrays_get(&compared->states, i, &slots);
        uint32_t *state = malloc(slots * sizeof *state);
        memcpy(state, stored, slots * sizeof *state);
        enum status status = worker_successors(plain, state, &compared->one, &error);
        if (status == STATUS_OK && compared->compiled->class->expand &&
            compared->one.steps.length >= tally.states % 3)
            expect_same_at_once(compiled, state, &compared->one, compared->plain->budget);
        assert_int_equal(status,
                         worker_successors(compiled, state, &compared->other, &other_error));
        if (status == STATUS_INPUT) {
            assert_int_equal(error.line, other_error.line);
            assert_string_equal(error.message, other_error.message);
        }
        expect_same_steps(&compared->one, &compared->other, (uint32_t)slots);
        add_states(compared, &compared->one);
        tally.states++;
        tally.steps += compared->one.steps.length;
        free(state);
    }
    worker_destroy(plain);
    worker_destroy(compiled);
}

static void write_line(void *user, const char *line)
{
    *(bool *)user |= strstr(line, "engine: native") != NULL;
}

/* The model of an instance, and that of another one of the same module with compiled steps. Each
 * has labels of its own: they are met in the same order. */
static void compare_models(struct lin_instance *instance, struct lin_instance *again,
                           struct budget *budget)
{
    struct lin_model compiled;
    struct symmetry symmetry;
    struct error error;
    bool is_native = false;
    const struct log log = {LOG_MOMENTS, write_line, &is_native};
    struct compared compared = {.plain = instance->reduced, .compiled = &compiled.model};
    assert_int_equal(lin_model_create(&again->steps, &again->model.options, again->labels, budget,
                                      &compiled, &error),
                     STATUS_OK);
    assert_int_equal(lin_native_attach(&compiled, ENGINE_NATIVE, &log), STATUS_OK);
    if (instance->reduced != &instance->model.model) {
        symmetry_create(&compiled.model, &compiled.model, true, false, &symmetry);
        compared.compiled = &symmetry.decorator.model;
    }
    word_arrays_init(&compared.states, budget);
    successors_init(&compared.one, budget);
    successors_init(&compared.other, budget);
    walk(&compared);
    tally.uncompiled += !is_native && compared.states.items.length;
    word_arrays_release(&compared.states);
    successors_release(&compared.one);
    successors_release(&compared.other);
    lin_model_release(&compiled);
}

/* Where steps may be decided, fields are supposed to be sticky. */
static void compare_text(const char *text, const struct lin_options *options)
{
    struct lin_fixture fixture;
    _Atomic uint64_t refuted = 0;
    struct lin_options supposing = *options;
    supposing.refuted = options->decided ? &refuted : NULL;
    bool read = lin_fixture_open(&fixture, text) && fixture.module.assertions.length > 0;
    tally.wrong += !read;
    for (size_t i = 0; read && i < 1; i++) {
        struct lin_instance instances[2];
        struct labels *labels[2];
        enum status status = STATUS_OK;
        for (int j = 0; j < 2; j++) {
            labels[j] = labels_create(&fixture.budget);
            const enum status opened = lin_instance_open(
                &instances[j], &fixture.module, &fixture.module.assertions.items[i], &supposing,
                labels[j], fixture.pool, &fixture.limits, &fixture.error);
            status = status == STATUS_OK ? opened : status;
        }
        tally.models += status == STATUS_OK;
        tally.wrong += status != STATUS_OK;
        if (status == STATUS_OK)
            compare_models(&instances[0], &instances[1], &fixture.budget);
        for (int j = 0; j < 2; j++) {
            lin_instance_close(&instances[j]);
            labels_destroy(labels[j]);
        }
    }
    lin_fixture_close(&fixture);
}

/* ---- the tests ---- */

static char cache[] = "/tmp/linchpin-test-native-XXXXXX";

/* Most of the time is the compiler's: without seeds from outside it is not asked to optimise. */
static bool is_quick;

static int write_compiler(void)
{
    char name[sizeof cache + 16];
    snprintf(name, sizeof name, "%s/compiler", cache);
    FILE *file = fopen(name, "w");
    if (!file)
        return -1;
    const char *compiler = getenv("CC");
    fprintf(file, "#!/bin/sh\nexec %s \"$@\" -O0\n", compiler ? compiler : "cc");
    return fclose(file) == 0 && chmod(name, 0700) == 0 ? setenv("CC", name, 1) : -1;
}

static int open_cache(void **unused)
{
    (void)unused;
    if (!mkdtemp(cache) || setenv("XDG_CACHE_HOME", cache, 1) != 0)
        return -1;
    return is_quick ? write_compiler() : 0;
}

static int close_cache(void **unused)
{
    (void)unused;
    char command[sizeof cache + 16];
    snprintf(command, sizeof command, "rm -rf %s", cache);
    return system(command);
}

static void compare_all(void (*print)(uint64_t seed, struct text *text))
{
    static size_t times; /* so that few seeds come to all sets of options */
    tally = (struct tally){0};
    times++;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct text text = TEXT_EMPTY;
        print(seed, &text);
        print_message("seed %llu\n", (unsigned long long)seed);
        compare_text(text_string(&text), &option_sets[(seed + times) % ARRAY_LENGTH(option_sets)]);
        text_release(&text);
    }
    print_message("%u models, %u wrong, %u not compiled, %zu states, %zu at once, %zu steps\n",
                  tally.models, tally.wrong, tally.uncompiled, tally.states, tally.expanded,
                  tally.steps);
    assert_int_equal(tally.uncompiled, 0);
    assert_true(tally.steps > 0);
}

/* What is asked of plain searches, whose models leave out and join nothing. */
static void all_steps_of_a_state_are_taken_alike(void **unused)
{
    static void (*const prints[])(uint64_t seed, struct text * text) = {
        lin_random_print, lin_random_print_write_once, lin_random_print_pure,
        lin_random_print_sticky};
    (void)unused;
    tally = (struct tally){0};
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        const struct lin_options plain = {.forget = seed % 3 != 0};
        struct text text = TEXT_EMPTY;
        prints[seed % ARRAY_LENGTH(prints)](seed, &text);
        print_message("seed %llu\n", (unsigned long long)seed);
        compare_text(text_string(&text), &plain);
        text_release(&text);
    }
    print_message("%zu of %zu states at once\n", tally.expanded, tally.states);
    assert_true(tally.expanded > 100);
}

static void print_touching(uint64_t seed, struct text *text)
{
    if (seed % 2)
        lin_random_print_fresh(seed, text);
    else
        lin_random_print_sticky(seed, text);
}

static void print_newly(uint64_t seed, struct text *text)
{
    lin_random_print_twice(seed, false, text);
}

static void objects_take_the_same_steps(void **unused)
{
    (void)unused;
    compare_all(lin_random_print);
}

static void points_are_made_alike(void **unused)
{
    (void)unused;
    compare_all(lin_random_print_points);
}

static void fields_written_once_are_read_alike(void **unused)
{
    (void)unused;
    compare_all(lin_random_print_write_once);
}

static void what_is_tried_again_is_left_out_alike(void **unused)
{
    (void)unused;
    compare_all(lin_random_print_pure);
}

static void what_does_not_change_is_touched_alike(void **unused)
{
    (void)unused;
    compare_all(print_touching);
}

static void what_will_not_come_back_is_found_alike(void **unused)
{
    (void)unused;
    compare_all(lin_random_print_stale);
}

static void new_constructs_take_the_same_steps(void **unused)
{
    (void)unused;
    compare_all(print_newly);
}

static void spinning_and_waiting_are_alike(void **unused)
{
    (void)unused;
    compare_all(lin_random_progress_print);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    is_quick = count == 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_take_the_same_steps),
        cmocka_unit_test(all_steps_of_a_state_are_taken_alike),
        cmocka_unit_test(points_are_made_alike),
        cmocka_unit_test(fields_written_once_are_read_alike),
        cmocka_unit_test(what_is_tried_again_is_left_out_alike),
        cmocka_unit_test(what_does_not_change_is_touched_alike),
        cmocka_unit_test(what_will_not_come_back_is_found_alike),
        cmocka_unit_test(new_constructs_take_the_same_steps),
        cmocka_unit_test(spinning_and_waiting_are_alike),
    };
    return cmocka_run_group_tests(tests, open_cache, close_cache);
}
