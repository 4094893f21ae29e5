#include "implementation/model_expand.h"

#include "implementation/model_calls.h"
#include "implementation/model_steps.h"
#include "implementation/native.h"

/* Makes room for all steps that a state may have. */
static enum status make_room(struct lin_worker *worker, struct packed_steps *steps)
{
    const struct lin_model *model = worker->model;
    const size_t most = model->most_expanded, words = steps->to->words + (size_t)1;
    while (worker->calls.length < (size_t)model->calls * model->steps->setting.threads)
        TRY_MEMORY(vector_push(&worker->calls, LABEL_TAU));
    TRY_MEMORY(vector_reserve(&worker->keys, most) && vector_reserve(&steps->labels, most) &&
               vector_reserve(&steps->hashes, most));
    return granted(vector_reserve(&steps->words, most * words));
}

/* The label of a call, which is known once it has been made. */
static label label_call(struct lin_worker *worker, const struct lin_native_key *key)
{
    label *known =
        &worker->calls.items[key->of * worker->model->steps->setting.threads + key->thread];
    if (*known == LABEL_TAU) {
        const label made = lin_model_label_call(worker, key->of, key->thread);
        if (made == LABEL_REFUSED)
            return made;
        *known = made;
    }
    return *known;
}

static label label_step(struct lin_worker *worker, const struct lin_native_key *key)
{
    const struct instruction *code = worker->model->steps->listing.code.items;
    const uint32_t word = key->word;
    switch (key->kind) {
    case LIN_KEY_CALL:
        return label_call(worker, key);
    case LIN_KEY_ANSWER:
        return lin_model_label_answer(worker, &code[key->of], &word, key->thread);
    default:
        return LABEL_TAU;
    }
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
        const label of = label_step(worker, &expansion.keys[i]);
        TRY_MEMORY(of != LABEL_REFUSED);
        if (expansion.keys[i].made)
            steps->labels.items[steps->labels.length++] = of;
    }
    assert(steps->labels.length == expansion.count);
    steps->exhausted = expansion.exhausted;
    steps->holds = expansion.holds;
    *done = true;
    return STATUS_OK;
}
