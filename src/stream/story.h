/* What is kept of a stream, as a history that can be decided by itself. */
#ifndef STREAM_STORY_H
#define STREAM_STORY_H

#include "monitor/decision.h"
#include "stream/continued.h"
#include "stream/state.h"

struct story {
    struct history *history; /* of one object or key; owned */
    struct spec *spec;       /* that goes on from where it begins; owned */
    bool own;                /* of the object's own specification, but for its initial value */
    bool whole;              /* it begins where the object does */
    bool impossible;         /* whatever is in it: so is what came before, as known now */
    size_t roots;            /* from each of which it may go on; 0: it goes on from all at once */
};

#define STORY_ALL_ROOTS SIZE_MAX

/* The events of an object up to the one of that ordinal, going on from the root of that number or
 * from all. STATUS_LIMIT. */
enum status story_create(const struct stream *stream, uint32_t object, uint64_t ordinal,
                         size_t root, struct story *story, struct error *error) MUST_CHECK;

/* How the answers of maps are to be read when it is decided. */
enum results_reading story_results(const struct stream *stream, const struct story *story,
                                   uint32_t object);
void story_release(struct story *story);

/* The steps within which check decides what is told of a violation, each time that it is: with more
 * it would be told too late to be of use. A step takes 10 to 100 ns. */
#define STORY_STEPS UINT64_C(4000000)

/* What a monitor found and check does not confirm within so many is not told at all. */
#define CONFIRMING_STEPS (10 * STORY_STEPS)

/* What check says of the events of an object up to the one of that ordinal. *steps: how many it may
 * take; those that it took are subtracted. */
enum status story_decide(const struct stream *stream, uint32_t object, uint64_t ordinal,
                         uint64_t *steps, enum verdict *verdict, struct error *error) MUST_CHECK;

/* Finds the first of these events, ascending, with which the object has no configuration left, at
 * most that of `ordinal`. *exactly: the history was decided with and without it, all of these
 * prefixes within so many steps. */
enum status story_first(const struct stream *stream, uint32_t object, const uint64_t *ordinals,
                        size_t count, uint64_t steps, uint64_t *ordinal, bool *exactly,
                        struct error *error) MUST_CHECK;

#endif
