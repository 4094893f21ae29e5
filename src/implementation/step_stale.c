/* A reference that a thread holds is *stale* if a shared variable is not equal to it, and never
 * will be (implementation/step_settled.h).
 *
 * For each STEP and each reference that is live there: if that reference were stale, would each way
 * lead back to a head, with nothing left of the iteration? These are the steps->stale. */
#include "implementation/step_stale.h"

#include <string.h>

struct staleness {
    struct lin_asking asking; /* first */
    struct lin_steps *steps;
    struct lin_paths paths;
    uint32_t head;                          /* that is asked for */
    uint64_t nodes[LIN_MOST_FOLLOWED / 64]; /* locals that must not be null */
};

static const struct instruction *code_of(const struct staleness *stale)
{
    return stale->steps->listing.code.items;
}

static enum lin_path_end lead_back(void *observer, struct lin_paths *paths,
                                   const struct lin_path *path, uint32_t at)
{
    struct staleness *stale = observer;
    const struct instruction *i = &code_of(stale)[at];
    switch ((enum opcode)i->op) {
    case OP_STEP:
        return at == stale->head ? LIN_PATH_ENDS : LIN_PATH_GOES_ON;
    case OP_STORE_OWN:
        return lin_steps_any_live(stale->steps, stale->head, (uint32_t)i->operand, i->wide)
                   ? LIN_PATH_FAILS
                   : LIN_PATH_GOES_ON;
    case OP_DEREFERENCE:
        return lin_path_follow(paths, path, stale->nodes);
    case OP_CAS:
        return lin_settled_differs(stale, paths, path, at) ? LIN_PATH_GOES_ON : LIN_PATH_FAILS;
    case OP_PUSH:
    case OP_POP:
    case OP_THREAD:
    case OP_NOT:
    case OP_JUMP:
    case OP_JUMP_IF_FALSE:
    case OP_JUMP_IF_TRUE:
    case OP_LOAD_OWN:
    case OP_ADDRESS:
    case OP_LOAD_SHARED:
    case OP_LOAD:
    case OP_PICK:
    case OP_SAME:
    case OP_EQUAL:
    case OP_NOT_EQUAL:
        return LIN_PATH_GOES_ON;
    default:
        return LIN_PATH_FAILS;
    }
}

static const struct lin_paths_class back_class = {.begins = lead_back,
                                                  .differs = lin_settled_differs};

/* Whether what a thread does first behind a head is to read a variable that others share, so that
 * it is a step that nothing joins. */
static bool begins_by_reading(const struct staleness *stale, uint32_t head)
{
    const struct lin_steps *steps = stale->steps;
    for (uint32_t at = head + 1; at < steps->listing.code.length; at++) {
        const struct instruction *i = &code_of(stale)[at];
        if (instruction_is_jump(i) || !instruction_goes_on(i) || i->op == OP_STEP)
            return false;
        for (uint32_t j = 0; i->op == OP_LOAD_SHARED && j < steps->object->variable_count; j++)
            if (steps->shared[j].first == (uint32_t)i->operand && steps->shared[j].length == 1)
                return true;
    }
    return false;
}

static bool ask(void *user, const struct lin_entry *entry, const struct lin_stale *asked)
{
    struct staleness *stale = user;
    struct lin_steps *steps = stale->steps;
    const uint32_t end = lin_ways_end(steps, (uint32_t)(entry - steps->entries));
    for (uint32_t head = entry->start; head < end; head++) {
        const struct lin_pure_step *pure = &steps->pure[head];
        if (code_of(stale)[head].op != OP_STEP || head == asked->at ||
            !(pure->token & steps->pure[asked->at].pure) || pure->needs_link ||
            !begins_by_reading(stale, head))
            continue;
        stale->head = head;
        memcpy(stale->nodes, asked->nodes, sizeof stale->nodes);
        stale->asking.compared = false;
        stale->asking.asked = asked;
        if (lin_paths_run(&stale->paths, asked->at + 1) && stale->asking.compared) {
            struct lin_stale found = *asked;
            found.head = head;
            memcpy(found.nodes, stale->nodes, sizeof found.nodes);
            return vector_push(&steps->stale, found);
        }
    }
    return !stale->paths.refused;
}

enum status lin_step_find_stale(struct lin_steps *steps, const struct lin_settled *settled)
{
    struct staleness stale = {.steps = steps};
    if (!steps->has_pure || settled->lost)
        return STATUS_OK;
    lin_paths_init(&stale.paths, steps, &back_class, &stale);
    const bool done = lin_settled_ask(settled, ask, &stale);
    lin_paths_release(&stale.paths);
    TRY_MEMORY(done);
    if (steps->stale.length == 0)
        return STATUS_OK;
    steps->stale_from = lin_settled_index(steps, steps->stale.items, steps->stale.length);
    return granted(steps->stale_from);
}
