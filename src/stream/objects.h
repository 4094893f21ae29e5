/* The objects of a stream, by their numbers. There may be a million of them, of which most rest:
 * one that does takes 24 bytes beside its state, and one that is *awake* has a `struct followed`,
 * which stays where it is. */
#ifndef STREAM_OBJECTS_H
#define STREAM_OBJECTS_H

#include <assert.h>

#include "stream/state.h"

/* One that is awake. */
static inline struct followed *objects_awake(const struct stream *stream, uint32_t object)
{
    const struct resting *resting = &stream->objects.items[object];
    assert(resting->awake);
    return resting->followed;
}

/* One, awake or not: if not, a copy in the caller's room, of which nothing is to be released. */
const struct followed *objects_known(const struct stream *stream, uint32_t object,
                                     struct followed *room);

static inline bool objects_is_awake(const struct stream *stream, uint32_t object)
{
    return stream->objects.items[object].awake;
}

/* How one is followed, awake or not. */
static inline enum following objects_following(const struct stream *stream, uint32_t object)
{
    const struct resting *resting = &stream->objects.items[object];
    return (enum following)(resting->awake ? resting->followed->following : resting->following);
}

/* Where the specification of objects of a name stands in stream->specs: NO_OBJECT is the first. */
static inline size_t objects_spec_place(uint16_t object)
{
    return (uint16_t)(object + 1);
}

static inline const struct spec *objects_spec(const struct stream *stream, uint32_t object)
{
    return stream->specs.items[objects_spec_place(stream->objects.items[object].object)];
}

/* Says whether it is in stream->holders. */
static inline void objects_hold(struct stream *stream, uint32_t object, bool holds)
{
    struct resting *resting = &stream->objects.items[object];
    if (resting->awake)
        resting->followed->holds = holds;
    else
        resting->holds = holds;
}

/* The number of the one that has the object, the key and the index of `wanted`; UINT32_MAX. */
uint32_t objects_find(const struct stream *stream, const struct followed *wanted);

/* Adds one that is awake, a copy of `made`; *object: its number. False when refused. */
bool objects_add(struct stream *stream, const struct followed *made, uint32_t *object) MUST_CHECK;

/* So many that rest, of which nothing is known, in place of none. False when refused. */
bool objects_make(struct stream *stream, size_t count) MUST_CHECK;

/* What an awake one is has been said now: it can be found. False when refused. */
bool objects_enter(struct stream *stream, uint32_t object) MUST_CHECK;

/* Whether objects of that name have no other specification. */
bool objects_spec_fits(const struct stream *stream, const struct followed *followed);

/* Gives back all that one has beside its name (idle.h). */
typedef void objects_releaser(const struct stream *stream, struct followed *followed);

/* Removes the last one. */
void objects_remove_last(struct stream *stream, objects_releaser *release);

/* Wakes one, if it rests; null when refused. */
struct followed *objects_wake(struct stream *stream, uint32_t object);

/* Has one rest, if its state is all that it has and nothing waits for it. */
void objects_rest(struct stream *stream, uint32_t object);

/* Gives back all of them. */
void objects_release(struct stream *stream, objects_releaser *release);

#endif
