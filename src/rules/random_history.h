/* Makes random histories of more operations than can be enumerated, whose violations, if any, stand
 * among much that is in order: that is what automata have to overlook.
 *
 * They are made in two ways: from a legal sequential execution, whose operations are given
 * intervals around the times at which they take effect, and then, mostly, one or two of them
 * another time or another value; or from a small violation, to whose operations others are added
 * that have nothing to do with them. */
#ifndef RULES_RANDOM_HISTORY_H
#define RULES_RANDOM_HISTORY_H

#include "base/random.h"
#include "rules/history.h"

#define RANDOM_LEAST_OPERATIONS 8
#define RANDOM_MOST_OPERATIONS  HISTORY_MOST_OPERATIONS

/* A history by times: equal ones do not overlap, the return comes first. */
struct timed_history {
    struct labelling labelling;
    int32_t called[HISTORY_MOST_OPERATIONS], returned[HISTORY_MOST_OPERATIONS];
};

/* Of `count` operations, at most HISTORY_MOST_OPERATIONS. With HISTORY_IN_TURN clients call in
 * turn; `choice` is not HISTORY_MATCHED. The object has a method that adds values. STATUS_LIMIT;
 * STATUS_INPUT: a fault of the specification. */
enum status random_history(struct random *random, const struct spec *spec,
                           const struct rule_object *object, enum history_choice choice,
                           unsigned count, struct budget *budget, struct timed_history *history,
                           struct error *error) MUST_CHECK;

/* Adds operations that have nothing to do with those there are, until there are `count`. */
void random_history_extend(struct random *random, const struct rule_object *object,
                           enum history_choice choice, unsigned count,
                           struct timed_history *history);

/* Leaves out one operation. */
void timed_history_remove(struct timed_history *history, unsigned operation);

/* The history as one that is enumerated would be written: operations in the order of a labelling,
 * and the canonical word. */
void timed_history_write(const struct timed_history *history, const struct rule_object *object,
                         struct labelling *labelling, struct word *word);

#endif
