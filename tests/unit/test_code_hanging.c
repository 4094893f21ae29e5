/* Real code that waits: it is said to wait for ever where it does, and only there. */
#include <stdlib.h>
#include <string.h>

#include "scenario/places.h"
#include "support/code_fixture.h"

static const char *const SOURCES[] = {SOURCE_DIR "/tests/code/hanging.c"};

enum {
    RETURNS,     /* every operation in every execution */
    MAY_WAIT,    /* some wait for ever, which is right */
    UNDECIDED,   /* executions without end */
    NOT_LOST,    /* the finding, or that it is not decided */
    NO_LIVELOCK, /* none is said to be one, whether or not there is an end */
};

static const struct {
    const char *test, *scenario;
    int finding; /* enum finding_kind, or 0: */
    int outcome;
} CASES[] = {
    {"one", "set_x", 0, RETURNS},
    {"one", "await_x", FINDING_WAITS, 0},
    {"one", "await_x | set_x", 0, RETURNS},
    {"one", "await_x | await_x | set_x", 0, RETURNS},
    {"one", "set_x | await_x; await_x", 0, RETURNS},
    {"one", "await_x | set_and_reset_x", FINDING_WAITS, 0},
    {"one", "set_and_reset_x; set_x | await_x", 0, RETURNS},
    {"one", "set_and_reset_x | set_x | await_x", FINDING_WAITS, 0},
    {"one", "await_x | set_x_to_two", FINDING_WAITS, 0},
    {"one", "await_x | set_x; set_x_to_two", FINDING_WAITS, 0},
    {"one_waits", "await_x", 0, MAY_WAIT},
    {"one_waits", "await_x | set_x", 0, RETURNS},
    {"one_waits", "await_x; set_x | await_x", 0, MAY_WAIT},
    {"one_waits", "await_x | set_and_reset_x", 0, MAY_WAIT},
    {"with_volatile", "await_volatile", FINDING_WAITS, 0},
    {"with_volatile", "await_volatile | set_volatile", 0, RETURNS},

    {"storing_again", "await_storing | choose_to_set", 0, RETURNS},
    {"storing_again", "await_storing | await_storing", FINDING_WAITS, 0},
    {"storing_again", "await_storing | await_storing | choose_to_set", 0, RETURNS},
    {"storing_again", "await_storing | await_storing | choose_to_set | choose_not_to_set",
     FINDING_WAITS, 0},
    {"storing_again_waits", "await_storing | await_storing | choose_to_set", 0, RETURNS},
    {"storing_again_waits", "await_storing | await_storing | choose_not_to_set", 0, MAY_WAIT},

    {"arguments", "walk", 0, RETURNS},
    {"arguments", "walk | walk", 0, RETURNS},
    {"arguments", "exchange_until_two", 0, RETURNS},
    {"arguments", "exchange_until_two | walk", 0, RETURNS},
    {"arguments", "exchange_weakly", 0, RETURNS},

    {"several", "await_both | set_x", FINDING_WAITS, 0},
    {"several", "await_both | set_x; set_y", 0, RETURNS},
    {"several", "await_both | set_x | set_y", 0, RETURNS},
    {"several", "await_either | set_y", 0, RETURNS},
    {"several", "await_either | move", 0, RETURNS},
    {"several", "await_both | move", FINDING_WAITS, 0},
    {"several", "await_sum | move", FINDING_WAITS, 0},
    {"several", "await_sum | set_x | set_y", 0, RETURNS},
    {"several", "await_nested | set_x", 0, RETURNS},
    {"several", "await_nested | set_y; set_x", 0, RETURNS},
    {"several", "await_nested | set_y", FINDING_WAITS, 0},
    {"several", "await_nested | set_and_reset_x", FINDING_WAITS, 0},

    {"searching", "search | set_x", FINDING_WAITS, 0},
    {"searching", "search | search | set_x", FINDING_WAITS, 0},
    {"searching", "search | set_x_to_two", 0, RETURNS},
    {"searching", "search | set_x; set_y", 0, RETURNS},
    {"searching", "search | search | set_x; set_y", 0, RETURNS},

    {"each_other", "give_then_take | take_then_give", 0, RETURNS},
    {"each_other", "take_then_give | other_take_then_give", FINDING_WAITS, 0},

    {"spinning", "spin | spin", 0, RETURNS},
    {"spinning", "spin; spin_and_keep", 0, RETURNS},
    {"spinning", "spin_and_keep | spin", FINDING_WAITS, 0},
    {"spinning", "spin_and_keep | spin_and_keep", FINDING_WAITS, 0},
    {"spinning", "spin_and_keep | spin_and_keep | spin_and_keep", FINDING_WAITS, 0},
    {"spinning", "compare_and_keep | spin", FINDING_WAITS, 0},
    {"spinning", "spin | compare_and_keep; spin", FINDING_WAITS, 0},

    {"mutexes", "lock | lock | lock", 0, RETURNS},
    {"mutexes", "keep", 0, RETURNS},
    {"mutexes", "keep | lock", FINDING_DEADLOCK, 0},
    {"mutexes", "keep; lock", FINDING_DEADLOCK, 0},
    {"mutexes", "lock_both | lock_both", 0, RETURNS},
    {"mutexes", "lock_both | lock_both_the_other_way", FINDING_DEADLOCK, 0},
    {"mutexes", "try_and_keep", 0, RETURNS},
    {"mutexes", "lock | try_and_keep", FINDING_DEADLOCK, 0},
    {"mutexes", "try_and_keep | try_and_keep", FINDING_WAITS, 0},
    {"mutexes", "lock; try_and_keep | lock_both; lock", FINDING_DEADLOCK, 0},

    {"mixed", "wait_locked | set_x", 0, RETURNS},
    {"mixed", "wait_locked | set_locked", FINDING_WAITS, 0},
    {"mixed", "set_locked; wait_locked", 0, RETURNS},

    {"threads", "create_and_join | set_x", 0, RETURNS},
    {"threads", "create_and_join", FINDING_WAITS, 0},
    {"threads", "create_and_leave", 0, MAY_WAIT}, /* the operation has returned */
    {"threads", "create_and_leave | set_x", 0, RETURNS},

    {"looking", "poll", FINDING_WAITS, 0},
    {"looking", "fill; poll", 0, RETURNS},
    {"looking", "poll | fill", 0, RETURNS},
    {"looking", "poll | poll | fill", 0, RETURNS},
    {"looking", "poll; poll | fill | fill", 0, RETURNS},
    {"looking", "poll_holding", FINDING_WAITS, 0},
    {"looking", "poll_holding | poll | fill", 0, RETURNS},
    {"looking", "poll_holding | fill_holding", FINDING_WAITS, 0},
    {"looking", "poll_both | fill; add_one", FINDING_WAITS, 0},
    {"looking", "poll_both | fill | add_one; add_one", 0, RETURNS},
    {"looking", "poll_both | add_one; fill; add_one", 0, RETURNS},
    {"noticed", "look_and_leave | ask_to_stop", 0, RETURNS},
    {"noticed", "look_and_leave | ask_to_stop | count_once_gone", FINDING_RACE, NOT_LOST},
    {"noticed", "poll_until_told | fill_if_held", FINDING_ABORT, NOT_LOST},

    {"letters", "send", 0, NOT_LOST},
    {"letters", "send | send", 0, NOT_LOST},
    {"letters", "send_in_vain", FINDING_WAITS, NOT_LOST},
    {"letters", "send | send_in_vain", FINDING_WAITS, NOT_LOST},

    {"writing", "polite", 0, RETURNS},
    {"writing", "polite; as_polite", 0, RETURNS},
    {"writing", "polite | as_polite", FINDING_LIVELOCK, 0},
    {"writing", "polite | as_polite; polite", FINDING_LIVELOCK, 0},
    {"writing", "await_counting", 0, UNDECIDED},
    {"writing", "toggle_for_ever", FINDING_LIVELOCK, 0},
    {"writing", "toggle_until_y | polite", FINDING_WAITS, 0},
    {"writing", "toggle_until_y | set_and_reset_y", FINDING_WAITS, 0},
    {"writing", "toggle_until_y | as_polite", FINDING_WAITS, 0},
    {"writing", "toggle_until_timeout", 0, UNDECIDED},
    {"writing", "draw_until_even", 0, UNDECIDED},

    {"backing_off", "try_other_way | try_one_way", FINDING_LIVELOCK, 0},
    {"backing_off", "try_one_way | try_one_way", 0, NO_LIVELOCK},
    {"backing_off", "wait_one_way | wait_other_way", 0, NO_LIVELOCK}, /* as std::lock does */
    {"backing_off", "keep_own | try_one_way", FINDING_WAITS, 0},
    {"spinning_under", "poll_spinning | fill_spinning", 0, NO_LIVELOCK},
    {"spinning_under", "poll_spinning", FINDING_LIVELOCK, 0},
    {"toggling", "toggle_until_y", 0, MAY_WAIT},
    {"toggling", "poll_spinning", 0, UNDECIDED}, /* which may go on for ever */
    {"toggling", "poll_spinning | polite", 0, UNDECIDED},

    {"elsewhere", "draw_under_lock", 0, RETURNS},
    {"elsewhere", "count_in_key", 0, RETURNS},
    {"elsewhere", "look_twice_holding | set_x", 0, RETURNS},

    {"lock_waits", "acquire | acquire", 0, MAY_WAIT},
    {"lock_waits", "acquire; release | acquire", 0, MAY_WAIT},
    {"lock_waits", "acquire; acquire", 0, MAY_WAIT},
    {"lock_waits", "acquire; release; acquire | acquire", 0, MAY_WAIT},
    {"lock_returns", "acquire", 0, RETURNS},
    {"lock_returns", "acquire | acquire", 0, MAY_WAIT}, /* the specification says so */
    {"lock_lost", "acquire; release", 0, RETURNS},
    {"lock_lost", "acquire; release | acquire", FINDING_WAITS, 0},

    {"box", "dequeue", 0, MAY_WAIT},
    {"box", "enqueue 1 | dequeue", 0, RETURNS},
    {"box", "dequeue; dequeue | enqueue 1", 0, MAY_WAIT},
    {"box", "enqueue 1; enqueue 2", FINDING_WAITS, 0},
    {"box", "enqueue 1; enqueue 2 | dequeue", 0, RETURNS},
    {"box_bounded", "enqueue 1; enqueue 2", 0, MAY_WAIT},
    {"box_bounded", "enqueue 1; enqueue 2 | dequeue", 0, RETURNS},
    {"box_bounded", "enqueue 1; enqueue 2; enqueue 3 | dequeue", 0, MAY_WAIT},
    {"box_lost", "dequeue", 0, MAY_WAIT},
    {"box_lost", "enqueue 1; dequeue", FINDING_WAITS, 0},
    {"box_lost", "enqueue 1 | dequeue", FINDING_WAITS, 0},
};

static size_t number_of(const struct code_fixture *code, const char *name)
{
    for (size_t i = 0; i < code->tests.items.length; i++)
        if (strcmp(code->tests.items.items[i].name, name) == 0)
            return i;
    fail_msg("there is no test %s", name);
    return 0;
}

static void check_case(struct code_fixture *code, size_t i, enum memory_model model,
                       const char *how)
{
    struct exchange_result result;
    enum exchange_end end = CASES[i].finding                ? END_FINDING
                            : CASES[i].outcome == UNDECIDED ? END_TOO_LARGE
                                                            : END_COMPLETE;
    code_run(code, number_of(code, CASES[i].test), model, CASES[i].scenario, &result);
    if (CASES[i].outcome == NOT_LOST && result.end == END_TOO_LARGE)
        return;
    if (CASES[i].outcome == NO_LIVELOCK &&
        (result.end == END_TOO_LARGE || result.end == END_COMPLETE))
        return;
    bool right = result.end == end && (int)result.finding.kind == CASES[i].finding;
    /* clang does not tell reads of a thread's own stack: what waits for one goes round, locking. */
    if (CASES[i].outcome == NOT_LOST && CASES[i].finding == FINDING_WAITS)
        right |= result.end == end && result.finding.kind == FINDING_LIVELOCK;
    if (end == END_COMPLETE)
        right &= (result.hanging > 0) == (CASES[i].outcome == MAY_WAIT);
    if (!right)
        fail_msg("%s: %s under model %d, %s: ended with %u, found %u, %llu of %llu hang",
                 CASES[i].test, CASES[i].scenario, model, how, result.end, result.finding.kind,
                 (unsigned long long)result.hanging, (unsigned long long)result.executions);
    if (CASES[i].finding &&
        CASES[i].outcome != NOT_LOST) { /* the last step is one that is done again and again */
        const struct execution_graph *graph = &result.graph;
        const struct execution_event *last = &graph->events[graph->replay[graph->replay_count - 1]];
        assert_true(result.goes_round || last->index > result.waits[last->thread].since);
        assert_true(result.goes_round == (result.finding.kind == FINDING_LIVELOCK));
        assert_true(!result.goes_round || result.round < graph->replay_count);
    }
}

static void check(const char *compiler, const char *flag)
{
    struct code_fixture code;
    if (!code_has_compiler(compiler))
        skip();
    setenv("CC", compiler, 1);
    code_build(&code, SOURCES, 1, &flag, 1);
    for (size_t i = 0; i < ARRAY_LENGTH(CASES); i++)
        for (int model = MEMORY_SC; model <= MEMORY_RC11; model++)
            check_case(&code, i, (enum memory_model)model, flag);
    code_release(&code);
    unsetenv("CC");
}

static void what_waits_for_ever_is_found_in_what_gcc_makes(void **state)
{
    (void)state;
    check("gcc", "-O2");
    check("gcc", "-O0");
}

static void what_waits_for_ever_is_found_in_what_clang_makes(void **state)
{
    (void)state;
    check("clang", "-O2");
    check("clang", "-O0");
}

/* Code that comes to no access which threads share, and does not end: nothing is said of it but
 * where it is. Half a second of processor time is enough to tell here, however busy the machine. */
static const char *const endless =
    "#include <linchpin/test.h>\n"
    "#include <stdatomic.h>\n"
    "static atomic_int x; static int table[4], sum;\n"
    "static lp_int set(void *o, lp_int v) { (void)o; (void)v; x = 1; return LP_DONE; }\n"
    "static lp_int alone(void *o, lp_int v) { (void)o; (void)v;\n"
    "    unsigned n = 1;\n"
    "    while (n != 0 && x == 2) n = 1;\n"
    "    if (x == 1)\n"
    "        for (;;) {\n" /* line 9 */
    "        }\n"
    "    return LP_DONE; }\n"
    "static lp_int plain(void *o, lp_int v) { (void)o; (void)v;\n"
    "    if (x == 1)\n"
    "        for (unsigned i = 0; table[i % 4] == 0;) i++;\n" /* line 14 */
    "    return LP_DONE; }\n"
    "static lp_int adds(void *o, lp_int v) { (void)o; (void)v;\n"
    "    for (int i = 0; i < 10000; i++) sum += table[i % 4];\n"
    "    return LP_DONE; }\n"
    "static int step(void *state, const lp_sequential_call *call, lp_int *result) {\n"
    "    (void)call; *result = LP_DONE;\n"
    "    while (*(volatile int *)state == 0) {}\n" /* line 21 */
    "    return 1; }\n"
    "static void *up(void) { while (table[0] == 0) {} return 0; }\n" /* line 23 */
    "static const lp_sequential spec = {.size = sizeof(int), .step = step};\n"
    "LP_TEST(alone, .ops = {{\"set\", set}, {\"a\", alone}});\n"
    "LP_TEST(plain, .ops = {{\"set\", set}, {\"a\", plain}});\n"
    "LP_TEST(adds, .ops = {{\"set\", set}, {\"a\", adds}});\n"
    "LP_TEST(steps, .ops = {{\"a\", set}}, .sequential = &spec);\n"
    "LP_TEST(begins, .setup = up, .ops = {{\"a\", set}});\n";

static void what_comes_to_no_access_is_named(void **state)
{
    static const struct {
        const char *scenario, *says; /* null: it comes to its end */
        unsigned line;
    } expected[] = {{"set | a", "no access", 9},
                    {"set | a", "no access", 14},
                    {"set | a", NULL, 0},
                    {"a", "step of the specification", 21},
                    {"a", "setup", 23}};
    const struct exchange_request wishes = {.model = MEMORY_SC, .patience = 500};
    static struct exchange_result result;
    struct code_fixture code;
    (void)state;
    code_build_text(&code, endless, ".c", "-O0");
    for (size_t i = 0; i < ARRAY_LENGTH(expected); i++) {
        code_explore(&code, i, &wishes, expected[i].scenario, &result);
        if (!expected[i].says) {
            assert_int_equal(result.end, END_COMPLETE);
            continue;
        }
        struct place place;
        struct error error;
        assert_int_equal(result.end, END_ENDLESS);
        assert_non_null(strstr(result.finding.sentence, expected[i].says));
        assert_int_equal(
            places_find(text_string(&code.program), &result.at, 1, &code.budget, &place, &error),
            STATUS_OK);
        assert_int_equal(place.line, expected[i].line);
        places_release(&place, 1);
    }
    code_release(&code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_to_no_access_is_named),
        cmocka_unit_test(what_waits_for_ever_is_found_in_what_gcc_makes),
        cmocka_unit_test(what_waits_for_ever_is_found_in_what_clang_makes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
