/* Interned arrays of words and known steps of normal forms, beside plain tables: random arrays,
 * short ones and a few that fill a chunk, get the numbers that a list of all of them gives, and
 * stay what and where they were; a step that was added is found, and no other. By one thread alone,
 * then by several at a time. And words that are recalled, of one thread. Also built with the thread
 * sanitizer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/recall.h"
#include "base/shared_words.h"
#include "property/normal_steps.h"

#define THREADS     3
#define MOST_LENGTH 5
#define DIFFERENT   400 /* arrays */
#define ASKED       3000
#define STATES      60
#define LABELS      25
#define KEYS        20000 /* to be recalled: more than there is room for */

/* Array `which` of those that may be asked for; lengths 0 to MOST_LENGTH, or `fixed`. */
static size_t make_array(uint32_t which, size_t fixed, uint32_t *words)
{
    struct random random;
    random_seed(&random, which + 1);
    const size_t length = fixed ? fixed : random_below(&random, MOST_LENGTH + 1);
    for (size_t i = 0; i < length; i++)
        words[i] = (uint32_t)random_below(&random, 4);
    return length;
}

struct keeper {
    struct shared_words *shared;
    size_t fixed;
    uint64_t seed;
    uint32_t numbers[DIFFERENT];     /* that arrays got; UINT32_MAX: not asked for */
    const uint32_t *kept[DIFFERENT]; /* where they stood */
    bool fine;
};

static void *keep(void *user)
{
    struct keeper *keeper = user;
    struct random random;
    random_seed(&random, keeper->seed);
    uint32_t words[MOST_LENGTH];
    memset(keeper->numbers, -1, sizeof keeper->numbers);
    keeper->fine = true;
    for (unsigned i = 0; i < ASKED; i++) {
        const uint32_t which = (uint32_t)random_below(&random, DIFFERENT);
        const size_t length = make_array(which, keeper->fixed, words);
        const uint32_t number = shared_words_intern(keeper->shared, words, length);
        size_t kept_length = 0;
        keeper->fine &=
            number != UINT32_MAX && shared_words_find(keeper->shared, words, length) == number;
        if (!keeper->fine)
            break;
        const uint32_t *kept = shared_words_get(keeper->shared, number, &kept_length);
        keeper->fine &= kept_length == length && (!length || !memcmp(kept, words, length * 4)) &&
                        (keeper->numbers[which] == UINT32_MAX ||
                         (keeper->numbers[which] == number && keeper->kept[which] == kept));
        keeper->numbers[which] = number;
        keeper->kept[which] = kept;
    }
    return NULL;
}

/* Equal arrays have equal numbers, whoever asked, others others; and there are no more. */
static void compare(const struct keeper *keepers, unsigned count)
{
    static uint32_t met[DIFFERENT];
    uint32_t different = 0;
    memset(met, -1, sizeof met);
    for (unsigned i = 0; i < count; i++) {
        assert_true(keepers[i].fine);
        for (uint32_t which = 0; which < DIFFERENT; which++) {
            uint32_t words[MOST_LENGTH], others[MOST_LENGTH];
            const uint32_t number = keepers[i].numbers[which];
            if (number == UINT32_MAX)
                continue;
            assert_true(number < shared_words_count(keepers[i].shared) && number < DIFFERENT);
            const size_t length = make_array(which, keepers[i].fixed, words);
            different += met[number] == UINT32_MAX;
            if (met[number] == UINT32_MAX)
                met[number] = which;
            assert_int_equal(make_array(met[number], keepers[i].fixed, others), length);
            assert_true(!length || !memcmp(words, others, length * 4));
        }
    }
    assert_int_equal(different, shared_words_count(keepers[0].shared));
}

static void together(void *(*run)(void *), void *users, size_t size)
{
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run, (char *)users + i * size), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void test_arrays(void **state)
{
    (void)state;
    static struct keeper keepers[THREADS];
    for (size_t fixed = 0; fixed <= 3; fixed++) {
        struct budget budget;
        budget_init(&budget, NULL, 0);
        struct shared_words shared;
        if (fixed)
            shared_words_init_fixed(&shared, fixed, &budget);
        else
            shared_words_init(&shared, &budget);
        shared_words_leave_alone(&shared, true);
        keepers[0] = (struct keeper){.shared = &shared, .fixed = fixed, .seed = 7 * fixed + 1};
        keep(&keepers[0]);
        compare(keepers, 1);
        shared_words_leave_alone(&shared, false);
        for (unsigned i = 0; i < THREADS; i++)
            keepers[i] =
                (struct keeper){.shared = &shared, .fixed = fixed, .seed = 7 * fixed + 2 + i};
        together(keep, keepers, sizeof *keepers);
        compare(keepers, THREADS);
        shared_words_release(&shared);
        assert_int_equal(budget.used, 0);
    }
}

/* Short rows that end where a chunk does, or would, and rows of about a chunk: each stands where it
 * did once all are there. */
static void test_long_rows(void **state)
{
    (void)state;
    static const size_t around = (size_t)1 << WORD_ROWS_HERE_BITS;
    struct budget budget;
    struct word_rows rows;
    uint32_t at[12], *words = calloc(around + 6, sizeof *words);
    budget_init(&budget, NULL, 0);
    assert_non_null(words);
    word_rows_init(&rows, &budget);
    for (uint32_t i = 0; i < 40000; i++)
        assert_int_not_equal(word_rows_add(&rows, words, i % 11), WORD_ROWS_NONE);
    for (uint32_t i = 0; i < ARRAY_LENGTH(at); i++) {
        const size_t length = i % 2 ? i : around - 6 + i;
        words[0] = words[length - 1] = i;
        at[i] = word_rows_add(&rows, words, length);
        assert_int_not_equal(at[i], WORD_ROWS_NONE);
    }
    for (uint32_t i = 0; i < ARRAY_LENGTH(at); i++) {
        size_t length;
        const uint32_t *row = word_rows_get(&rows, at[i], &length);
        assert_int_equal(length, i % 2 ? i : around - 6 + i);
        assert_true(row[0] == i && row[length - 1] == i);
    }
    word_rows_release(&rows);
    free(words);
    assert_int_equal(budget.used, 0);
}

/* ---- steps ---- */

struct stepper {
    struct normal_steps *steps;
    uint64_t seed;
    bool fine;
};

/* Where a step leads: of the first states few labels are asked for, of the last all. */
static normal_id target_of(normal_id from, label l)
{
    return (from * 31 + l * 7) % STATES;
}

static void *follow(void *user)
{
    struct stepper *stepper = user;
    struct random random;
    random_seed(&random, stepper->seed);
    bool(*added)[LABELS] = calloc(STATES, sizeof *added);
    stepper->fine = added;
    for (unsigned i = 0; i < ASKED && stepper->fine; i++) {
        const normal_id from = (normal_id)random_below(&random, STATES);
        const label l = (label)random_below(&random, 1 + from * (LABELS - 1) / (STATES - 1));
        normal_id to = NORMAL_NONE;
        const bool found = normal_steps_find(stepper->steps, from, l, &to);
        stepper->fine &= found ? to == target_of(from, l) : !added[from][l];
        if (!found)
            stepper->fine &= normal_steps_add(stepper->steps, from, l, target_of(from, l));
        added[from][l] = true;
    }
    free(added);
    return NULL;
}

static void test_steps(void **state)
{
    (void)state;
    struct budget budget;
    struct normal_steps steps;
    struct stepper steppers[THREADS];
    uint32_t count = 0;
    budget_init(&budget, NULL, 0);
    normal_steps_init(&steps, &budget);
    for (unsigned i = 0; i < THREADS; i++)
        steppers[i] = (struct stepper){.steps = &steps, .seed = i + 1};
    steps.numbers.is_alone = true;
    follow(&steppers[0]);
    assert_true(steppers[0].fine && steps.far_count > 0);
    steps.numbers.is_alone = false;
    together(follow, steppers, sizeof *steppers);
    for (normal_id from = 0; from < STATES; from++)
        for (label l = 0; l < LABELS; l++) {
            normal_id to;
            if (!normal_steps_find(&steps, from, l, &to))
                continue;
            count++;
            assert_int_equal(to, target_of(from, l));
        }
    for (unsigned i = 0; i < THREADS; i++)
        assert_true(steppers[i].fine);
    assert_int_equal(count, steps.count);
    normal_steps_release(&steps);
    assert_int_equal(budget.used, 0);
}

/* What is found is what was put there last; what was put just now is found, and never what nobody
 * has put. Keys of a small range come again often, those of a large one drive others out. */
static void test_recalled_words(void **unused)
{
    struct random random;
    struct recall recall;
    struct budget budget;
    uint32_t put[KEYS] = {0}; /* by key; 0: not at all */
    unsigned found = 0, missed = 0;
    (void)unused;
    budget_init(&budget, NULL, 0);
    random_seed(&random, 1);
    recall_init(&recall, &budget);
    for (uint32_t i = 1; i <= 4 * KEYS; i++) {
        const uint32_t key = (uint32_t)random_below(&random, random_below(&random, 2) ? 20 : KEYS);
        const uint32_t by[3] = {key & 15, key >> 4 & 15, key >> 8};
        const uint32_t *known = recall_find(&recall, by[0], by[1], by[2]);
        assert_true(!known || (put[key] && known[0] == put[key] && known[1] == ~put[key]));
        found += known != NULL;
        missed += !known && put[key];
        assert_true(recall_put(&recall, by, i, ~i));
        put[key] = i;
        known = recall_find(&recall, by[0], by[1], by[2]);
        assert_true(known && known[0] == i && known[1] == ~i);
    }
    assert_true(found > 0 && missed > 0);
    recall_release(&recall);
    assert_int_equal(budget.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_long_rows),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_recalled_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
