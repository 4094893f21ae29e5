/* Place invariants that are computed: of a net whose cone of weights is known by hand, each of its
 * extreme rays, and nothing besides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "petri/invariants.h"

#define PLACES 3

static bool has_bound(const struct problem *problem, const uint32_t *weights, uint64_t most)
{
    for (size_t i = 0; i < problem->bounds.length; i++) {
        const struct bound *bound = &problem->bounds.items[i];
        bool same = bound->most == most;
        for (uint32_t place = 0; place < PLACES; place++)
            same &= arcs_count(bound->weights, place) == weights[place];
        if (same)
            return true;
    }
    return false;
}

/* From a and c to d, and from a to c and d. Weights y that no transition raises are those with
 * y(a) >= y(c) + y(d): sums of a, a + c and a + d. Another one, as 2a + c + d, says nothing that
 * two of these do not say. */
static void only_extreme_rays_are_kept(void **unused)
{
    (void)unused;
    static const uint32_t rays[][PLACES] = {{1, 0, 0}, {1, 1, 0}, {1, 0, 1}};
    static const uint64_t most[] = {2, 7, 2};
    const struct arc a_and_c[] = {{0, 1}, {1, 1}}, c_and_d[] = {{1, 1}, {2, 1}};
    struct budget budget;
    struct net net;
    struct problem problem;
    budget_init(&budget, NULL, 0);
    net_init(&net, &budget);
    net_add_place(&net, "a", 2, false);
    net_add_place(&net, "c", 5, false);
    net_add_place(&net, "d", 0, false);
    net_add_transition(&net, NULL, 0, a_and_c, 2, &(struct arc){2, 1}, 1);
    net_add_transition(&net, NULL, 0, &(struct arc){0, 1}, 1, c_and_d, 2);
    net_add_target(&net, &(struct arc){2, 3}, 1);
    assert_int_equal(problem_make(&net, &budget, NULL, &problem), STATUS_OK);
    assert_int_equal(invariants_bound(&problem, true, &budget, NULL), STATUS_OK);
    for (size_t i = 0; i < ARRAY_LENGTH(rays); i++)
        assert_true(has_bound(&problem, rays[i], most[i]));
    assert_int_equal(problem.bounds.length, ARRAY_LENGTH(rays));
    problem_release(&problem);
    net_release(&net);
    assert_int_equal(budget.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_extreme_rays_are_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
