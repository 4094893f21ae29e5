#include "implementation/run_accesses.h"

/* Whether the word there becomes another one. */
static bool changes(const struct lin_run *run, const struct instruction *i, uint32_t slot)
{
    const struct evaluation *e = &run->evaluation;
    const uint32_t now = e->slots[slot], next = (uint32_t)datum_bits(*evaluation_top(e, 0));
    if (i->op == OP_LOAD)
        return false;
    return now != next && (i->op == OP_STORE || now == (uint32_t)datum_bits(*evaluation_top(e, 1)));
}

/* Suppositions by which the field of the node does not change any more. */
static uint64_t find_guards(const struct lin_run *run, const struct lin_access *access,
                            uint32_t slot)
{
    const struct lin_steps *steps = run->steps;
    const struct lin_pool *pool = &steps->pools[access->pool];
    const uint32_t *node = run->evaluation.slots + slot - access->field;
    uint64_t guards = 0;
    for (uint64_t left = access->supposed & run->worker->model->supposed; left; left &= left - 1) {
        const uint32_t guard = steps->suppositions.items[__builtin_ctzll(left)].guard;
        if (guard != LIN_ENDS_THERE && node[guard] != (uint32_t)pool->initial[guard])
            guards |= left & -left;
    }
    return guards;
}

/* Suppositions that are wrong because of a node that is put into a field. */
static uint64_t find_wrong_links(const struct lin_run *run, const struct lin_access *access)
{
    const struct lin_steps *steps = run->steps;
    const struct lin_pool *pool = &steps->pools[access->pool];
    const uint32_t node = (uint32_t)datum_bits(*evaluation_top(&run->evaluation, 0));
    uint64_t wrong = 0;
    for (uint64_t left = access->supposed & run->worker->model->supposed; left && node;
         left &= left - 1)
        if (steps->suppositions.items[__builtin_ctzll(left)].guard == LIN_ENDS_THERE &&
            run->evaluation.slots[pool->first + (node - 1) * pool->words + access->field])
            wrong |= left & -left;
    return wrong;
}

static enum ran note_field(struct lin_run *run, const struct instruction *i,
                           const struct lin_access *access, uint32_t slot)
{
    struct lin_worker *worker = run->worker;
    const struct lin_pool *pool = &run->steps->pools[access->pool];
    const bool changing = changes(run, i, slot);
    const uint64_t guards = find_guards(run, access, slot);
    if (changing)
        worker->wrong |= guards | find_wrong_links(run, access);
    if (guards && !changing && (i->op == OP_LOAD || !worker->model->links)) {
        worker->reads_write_once = true;
        return RAN_ON;
    }
    return vector_push(&worker->touched, access->pool) &&
                   vector_push(&worker->touched, (slot - pool->first) / pool->words)
               ? RAN_ON
               : RAN_OUT_OF_MEMORY;
}

/* A cas that expects a node which is not there: it would fail at any later time, too. */
static void note_fresh(const struct lin_run *run, uint32_t slot)
{
    const uint32_t expected = (uint32_t)datum_bits(*evaluation_top(&run->evaluation, 1));
    if (run->worker->options.decided && expected && run->evaluation.slots[slot] != expected)
        run->worker->reads_write_once = true;
    else
        run->worker->touches_shared = true;
}

enum ran lin_run_note_access(struct lin_run *run, const struct instruction *i)
{
    const struct lin_access *access = &run->steps->accesses[i - run->evaluation.code->instructions];
    const uint32_t above = i->op == OP_LOAD    ? 0
                           : i->op == OP_STORE ? 1
                                               : 2,
                   slot = (uint32_t)datum_bits(*evaluation_top(&run->evaluation, above)),
                   own = access->field + run->evaluation.thread * access->words;
    if (access->pool == LIN_ACCESS_TO_FRESH) {
        note_fresh(run, slot);
        return RAN_ON;
    }
    if (access->pool != LIN_ACCESS_TO_ITEM)
        return note_field(run, i, access, slot);
    run->worker->touches_shared |= !run->worker->options.local || slot < own ||
                                   slot - own >= access->words || changes(run, i, slot) ||
                                   (i->op != OP_LOAD && run->worker->model->links);
    return RAN_ON;
}
