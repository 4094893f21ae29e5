/* Which places can hold tokens together, against the definition applied until nothing is new, on
 * random nets of up to some hundred places; and a proof that lacks a pair is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "petri/certificate.h"
#include "petri/pairs_check.h"
#include "support/seeds.h"

enum {
    PLACES = 330, /* several tiles, the last of which is cut */
    MOST_ARCS = 3,
};

static struct seeds seeds = {.first = 1, .count = 150};

/* ---- random nets ---- */

static uint32_t random_arcs(struct random *random, uint32_t places, uint32_t near, struct arc *arcs)
{
    uint32_t count = random_below(random, 10) ? 1 + random_below(random, 2) : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place =
            random_below(random, 3) ? near + random_below(random, 4) : random_below(random, places);
        arcs[i] = (struct arc){place % places, random_below(random, 8) ? 1 : 2};
    }
    return count;
}

/* Some have few tokens and long ways, so that few pairs are possible, others nearly all. */
static void make_net(struct random *random, struct net *net)
{
    uint32_t places = 1 + random_below(random, random_below(random, 2) ? PLACES : 12);
    uint32_t open = random_below(random, 3) ? 0 : 1 + random_below(random, 8);
    for (uint32_t p = 0; p < places; p++)
        net_add_place(net, "p", random_below(random, 4 + places / 3) ? 0 : 1 + (p % 7 == 0),
                      open && random_below(random, places) < open);
    for (uint32_t t = 0; t < places + places / 2; t++) {
        struct arc takes[MOST_ARCS], gives[MOST_ARCS];
        uint32_t near = random_below(random, places);
        uint32_t taken = random_arcs(random, places, near, takes);
        uint32_t given = taken || random_below(random, 6) == 0
                             ? random_arcs(random, places, near + 1, gives)
                             : 0;
        net_add_transition(net, NULL, 0, takes, taken, gives, given);
    }
    /* In some everything lies together in the end. */
    for (uint32_t p = 0; open && places > 64 && p + 1 < places; p++)
        net_add_transition(net, NULL, 0, &(struct arc){p, 1}, 1, &(struct arc){p + 1, 1}, 1);
    net->places.items[0].open = net->places.items[0].open || (open && places > 64);
    assert_false(net->refused);
}

/* ---- the definition ---- */

struct table {
    bool together[PLACES][PLACES];
    bool live[PLACES];
};

static bool allows(const struct table *table, struct arcs tokens)
{
    for (uint32_t i = 0; i < tokens.count; i++)
        for (uint32_t j = 0; j < tokens.count; j++)
            if (!table->live[tokens.items[i].place] ||
                ((i != j || tokens.items[i].count > 1) &&
                 !table->together[tokens.items[i].place][tokens.items[j].place]))
                return false;
    return true;
}

static bool relate(struct table *table, uint32_t p, uint32_t q)
{
    bool fresh = !table->together[p][q];
    table->together[p][q] = table->together[q][p] = true;
    return fresh;
}

static bool fire(struct table *table, const struct net *net,
                 const struct net_transition *transition)
{
    struct arcs takes = transition->takes, gives = transition->gives;
    bool fresh = false;
    if (!allows(table, takes))
        return false;
    for (uint32_t i = 0; i < gives.count; i++) {
        uint32_t given = gives.items[i].place;
        fresh = fresh || !table->live[given];
        table->live[given] = true;
        for (uint32_t j = 0; j < gives.count; j++)
            if (i != j || gives.items[i].count > 1)
                fresh = relate(table, given, gives.items[j].place) || fresh;
    }
    for (uint32_t q = 0; q < net->places.length; q++) {
        bool beside = table->live[q];
        for (uint32_t i = 0; i < takes.count; i++)
            beside = beside && table->together[takes.items[i].place][q];
        for (uint32_t i = 0; i < gives.count && beside; i++)
            fresh = relate(table, gives.items[i].place, q) || fresh;
    }
    return fresh;
}

static void define(const struct net *net, struct table *table)
{
    memset(table, 0, sizeof *table);
    for (uint32_t p = 0; p < net->places.length; p++) {
        const struct net_place *place = &net->places.items[p];
        table->live[p] = place->initial || place->open;
        for (uint32_t q = 0; q < p && table->live[p]; q++)
            if (table->live[q])
                relate(table, p, q);
        if (place->initial > 1 || place->open)
            relate(table, p, p);
    }
    for (bool fresh = true; fresh;) {
        fresh = false;
        for (size_t t = 0; t < net->transitions.length; t++)
            fresh = fire(table, net, &net->transitions.items[t]) || fresh;
    }
}

/* ---- comparing ---- */

static size_t compare(const struct concurrency *pairs, const struct table *table)
{
    size_t count = 0;
    for (uint32_t p = 0; p < pairs->places; p++) {
        assert_int_equal(bits_get(pairs->live, p), table->live[p]);
        for (uint32_t q = 0; q < pairs->places; q++) {
            assert_int_equal(concurrency_has(pairs, p, q), table->together[p][q]);
            count += table->together[p][q];
        }
    }
    return count;
}

/* Markings of few and of many places, some of which are related two by two: each place is added
 * that is related to all before it, and in half of them one more. */
static void compare_markings(struct random *random, const struct concurrency *pairs,
                             const struct table *table, unsigned *allowed)
{
    struct arc arcs[PLACES];
    for (unsigned tries = 0; tries < 20; tries++) {
        uint32_t count = 0, skipped = random_below(random, 3), extra = random_below(random, 40);
        for (uint32_t p = 0; p < pairs->places; p++) {
            arcs[count] = (struct arc){p, 1 + (random_below(random, 9) == 0)};
            if (random_below(random, 3) >= skipped &&
                (extra-- == 0 || allows(table, (struct arcs){arcs, count + 1})))
                count++;
        }
        struct arcs marking = {arcs, count};
        bool expected = allows(table, marking);
        assert_int_equal(concurrency_allow(pairs, marking), expected);
        assert_int_equal(pairs_possible(pairs, marking), expected);
        *allowed += expected && count > 40;
    }
}

static enum status check(const struct concurrency *pairs, const struct net *net,
                         struct budget *budget)
{
    struct certificate certificate;
    struct error error;
    certificate_init(&certificate, budget);
    certificate.kind = CERTIFICATE_BASIS;
    certificate.pairs = pairs;
    enum status status = certificate_check(&certificate, net, budget, NULL, &error);
    certificate_release(&certificate);
    return status;
}

/* The relation is the least one: with a pair less it does not hold initially, or is not kept. */
static void refuse_without(struct concurrency *pairs, const struct net *net, uint32_t p, uint32_t q,
                           struct budget *budget)
{
    uint64_t *one = &pairs->rows.tiles[p / TILE * pairs->rows.words + q / TILE]->rows[p % TILE];
    uint64_t *other = &pairs->rows.tiles[q / TILE * pairs->rows.words + p / TILE]->rows[q % TILE];
    *one ^= bit_of(q);
    if (p != q) {
        assert_int_equal(check(pairs, net, budget), STATUS_INTERNAL); /* in one order only */
        *other ^= bit_of(p);
    }
    assert_int_equal(check(pairs, net, budget), STATUS_INTERNAL);
    *one |= bit_of(q);
    *other |= bit_of(p);
}

static void spoil(struct random *random, struct concurrency *pairs, const struct net *net,
                  struct budget *budget)
{
    assert_int_equal(check(pairs, net, budget), STATUS_OK);
    for (unsigned tries = 0; tries < 40; tries++) {
        uint32_t p = random_below(random, (uint32_t)pairs->places);
        uint32_t q = random_below(random, (uint32_t)pairs->places);
        const struct tile *tile = pairs->rows.tiles[p / TILE * pairs->rows.words + q / TILE];
        if (concurrency_has(pairs, p, q) && tile != pairs->rows.full)
            refuse_without(pairs, net, p, q, budget);
    }
}

static void the_relation_is_the_least_that_is_kept(void **unused)
{
    static struct table table;
    size_t full = 0, related = 0;
    unsigned allowed = 0;
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct budget budget;
        struct random random;
        struct net net;
        struct concurrency pairs;
        budget_init(&budget, NULL, 0);
        random_seed(&random, seed);
        net_init(&net, &budget);
        make_net(&random, &net);
        define(&net, &table);
        assert_int_equal(concurrency_find(&net, &budget, NULL, &pairs), STATUS_OK);
        related += compare(&pairs, &table);
        for (size_t i = 0; i < pairs.rows.words * pairs.rows.words; i++)
            full += pairs.rows.tiles[i] == pairs.rows.full;
        compare_markings(&random, &pairs, &table, &allowed);
        spoil(&random, &pairs, &net, &budget);
        concurrency_release(&pairs);
        net_release(&net);
        assert_int_equal(budget.used, 0);
    }
    print_message("%zu pairs, %zu tiles without a 0, %u large markings\n", related, full, allowed);
    assert_true(full > 0 && related > seeds.count &&
                allowed > 0); /* so that it comes to compare something */
}

/* A chain of 20,000 places with one token: no two lie together, and no memory is taken for them. */
static void tokens_that_never_meet_take_no_memory(void **unused)
{
    struct budget budget;
    struct net net;
    struct concurrency pairs;
    uint32_t places = 20000;
    (void)unused;
    budget_init(&budget, NULL, 0);
    net_init(&net, &budget);
    for (uint32_t p = 0; p < places; p++)
        net_add_place(&net, "p", p == 0, false);
    for (uint32_t p = 0; p + 1 < places; p++)
        net_add_transition(&net, NULL, 0, &(struct arc){p, 1}, 1, &(struct arc){p + 1, 1}, 1);
    size_t before = budget.used;
    assert_int_equal(concurrency_find(&net, &budget, NULL, &pairs), STATUS_OK);
    assert_true(bits_get(pairs.live, places - 1));
    assert_false(concurrency_allow(&pairs, (struct arcs){&(struct arc){places - 1, 2}, 1}));
    assert_true(budget.used - before < (size_t)places * 64); /* a matrix has 20,000 bits for each */
    concurrency_release(&pairs);
    net_release(&net);
    assert_int_equal(budget.used, 0);
}

/* test_concurrency [FIRST_SEED COUNT] */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_relation_is_the_least_that_is_kept),
        cmocka_unit_test(tokens_that_never_meet_take_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
