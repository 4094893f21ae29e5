/* Enumerates all small histories of an object in which nothing is pending: all labellings, and for
 * each all interval orders.
 *
 * Such a history is a labelling, which operations there are, and an interval order: which of them
 * returned before which others were called. Values are numbers without meaning, so labellings are
 * told apart only by how often each value is an operand of each method. An interval order is given
 * by its canonical word: blocks of calls and blocks of returns take turns, each ascending by
 * operation. Every interval order of numbered operations has exactly one such word. */
#ifndef RULES_HISTORY_H
#define RULES_HISTORY_H

#include "base/vector.h"
#include "spec/rule_object.h"
#include "spec/spec.h"

#define HISTORY_MOST_OPERATIONS 12 /* at random */
#define HISTORY_MOST_ENUMERATED 8
#define WORD_RETURN             0x80u

struct labelled_operation {
    uint8_t method; /* of the object's */
    uint8_t value;  /* from 0; an operation without a value has one of its own */
};

struct labelling {
    uint8_t count, value_count;
    struct labelled_operation operations[HISTORY_MOST_OPERATIONS];
};

struct labellings {
    VECTOR(struct labelling) items;
};

/* Calls (the operation's number) and returns (WORD_RETURN added) in their order. */
struct word {
    uint8_t length;
    uint8_t events[2 * HISTORY_MOST_OPERATIONS];
    uint16_t before[HISTORY_MOST_OPERATIONS]; /* bits: what returned before it was called */
};

/* Orders of a labelling's operations, one after another. */
struct legal_orders {
    VECTOR(uint8_t) operations;
    size_t count;
};

/* Of all histories, those that are enumerated. */
enum history_choice {
    HISTORY_ALL,
    HISTORY_MATCHED, /* every value is added once, and taken once by the object's second method;
                        values are added in the order of their numbers, and none is taken before it
                        is added, so that renamings of a history are left out */
    HISTORY_IN_TURN, /* of processes: a release is called when its acquire has returned */
};

/* Appends the labellings of `count` operations, at most HISTORY_MOST_ENUMERATED. False when
 * refused.
 */
bool labellings_find(const struct rule_object *object, unsigned count, enum history_choice choice,
                     struct labellings *labellings) MUST_CHECK;

/* Replaces `orders` by those that the specification allows. STATUS_LIMIT; a fault of the
 * specification. */
enum status legal_orders_find(const struct spec *spec, const struct rule_object *object,
                              const struct labelling *labelling, struct legal_orders *orders,
                              struct error *error) MUST_CHECK;

/* The call that an operation of the labelling is. STATUS_LIMIT; STATUS_INPUT: the specification
 * does not take its value. */
enum status labelled_call_bind(const struct spec *spec, const struct rule_object *object,
                               const struct labelling *labelling, unsigned operation,
                               struct call *call, struct error *error) MUST_CHECK;

/* Whether the operation may come behind those of `done` (bits), whatever the specification says:
 * only who has acquired releases. */
bool labelled_may_follow(const struct rule_object *object, const struct labelling *labelling,
                         unsigned operation, unsigned done);

/* The definition of linearizability: some legal order contains the interval order. */
bool word_is_linearizable(const struct word *word, const struct labelling *labelling,
                          const struct legal_orders *orders);

/* Calls visit(context, word) for each canonical word until it returns false; false if it did. */
bool words_visit(const struct labelling *labelling, enum history_choice choice,
                 bool (*visit)(void *context, const struct word *word), void *context);

#endif
