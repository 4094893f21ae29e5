/* Sets of possibilities, interned: the normalised states of a specification that several threads
 * use at once. A possibility is a word of its own, and one more of each thread that is about
 * something. What all threads are about is interned, for there are few such arrays; with the number
 * of that a possibility is two words, and has no number itself.
 *
 * A set is made one possibility at a time: possibilities_start, possibilities_add or _put as often
 * as need be, possibilities_finish. Between these the set under construction may be read, and grow
 * while it is. What stands in scratch, or is a known possibility with one word changed, can be
 * made without being added. */
#ifndef PROPERTY_POSSIBILITIES_H
#define PROPERTY_POSSIBILITIES_H

#include "base/interning.h"
#include "base/recall.h"
#include "base/shared_words.h"
#include "model/turning.h"
#include "property/normal.h"

/* Its own word in the upper half, which is below POSSIBILITY_OWN_MOST; in the lower the number of
 * what its threads are about. */
typedef uint64_t possibility;

#define POSSIBILITY_OWN_MOST (UINT32_C(1) << 31)
#define POSSIBILITY_IDLE     UINT32_MAX /* the word of a thread that is about nothing */

/* Of the hash table of a set, from which nothing is deleted. */
struct possibility_place {
    possibility what;
    uint32_t mark; /* the last set that has it */
};

/* A set that is forgotten at once, in the order in which it grew. */
struct possibility_set {
    VECTOR(possibility) items;
    VECTOR(struct possibility_place) places; /* by hash; none, or a power of two, half of it free */
    uint32_t mark;
};

struct possibilities {
    struct shared_words abouts;    /* thread, its word, ..., by thread */
    struct shared_words sets;      /* ascending, in the words that possibility_row reads */
    struct possibilities *of;      /* whose abouts and sets are used: these, or another thread's */
    struct possibility_set set;    /* under construction */
    struct possibility_set former; /* what possibilities_start_again has put aside */
    VECTOR(uint32_t) scratch;      /* a possibility under construction: its word, then threads' */
    struct recall changed; /* what threads are about, by that, a thread, and what it is about now */
    struct recall turned;  /* the same, by that and how threads and values are renumbered */
    struct recall renamed; /* a possibility's own word, by that and how values are */
};

void possibilities_init(struct possibilities *possibilities, struct budget *budget);
void possibilities_release(struct possibilities *possibilities);

/* Has one thread use what another has, each with sets under construction of its own; nobody looks
 * at either meanwhile. */
void possibilities_share(struct possibilities *possibilities, struct possibilities *of);

static inline uint32_t possibility_own(possibility of)
{
    return (uint32_t)(of >> 32);
}

/* The number of what its threads are about. */
static inline uint32_t possibility_about(possibility of)
{
    return (uint32_t)of;
}

static inline possibility possibility_make(uint32_t own, uint32_t about)
{
    return (possibility)own << 32 | about;
}

/* What threads of a possibility are about: a thread, its word, ..., by thread; *length: of these
 * words, which stay where they are. */
static inline const uint32_t *possibility_threads(const struct possibilities *possibilities,
                                                  possibility of, size_t *length)
{
    return shared_words_get(&possibilities->of->abouts, possibility_about(of), length);
}

/* A thread's word. */
uint32_t possibility_of(const struct possibilities *possibilities, possibility of, uint32_t thread);

/* The members of a stored set, ascending, those that are left to read. Most take one word, others
 * two:
 *
 *     0 | own, 16 bits | about, 15 bits
 *     1 | own, 31 bits                    about */
struct possibility_row {
    const uint32_t *at, *end;
};

#define POSSIBILITY_ABOUT_BITS SIZE_OR_SMALL(15, 3) /* of one word */
#define POSSIBILITY_OWN_BITS   SIZE_OR_SMALL(16, 2)
#define POSSIBILITY_LONG       (UINT32_C(1) << 31)

static inline struct possibility_row possibilities_row(const struct possibilities *possibilities,
                                                       normal_id set)
{
    size_t length;
    const uint32_t *words = shared_words_get(&possibilities->of->sets, set, &length);
    return (struct possibility_row){words, words + length};
}

/* Reads the next; false: there is none. */
static inline bool possibility_row_next(struct possibility_row *row, possibility *next)
{
    if (row->at == row->end)
        return false;
    const uint32_t word = *row->at++;
    *next = word & POSSIBILITY_LONG
                ? possibility_make(word & ~POSSIBILITY_LONG, *row->at++)
                : possibility_make(word >> POSSIBILITY_ABOUT_BITS,
                                   word & ((UINT32_C(1) << POSSIBILITY_ABOUT_BITS) - 1));
    return true;
}

/* A bit of 64, as word_signature. */
static inline uint64_t possibility_signature(possibility of)
{
    return word_signature(possibility_own(of) * UINT32_C(0x85ebca6b) + possibility_about(of));
}

void possibility_set_init(struct possibility_set *set, struct budget *budget);
void possibility_set_release(struct possibility_set *set);

/* Makes the set empty. */
void possibility_set_start(struct possibility_set *set);

/* Makes room for one more; false when refused. */
bool possibility_set_grow(struct possibility_set *set) MUST_CHECK;

/* Where a possibility is in a set that has places, or would be. */
static inline struct possibility_place *possibility_set_place(const struct possibility_set *set,
                                                              possibility what)
{
    const size_t last = set->places.length - 1;
    size_t at = (what * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & last;
    assert(set->places.length > set->items.length && (set->places.length & last) == 0);
    while (set->places.items[at].mark == set->mark && set->places.items[at].what != what)
        at = (at + 1) & last;
    return &set->places.items[at];
}

static inline bool possibility_set_has(const struct possibility_set *set, possibility what)
{
    return set->places.length > 0 && possibility_set_place(set, what)->mark == set->mark;
}

/* Adds a possibility unless the set has it. False when refused, as those below. */
static inline MUST_CHECK bool possibility_set_add(struct possibility_set *set, possibility what)
{
    if (UNLIKELY(2 * set->items.length >= set->places.length) && !possibility_set_grow(set))
        return false;
    struct possibility_place *at = possibility_set_place(set, what);
    if (at->mark == set->mark)
        return true;
    if (!vector_push(&set->items, what))
        return false;
    at->what = what;
    at->mark = set->mark;
    return true;
}

/* What stands in scratch. */
bool possibilities_make(struct possibilities *possibilities, possibility *made) MUST_CHECK;

/* What threads are about once one is about something else; worked out afresh. */
bool possibilities_change_about(struct possibilities *possibilities, uint32_t about,
                                uint32_t thread, uint32_t word, uint32_t *changed) MUST_CHECK;

/* `from` with this word of its own, and this one of a thread. */
static inline MUST_CHECK bool possibilities_change(struct possibilities *possibilities,
                                                   possibility from, uint32_t own, uint32_t thread,
                                                   uint32_t word, possibility *changed)
{
    const uint32_t about = possibility_about(from);
    const uint32_t *known = recall_find(&possibilities->changed, about, thread, word);
    uint32_t made = known ? *known : 0;
    if (!known && !possibilities_change_about(possibilities, about, thread, word, &made))
        return false;
    *changed = possibility_make(own, made);
    return own < POSSIBILITY_OWN_MOST;
}

void possibilities_start(struct possibilities *possibilities);

/* Makes the set under construction the former one, which is to be read, and starts another. */
void possibilities_start_again(struct possibilities *possibilities);

/* Adds what stands in scratch. */
bool possibilities_add(struct possibilities *possibilities) MUST_CHECK;

/* Adds `from`, changed so. */
bool possibilities_put(struct possibilities *possibilities, possibility from, uint32_t own,
                       uint32_t thread, uint32_t word) MUST_CHECK;

/* Writes `from` with its threads renumbered to scratch. */
bool possibilities_turn(struct possibilities *possibilities, possibility from,
                        turning by) MUST_CHECK;

/* Adds what stands in scratch, which is `from` renumbered so, its values as well. */
bool possibilities_add_turned(struct possibilities *possibilities, possibility from,
                              struct renumbering by) MUST_CHECK;

/* Adds `from`, renumbered so, if that was worked out lately: *known. */
bool possibilities_put_turned(struct possibilities *possibilities, possibility from,
                              struct renumbering by, bool *known) MUST_CHECK;

/* The set's number. It can be added to still, and is finished anew then. */
bool possibilities_finish(struct possibilities *possibilities, normal_id *id) MUST_CHECK;

#endif
