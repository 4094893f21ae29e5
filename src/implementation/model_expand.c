#include "implementation/model_expand.h"

#include "implementation/model_calls.h"
#include "implementation/model_steps.h"
#include "implementation/native.h"
#include "implementation/native_source.h"

/* Makes room for all steps that a state may have. */
static enum status make_room(struct lin_worker *worker, struct packed_steps *steps)
{
    const struct lin_model *model = worker->model;
    const size_t most = model->most_expanded, words = steps->to->words + (size_t)1;
    TRY_MEMORY(vector_reserve(&worker->keys, most) && vector_reserve(&steps->labels, most) &&
               vector_reserve(&steps->hashes, most));
    return granted(vector_reserve(&steps->words, most * words));
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

enum status lin_model_expand(struct worker *base, struct packed_steps *steps, bool *done)
{
    struct lin_worker *worker = (struct lin_worker *)base;
    *done = false;
    if (!worker->native || !worker->native->expand)
        return STATUS_OK;
    TRY(make_room(worker, steps));
    struct lin_native_expansion expansion = {.state = steps->state,
                                             .from = steps->from->groups,
                                             .to = steps->to->groups,
                                             .words = steps->words.items,
                                             .most = steps->to->words,
                                             .hashes = steps->hashes.items,
                                             .keys = worker->keys.items,
                                             .condition = steps->condition};
    if (!worker->native->expand(&expansion))
        return STATUS_OK;
    steps->labels.length = 0;
    for (uint32_t i = 0; i < expansion.asked; i++) {
        const uint32_t key = expansion.keys[i] & ~LIN_KEY_WAITS;
        label of = key < worker->labels.length ? worker->labels.items[key] : LABEL_TAU;
        if (UNLIKELY(of == LABEL_TAU && key != LIN_KEY_STEP))
            of = find_label(worker, key);
        TRY_MEMORY(of != LABEL_REFUSED);
        if (key == expansion.keys[i])
            steps->labels.items[steps->labels.length++] = of;
    }
    assert(steps->labels.length == expansion.count);
    steps->exhausted = expansion.exhausted;
    steps->holds = expansion.holds;
    *done = true;
    return STATUS_OK;
}
