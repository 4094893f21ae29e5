#include "unbounded/stranded.h"

#include "unbounded/thread_memory.h"

#define CHANGED ((promise)1)

#define COLOURS (1u << 1 | 1u << 2)

static bool never(const void *user, const struct thread_move *move)
{
    (void)user, (void)move;
    return false;
}

enum status stranded_find(struct stranded *stranded, struct thread_system *system,
                          struct budget *budget, const struct limits *limits, struct error *error)
{
    const struct returns_question question = {.answers = ANY_ANSWER, .others = never};
    *stranded = (struct stranded){.limits = limits};
    bit_matrix_init(&stranded->alone, budget);
    vector_init(&stranded->references, budget);
    vector_init(&stranded->helps, budget);
    vector_init(&stranded->arrivals, budget);
    vector_init(&stranded->first_arrival, budget);
    vector_init(&stranded->prospects, budget);
    helped_init(&stranded->helped, system, COLOURS, budget);
    TRY(plain_closure_make(&stranded->plain, system, COLOURS, budget, limits, error));
    for (uint32_t l = 0; l < stranded->plain.closure.local_count; l++)
        if (!vector_push(&stranded->references, thread_system_references(system, l)))
            return STATUS_LIMIT;
    return returns_find(&stranded->plain.closure, &question, limits, &stranded->alone);
}

void stranded_release(struct stranded *stranded)
{
    plain_closure_release(&stranded->plain);
    bit_matrix_release(&stranded->alone);
    helped_release(&stranded->helped);
    vector_release(&stranded->references);
    vector_release(&stranded->helps);
    vector_release(&stranded->arrivals);
    vector_release(&stranded->first_arrival);
    vector_release(&stranded->prospects);
    holders_release(&stranded->holders);
}

/* ---- what has changed ---- */

/* The nodes that other threads refer to while one moves. */
static uint64_t references_of_others(const struct stranded *stranded,
                                     const struct thread_move *move)
{
    const struct closure *closure = &stranded->plain.closure;
    uint32_t pair = closure_pair(closure, move->shared, move->local);
    struct bits beside = closure_beside(closure, pair);
    uint64_t found = 0;
    for (size_t at = 0; (at = bits_next(beside, at)) < beside.size; at++)
        found |= stranded->references.items[at];
    return found;
}

promise stranded_remember(const struct stranded *stranded, const struct thread_move *move,
                          promise before)
{
    uint64_t own = before >> 1;
    if (before & CHANGED)
        return before;
    if (thread_system_changes(stranded->plain.system, move, references_of_others(stranded, move),
                              &own))
        return CHANGED;
    return own << 1; /* the last node is as if it were not known to be its own */
}

/* ---- who can help ---- */

static bool is_alone(const struct stranded *stranded, uint32_t shared, uint32_t local)
{
    return bits_get(bit_matrix_row(&stranded->alone, shared), local);
}

static bool can_return(struct stranded *stranded, uint32_t shared, uint32_t local)
{
    return is_alone(stranded, shared, local) || helped_can_return(&stranded->helped, shared, local);
}

/* Fills W; false if it is empty. */
static bool find_helpers(struct stranded *stranded, const struct thread_net *net, uint32_t control,
                         uint32_t stuck_local)
{
    const struct closure_control *row = &net->closure.controls.items[control];
    uint32_t shared = thread_net_shared(net, control);
    bool found = false;
    memset(stranded->helps.items, 0, net->closure.local_count * sizeof *stranded->helps.items);
    for (size_t i = 0; i < row->pairs.length; i++) {
        uint32_t local = net->closure.pairs.items[row->pairs.items[i]].local;
        struct standing standing = thread_net_standing(net, local);
        if (!(standing.promised & CHANGED) ||
            !closure_together(&net->closure, control, local, stuck_local))
            continue;
        bool helps = helped_frees(&stranded->helped, shared, standing.local,
                                  thread_net_standing(net, stuck_local).local);
        stranded->helps.items[local] = helps;
        found = found || helps;
    }
    return found;
}

/* ---- whether somebody always can ---- */

/* Counts the moves to each control, or puts them in their places. */
static void sort_arrivals(struct stranded *stranded, const struct closure *closure, bool placing)
{
    uint32_t *first = stranded->first_arrival.items;
    for (uint32_t c = 0; c < closure->controls.length; c++)
        for (size_t i = 0; i < closure->controls.items[c].pairs.length; i++) {
            uint32_t number = closure->controls.items[c].pairs.items[i];
            const struct closure_pair *pair = &closure->pairs.items[number];
            for (uint32_t j = 0; j < pair->count; j++) {
                const struct closure_move *move = &closure->moves.list.items[pair->first + j];
                if (!closure_has(closure, move->control, move->local))
                    continue;
                if (placing)
                    stranded->arrivals.items[first[move->control + 1]++] =
                        (struct arrival){c, pair->local, move->local};
                else
                    first[move->control + 2]++;
            }
        }
}

/* False when refused. */
static bool find_arrivals(struct stranded *stranded, const struct thread_net *net)
{
    const struct closure *closure = &net->closure;
    size_t count = closure->controls.length;
    if (!vector_reserve(&stranded->helps, closure->local_count) ||
        !vector_reserve(&stranded->arrivals, closure->moves.list.length + 1) ||
        !vector_reserve(&stranded->first_arrival, count + 2))
        return false;
    uint32_t *first = stranded->first_arrival.items; /* one place late until all are there */
    memset(first, 0, (count + 2) * sizeof *first);
    sort_arrivals(stranded, closure, false);
    for (size_t c = 1; c <= count; c++)
        first[c + 1] += first[c];
    sort_arrivals(stranded, closure, true);
    return true;
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
static bool look_back(const struct stranded *stranded, const struct thread_net *net,
                      struct obligations *obligations, uint32_t control, uint32_t local)
{
    const struct closure *closure = &net->closure;
    for (size_t i = 0; i < net->initial.length; i++)
        if (net->initial.items[i] == control && local < net->design.system->kinds.length)
            return false;
    for (uint32_t i = stranded->first_arrival.items[control];
         i < stranded->first_arrival.items[control + 1]; i++) {
        const struct arrival *arrival = &stranded->arrivals.items[i];
        if (arrival->to == local) /* the thread's own move */
            oblige(obligations, arrival->control, arrival->from);
        if (stranded->helps.items[arrival->to] || /* it was another's */
            !closure_together(closure, arrival->control, arrival->from, local))
            continue;
        if (stranded->helps.items[arrival->from])
            return false;
        oblige(obligations, arrival->control, local);
    }
    return true;
}

/* Whether another thread stands in W whenever one stands in `local` at the control. */
static bool is_certain(struct stranded *stranded, const struct thread_net *net, uint32_t control,
                       uint32_t local)
{
    struct obligations obligations = {.refused = false};
    bool good = true;
    word_arrays_init(&obligations.pairs, stranded->alone.budget);
    oblige(&obligations, control, local);
    for (uint32_t i = 0; good && i < obligations.pairs.items.length; i++) {
        size_t count;
        const uint32_t *words = word_arrays_get(&obligations.pairs, i, &count);
        good = look_back(stranded, net, &obligations, words[0], words[1]) && !obligations.refused;
    }
    stranded->refused = stranded->refused || obligations.refused;
    word_arrays_release(&obligations.pairs);
    return good;
}

/* ---- who waits for whom ---- */

/* Of a local state at one control. */
enum prospect {
    PROSPECT_NONE,   /* its thread is idle, or has changed nothing */
    PROSPECT_RETURN, /* it can return */
    PROSPECT_STUCK,
    PROSPECT_HELPED, /* it is stuck, but then somebody else stands there who can return */
};

static enum prospect prospect_of(struct stranded *stranded, const struct thread_net *net,
                                 uint32_t control, uint32_t local)
{
    struct standing standing = thread_net_standing(net, local);
    if (thread_system_is_idle(net->design.system, standing.local))
        return PROSPECT_NONE;
    if (can_return(stranded, thread_net_shared(net, control), standing.local))
        return PROSPECT_RETURN;
    return standing.promised & CHANGED ? PROSPECT_STUCK : PROSPECT_NONE;
}

/* Whether all of those that can be beside a thread can return, or are helped; the thread is none of
 * them. */
static bool are_helped(const struct stranded *stranded, const struct closure *closure,
                       uint32_t control, uint32_t local, struct bits those)
{
    struct bits beside = closure_beside(closure, closure_pair(closure, control, local));
    bool helped = !bits_get(those, local);
    for (size_t other = 0; helped && (other = bits_next(those, other)) < those.size; other++)
        helped = !bits_get(beside, other) || stranded->prospects.items[other] == PROSPECT_RETURN ||
                 stranded->prospects.items[other] == PROSPECT_HELPED;
    return helped;
}

/* Whether whoever has made some shared variable what it is helps the thread, say who holds the lock
 * that it waits for. */
static bool is_helped(struct stranded *stranded, const struct thread_net *net, uint32_t control,
                      uint32_t local)
{
    const struct lin_steps *steps = net->design.system->steps;
    bool helped = false;
    for (uint32_t slot = 0; slot < steps->thread_first && !helped && !stranded->refused; slot++) {
        if (!holders_know(&stranded->holders, control, slot))
            continue;
        struct bits those = holders_at(&stranded->holders, control, slot);
        if (those.words)
            helped = are_helped(stranded, &net->closure, control, local, those);
        stranded->refused = !those.words;
    }
    return helped;
}

/* Helped is who is helped by those that can return, or that were found to be helped before: in a
 * configuration whoever waits leads, one after the other, to somebody who can return, and never in
 * a circle. */
static void look_at_control(struct stranded *stranded, const struct thread_net *net,
                            uint32_t control)
{
    const struct closure *closure = &net->closure;
    const struct closure_control *row = &closure->controls.items[control];
    uint8_t *prospects = stranded->prospects.items;
    bool grows = true;
    for (size_t i = 0; i < row->pairs.length; i++) {
        uint32_t local = closure->pairs.items[row->pairs.items[i]].local;
        prospects[local] = (uint8_t)prospect_of(stranded, net, control, local);
        if (prospects[local] == PROSPECT_STUCK && find_helpers(stranded, net, control, local) &&
            is_certain(stranded, net, control, local))
            prospects[local] = PROSPECT_HELPED;
    }
    while (grows) {
        grows = false;
        for (size_t i = 0; i < row->pairs.length; i++) {
            uint32_t local = closure->pairs.items[row->pairs.items[i]].local;
            if (prospects[local] != PROSPECT_STUCK || !is_helped(stranded, net, control, local))
                continue;
            prospects[local] = PROSPECT_HELPED;
            grows = true;
        }
    }
}

/* False when refused. */
static bool prepare(struct stranded *stranded, const struct thread_net *net)
{
    if (stranded->arrivals.items)
        return true;
    holders_init(&stranded->holders, net, stranded->alone.budget, stranded->limits);
    stranded->looked_at = THREAD_NET_BAD;
    return vector_reserve(&stranded->prospects, net->closure.local_count) &&
           find_arrivals(stranded, net);
}

bool stranded_may_be(struct stranded *stranded, const struct thread_net *net, uint32_t control,
                     uint32_t local)
{
    struct standing standing = thread_net_standing(net, local);
    uint32_t shared = thread_net_shared(net, control);
    if (!(standing.promised & CHANGED) || can_return(stranded, shared, standing.local))
        return false;
    if (!prepare(stranded, net)) {
        stranded->refused = true;
        return true;
    }
    if (stranded->looked_at != control)
        look_at_control(stranded, net, control);
    stranded->looked_at = control;
    stranded->refused = stranded->refused || stranded->helped.refused;
    return stranded->prospects.items[local] == PROSPECT_STUCK;
}
