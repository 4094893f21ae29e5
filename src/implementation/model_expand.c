#include "implementation/model_expand.h"

#include "implementation/model_calls.h"
#include "implementation/model_steps.h"
#include "implementation/native.h"
#include "implementation/native_source.h"

/* Makes room for all steps that one more state may have. */
static inline bool make_room(struct lin_worker *worker, struct packed_steps *steps, size_t found)
{
    const size_t most = found + worker->model->most_expanded,
                 tried = 2 * (size_t)worker->model->most_expanded; /* some of them twice */
    if (LIKELY(tried <= worker->events.capacity && most <= steps->labels.capacity &&
               most <= steps->hashes.capacity && most * steps->to->words <= steps->words.capacity))
        return true;
    return vector_reserve(&worker->keys, tried) && vector_reserve(&worker->events, tried) &&
           vector_reserve(&steps->labels, most) && vector_reserve(&steps->hashes, most) &&
           vector_reserve(&steps->words, most * steps->to->words);
}

/* Makes the label of a call or an answer, and keeps it. */
static label make_label(struct lin_worker *worker, uint32_t key)
{
    const struct lin_key of = lin_native_key(worker->model, key);
    const label made = of.answer ? lin_model_label_answer(worker, of.answer, &of.word, of.thread)
                                 : lin_model_label_call(worker, of.call, of.thread);
    while (worker->labels.length <= key)
        if (!vector_push(&worker->labels, LABEL_TAU))
            return LABEL_REFUSED;
    if (made != LABEL_REFUSED)
        worker->labels.items[key] = made;
    return made;
}

/* The label that a key stands for. */
static inline label find_label(struct lin_worker *worker, uint32_t key)
{
    const label known = key < worker->labels.length ? worker->labels.items[key] : LABEL_TAU;
    return UNLIKELY(known == LABEL_TAU && key != LIN_KEY_STEP) ? make_label(worker, key) : known;
}

/* Appends the labels of the steps that were found. False when refused. */
static inline bool add_labels(struct lin_worker *worker, struct packed_steps *steps,
                              const struct lin_native_expansion *found)
{
    label *labels = steps->labels.items;
    size_t count = steps->labels.length;
    for (uint32_t i = 0; i < found->asked; i++) {
        const uint32_t key = found->keys[i] & ~LIN_KEY_NO_STEP;
        const label of = find_label(worker, key);
        if (UNLIKELY(of == LABEL_REFUSED))
            return false;
        labels[count] = of; /* of one that waits it is overwritten */
        count += key == found->keys[i];
    }
    assert(count == steps->labels.length + found->count);
    steps->labels.length = count;
    return true;
}

/* ---- where steps are joined ---- */

/* The label of such a step, whose parts are labelled first, in the order in which they are met. */
static label label_event(struct lin_worker *worker, const struct lin_native_event *event)
{
    const uint32_t said = LIN_KEY_NO_STEP | LIN_KEY_IN_PARTS;
    const label call = find_label(worker, (uint32_t)event->keys & ~said),
                answer = find_label(worker, (uint32_t)(event->keys >> 32));
    const struct renumbering by = {(turning)event->by, (turning)(event->by >> 32)};
    if (call == LABEL_REFUSED || answer == LABEL_REFUSED || (event->keys & LIN_KEY_IN_PARTS))
        return call == LABEL_REFUSED ? call : answer;
    const label whole = lin_model_label_whole(worker->model, call, LABEL_TAU, answer);
    return whole == LABEL_REFUSED || renumbering_is_none(by)
               ? whole
               : labels_renumbered(worker->model->model.labels, whole, by);
}

static inline struct lin_known_event *known_event(struct lin_worker *worker,
                                                  const struct lin_native_event *event)
{
    const uint64_t hash =
        (event->keys ^ event->by * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0x9fb21c651e98df25);
    return &worker->known_events[hash >> (64 - LIN_KNOWN_EVENT_BITS)];
}

/* Has the label known of an event that is met now. False when refused. */
static bool know_event(struct lin_worker *worker, const struct lin_native_event *event,
                       struct lin_known_event *known)
{
    const label made = label_event(worker, event);
    if (made == LABEL_REFUSED)
        return false;
    known->keys = ~event->keys;
    known->by = event->by;
    known->label = made;
    return true;
}

/* Appends the labels of the steps that were found. False when refused. */
static inline bool add_event_labels(struct lin_worker *worker, struct packed_steps *steps,
                                    const struct lin_native_expansion *found)
{
    label *labels = steps->labels.items;
    size_t count = steps->labels.length;
    for (uint32_t i = 0; i < found->asked; i++) {
        const struct lin_native_event *event = &found->events[i];
        struct lin_known_event *known = known_event(worker, event);
        if (UNLIKELY(known->keys != ~event->keys || known->by != event->by) &&
            !know_event(worker, event, known))
            return false;
        if (event->keys & LIN_KEY_NO_STEP)
            continue;
        labels[count++] = known->label;
    }
    assert(count == steps->labels.length + found->count);
    steps->labels.length = count;
    return true;
}

static inline void add_counts(struct packed_steps *steps, const struct lin_native_expansion *found)
{
    steps->renumbered += found->renumbered;
    steps->pure += found->pure;
    steps->stale += found->stale;
    steps->decided += found->decided;
}

enum status lin_model_expand(struct worker *base, struct packed_steps *steps)
{
    struct lin_worker *worker = (struct lin_worker *)base;
    const uint32_t width = steps->to->words;
    const bool reduces = lin_native_reduces(worker->model);
    steps->done = 0;
    steps->holds = 0;
    steps->exhausted = false;
    steps->labels.length = 0;
    steps->renumbered = steps->pure = steps->stale = steps->decided = 0;
    if (!worker->native || !worker->native->expand ||
        lin_is_arranged(&worker->options) != steps->arranges)
        return STATUS_OK;
    TRY_MEMORY(vector_reserve(&steps->ends, steps->count));
    struct lin_native_expansion found = {.from = steps->from->groups,
                                         .to = steps->to->groups,
                                         .most = width,
                                         .condition = steps->condition};
    for (; steps->done < steps->count && !steps->holds; steps->done++) {
        const size_t first = steps->labels.length;
        TRY_MEMORY(make_room(worker, steps, first));
        found.state = steps->states + (size_t)steps->done * steps->from->words;
        found.words = steps->words.items + first * width;
        found.hashes = steps->unhashed ? NULL : steps->hashes.items + first;
        found.keys = worker->keys.items;
        found.events = worker->events.items;
        if (!worker->native->expand(&found))
            break;
        if (reduces) {
            TRY_MEMORY(add_event_labels(worker, steps, &found));
            add_counts(steps, &found);
        } else {
            TRY_MEMORY(add_labels(worker, steps, &found));
        }
        steps->ends.items[steps->done] = (uint32_t)steps->labels.length;
        steps->exhausted |= found.exhausted;
        steps->holds = found.holds;
    }
    return STATUS_OK;
}
