/* What the compilers of specifications (lin/compile.c) and of implementations (lin/step_compile.c)
 * have in common: instructions with their places, and statements that become jumps. */
#ifndef LIN_FLOW_H
#define LIN_FLOW_H

#include "lin/ast.h"

struct lin_instruction {
    uint8_t op;
    uint8_t small;
    uint16_t wide;
    int32_t operand;
};

struct lin_listing {
    VECTOR(struct lin_instruction) code;
    VECTOR(place) places; /* one an instruction */
};

void lin_listing_init(struct lin_listing *listing, struct budget *budget);
void lin_listing_release(struct lin_listing *listing);

/* STATUS_LIMIT when refused. */
enum status lin_emit(struct lin_listing *listing, place at, unsigned op, unsigned small,
                     uint32_t wide, uint32_t operand) MUST_CHECK;

/* The number of the next instruction. */
static inline uint32_t lin_here(const struct lin_listing *listing)
{
    return (uint32_t)listing->code.length;
}

/* Makes it the target of a jump. */
static inline void lin_land(struct lin_listing *listing, uint32_t jump)
{
    listing->code.items[jump].operand = (int32_t)lin_here(listing);
}

/* How a compiler does its part. */
struct lin_flow_class {
    uint8_t jump, jump_if_false, jump_if_true; /* its instructions; the last two pop */

    /* Leaves the condition's value on the stack; `at` is where it is said to stand. */
    enum status (*condition)(void *compiler, const struct lin_expression *condition, place at);
    /* Whether the condition of a loop (may be null) is left out, for it always holds. */
    bool (*is_endless)(const void *compiler, const struct lin_expression *condition);
    enum status (*statement)(void *compiler, const struct lin_statement *statement);
    /* An expression as a statement. */
    enum status (*effect)(void *compiler, const struct lin_expression *expression);
};

struct lin_loop;

struct lin_flow {
    const struct lin_flow_class *class;
    void *compiler;
    struct lin_listing *listing;
    struct lin_loop *loop; /* the innermost around; null: none */
};

enum status lin_flow_if(struct lin_flow *flow, const struct lin_statement *statement) MUST_CHECK;

/* `while`, `do` and, behind its first part, `for`. */
enum status lin_flow_loop(struct lin_flow *flow, const struct lin_statement *statement) MUST_CHECK;

/* `break` and `continue`. */
enum status lin_flow_jump(struct lin_flow *flow, const struct lin_statement *statement) MUST_CHECK;

#endif
