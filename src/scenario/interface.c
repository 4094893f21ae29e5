#include "scenario/interface.h"

#include <inttypes.h>

/* LP_FRESH of linchpin/test.h */
static bool is_new_value(int64_t from, int64_t to)
{
    return from == 1 && to == -1;
}

static enum status refuse(const struct exchange_operation *operation, const char *why,
                          struct error *error)
{
    return error_set(error, STATUS_USAGE, NULL, 0, "operation %s: %s", operation->name, why);
}

static bool is_flag(int64_t number)
{
    return number > 0 && (number & ~(int64_t)EXCHANGE_ALL_FLAGS) == 0;
}

static enum status check_range(const struct exchange_operation *operation, int64_t from, int64_t to,
                               struct error *error)
{
    if (is_flag(from) || is_flag(to))
        return refuse(operation,
                      "expected the range of its argument, and the only thread that may call it, "
                      "in front of its flags (without an argument 0, 0, 0, LP_MAY_FAIL), found a "
                      "flag as an end of the range",
                      error);
    if (from <= to || is_new_value(from, to))
        return STATUS_OK;
    return error_set(error, STATUS_USAGE, NULL, 0,
                     "operation %s: expected a range from a number up to another, or LP_FRESH, "
                     "found %" PRId64 " to %" PRId64,
                     operation->name, from, to);
}

static enum status check(const struct exchange_operation *operation, struct error *error)
{
    if (!operation->can_run)
        return refuse(operation, "expected a function to call, found a null pointer", error);
    if (operation->runs_both_ways)
        return refuse(operation,
                      "expected run, or run2 for two arguments, or run3 for three, found several",
                      error);
    if (is_flag(operation->only_thread))
        return refuse(operation,
                      "expected the only thread that may call it in front of its flags, or 0 for "
                      "any (as in LP_FRESH, 0, LP_MAY_FAIL), found a flag",
                      error);
    if (operation->only_thread < 0 || operation->only_thread > SCENARIO_THREADS)
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "operation %s: expected only_thread from 1 to %d, or 0, found %d",
                         operation->name, SCENARIO_THREADS, operation->only_thread);
    if (operation->flags & ~(uint32_t)EXCHANGE_ALL_FLAGS)
        return refuse(operation,
                      "expected flags LP_MAY_FAIL, LP_MAY_WAIT and LP_ONCE, found others", error);
    if (!operation->takes_two && (operation->from2 || operation->to2))
        return refuse(operation, "has a range for a second argument, but no run2 that takes it",
                      error);
    if (!operation->takes_three && (operation->from3 || operation->to3))
        return refuse(operation, "has a range for a third argument, but no run3 that takes it",
                      error);
    TRY(check_range(operation, operation->from, operation->to, error));
    TRY(check_range(operation, operation->from2, operation->to2, error));
    return check_range(operation, operation->from3, operation->to3, error);
}

enum status test_interface_init(struct test_interface *made, const struct exchange_test *test,
                                struct error *error)
{
    if (test->operation_count == 0)
        return error_set(error, STATUS_USAGE, NULL, 0, "test %s has no operations", test->name);
    for (uint32_t i = 0; i < test->operation_count; i++) {
        const struct exchange_operation *operation = &test->operations[i];
        TRY(check(operation, error));
        made->operations[i] =
            (struct scenario_operation){.name = operation->name,
                                        .from = operation->from,
                                        .to = operation->to,
                                        .only_thread = operation->only_thread,
                                        .is_once = operation->flags & EXCHANGE_ONCE,
                                        .takes_two = operation->takes_two,
                                        .from2 = operation->from2,
                                        .to2 = operation->to2,
                                        .takes_three = operation->takes_three,
                                        .from3 = operation->from3,
                                        .to3 = operation->to3};
    }
    made->interface =
        (struct scenario_interface){.operations = made->operations, .count = test->operation_count};
    return STATUS_OK;
}
