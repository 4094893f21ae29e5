#include "lin/flow.h"

/* Jumps to be completed when their targets are known. */
struct lin_loop {
    struct lin_loop *outer;
    VECTOR(uint32_t) breaks, continues; /* instructions */
};

void lin_listing_init(struct lin_listing *listing, struct budget *budget)
{
    vector_init(&listing->code, budget);
    vector_init(&listing->places, budget);
}

void lin_listing_release(struct lin_listing *listing)
{
    vector_release(&listing->code);
    vector_release(&listing->places);
}

enum status lin_emit(struct lin_listing *listing, place at, unsigned op, unsigned small,
                     uint32_t wide, uint32_t operand)
{
    struct lin_instruction instruction = {.op = (uint8_t)op,
                                          .small = (uint8_t)small,
                                          .wide = (uint16_t)wide,
                                          .operand = (int32_t)operand};
    return vector_push(&listing->code, instruction) && vector_push(&listing->places, at)
               ? STATUS_OK
               : STATUS_LIMIT;
}

static enum status emit_jump(struct lin_flow *flow, place at, unsigned op, uint32_t target)
{
    return lin_emit(flow->listing, at, op, 0, 0, target);
}

enum status lin_flow_if(struct lin_flow *flow, const struct lin_statement *statement)
{
    const struct lin_flow_class *class = flow->class;
    TRY(class->condition(flow->compiler, statement->expression, statement->at));
    uint32_t jump = lin_here(flow->listing);
    TRY(emit_jump(flow, statement->at, class->jump_if_false, 0));
    TRY(class->statement(flow->compiler, statement->items[0]));
    if (statement->count == 1) {
        lin_land(flow->listing, jump);
        return STATUS_OK;
    }
    uint32_t end = lin_here(flow->listing);
    TRY(emit_jump(flow, statement->at, class->jump, 0));
    lin_land(flow->listing, jump);
    TRY(class->statement(flow->compiler, statement->items[1]));
    lin_land(flow->listing, end);
    return STATUS_OK;
}

/* Condition, body, step; a `do` runs its body first. */
static enum status compile_parts(struct lin_flow *flow, struct lin_loop *loop,
                                 const struct lin_statement *statement)
{
    const struct lin_flow_class *class = flow->class;
    struct lin_listing *listing = flow->listing;
    const struct lin_statement *body = statement->items[statement->kind == LIN_STATEMENT_FOR];
    bool body_first = statement->kind == LIN_STATEMENT_DO;
    bool endless = class->is_endless(flow->compiler, statement->expression);
    uint32_t start = lin_here(listing), leave = UINT32_MAX;
    if (!body_first && !endless) {
        TRY(class->condition(flow->compiler, statement->expression, statement->expression->at));
        leave = lin_here(listing);
        TRY(emit_jump(flow, statement->at, class->jump_if_false, 0));
    }
    TRY(class->statement(flow->compiler, body));
    for (size_t i = 0; i < loop->continues.length; i++)
        lin_land(listing, loop->continues.items[i]);
    if (statement->step)
        TRY(class->effect(flow->compiler, statement->step));
    if (body_first && !endless) {
        TRY(class->condition(flow->compiler, statement->expression, statement->expression->at));
        TRY(emit_jump(flow, statement->at, class->jump_if_true, start));
    } else {
        TRY(emit_jump(flow, statement->at, class->jump, start));
    }
    if (leave != UINT32_MAX)
        lin_land(listing, leave);
    for (size_t i = 0; i < loop->breaks.length; i++)
        lin_land(listing, loop->breaks.items[i]);
    return STATUS_OK;
}

enum status lin_flow_loop(struct lin_flow *flow, const struct lin_statement *statement)
{
    struct lin_loop loop = {.outer = flow->loop};
    vector_init(&loop.breaks, flow->listing->code.budget);
    vector_init(&loop.continues, flow->listing->code.budget);
    flow->loop = &loop;
    enum status status = compile_parts(flow, &loop, statement);
    flow->loop = loop.outer;
    vector_release(&loop.breaks);
    vector_release(&loop.continues);
    return status;
}

enum status lin_flow_jump(struct lin_flow *flow, const struct lin_statement *statement)
{
    struct lin_loop *loop = flow->loop;
    uint32_t here = lin_here(flow->listing);
    bool pushed = statement->kind == LIN_STATEMENT_BREAK ? vector_push(&loop->breaks, here)
                                                         : vector_push(&loop->continues, here);
    return pushed ? emit_jump(flow, statement->at, flow->class->jump, 0) : STATUS_LIMIT;
}
