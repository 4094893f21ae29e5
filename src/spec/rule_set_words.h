/* All short words that the rules of a set could derive, whether or not they do.
 *
 * A shape is what the events of one group are: the methods of an expression, each closure standing
 * for some number of events; of input methods that stand for the same calls there is at most one. A
 * labelling is a multiset of shapes: which events there are. Its words are their orders, each once:
 * events that are the same, and groups of one shape, are not told apart; of ordered sets every
 * order of the values is tried. */
#ifndef SPEC_RULE_SET_WORDS_H
#define SPEC_RULE_SET_WORDS_H

#include "base/vector.h"
#include "spec/rule_set.h"

#define RULE_MOST_EVENTS 8

struct rule_shape {
    uint8_t count;
    uint8_t methods[RULE_MOST_EVENTS]; /* ascending */
};

struct rule_shapes {
    VECTOR(struct rule_shape) items;
};

/* Events by group, groups by shape. */
struct rule_labelling {
    uint8_t count, group_count;
    struct rule_event events[RULE_MOST_EVENTS];
    uint32_t shapes[RULE_MOST_EVENTS]; /* of each group: its number */
};

/* Appends the shapes of at most `most` events, each once. False when refused. */
bool rule_shapes_find(const struct rule_set *set, unsigned most,
                      struct rule_shapes *shapes) MUST_CHECK;

/* Calls visit(context, labelling) for each labelling of `count` events until it returns false;
 * false if it did. */
bool rule_labellings_visit(const struct rule_shapes *shapes, unsigned count,
                           bool (*visit)(void *context, const struct rule_labelling *labelling),
                           void *context);

/* The same for the words of a labelling. */
bool rule_words_visit(const struct rule_set *set, const struct rule_labelling *labelling,
                      bool (*visit)(void *context, const struct rule_word *word), void *context);

/* Appends "Enq a, Enq b, Deq a": groups are letters in the order in which they begin, in ordered
 * sets in that of their values. */
struct text;
void rule_word_print(const struct rule_set *set, const struct rule_word *word, struct text *text);

#endif
