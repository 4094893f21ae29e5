/* What is kept of pending operations against arrays. The shelf: operations that are added in any
 * order, found, also by their processes, gone through, renewed, and swept; every field comes back,
 * but for those that say nothing any more. Unseen values: added and taken out in any order.
 *
 *     test_shelf [FIRST_SEED [COUNT]] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "stream/shelf.h"
#include "stream/unseen.h"
#include "support/seeds.h"

static struct seeds seeds = {1, 40};

#define MOST 400

struct twin {
    struct shelf shelf;
    struct shelved items[MOST];
    bool held[MOST];
    size_t count;
    uint64_t next;
    struct value_pool *pool;
};

/* Often that of the operation before, or near it; now and then any number. */
static uint64_t draw(struct random *random, uint64_t before, uint64_t below)
{
    if (random_chance(random, 1, 2))
        return before % below;
    if (random_chance(random, 1, 8))
        return below - 1 - random_below(random, 1000);
    return (before + random_below(random, 300)) % below;
}

/* A value; a list of none to three, in one of two. */
static value draw_value(struct random *random, struct value_pool *pool, value before)
{
    value items[3];
    if (random_chance(random, 1, 4))
        return before;
    for (size_t i = 0; i < ARRAY_LENGTH(items); i++)
        items[i] = random_chance(random, 1, 8)
                       ? value_list(pool, items, i)
                       : value_small((int64_t)draw(random, before >> 3, UINT64_C(1) << 59));
    return random_chance(random, 1, 2)
               ? items[2]
               : value_list(pool, items, random_chance(random, 2, 3) ? 2 : random_below(random, 4));
}

/* Mostly what the operation has for an argument. */
static struct call draw_call(struct random *random, const struct shelved *before, uint32_t process,
                             value argument)
{
    const bool other = random_chance(random, 1, 3);
    return (struct call){.argument = other ? before->tracked.call.argument : argument,
                         .result = draw(random, before->tracked.call.result, UINT64_MAX),
                         .process = process,
                         .operation =
                             (uint16_t)draw(random, before->tracked.call.operation, UINT16_MAX),
                         .result_known = random_chance(random, 1, 2),
                         .read_only = random_chance(random, 1, 2)};
}

static struct shelved draw_operation(struct random *random, struct value_pool *pool,
                                     const struct shelved *before, uint64_t serial)
{
    const value argument = draw_value(random, pool, before->operation.argument);
    const uint32_t process = (uint32_t)draw(random, before->operation.process, UINT32_MAX);
    const struct operation *like = &before->operation;
    struct shelved made = {
        .process = draw(random, before->process, UINT64_MAX),
        .operation = {.argument = argument,
                      .result = draw(random, like->result, UINT64_MAX),
                      .key = draw(random, like->key, UINT64_MAX),
                      .invoke_time = (int64_t)draw(random, (uint64_t)like->invoke_time, UINT64_MAX),
                      .response = POSITION_NEVER,
                      .process = process,
                      .invoke_line = (uint32_t)draw(random, like->invoke_line, UINT32_MAX),
                      .response_line = (uint32_t)draw(random, like->response_line, UINT32_MAX),
                      .function = (uint16_t)draw(random, like->function, UINT16_MAX),
                      .object = (uint16_t)draw(random, like->object, UINT16_MAX),
                      .outcome = random_chance(random, 1, 2) ? OUTCOME_UNKNOWN : OUTCOME_OK,
                      .has_key = random_chance(random, 1, 2),
                      .result_recorded = random_chance(random, 1, 2)},
        .tracked = {.call = draw_call(random, before, process, argument),
                    .asked = random_chance(random, 1, 3) ? before->tracked.asked : argument,
                    .asked_reads = random_chance(random, 1, 2),
                    .serial = serial,
                    .began = draw(random, before->tracked.began, UINT64_MAX),
                    .ended = draw(random, before->tracked.ended, UINT64_MAX),
                    .object = (uint32_t)draw(random, before->tracked.object, UINT32_MAX)}};
    made.operation.response_time =
        random_chance(random, 1, 2) ? TIME_NONE : made.operation.invoke_time + 5;
    made.tracked.ended += made.tracked.ended == made.tracked.began;
    return made;
}

/* One that runs; of a process of its own. */
static struct shelved draw_running(struct random *random, struct shelved made)
{
    made.process = made.tracked.serial << 20 | 1;
    made.operation.outcome = OUTCOME_UNKNOWN;
    made.operation.response_line = 0;
    made.operation.response_time = TIME_NONE;
    made.tracked.ended = ORDINAL_NEVER;
    made.tracked.handle = (uint32_t)draw(random, made.tracked.serial, UINT32_MAX);
    return made;
}

static bool runs(const struct shelved *shelved)
{
    return shelved->tracked.ended == ORDINAL_NEVER;
}

static void assert_same_call(const struct call *a, const struct call *b)
{
    assert_true(a->argument == b->argument && a->result == b->result && a->process == b->process &&
                a->number == b->number && a->operation == b->operation &&
                a->result_known == b->result_known && a->read_only == b->read_only);
}

static void assert_same(const struct shelved *a, const struct shelved *b)
{
    const struct operation *x = &a->operation, *y = &b->operation;
    assert_true(a->process == b->process && x->argument == y->argument && x->result == y->result &&
                x->key == y->key && x->invoke_time == y->invoke_time &&
                x->response_time == y->response_time && x->invoke == y->invoke &&
                x->response == y->response && x->record == y->record && x->process == y->process &&
                x->invoke_line == y->invoke_line && x->response_line == y->response_line &&
                x->function == y->function && x->object == y->object && x->outcome == y->outcome &&
                x->has_key == y->has_key && x->result_recorded == y->result_recorded);
    const struct call asked = tracked_invoked(&a->tracked), also = tracked_invoked(&b->tracked);
    assert_same_call(&asked, &also);
    assert_same_call(&a->tracked.call, &b->tracked.call);
    assert_true(a->tracked.serial == b->tracked.serial && a->tracked.began == b->tracked.began &&
                a->tracked.ended == b->tracked.ended && a->tracked.object == b->tracked.object &&
                a->tracked.handle == b->tracked.handle);
}

/* Of what was found; *found becomes that if it is to be asked for values now and then. */
static void assert_unfolds(struct twin *twin, struct random *random, struct shelved *found,
                           const struct shelved *wanted)
{
    struct shelved unfolded = *found;
    value values[SHELVED_VALUES];
    size_t length = 0;
    assert_true(shelved_unfold(&unfolded, twin->pool));
    assert_same(&unfolded, wanted);
    const value argument = wanted->operation.argument;
    const bool list = value_kind_of(argument) == KIND_LIST;
    const value *items = list ? value_get_items(argument, &length) : NULL;
    shelved_values(found, values);
    assert_true(length == 2 ? values[0] == items[0] && values[1] == items[1]
                            : values[0] == argument);
    shelved_values(&unfolded, values);
    assert_true(values[0] == argument);
    if (random_chance(random, 1, 3))
        *found = unfolded;
}

static void add(struct twin *twin, struct random *random)
{
    size_t place = twin->count;
    uint64_t serial = twin->next += 1 + random_below(random, 3);
    if (place && random_chance(random, 1, 4)) { /* one that was invoked long before */
        place = random_below(random, (uint32_t)twin->count);
        serial = twin->items[place].tracked.serial;
        if (serial == 0 || (place && twin->items[place - 1].tracked.serial == serial - 1))
            return;
        serial--;
    }
    const struct shelved none = {0};
    struct shelved made =
        draw_operation(random, twin->pool, place ? &twin->items[place - 1] : &none, serial);
    if (random_chance(random, 1, 3))
        made = draw_running(random, made);
    assert_true(shelf_add(&twin->shelf, &made));
    memmove(twin->items + place + 1, twin->items + place,
            (twin->count - place) * sizeof *twin->items);
    twin->items[place] = made;
    twin->count++;
}

/* Something becomes of an operation that runs; or nothing does, but that its handle is another. */
static void renew(struct twin *twin, struct random *random)
{
    const size_t at = random_below(random, (uint32_t)twin->count);
    struct shelved *item = &twin->items[at];
    if (!runs(item))
        return;
    if (random_chance(random, 1, 3)) {
        item->tracked.handle ^= 5;
    } else {
        const value process = item->process;
        *item = draw_operation(random, twin->pool, item, item->tracked.serial);
        item->process = process;
    }
    assert_true(shelf_renew(&twin->shelf, item));
}

static bool keeps(void *context, const struct tracked *tracked)
{
    (void)context;
    return tracked->object % 5 == 0;
}

static void sweep(struct twin *twin, struct random *random)
{
    const uint32_t in = random_chance(random, 1, 3) ? 20 : 3;
    struct shelf_walk walk = shelf_walk(&twin->shelf);
    size_t kept = 0;
    shelf_begin_marks(&twin->shelf);
    for (size_t i = 0; i < twin->count; i++)
        twin->held[i] = random_below(random, in) < 2;
    for (size_t round = 0; round < 2; round++) /* in their order, and in none */
        for (size_t i = 0; i < twin->count; i++) {
            const size_t at = round ? random_below(random, (uint32_t)twin->count) : i;
            if (twin->held[at])
                shelf_mark(&twin->shelf, &walk, twin->items[at].tracked.serial);
            else if (random_chance(random, 1, 8))
                shelf_mark(&twin->shelf, &walk, twin->next + 1 + at); /* of none */
        }
    shelf_drop(&twin->shelf, keeps, NULL);
    for (size_t i = 0; i < twin->count; i++)
        if (twin->held[i] || runs(&twin->items[i]) || keeps(NULL, &twin->items[i].tracked))
            twin->items[kept++] = twin->items[i];
    twin->count = kept;
}

static void compare(struct twin *twin, struct random *random)
{
    struct shelf_walk walk = shelf_walk(&twin->shelf);
    struct shelved found;
    assert_int_equal(twin->shelf.count, twin->count);
    for (size_t i = 0; i < twin->count; i++) {
        assert_true(shelf_next(&walk));
        assert_unfolds(twin, random, &walk.now, &twin->items[i]);
    }
    assert_false(shelf_next(&walk));
    for (int i = 0; i < 8 && twin->count; i++) {
        const size_t at = random_below(random, (uint32_t)twin->count);
        const uint64_t serial = twin->items[at].tracked.serial;
        assert_true(shelf_find(&twin->shelf, serial, &found));
        assert_unfolds(twin, random, &found, &twin->items[at]);
        const bool next = at + 1 < twin->count && twin->items[at + 1].tracked.serial == serial + 1;
        assert_int_equal(shelf_find(&twin->shelf, serial + 1, &found), next);
        const struct shelved *item = &twin->items[at];
        const bool finds = shelf_find_running(&twin->shelf, item->process, &found);
        assert_true(finds || !runs(item));
        if (runs(item))
            assert_unfolds(twin, random, &found, item);
        assert_false(shelf_find_running(&twin->shelf, (serial << 20) + 3, &found));
    }
}

static void test_shelf_is_an_array(void **state)
{
    struct budget budget;
    struct twin *twin = calloc(1, sizeof *twin);
    (void)state;
    assert_non_null(twin);
    budget_init(&budget, NULL, 0);
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random random;
        random_seed(&random, seed);
        twin->count = 0;
        twin->next = seed % 2 ? 0 : UINT64_C(3) << 32; /* more than a table has numbers for */
        twin->pool = value_pool_create(&budget);
        shelf_init(&twin->shelf, &budget);
        for (int step = 0; step < 600; step++) {
            if (twin->count && random_below(&random, 100) < 20)
                renew(twin, &random);
            else if (twin->count < MOST && random_below(&random, 100) < 98)
                add(twin, &random);
            else
                sweep(twin, &random);
            if (step % 20 == 0)
                compare(twin, &random);
        }
        compare(twin, &random);
        shelf_release(&twin->shelf);
        value_pool_destroy(twin->pool);
        assert_int_equal(budget.used, 0);
    }
    free(twin);
}

/* ---- unseen values ---- */

struct unseen_twin {
    struct unseen unseen;
    struct added items[MOST];
    size_t count;
};

static bool note_serial(void *context, uint64_t serial)
{
    struct unseen_twin *twin = context;
    for (size_t i = 0; i < twin->count; i++)
        if (twin->items[i].serial == serial) {
            twin->items[i].serial |= UINT64_C(1) << 62; /* seen */
            return true;
        }
    fail();
    return false;
}

static void compare_unseen(struct unseen_twin *twin)
{
    const struct online_visitor visitor = {.visit = note_serial, .context = twin};
    assert_int_equal(unseen_count(&twin->unseen), twin->count);
    assert_true(unseen_each(&twin->unseen, &visitor));
    for (size_t i = 0; i < twin->count; i++) {
        assert_true(twin->items[i].serial >> 62);
        twin->items[i].serial ^= UINT64_C(1) << 62;
        assert_true(unseen_has(&twin->unseen, twin->items[i].value));
    }
}

static void add_unseen(struct unseen_twin *twin, struct random *random)
{
    const struct added *before = &twin->items[twin->count ? twin->count - 1 : 0];
    struct added added = {.value = draw(random, before->value, UINT64_MAX),
                          .other = draw(random, before->other, UINT64_MAX),
                          .invoked = draw(random, before->invoked, UINT64_MAX),
                          .serial = draw(random, before->serial, UINT64_C(1) << 40)};
    bool used = unseen_has(&twin->unseen, added.value);
    for (size_t i = 0; i < twin->count; i++)
        used |= twin->items[i].serial == added.serial || twin->items[i].value == added.value;
    if (used)
        return;
    assert_true(unseen_add_pair(&twin->unseen, &added));
    twin->items[twin->count++] = added;
}

static void take_unseen(struct unseen_twin *twin, struct random *random)
{
    const uint32_t at = random_below(random, (uint32_t)twin->count);
    const struct added wanted = twin->items[at];
    struct running_operation taken;
    struct added pair;
    if (random_below(random, 2)) {
        assert_true(unseen_take(&twin->unseen, wanted.value, &taken));
        assert_true(taken.detail == wanted.value && taken.invoked == wanted.invoked &&
                    taken.serial == wanted.serial && taken.pending);
    } else {
        assert_true(unseen_take_pair(&twin->unseen, wanted.value, &pair));
        assert_true(pair.value == wanted.value && pair.other == wanted.other &&
                    pair.invoked == wanted.invoked && pair.serial == wanted.serial);
    }
    assert_false(unseen_take(&twin->unseen, wanted.value, &taken));
    twin->items[at] = twin->items[--twin->count];
}

static void test_unseen_is_an_array(void **state)
{
    struct budget budget;
    struct unseen_twin *twin = calloc(1, sizeof *twin);
    (void)state;
    assert_non_null(twin);
    budget_init(&budget, NULL, 0);
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random random;
        random_seed(&random, seed);
        twin->count = 0;
        unseen_init(&twin->unseen, &budget);
        for (int step = 0; step < 1500; step++) {
            const uint32_t adds = step / 300 % 2 ? 20 : 80; /* of a hundred */
            if (twin->count == 0 || (twin->count < MOST && random_below(&random, 100) < adds))
                add_unseen(twin, &random);
            else
                take_unseen(twin, &random);
            if (step % 100 == 0)
                compare_unseen(twin);
        }
        compare_unseen(twin);
        unseen_release(&twin->unseen);
        assert_int_equal(budget.used, 0);
    }
    free(twin);
}

int main(int argc, char **argv)
{
    seeds_from_arguments(&seeds, argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shelf_is_an_array),
                                       cmocka_unit_test(test_unseen_is_an_array)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
