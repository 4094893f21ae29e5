#include "unbounded/blocked.h"

#include <assert.h>

#include "unbounded/thread_memory.h"

#define CHANGED ((auxiliary)1)

#define COLOURS (1u << 1 | 1u << 2)

static bool never(const void *user, const struct thread_move *move)
{
    (void)user, (void)move;
    return false;
}

enum status blocked_find(struct blocked *blocked, struct thread_system *system,
                         struct budget *budget, const struct limits *limits, struct error *error)
{
    const struct returns_question question = {.answers = ANY_ANSWER, .others = never};
    *blocked = (struct blocked){.limits = limits};
    bit_matrix_init(&blocked->alone, budget);
    arena_init(&blocked->arena, budget);
    vectors_init(budget, &blocked->references, &blocked->unblocks, &blocked->arrivals,
                 &blocked->prospects);
    extensions_init(&blocked->extensions, system, COLOURS, budget);
    TRY(plain_closure_make(&blocked->plain, system, COLOURS, budget, limits, error));
    for (uint32_t l = 0; l < blocked->plain.closure.local_count; l++)
        TRY_MEMORY(vector_push(&blocked->references, thread_system_references(system, l)));
    return returns_find(&blocked->plain.closure, &question, limits, &blocked->alone);
}

void blocked_release(struct blocked *blocked)
{
    plain_closure_release(&blocked->plain);
    bit_matrix_release(&blocked->alone);
    arena_release(&blocked->arena);
    extensions_release(&blocked->extensions);
    vectors_release(&blocked->references, &blocked->unblocks, &blocked->arrivals,
                    &blocked->prospects);
    last_writers_release(&blocked->writers);
}

/* ---- what has changed ---- */

/* The nodes that other threads refer to while one moves. */
static uint64_t references_of_others(const struct blocked *blocked, const struct thread_move *move)
{
    const struct closure *closure = &blocked->plain.closure;
    uint32_t pair = closure_pair(closure, move->shared, move->local);
    struct bits beside = closure_beside(closure, pair);
    uint64_t found = 0;
    for (size_t at = 0; (at = bits_next(beside, at)) < beside.size; at++)
        found |= blocked->references.items[at];
    return found;
}

auxiliary blocked_remember(const struct blocked *blocked, const struct thread_move *move,
                           auxiliary before)
{
    uint64_t own = before >> 1;
    assert(!(before & CHANGED) || before == CHANGED);
    if (before & CHANGED)
        return before;
    if (thread_system_changes(blocked->plain.system, move, references_of_others(blocked, move),
                              &own))
        return CHANGED;
    return own << 1; /* the last node is as if it were not known to be its own */
}

/* ---- who can unblock whom ---- */

static bool is_alone(const struct blocked *blocked, uint32_t shared, uint32_t local)
{
    return bits_get(bit_matrix_row(&blocked->alone, shared), local);
}

static bool can_return(struct blocked *blocked, uint32_t shared, uint32_t local)
{
    return is_alone(blocked, shared, local) ||
           extensions_let_return(&blocked->extensions, shared, local);
}

/* Fills W; false if it is empty. */
static bool find_unblockers(struct blocked *blocked, const struct thread_net *net, uint32_t control,
                            uint32_t blocked_local)
{
    const struct closure_control *row = &net->closure.controls.items[control];
    uint32_t shared = thread_net_shared(net, control);
    bool found = false;
    memset(blocked->unblocks.items, 0, net->closure.local_count * sizeof *blocked->unblocks.items);
    for (size_t i = 0; i < row->pairs.length; i++) {
        uint32_t local = net->closure.pairs.items[row->pairs.items[i]].local;
        struct standing standing = thread_net_standing(net, local);
        if (!(standing.auxiliary & CHANGED) ||
            !closure_together(&net->closure, control, local, blocked_local))
            continue;
        bool unblocks = extensions_let_both_return(&blocked->extensions, shared, standing.local,
                                                   thread_net_standing(net, blocked_local).local);
        blocked->unblocks.items[local] = unblocks;
        found = found || unblocks;
    }
    return found;
}

/* ---- whether somebody always can ---- */

/* False when refused. */
static bool find_arrivals(struct blocked *blocked, const struct thread_net *net)
{
    const struct closure *closure = &net->closure;
    VECTOR(uint32_t) controls; /* by arrival: where it leads */
    vector_init(&controls, blocked->alone.budget);
    bool good = groups_begin(&blocked->by_control, closure->controls.length, &blocked->arena);
    for (uint32_t c = 0; c < closure->controls.length && good; c++)
        for (size_t i = 0; i < closure->controls.items[c].pairs.length && good; i++) {
            const struct closure_pair *pair =
                &closure->pairs.items[closure->controls.items[c].pairs.items[i]];
            for (uint32_t j = 0; j < pair->count && good; j++) {
                const struct closure_move *move = &closure->moves.list.items[pair->first + j];
                const struct arrival arrival = {c, pair->local, move->local};
                if (closure_has(closure, move->control, move->local))
                    good = vector_push(&blocked->arrivals, arrival) &&
                           vector_push(&controls, move->control);
            }
        }
    while (good && groups_pass(&blocked->by_control, &blocked->arena))
        for (uint32_t i = 0; i < controls.length; i++)
            groups_put(&blocked->by_control, controls.items[i], i);
    vector_release(&controls);
    return good && groups_made(&blocked->by_control);
}

/* What has to be so of a control and a thread: that another one stands in W. */
struct obligations {
    struct word_arrays pairs; /* control, local state of the thread */
    bool refused;
};

static void oblige(struct obligations *obligations, uint32_t control, uint32_t local)
{
    const uint32_t words[] = {control, local};
    if (word_arrays_intern(&obligations->pairs, words, 2, NULL) == UINT32_MAX)
        obligations->refused = true;
}

/* What has led to a pair makes it so, or must have begun where it was so. False if it may have
 * ended it. */
static bool look_back(const struct blocked *blocked, const struct thread_net *net,
                      struct obligations *obligations, uint32_t control, uint32_t local)
{
    const struct closure *closure = &net->closure;
    for (size_t i = 0; i < net->initial.length; i++)
        if (net->initial.items[i] == control && local < net->design.system->kinds.length)
            return false;
    const struct groups *groups = &blocked->by_control;
    for (uint32_t i = groups->first[control]; i < groups->first[control + 1]; i++) {
        const struct arrival *arrival = &blocked->arrivals.items[groups->items[i]];
        if (arrival->to == local) /* the thread's own move */
            oblige(obligations, arrival->control, arrival->from);
        if (blocked->unblocks.items[arrival->to] || /* it was another's */
            !closure_together(closure, arrival->control, arrival->from, local))
            continue;
        if (blocked->unblocks.items[arrival->from])
            return false;
        oblige(obligations, arrival->control, local);
    }
    return true;
}

/* Whether another thread stands in W whenever one stands in `local` at the control. */
static bool is_certain(struct blocked *blocked, const struct thread_net *net, uint32_t control,
                       uint32_t local)
{
    struct obligations obligations = {.refused = false};
    bool good = true;
    word_arrays_init(&obligations.pairs, blocked->alone.budget);
    oblige(&obligations, control, local);
    for (uint32_t i = 0; good && i < obligations.pairs.items.length; i++) {
        size_t count;
        const uint32_t *words = word_arrays_get(&obligations.pairs, i, &count);
        good = look_back(blocked, net, &obligations, words[0], words[1]) && !obligations.refused;
    }
    blocked->refused = blocked->refused || obligations.refused;
    word_arrays_release(&obligations.pairs);
    return good;
}

/* ---- who waits for whom ---- */

/* Of a local state at one control. */
enum prospect {
    PROSPECT_NONE,   /* its thread is idle, or has changed nothing */
    PROSPECT_RETURN, /* it can return */
    PROSPECT_BLOCKED,
    PROSPECT_UNBLOCKED, /* it is blocked, but then somebody else stands there who can return */
};

static enum prospect prospect_of(struct blocked *blocked, const struct thread_net *net,
                                 uint32_t control, uint32_t local)
{
    struct standing standing = thread_net_standing(net, local);
    if (thread_system_is_idle(net->design.system, standing.local))
        return PROSPECT_NONE;
    if (can_return(blocked, thread_net_shared(net, control), standing.local))
        return PROSPECT_RETURN;
    return standing.auxiliary & CHANGED ? PROSPECT_BLOCKED : PROSPECT_NONE;
}

/* Whether all of those that can be beside a thread can return, or are unblocked; the thread is none
 * of them. */
static bool are_unblocked(const struct blocked *blocked, const struct closure *closure,
                          uint32_t control, uint32_t local, struct bits those)
{
    assert(closure_has(closure, control, local));
    struct bits beside = closure_beside(closure, closure_pair(closure, control, local));
    bool unblocked = !bits_get(those, local);
    for (size_t other = 0; unblocked && (other = bits_next(those, other)) < those.size; other++)
        unblocked = !bits_get(beside, other) ||
                    blocked->prospects.items[other] == PROSPECT_RETURN ||
                    blocked->prospects.items[other] == PROSPECT_UNBLOCKED;
    return unblocked;
}

/* Whether the last writer of some shared variable unblocks the thread, say the holder of the lock
 * that it waits for. */
static bool is_unblocked(struct blocked *blocked, const struct thread_net *net, uint32_t control,
                         uint32_t local)
{
    const struct lin_steps *steps = net->design.system->steps;
    bool unblocked = false;
    for (uint32_t slot = 0; slot < steps->thread_first && !unblocked && !blocked->refused; slot++) {
        if (!last_writers_know(&blocked->writers, control, slot))
            continue;
        struct bits those = last_writers_at(&blocked->writers, control, slot);
        if (those.words)
            unblocked = are_unblocked(blocked, &net->closure, control, local, those);
        blocked->refused = !those.words;
    }
    return unblocked;
}

/* A thread is unblocked by those that can return, or that were found to be unblocked before:
 * in a configuration whoever waits leads, one after the other, to somebody who can return, and
 * never in a circle. */
static void look_at_control(struct blocked *blocked, const struct thread_net *net, uint32_t control)
{
    const struct closure *closure = &net->closure;
    const struct closure_control *row = &closure->controls.items[control];
    uint8_t *prospects = blocked->prospects.items;
    bool grows = true;
    for (size_t i = 0; i < row->pairs.length; i++) {
        uint32_t local = closure->pairs.items[row->pairs.items[i]].local;
        prospects[local] = (uint8_t)prospect_of(blocked, net, control, local);
        if (prospects[local] == PROSPECT_BLOCKED && find_unblockers(blocked, net, control, local) &&
            is_certain(blocked, net, control, local))
            prospects[local] = PROSPECT_UNBLOCKED;
    }
    while (grows) {
        grows = false;
        for (size_t i = 0; i < row->pairs.length; i++) {
            uint32_t local = closure->pairs.items[row->pairs.items[i]].local;
            if (prospects[local] != PROSPECT_BLOCKED || !is_unblocked(blocked, net, control, local))
                continue;
            prospects[local] = PROSPECT_UNBLOCKED;
            grows = true;
        }
    }
}

/* False when refused. */
static bool prepare(struct blocked *blocked, const struct thread_net *net)
{
    if (groups_made(&blocked->by_control))
        return true;
    last_writers_init(&blocked->writers, net, blocked->alone.budget, blocked->limits);
    blocked->looked_at = THREAD_NET_BAD;
    return vector_reserve(&blocked->prospects, net->closure.local_count) &&
           vector_reserve(&blocked->unblocks, net->closure.local_count) &&
           find_arrivals(blocked, net);
}

bool blocked_may_be(struct blocked *blocked, const struct thread_net *net, uint32_t control,
                    uint32_t local)
{
    struct standing standing = thread_net_standing(net, local);
    uint32_t shared = thread_net_shared(net, control);
    if (!(standing.auxiliary & CHANGED) || can_return(blocked, shared, standing.local))
        return false;
    if (!prepare(blocked, net)) {
        blocked->refused = true;
        return true;
    }
    if (blocked->looked_at != control)
        look_at_control(blocked, net, control);
    blocked->looked_at = control;
    blocked->refused = blocked->refused || blocked->extensions.refused;
    return blocked->prospects.items[local] == PROSPECT_BLOCKED;
}
