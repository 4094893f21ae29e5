/* The order of a file is that in which somebody wrote it. Where its times contradict it - logs of
 * several clients one behind the other, say - a violation may be the file's alone. So it is told
 * only if it is one in both orders; with a history that is linearizable in the order of the file
 * there is nobody to accuse, and a warning will do. */
#include "api/both_orders.h"

#include "history/order.h"

#define WHICH                                                                                      \
    "; say whether the order of the file is meant or that of the times (--order=file, "            \
    "--order=time)"

/* The history in the order of its times, and what was decided of it. */
struct by_time {
    enum status status; /* STATUS_INPUT: there is no such order; STATUS_LIMIT */
    struct error error;
    struct check check; /* STATUS_OK */
};

static void decide_by_time(const struct history *history, const struct check_options *options,
                           struct limits *limits, struct by_time *by_time)
{
    struct operation *operations;
    by_time->status = order_by_time(history, &operations, &by_time->error);
    if (by_time->status != STATUS_OK)
        return;
    struct history ordered = *history;
    ordered.operations.items = operations;
    struct check_options verdict_only = *options;
    verdict_only.all = false;
    verdict_only.untold = true;
    by_time->status =
        check_history(&ordered, &verdict_only, limits, &by_time->check, &by_time->error);
    order_release(history, operations);
}

static enum status refuse(const struct history *history, const struct text *said, const char *found,
                          struct error *error)
{
    return error_set(error, STATUS_INPUT, history->name, history->reversal.line,
                     "%s; in the order of the file the history is a violation, %s" WHICH,
                     text_string(said), found);
}

static enum status refuse_without(const struct history *history, const struct text *said,
                                  const struct error *why, struct error *error)
{
    struct text found = TEXT_EMPTY;
    text_append(&found, "and there is no order by the times to compare with (");
    if (why->line)
        text_format(&found, "line %u: ", why->line);
    text_format(&found, "%s)", why->message);
    enum status status = refuse(history, said, text_string(&found), error);
    text_release(&found);
    return status;
}

/* Nobody is accused for want of time or memory. */
static void forget_violation(struct check *check, const struct by_time *by_time)
{
    struct check unknown = {.budget = check->budget,
                            .part_count = check->part_count,
                            .verdict = VERDICT_UNKNOWN,
                            .limit = LIMIT_MEMORY,
                            .methods = check->methods,
                            .explored = check->explored};
    vectors_init(check->budget, &unknown.linearization, &unknown.violations);
    if (by_time->status == STATUS_OK) {
        unknown.limit = by_time->check.limit;
        unknown.parts_decided = by_time->check.parts_decided;
        unknown.covered = by_time->check.covered;
        text_append(&unknown.reason, text_string(&by_time->check.reason));
    } else {
        text_append(&unknown.reason, "the memory limit was reached");
        unknown.covered = unknown.reason.length;
        text_append(&unknown.reason, ": nothing was decided");
    }
    text_append(&unknown.reason, " in the order of the times; in that of the file the history is a "
                                 "violation");
    check_release(check);
    *check = unknown;
}

static void say_order(const struct check *check, const struct by_time *by_time, struct text *said)
{
    static const char *const verdicts[] = {[VERDICT_LINEARIZABLE] = "is linearizable",
                                           [VERDICT_VIOLATION] = "is a violation",
                                           [VERDICT_UNKNOWN] = "was not decided"};
    text_append(said, "; the order of the file was taken");
    if (by_time->status == STATUS_OK)
        text_format(said, "; in the order of the times it %s%s", verdicts[by_time->check.verdict],
                    by_time->check.verdict == check->verdict ? " too" : "");
    else if (by_time->status == STATUS_INPUT)
        text_format(said, "; the times give none (%s)", by_time->error.message);
    if (check->verdict == VERDICT_VIOLATION)
        text_append(said, "; what is told is the violation in the order of the file");
}

/* What the two verdicts come to. */
static enum status weigh(const struct history *history, struct check *check,
                         const struct by_time *by_time, struct text *said, struct error *error)
{
    if (by_time->status != STATUS_OK && by_time->status != STATUS_INPUT &&
        by_time->status != STATUS_LIMIT) {
        *error = by_time->error;
        return by_time->status;
    }
    bool known = by_time->status == STATUS_OK && by_time->check.verdict != VERDICT_UNKNOWN;
    if (check->verdict == VERDICT_VIOLATION) {
        if (by_time->status == STATUS_INPUT)
            return refuse_without(history, said, &by_time->error, error);
        if (known && by_time->check.verdict == VERDICT_LINEARIZABLE)
            return refuse(history, said, "in that of the times it is linearizable", error);
        if (!known)
            forget_violation(check, by_time);
    }
    say_order(check, by_time, said);
    return STATUS_OK;
}

enum status both_orders_check(const struct history *history, const struct check_options *options,
                              struct limits *limits, struct check *check, struct text *said,
                              struct error *error)
{
    text_append(said, "the times run backwards: ");
    order_print_reversal(history, said);
    if (check->verdict == VERDICT_UNKNOWN) {
        text_append(said, "; the order of the file was taken");
        return STATUS_OK;
    }
    struct by_time by_time = {0};
    decide_by_time(history, options, limits, &by_time);
    enum status status = weigh(history, check, &by_time, said, error);
    if (by_time.status == STATUS_OK)
        check_release(&by_time.check);
    return status;
}
