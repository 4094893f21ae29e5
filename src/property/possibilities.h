/* Sets of possibilities, interned: the normalised states of a specification that several threads
 * use at once. A possibility is a word, and one more of each thread that is about something.
 *
 * A set is made one possibility at a time: possibilities_start, possibilities_add or _put as often
 * as need be, possibilities_finish. Between these the set under construction may be read, and grow
 * while it is. What stands in scratch, or is a known possibility with one word changed, can be
 * interned without being added. */
#ifndef PROPERTY_POSSIBILITIES_H
#define PROPERTY_POSSIBILITIES_H

#include "base/recall.h"
#include "base/shared_words.h"
#include "model/turning.h"
#include "property/normal.h"

/* A set that is forgotten at once, in the order in which it grew. */
struct possibility_set {
    VECTOR(uint32_t) items;
    VECTOR(uint16_t) marks; /* by possibility: the last set that has it */
    uint16_t mark;
};

struct possibilities {
    struct shared_words abouts; /* thread, its word, ..., by thread */
    struct shared_words items;  /* the possibility's own word, and the number of its threads' */
    struct shared_words sets;   /* ascending */
    struct possibilities *of;   /* whose items and sets are used: these, or another thread's */
    struct possibility_set set; /* under construction */
    VECTOR(uint32_t) scratch;   /* a possibility under construction: its word, then threads' */
    struct recall changed; /* what threads are about, by that, a thread, and what it is about now */
    struct recall turned;  /* the same, by that and how threads and values are renumbered */
    struct recall renamed; /* a possibility's own word, by that and how values are */
};

#define POSSIBILITY_IDLE UINT32_MAX /* the word of a thread that is about nothing */

void possibilities_init(struct possibilities *possibilities, struct budget *budget);
void possibilities_release(struct possibilities *possibilities);

/* Has one thread use what another has, each with sets under construction of its own; nobody looks
 * at either meanwhile. */
void possibilities_share(struct possibilities *possibilities, struct possibilities *of);

/* What threads of a possibility are about: a thread, its word, ..., by thread; *length: of these
 * words. */
static inline const uint32_t *possibility_threads(const struct possibilities *possibilities,
                                                  uint32_t id, size_t *length)
{
    const uint32_t *item = shared_words_get(&possibilities->of->items, id, length);
    return shared_words_get(&possibilities->of->abouts, item[1], length);
}

/* The members of a set. */
static inline const uint32_t *possibilities_members(const struct possibilities *possibilities,
                                                    normal_id set, size_t *count)
{
    return shared_words_get(&possibilities->of->sets, set, count);
}

/* A possibility's own word; a thread's. */
uint32_t possibility_own(const struct possibilities *possibilities, uint32_t id);
uint32_t possibility_of(const struct possibilities *possibilities, uint32_t id, uint32_t thread);

void possibility_set_init(struct possibility_set *set, struct budget *budget);
void possibility_set_release(struct possibility_set *set);

/* Makes the set empty. */
void possibility_set_start(struct possibility_set *set);
bool possibility_set_has(const struct possibility_set *set, uint32_t id);

/* Adds a possibility unless the set has it. False when refused, as those below. */
bool possibility_set_add(struct possibility_set *set, uint32_t id) MUST_CHECK;

/* The number of what stands in scratch; of `id` with this word of its own, and this one of a
 * thread. */
bool possibilities_intern(struct possibilities *possibilities, uint32_t *id) MUST_CHECK;
bool possibilities_change(struct possibilities *possibilities, uint32_t id, uint32_t own,
                          uint32_t thread, uint32_t word, uint32_t *changed) MUST_CHECK;

void possibilities_start(struct possibilities *possibilities);

/* Adds what stands in scratch. */
bool possibilities_add(struct possibilities *possibilities) MUST_CHECK;

/* Adds `id`, changed so. */
bool possibilities_put(struct possibilities *possibilities, uint32_t id, uint32_t own,
                       uint32_t thread, uint32_t word) MUST_CHECK;

/* Writes `id` with its threads renumbered to scratch. */
bool possibilities_turn(struct possibilities *possibilities, uint32_t id, turning by) MUST_CHECK;

/* Adds what stands in scratch, which is `id` renumbered so, its values as well. */
bool possibilities_add_turned(struct possibilities *possibilities, uint32_t id,
                              struct renumbering by) MUST_CHECK;

/* Adds `id`, renumbered so, if that was worked out lately: *known. */
bool possibilities_put_turned(struct possibilities *possibilities, uint32_t id,
                              struct renumbering by, bool *known) MUST_CHECK;

/* The set's number. It can be added to still, and is finished anew then. */
bool possibilities_finish(struct possibilities *possibilities, normal_id *id) MUST_CHECK;

#endif
