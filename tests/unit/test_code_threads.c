/* Real code: locks, conditions, threads and what else lock-based code uses. Each rule of POSIX, C
 * and C++ has a small test, right or wrong, in tests/code/threads.c and threads.cc; here is what
 * comes out of each, by reasoning. */
#include <stdlib.h>
#include <string.h>

#include "support/code_fixture.h"

struct expected {
    const char *test, *scenario; /* null: every operation a thread */
    enum exchange_end end;
    enum finding_kind kind;
    const char *sentence; /* what it must say; null: any */
};

static const struct expected in_c[] = {
    {"wait_right", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"wait_right", "b; a | b", END_COMPLETE, FINDING_NONE, NULL},
    /* One signal, two who wait: it may wake one only. */
    {"wait_right", "a | a | b", END_FINDING, FINDING_WAITS, NULL},
    {"wait_right", "a | a | b; b", END_COMPLETE, FINDING_NONE, NULL},
    {"wait_broadcast", "a | a | b", END_COMPLETE, FINDING_NONE, NULL},
    {"wait_if_wrong", NULL, END_FINDING, FINDING_ASSERTION, NULL},
    {"wait_unsignalled", NULL, END_FINDING, FINDING_WAITS, NULL},
    {"wait_unsignalled", "b; a", END_COMPLETE, FINDING_NONE, NULL},
    {"wait_signalled_early", NULL, END_FINDING, FINDING_WAITS, NULL},
    {"wait_atomic_lost", NULL, END_FINDING, FINDING_WAITS, NULL},
    {"wait_atomic_right", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"wait_no_mutex", "a", END_FINDING, FINDING_MISUSE, "without holding"},
    {"wait_two_mutexes", "a | b", END_FINDING, FINDING_MISUSE, "another mutex"},
    {"wait_timed", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"wait_timed", "a", END_COMPLETE, FINDING_NONE, NULL},
    {"wait_timed_wrong", NULL, END_FINDING, FINDING_ASSERTION, NULL},
    {"wait_turns", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"wait_destroyed", NULL, END_FINDING, FINDING_MISUSE, "for which a thread waits"},
    /* Who is signalled does not wait any more: the next signal is for somebody else. */
    {"wait_one_by_one", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"wait_one_by_one", "a | b", END_FINDING, FINDING_WAITS, NULL},
    {"c11_conditions", "a | a | b", END_COMPLETE, FINDING_NONE, NULL},
    {"c11_timed", "a | a", END_COMPLETE, FINDING_NONE, NULL},
    {"c11_call_once", "a | a", END_COMPLETE, FINDING_NONE, NULL},
    {"c11_thread", "a | a", END_COMPLETE, FINDING_NONE, NULL},
    {"mutex_recursive", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"mutex_checked", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"mutex_itself", "a", END_FINDING, FINDING_DEADLOCK, NULL},
    {"mutex_timed", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"mutex_timed_kept", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"mutex_destroyed_held", "a", END_FINDING, FINDING_MISUSE, "mutex that is held"},
    {"mutex_destroyed", "a", END_FINDING, FINDING_MISUSE, "destroyed"},
    {"mutex_unlocked_by_other", NULL, END_FINDING, FINDING_BAD_UNLOCK, NULL},
    {"mutex_tried_between", NULL, END_FINDING, FINDING_ASSERTION, "seen != 0x0a"},
    {"mutex_tried", NULL, END_FINDING, FINDING_ASSERTION, "failed < 5"},
    {"spin_lock", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"spin_lock", "a; b | a", END_COMPLETE, FINDING_NONE, NULL},
    {"spin_unlocked", "a", END_FINDING, FINDING_BAD_UNLOCK, NULL},
    {"rwlock_right", "read; inc | inc; read", END_COMPLETE, FINDING_NONE, NULL},
    {"rwlock_race", NULL, END_FINDING, FINDING_RACE, NULL},
    {"rwlock_race", "b | b", END_FINDING, FINDING_RACE, NULL},
    {"rwlock_try", "a; b | b", END_COMPLETE, FINDING_NONE, NULL},
    {"rwlock_upgrade", "a", END_FINDING, FINDING_DEADLOCK, NULL},
    {"rwlock_readers", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"rwlock_not_held", "a", END_FINDING, FINDING_BAD_UNLOCK, NULL},
    {"rwlock_destroyed", "a", END_FINDING, FINDING_MISUSE, "read-write lock that is held"},
    {"semaphore_right", "a | a; a", END_COMPLETE, FINDING_NONE, NULL},
    {"semaphore_kept", NULL, END_FINDING, FINDING_WAITS, NULL},
    {"semaphore_order", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"semaphore_order", "b", END_FINDING, FINDING_WAITS, NULL},
    {"semaphore_try", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"semaphore_destroyed", NULL, END_FINDING, FINDING_MISUSE, "semaphore"},
    {"barrier_right", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"barrier_missed", NULL, END_FINDING, FINDING_WAITS, NULL},
    {"barrier_race", NULL, END_FINDING, FINDING_RACE, NULL},
    {"barrier_freed", "a | a", END_COMPLETE, FINDING_NONE, NULL},
    {"once_right", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"once_right", "a | a | a", END_COMPLETE, FINDING_NONE, NULL},
    {"thread_key", "a", END_COMPLETE, FINDING_NONE, NULL},
    {"thread_detached", "a", END_COMPLETE, FINDING_NONE, NULL},
    {"thread_joined_detached", "a", END_FINDING, FINDING_MISUSE, "detached"},
    {"thread_ends", "a | a", END_COMPLETE, FINDING_NONE, NULL},
    {"thread_ends", "a", END_FINDING, FINDING_ASSERTION, NULL}, /* one was freed, not two */
    {"harmless_calls", "a | a", END_COMPLETE, FINDING_NONE, NULL},
    {"long_jump", "a; a", END_COMPLETE, FINDING_NONE, NULL},
    {"long_jump_other", "a | b", END_FINDING, FINDING_MISUSE, "another thread"},
    {"long_jump_other", "a", END_COMPLETE, FINDING_NONE, NULL},
    {"sorts", "a", END_COMPLETE, FINDING_NONE, NULL},
    {"sorts", NULL, END_FINDING, FINDING_RACE, NULL},
    {"numbers", NULL, END_FINDING, FINDING_RACE, NULL},
    {"prints_race", "a | a", END_FINDING, FINDING_RACE, NULL},
    {"time_goes_on", "a | a", END_COMPLETE, FINDING_NONE, NULL},
};

static const struct expected in_cpp[] = {
    {"thread", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"thread", "a | a", END_COMPLETE, FINDING_NONE, NULL},
    {"thread_race", "a", END_FINDING, FINDING_RACE, NULL},
    {"thread_not_joined", "a", END_FINDING, FINDING_ABORT, "terminate"},
    {"thread_throws", "a", END_FINDING, FINDING_EXCEPTION, "function of a thread"},
    {"crossed", NULL, END_FINDING, FINDING_DEADLOCK, NULL},
    {"crossed", "a | a", END_COMPLETE, FINDING_NONE, NULL},
    {"scoped", "a; b | b; a", END_COMPLETE, FINDING_NONE, NULL},
    {"scoped", "a | b | a", END_COMPLETE, FINDING_NONE, NULL},
    {"several", "a | b | a", END_COMPLETE, FINDING_NONE, NULL},
    {"several", "a; b | b; a", END_COMPLETE, FINDING_NONE, NULL},
    {"several_tried", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"several_kept", NULL, END_FINDING, FINDING_DEADLOCK, NULL},
    {"several_kept", "a; b", END_COMPLETE, FINDING_NONE, NULL},
    {"several_awaited", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"several_awaited", "a", END_FINDING, FINDING_WAITS, NULL},
    {"several_again", "a", END_FINDING, FINDING_DEADLOCK, NULL},
    /* Who takes several waits with none of them, so that no order of others is a wrong one. */
    {"several_crossed", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"shared", "a; b | b; a", END_COMPLETE, FINDING_NONE, NULL},
    {"recursive_mutex", "a | a", END_COMPLETE, FINDING_NONE, NULL},
    {"timed_mutex", "a | a", END_COMPLETE, FINDING_NONE, NULL},
    {"condition", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"condition", "a | a | b", END_FINDING, FINDING_WAITS, NULL},
    {"condition_all", "a | a | b", END_COMPLETE, FINDING_NONE, NULL},
    {"condition_if", NULL, END_FINDING, FINDING_ASSERTION, NULL},
    {"condition_for", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"condition_for_wrong", NULL, END_FINDING, FINDING_ASSERTION, NULL},
    {"condition_turns", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"condition_any", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"condition_any", "a | a | b", END_COMPLETE, FINDING_NONE, NULL},
    {"condition_any", "a", END_FINDING, FINDING_WAITS, NULL},
    {"condition_inherited", "a | a", END_COMPLETE, FINDING_NONE, NULL},
    {"any_own", "a | a | b", END_COMPLETE, FINDING_NONE, NULL},
    /* Who takes the lock writes what was not there, so that iterations are without end. */
    {"any_in_turns", NULL, END_TOO_LARGE, FINDING_NONE, NULL},
    {"any_in_turns", "b; a", END_COMPLETE, FINDING_NONE, NULL},
    {"any_sleeping", NULL, END_TOO_LARGE, FINDING_NONE, NULL},
    {"any_sleeping", "b; a", END_COMPLETE, FINDING_NONE, NULL},
    {"any_one", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"any_one", "a | a | b", END_FINDING, FINDING_WAITS, NULL},
    {"any_if", NULL, END_FINDING, FINDING_ASSERTION, NULL},
    {"any_unlocked", NULL, END_FINDING, FINDING_WAITS, NULL},
    {"any_between", "a | a | b", END_COMPLETE, FINDING_NONE, NULL},
    {"any_for", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"any_until", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"any_for_wrong", NULL, END_FINDING, FINDING_ASSERTION, NULL},
    {"any_destroyed", "a | a", END_FINDING, FINDING_MISUSE, "for which a thread waits"},
    {"condition_tried", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"condition_tried", "b | a", END_COMPLETE, FINDING_NONE, NULL},
    {"condition_tried_wrong", NULL, END_FINDING, FINDING_ASSERTION, NULL},
    {"any_tried", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"any_tried_wrong", NULL, END_FINDING, FINDING_ASSERTION, NULL},
    {"any_tried_wrong", "b | a", END_FINDING, FINDING_ASSERTION, NULL},
    {"once", "a | a", END_COMPLETE, FINDING_NONE, NULL},
    {"once_throws", "a | a", END_COMPLETE, FINDING_NONE, NULL},
    {"caught", "a; a | a", END_FINDING, FINDING_RACE, NULL}, /* of the destructors, unlocked */
    {"caught", "a; a", END_COMPLETE, FINDING_NONE, NULL},
    {"caught_within", "a | a", END_COMPLETE, FINDING_NONE, NULL},
    {"uncaught", "a", END_FINDING, FINDING_EXCEPTION, "a"},
    {"not_except", "a", END_FINDING, FINDING_ABORT, "terminate"},
    {"out_of_range", "a | a", END_COMPLETE, FINDING_NONE, NULL},
    {"string", "a | a", END_COMPLETE, FINDING_NONE, NULL},
    {"string_race", NULL, END_FINDING, FINDING_RACE, NULL},
    {"shared_pointer", "a | a | a", END_COMPLETE, FINDING_NONE, NULL},
    {"shared_pointer_race", NULL, END_FINDING, FINDING_RACE, NULL},
    {"containers", "a | a", END_COMPLETE, FINDING_NONE, NULL},
    {"time_passes", "a", END_COMPLETE, FINDING_NONE, NULL},
};

static const struct expected in_cpp20[] = {
    {"condition", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"string", "a | a", END_COMPLETE, FINDING_NONE, NULL},
    {"atomic_wait", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"atomic_not_notified", NULL, END_FINDING, FINDING_WAITS, NULL},
    {"latches", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"atomic_shared", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"atomic_shared", "b | b", END_COMPLETE, FINDING_NONE, NULL},
    {"atomic_shared_race", NULL, END_FINDING, FINDING_RACE, NULL},
    {"jthread", "a | a", END_COMPLETE, FINDING_NONE, NULL},
    {"any_own", "a | a | b", END_COMPLETE, FINDING_NONE, NULL},
    {"any_stop", NULL, END_COMPLETE, FINDING_NONE, NULL},
    {"any_stop_for", NULL, END_COMPLETE, FINDING_NONE, NULL},
};

static size_t find_test(const struct code_fixture *code, const char *name)
{
    for (size_t i = 0; i < code->tests.items.length; i++)
        if (strcmp(code->tests.items.items[i].name, name) == 0)
            return i;
    fail_msg("there is no test %s", name);
    return 0;
}

/* The latch of libstdc++ 12 counts down by a release, and looks then whether anybody waits: by C11
 * that is too little, though no compiler makes use of it. So is the relaxed unlocking of an atomic
 * shared pointer behind a load. */
static enum memory_model last_model(const char *test)
{
    bool is_wrong = strcmp(test, "latches") == 0 || strcmp(test, "atomic_shared") == 0;
    return is_wrong ? MEMORY_TSO : MEMORY_RC11;
}

static enum memory_model first_model(const char *test)
{
    return strcmp(test, "atomic_shared_race") == 0 ? MEMORY_RC11 : MEMORY_SC;
}

/* How often something else came out. */
static unsigned check_one(struct code_fixture *code, const struct expected *expected,
                          const char *by)
{
    static struct exchange_result result;
    unsigned wrong = 0;
    size_t test = find_test(code, expected->test);
    for (int model = (int)first_model(expected->test); model <= (int)last_model(expected->test);
         model++) {
        code_run(code, test, (enum memory_model)model, expected->scenario, &result);
        bool found = result.end == END_FINDING;
        if (result.end == expected->end && (!found || result.finding.kind == expected->kind) &&
            (!expected->sentence || strstr(result.finding.sentence, expected->sentence)))
            continue;
        print_error("%s, %s, %s, model %d: ended with %u, found %u (%s), %u executions\n", by,
                    expected->test, expected->scenario, model, result.end, result.finding.kind,
                    result.finding.sentence, (unsigned)result.executions);
        wrong++;
    }
    return wrong;
}

static void check(const char *variable, const char *compiler, const char *source, const char *flag,
                  const struct expected *expected, size_t count)
{
    struct code_fixture code;
    if (!code_has_compiler(compiler))
        skip();
    setenv(variable, compiler, 1);
    code_build(&code, &source, 1, &flag, 1);
    unsetenv(variable);
    unsigned wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong += check_one(&code, &expected[i], compiler);
    code_release(&code);
    assert_int_equal(wrong, 0);
}

static const char *const c = SOURCE_DIR "/tests/code/threads.c";

static void what_locks_are_made_of_is_right_with_gcc(void **state)
{
    (void)state;
    check("CC", "gcc", c, "-O2", in_c, ARRAY_LENGTH(in_c));
}

static void what_locks_are_made_of_is_right_with_clang(void **state)
{
    (void)state;
    check("CC", "clang", c, "-O1", in_c, ARRAY_LENGTH(in_c));
}

static const char *const cpp = SOURCE_DIR "/tests/code/threads.cc";

static void the_library_of_cpp_is_right_with_gcc(void **state)
{
    (void)state;
    check("CXX", "g++", cpp, "-O2", in_cpp, ARRAY_LENGTH(in_cpp));
}

static void the_library_of_cpp_is_right_with_clang(void **state)
{
    (void)state;
    check("CXX", "clang++", cpp, "-O1", in_cpp, ARRAY_LENGTH(in_cpp));
}

static void the_library_of_cpp20_is_right(void **state)
{
    (void)state;
    check("CXX", "g++", cpp, "-std=gnu++20", in_cpp20, ARRAY_LENGTH(in_cpp20));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_locks_are_made_of_is_right_with_gcc),
        cmocka_unit_test(what_locks_are_made_of_is_right_with_clang),
        cmocka_unit_test(the_library_of_cpp_is_right_with_gcc),
        cmocka_unit_test(the_library_of_cpp_is_right_with_clang),
        cmocka_unit_test(the_library_of_cpp20_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
