#include "unbounded/last_writers.h"

#include <assert.h>

void last_writers_init(struct last_writers *writers, const struct thread_net *net,
                       struct budget *budget, const struct limits *limits)
{
    *writers = (struct last_writers){.net = net, .budget = budget, .limits = limits};
    vector_init(&writers->found, budget);
}

void last_writers_release(struct last_writers *writers)
{
    for (size_t i = 0; i < writers->found.length; i++)
        bit_matrix_release(&writers->found.items[i].stands);
    vector_release(&writers->found);
}

static uint32_t value_at(const struct thread_net *net, uint32_t control, uint32_t slot)
{
    return thread_system_shared(net->design.system, thread_net_shared(net, control))[slot];
}

bool last_writers_know(const struct last_writers *writers, uint32_t control, uint32_t slot)
{
    const struct thread_net *net = writers->net;
    uint32_t word = value_at(net, control, slot);
    bool known = true;
    for (size_t i = 0; i < net->initial.length && known; i++)
        known = net->initial.items[i] != THREAD_NET_BAD &&
                value_at(net, net->initial.items[i], slot) != word;
    return known;
}

/* ---- following whoever steps into C ---- */

struct pursuit {
    struct last_writers *writers;
    const struct thread_net *net;
    struct last_writers_of *of;
    VECTOR(uint32_t) open; /* pairs of the closure that were met and not looked at yet */
};

static bool is_in(const struct pursuit *pursuit, uint32_t control)
{
    return control != THREAD_NET_BAD &&
           value_at(pursuit->net, control, pursuit->of->slot) == pursuit->of->word;
}

/* False when refused. */
static bool meet(struct pursuit *pursuit, uint32_t control, uint32_t local)
{
    uint32_t pair = closure_pair(&pursuit->net->closure, control, local);
    struct bits row = bit_matrix_row(&pursuit->of->stands, control);
    if (pair == NET_NONE || bits_get(row, local))
        return true;
    assert(is_in(pursuit, control));
    bits_set(row, local);
    return vector_push(&pursuit->open, control) && vector_push(&pursuit->open, pair);
}

/* What a step into C leads its thread to, of those of one pair. */
static bool enter(struct pursuit *pursuit, const struct closure_pair *pair)
{
    const struct closure *closure = &pursuit->net->closure;
    bool good = true;
    for (uint32_t j = 0; good && j < pair->count; j++) {
        const struct closure_move *move = &closure->moves.list.items[pair->first + j];
        if (is_in(pursuit, move->control))
            good = meet(pursuit, move->control, move->local);
    }
    return good;
}

static bool enter_all(struct pursuit *pursuit)
{
    const struct closure *closure = &pursuit->net->closure;
    bool good = true;
    for (uint32_t c = 0; good && c < closure->controls.length; c++) {
        const struct closure_control *row = &closure->controls.items[c];
        if (c == THREAD_NET_BAD || is_in(pursuit, c))
            continue;
        for (size_t i = 0; good && i < row->pairs.length; i++)
            good = enter(pursuit, &closure->pairs.items[row->pairs.items[i]]);
    }
    return good;
}

/* The steps of those that can be beside a pair: the one that is followed stays where it is. */
static bool let_others_step(struct pursuit *pursuit, uint32_t control, uint32_t followed)
{
    const struct closure *closure = &pursuit->net->closure;
    const struct closure_control *row = &closure->controls.items[control];
    struct bits beside = closure_beside(closure, followed);
    uint32_t local = closure->pairs.items[followed].local;
    bool good = true;
    for (size_t i = 0; good && i < row->pairs.length; i++) {
        const struct closure_pair *pair = &closure->pairs.items[row->pairs.items[i]];
        if (!bits_get(beside, pair->local))
            continue;
        for (uint32_t j = 0; good && j < pair->count; j++) {
            const struct closure_move *move = &closure->moves.list.items[pair->first + j];
            if (move->control != control && is_in(pursuit, move->control))
                good = meet(pursuit, move->control, local);
        }
    }
    return good;
}

static bool follow(struct pursuit *pursuit)
{
    const struct closure *closure = &pursuit->net->closure;
    bool good = enter_all(pursuit);
    for (uint32_t looked = 0; good && pursuit->open.length > 0;) {
        uint32_t pair = pursuit->open.items[pursuit->open.length - 1];
        uint32_t control = pursuit->open.items[pursuit->open.length - 2];
        pursuit->open.length -= 2;
        good = enter(pursuit, &closure->pairs.items[pair]) &&
               let_others_step(pursuit, control, pair) &&
               !limits_look(pursuit->writers->limits, &looked);
    }
    return good;
}

/* ---- the whole ---- */

static struct last_writers_of *find(struct last_writers *writers, uint32_t slot, uint32_t word)
{
    for (size_t i = 0; i < writers->found.length; i++)
        if (writers->found.items[i].slot == slot && writers->found.items[i].word == word)
            return &writers->found.items[i];
    return NULL;
}

/* Null when refused. */
static struct last_writers_of *add(struct last_writers *writers, uint32_t slot, uint32_t word)
{
    const struct closure *closure = &writers->net->closure;
    struct last_writers_of of = {.slot = slot, .word = word};
    struct pursuit pursuit = {.writers = writers, .net = writers->net, .of = &of};
    bit_matrix_init(&of.stands, writers->budget);
    vector_init(&pursuit.open, writers->budget);
    bool good =
        bit_matrix_fit(&of.stands, closure->controls.length, closure->beside.words * WORD_BITS) &&
        follow(&pursuit) && vector_push(&writers->found, of);
    vector_release(&pursuit.open);
    if (good)
        return &writers->found.items[writers->found.length - 1];
    bit_matrix_release(&of.stands);
    return NULL;
}

struct bits last_writers_at(struct last_writers *writers, uint32_t control, uint32_t slot)
{
    uint32_t word = value_at(writers->net, control, slot);
    assert(last_writers_know(writers, control, slot));
    struct last_writers_of *of = find(writers, slot, word);
    if (!of)
        of = add(writers, slot, word);
    return of ? bit_matrix_row(&of->stands, control) : (struct bits){NULL, 0};
}
