#include "implementation/model_expand.h"

#include "implementation/model_calls.h"
#include "implementation/model_steps.h"
#include "implementation/native.h"
#include "implementation/native_source.h"

/* Makes room for all steps that one more state may have. */
static inline bool make_room(struct lin_worker *worker, struct packed_steps *steps, size_t found)
{
    const size_t most = found + worker->model->most_expanded;
    if (LIKELY(worker->model->most_expanded <= worker->keys.capacity &&
               most <= steps->labels.capacity && most <= steps->hashes.capacity &&
               most * steps->to->words <= steps->words.capacity))
        return true;
    return vector_reserve(&worker->keys, worker->model->most_expanded) &&
           vector_reserve(&steps->labels, most) && vector_reserve(&steps->hashes, most) &&
           vector_reserve(&steps->words, most * steps->to->words);
}

/* The label of a call or an answer, which is known once it has been made. */
static label find_label(struct lin_worker *worker, uint32_t key)
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

/* Appends the labels of the steps that were found. False when refused. */
static inline bool add_labels(struct lin_worker *worker, struct packed_steps *steps,
                              const struct lin_native_expansion *found)
{
    label *labels = steps->labels.items;
    size_t count = steps->labels.length;
    for (uint32_t i = 0; i < found->asked; i++) {
        const uint32_t key = found->keys[i] & ~LIN_KEY_WAITS;
        label of = key < worker->labels.length ? worker->labels.items[key] : LABEL_TAU;
        if (UNLIKELY(of == LABEL_TAU && key != LIN_KEY_STEP))
            of = find_label(worker, key);
        if (UNLIKELY(of == LABEL_REFUSED))
            return false;
        labels[count] = of; /* of one that waits it is overwritten */
        count += key == found->keys[i];
    }
    assert(count == steps->labels.length + found->count);
    steps->labels.length = count;
    return true;
}

enum status lin_model_expand(struct worker *base, struct packed_steps *steps)
{
    struct lin_worker *worker = (struct lin_worker *)base;
    const uint32_t width = steps->to->words;
    steps->done = 0;
    steps->holds = 0;
    steps->exhausted = false;
    steps->labels.length = 0;
    if (!worker->native || !worker->native->expand)
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
        if (!worker->native->expand(&found))
            break;
        TRY_MEMORY(add_labels(worker, steps, &found));
        steps->ends.items[steps->done] = (uint32_t)steps->labels.length;
        steps->exhausted |= found.exhausted;
        steps->holds = found.holds;
    }
    return STATUS_OK;
}
