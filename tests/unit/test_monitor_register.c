/* The register's monitor against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "decide/decide.h"
#include "decide/witness.h"
#include "monitor/decision.h"
#include "support/comparison.h"

static const struct workload with_initial = {
    .name = "cas-register with an initial value",
    .spec = "cas-register",
    .initial = "1",
    .calls = {{"read", NULL, "1 #"}, {"write", "#", NULL}, {"cas", "[# #]", NULL}}};

/* Chains of cas that succeed now and then, each value written by few of them. */
static const struct workload chains = {.name = "chains of cas",
                                       .spec = "cas-register",
                                       .calls = {{"cas", "[nil 1]", NULL},
                                                 {"cas", "[1 2]", NULL},
                                                 {"cas", "[2 3]", NULL},
                                                 {"cas", "[3 4]", NULL},
                                                 {"cas", "[5 1]", NULL},
                                                 {"cas", "[1 1]", NULL},
                                                 {"write", "5", NULL},
                                                 {"write", "2", NULL},
                                                 {"read", NULL, "nil 1 2 3 4 5"},
                                                 {"read", NULL, "nil 1 2 3 4 5"}}};

/* Deletions and gets of what is not there, told apart from the initial value. */
static const struct workload deletions = {.name = "map with an initial value",
                                          .spec = "map",
                                          .initial = "0",
                                          .key = ":a",
                                          .calls = {{"put", "[:a #]", NULL},
                                                    {"get", ":a", "nil 0 #"},
                                                    {"get", ":a", "nil 0 #"},
                                                    {"cas", "[:a nil #]", NULL},
                                                    {"delete", ":a", NULL}}};

static const struct story stories[] = {
    {"write 1 [0 1]; read 1 [2 3]; write 2 [4 5]; read 2 [6 7]", NULL, NULL},
    {"read nil [0 1]; write 1 [2 3]; read 1 [4 5]", NULL, NULL},
    {"write 1 [0 1]; write 2 [2 3]; read 1 [4 5]",
     "read returned 1 after 1 had been overwritten by 2", "0 1 2"},
    {"write 1 [0 1]; read nil [2 3]", "read returned nil after nil had been overwritten by 1",
     "0 1"},
    {"read 7 [0 1]; write 1 [2 3]",
     "read returned 7, but 7 was never written, and the initial value is nil", "0"},
    {"read 1 [0 1]; write 1 [2 3]", "read returned 1 before the write of 1 began", "0 1"},
    {"write 1 [0 1]; read 1 [2 5]; write 2 [3 4]; read 1 [6 7]",
     "read returned 1 after 1 had been overwritten by 2", "0 2 3"},

    /* Two values in turn: both zones, and neither within the other. */
    {"write 1 [0 3]; write 2 [1 8]; read 1 [2 4]; read 2 [5 6]; read 1 [7 9]; read 2 [10 11]",
     "read returned 1 after 2 had been in the register, and read returned 2 after 1 had been: one "
     "of them had been overwritten",
     "0 1 3 4 5"},
    /* Reads that overlap both writes see them in either order, but all in the same. */
    {"write 1 [0 5]; write 2 [1 6]; read 1 [2 3]; read 2 [4 7]", NULL, NULL},
    {"write 1 [0 9]; write 2 [1 8]; read 1 [2 3]; read 2 [4 5]; read 1 [6 7]",
     "read returned 1 after 1 had been overwritten by 2", NULL},

    /* A block that ends where a zone begins, and one that begins where it ends. */
    {"write 1 [0 2]; write 2 [1 4]; read 1 [3 5]", NULL, NULL},
    {"write 1 [0 1]; write 2 [2 5]; read 1 [3 4]; read 2 [6 7]", NULL, NULL},

    /* A pending write happened if somebody read it; a pending read constrains nothing. */
    {"write 1 [0 _]; read 1 [1 2]", NULL, NULL},
    {"write 1 [0 _]; read nil [1 2]", NULL, NULL},
    {"write 1 [0 _]; read 1 [1 2]; read nil [3 4]",
     "read returned nil after nil had been overwritten by 1", NULL},
    {"write 1 [0 1]; read ? [2 _]; write 2 [3 4]; read ? [5 6]; read 2 [7 8]", NULL, NULL},

    /* What nobody read may have been written twice. */
    {"write 1 [0 1]; write 1 [2 3]; write 2 [4 5]; write 1 [6 _]; read 2 [7 8]", NULL, NULL},
    {"write 2 [0 1]; write 1 [2 3]; write 1 [4 5]; read 2 [6 7]",
     "read returned 2 after 2 had been overwritten by 1", NULL},
};

static const struct story cas_stories[] = {
    {"write 1 [0 1]; cas [1 2] true [2 3]; cas [2 3] true [4 5]; read 3 [6 7]", NULL, NULL},
    {"write 1 [0 1]; cas [1 2] true [2 3]; read 1 [4 5]",
     "read returned 1 after 1 had been overwritten by 2", "1 2"},
    {"write 1 [0 1]; cas [1 2] true [2 3]; cas [1 4] true [4 5]",
     "cas from 1 to 2 succeeded, and so did cas from 1 to 4, though 1 was written only once",
     "0 1 2"},
    /* Pending ones that each owe their value to another. */
    {"cas [1 2] ? [0 _]; cas [2 1] ? [1 _]; cas [1 3] true [2 3]",
     "cas from 1 to 2 succeeded, and so did cas from 1 to 3, though 1 was written only once",
     "0 1 2"},
    {"cas [1 2] true [0 1]",
     "cas from 1 to 2, but 1 was never written, and the initial value is nil", "0"},
    {"cas [1 2] true [0 1]; cas [2 1] true [2 3]",
     "cas from 1 to 2 succeeded, but 1 was written only by way of what it wrote itself", "0 1"},
    {"write 1 [0 1]; cas [1 2] true [2 3]; write 3 [4 5]; cas [2 4] true [6 7]",
     "cas from 2 to 4 after 2 had been overwritten by 3", NULL},
    /* Replacing a value by itself reads it. */
    {"write 1 [0 1]; cas [1 1] true [2 3]; cas [1 1] true [4 5]; read 1 [6 7]", NULL, NULL},
    /* A pending cas happened if somebody found what it wrote, by way of another even. */
    {"write 1 [0 1]; cas [1 2] ? [2 _]; cas [2 3] ? [3 _]; read 3 [4 5]", NULL, NULL},
    {"write 1 [0 1]; cas [1 2] ? [2 _]; cas [2 3] ? [3 _]; read 3 [4 5]; read 1 [6 7]",
     "read returned 1 after 1 had been overwritten by 3", "1 2 3 4"},
    {"write 1 [0 1]; cas [1 2] ? [2 _]; cas [1 3] true [3 4]; read 3 [5 6]", NULL, NULL},
    /* One that failed found another value. */
    {"write 1 [0 1]; cas [3 2] false [2 3]; read 1 [4 5]", NULL, NULL},
    {"write 1 [0 1]; cas [1 2] false [2 3]; read 1 [4 5]",
     "cas from 1 to 2 failed while 1 was in the register", "0 1 2"},
    /* A write that is read later takes place early, since one failed; a pending cas did. */
    {"write 1 [0 1]; cas [1 2] false [2 5]; write 3 [3 4]; read 3 [6 7]", NULL, NULL},
    {"write 1 [0 1]; read 1 [2 3]; cas [1 5] ? [4 _]; cas [1 2] false [5 6]", NULL, NULL},
    /* A value that was found last when the failed one was over had been there all along. */
    {"write 1 [0 1]; cas [1 2] true [2 9]; cas [1 3] false [3 4]; read 1 [5 6]",
     "cas from 1 to 3 failed while 1 was in the register", "0 2 3"},
    {"write 1 [0 1]; cas [1 3] false [2 3]; cas [1 2] true [4 5]",
     "cas from 1 to 3 failed while 1 was in the register", "0 1 2"},
    /* If it was replaced at once, what replaced it was there by then. */
    {"write 1 [0 1]; cas [1 2] true [2 9]; cas [1 3] false [3 4]; cas [2 4] false [5 6]; "
     "read 2 [7 8]",
     "cas from 2 to 4 failed while 2 was in the register", "0 1 2 3 4"},
    {"write 1 [0 1]; cas [1 2] true [2 9]; cas [1 3] false [3 4]; cas [2 4] false [5 6]; "
     "write 5 [1 8]",
     NULL, NULL},
    /* What replaced it is written once more, but nobody else found that. */
    {"cas [nil 1] true [0 5]; cas [nil 3] false [1 2]; write 1 [3 4]", NULL, NULL},
    /* A pending write is put where one that failed is over, but not where it is needed later. */
    {"write 1 [0 1]; write 2 [2 _]; cas [1 3] false [3 4]", NULL, NULL},
    {"write 1 [0 1]; write 2 [2 _]; cas [1 3] false [3 4]; write 4 [5 6]; cas [4 3] false [7 8]; "
     "write 5 [6 _]",
     NULL, NULL},
};

static const struct story deletion_stories[] = {
    {"put [:a 1] [0 1]; delete :a [2 3]; get :a nil [4 5]; delete :a [6 7]; get :a nil [8 9]", NULL,
     NULL},
    {"delete :a [0 1]; delete :a [2 3]; put [:a 2] [4 5]; get :a nil [6 7]; get :a 2 [8 9]",
     "get returned nil while 2 was in the register", "2 3 4"},
    /* What was put comes before the deletion that it overlaps, since nothing was found. */
    {"delete :a [0 2]; put [:a 1] [1 3]; get :a nil [4 5]", NULL, NULL},
    {"delete :a [0 3]; put [:a 1] [1 2]; get :a nil [4 5]; get :a nil [6 7]", NULL, NULL},
    {"put [:a 1] [0 1]; delete :a [2 3]; cas [:a nil 2] true [4 5]; get :a 2 [6 7]", NULL, NULL},
    {"put [:a 1] [0 1]; delete :a [2 _]; cas [:a nil 2] true [3 4]; get :a 2 [5 6]", NULL, NULL},
    {"put [:a 1] [0 1]; delete :a [2 _]; delete :a [3 _]; get :a nil [4 5]; put [:a 3] [6 7]; "
     "get :a nil [8 9]; get :a nil [10 11]",
     NULL, NULL},
};

static void tells_stories(void **unused)
{
    (void)unused;
    monitor_tell(workload_find("register"), stories, ARRAY_LENGTH(stories));
    monitor_tell(workload_find("cas-register"), cas_stories, ARRAY_LENGTH(cas_stories));
    monitor_tell(workload_find("map of one key"), deletion_stories, ARRAY_LENGTH(deletion_stories));
}

/* What the monitor leaves to others. */
static const struct refusal refusals[] = {
    {"register", "write 1 [0 1]; read 1 [2 3]; write 1 [4 5]", "value 1 is written twice, and read",
     2},
    {"register", "read nil [0 1]; write nil [2 3]",
     "value nil, there at first, is written again, and read", 1},
    {"map", "put [:a 1] [0 1]", "the object is not a register", 1},
    {"map of one key", "get :a {:value 1 :revision 2} [0 1]",
     "the operation does more than read or write a value", 0},
    {"map of one key", "get :a {:value nil :revision 2} [0 1]",
     "the operation does more than read or write a value", 0},
};

static void says_what_it_cannot_decide(void **unused)
{
    (void)unused;
    monitor_refuse(refusals, ARRAY_LENGTH(refusals));
}

static void agrees_with_the_definition(void **unused)
{
    (void)unused;
    monitor_compare(workload_find("register"), 4, 4,
                    &(struct random_comparison){.seed = 1, .least = 10000});
    monitor_compare(workload_find("register"), 0, 1,
                    &(struct random_comparison){.seed = 2, .least = 10000, .values = 4});
    /* What failed, or found what was deleted, may be left to the search. */
    monitor_compare_giving_up(&with_initial, 4, 32,
                              &(struct random_comparison){.seed = 3, .least = 10000, .values = 6},
                              2);
    monitor_compare_giving_up(workload_find("cas-register"), 4, 32,
                              &(struct random_comparison){.seed = 4, .least = 10000, .values = 6},
                              2);
    monitor_compare_giving_up(
        &chains, 0, 1, &(struct random_comparison){.seed = 5, .least = 10000, .invoked = 20}, 5);
    monitor_compare_giving_up(&deletions, 4, 160,
                              &(struct random_comparison){.seed = 6, .least = 10000}, 5);
}

/* Right histories that are too long for the definition: an order is found of eight in ten. */
static void find_orders(const struct workload *workload, uint64_t seed, struct shape shape,
                        const uint32_t pending[3], unsigned histories)
{
    struct subject subject;
    struct sample sample = {0};
    struct random random;
    unsigned found = 0, applies = 0;
    subject_open(&subject, workload);
    random_seed(&random, seed);
    for (unsigned i = 0; i < histories; i++) {
        struct limits limits;
        struct decision decision;
        struct error error = {0};
        shape.pending_percent = pending[i % 3];
        sample_random(&sample, &subject, &random, &shape);
        limits_init(&limits, &subject.budget);
        decision_init(&decision, &subject.budget);
        if (monitor_applies(&sample.part, &limits, NULL)) {
            applies++;
            assert_int_equal(monitor_decide(&sample.part, &limits, &decision, &error), STATUS_OK);
            assert_int_not_equal(decision.verdict, VERDICT_VIOLATION);
            if (decision.verdict == VERDICT_LINEARIZABLE) {
                assert_true(witness_is_valid(&sample.part, decision.linearization.items,
                                             decision.linearization.length, &limits, NULL));
                found++;
            }
        }
        decision_release(&decision);
    }
    print_message("%s: orders of %u of %u histories found\n", workload->name, found, applies);
    assert_true(applies > histories / 2 && found > applies * 8 / 10);
    sample_release(&sample);
    subject_close(&subject);
}

/* What clients of a store do with one key. */
static const struct workload store = {.name = "one key of a store",
                                      .spec = "map",
                                      .key = ":a",
                                      .calls = {{"put", "[:a #]", NULL},
                                                {"put", "[:a #]", NULL},
                                                {"get", ":a", "nil #"},
                                                {"get", ":a", "nil #"},
                                                {"get", ":a", "nil #"},
                                                {"cas", "[:a # #]", NULL},
                                                {"cas", "[:a nil #]", NULL},
                                                {"delete", ":a", NULL}}};

/* What clients of a store do, three at a time. */
static void finds_orders_of_long_histories(void **unused)
{
    (void)unused;
    find_orders(&store, 7, (struct shape){.operations = 2000, .processes = 3},
                (const uint32_t[]){0, 1, 2}, 40);
}

/* Where the monitor finds none, the search does without the pending operations, in few steps. */
static void searches_without_pending_operations(void **unused)
{
    (void)unused;
    struct subject subject;
    struct sample sample = {0};
    struct random random;
    unsigned searched = 0;
    subject_open(&subject, &store);
    random_seed(&random, 9);
    for (unsigned i = 0; i < 12; i++) {
        struct limits limits;
        struct decision decision;
        struct error error = {0};
        enum method method;
        sample_random(&sample, &subject, &random,
                      &(struct shape){
                          .operations = 2000, .processes = 8, .recalled = 4, .pending_percent = 2});
        limits_init(&limits, &subject.budget);
        limits.most_work = 50000;
        decision_init(&decision, &subject.budget);
        assert_int_equal(
            part_decide(&sample.part, METHOD_AUTO, &limits, &decision, &method, &error), STATUS_OK);
        assert_int_equal(decision.verdict, VERDICT_LINEARIZABLE);
        searched += method == METHOD_SEARCH;
        decision_release(&decision);
    }
    print_message("%u of 12 histories searched\n", searched);
    assert_true(searched > 0);
    sample_release(&sample);
    subject_close(&subject);
}

/* Cas that fail now and then, while writes stay pending that may be what they found. */
static void finds_orders_where_many_cas_failed(void **unused)
{
    (void)unused;
    static const struct workload clients = {.name = "clients that use cas",
                                            .spec = "cas-register",
                                            .calls = {{"write", "#", NULL},
                                                      {"read", NULL, "nil #"},
                                                      {"cas", "[# #]", NULL},
                                                      {"cas", "[# #]", NULL},
                                                      {"cas", "[# #]", NULL}}};
    find_orders(&clients, 8, (struct shape){.operations = 2000, .processes = 8, .recalled = 4},
                (const uint32_t[]){5, 10, 30}, 21);
    find_orders(&clients, 10, (struct shape){.operations = 10000, .processes = 8, .recalled = 4},
                (const uint32_t[]){0, 1, 6}, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_stories),
        cmocka_unit_test(says_what_it_cannot_decide),
        cmocka_unit_test(agrees_with_the_definition),
        cmocka_unit_test(finds_orders_of_long_histories),
        cmocka_unit_test(finds_orders_where_many_cas_failed),
        cmocka_unit_test(searches_without_pending_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
