/* The one interpreter: runs code (code/instruction.h) for whoever has an evaluation to give.
 *
 * It executes what is the same in every world: constants, memory, operators on integers of 32 bits
 * and booleans, jumps, calls, checks, choices. Whatever else it meets it leaves to the evaluation's
 * host, with the stack as the instruction found it: instructions of one world, operands of other
 * kinds, results beyond 32 bits, an index or a number out of its range. So the host has the last
 * word on what that means and on the message; the interpreter has none of its own. */
#ifndef CODE_INTERPRETER_H
#define CODE_INTERPRETER_H

#include "code/choices.h"
#include "code/instruction.h"

/* How a run ended. */
enum ran {
    RAN_ON, /* it has not: what a host answers */
    RAN_WELL,
    RAN_LONG,    /* more instructions than it may */
    RAN_BLOCKED, /* what is assumed does not hold, or there is nothing to choose from */
    RAN_INTO_FAULT,
    RAN_INTO_ERROR, /* not a fault of what the model describes: of the model itself */
    RAN_OUT_OF_NODES,
    RAN_WITHOUT_POINT,     /* an operation answers without a linearization point, */
    RAN_INTO_SECOND_POINT, /* or has two; */
    RAN_INTO_IDLE_POINT,   /* one is made for a thread that runs no operation */
    RAN_OUT_OF_MEMORY,
};

struct evaluation;

struct host {
    /* Executes the instruction; RAN_ON to go on behind it. Of a word that is taken for a condition
     * (by NOT, ASSUME, a conditional jump) it makes a boolean instead, which stays on top. */
    enum ran (*run)(struct evaluation *evaluation, const struct instruction *instruction);

    /* Room for more words on the stack, `least` in all; RAN_ON. */
    enum ran (*grow)(struct evaluation *evaluation, uint32_t least);
};

/* Where a function that was called goes on in its caller. */
struct call_frame {
    const struct code *code;
    uint32_t at, base;
};

/* Code at work. Who makes one owns all that it points to. */
struct evaluation {
    const struct host *host;
    const struct code *code; /* running */
    uint32_t at;             /* the instruction that runs, or would be next */
    uint32_t left;           /* how many more may run */
    datum *stack;            /* `depth` words of `room` */
    uint32_t depth, room;
    uint32_t base; /* where the locals of the running function begin in the stack */
    uint32_t thread;
    uint32_t *slots;       /* of a model's state */
    uint32_t *own;         /* those of the thread that are its locals */
    const uint32_t *fixed; /* slots that never change */
    datum *variables;      /* of a specification's state */
    const datum *constants;
    const struct range_limit *ranges;
    const struct code *functions;
    VECTOR(struct call_frame) callers;
    struct choices *choices;
};

/* Runs from `at` to the end of the code or until something ends the run; `at` is then where. */
enum ran evaluation_run(struct evaluation *evaluation) MUST_CHECK;

/* Begins `code` with its arguments on top of the stack: its other locals are `initial`. */
enum ran evaluation_enter(struct evaluation *evaluation, const struct code *code,
                          datum initial) MUST_CHECK;

/* A host's grow for a stack that is a vector's memory. */
enum ran evaluation_grow(struct evaluation *evaluation, struct budget *budget,
                         uint32_t least) MUST_CHECK;

/* The word `below` the top. */
static inline datum *evaluation_top(const struct evaluation *evaluation, uint32_t below)
{
    assert(below < evaluation->depth);
    return &evaluation->stack[evaluation->depth - 1 - below];
}

static inline datum evaluation_pop(struct evaluation *evaluation)
{
    assert(evaluation->depth > evaluation->base);
    return evaluation->stack[--evaluation->depth];
}

/* There is room for what an instruction pushes, up to one word more than it popped. */
static inline enum ran evaluation_push(struct evaluation *evaluation, datum word)
{
    assert(evaluation->depth < evaluation->room);
    evaluation->stack[evaluation->depth++] = word;
    return RAN_ON;
}

/* Slots of a state, as integers. */
static inline enum ran evaluation_push_slots(struct evaluation *evaluation, const uint32_t *slots,
                                             uint32_t count)
{
    if (UNLIKELY(evaluation->room - evaluation->depth < count)) {
        enum ran ran = evaluation->host->grow(evaluation, evaluation->depth + count);
        if (ran != RAN_ON)
            return ran;
    }
    for (uint32_t i = 0; i < count; i++)
        evaluation->stack[evaluation->depth++] = datum_integer((int32_t)slots[i]);
    return RAN_ON;
}

/* The topmost words, which are popped: valid until something is pushed. */
static inline const datum *evaluation_drop(struct evaluation *evaluation, uint32_t count)
{
    assert(evaluation->depth - evaluation->base >= count);
    evaluation->depth -= count;
    return evaluation->stack + evaluation->depth;
}

/* Whether an index pops off a stack into `wide` elements. */
static inline bool datum_is_index(datum index, uint32_t wide)
{
    return value_is_small(index) && (uint64_t)value_small_get(index) < wide;
}

/* What an arithmetic operator makes of two integers of 32 bits. Not of a divisor 0. */
static inline int64_t calculate(enum opcode op, int64_t left, int64_t right)
{
    switch (op) {
    case OP_ADD:
        return left + right;
    case OP_SUBTRACT:
        return left - right;
    case OP_MULTIPLY:
        return left * right;
    case OP_DIVIDE:
        return left / right;
    case OP_REMAINDER:
        return left % right;
    case OP_MODULO:
        return left % right < 0 ? left % right + right : left % right;
    case OP_BIT_AND:
        return left & right;
    case OP_BIT_OR:
        return left | right;
    default:
        assert(op == OP_BIT_XOR);
        return left ^ right;
    }
}

/* What a comparison finds of two integers. */
static inline bool orders(enum opcode op, int64_t left, int64_t right)
{
    return op == OP_LESS         ? left < right
           : op == OP_LESS_EQUAL ? left <= right
           : op == OP_GREATER    ? left > right
                                 : left >= right;
}

static inline bool opcode_orders(enum opcode op)
{
    return op >= OP_LESS && op <= OP_GREATER_EQUAL;
}

static inline bool opcode_divides(enum opcode op)
{
    return op >= OP_DIVIDE && op <= OP_MODULO;
}

#endif
