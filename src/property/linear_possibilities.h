/* The possibilities of a sequential specification that several threads use at once: the object's
 * state, and what every thread is about: idle, called, or having taken effect with a result.
 *
 * When called threads take effect a possibility becomes others, its effects, each of which may have
 * happened already: a set of possibilities is closed under them (unless points say where they
 * happen). Of a set only the roots are stored, those that are no effects of others in it. More
 * threads have taken effect in an effect than before, so there are no circles, every member is a
 * root or follows from one, and sets are equal if their roots are. (Where operations may stay open
 * there may be circles: there the whole set is stored.) */
#ifndef PROPERTY_LINEAR_POSSIBILITIES_H
#define PROPERTY_LINEAR_POSSIBILITIES_H

#include "property/operations_normal.h"

#define LINEAR_EFFECTS_MOST 4 /* of a possibility that is looked up */

/* What a possibility becomes where one thread takes effect. */
struct linear_known_effects {
    possibility of;
    uint32_t known; /* 1 + how many there are; 0: nothing stands here */
    possibility items[LINEAR_EFFECTS_MOST];
};

struct linear_normal {
    struct operations_normal base; /* possibilities: a state; of each thread, a status */
    const struct spec *spec;       /* not owned */
    struct linear_normal *of;      /* whose states, statuses and kept effects are used */
    struct shared_words states;    /* of the object: 64-bit words as two of 32 */
    struct shared_words statuses;  /* of a thread: phase, operation, argument, result */
    /* Where operations take effect together: possibilities that have been asked for their effects;
     * by the number of one, _Atomic uint32_t: 1 + the row of them; 0: not known; rows. */
    struct shared_words asked;
    struct blocks effects;
    struct word_rows rows;
    pthread_mutex_t keeping; /* of rows */
    VECTOR(uint64_t) words;  /* an object's state */
    struct outcomes outcomes;
    struct recall ran;      /* the only outcome of an operation, state and status, by the state,
                               the status, and the thread that has called it */
    struct recall answered; /* what threads are about behind an answer, and enum answered; by what
                               they were about, and the answer's label */
    struct linear_known_effects *lately; /* of possibilities, by hash; null: none yet. Owned */
    VECTOR(possibility) found;           /* effects of some, one behind the other */
    struct possibility_set walked;
    VECTOR(struct normal_edge) edges; /* what the last call of class->edges answered */
};

enum phase {
    PHASE_CALLED,
    PHASE_DONE,
    PHASE_OPEN, /* it has begun and is to go on */
};

/* A status is interned: { phase, operation, argument (2 words), result (2 words) }. An idle thread
 * has none; a possibility lists only the others, by thread. The lowest bits of its number say the
 * phase. */
#define STATUS_WORDS      6
#define STATUS_PHASE_BITS 2

static inline enum phase linear_phase(uint32_t status)
{
    return (enum phase)(status & ((1u << STATUS_PHASE_BITS) - 1));
}

bool linear_intern_state(struct linear_normal *normal, const uint64_t *words, size_t length,
                         uint32_t *state) MUST_CHECK;

/* Loads a state's words into normal->words. */
bool linear_load_state(struct linear_normal *normal, uint32_t state, size_t *length) MUST_CHECK;

bool linear_intern_status(struct linear_normal *normal, enum phase phase, uint16_t operation,
                          value argument, value result, uint32_t *id) MUST_CHECK;
const uint32_t *linear_status_words(const struct linear_normal *normal, uint32_t id);
value linear_status_value(const uint32_t *words, size_t at);

/* Runs an operation in a state: outcomes in normal->outcomes, without those in which a set has
 * begun that takes effect together. */
bool linear_run(struct linear_normal *normal, uint32_t state, uint16_t operation, value argument,
                uint32_t thread) MUST_CHECK;

/* Appends to normal->found what a possibility becomes when one called thread takes effect, in every
 * way it can, or that agrees with its point; the operation runs. */
bool linear_take_effect(struct linear_normal *normal, possibility from, uint32_t thread,
                        uint32_t status, const struct linear_event *point) MUST_CHECK;

/* Whether threads among these (bit i: thread i) could take effect together, in a set of this
 * number. */
bool linear_could_together(struct linear_normal *normal, possibility of, uint32_t together,
                           uint64_t among, bool *could) MUST_CHECK;

/* Whether sets are stored as their roots. */
bool linear_stores_roots(const struct linear_normal *normal);

/* Appends to normal->found what a possibility becomes when called threads take effect once.
 * STATUS_LIMIT. */
enum status linear_effects(struct linear_normal *normal, possibility of) MUST_CHECK;

/* Releases what has been looked up lately. */
void linear_forget_effects(struct linear_normal *normal);

/* Interns the set under construction, which is not empty, closed under effects unless there are
 * points. `are_roots`: no member follows from another; where sets are stored as their roots they
 * need not be closed then. STATUS_LIMIT. */
enum status linear_intern_set(struct linear_normal *normal, bool are_roots,
                              normal_id *id) MUST_CHECK;

/* All members of a normalised state, in normal->walked. STATUS_LIMIT. */
enum status linear_members(struct linear_normal *normal, normal_id id) MUST_CHECK;

/* The bits of all members. STATUS_LIMIT. */
enum status linear_signature(struct linear_normal *normal, normal_id id,
                             uint64_t *signature) MUST_CHECK;

/* *includes: all members of `part` are some of `whole`. STATUS_LIMIT. */
enum status linear_includes(struct linear_normal *normal, normal_id whole, normal_id part,
                            bool *includes) MUST_CHECK;

#endif
