/* The interpreter's host for CSP# (code/interpreter.h): collections, channels, and the faults of a
 * dynamically typed language. Integers wrap at 32 bits, as C# has it. */
#include "csp/machine.h"

#include <stdio.h>

#include "code/large_array.h"
#include "csp/functions.h"
#include "csp/message.h"

#define STACK_SIZE 256      /* an expression nested deeper was refused by the parser */
#define LOCALS     1024     /* the compiler allows fewer */
#define MAX_STEPS  10000000 /* a program that runs longer than this does not end */

struct run {
    struct evaluation evaluation; /* first */
    const struct machine *machine;
    struct fault *fault;
    bool drafts;
    struct large_draft *draft; /* if `drafts`: made where it is needed first */
};

static struct run *run_of(struct evaluation *e)
{
    return (struct run *)e;
}

#define FAULT(e, ...)                                                                              \
    (snprintf(run_of(e)->fault->message, sizeof run_of(e)->fault->message, __VA_ARGS__),           \
     run_of(e)->fault->at = (e)->code->places[(e)->at], RAN_INTO_FAULT)

static const char *tag_name(datum d)
{
    switch (datum_tag_of(d)) {
    case DATUM_INTEGER:
        return "an integer";
    case DATUM_BOOLEAN:
        return "a boolean";
    default:
        return datum_is_array(d) ? "an array" : "a collection";
    }
}

#define ASSIGNS ": `=` assigns, `==` compares"

/* Whether an assignment leaves what the instruction at a place finds on top of the stack. */
static bool assigns(const struct code *code, uint32_t at)
{
    return at > 0 && opcode_stores((enum opcode)code->instructions[at - 1].op);
}

/* ---- operators ---- */

static enum ran push_integer(struct evaluation *e, int64_t integer)
{
    int32_t wrapped = (int32_t)(uint32_t)(uint64_t)integer;
    if (wrapped < INTEGER_SMALLEST)
        return FAULT(e, "expected an integer of at least %d, found %d", INTEGER_SMALLEST, wrapped);
    return evaluation_push(e, datum_integer(wrapped));
}

/* What the interpreter has left: a result beyond 32 bits, or a fault. */
static enum ran operate(struct evaluation *e, enum opcode op)
{
    datum right = evaluation_pop(e), left = evaluation_pop(e);
    if (datum_tag_of(left) != DATUM_INTEGER || datum_tag_of(right) != DATUM_INTEGER)
        return FAULT(e, "expected two integers, found %s and %s", tag_name(left), tag_name(right));
    if (opcode_divides(op) && datum_bits(right) == 0)
        return FAULT(e, "division by zero");
    return push_integer(e, calculate(op, datum_bits(left), datum_bits(right)));
}

static enum ran run_function(struct evaluation *e, const struct instruction *i)
{
    int32_t arguments[2];
    int64_t result = 0;
    assert(i->wide >= 1 && i->wide <= ARRAY_LENGTH(arguments));
    for (uint32_t n = i->wide; n-- > 0;) {
        datum d = evaluation_pop(e);
        if (datum_tag_of(d) != DATUM_INTEGER)
            return FAULT(e, "expected an integer, found %s", tag_name(d));
        arguments[n] = datum_bits(d);
    }
    const char *wrong = csp_function_apply(i->small, arguments, &result);
    if (wrong)
        return FAULT(e, "expected an integer, found %s", wrong);
    if (result > INT32_MAX || result < INTEGER_SMALLEST)
        return FAULT(e, "expected an integer of 32 bits, found %s one",
                     result > 0 ? "a greater" : "a smaller");
    return evaluation_push(e, datum_integer((int32_t)result));
}

/* & | ^ on two booleans, else arithmetic. */
static enum ran combine(struct evaluation *e, enum opcode op)
{
    datum right = *evaluation_top(e, 0), left = *evaluation_top(e, 1);
    if (!datum_is_boolean(left) || !datum_is_boolean(right))
        return operate(e, op);
    e->depth -= 2;
    return evaluation_push(e,
                           datum_boolean(calculate(op, datum_bits(left), datum_bits(right)) != 0));
}

static enum ran negate(struct evaluation *e)
{
    datum operand = evaluation_pop(e);
    if (datum_tag_of(operand) != DATUM_INTEGER)
        return FAULT(e, "expected an integer, found %s", tag_name(operand));
    return push_integer(e, -(int64_t)datum_bits(operand));
}

static enum ran equate(struct evaluation *e, bool wanted)
{
    datum right = evaluation_pop(e), left = evaluation_pop(e);
    return evaluation_push(e, datum_boolean((left == right) == wanted));
}

/* ---- slots ---- */

/* Pops an index into `length` elements. */
static enum ran pop_index(struct evaluation *e, uint32_t length, uint32_t *index)
{
    datum popped = evaluation_pop(e);
    if (datum_tag_of(popped) != DATUM_INTEGER)
        return FAULT(e, "expected an integer as index, found %s", tag_name(popped));
    if (!datum_is_index(popped, length))
        return FAULT(e, "expected an index from 0 to %u, found %d", length - 1, datum_bits(popped));
    *index = (uint32_t)datum_bits(popped);
    return RAN_ON;
}

static enum ran refuse_index(struct evaluation *e, const struct instruction *i)
{
    uint32_t index;
    enum ran ran = pop_index(e, i->wide, &index);
    assert(ran != RAN_ON);
    return ran;
}

/* A word that its slot cannot hold. */
static enum ran refuse_store(struct evaluation *e, const struct instruction *i, datum d)
{
    if (datum_tag_of(d) == DATUM_OBJECT)
        return FAULT(e, "expected an integer or a boolean, found %s", tag_name(d));
    assert(i->range > 0);
    const struct range_limit *range = &e->ranges[i->range];
    if (datum_tag_of(d) != DATUM_INTEGER)
        return FAULT(e, "expected an integer for `%s`, found a boolean", range->name);
    return FAULT(e, "expected `%s` between %d and %d, found %d", range->name, (int)range->low,
                 (int)range->high, datum_bits(d));
}

static enum ran refuse_store_at(struct evaluation *e, const struct instruction *i)
{
    uint32_t index;
    datum d = evaluation_pop(e);
    enum ran ran = pop_index(e, i->wide, &index);
    return ran != RAN_ON ? ran : refuse_store(e, i, d);
}

static enum ran note_crossing(struct evaluation *e, uint32_t size)
{
    datum subscript = *evaluation_top(e, 0);
    if (datum_tag_of(subscript) == DATUM_INTEGER && !datum_is_index(subscript, size))
        *run_of(e)->machine->crossed = true;
    return RAN_ON;
}

/* ---- objects and channels ---- */

static enum ran run_method(struct evaluation *e, const struct instruction *i)
{
    uint32_t arguments[2] = {0}, answer = 0;
    assert(i->wide <= ARRAY_LENGTH(arguments));
    for (uint32_t n = i->wide; n-- > 0;) {
        datum d = evaluation_pop(e);
        bool is_object = datum_tag_of(d) == DATUM_OBJECT && !datum_is_array(d);
        if (datum_is_array(d) || is_object != method_takes_collections(i->small))
            return FAULT(e, "expected %s, found %s",
                         method_takes_collections(i->small) ? "a collection"
                                                            : "an integer or a boolean",
                         tag_name(d));
        arguments[n] = is_object ? (uint32_t)datum_bits(d) : datum_to_slot(d);
    }
    object_id after = 0;
    const char *message = NULL;
    uint32_t *slot = &e->slots[i->operand];
    bool makes_object = method_answers_collection(i->small);
    if (!method_apply(run_of(e)->machine->objects, i->small, *slot, arguments, &after, &answer,
                      &message))
        return FAULT(e, "%s", message);
    if (after == OBJECT_REFUSED || (makes_object && answer == OBJECT_REFUSED))
        return RAN_OUT_OF_MEMORY;
    *slot = after;
    return evaluation_push(e, makes_object ? datum_object(answer) : datum_from_slot(answer));
}

/* ---- arrays as a whole ---- */

static enum ran push_array(struct evaluation *e, const uint32_t *slots, uint32_t length)
{
    object_id made = object_intern(run_of(e)->machine->objects, slots, length);
    return made == OBJECT_REFUSED ? RAN_OUT_OF_MEMORY : evaluation_push(e, datum_array(made));
}

/* ---- large arrays ---- */

static struct large_draft *draft_of(struct evaluation *e)
{
    struct run *run = run_of(e);
    if (!run->drafts)
        large_draft_init(run->draft, run->machine->objects);
    run->drafts = true;
    return run->draft;
}

static bool fits(const struct evaluation *e, const struct instruction *i, datum d)
{
    if (i->range == 0)
        return datum_tag_of(d) != DATUM_OBJECT;
    const struct range_limit *range = &e->ranges[i->range];
    return datum_tag_of(d) == DATUM_INTEGER && datum_bits(d) >= range->low &&
           datum_bits(d) <= range->high;
}

static enum ran load_large_at(struct evaluation *e, const struct instruction *i)
{
    uint32_t index;
    enum ran ran = pop_index(e, i->wide, &index);
    if (ran != RAN_ON)
        return ran;
    uint32_t word = large_load(draft_of(e), e->slots[i->operand], i->wide, index);
    return evaluation_push(e, datum_from_slot(word));
}

static enum ran put_large(struct evaluation *e, const struct instruction *i, uint32_t index,
                          datum d)
{
    if (!fits(e, i, d))
        return refuse_store(e, i, d);
    return large_store(draft_of(e), e->slots, (uint32_t)i->operand, i->wide, index,
                       datum_to_slot(d))
               ? RAN_ON
               : RAN_OUT_OF_MEMORY;
}

static enum ran store_large_at(struct evaluation *e, const struct instruction *i)
{
    uint32_t index;
    datum d = evaluation_pop(e);
    enum ran ran = pop_index(e, i->wide, &index);
    if (ran == RAN_ON)
        ran = put_large(e, i, index, d);
    return ran == RAN_ON && i->small ? evaluation_push(e, d) : ran;
}

static enum ran fill_large(struct evaluation *e, const struct instruction *i)
{
    datum d = evaluation_pop(e);
    uint32_t count = (uint32_t)datum_bits(evaluation_pop(e));
    uint32_t first = (uint32_t)datum_bits(evaluation_pop(e));
    enum ran ran = RAN_ON;
    for (uint32_t n = 0; n < count && ran == RAN_ON; n++)
        ran = put_large(e, i, first + n, d);
    return ran;
}

static enum ran load_large(struct evaluation *e, const struct instruction *i)
{
    if (!large_settle(draft_of(e), e->slots, (uint32_t)i->operand, i->wide))
        return RAN_OUT_OF_MEMORY;
    return evaluation_push(e, datum_object(e->slots[i->operand]));
}

static enum ran store_large(struct evaluation *e, const struct instruction *i)
{
    struct large_draft *draft = draft_of(e);
    uint32_t root = (uint32_t)datum_bits(evaluation_pop(e));
    for (uint32_t n = 0; i->range && n < i->wide; n++) {
        datum d = datum_from_slot(large_load(draft, root, i->wide, n));
        if (!fits(e, i, d))
            return refuse_store(e, i, d);
    }
    return large_replace(draft, e->slots, (uint32_t)i->operand, i->wide, root) ? RAN_ON
                                                                               : RAN_OUT_OF_MEMORY;
}

static enum ran push_large(struct evaluation *e, const struct instruction *i)
{
    const struct machine *machine = run_of(e)->machine;
    struct budget *budget = object_pool_budget(machine->objects);
    if (!large_settle(draft_of(e), e->slots, (uint32_t)i->operand, i->wide))
        return RAN_OUT_OF_MEMORY;
    uint32_t *items = memory_allocate(budget, i->wide * sizeof *items);
    if (!items)
        return RAN_OUT_OF_MEMORY;
    large_read(machine->objects, e->slots[i->operand], i->wide, items);
    enum ran ran = push_array(e, items, i->wide);
    memory_release(budget, items, i->wide * sizeof *items);
    return ran;
}

/* ---- lists and their items ---- */

static enum ran run_pack(struct evaluation *e, uint32_t length)
{
    uint32_t slots[MOST_PACKED];
    assert(length <= MOST_PACKED);
    for (uint32_t n = length; n-- > 0;) {
        datum d = evaluation_pop(e);
        if (datum_tag_of(d) == DATUM_OBJECT)
            return FAULT(e, "expected an integer or a boolean, found %s", tag_name(d));
        slots[n] = datum_to_slot(d);
    }
    return push_array(e, slots, length);
}

static enum ran run_item(struct evaluation *e, const struct instruction *i)
{
    size_t length;
    uint32_t index;
    enum ran ran = pop_index(e, i->wide, &index);
    if (ran != RAN_ON)
        return ran;
    const uint32_t *items =
        object_items(run_of(e)->machine->objects, (object_id)i->operand, &length);
    assert(index < length);
    return evaluation_push(e, datum_from_slot(items[index]));
}

/* A channel's contents: tuples, each its length followed by its slots. */
static uint32_t channel_count(const uint32_t *items, size_t length)
{
    uint32_t count = 0;
    for (size_t at = 0; at < length; at += items[at] + 1)
        count++;
    return count;
}

static enum ran run_channel(struct evaluation *e, const struct instruction *i)
{
    const struct machine *machine = run_of(e)->machine;
    uint32_t slot = (uint32_t)i->operand, index = 0;
    if (i->wide) {
        enum ran ran = pop_index(e, i->wide, &index);
        if (ran != RAN_ON)
            return ran;
    }
    slot += index;
    size_t length = 0;
    const uint32_t *items = object_items(machine->objects, e->slots[slot], &length);
    uint32_t count = channel_count(items, length), size = machine->capacities[slot];
    switch ((enum channel_query)i->small) {
    case CHANNEL_FULL:
        return evaluation_push(e, datum_boolean(count >= size));
    case CHANNEL_EMPTY:
        return evaluation_push(e, datum_boolean(count == 0));
    case CHANNEL_COUNT:
        return evaluation_push(e, datum_integer((int32_t)count));
    case CHANNEL_SIZE:
        return evaluation_push(e, datum_integer((int32_t)size));
    default: {
        if (count == 0 || items[0] == 0)
            return FAULT(e, "expected a value at the head of the channel, found none");
        datum first = message_value(machine->objects, items + 1);
        return first == DATUM_REFUSED ? RAN_OUT_OF_MEMORY : evaluation_push(e, first);
    }
    }
}

/* ---- running ---- */

static enum ran host_run(struct evaluation *e, const struct instruction *i)
{
    switch ((enum opcode)i->op) {
    case OP_LOAD_LOCAL_AT:
    case OP_LOAD_SLOT_AT:
    case OP_LOAD_FIXED_AT:
        return refuse_index(e, i);
    case OP_STORE_LOCAL_AT:
    case OP_STORE_SLOT_AT:
        return refuse_store_at(e, i);
    case OP_STORE_SLOT:
        return refuse_store(e, i, *evaluation_top(e, 0));
    case OP_STORE_OBJECT:
        return FAULT(e, "expected a collection, found %s", tag_name(*evaluation_top(e, 0)));
    case OP_NEGATE:
        return negate(e);
    case OP_NOT:
    case OP_CHECK:
    case OP_JUMP_IF_FALSE:
    case OP_JUMP_IF_TRUE:
        return FAULT(e, "expected a boolean, found %s%s", tag_name(*evaluation_top(e, 0)),
                     assigns(e->code, e->at) ? ASSIGNS : "");
    case OP_XOR:
        return FAULT(e, "expected two booleans, found %s and %s", tag_name(*evaluation_top(e, 1)),
                     tag_name(*evaluation_top(e, 0)));
    case OP_EQUAL:
    case OP_NOT_EQUAL:
        return equate(e, i->op == OP_EQUAL);
    case OP_BIT_AND:
    case OP_BIT_OR:
    case OP_BIT_XOR:
        return combine(e, (enum opcode)i->op);
    case OP_NOTE_CROSSING:
        return note_crossing(e, (uint32_t)i->operand);
    case OP_METHOD:
        return run_method(e, i);
    case OP_LOAD_LARGE_AT:
        return load_large_at(e, i);
    case OP_STORE_LARGE_AT:
        return store_large_at(e, i);
    case OP_FILL_LARGE:
        return fill_large(e, i);
    case OP_LOAD_LARGE:
        return load_large(e, i);
    case OP_STORE_LARGE:
        return store_large(e, i);
    case OP_ARRAY:
        if (i->small == ARRAY_LARGE)
            return push_large(e, i);
        return push_array(e, (i->small ? e->fixed : e->slots) + i->operand, i->wide);
    case OP_PACK:
        return run_pack(e, i->wide);
    case OP_ITEM:
        return run_item(e, i);
    case OP_FUNCTION:
        return run_function(e, i);
    case OP_CHANNEL:
        return run_channel(e, i);
    default:
        return operate(e, (enum opcode)i->op);
    }
}

static enum ran host_grow(struct evaluation *e, uint32_t least)
{
    (void)least;
    return FAULT(e, "expected an expression of at most %d operands at once", STACK_SIZE);
}

static const struct host host = {.run = host_run, .grow = host_grow};

/* Large arrays are objects again, as they were if the run has failed. */
static enum ran end_draft(struct large_draft *draft, uint32_t *slots, enum ran ran)
{
    if (ran == RAN_WELL && !large_finish(draft, slots))
        ran = RAN_OUT_OF_MEMORY;
    if (ran != RAN_WELL)
        large_undo(draft, slots);
    large_draft_release(draft);
    return ran;
}

enum ran machine_run(const struct machine *machine, code_id id, uint32_t *slots, datum *result,
                     struct fault *fault)
{
    datum stack[LOCALS + STACK_SIZE];
    const struct code *code = codes_get(machine->codes, id);
    struct large_draft draft;
    struct run run = {.machine = machine, .fault = fault, .draft = &draft};
    struct evaluation *e = &run.evaluation;
    assert(code->locals <= LOCALS && code->parameters == 0);
    e->host = &host;
    e->stack = stack;
    e->room = code->locals + STACK_SIZE;
    e->slots = slots;
    e->fixed = machine->constants;
    e->ranges = machine->ranges;
    e->left = MAX_STEPS;
    enum ran ran = evaluation_enter(e, code, datum_integer(0));
    if (ran == RAN_ON)
        ran = evaluation_run(e);
    if (UNLIKELY(run.drafts))
        ran = end_draft(&draft, slots, ran);
    if (ran == RAN_LONG)
        return FAULT(e, "expected a program that ends, found none after %d steps", MAX_STEPS);
    if (ran == RAN_WELL && result)
        *result = e->depth > code->locals ? *evaluation_top(e, 0) : datum_integer(0);
    return ran;
}

enum ran machine_test(const struct machine *machine, code_id id, uint32_t *slots, bool *result,
                      struct fault *fault)
{
    datum answer = VALUE_FALSE;
    enum ran ran = machine_run(machine, id, slots, &answer, fault);
    if (ran != RAN_WELL)
        return ran;
    const struct code *code = codes_get(machine->codes, id);
    bool assigned = assigns(code, code->length);
    if (!datum_is_boolean(answer) || assigned) {
        snprintf(fault->message, sizeof fault->message, "expected %s, found %s%s",
                 datum_is_boolean(answer) ? "a condition" : "a boolean",
                 datum_is_boolean(answer) ? "an assignment" : tag_name(answer),
                 assigned ? ASSIGNS : "");
        fault->at = code->length ? code->places[assigned ? code->length - 1 : 0] : 0;
        return RAN_INTO_FAULT;
    }
    *result = answer == VALUE_TRUE;
    return RAN_WELL;
}
