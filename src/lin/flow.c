#include "lin/flow.h"

#include <assert.h>

#include "code/interpreter.h"
#include "lin/lexer.h"

struct lin_loop {
    struct lin_loop *outer;
    bool is_switch; /* `continue` is not of it */
    struct jumps breaks, continues;
};

enum opcode lin_operator(unsigned sign)
{
    static const uint8_t operators[] = {
        [LIN_PLUS] = OP_ADD,
        [LIN_MINUS] = OP_SUBTRACT,
        [LIN_STAR] = OP_MULTIPLY,
        [LIN_SLASH] = OP_DIVIDE,
        [LIN_PERCENT] = OP_REMAINDER,
        [LIN_AND] = OP_BIT_AND,
        [LIN_BAR] = OP_BIT_OR,
        [LIN_CARET] = OP_BIT_XOR,
        [LIN_LESS] = OP_LESS,
        [LIN_LESS_EQUAL] = OP_LESS_EQUAL,
        [LIN_GREATER] = OP_GREATER,
        [LIN_GREATER_EQUAL] = OP_GREATER_EQUAL,
        [LIN_EQUAL] = OP_EQUAL,
        [LIN_NOT_EQUAL] = OP_NOT_EQUAL,
        [LIN_IN] = OP_IN,
    };
    assert(sign < ARRAY_LENGTH(operators) && operators[sign]);
    return (enum opcode)operators[sign];
}

enum status lin_calculate(unsigned sign, int64_t left, int64_t right, int64_t *result)
{
    bool divides = sign == LIN_SLASH || sign == LIN_PERCENT;
    bool known = divides || sign == LIN_PLUS || sign == LIN_MINUS || sign == LIN_STAR;
    if (!known || (divides && right == 0))
        return STATUS_INPUT;
    *result = calculate(lin_operator(sign), left, right);
    return STATUS_OK;
}

/* first; JUMP_IF_x short; second; JUMP end; short: PUSH known; end: */
enum status lin_flow_logic(struct lin_flow *flow, const struct lin_expression *expression)
{
    const struct lin_flow_class *class = flow->class;
    bool is_or = expression->sign == LIN_BAR_BAR;
    uint32_t jump, end;
    TRY(class->truth(flow->compiler, expression->items[0], true));
    TRY(listing_jump(flow->listing, expression->at, is_or ? OP_JUMP_IF_TRUE : OP_JUMP_IF_FALSE,
                     &jump));
    TRY(class->truth(flow->compiler, expression->items[1], false));
    TRY(listing_jump(flow->listing, expression->at, OP_JUMP, &end));
    listing_land(flow->listing, jump);
    TRY(listing_push(flow->listing, expression->at, datum_boolean(is_or)));
    listing_land(flow->listing, end);
    return STATUS_OK;
}

enum status lin_flow_conditional(struct lin_flow *flow, const struct lin_expression *expression)
{
    const struct lin_flow_class *class = flow->class;
    enum lin_type_kind kind = (enum lin_type_kind)expression->type.kind;
    uint32_t jump, end;
    TRY(class->truth(flow->compiler, expression->items[0], true));
    TRY(listing_jump(flow->listing, expression->at, OP_JUMP_IF_FALSE, &jump));
    TRY(class->branch(flow->compiler, expression->items[1], kind));
    TRY(listing_jump(flow->listing, expression->at, OP_JUMP, &end));
    listing_land(flow->listing, jump);
    TRY(class->branch(flow->compiler, expression->items[2], kind));
    listing_land(flow->listing, end);
    return STATUS_OK;
}

static enum status compile_if(struct lin_flow *flow, const struct lin_statement *statement)
{
    const struct lin_flow_class *class = flow->class;
    TRY(class->condition(flow->compiler, statement->expression, statement->at));
    uint32_t jump, end;
    TRY(listing_jump(flow->listing, statement->at, OP_JUMP_IF_FALSE, &jump));
    TRY(class->statement(flow->compiler, statement->items[0]));
    if (statement->count == 1) {
        listing_land(flow->listing, jump);
        return STATUS_OK;
    }
    TRY(listing_jump(flow->listing, statement->at, OP_JUMP, &end));
    listing_land(flow->listing, jump);
    TRY(class->statement(flow->compiler, statement->items[1]));
    listing_land(flow->listing, end);
    return STATUS_OK;
}

/* Condition, body, step; a `do` runs its body first. */
static enum status compile_parts(struct lin_flow *flow, struct lin_loop *loop,
                                 const struct lin_statement *statement)
{
    const struct lin_flow_class *class = flow->class;
    struct listing *listing = flow->listing;
    const struct lin_statement *body = statement->items[statement->kind == LIN_STATEMENT_FOR];
    bool body_first = statement->kind == LIN_STATEMENT_DO;
    bool endless = class->is_endless(flow->compiler, statement->expression);
    uint32_t start = listing_here(listing), leave = UINT32_MAX, back;
    if (!body_first && !endless) {
        TRY(class->condition(flow->compiler, statement->expression, statement->expression->at));
        TRY(listing_jump(listing, statement->at, OP_JUMP_IF_FALSE, &leave));
    }
    TRY(class->statement(flow->compiler, body));
    listing_land_all(listing, &loop->continues);
    if (statement->step)
        TRY(class->effect(flow->compiler, statement->step));
    if (body_first && !endless) {
        TRY(class->condition(flow->compiler, statement->expression, statement->expression->at));
        TRY(listing_jump(listing, statement->at, OP_JUMP_IF_TRUE, &back));
    } else {
        TRY(listing_jump(listing, statement->at, OP_JUMP, &back));
    }
    listing_lead(listing, back, start);
    if (leave != UINT32_MAX)
        listing_land(listing, leave);
    listing_land_all(listing, &loop->breaks);
    return STATUS_OK;
}

static enum status compile_loop(struct lin_flow *flow, const struct lin_statement *statement)
{
    struct lin_loop loop = {.outer = flow->loop};
    jumps_init(&loop.breaks, flow->listing);
    jumps_init(&loop.continues, flow->listing);
    flow->loop = &loop;
    enum status status = compile_parts(flow, &loop, statement);
    flow->loop = loop.outer;
    jumps_release(&loop.breaks);
    jumps_release(&loop.continues);
    return status;
}

static enum status compile_choice(struct lin_flow *flow, const struct lin_statement *statement,
                                  struct jumps *ends)
{
    struct listing *listing = flow->listing;
    struct instruction load = flow->class->load, store = flow->class->store;
    uint32_t chosen, next;
    TRY(flow->class->new_local(flow->compiler, statement->at, LIN_TYPE_INT, &chosen));
    load.operand = store.operand = (int32_t)chosen;
    TRY(listing_push(listing, statement->at, datum_integer(0)));
    TRY(listing_push(listing, statement->at, datum_integer((int32_t)statement->count - 1)));
    TRY(lin_emit(listing, statement->at, OP_CHOOSE, 0, 0, 0));
    TRY(listing_emit(listing, statement->at, store));
    const uint32_t last = (uint32_t)statement->count - 1;
    for (uint32_t i = 0; i < last; i++) {
        TRY(listing_emit(listing, statement->at, load));
        TRY(listing_push(listing, statement->at, datum_integer((int32_t)i)));
        TRY(lin_emit(listing, statement->at, OP_EQUAL, 0, 0, 0));
        TRY(listing_jump(listing, statement->at, OP_JUMP_IF_FALSE, &next));
        TRY(flow->class->statement(flow->compiler, statement->items[i]));
        TRY(listing_jump_with(listing, statement->at, ends));
        listing_land(listing, next);
    }
    /* what else was chosen; a way that chooses nothing would seem to go on */
    return flow->class->statement(flow->compiler, statement->items[last]);
}

static enum status compile_either(struct lin_flow *flow, const struct lin_statement *statement)
{
    struct jumps ends;
    jumps_init(&ends, flow->listing);
    enum status status = compile_choice(flow, statement, &ends);
    if (status == STATUS_OK)
        listing_land_all(flow->listing, &ends);
    jumps_release(&ends);
    return status;
}

/* Tests one after the other, each with its statements behind it; `*fall`: the jump over the next
 * test of those that run on. */
static enum status compile_case(struct lin_flow *flow, const struct lin_statement *statement,
                                const struct lin_statement *part, uint32_t subject, uint32_t *fall,
                                uint32_t *other)
{
    struct listing *listing = flow->listing;
    struct instruction load = flow->class->load;
    uint32_t next;
    load.operand = (int32_t)subject;
    if (part->expression) {
        TRY(listing_emit(listing, part->at, load));
        const bool is_text = part->expression->kind == LIN_EXPRESSION_STRING;
        TRY(flow->class->label(flow->compiler, part->expression, statement->expression));
        TRY(lin_emit(listing, part->at, is_text ? OP_SAME_LETTERS : OP_EQUAL, 0, 0, 0));
        TRY(listing_jump(listing, part->at, OP_JUMP_IF_FALSE, &next));
    } else {
        TRY(listing_jump(listing, part->at, OP_JUMP, &next));
        *other = listing_here(listing);
    }
    if (*fall != UINT32_MAX)
        listing_land(listing, *fall);
    for (uint32_t i = 0; i < part->count; i++)
        TRY(flow->class->statement(flow->compiler, part->items[i]));
    TRY(listing_jump(listing, part->at, OP_JUMP, fall));
    listing_land(listing, next);
    return STATUS_OK;
}

/* subject; STORE; tests and statements; JUMP to those of `default`. */
static enum status compile_cases(struct lin_flow *flow, const struct lin_statement *statement)
{
    struct instruction store = flow->class->store;
    uint32_t subject, fall = UINT32_MAX, other = UINT32_MAX, jump;
    enum lin_type_kind kind = (enum lin_type_kind)statement->expression->type.kind;
    TRY(flow->class->new_local(flow->compiler, statement->at, kind, &subject));
    TRY(flow->class->subject(flow->compiler, statement->expression, statement->at));
    store.operand = (int32_t)subject;
    TRY(listing_emit(flow->listing, statement->at, store));
    for (uint32_t i = 0; i < statement->count; i++)
        TRY(compile_case(flow, statement, statement->items[i], subject, &fall, &other));
    if (other != UINT32_MAX) {
        TRY(listing_jump(flow->listing, statement->at, OP_JUMP, &jump));
        listing_lead(flow->listing, jump, other);
    }
    if (fall != UINT32_MAX)
        listing_land(flow->listing, fall);
    return STATUS_OK;
}

static enum status compile_switch(struct lin_flow *flow, const struct lin_statement *statement)
{
    struct lin_loop here = {.outer = flow->loop, .is_switch = true};
    jumps_init(&here.breaks, flow->listing);
    flow->loop = &here;
    enum status status = compile_cases(flow, statement);
    flow->loop = here.outer;
    if (status == STATUS_OK)
        listing_land_all(flow->listing, &here.breaks);
    jumps_release(&here.breaks);
    return status;
}

static enum status compile_jump(struct lin_flow *flow, const struct lin_statement *statement)
{
    struct lin_loop *loop = flow->loop;
    while (statement->kind == LIN_STATEMENT_CONTINUE && loop->is_switch)
        loop = loop->outer;
    return listing_jump_with(flow->listing, statement->at,
                             statement->kind == LIN_STATEMENT_BREAK ? &loop->breaks
                                                                    : &loop->continues);
}

enum status lin_flow_statement(struct lin_flow *flow, const struct lin_statement *statement)
{
    switch ((enum lin_statement_kind)statement->kind) {
    case LIN_STATEMENT_EXPRESSION:
        return flow->class->effect(flow->compiler, statement->expression);
    case LIN_STATEMENT_IF:
        return compile_if(flow, statement);
    case LIN_STATEMENT_EITHER:
        return compile_either(flow, statement);
    case LIN_STATEMENT_SWITCH:
        return compile_switch(flow, statement);
    case LIN_STATEMENT_BREAK:
    case LIN_STATEMENT_CONTINUE:
        return compile_jump(flow, statement);
    case LIN_STATEMENT_FOR:
        if (statement->items[0])
            TRY(flow->class->statement(flow->compiler, statement->items[0]));
        return compile_loop(flow, statement);
    default:
        assert(statement->kind == LIN_STATEMENT_WHILE || statement->kind == LIN_STATEMENT_DO);
        return compile_loop(flow, statement);
    }
}
