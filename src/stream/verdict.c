/* Of several objects that are violated the one of the earliest event is told: so what is found of
 * one is compared with what was found of others. */
#include "stream/verdict.h"

#include "stream/idle.h"
#include "stream/monitored.h"
#include "stream/objects.h"
#include "stream/retained.h"
#include "stream/story.h"

#define NONE UINT32_MAX

enum status verdict_violation(struct stream *stream, uint32_t object,
                              const struct numbers *ordinals, uint64_t ordinal, struct error *error)
{
    bool exactly;
    bool retained = objects_following(stream, object) == FOLLOWED_RETAINED;
    uint64_t steps = retained ? CONFIRMING_STEPS : STORY_STEPS;
    TRY(story_first(stream, object, ordinals->items, ordinals->length, steps, &ordinal, &exactly,
                    error));
    if (stream->verdict == STREAM_VIOLATION && stream->violation < ordinal)
        return STATUS_OK;
    stream->verdict = STREAM_VIOLATION;
    stream->violated = object;
    stream->violation = ordinal;
    stream->exactly = exactly;
    return STATUS_OK;
}

/* The search has found that the events of an object are no history. */
static enum status note_searched(struct stream *stream, uint32_t object, struct error *error)
{
    struct followed *followed = objects_awake(stream, object);
    struct numbers ordinals = {.budget = stream->limits->budget};
    for (uint32_t at = followed->first; at != NONE; at = stream->batch.items[at].next)
        if (!stream->batch.items[at].begins &&
            !vector_push(&ordinals, stream->batch.items[at].ordinal)) {
            ordinals.length = 0; /* then it is not found exactly */
            break;
        }
    uint64_t last = stream->batch.items[followed->last].ordinal;
    followed->first = NONE; /* once is enough */
    enum status status = verdict_violation(stream, object, &ordinals, last, error);
    vector_release(&ordinals);
    return status;
}

/* Why something is not decided. What is told is why the first object was given up, but for an
 * interrupt, for who broke off must know. What was refused may be granted later. */
static void note_limit(struct stream *stream, enum limit otherwise)
{
    enum limit limit = limits_reached(stream->limits);
    if (stream->given_up == 0 || limit == LIMIT_INTERRUPT)
        stream->limit = limit == LIMIT_NONE ? otherwise : limit;
    atomic_store(&stream->limits->budget->refused, false);
}

void verdict_give_up(struct stream *stream, struct followed *followed, enum limit otherwise)
{
    note_limit(stream, otherwise);
    idle_release(stream, followed);
    followed->given_up = true;
    if (stream->given_up++ == 0) {
        stream->given_up_line = stream->line;
        stream->given_up_process = stream->process;
    }
    if (stream->verdict == STREAM_POSSIBLE)
        stream->verdict = STREAM_UNKNOWN;
}

/* What comes from that event on is not decided. */
static void note_doubt(struct stream *stream, uint64_t ordinal, enum limit otherwise)
{
    note_limit(stream, otherwise);
    if (!stream->doubtful || ordinal < stream->doubtful_since)
        stream->doubtful_since = ordinal;
    stream->doubtful = true;
}

bool verdict_is_exact(const struct stream *stream)
{
    const bool doubtful = stream->doubtful && stream->doubtful_since < stream->violation;
    return stream->exactly && !stream->given_up && !doubtful;
}

/* What is not decided for good leads to too many configurations. */
static enum status decide_crowded(struct stream *stream, uint32_t object, struct error *error)
{
    uint64_t steps = STORY_STEPS;
    enum verdict verdict;
    enum status status = story_decide(stream, object, stream->events - 1, &steps, &verdict, error);
    if (status == STATUS_LIMIT)
        verdict = VERDICT_UNKNOWN;
    else
        TRY(status);
    if (verdict == VERDICT_VIOLATION)
        return note_searched(stream, object, error);
    if (verdict == VERDICT_UNKNOWN)
        note_doubt(stream, stream->batch.items[objects_awake(stream, object)->first].ordinal,
                   LIMIT_TIME);
    return STATUS_OK;
}

enum status verdict_decided(struct stream *stream, uint32_t object, const struct decided *decided,
                            struct error *error)
{
    struct followed *followed = objects_awake(stream, object);
    if (decided->possible == IMPOSSIBLE || decided->not_for_good == IMPOSSIBLE)
        return note_searched(stream, object, error);
    if (decided->possible == POSSIBLE_CROWDED &&
        retained_begin(stream, object, decided->first, stream->events))
        followed->first = NONE;
    else if (decided->possible != POSSIBLE)
        verdict_give_up(stream, followed,
                        decided->possible == POSSIBLE_CROWDED ? LIMIT_TIME : LIMIT_MEMORY);
    else if (decided->not_for_good == POSSIBLE_CROWDED)
        return decide_crowded(stream, object, error);
    else if (decided->not_for_good == POSSIBLE_REFUSED)
        note_doubt(stream, stream->batch.items[followed->first].ordinal, LIMIT_MEMORY);
    return STATUS_OK;
}

/* Decides a retained object. */
static enum status decide_retained(struct stream *stream, uint32_t object, uint64_t last, bool all,
                                   struct error *error)
{
    struct followed *followed = objects_awake(stream, object);
    enum possible possible;
    TRY(retained_decide(stream, object, last, all, &possible, error));
    if (possible == POSSIBLE_REFUSED)
        verdict_give_up(stream, followed, LIMIT_TIME);
    else if (followed->following == FOLLOWED_RETAINED && followed->retained->doubtful)
        note_doubt(stream, followed->looked, LIMIT_TIME);
    if (possible != IMPOSSIBLE)
        return STATUS_OK;
    struct numbers ordinals = {.budget = stream->limits->budget};
    if (!monitored_ends(stream, object, last, &ordinals))
        ordinals.length = 0;
    enum status status = verdict_violation(stream, object, &ordinals, last, error);
    vector_release(&ordinals);
    return status;
}

/* Those that the search has left now, too. */
enum status verdict_retained(struct stream *stream, bool all, struct error *error)
{
    enum status status = STATUS_OK;
    size_t kept = 0;
    for (size_t i = 0; i < stream->retained.length; i++) {
        const uint32_t object = stream->retained.items[i];
        if (objects_following(stream, object) != FOLLOWED_RETAINED)
            continue;
        const struct followed *followed = objects_awake(stream, object);
        stream->retained.items[kept++] = object;
        bool later = stream->verdict == STREAM_VIOLATION && followed->looked > stream->violation;
        if (status == STATUS_OK && !later)
            status = decide_retained(stream, object, stream->events - 1, all, error);
        if (stream->verdict != STREAM_VIOLATION && followed->following == FOLLOWED_RETAINED)
            retained_return(stream, object);
    }
    stream->retained.length = kept;
    return status;
}

enum status verdict_retain(struct stream *stream, uint32_t object, uint64_t decided, uint64_t last,
                           struct error *error)
{
    if (retained_begin(stream, object, decided, last + 1))
        return decide_retained(stream, object, last, true, error);
    verdict_give_up(stream, objects_awake(stream, object), LIMIT_NONE);
    return STATUS_OK;
}

enum status verdict_leave_looking(struct stream *stream, uint32_t object, uint64_t last,
                                  struct error *error)
{
    struct followed *followed = objects_awake(stream, object);
    if (!stream->options.monitors_only && limits_reached(stream->limits) == LIMIT_NONE &&
        (online_is_cas(followed->online) || retained_is_whole(stream, followed)))
        return verdict_retain(stream, object, followed->looked, last, error);
    verdict_give_up(stream, followed, LIMIT_NONE);
    return STATUS_OK;
}
