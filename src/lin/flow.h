/* What the compilers of specifications (lin/compile.c) and of implementations
 * (implementation/step_compile.c) have in common: operators, and statements that become jumps. */
#ifndef LIN_FLOW_H
#define LIN_FLOW_H

#include "code/listing.h"
#include "lin/ast.h"

/* The operator of a sign. */
enum opcode lin_operator(unsigned sign);

/* What + - * / % make of two constants; STATUS_INPUT, without a message, of another sign or of a
 * divisor 0. */
enum status lin_calculate(unsigned sign, int64_t left, int64_t right, int64_t *result) MUST_CHECK;

static inline enum status lin_emit(struct listing *listing, place at, enum opcode op,
                                   unsigned small, uint32_t wide, uint32_t operand)
{
    return listing_emit(
        listing, at,
        (struct instruction){
            .op = (uint8_t)op, .small = (uint8_t)small, .wide = wide, .operand = (int32_t)operand});
}

/* How a compiler does its part. */
struct lin_flow_class {
    /* Leaves the condition's value on the stack; `at` is where it is said to stand. */
    enum status (*condition)(void *compiler, const struct lin_expression *condition, place at);
    /* Whether the condition of a loop (may be null) is left out, for it always holds. */
    bool (*is_endless)(const void *compiler, const struct lin_expression *condition);
    enum status (*statement)(void *compiler, const struct lin_statement *statement);
    /* An expression as a statement. */
    enum status (*effect)(void *compiler, const struct lin_expression *expression);
    /* What && and ||, or `?`, decide by: leaves a boolean; `first`: of a left side. */
    enum status (*truth)(void *compiler, const struct lin_expression *expression, bool first);
    /* What `?` finds. */
    enum status (*branch)(void *compiler, const struct lin_expression *expression,
                          enum lin_type_kind kind);
    /* What a switch decides by: leaves a word. */
    enum status (*subject)(void *compiler, const struct lin_expression *subject, place at);
    /* A label of one, a constant: leaves a word. */
    enum status (*label)(void *compiler, const struct lin_expression *label,
                         const struct lin_expression *subject);
    /* A local of one word, which holds something of this kind; how it is loaded and stored. */
    enum status (*new_local)(void *compiler, place at, enum lin_type_kind kind, uint32_t *local);
    struct instruction load, store;
};

struct lin_loop;

struct lin_flow {
    const struct lin_flow_class *class;
    void *compiler;
    struct listing *listing;
    struct lin_loop *loop; /* the innermost around; null: none */
};

/* `a && b`, `a || b`. */
enum status lin_flow_logic(struct lin_flow *flow,
                           const struct lin_expression *expression) MUST_CHECK;

/* `c ? a : b`. */
enum status lin_flow_conditional(struct lin_flow *flow,
                                 const struct lin_expression *expression) MUST_CHECK;

/* A statement that both languages compile alike: an expression, `if`, `either`, a loop, `switch`,
 * `break` or `continue`. */
enum status lin_flow_statement(struct lin_flow *flow,
                               const struct lin_statement *statement) MUST_CHECK;

#endif
