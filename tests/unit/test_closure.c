/* The pair abstraction (petri/closure.h) of small random systems: the relation is the least one of
 * its definition, configurations of few threads are covered, the check accepts it, and refuses it
 * without any of its facts, or with other moves.
 *
 *     test_closure [FIRST_SEED [COUNT]] */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "petri/closure.h"
#include "support/seeds.h"

enum {
    CONTROLS = 3,
    LOCALS = 4,
    MOVES = 2, /* of a pair, at most */
    THREADS = 4,
    MOST_CONFIGURATIONS = 400,
};

static struct seeds seeds = {1, 300};

struct system {
    unsigned local_count, control_count;
    uint32_t initial[CONTROLS];
    unsigned counts[CONTROLS][LOCALS];
    struct closure_move moves[CONTROLS][LOCALS][MOVES];
    bool refused[CONTROLS][LOCALS], refuses;
    bool scattered; /* local states have numbers that are far apart, but for the initial ones */
};

static uint32_t number_of(const struct system *system, uint32_t local)
{
    return system->scattered && local >= system->local_count ? 65 * local : local;
}

static uint32_t local_of(uint32_t number)
{
    return number < LOCALS ? number : number / 65;
}

struct relation {
    bool possible[CONTROLS][LOCALS];
    bool beside[CONTROLS][LOCALS][LOCALS];
};

static bool is_initial(const struct system *system, uint32_t control)
{
    for (unsigned i = 0; i < system->control_count; i++)
        if (system->initial[i] == control)
            return true;
    return false;
}

static void make_system(struct system *system, struct random *random)
{
    *system = (struct system){.local_count = 1 + random_below(random, 3),
                              .refuses = random_below(random, 2),
                              .scattered = random_below(random, 2)};
    for (uint32_t c = 0; c < CONTROLS; c++)
        if (c == 0 || random_chance(random, 1, 4))
            system->initial[system->control_count++] = c;
    for (uint32_t c = 0; c < CONTROLS; c++)
        for (uint32_t l = 0; l < LOCALS; l++) {
            const bool begins = is_initial(system, c) && l < system->local_count;
            system->refused[c][l] = system->refuses && !begins && random_chance(random, 1, 5);
            system->counts[c][l] = random_below(random, MOVES + 1);
            for (unsigned i = 0; i < system->counts[c][l]; i++)
                system->moves[c][l][i] = (struct closure_move){random_below(random, CONTROLS),
                                                               random_below(random, LOCALS), NULL};
        }
}

static enum status list_moves(void *user, uint32_t control, uint32_t local,
                              struct closure_moves *out, struct error *error)
{
    const struct system *system = user;
    (void)error;
    local = local_of(local);
    for (unsigned i = 0; i < system->counts[control][local]; i++) {
        struct closure_move move = system->moves[control][local][i];
        move.local = number_of(system, move.local);
        TRY_MEMORY(vector_push(&out->list, move));
    }
    return STATUS_OK;
}

static bool admits(void *user, uint32_t control, uint32_t local)
{
    return !((const struct system *)user)->refused[control][local_of(local)];
}

static bool are_together(const struct closure *closure, uint32_t control, uint32_t one,
                         uint32_t other)
{
    return other < closure->local_count && closure_together(closure, control, one, other);
}

/* ---- the definition ---- */

static bool add(bool *fact)
{
    const bool is_new = !*fact;
    *fact = true;
    return is_new;
}

/* What a move makes true. Whether anything was not. */
static bool keep_by(const struct system *system, struct relation *relation, uint32_t control,
                    uint32_t local, const struct closure_move *move)
{
    const uint32_t to = move->control;
    bool along[LOCALS], grown = false;
    if (system->refused[to][move->local])
        return false;
    for (uint32_t m = 0; m < LOCALS; m++)
        along[m] = relation->beside[control][local][m] && !system->refused[to][m];
    grown |= add(&relation->possible[to][move->local]);
    for (uint32_t m = 0; m < LOCALS; m++) {
        if (!along[m])
            continue;
        grown |= add(&relation->possible[to][m]);
        grown |= add(&relation->beside[to][m][move->local]);
        grown |= add(&relation->beside[to][move->local][m]);
        for (uint32_t n = 0; n < LOCALS; n++)
            if (along[n] && relation->beside[control][m][n])
                grown |= add(&relation->beside[to][m][n]);
    }
    return grown;
}

static void find_least(const struct system *system, struct relation *relation)
{
    *relation = (struct relation){0};
    for (unsigned i = 0; i < system->control_count; i++)
        for (uint32_t l = 0; l < system->local_count; l++) {
            relation->possible[system->initial[i]][l] = true;
            for (uint32_t m = 0; m < system->local_count; m++)
                relation->beside[system->initial[i]][l][m] = l != m || l == 0;
        }
    for (bool grown = true; grown;) {
        grown = false;
        for (uint32_t c = 0; c < CONTROLS; c++)
            for (uint32_t l = 0; l < LOCALS; l++)
                for (unsigned i = 0; relation->possible[c][l] && i < system->counts[c][l]; i++)
                    grown |= keep_by(system, relation, c, l, &system->moves[c][l][i]);
    }
}

/* ---- configurations ---- */

struct configuration {
    uint32_t control;
    uint8_t threads[LOCALS]; /* in each local state */
};

struct reached {
    struct configuration items[MOST_CONFIGURATIONS];
    size_t count;
};

static bool is_refused(const struct system *system, const struct configuration *configuration)
{
    for (uint32_t l = 0; l < LOCALS; l++)
        if (configuration->threads[l] && system->refused[configuration->control][l])
            return true;
    return false;
}

static void reach(const struct system *system, struct reached *reached,
                  const struct configuration *configuration)
{
    if (reached->count == MOST_CONFIGURATIONS || is_refused(system, configuration))
        return;
    for (size_t i = 0; i < reached->count; i++)
        if (memcmp(&reached->items[i], configuration, sizeof *configuration) == 0)
            return;
    reached->items[reached->count++] = *configuration;
}

static void expect_covered(const struct system *system, const struct closure *closure,
                           uint64_t seed)
{
    struct reached reached = {0};
    for (unsigned i = 0; i < system->control_count; i++) {
        struct configuration first = {.control = system->initial[i]};
        for (uint32_t l = 1; l < system->local_count; l++)
            first.threads[l] = 1;
        for (; first.threads[0] + system->local_count - 1 <= THREADS; first.threads[0]++)
            reach(system, &reached, &first);
    }
    for (size_t at = 0; at < reached.count; at++) {
        const struct configuration here = reached.items[at];
        for (uint32_t l = 0; l < LOCALS; l++) {
            if (!here.threads[l])
                continue;
            const uint32_t number = number_of(system, l);
            bool covered = closure_has(closure, here.control, number);
            for (uint32_t m = 0; m < LOCALS; m++)
                if (here.threads[m] > (m == l))
                    covered &= are_together(closure, here.control, number, number_of(system, m));
            if (!covered)
                fail_msg("seed %" PRIu64 ": a thread in %u at control %u is not covered", seed, l,
                         here.control);
            for (unsigned i = 0; i < system->counts[here.control][l]; i++) {
                const struct closure_move *move = &system->moves[here.control][l][i];
                struct configuration next = here;
                next.control = move->control;
                next.threads[l]--;
                next.threads[move->local]++;
                reach(system, &reached, &next);
            }
        }
    }
}

/* ---- the closure ---- */

struct trial {
    const struct system *system;
    struct budget budget;
    struct limits limits;
    struct closure closure;
    struct error error;
};

static void open_trial(struct trial *trial, struct system *system)
{
    const struct closure_source source = {system, list_moves, system->refuses ? admits : NULL};
    trial->system = system;
    budget_init(&trial->budget, NULL, 0);
    limits_init(&trial->limits, &trial->budget);
    closure_init(&trial->closure, &source, &trial->budget);
    assert_true(closure_begin(&trial->closure, system->initial, system->control_count,
                              system->local_count));
    assert_int_equal(closure_run(&trial->closure, &trial->limits, &trial->error), STATUS_OK);
}

static void close_trial(struct trial *trial)
{
    closure_release(&trial->closure);
    assert_int_equal(trial->budget.used, 0);
}

static enum status check(struct trial *trial)
{
    return closure_check(&trial->closure, trial->system->initial, trial->system->control_count,
                         trial->system->local_count, &trial->limits, &trial->error);
}

static void expect_least(const struct trial *trial, const struct relation *least, uint64_t seed)
{
    for (uint32_t c = 0; c < CONTROLS; c++)
        for (uint32_t l = 0; l < LOCALS; l++) {
            const uint32_t number = number_of(trial->system, l);
            bool same = closure_has(&trial->closure, c, number) == least->possible[c][l];
            for (uint32_t m = 0; m < LOCALS; m++)
                same &= are_together(&trial->closure, c, number, number_of(trial->system, m)) ==
                        least->beside[c][l][m];
            if (!same)
                fail_msg("seed %" PRIu64 ": local state %u at control %u", seed, l, c);
        }
}

static void expect_refused(struct trial *trial, uint64_t seed, const char *what, uint32_t pair)
{
    if (check(trial) != STATUS_INTERNAL)
        fail_msg("seed %" PRIu64 ": accepted with %s of pair %u", seed, what, pair);
}

/* Each change is taken back. How many there were. */
static unsigned spoil_pair(struct trial *trial, uint64_t seed, uint32_t control, uint32_t number)
{
    struct closure *closure = &trial->closure;
    struct closure_pair *pair = &closure->pairs.items[number];
    const struct closure_pair kept = *pair;
    uint32_t *entry = &closure->numbers[control * closure->number_columns + pair->local];
    unsigned changes = 2;
    *entry = 0;
    expect_refused(trial, seed, "no number", number);
    *entry = number + 1;
    for (uint32_t m = 0; m < LOCALS; m++) {
        const uint32_t other = number_of(trial->system, m);
        if (!are_together(closure, control, pair->local, other))
            continue;
        bits_clear(closure_beside(closure, number), other);
        expect_refused(trial, seed, "one fact less", number);
        bits_set(closure_beside(closure, number), other);
        changes++;
    }
    pair->first = NET_NONE;
    expect_refused(trial, seed, "no moves", number);
    *pair = kept;
    for (uint32_t i = 0; i < kept.count; i++, changes += 2) {
        struct closure_move *move = &closure->moves.list.items[kept.first + i];
        const struct closure_move before = *move;
        move->control = (before.control + 1) % CONTROLS;
        expect_refused(trial, seed, "another control", number);
        *move = before;
        move->local = number_of(trial->system, (local_of(before.local) + 1) % LOCALS);
        expect_refused(trial, seed, "another local state", number);
        *move = before;
    }
    if (kept.count) {
        pair->count--;
        expect_refused(trial, seed, "one move less", number);
        *pair = kept;
    }
    return changes;
}

static void closures_of_random_systems(void **unused)
{
    (void)unused;
    unsigned changes = 0;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random random;
        struct system system;
        struct relation least;
        struct trial trial;
        random_seed(&random, seed);
        make_system(&system, &random);
        find_least(&system, &least);
        open_trial(&trial, &system);
        expect_least(&trial, &least, seed);
        expect_covered(&system, &trial.closure, seed);
        assert_int_equal(check(&trial), STATUS_OK);
        for (uint32_t c = 0; c < trial.closure.controls.length; c++)
            for (size_t i = 0; i < trial.closure.controls.items[c].pairs.length; i++)
                changes +=
                    spoil_pair(&trial, seed, c, trial.closure.controls.items[c].pairs.items[i]);
        assert_int_equal(check(&trial), STATUS_OK);
        close_trial(&trial);
    }
    printf("seeds %" PRIu64 " to %" PRIu64 ": %u changes are refused\n", seeds.first,
           seeds.first + seeds.count - 1, changes);
    assert_true(changes > seeds.count);
}

int main(int argc, char **argv)
{
    seeds_from_arguments(&seeds, argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(closures_of_random_systems)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
