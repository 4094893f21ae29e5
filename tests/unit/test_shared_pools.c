/* What threads share: arrays that grow while they are read, the table and the pools on top of them.
 * Equal contents have equal numbers, whoever interned them first. Also built with the thread
 * sanitizer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/parallel.h"
#include "base/random.h"
#include "base/shared_words.h"
#include "model/labels.h"

#define THREADS  4
#define CONTENTS 3000
#define ROUNDS   20000

static void entries_stay_where_they_are(void **state)
{
    struct budget budget;
    struct blocks blocks;
    uint32_t *first = NULL;
    (void)state;
    budget_init(&budget, NULL, 0);
    blocks_init(&blocks, &budget, sizeof(uint32_t));
    assert_null(blocks_at(&blocks, 7));
    for (uint32_t i = 0; i < CONTENTS; i++) {
        uint32_t *entry = blocks_reach(&blocks, i);
        assert_int_equal(*entry, 0);
        *entry = i;
        first = i == 0 ? entry : first;
    }
    for (uint32_t i = 0; i < CONTENTS; i++)
        assert_int_equal(*(uint32_t *)blocks_at(&blocks, i), i);
    assert_ptr_equal(blocks_at(&blocks, 0), first);
    blocks_release(&blocks);
    assert_int_equal(budget.used, 0);
}

static void a_refused_block_leaves_the_others(void **state)
{
    struct budget budget;
    struct blocks blocks;
    (void)state;
    budget_init(&budget, NULL, 1024);
    blocks_init(&blocks, &budget, 8);
    assert_non_null(blocks_reach(&blocks, 0));
    assert_null(blocks_reach(&blocks, 1u << 20));
    assert_non_null(blocks_at(&blocks, 0));
    blocks_release(&blocks);
}

/* Content i: 1 + i % 5 words. */
static size_t content(uint32_t i, uint32_t *words)
{
    size_t length = 1 + i % 5;
    for (size_t j = 0; j < length; j++)
        words[j] = i / 3 + (uint32_t)j;
    words[length - 1] = i;
    return length;
}

struct pools {
    struct shared_words words;
    struct labels *labels;
    _Atomic uint32_t numbers[CONTENTS], labelled[CONTENTS]; /* + 1; 0: nobody has asked yet */
    atomic_uint faults;
};

/* The number is the one that others were given, if any were. */
static void agree(_Atomic uint32_t *known, uint32_t number, atomic_uint *faults)
{
    uint32_t before = 0;
    if (!atomic_compare_exchange_strong(known, &before, number + 1) && before != number + 1)
        atomic_fetch_add(faults, 1);
}

static void intern_some(void *context, size_t part, unsigned worker)
{
    struct pools *pools = context;
    struct random random;
    (void)worker;
    random_seed(&random, part + 1);
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t words[5], i = (uint32_t)random_below(&random, CONTENTS);
        char name[20];
        size_t kept, length = content(i, words);
        uint32_t number = shared_words_intern(&pools->words, words, length);
        const uint32_t *there = shared_words_get(&pools->words, number, &kept);
        if (kept != length || memcmp(there, words, length * sizeof *words) != 0)
            atomic_fetch_add(&pools->faults, 1);
        agree(&pools->numbers[i], number, &pools->faults);
        snprintf(name, sizeof name, "e%u", i % 50);
        label l = labels_intern_named(pools->labels, LABEL_EVENT, name, &i, 1);
        if (labels_get(pools->labels, l)->components[0] != i)
            atomic_fetch_add(&pools->faults, 1);
        agree(&pools->labelled[i], l, &pools->faults);
    }
}

static void threads_are_given_the_same_numbers(void **state)
{
    struct budget budget;
    static struct pools pools;
    (void)state;
    budget_init(&budget, NULL, 0);
    shared_words_init(&pools.words, &budget);
    pools.labels = labels_create(&budget);
    parallel_for(THREADS, THREADS, intern_some, &pools);
    assert_int_equal(atomic_load(&pools.faults), 0);
    assert_true(shared_words_count(&pools.words) <= CONTENTS);
    assert_true(labels_count(pools.labels) <= CONTENTS + 2);
    shared_words_release(&pools.words);
    labels_destroy(pools.labels);
    assert_int_equal(budget.used, 0);
}

static void what_is_refused_is_not_found(void **state)
{
    struct budget budget;
    struct shared_words words;
    uint32_t number = 0, count = 0;
    (void)state;
    budget_init(&budget, NULL, 200000);
    shared_words_init(&words, &budget);
    while ((number = shared_words_intern(&words, &count, 1)) != UINT32_MAX)
        assert_int_equal(number, count++);
    assert_true(count > 1000);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(shared_words_intern(&words, &i, 1), i);
    shared_words_release(&words);
    assert_int_equal(budget.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_stay_where_they_are),
        cmocka_unit_test(a_refused_block_leaves_the_others),
        cmocka_unit_test(threads_are_given_the_same_numbers),
        cmocka_unit_test(what_is_refused_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
