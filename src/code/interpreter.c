#include "code/interpreter.h"

/* What each instruction does is in line: the loop runs at nearly every step of every search. */

static inline enum ran ask_host(struct evaluation *e, const struct instruction *i)
{
    return e->host->run(e, i);
}

/* ---- memory ---- */

static inline bool may_store(const struct evaluation *e, const struct instruction *i, datum word)
{
    if (i->range == 0)
        return (word & DATUM_TAG_BITS) != DATUM_OBJECT_TAG;
    const struct range_limit *range = &e->ranges[i->range];
    return value_is_small(word) && value_small_get(word) >= range->low &&
           value_small_get(word) <= range->high;
}

static inline enum ran store_slot(struct evaluation *e, const struct instruction *i)
{
    datum word = *evaluation_top(e, 0);
    if (UNLIKELY(!may_store(e, i, word)))
        return ask_host(e, i);
    e->slots[i->operand] = datum_to_slot(word);
    e->depth -= !i->small;
    return RAN_ON;
}

static inline enum ran store_slot_at(struct evaluation *e, const struct instruction *i)
{
    datum word = *evaluation_top(e, 0), index = *evaluation_top(e, 1);
    if (UNLIKELY(!datum_is_index(index, i->wide) || !may_store(e, i, word)))
        return ask_host(e, i);
    e->slots[i->operand + value_small_get(index)] = datum_to_slot(word);
    e->depth -= 2;
    if (i->small)
        return evaluation_push(e, word);
    return RAN_ON;
}

static inline enum ran store_object(struct evaluation *e, const struct instruction *i)
{
    datum word = *evaluation_top(e, 0);
    if (UNLIKELY((word & DATUM_TAG_BITS) != DATUM_OBJECT_TAG))
        return ask_host(e, i);
    e->slots[i->operand] = (uint32_t)datum_bits(word);
    e->depth -= !i->small;
    return RAN_ON;
}

/* An element of an array of slots. */
static inline enum ran load_slot_at(struct evaluation *e, const struct instruction *i,
                                    const uint32_t *slots)
{
    datum *top = evaluation_top(e, 0);
    if (UNLIKELY(!datum_is_index(*top, i->wide)))
        return ask_host(e, i);
    *top = datum_from_slot(slots[i->operand + value_small_get(*top)]);
    return RAN_ON;
}

/* An element of an array of words. */
static inline enum ran load_at(struct evaluation *e, const struct instruction *i,
                               const datum *words)
{
    datum *top = evaluation_top(e, 0);
    if (UNLIKELY(!datum_is_index(*top, i->wide)))
        return ask_host(e, i);
    *top = words[i->operand + value_small_get(*top)];
    return RAN_ON;
}

static inline enum ran store(struct evaluation *e, const struct instruction *i, datum *words)
{
    words[i->operand] = *evaluation_top(e, 0);
    e->depth -= !i->small;
    return RAN_ON;
}

static inline enum ran store_at(struct evaluation *e, const struct instruction *i, datum *words)
{
    datum word = *evaluation_top(e, 0), index = *evaluation_top(e, 1);
    if (UNLIKELY(!datum_is_index(index, i->wide)))
        return ask_host(e, i);
    words[i->operand + value_small_get(index)] = word;
    e->depth -= 2;
    if (i->small)
        return evaluation_push(e, word);
    return RAN_ON;
}

/* ---- a thread's own slots, and addresses ---- */

static inline enum ran store_own(struct evaluation *e, const struct instruction *i)
{
    const datum *words = evaluation_drop(e, i->wide);
    for (uint32_t n = 0; n < i->wide; n++)
        e->own[(uint32_t)i->operand + n] = (uint32_t)datum_bits(words[n]);
    return RAN_ON;
}

static inline enum ran find_item(struct evaluation *e, const struct instruction *i)
{
    uint32_t index = (uint32_t)datum_bits(evaluation_pop(e));
    datum *address = evaluation_top(e, 0);
    assert(index < (uint32_t)i->operand);
    *address = datum_integer((int32_t)((uint32_t)datum_bits(*address) + index * i->wide));
    return RAN_ON;
}

static inline enum ran move_address(struct evaluation *e, const struct instruction *i)
{
    datum *address = evaluation_top(e, 0);
    *address = datum_integer(datum_bits(*address) + i->operand);
    return RAN_ON;
}

static inline enum ran load(struct evaluation *e, const struct instruction *i)
{
    uint32_t slot = (uint32_t)datum_bits(evaluation_pop(e));
    return evaluation_push_slots(e, e->slots + slot, i->wide);
}

/* ---- operators ---- */

/* The least integers of 32 bits are left to hosts: not every world has them. */
static inline bool is_plain(int64_t integer)
{
    return integer >= INTEGER_SMALLEST && integer <= INT32_MAX;
}

static inline enum ran operate(struct evaluation *e, const struct instruction *i, enum opcode op)
{
    datum *right = evaluation_top(e, 0), *left = evaluation_top(e, 1);
    assert(i->op == op);
    if (UNLIKELY(!datum_is_integer(*left) || !datum_is_integer(*right)))
        return ask_host(e, i);
    int64_t a = value_small_get(*left), b = value_small_get(*right);
    if (opcode_orders(op)) {
        *left = datum_boolean(orders(op, a, b));
    } else {
        if (opcode_divides(op) && UNLIKELY(b == 0))
            return ask_host(e, i);
        int64_t result = calculate(op, a, b);
        if (UNLIKELY(!is_plain(result)))
            return ask_host(e, i);
        *left = value_small(result);
    }
    e->depth--;
    return RAN_ON;
}

static inline enum ran negate(struct evaluation *e, const struct instruction *i)
{
    datum *top = evaluation_top(e, 0);
    if (UNLIKELY(!datum_is_integer(*top) || !is_plain(-value_small_get(*top))))
        return ask_host(e, i);
    *top = value_small(-value_small_get(*top));
    return RAN_ON;
}

static inline enum ran equate(struct evaluation *e, const struct instruction *i, bool wanted)
{
    datum *right = evaluation_top(e, 0), *left = evaluation_top(e, 1);
    bool alike = (value_is_small(*left) && value_is_small(*right)) ||
                 (datum_is_boolean(*left) && datum_is_boolean(*right));
    if (UNLIKELY(*left != *right && !alike))
        return ask_host(e, i);
    *left = datum_boolean((*left == *right) == wanted);
    e->depth--;
    return RAN_ON;
}

static inline enum ran exclude(struct evaluation *e, const struct instruction *i)
{
    datum *right = evaluation_top(e, 0), *left = evaluation_top(e, 1);
    if (UNLIKELY(!datum_is_boolean(*left) || !datum_is_boolean(*right)))
        return ask_host(e, i);
    *left = datum_boolean(*left != *right);
    e->depth--;
    return RAN_ON;
}

/* Makes sure that the top is a boolean. */
static inline enum ran take_condition(struct evaluation *e, const struct instruction *i)
{
    if (UNLIKELY(!datum_is_boolean(*evaluation_top(e, 0)))) {
        enum ran ran = ask_host(e, i);
        assert(ran != RAN_ON || datum_is_boolean(*evaluation_top(e, 0)));
        return ran;
    }
    return RAN_ON;
}

static inline enum ran negate_condition(struct evaluation *e, const struct instruction *i)
{
    enum ran ran = take_condition(e, i);
    if (LIKELY(ran == RAN_ON))
        *evaluation_top(e, 0) = datum_boolean(*evaluation_top(e, 0) == VALUE_FALSE);
    return ran;
}

/* ---- control ---- */

static inline enum ran jump_if(struct evaluation *e, const struct instruction *i, datum condition)
{
    enum ran ran = take_condition(e, i);
    if (LIKELY(ran == RAN_ON) && evaluation_pop(e) == condition) {
        assert((uint32_t)i->operand <= e->code->length);
        e->at = (uint32_t)i->operand - 1; /* the loop adds one */
    }
    return ran;
}

static inline enum ran assume(struct evaluation *e, const struct instruction *i)
{
    enum ran ran = take_condition(e, i);
    if (LIKELY(ran == RAN_ON) && evaluation_pop(e) == VALUE_FALSE)
        return RAN_BLOCKED;
    return ran;
}

static inline enum ran check(struct evaluation *e, const struct instruction *i)
{
    datum top = *evaluation_top(e, 0);
    bool known = i->small == KIND_INTEGER   ? value_is_small(top)
                 : i->small == KIND_BOOLEAN ? datum_is_boolean(top)
                                            : false;
    return LIKELY(known) ? RAN_ON : ask_host(e, i);
}

static inline enum ran check_range(struct evaluation *e, const struct instruction *i)
{
    const struct range_limit *range = &e->ranges[i->operand];
    datum top = *evaluation_top(e, 0);
    if (UNLIKELY(!value_is_small(top) || value_small_get(top) < range->low ||
                 value_small_get(top) > range->high))
        return ask_host(e, i);
    return RAN_ON;
}

static enum ran choose(struct evaluation *e, const struct instruction *i)
{
    datum high = *evaluation_top(e, 0), *low = evaluation_top(e, 1);
    if (!value_is_small(high) || !value_is_small(*low))
        return ask_host(e, i);
    int64_t count = value_small_get(high) - value_small_get(*low) + 1;
    if (count <= 0)
        return RAN_BLOCKED;
    if (count > INT32_MAX || e->choices->made + (count > 1) > e->choices->most)
        return ask_host(e, i);
    uint32_t chosen = choices_take(e->choices, (uint32_t)count);
    if (chosen == CHOICE_REFUSED)
        return RAN_OUT_OF_MEMORY;
    *low = value_small(value_small_get(*low) + chosen);
    e->depth--;
    return RAN_ON;
}

enum ran evaluation_enter(struct evaluation *e, const struct code *code, datum initial)
{
    assert(code->parameters <= code->locals && code->parameters <= e->depth);
    uint32_t more = code->locals - code->parameters;
    if (e->room - e->depth < more) {
        enum ran ran = e->host->grow(e, e->depth + more);
        if (ran != RAN_ON)
            return ran;
    }
    e->base = e->depth - code->parameters;
    for (uint32_t i = 0; i < more; i++)
        e->stack[e->depth++] = initial;
    e->code = code;
    e->at = 0;
    return RAN_ON;
}

/* How many calls of a function are running. */
static uint32_t running(const struct evaluation *e, const struct code *function)
{
    uint32_t count = e->code == function;
    for (size_t i = 0; i < e->callers.length; i++)
        count += e->callers.items[i].code == function;
    return count;
}

static enum ran call(struct evaluation *e, const struct instruction *i)
{
    if (i->small && running(e, &e->functions[i->operand]) >= i->small)
        return e->host->run(e, i);
    const struct call_frame caller = {e->code, e->at, e->base};
    if (!vector_push(&e->callers, caller))
        return RAN_OUT_OF_MEMORY;
    enum ran ran = evaluation_enter(e, &e->functions[i->operand], VALUE_NIL);
    e->at--; /* the loop adds one */
    return ran;
}

/* The result takes the place of the function's frame. */
static enum ran leave(struct evaluation *e)
{
    assert(e->depth > e->base);
    e->stack[e->base] = *evaluation_top(e, 0);
    e->depth = e->base + 1;
    if (e->callers.length == 0)
        return RAN_WELL;
    const struct call_frame *caller = &e->callers.items[--e->callers.length];
    e->code = caller->code;
    e->at = caller->at;
    e->base = caller->base;
    return RAN_ON;
}

/* ---- the loop ---- */

static inline enum ran run_one(struct evaluation *e, const struct instruction *i)
{
    datum *locals = e->stack + e->base;
    switch ((enum opcode)i->op) {
    case OP_PUSH:
        return evaluation_push(e, instruction_word(i));
    case OP_PUSH_CONSTANT:
        return evaluation_push(e, e->constants[i->operand]);
    case OP_POP:
        assert(e->depth - e->base >= (uint32_t)i->operand);
        e->depth -= (uint32_t)i->operand;
        return RAN_ON;
    case OP_THREAD:
        return evaluation_push(e, datum_integer((int32_t)e->thread));
    case OP_LOAD_LOCAL:
        return evaluation_push(e, locals[i->operand]);
    case OP_LOAD_LOCAL_AT:
        return load_at(e, i, locals);
    case OP_STORE_LOCAL:
        return store(e, i, locals);
    case OP_STORE_LOCAL_AT:
        return store_at(e, i, locals);
    case OP_LOAD_VARIABLE:
        return evaluation_push(e, e->variables[i->operand]);
    case OP_LOAD_VARIABLE_AT:
        return load_at(e, i, e->variables);
    case OP_STORE_VARIABLE:
        return store(e, i, e->variables);
    case OP_STORE_VARIABLE_AT:
        return store_at(e, i, e->variables);
    case OP_LOAD_SLOT:
        return evaluation_push(e, datum_from_slot(e->slots[i->operand]));
    case OP_LOAD_SLOT_AT:
        return load_slot_at(e, i, e->slots);
    case OP_STORE_SLOT:
        return store_slot(e, i);
    case OP_STORE_SLOT_AT:
        return store_slot_at(e, i);
    case OP_LOAD_FIXED:
        return evaluation_push(e, datum_from_slot(e->fixed[i->operand]));
    case OP_LOAD_FIXED_AT:
        return load_slot_at(e, i, e->fixed);
    case OP_LOAD_OBJECT:
        return evaluation_push(e, datum_object(e->slots[i->operand]));
    case OP_STORE_OBJECT:
        return store_object(e, i);
    case OP_NEGATE:
        return negate(e, i);
    case OP_NOT:
        return negate_condition(e, i);
    case OP_ADD:
        return operate(e, i, OP_ADD);
    case OP_SUBTRACT:
        return operate(e, i, OP_SUBTRACT);
    case OP_MULTIPLY:
        return operate(e, i, OP_MULTIPLY);
    case OP_DIVIDE:
        return operate(e, i, OP_DIVIDE);
    case OP_REMAINDER:
        return operate(e, i, OP_REMAINDER);
    case OP_MODULO:
        return operate(e, i, OP_MODULO);
    case OP_BIT_AND:
        return operate(e, i, OP_BIT_AND);
    case OP_BIT_OR:
        return operate(e, i, OP_BIT_OR);
    case OP_BIT_XOR:
        return operate(e, i, OP_BIT_XOR);
    case OP_LESS:
        return operate(e, i, OP_LESS);
    case OP_LESS_EQUAL:
        return operate(e, i, OP_LESS_EQUAL);
    case OP_GREATER:
        return operate(e, i, OP_GREATER);
    case OP_GREATER_EQUAL:
        return operate(e, i, OP_GREATER_EQUAL);
    case OP_EQUAL:
        return equate(e, i, true);
    case OP_NOT_EQUAL:
        return equate(e, i, false);
    case OP_XOR:
        return exclude(e, i);
    case OP_JUMP:
        assert((uint32_t)i->operand <= e->code->length);
        e->at = (uint32_t)i->operand - 1; /* the loop adds one */
        return RAN_ON;
    case OP_JUMP_IF_FALSE:
        return jump_if(e, i, VALUE_FALSE);
    case OP_JUMP_IF_TRUE:
        return jump_if(e, i, VALUE_TRUE);
    case OP_CALL:
        return call(e, i);
    case OP_RETURN:
        return leave(e);
    case OP_CHECK:
        return check(e, i);
    case OP_CHECK_RANGE:
        return check_range(e, i);
    case OP_ASSUME:
        return assume(e, i);
    case OP_CHOOSE:
        return choose(e, i);
    case OP_LOAD_OWN:
        return evaluation_push_slots(e, e->own + i->operand, i->wide);
    case OP_STORE_OWN:
        return store_own(e, i);
    case OP_ADDRESS_OWN:
        return evaluation_push(e, datum_integer((int32_t)(e->own - e->slots) + i->operand));
    case OP_AT:
        return find_item(e, i);
    case OP_OFFSET:
        return move_address(e, i);
    case OP_LOAD:
        return i->small ? ask_host(e, i) : load(e, i);
    case OP_STEP:
    case OP_ANSWER:
    case OP_END:
        return RAN_WELL;
    default:
        return ask_host(e, i);
    }
}

/* Whether the stack is as deep behind an instruction as the list of instructions says. */
static inline bool has_effect(const struct evaluation *e, const struct instruction *i,
                              uint32_t depth)
{
    struct stack_effect effect = instruction_effect(i);
    return i->op == OP_CALL || i->op == OP_RETURN ||
           e->depth + effect.pops == depth + effect.pushes;
}

enum ran evaluation_run(struct evaluation *e)
{
    while (e->at < e->code->length) {
        if (UNLIKELY(e->left == 0))
            return RAN_LONG;
        e->left--;
        if (UNLIKELY(e->room - e->depth < 2)) {
            enum ran grown = e->host->grow(e, e->depth + 2);
            if (grown != RAN_ON)
                return grown;
        }
        const struct instruction *i = &e->code->instructions[e->at];
        uint32_t depth = e->depth;
        enum ran ran = run_one(e, i);
        if (UNLIKELY(ran != RAN_ON))
            return ran;
        assert(has_effect(e, i, depth));
        (void)depth;
        e->at++;
    }
    return RAN_WELL;
}

enum ran evaluation_grow(struct evaluation *e, struct budget *budget, uint32_t least)
{
    size_t room = e->room;
    void *stack = e->stack;
    if (!vector_grow(budget, &stack, &room, least, sizeof *e->stack))
        return RAN_OUT_OF_MEMORY;
    e->stack = stack;
    e->room = (uint32_t)room;
    return RAN_ON;
}
