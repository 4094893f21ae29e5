/* Backwards over the code, until nothing changes: an instruction is quiet if some way from it leads
 * to the end of its step without touching what is shared. Every other step is noticed however it
 * ends, so that there is no need to try whether it joins the one before it. */
#include "implementation/quiet_steps.h"

/* Whether an array has an item for each thread that nobody else has access to. */
static bool is_own_item(const struct lin_model *model, uint32_t first)
{
    for (size_t i = 0; i < model->own.length; i++)
        if (model->own.items[i].first == first)
            return model->own.items[i].alone;
    return false;
}

/* A new node is nobody else's business where nodes are never given back and never run out. */
bool lin_touches_shared(const struct lin_model *model, const struct instruction *i)
{
    switch ((enum opcode)i->op) {
    case OP_NEW:
        return model->frees || !model->steps->pools[i->operand].is_default;
    case OP_ADDRESS:
        return i->small != LIN_ADDRESS_LEFT && !is_own_item(model, (uint32_t)i->operand);
    case OP_LOAD_SHARED:
    case OP_STORE_SHARED:
    case OP_FREE:
    case OP_AWAIT:
    case OP_LOCK:
    case OP_UNLOCK:
    case OP_LINEARIZE:
    case OP_LINEARIZE_OF:
    case OP_PRINT:
    case OP_INVOKE:
        return true;
    default:
        return false;
    }
}

/* Whether some way leads on from the instruction, as far as is known. NEW tells the search that
 * nodes ran out, whatever becomes of the step. */
static bool is_quiet(const struct lin_model *model, size_t at)
{
    const struct instruction *i = &model->steps->listing.code.items[at];
    const size_t next = at + 1;
    if (i->op == OP_ANSWER || i->op == OP_END || i->op == OP_NEW)
        return true;
    if (lin_touches_shared(model, i))
        return false;
    bool quiet = instruction_is_jump(i) && model->quiet.items[i->operand].before;
    return quiet || (instruction_goes_on(i) && next < model->quiet.length &&
                     model->quiet.items[next].before);
}

bool lin_find_quiet_steps(struct lin_model *model)
{
    const struct lin_steps *steps = model->steps;
    for (size_t i = 0; i < steps->listing.code.length; i++)
        if (!vector_push(&model->quiet, ((struct lin_quiet){0})))
            return false;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = model->quiet.length; i-- > 0;) {
            struct lin_quiet *here = &model->quiet.items[i];
            bool ends = steps->listing.code.items[i].op == OP_STEP, quiet = is_quiet(model, i);
            changed |= quiet != here->behind;
            *here = (struct lin_quiet){.before = quiet || ends, .behind = quiet};
        }
    }
    return true;
}
