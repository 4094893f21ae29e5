#include "unbounded/returns.h"

#include <assert.h>

#include "unbounded/prophecy.h"

/* By control: whether its row has grown in this round over all controls, and in the last one. */
#define GROWN_NOW    1
#define GROWN_BEFORE 2

struct search {
    const struct closure *closure;
    const struct returns_question *question;
    struct bit_matrix *can;
    uint8_t *grown;
    bool grows;
};

static void grow(struct search *search, uint32_t control)
{
    search->grown[control] |= GROWN_NOW;
    search->grows = true;
}

/* The thread that moves. */
static void look_at_own(struct search *search, uint32_t control, uint32_t local,
                        const struct closure_move *move)
{
    struct bits row = bit_matrix_row(search->can, control);
    const struct returns_question *question = search->question;
    if (bits_get(row, local) || (question->own && !question->own(question->user, move->move)))
        return;
    bool goes_on = move->move->answer == ANSWER_NONE || question->later;
    bool returns = (move->move->answer != ANSWER_NONE && question->answers == ANY_ANSWER) ||
                   (answer_bit(move->move) & question->answers) ||
                   (goes_on && bits_get(bit_matrix_row(search->can, move->control), move->local));
    if (!returns)
        return;
    assert(closure_has(search->closure, control, local));
    bits_set(row, local);
    grow(search, control);
}

/* Those that are there while a thread of the pair moves. */
static void look_at_others(struct search *search, uint32_t control, uint32_t pair,
                           const struct closure_move *move)
{
    const struct closure *closure = search->closure;
    const struct returns_question *question = search->question;
    if (move->control == control ||
        (question->others && !question->others(question->user, move->move)))
        return;
    if (bits_add_common(bit_matrix_row(search->can, control),
                        bit_matrix_row(search->can, move->control), closure_beside(closure, pair)))
        grow(search, control);
}

static void look_at_control(struct search *search, uint32_t control)
{
    const struct closure *closure = search->closure;
    const struct closure_control *row = &closure->controls.items[control];
    for (size_t i = row->pairs.length; i-- > 0;) {
        const struct closure_pair *pair = &closure->pairs.items[row->pairs.items[i]];
        for (uint32_t j = 0; j < pair->count; j++) {
            const struct closure_move *move = &closure->moves.list.items[pair->first + j];
            if (!search->grown[move->control] || !closure_has(closure, move->control, move->local))
                continue;
            look_at_own(search, control, pair->local, move);
            look_at_others(search, control, row->pairs.items[i], move);
        }
    }
}

static enum status search_rounds(struct search *search, const struct limits *limits)
{
    uint32_t count = (uint32_t)search->closure->controls.length;
    memset(search->grown, GROWN_BEFORE, count);
    do {
        search->grows = false;
        for (uint32_t control = count; control-- > 0;)
            look_at_control(search, control);
        for (uint32_t control = 0; control < count; control++)
            search->grown[control] = search->grown[control] & GROWN_NOW ? GROWN_BEFORE : 0;
        if (limits_reached(limits) != LIMIT_NONE)
            return STATUS_LIMIT;
    } while (search->grows);
    return STATUS_OK;
}

enum status returns_find(const struct closure *closure, const struct returns_question *question,
                         const struct limits *limits, struct bit_matrix *can)
{
    struct search search = {.closure = closure, .question = question, .can = can};
    size_t controls = closure->controls.length;
    bit_matrix_init(can, closure->budget);
    TRY_MEMORY(bit_matrix_fit(can, controls, closure->beside.words * WORD_BITS));
    search.grown = memory_allocate(closure->budget, controls);
    TRY_MEMORY(search.grown);
    enum status status = search_rounds(&search, limits);
    memory_release(closure->budget, search.grown, controls);
    return status;
}
