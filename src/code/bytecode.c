#include "code/bytecode.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/blocks.h"
#include "base/hash.h"
#include "base/shared_table.h"

#define STACK_SIZE 256      /* an expression nested deeper was refused by the parser */
#define LOCALS     1024     /* checked when code is interned */
#define MAX_STEPS  10000000 /* a program that runs longer than this does not end */

/* ---- interning ---- */

struct codes {
    struct budget *budget;
    struct arena arena;
    struct blocks items; /* struct code; number 0 is no code */
    struct shared_table numbers;
    pthread_mutex_t lock; /* of all that is added */
    code_id count;
};

struct codes *codes_create(struct budget *budget)
{
    struct codes *codes = memory_zeroed(budget, sizeof *codes);
    if (!codes)
        return NULL;
    codes->budget = budget;
    codes->count = 1;
    arena_init(&codes->arena, budget);
    blocks_init(&codes->items, budget, sizeof(struct code));
    shared_table_init(&codes->numbers, budget);
    pthread_mutex_init(&codes->lock, NULL);
    if (!blocks_reach(&codes->items, 0)) {
        codes_destroy(codes);
        return NULL;
    }
    return codes;
}

void codes_destroy(struct codes *codes)
{
    if (!codes)
        return;
    shared_table_release(&codes->numbers);
    blocks_release(&codes->items);
    arena_release(&codes->arena);
    pthread_mutex_destroy(&codes->lock);
    memory_release(codes->budget, codes, sizeof *codes);
}

static uint64_t code_hash(const struct code *code)
{
    return hash_bytes(code->instructions, code->length * sizeof *code->instructions, code->locals);
}

static bool same_code(const struct code *a, const struct code *b)
{
    return a->length == b->length && a->locals == b->locals &&
           (a->length == 0 || /* an empty program */
            memcmp(a->instructions, b->instructions, a->length * sizeof *a->instructions) == 0);
}

/* 0 where there is none. */
static code_id code_find(const struct codes *codes, const struct code *code, uint64_t hash)
{
    struct shared_search search = shared_table_search(&codes->numbers, hash);
    while (shared_table_next(&search))
        if (same_code(codes_get(codes, search.number), code))
            return search.number;
    return 0;
}

static code_id code_add(struct codes *codes, const struct code *code, uint64_t hash)
{
    size_t size = code->length * sizeof *code->instructions;
    struct instruction *instructions = arena_allocate(&codes->arena, size);
    place *places = arena_allocate(&codes->arena, code->length * sizeof *places);
    struct code *kept = blocks_reach(&codes->items, codes->count);
    if (!instructions || !places || !kept)
        return 0;
    if (size) {
        memcpy(instructions, code->instructions, size);
        memcpy(places, code->places, code->length * sizeof *places);
    }
    *kept = *code;
    kept->instructions = instructions;
    kept->places = places;
    return shared_table_add(&codes->numbers, hash, codes->count) ? codes->count++ : 0;
}

code_id codes_intern(struct codes *codes, const struct code *code)
{
    uint64_t hash = code_hash(code);
    code_id id = code_find(codes, code, hash);
    if (id)
        return id;
    pthread_mutex_lock(&codes->lock);
    id = code_find(codes, code, hash); /* by now, perhaps */
    if (!id)
        id = code_add(codes, code, hash);
    pthread_mutex_unlock(&codes->lock);
    return id;
}

const struct code *codes_get(const struct codes *codes, code_id id)
{
    return blocks_at(&codes->items, id);
}

bool code_is_constant(const struct codes *codes, code_id id, datum *constant)
{
    const struct code *code = codes_get(codes, id);
    if (code->length != 1 || code->instructions[0].op != OP_PUSH)
        return false;
    *constant =
        datum_make((enum datum_tag)code->instructions[0].small, code->instructions[0].operand);
    return true;
}

code_id codes_constant(struct codes *codes, datum constant)
{
    struct instruction push = {
        .op = OP_PUSH, .small = (uint8_t)datum_tag_of(constant), .operand = datum_bits(constant)};
    place nowhere = 0;
    return codes_intern(codes, &(struct code){&push, &nowhere, 1, 0});
}

void code_accesses(const struct codes *codes, code_id id,
                   void (*visit)(void *context, uint32_t first, uint32_t count, bool write),
                   void *context)
{
    const struct code *code = codes_get(codes, id);
    for (uint32_t i = 0; i < code->length; i++) {
        const struct instruction *at = &code->instructions[i];
        uint32_t first = (uint32_t)at->operand;
        switch (at->op) {
        case OP_LOAD:
        case OP_LOAD_OBJECT:
            visit(context, first, 1, false);
            break;
        case OP_LOAD_INDEXED:
            visit(context, first, at->wide, false);
            break;
        case OP_STORE:
        case OP_STORE_OBJECT:
            visit(context, first, 1, true);
            break;
        case OP_STORE_INDEXED:
            visit(context, first, at->wide, true);
            break;
        case OP_METHOD: /* a method may do both */
            visit(context, first, 1, false);
            visit(context, first, 1, true);
            break;
        case OP_CHANNEL:
            visit(context, first, at->wide ? at->wide : 1, false);
            break;
        default:
            break;
        }
    }
}

/* ---- running ---- */

struct frame {
    const struct machine *machine;
    const struct code *code;
    uint32_t *slots;
    datum *stack; /* the next free entry is stack[depth] */
    uint32_t depth;
    uint32_t at; /* the instruction that runs */
    datum locals[LOCALS];
    struct fault *fault;
};

#define FAULT(frame, ...)                                                                          \
    (snprintf((frame)->fault->message, sizeof(frame)->fault->message, __VA_ARGS__),                \
     (frame)->fault->at = (frame)->code->places[(frame)->at], RAN_INTO_FAULT)

static const char *tag_name(datum d)
{
    switch (datum_tag_of(d)) {
    case DATUM_INTEGER:
        return "an integer";
    case DATUM_BOOLEAN:
        return "a boolean";
    default:
        return "a collection";
    }
}

static enum ran push_integer(struct frame *frame, int64_t integer)
{
    int32_t wrapped = (int32_t)(uint32_t)(uint64_t)integer; /* 32 bits, as C# has it */
    if (wrapped < INTEGER_SMALLEST)
        return FAULT(frame, "expected an integer of at least %d, found %d", INTEGER_SMALLEST,
                     wrapped);
    frame->stack[frame->depth++] = datum_integer(wrapped);
    return RAN_WELL;
}

static enum ran run_arithmetic(struct frame *frame, enum opcode op)
{
    datum right = frame->stack[--frame->depth], left = frame->stack[--frame->depth];
    if (datum_tag_of(left) != DATUM_INTEGER || datum_tag_of(right) != DATUM_INTEGER)
        return FAULT(frame, "expected two integers, found %s and %s", tag_name(left),
                     tag_name(right));
    int64_t a = datum_bits(left), b = datum_bits(right);
    switch (op) {
    case OP_ADD:
        return push_integer(frame, a + b);
    case OP_SUBTRACT:
        return push_integer(frame, a - b);
    case OP_MULTIPLY:
        return push_integer(frame, a * b);
    case OP_DIVIDE:
    case OP_MODULO:
        if (b == 0)
            return FAULT(frame, "division by zero");
        if (op == OP_DIVIDE)
            return push_integer(frame, a / b);
        return push_integer(frame, a % b < 0 ? a % b + b : a % b);
    case OP_BIT_AND:
        return push_integer(frame, a & b);
    case OP_BIT_OR:
        return push_integer(frame, a | b);
    case OP_BIT_XOR:
        return push_integer(frame, a ^ b);
    default:
        break;
    }
    bool holds = op == OP_LESS         ? a < b
                 : op == OP_LESS_EQUAL ? a <= b
                 : op == OP_GREATER    ? a > b
                                       : a >= b;
    frame->stack[frame->depth++] = datum_boolean(holds);
    return RAN_WELL;
}

/* & | ^ on two booleans, else arithmetic. */
static enum ran run_bits(struct frame *frame, enum opcode op)
{
    datum right = frame->stack[frame->depth - 1], left = frame->stack[frame->depth - 2];
    if (datum_tag_of(left) != DATUM_BOOLEAN || datum_tag_of(right) != DATUM_BOOLEAN)
        return run_arithmetic(frame, op);
    int a = datum_bits(left), b = datum_bits(right);
    frame->depth -= 2;
    frame->stack[frame->depth++] = datum_boolean(op == OP_BIT_AND  ? a & b
                                                 : op == OP_BIT_OR ? a | b
                                                                   : a ^ b);
    return RAN_WELL;
}

static enum ran run_unary(struct frame *frame, enum opcode op)
{
    datum operand = frame->stack[--frame->depth];
    enum datum_tag wanted = op == OP_NEGATE ? DATUM_INTEGER : DATUM_BOOLEAN;
    if (datum_tag_of(operand) != wanted)
        return FAULT(frame, "expected %s, found %s",
                     wanted == DATUM_INTEGER ? "an integer" : "a boolean", tag_name(operand));
    if (op == OP_NEGATE)
        return push_integer(frame, -(int64_t)datum_bits(operand));
    frame->stack[frame->depth++] = op == OP_NOT ? datum_boolean(!datum_bits(operand)) : operand;
    return RAN_WELL;
}

/* Pops an index into `length` elements. */
static enum ran pop_index(struct frame *frame, uint32_t length, uint32_t *index)
{
    datum popped = frame->stack[--frame->depth];
    if (datum_tag_of(popped) != DATUM_INTEGER)
        return FAULT(frame, "expected an integer as index, found %s", tag_name(popped));
    if (datum_bits(popped) < 0 || (uint32_t)datum_bits(popped) >= length)
        return FAULT(frame, "expected an index from 0 to %u, found %d", length - 1,
                     datum_bits(popped));
    *index = (uint32_t)datum_bits(popped);
    return RAN_WELL;
}

static void note_crossing(struct frame *frame, uint32_t size)
{
    datum subscript = frame->stack[frame->depth - 1];
    if (datum_tag_of(subscript) == DATUM_INTEGER &&
        (datum_bits(subscript) < 0 || (uint32_t)datum_bits(subscript) >= size))
        *frame->machine->crossed = true;
}

/* Puts the value on top into a slot, leaving it there. */
static enum ran store(struct frame *frame, const struct instruction *instruction, uint32_t slot)
{
    datum d = frame->stack[frame->depth - 1];
    if (instruction->op == OP_STORE_OBJECT) {
        if (datum_tag_of(d) != DATUM_OBJECT)
            return FAULT(frame, "expected a collection, found %s", tag_name(d));
        frame->slots[slot] = (uint32_t)datum_bits(d);
        return RAN_WELL;
    }
    if (datum_tag_of(d) == DATUM_OBJECT)
        return FAULT(frame, "expected an integer or a boolean, found a collection");
    if (instruction->range) {
        const struct range_limit *range = &frame->machine->ranges[instruction->range];
        if (datum_tag_of(d) != DATUM_INTEGER)
            return FAULT(frame, "expected an integer for `%s`, found a boolean", range->name);
        if (datum_bits(d) < range->low || datum_bits(d) > range->high)
            return FAULT(frame, "expected `%s` between %d and %d, found %d", range->name,
                         range->low, range->high, datum_bits(d));
    }
    frame->slots[slot] = datum_to_slot(d);
    return RAN_WELL;
}

static enum ran run_indexed(struct frame *frame, const struct instruction *instruction)
{
    uint32_t index = 0, first = (uint32_t)instruction->operand;
    bool stores = instruction->op == OP_STORE_INDEXED || instruction->op == OP_STORE_LOCAL_INDEXED;
    datum stored = stores ? frame->stack[--frame->depth] : 0;
    enum ran ran = pop_index(frame, instruction->wide, &index);
    if (ran != RAN_WELL)
        return ran;
    switch (instruction->op) {
    case OP_LOAD_INDEXED:
        frame->stack[frame->depth++] = datum_from_slot(frame->slots[first + index]);
        return RAN_WELL;
    case OP_LOAD_CONSTANT_INDEXED:
        frame->stack[frame->depth++] = datum_from_slot(frame->machine->constants[first + index]);
        return RAN_WELL;
    case OP_LOAD_LOCAL_INDEXED:
        frame->stack[frame->depth++] = frame->locals[first + index];
        return RAN_WELL;
    case OP_STORE_LOCAL_INDEXED:
        frame->stack[frame->depth++] = frame->locals[first + index] = stored;
        return RAN_WELL;
    default:
        frame->stack[frame->depth++] = stored;
        return store(frame, instruction, first + index);
    }
}

static enum ran run_method(struct frame *frame, const struct instruction *instruction)
{
    uint32_t arguments[4] = {0}, answer = 0;
    for (uint32_t i = instruction->wide; i-- > 0;) {
        datum d = frame->stack[--frame->depth];
        arguments[i] = datum_tag_of(d) == DATUM_OBJECT ? (uint32_t)datum_bits(d) : datum_to_slot(d);
    }
    object_id after = 0;
    const char *message = NULL;
    uint32_t *slot = &frame->slots[instruction->operand];
    if (!method_apply(frame->machine->objects, instruction->small, *slot, arguments, &after,
                      &answer, &message))
        return FAULT(frame, "%s", message);
    if (after == OBJECT_REFUSED)
        return RAN_OUT_OF_MEMORY;
    *slot = after;
    frame->stack[frame->depth++] = datum_from_slot(answer);
    return RAN_WELL;
}

/* A channel's contents: tuples, each its length followed by its slots. */
static uint32_t channel_count(const uint32_t *items, size_t length)
{
    uint32_t count = 0;
    for (size_t at = 0; at < length; at += items[at] + 1)
        count++;
    return count;
}

static enum ran run_channel(struct frame *frame, const struct instruction *instruction)
{
    uint32_t slot = (uint32_t)instruction->operand, index = 0;
    if (instruction->wide) {
        enum ran ran = pop_index(frame, instruction->wide, &index);
        if (ran != RAN_WELL)
            return ran;
    }
    slot += index;
    size_t length = 0;
    const uint32_t *items = object_items(frame->machine->objects, frame->slots[slot], &length);
    uint32_t count = channel_count(items, length), size = frame->machine->capacities[slot];
    datum answer;
    switch ((enum channel_query)instruction->small) {
    case CHANNEL_FULL:
        answer = datum_boolean(count >= size);
        break;
    case CHANNEL_EMPTY:
        answer = datum_boolean(count == 0);
        break;
    case CHANNEL_COUNT:
        answer = datum_integer((int32_t)count);
        break;
    case CHANNEL_SIZE:
        answer = datum_integer((int32_t)size);
        break;
    default:
        if (count == 0 || items[0] == 0)
            return FAULT(frame, "expected a value at the head of the channel, found none");
        answer = datum_from_slot(items[1]);
    }
    frame->stack[frame->depth++] = answer;
    return RAN_WELL;
}

static enum ran run_equal(struct frame *frame, bool equal)
{
    datum right = frame->stack[--frame->depth], left = frame->stack[--frame->depth];
    frame->stack[frame->depth++] = datum_boolean((left == right) == equal);
    return RAN_WELL;
}

static enum ran run_xor(struct frame *frame)
{
    datum right = frame->stack[--frame->depth], left = frame->stack[--frame->depth];
    if (datum_tag_of(left) != DATUM_BOOLEAN || datum_tag_of(right) != DATUM_BOOLEAN)
        return FAULT(frame, "expected two booleans, found %s and %s", tag_name(left),
                     tag_name(right));
    frame->stack[frame->depth++] = datum_boolean(left != right);
    return RAN_WELL;
}

static enum ran run_jump_if(struct frame *frame, const struct instruction *instruction)
{
    datum condition = frame->stack[--frame->depth];
    if (datum_tag_of(condition) != DATUM_BOOLEAN)
        return FAULT(frame, "expected a boolean, found %s", tag_name(condition));
    if ((datum_bits(condition) != 0) == (instruction->op == OP_JUMP_IF_TRUE))
        frame->at = (uint32_t)instruction->operand - 1; /* the loop adds one */
    return RAN_WELL;
}

static enum ran run_one(struct frame *frame, const struct instruction *instruction)
{
    uint32_t operand = (uint32_t)instruction->operand;
    switch ((enum opcode)instruction->op) {
    case OP_PUSH:
        frame->stack[frame->depth++] =
            datum_make((enum datum_tag)instruction->small, instruction->operand);
        return RAN_WELL;
    case OP_LOAD:
        frame->stack[frame->depth++] = datum_from_slot(frame->slots[operand]);
        return RAN_WELL;
    case OP_LOAD_OBJECT:
        frame->stack[frame->depth++] = datum_make(DATUM_OBJECT, (int32_t)frame->slots[operand]);
        return RAN_WELL;
    case OP_LOAD_CONSTANT:
        frame->stack[frame->depth++] = datum_from_slot(frame->machine->constants[operand]);
        return RAN_WELL;
    case OP_NOTE_CROSSING:
        note_crossing(frame, operand);
        return RAN_WELL;
    case OP_LOAD_LOCAL:
        frame->stack[frame->depth++] = frame->locals[operand];
        return RAN_WELL;
    case OP_STORE_LOCAL:
        frame->locals[operand] = frame->stack[frame->depth - 1];
        return RAN_WELL;
    case OP_STORE:
    case OP_STORE_OBJECT:
        return store(frame, instruction, operand);
    case OP_LOAD_INDEXED:
    case OP_LOAD_CONSTANT_INDEXED:
    case OP_LOAD_LOCAL_INDEXED:
    case OP_STORE_INDEXED:
    case OP_STORE_LOCAL_INDEXED:
        return run_indexed(frame, instruction);
    case OP_POP:
        frame->depth--;
        return RAN_WELL;
    case OP_NEGATE:
    case OP_NOT:
    case OP_CHECK_BOOLEAN:
        return run_unary(frame, (enum opcode)instruction->op);
    case OP_BIT_AND:
    case OP_BIT_OR:
    case OP_BIT_XOR:
        return run_bits(frame, (enum opcode)instruction->op);
    case OP_XOR:
        return run_xor(frame);
    case OP_EQUAL:
    case OP_NOT_EQUAL:
        return run_equal(frame, instruction->op == OP_EQUAL);
    case OP_JUMP:
        frame->at = operand - 1;
        return RAN_WELL;
    case OP_JUMP_IF_FALSE:
    case OP_JUMP_IF_TRUE:
        return run_jump_if(frame, instruction);
    case OP_METHOD:
        return run_method(frame, instruction);
    case OP_CHANNEL:
        return run_channel(frame, instruction);
    default:
        return run_arithmetic(frame, (enum opcode)instruction->op);
    }
}

enum ran machine_run(const struct machine *machine, code_id id, uint32_t *slots, datum *result,
                     struct fault *fault)
{
    datum stack[STACK_SIZE];
    struct frame frame;
    frame.machine = machine;
    frame.code = codes_get(machine->codes, id);
    frame.slots = slots;
    frame.stack = stack;
    frame.depth = 0;
    frame.fault = fault;
    for (uint32_t i = 0; i < frame.code->locals; i++)
        frame.locals[i] = datum_integer(0);
    uint64_t steps = 0;
    for (frame.at = 0; frame.at < frame.code->length; frame.at++) {
        if (++steps > MAX_STEPS)
            return FAULT(&frame, "expected a program that ends, found none after %d steps",
                         MAX_STEPS);
        if (frame.depth >= STACK_SIZE - 1)
            return FAULT(&frame, "expected an expression of at most %d operands at once",
                         STACK_SIZE);
        enum ran ran = run_one(&frame, &frame.code->instructions[frame.at]);
        if (ran != RAN_WELL)
            return ran;
    }
    if (result)
        *result = frame.depth ? stack[frame.depth - 1] : datum_integer(0);
    return RAN_WELL;
}

static bool is_store(uint8_t op)
{
    return op >= OP_STORE && op <= OP_STORE_LOCAL_INDEXED;
}

enum ran machine_test(const struct machine *machine, code_id id, uint32_t *slots, bool *result,
                      struct fault *fault)
{
    datum answer = 0;
    enum ran ran = machine_run(machine, id, slots, &answer, fault);
    if (ran != RAN_WELL)
        return ran;
    if (datum_tag_of(answer) != DATUM_BOOLEAN) {
        const struct code *code = codes_get(machine->codes, id);
        bool assigns = code->length && is_store(code->instructions[code->length - 1].op);
        snprintf(fault->message, sizeof fault->message, "expected a boolean, found %s%s",
                 tag_name(answer), assigns ? ": `=` assigns, `==` compares" : "");
        fault->at = code->length ? code->places[assigns ? code->length - 1 : 0] : 0;
        return RAN_INTO_FAULT;
    }
    *result = datum_bits(answer) != 0;
    return RAN_WELL;
}
