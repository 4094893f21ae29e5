/* What follows from what was decided of an object. */
#ifndef STREAM_VERDICT_H
#define STREAM_VERDICT_H

#include "stream/state.h"

/* The object is violated, by one of these events, ascending, which end operations, or that of
 * `ordinal`. */
enum status verdict_violation(struct stream *stream, uint32_t object,
                              const struct numbers *ordinals, uint64_t ordinal,
                              struct error *error) MUST_CHECK;

/* Nothing is known of the object from here on: what it has is given back. `otherwise`: why, if no
 * limit is reached (state.h). */
void verdict_give_up(struct stream *stream, struct followed *followed, enum limit otherwise);

/* Its events of a batch were decided by the search. */
enum status verdict_decided(struct stream *stream, uint32_t object, const struct decided *decided,
                            struct error *error) MUST_CHECK;

/* All that is kept of an object is decided together from here on: what comes in front of the event
 * of `decided` is possible, and that of `last` is the last that it was told. */
enum status verdict_retain(struct stream *stream, uint32_t object, uint64_t decided, uint64_t last,
                           struct error *error) MUST_CHECK;

/* Decides those objects of which that is so, as retained_decide has it. */
enum status verdict_retained(struct stream *stream, bool all, struct error *error) MUST_CHECK;

/* Whether the history is certainly linearizable without the event with which it is violated: also
 * of other objects nothing is open in front of that. */
bool verdict_is_exact(const struct stream *stream);

/* A monitor that looks now and then cannot go on, since a violation may come of what it has
 * guessed, or a limit is reached. */
enum status verdict_leave_looking(struct stream *stream, uint32_t object, uint64_t last,
                                  struct error *error) MUST_CHECK;

#endif
