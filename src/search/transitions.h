/* Computes what calls do to states, once for each state and class of calls, and remembers it in a
 * hash table. Calls with equal operation, argument and result (and caller, where the specification
 * tells callers apart) are one class; where operations may stay open each is one of its own.
 *
 * However long the history, an object over few values has few classes and few states. A step then
 * is one probe of a table that has where the step leads beside state and class, for it is what the
 * search does most. */
#ifndef SEARCH_TRANSITIONS_H
#define SEARCH_TRANSITIONS_H

#include "base/table.h"
#include "search/array_table.h"
#include "search/unobservable.h"
#include "spec/spec.h"

/* Where a class leads from a state: a state's number; TRANSITION_ILLEGAL; or, for a specification
 * that is not deterministic, TRANSITION_SEVERAL + an index. Opaque but for these functions. */
typedef uint32_t transition;

#define TRANSITION_SEVERAL ((uint32_t)1 << 31)
#define TRANSITION_REFUSED (UINT32_MAX - 1) /* a budget refused; nothing was remembered */
#define TRANSITION_ILLEGAL UINT32_MAX

struct transition_entry {
    uint32_t state, class;
    transition to;
};

struct transitions {
    const struct spec *spec;
    struct unobservable *unobservable; /* not owned */
    struct budget *budget;
    struct array_table states;
    struct array_room room;              /* the words of the state that was asked for last ... */
    uint32_t expanded;                   /* ... which is this one; ARRAY_REFUSED: none */
    VECTOR(const struct call *) classes; /* one call of each; owned by the part */
    struct table class_numbers;
    struct transition_entry *entries; /* open addressing; CLASS_REFUSED: free */
    size_t entry_count, entry_used;
    VECTOR(uint32_t) several; /* count, then so many states */
    struct outcomes outcomes;
};

/* States that `unseen` unifies are one state. False when a budget refuses; to be released all the
 * same. */
bool transitions_init(struct transitions *transitions, const struct spec *spec,
                      struct unobservable *unobservable, struct budget *budget) MUST_CHECK;
void transitions_release(struct transitions *transitions);

#define CLASS_REFUSED UINT32_MAX

/* The class of `call`, a new one if there is none yet. The call must outlive the table. */
uint32_t transitions_class(struct transitions *transitions, const struct call *call) MUST_CHECK;

/* The number of the initial state; ARRAY_REFUSED. */
uint32_t transitions_initial(struct transitions *transitions, value key) MUST_CHECK;

/* Behind transitions_step, for what is not remembered yet. */
transition transitions_compute(struct transitions *transitions, uint32_t state, uint32_t class);

static inline size_t transitions_hash(uint32_t state, uint32_t class)
{
    uint64_t product = (((uint64_t)state << 32) | class) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(product >> 29);
}

/* Where `class` leads from `state`. */
static inline transition transitions_step(struct transitions *transitions, uint32_t state,
                                          uint32_t class)
{
    size_t mask = transitions->entry_count - 1;
    for (size_t at = transitions_hash(state, class) & mask;; at = (at + 1) & mask) {
        const struct transition_entry *entry = &transitions->entries[at];
        if (entry->class == class && entry->state == state)
            return entry->to;
        if (entry->class == CLASS_REFUSED)
            return transitions_compute(transitions, state, class);
    }
}

/* The number of states that a transition leads to, and the i-th of them. */
static inline uint32_t transition_count(const struct transitions *transitions, transition to)
{
    if (to < TRANSITION_SEVERAL)
        return 1;
    return to >= TRANSITION_REFUSED ? 0 : transitions->several.items[to - TRANSITION_SEVERAL];
}

static inline uint32_t transition_state(const struct transitions *transitions, transition to,
                                        uint32_t i)
{
    return to < TRANSITION_SEVERAL ? to
                                   : transitions->several.items[to - TRANSITION_SEVERAL + 1 + i];
}

/* The words of a state, valid until those of another are asked for. Null when a budget refuses. */
const uint64_t *transitions_words(struct transitions *transitions, uint32_t state,
                                  size_t *length) MUST_CHECK;

/* Appends a state for people. False when a budget refuses. */
bool transitions_print_state(struct transitions *transitions, uint32_t state,
                             struct text *text) MUST_CHECK;

#endif
