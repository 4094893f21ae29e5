/* Collections are immutable while a program runs: a change makes a new one in the machine's scratch
 * memory, which every run begins anew. A collection's word is its address with the tag 3, which no
 * value has. What becomes an item of a collection, or a result, is interned first. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "lin/check.h"
#include "lin/code.h"
#include "lin/lexer.h"
#include "value/print.h"

#define MOST_STEPS 10000000 /* an operation that runs longer than this does not end */

struct collection {
    uint32_t kind;  /* KIND_LIST, KIND_SET or KIND_MAP */
    uint32_t count; /* of words */
    const value *items;
};

struct scratch_block {
    struct scratch_block *next;
    size_t words, used;
    uint64_t room[];
};

struct choice {
    uint32_t taken, count;
};

struct frame {
    const struct lin_code *code;
    uint32_t next; /* instruction */
    size_t locals; /* where they begin in the stack */
};

struct lin_machine {
    const struct lin_program *program;
    struct budget *budget;
    struct scratch_block *scratch; /* the newest, which is the largest */
    value *slots;                  /* the state's variables */
    VECTOR(value) stack;
    VECTOR(struct frame) frames;
    VECTOR(struct choice) choices;
    size_t chosen; /* choices that this run has made */
    VECTOR(uint64_t) state;
    uint32_t thread;
    struct error *error;
    const struct lin_code *code; /* running */
    uint32_t at;                 /* the instruction that runs */
};

struct lin_machine *lin_machine_create(const struct lin_program *program, struct budget *budget)
{
    struct lin_machine *machine = memory_zeroed(budget, sizeof *machine);
    if (!machine)
        return NULL;
    machine->program = program;
    machine->budget = budget;
    machine->slots = memory_zeroed(budget, (program->slots + 1) * sizeof *machine->slots);
    vector_init(&machine->stack, budget);
    vector_init(&machine->frames, budget);
    vector_init(&machine->choices, budget);
    vector_init(&machine->state, budget);
    if (machine->slots)
        return machine;
    lin_machine_destroy(machine);
    return NULL;
}

static void release_block(struct lin_machine *machine, struct scratch_block *block)
{
    memory_release(machine->budget, block, sizeof *block + block->words * sizeof *block->room);
}

void lin_machine_destroy(struct lin_machine *machine)
{
    if (!machine)
        return;
    while (machine->scratch) {
        struct scratch_block *next = machine->scratch->next;
        release_block(machine, machine->scratch);
        machine->scratch = next;
    }
    if (machine->slots)
        memory_release(machine->budget, machine->slots,
                       (machine->program->slots + 1) * sizeof *machine->slots);
    vector_release(&machine->stack);
    vector_release(&machine->frames);
    vector_release(&machine->choices);
    vector_release(&machine->state);
    memory_release(machine->budget, machine, sizeof *machine);
}

/* ---- scratch memory ---- */

static void scratch_reset(struct lin_machine *machine)
{
    if (!machine->scratch)
        return;
    while (machine->scratch->next) {
        struct scratch_block *old = machine->scratch->next;
        machine->scratch->next = old->next;
        release_block(machine, old);
    }
    machine->scratch->used = 0;
}

static uint64_t *scratch_take(struct lin_machine *machine, size_t words)
{
    struct scratch_block *block = machine->scratch;
    if (!block || block->words - block->used < words) {
        size_t room = block ? block->words * 2 : 256;
        while (room < words)
            room *= 2;
        struct scratch_block *fresh =
            memory_allocate(machine->budget, sizeof *fresh + room * sizeof *fresh->room);
        if (!fresh)
            return NULL;
        *fresh = (struct scratch_block){.next = block, .words = room};
        machine->scratch = block = fresh;
    }
    uint64_t *taken = block->room + block->used;
    block->used += words;
    return taken;
}

/* ---- collections ---- */

#define COLLECTION_TAG   3
#define COLLECTION_WORDS (sizeof(struct collection) / sizeof(uint64_t))

_Static_assert(sizeof(struct collection) % sizeof(uint64_t) == 0, "a collection is whole words");

static bool is_scratch(value v)
{
    return (v & 7) == COLLECTION_TAG;
}

static bool is_collection_kind(enum value_kind kind)
{
    return kind == KIND_LIST || kind == KIND_SET || kind == KIND_MAP;
}

/* The collection that a word is, be it in scratch memory or interned. */
static bool get_collection(value v, struct collection *collection)
{
    if (is_scratch(v)) {
        *collection = *(const struct collection *)(uintptr_t)(v - COLLECTION_TAG);
        return true;
    }
    size_t length;
    const value *items = value_get_items(v, &length);
    enum value_kind kind = value_kind_of(v);
    *collection = (struct collection){kind, (uint32_t)length, items};
    return is_collection_kind(kind);
}

/* A collection whose items are in place; VALUE_REFUSED. */
static value wrap(struct lin_machine *machine, enum value_kind kind, const value *items,
                  size_t count)
{
    struct collection *collection =
        (struct collection *)(void *)scratch_take(machine, COLLECTION_WORDS);
    if (!collection)
        return VALUE_REFUSED;
    *collection = (struct collection){kind, (uint32_t)count, items};
    return (value)(uintptr_t)collection + COLLECTION_TAG;
}

static value intern(struct lin_machine *machine, value v)
{
    struct collection collection;
    if (!is_scratch(v))
        return v;
    get_collection(v, &collection);
    struct value_pool *pool = machine->program->pool;
    if (collection.kind == KIND_LIST)
        return value_list(pool, collection.items, collection.count);
    if (collection.kind == KIND_SET)
        return value_set(pool, collection.items, collection.count);
    return value_map(pool, collection.items, collection.count);
}

static int compare(value a, value b)
{
    struct collection left, right;
    if (a == b)
        return 0;
    if (!is_scratch(a) && !is_scratch(b))
        return value_compare(a, b);
    if (!get_collection(a, &left) || !get_collection(b, &right))
        return is_scratch(a) ? 1 : -1;
    if (left.count != right.count)
        return left.count < right.count ? -1 : 1;
    if (left.kind != right.kind && left.count > 0)
        return left.kind < right.kind ? -1 : 1;
    for (uint32_t i = 0; i < left.count; i++)
        if (left.items[i] != right.items[i])
            return compare(left.items[i], right.items[i]);
    /* Of empty ones a set is a map too: `{}` is written for both. */
    return (left.kind == KIND_LIST) - (right.kind == KIND_LIST);
}

/* ---- faults ---- */

static enum lin_ran fault(const struct lin_machine *machine, const char *format, ...)
    PRINTF_LIKE(2, 3);

static enum lin_ran fault(const struct lin_machine *machine, const char *format, ...)
{
    char message[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    script_error(machine->program->module->script, machine->code->places[machine->at],
                 machine->error, "%s", message);
    return LIN_FAULT;
}

static enum lin_ran fault_kind(const struct lin_machine *machine, const char *expected, value found)
{
    struct text text = TEXT_EMPTY;
    struct collection collection;
    if (is_scratch(found) && get_collection(found, &collection))
        text_append(&text, collection.kind == KIND_LIST  ? "a list"
                           : collection.kind == KIND_SET ? "a set"
                                                         : "a map");
    else
        value_print_edn(found, &text);
    enum lin_ran ran = fault(machine, "expected %s, found %.200s", expected, text_string(&text));
    text_release(&text);
    return ran;
}

/* ---- the stack ---- */

static bool push(struct lin_machine *machine, value v)
{
    return v != VALUE_REFUSED && vector_push(&machine->stack, v);
}

static value pop(struct lin_machine *machine)
{
    return machine->stack.items[--machine->stack.length];
}

static enum lin_ran push_or_refuse(struct lin_machine *machine, value v)
{
    return push(machine, v) ? LIN_RAN : LIN_REFUSED;
}

static enum lin_ran push_integer(struct lin_machine *machine, int64_t integer)
{
    if (integer < INT32_MIN || integer > INT32_MAX)
        return fault(machine, "expected an int of 32 bits, found %lld", (long long)integer);
    return push_or_refuse(machine, value_small(integer));
}

#define RUN(expression)                                                                            \
    do {                                                                                           \
        enum lin_ran run_ = (expression);                                                          \
        if (UNLIKELY(run_ != LIN_RAN))                                                             \
            return run_;                                                                           \
    } while (0)

static enum lin_ran pop_integer(struct lin_machine *machine, int64_t *integer)
{
    value v = pop(machine);
    if (!is_scratch(v) && value_get_integer(v, integer))
        return LIN_RAN;
    return fault_kind(machine, "an int", v);
}

/* ---- operations on collections ---- */

static bool find(const struct collection *collection, value item, uint32_t *at)
{
    uint32_t stride = collection->kind == KIND_MAP ? 2 : 1;
    for (*at = 0; *at < collection->count; *at += stride)
        if (collection->items[*at] == item)
            return true;
    return false;
}

/* Where an item or key belongs in a set or map. */
static uint32_t sorted_place(const struct collection *collection, value item)
{
    uint32_t stride = collection->kind == KIND_MAP ? 2 : 1, low = 0;
    uint32_t high = collection->count / stride;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (value_compare(collection->items[(size_t)middle * stride], item) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low * stride;
}

/* `collection` with `count` words at `at` replaced by the `inserted` words of `with`. */
static value splice(struct lin_machine *machine, const struct collection *collection, uint32_t at,
                    uint32_t count, const value *with, uint32_t inserted)
{
    size_t length = (size_t)collection->count - count + inserted;
    value *items = scratch_take(machine, length + 1);
    if (!items)
        return VALUE_REFUSED;
    if (at)
        memcpy(items, collection->items, at * sizeof *items);
    if (inserted)
        memcpy(items + at, with, inserted * sizeof *items);
    if (collection->count > at + count)
        memcpy(items + at + inserted, collection->items + at + count,
               (collection->count - at - count) * sizeof *items);
    return wrap(machine, (enum value_kind)collection->kind, items, length);
}

static value insert_sorted(struct lin_machine *machine, value into, const value *entry,
                           uint32_t stride)
{
    struct collection collection;
    get_collection(into, &collection);
    uint32_t at = sorted_place(&collection, entry[0]);
    bool there = at < collection.count && collection.items[at] == entry[0];
    return splice(machine, &collection, at, there ? stride : 0, entry, stride);
}

static value sum_of(struct lin_machine *machine, value left, const struct collection *a,
                    const struct collection *b)
{
    if (a->kind == KIND_LIST)
        return splice(machine, a, a->count, 0, b->items, b->count);
    uint32_t stride = a->kind == KIND_MAP ? 2 : 1;
    for (uint32_t i = 0; i < b->count && left != VALUE_REFUSED; i += stride)
        left = insert_sorted(machine, left, b->items + i, stride);
    return left;
}

static value difference_of(struct lin_machine *machine, value left, const struct collection *b)
{
    for (uint32_t i = 0; i < b->count && left != VALUE_REFUSED; i++) {
        struct collection a;
        uint32_t at;
        get_collection(left, &a);
        if (find(&a, b->items[i], &at))
            left = splice(machine, &a, at, a.kind == KIND_MAP ? 2 : 1, NULL, 0);
    }
    return left;
}

static enum lin_ran run_collection_sum(struct lin_machine *machine, unsigned sign, value left,
                                       value right)
{
    struct collection a, b;
    if (!get_collection(left, &a))
        return fault_kind(machine, "a list, set or map", left);
    if (!get_collection(right, &b))
        return fault_kind(machine, "a list, set or map", right);
    bool same = a.kind == b.kind || (b.kind == KIND_SET && b.count == 0);
    if (!same && !(sign == LIN_MINUS && a.kind == KIND_MAP && b.kind == KIND_SET))
        return fault_kind(machine, a.kind == KIND_LIST ? "a list" : "a set or map of that kind",
                          right);
    return push_or_refuse(machine, sign == LIN_PLUS ? sum_of(machine, left, &a, &b)
                                                    : difference_of(machine, left, &b));
}

/* Makes a collection of the words on top of the stack. */
static enum lin_ran run_make(struct lin_machine *machine, enum value_kind kind, uint32_t count)
{
    uint32_t stride = kind == KIND_MAP ? 2 : 1;
    value *items = scratch_take(machine, (size_t)count + 1);
    if (!items)
        return LIN_REFUSED;
    machine->stack.length -= count;
    for (uint32_t i = 0; i < count; i++) {
        items[i] = intern(machine, machine->stack.items[machine->stack.length + i]);
        if (items[i] == VALUE_REFUSED)
            return LIN_REFUSED;
    }
    value made = wrap(machine, kind, items, kind == KIND_LIST ? count : 0);
    for (uint32_t i = 0; kind != KIND_LIST && i < count && made != VALUE_REFUSED; i += stride)
        made = insert_sorted(machine, made, items + i, stride);
    return push_or_refuse(machine, made);
}

static enum lin_ran run_index(struct lin_machine *machine)
{
    struct collection collection;
    value index = intern(machine, pop(machine)), base = pop(machine);
    int64_t number;
    uint32_t at;
    if (index == VALUE_REFUSED)
        return LIN_REFUSED;
    if (!get_collection(base, &collection) || collection.kind == KIND_SET)
        return fault_kind(machine, "a list or map", base);
    if (collection.kind == KIND_MAP)
        return push_or_refuse(machine,
                              find(&collection, index, &at) ? collection.items[at + 1] : VALUE_NIL);
    if (!value_get_integer(index, &number))
        return fault_kind(machine, "an index", index);
    if (number < 0 || number >= collection.count)
        return fault(machine, "expected an index from 0 to %u, found %lld",
                     collection.count - (collection.count > 0), (long long)number);
    return push_or_refuse(machine, collection.items[number]);
}

static enum lin_ran run_with_item(struct lin_machine *machine)
{
    struct collection collection;
    value item = intern(machine, pop(machine));
    value index = intern(machine, pop(machine)), base = pop(machine);
    int64_t number;
    if (item == VALUE_REFUSED || index == VALUE_REFUSED)
        return LIN_REFUSED;
    if (!get_collection(base, &collection) || collection.kind == KIND_SET)
        return fault_kind(machine, "a list or map", base);
    value entry[2] = {index, item};
    if (collection.kind == KIND_MAP)
        return push_or_refuse(machine, insert_sorted(machine, base, entry, 2));
    if (!value_get_integer(index, &number))
        return fault_kind(machine, "an index", index);
    if (number < 0 || number >= collection.count)
        return fault(machine, "expected an index from 0 to %u, found %lld",
                     collection.count - (collection.count > 0), (long long)number);
    return push_or_refuse(machine, splice(machine, &collection, (uint32_t)number, 1, &item, 1));
}

static enum lin_ran run_extreme(struct lin_machine *machine, const struct collection *collection,
                                bool least)
{
    int64_t best = 0, number;
    for (uint32_t i = 0; i < collection->count; i++) {
        if (!value_get_integer(collection->items[i], &number))
            return fault_kind(machine, "integers only", collection->items[i]);
        if (i == 0 || (least ? number < best : number > best))
            best = number;
    }
    return push_integer(machine, best);
}

static enum lin_ran run_builtin(struct lin_machine *machine, enum lin_builtin builtin)
{
    struct collection collection;
    value v = pop(machine);
    if (!get_collection(v, &collection))
        return fault_kind(machine, "a list, set or map", v);
    if (builtin == LIN_BUILTIN_LEN)
        return push_integer(machine,
                            collection.kind == KIND_MAP ? collection.count / 2 : collection.count);
    bool extreme = builtin == LIN_BUILTIN_MIN || builtin == LIN_BUILTIN_MAX;
    if (collection.kind == KIND_MAP || (collection.kind == KIND_SET && !extreme))
        return fault_kind(machine, extreme ? "a list or set" : "a list", v);
    if (collection.count == 0)
        return fault(machine, "expected a list that is not empty");
    const value *items = collection.items;
    size_t count = collection.count;
    switch (builtin) {
    case LIN_BUILTIN_FIRST:
        return push_or_refuse(machine, items[0]);
    case LIN_BUILTIN_LAST:
        return push_or_refuse(machine, items[count - 1]);
    case LIN_BUILTIN_BUT_FIRST:
        return push_or_refuse(machine, wrap(machine, KIND_LIST, items + 1, count - 1));
    case LIN_BUILTIN_BUT_LAST:
        return push_or_refuse(machine, wrap(machine, KIND_LIST, items, count - 1));
    default:
        return run_extreme(machine, &collection, builtin == LIN_BUILTIN_MIN);
    }
}

/* ---- arithmetic ---- */

static enum lin_ran run_arithmetic(struct lin_machine *machine, unsigned sign, int64_t left,
                                   int64_t right)
{
    switch (sign) {
    case LIN_LESS:
        return push_or_refuse(machine, value_boolean(left < right));
    case LIN_LESS_EQUAL:
        return push_or_refuse(machine, value_boolean(left <= right));
    case LIN_GREATER:
        return push_or_refuse(machine, value_boolean(left > right));
    case LIN_GREATER_EQUAL:
        return push_or_refuse(machine, value_boolean(left >= right));
    case LIN_PLUS:
        return push_integer(machine, left + right);
    case LIN_MINUS:
        return push_integer(machine, left - right);
    case LIN_AND:
        return push_integer(machine, left & right);
    case LIN_BAR:
        return push_integer(machine, left | right);
    case LIN_CARET:
        return push_integer(machine, left ^ right);
    default:
        break;
    }
    if (left < INT32_MIN || left > INT32_MAX || right < INT32_MIN || right > INT32_MAX)
        return fault(machine, "expected ints of 32 bits, found %lld and %lld", (long long)left,
                     (long long)right);
    if (sign == LIN_STAR)
        return push_integer(machine, left * right);
    if (right == 0)
        return fault(machine, "expected a divisor other than 0");
    return push_integer(machine, sign == LIN_SLASH ? left / right : left % right);
}

static bool same_letters(value a, value b)
{
    const char *letters = is_scratch(a) || is_scratch(b) ? NULL : value_get_text(a, NULL);
    return letters && value_text_is(b, letters);
}

static enum lin_ran run_binary(struct lin_machine *machine, unsigned sign, bool texts)
{
    value right = pop(machine), left = pop(machine);
    int64_t a, b;
    if (texts)
        return push_or_refuse(machine,
                              value_boolean(same_letters(left, right) == (sign == LIN_EQUAL)));
    switch (sign) {
    case LIN_EQUAL:
        return push_or_refuse(machine, value_boolean(compare(left, right) == 0));
    case LIN_NOT_EQUAL:
        return push_or_refuse(machine, value_boolean(compare(left, right) != 0));
    case LIN_IN: {
        struct collection collection;
        uint32_t at;
        if (!get_collection(right, &collection))
            return fault_kind(machine, "a list, set or map", right);
        left = intern(machine, left);
        return left == VALUE_REFUSED
                   ? LIN_REFUSED
                   : push_or_refuse(machine, value_boolean(find(&collection, left, &at)));
    }
    default:
        break;
    }
    struct collection collection;
    if ((sign == LIN_PLUS || sign == LIN_MINUS) &&
        (get_collection(left, &collection) || get_collection(right, &collection)))
        return run_collection_sum(machine, sign, left, right);
    if (is_scratch(left) || !value_get_integer(left, &a))
        return fault_kind(machine, "an int", left);
    if (is_scratch(right) || !value_get_integer(right, &b))
        return fault_kind(machine, "an int", right);
    return run_arithmetic(machine, sign, a, b);
}

/* ---- choices ---- */

/* The number, below `count`, that this run chooses; UINT32_MAX when refused. */
static uint32_t choose(struct lin_machine *machine, uint32_t count)
{
    if (machine->chosen == machine->choices.length &&
        !vector_push(&machine->choices, ((struct choice){0, count})))
        return UINT32_MAX;
    return machine->choices.items[machine->chosen++].taken;
}

void lin_machine_restart(struct lin_machine *machine)
{
    machine->choices.length = 0;
}

bool lin_machine_advance(struct lin_machine *machine)
{
    machine->choices.length = machine->chosen;
    while (machine->choices.length > 0) {
        struct choice *last = &machine->choices.items[machine->choices.length - 1];
        if (++last->taken < last->count)
            return true;
        machine->choices.length--;
    }
    return false;
}

static enum lin_ran run_choose(struct lin_machine *machine)
{
    int64_t low, high;
    RUN(pop_integer(machine, &high));
    RUN(pop_integer(machine, &low));
    if (low > high)
        return LIN_BLOCKED; /* nothing to choose */
    if (high - low >= UINT32_MAX)
        return fault(machine, "expected a smaller range to choose from");
    uint32_t chosen = choose(machine, (uint32_t)(high - low + 1));
    return chosen == UINT32_MAX ? LIN_REFUSED : push_integer(machine, low + chosen);
}

static enum lin_ran run_choose_item(struct lin_machine *machine)
{
    struct collection collection;
    value v = pop(machine);
    if (!get_collection(v, &collection) || collection.kind == KIND_MAP)
        return fault_kind(machine, "a list or set", v);
    if (collection.count == 0)
        return LIN_BLOCKED;
    uint32_t chosen = choose(machine, collection.count);
    return chosen == UINT32_MAX ? LIN_REFUSED : push_or_refuse(machine, collection.items[chosen]);
}

/* ---- running ---- */

static enum lin_ran run_check(struct lin_machine *machine, enum lin_type_kind kind)
{
    static const struct {
        enum value_kind kind;
        const char *name;
    } kinds[] = {
        [LIN_TYPE_INT] = {KIND_INTEGER, "an int"}, [LIN_TYPE_BOOL] = {KIND_BOOLEAN, "a bool"},
        [LIN_TYPE_LIST] = {KIND_LIST, "a list"},   [LIN_TYPE_SET] = {KIND_SET, "a set"},
        [LIN_TYPE_MAP] = {KIND_MAP, "a map"},
    };
    value v = machine->stack.items[machine->stack.length - 1];
    struct collection collection;
    bool is = get_collection(v, &collection) ? collection.kind == kinds[kind].kind
                                             : value_kind_of(v) == kinds[kind].kind;
    return is ? LIN_RAN : fault_kind(machine, kinds[kind].name, v);
}

static enum lin_ran run_check_range(struct lin_machine *machine, uint32_t number)
{
    const struct lin_range *range = &machine->program->ranges.items[number];
    value v = machine->stack.items[machine->stack.length - 1];
    int64_t integer;
    if (is_scratch(v) || !value_get_integer(v, &integer))
        return fault_kind(machine, "an int", v);
    if (integer >= range->low && integer <= range->high)
        return LIN_RAN;
    return fault(machine, "expected an int from %lld to %lld, found %lld", (long long)range->low,
                 (long long)range->high, (long long)integer);
}

static enum lin_ran pop_boolean(struct lin_machine *machine, bool *boolean)
{
    value v = pop(machine);
    *boolean = v == VALUE_TRUE;
    return v == VALUE_TRUE || v == VALUE_FALSE ? LIN_RAN : fault_kind(machine, "a bool", v);
}

/* Room for a function's locals: its parameters are on the stack already. */
static enum lin_ran enter(struct lin_machine *machine, const struct lin_code *code)
{
    struct frame frame = {.code = code, .locals = machine->stack.length - code->parameters};
    if (!vector_push(&machine->frames, frame))
        return LIN_REFUSED;
    for (uint32_t i = code->parameters; i < code->locals; i++)
        if (!push(machine, VALUE_NIL))
            return LIN_REFUSED;
    return LIN_RAN;
}

static enum lin_ran run_array(struct lin_machine *machine, value *items, bool store)
{
    int64_t index;
    RUN(pop_integer(machine, &index)); /* the compiler has put a range check before this */
    if (!store)
        return push_or_refuse(machine, items[index]);
    items[index] = pop(machine);
    return LIN_RAN;
}

/* One instruction that neither jumps nor returns. */
static enum lin_ran run_plain(struct lin_machine *machine,
                              const struct lin_instruction *instruction, value *locals)
{
    int64_t integer;
    bool boolean;
    uint32_t operand = (uint32_t)instruction->operand;
    switch ((enum lin_op)instruction->op) {
    case LIN_OP_PUSH:
        return push_or_refuse(machine, machine->program->constants.items[operand]);
    case LIN_OP_POP:
        pop(machine);
        return LIN_RAN;
    case LIN_OP_LOAD:
        return push_or_refuse(machine, machine->slots[operand]);
    case LIN_OP_STORE:
        machine->slots[operand] = pop(machine);
        return LIN_RAN;
    case LIN_OP_LOAD_AT:
        return run_array(machine, machine->slots + operand, false);
    case LIN_OP_STORE_AT:
        return run_array(machine, machine->slots + operand, true);
    case LIN_OP_LOAD_LOCAL:
        return push_or_refuse(machine, locals[operand]);
    case LIN_OP_STORE_LOCAL:
        locals[operand] = pop(machine);
        return LIN_RAN;
    case LIN_OP_LOAD_LOCAL_AT:
        return run_array(machine, locals + operand, false);
    case LIN_OP_STORE_LOCAL_AT:
        return run_array(machine, locals + operand, true);
    case LIN_OP_THREAD:
        return push_integer(machine, machine->thread);
    case LIN_OP_NEGATE:
        RUN(pop_integer(machine, &integer));
        return push_integer(machine, -integer);
    case LIN_OP_NOT:
        RUN(pop_boolean(machine, &boolean));
        return push_or_refuse(machine, value_boolean(!boolean));
    case LIN_OP_BINARY:
        return run_binary(machine, instruction->small, instruction->wide);
    case LIN_OP_INDEX:
        return run_index(machine);
    case LIN_OP_WITH_ITEM:
        return run_with_item(machine);
    case LIN_OP_LIST:
        return run_make(machine, KIND_LIST, operand);
    case LIN_OP_SET:
        return run_make(machine, KIND_SET, operand);
    case LIN_OP_MAP:
        return run_make(machine, KIND_MAP, operand);
    case LIN_OP_BUILTIN:
        return run_builtin(machine, (enum lin_builtin)instruction->small);
    case LIN_OP_CHECK:
        return run_check(machine, (enum lin_type_kind)instruction->small);
    case LIN_OP_CHECK_RANGE:
        return run_check_range(machine, operand);
    case LIN_OP_ASSUME:
        RUN(pop_boolean(machine, &boolean));
        return boolean ? LIN_RAN : LIN_BLOCKED;
    case LIN_OP_ASSERT:
        RUN(pop_boolean(machine, &boolean));
        return boolean ? LIN_RAN : fault(machine, "this assertion of the specification fails");
    case LIN_OP_CHOOSE:
        return run_choose(machine);
    case LIN_OP_CHOOSE_ITEM:
        return run_choose_item(machine);
    default:
        return LIN_RAN;
    }
}

static enum lin_ran run_frames(struct lin_machine *machine, value *result)
{
    for (uint32_t steps = 0;; steps++) {
        struct frame *frame = &machine->frames.items[machine->frames.length - 1];
        machine->code = frame->code;
        machine->at = frame->next++;
        const struct lin_instruction *instruction = &frame->code->instructions[machine->at];
        bool boolean;
        if (steps == MOST_STEPS)
            return fault(machine,
                         "expected an operation that ends, found one that runs for more "
                         "than %d instructions",
                         MOST_STEPS);
        switch ((enum lin_op)instruction->op) {
        case LIN_OP_JUMP:
            frame->next = (uint32_t)instruction->operand;
            break;
        case LIN_OP_JUMP_IF_FALSE:
        case LIN_OP_JUMP_IF_TRUE:
            RUN(pop_boolean(machine, &boolean));
            if (boolean == (instruction->op == LIN_OP_JUMP_IF_TRUE))
                frame->next = (uint32_t)instruction->operand;
            break;
        case LIN_OP_CALL:
            RUN(enter(machine, &machine->program->functions[instruction->operand]));
            break;
        case LIN_OP_RETURN:
            *result = pop(machine);
            machine->stack.length = frame->locals;
            if (--machine->frames.length == 0)
                return LIN_RAN;
            if (!push(machine, *result))
                return LIN_REFUSED;
            break;
        default:
            RUN(run_plain(machine, instruction, machine->stack.items + frame->locals));
            break;
        }
    }
}

/* ---- states ---- */

static enum value_kind collection_kind(const struct lin_variable *variable)
{
    switch (variable->type.kind) {
    case LIN_TYPE_LIST:
        return KIND_LIST;
    case LIN_TYPE_SET:
        return KIND_SET;
    case LIN_TYPE_MAP:
        return KIND_MAP;
    default:
        return KIND_NIL;
    }
}

/* A collection takes as many words as it has items, and one for their number before them. */
static bool read_state(struct lin_machine *machine, const uint64_t *words)
{
    const struct lin_program *program = machine->program;
    for (uint32_t i = 0; i < program->object->variable_count; i++) {
        const struct lin_layout *layout = &program->layouts[i];
        enum value_kind kind = collection_kind(layout->variable);
        for (uint32_t j = 0; j < layout->length; j++) {
            value *slot = &machine->slots[layout->first + j];
            if (kind == KIND_NIL) {
                *slot = *words++;
                continue;
            }
            *slot = wrap(machine, kind, words + 1, (size_t)words[0]);
            if (*slot == VALUE_REFUSED)
                return false;
            words += words[0] + 1;
        }
    }
    return true;
}

const uint64_t *lin_machine_state(struct lin_machine *machine, size_t *length)
{
    const struct lin_program *program = machine->program;
    machine->state.length = 0;
    if (!vector_reserve(&machine->state, 1))
        return NULL;
    for (uint32_t i = 0; i < program->object->variable_count; i++) {
        const struct lin_layout *layout = &program->layouts[i];
        enum value_kind kind = collection_kind(layout->variable);
        for (uint32_t j = 0; j < layout->length; j++) {
            value slot = machine->slots[layout->first + j];
            struct collection collection;
            if (kind == KIND_NIL) {
                slot = intern(machine, slot);
                if (slot == VALUE_REFUSED || !vector_push(&machine->state, slot))
                    return NULL;
                continue;
            }
            get_collection(slot, &collection);
            size_t start = machine->state.length;
            if (!vector_reserve(&machine->state, start + collection.count + 1))
                return NULL;
            machine->state.items[start] = collection.count;
            if (collection.count)
                memcpy(machine->state.items + start + 1, collection.items,
                       collection.count * sizeof *collection.items);
            machine->state.length = start + collection.count + 1;
        }
    }
    *length = machine->state.length;
    return machine->state.items;
}

/* Renames `count` items; those of sets and maps, entries of `stride` words, are sorted again. */
static bool rename_items(const struct lin_program *program, const struct renaming *renaming,
                         enum value_kind kind, uint64_t *items, size_t count)
{
    size_t stride = kind == KIND_MAP ? 2 : 1;
    for (size_t i = 0; i < count; i++)
        if ((items[i] = renaming_apply(renaming, program->pool, items[i])) == VALUE_REFUSED)
            return false;
    for (size_t i = stride; kind != KIND_LIST && i < count; i += stride) {
        uint64_t entry[2];
        size_t at = i;
        memcpy(entry, items + i, stride * sizeof *items);
        for (; at > 0 && value_compare(items[at - stride], entry[0]) > 0; at -= stride)
            memcpy(items + at, items + at - stride, stride * sizeof *items);
        memcpy(items + at, entry, stride * sizeof *items);
    }
    return true;
}

bool lin_rename_state(const struct lin_program *program, const struct renaming *renaming,
                      uint64_t *words)
{
    for (uint32_t i = 0; i < program->object->variable_count; i++) {
        const struct lin_layout *layout = &program->layouts[i];
        enum value_kind kind = collection_kind(layout->variable);
        for (uint32_t j = 0; j < layout->length; j++) {
            size_t count =
                kind == KIND_NIL ? layout->variable->type.kind == LIN_TYPE_VALUE : (size_t)*words++;
            if (!rename_items(program, renaming, kind == KIND_NIL ? KIND_LIST : kind, words, count))
                return false;
            words += kind == KIND_NIL ? 1 : count;
        }
    }
    return true;
}

enum lin_ran lin_machine_run(struct lin_machine *machine, const struct lin_code *code,
                             const uint64_t *words, const value *arguments, uint32_t thread,
                             value *result, struct error *error)
{
    scratch_reset(machine);
    machine->stack.length = 0;
    machine->frames.length = 0;
    machine->chosen = 0;
    machine->thread = thread;
    machine->error = error;
    if (words && !read_state(machine, words))
        return LIN_REFUSED;
    for (uint32_t i = 0; i < code->parameters; i++)
        if (!push(machine, arguments[i]))
            return LIN_REFUSED;
    RUN(enter(machine, code));
    RUN(run_frames(machine, result));
    *result = intern(machine, *result);
    return *result == VALUE_REFUSED ? LIN_REFUSED : LIN_RAN;
}

/* ---- printing ---- */

static void print_items(const value *items, size_t count, enum value_kind kind, struct text *text)
{
    static const char *const signs[] = {[KIND_LIST] = "[]", [KIND_SET] = "{}", [KIND_MAP] = "{}"};
    text_append_char(text, signs[kind][0]);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            text_append(text, kind == KIND_MAP && i % 2 == 1 ? ": "
                              : kind == KIND_MAP             ? ", "
                                                             : " ");
        value_print_edn(items[i], text);
    }
    text_append_char(text, signs[kind][1]);
}

void lin_print_state(const struct lin_program *program, const uint64_t *words, struct text *text)
{
    for (uint32_t i = 0; i < program->object->variable_count; i++) {
        const struct lin_layout *layout = &program->layouts[i];
        enum value_kind kind = collection_kind(layout->variable);
        text_format(text, "%s%s = ", i > 0 ? ", " : "", layout->variable->name);
        if (layout->variable->length_count > 0)
            text_append_char(text, '[');
        for (uint32_t j = 0; j < layout->length; j++) {
            if (j > 0)
                text_append_char(text, ' ');
            if (kind == KIND_NIL) {
                value_print_edn(*words++, text);
            } else {
                print_items(words + 1, (size_t)words[0], kind, text);
                words += words[0] + 1;
            }
        }
        if (layout->variable->length_count > 0)
            text_append_char(text, ']');
    }
}
