/* Sets of bits against plain arrays of truth values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/random.h"

#define MOST 300

struct pair {
    struct bits bits;
    bool plain[MOST];
};

static void expect_same(const struct pair *pair)
{
    size_t next = pair->bits.size;
    for (size_t at = pair->bits.size; at-- > 0;) {
        next = pair->plain[at] ? at : next;
        assert_int_equal(bits_get(pair->bits, at), pair->plain[at]);
        assert_int_equal(bits_next(pair->bits, at), next);
    }
}

static void change(struct pair *pair, struct random *random)
{
    size_t at = random_below(random, (uint32_t)pair->bits.size);
    pair->plain[at] = random_below(random, 3) > 0;
    if (pair->plain[at])
        bits_set(pair->bits, at);
    else
        bits_clear(pair->bits, at);
}

/* Two sets of one size: what the one says of the other, before and after it is added. */
static void compare_two(struct pair *one, const struct pair *other)
{
    bool includes = true;
    for (size_t at = 0; at < one->bits.size; at++) {
        includes = includes && (one->plain[at] || !other->plain[at]);
        one->plain[at] |= other->plain[at];
    }
    assert_int_equal(bits_include(one->bits, other->bits), includes);
    assert_int_equal(bits_add(one->bits, other->bits), !includes);
    assert_true(bits_include(one->bits, other->bits));
    expect_same(one);
}

static void what_was_set_is_a_member(void **unused)
{
    (void)unused;
    struct budget budget;
    struct random random;
    budget_init(&budget, NULL, 0);
    for (uint64_t seed = 1; seed <= 200; seed++) {
        random_seed(&random, seed);
        size_t size = 1 + random_below(&random, MOST);
        struct pair one = {.bits = bits_allocate(&budget, size)};
        struct pair other = {.bits = bits_allocate(&budget, size)};
        assert_non_null(one.bits.words);
        assert_non_null(other.bits.words);
        expect_same(&one);
        for (uint32_t i = 0; i < 2 * size; i++)
            change(random_below(&random, 2) ? &one : &other, &random);
        expect_same(&one);
        expect_same(&other);
        compare_two(&one, &other);
        bits_clear_all(other.bits);
        assert_int_equal(bits_next(other.bits, 0), size);
        bits_release(&budget, one.bits);
        bits_release(&budget, other.bits);
    }
    assert_int_equal(atomic_load(&budget.used), 0);
}

static void members_of_a_word_come_in_order(void **unused)
{
    (void)unused;
    uint64_t word = bit_of(3) | bit_of(64 + 5) | bit_of(63);
    assert_int_equal(bits_take(&word), 3);
    assert_int_equal(bits_take(&word), 5);
    assert_int_equal(bits_take(&word), 63);
    assert_int_equal(word, 0);
}

/* Into another set, and into itself. */
static void members_are_added_with_so_much_more(void **unused)
{
    (void)unused;
    enum {
        SIZE = 3 * WORD_BITS
    };
    struct random random;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        uint64_t words[2][SIZE / WORD_BITS] = {{0}};
        struct pair from = {.bits = {words[0], SIZE}}, to = {.bits = {words[1], SIZE}};
        random_seed(&random, seed);
        for (unsigned i = random_below(&random, 40); i > 0; i--) {
            change(&from, &random);
            change(&to, &random);
        }
        struct pair *into = seed % 2 ? &to : &from;
        const size_t by = random_below(&random, SIZE + WORD_BITS);
        for (size_t at = SIZE; at-- > by;)
            into->plain[at] |= from.plain[at - by];
        bits_add_shifted(into->bits, from.bits, by);
        expect_same(into);
    }
}

static void a_set_that_is_refused_has_no_words(void **unused)
{
    (void)unused;
    struct budget budget;
    budget_init(&budget, NULL, 100);
    assert_null(bits_allocate(&budget, 10000).words);
    assert_int_equal(atomic_load(&budget.used), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_set_is_a_member),
        cmocka_unit_test(members_of_a_word_come_in_order),
        cmocka_unit_test(members_are_added_with_so_much_more),
        cmocka_unit_test(a_set_that_is_refused_has_no_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
