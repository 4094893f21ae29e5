/* Unifies states that no operation of a part can tell apart: a quotient by bisimulation, for keys
 * to which strings or lists are appended.
 *
 * Appending makes a state of every order of the appends. But a string (or list) that no known
 * result of the part begins with can never be seen, nor can what becomes of it by appending: until
 * it is overwritten it makes no difference which string it is. So all unseen values that can be
 * appended to in the same way count as one, and the search explores what follows them once. (The
 * relation is a bisimulation: appending leads from unseen to unseen, writing and deleting to equal
 * states, and only a get whose result is not known is legal in either.) */
#ifndef SEARCH_UNOBSERVABLE_H
#define SEARCH_UNOBSERVABLE_H

#include "history/part.h"

#define UNOBSERVABLE_KINDS 3

struct unobservable {
    struct budget *budget;
    bool applies;
    value *seen; /* known results, in lexicographic order */
    size_t seen_count, seen_room;
    value representatives[UNOBSERVABLE_KINDS]; /* VALUE_REFUSED: none met yet */
};

/* It applies to one key of a map that is got, put, appended to and deleted, and to nothing else.
 * False when a budget refuses; to be released all the same. */
bool unobservable_init(struct unobservable *unobservable, const struct part *part,
                       struct budget *budget) MUST_CHECK;
void unobservable_release(struct unobservable *unobservable);

/* Puts the representative in place of the state's value if that is unseen. */
void unobservable_unify(struct unobservable *unobservable, uint64_t *words);

#endif
