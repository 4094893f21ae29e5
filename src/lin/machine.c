/* The interpreter's host for specifications (code/interpreter.h): lists, sets and maps
 * (lin/collections.h), integers beyond 32 bits, which may be compared and added but not be a
 * result, and the faults of operations. */
#include "lin/machine.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "lin/check.h"
#include "lin/collections.h"
#include "value/print.h"

#define MOST_STEPS 10000000 /* an operation that runs longer than this does not end */

/* Words that operations on collections have made, after which the limits are looked at: each takes
 * nanoseconds, but microseconds where values are compared that are large themselves. */
#define WORDS_A_LOOK SIZE_OR_SMALL(4096, 16)

struct lin_machine {
    struct evaluation evaluation; /* first */
    const struct lin_program *program;
    struct budget *budget;
    struct lin_scratch scratch;
    struct choices choices;
    VECTOR(uint64_t) state;
    struct error *error;
    const struct limits *limits; /* null: none; not owned */
    uint32_t made;               /* words, since they were looked at */
};

static struct lin_machine *machine_of(struct evaluation *evaluation)
{
    return (struct lin_machine *)evaluation;
}

/* ---- faults ---- */

static enum ran fault(const struct lin_machine *machine, const char *format, ...) PRINTF_LIKE(2, 3);

static enum ran fault(const struct lin_machine *machine, const char *format, ...)
{
    char message[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    script_error(machine->program->module->script,
                 machine->evaluation.code->places[machine->evaluation.at], machine->error, "%s",
                 message);
    return RAN_INTO_FAULT;
}

static enum ran fault_kind(const struct lin_machine *machine, const char *expected, value found)
{
    struct text text = TEXT_EMPTY;
    struct lin_collection collection;
    if (lin_is_scratch(found) && lin_collection_get(found, &collection))
        text_append(&text, collection.kind == KIND_LIST  ? "a list"
                           : collection.kind == KIND_SET ? "a set"
                                                         : "a map");
    else
        value_print_edn(found, &text);
    enum ran ran = fault(machine, "expected %s, found %.200s", expected, text_string(&text));
    text_release(&text);
    return ran;
}

/* Whether a limit has been reached, now that a collection was made. */
static bool is_over(struct lin_machine *machine, value v)
{
    struct lin_collection collection;
    lin_collection_get(v, &collection);
    machine->made += 1 + collection.count;
    if (machine->made < WORDS_A_LOOK)
        return false;
    machine->made = 0;
    return machine->limits && limits_reached(machine->limits) != LIMIT_NONE;
}

static enum ran push_or_refuse(struct lin_machine *machine, value v)
{
    if (v == VALUE_REFUSED || (lin_is_scratch(v) && is_over(machine, v)))
        return RAN_OUT_OF_MEMORY;
    return evaluation_push(&machine->evaluation, v);
}

static enum ran push_integer(struct lin_machine *machine, int64_t integer)
{
    if (integer < INT32_MIN || integer > INT32_MAX)
        return fault(machine, "expected an int of 32 bits, found %lld", (long long)integer);
    return evaluation_push(&machine->evaluation, value_small(integer));
}

static bool is_integer(value v, int64_t *integer)
{
    return !lin_is_scratch(v) && value_get_integer(v, integer);
}

/* ---- operations on collections ---- */

static enum ran run_collection_sum(struct lin_machine *machine, enum opcode op, value left,
                                   value right)
{
    struct lin_collection a, b;
    if (!lin_collection_get(left, &a))
        return fault_kind(machine, "a list, set or map", left);
    if (!lin_collection_get(right, &b))
        return fault_kind(machine, "a list, set or map", right);
    bool same = a.kind == b.kind || (b.kind == KIND_SET && b.count == 0);
    if (!same && !(op == OP_SUBTRACT && a.kind == KIND_MAP && b.kind == KIND_SET))
        return fault_kind(machine, a.kind == KIND_LIST ? "a list" : "a set or map of that kind",
                          right);
    return push_or_refuse(machine, op == OP_ADD
                                       ? lin_collection_sum(&machine->scratch, left, &a, &b)
                                       : lin_collection_difference(&machine->scratch, left, &b));
}

/* Makes a collection of the words on top of the stack. */
static enum ran run_make(struct lin_machine *machine, enum value_kind kind, uint32_t count)
{
    uint32_t stride = kind == KIND_MAP ? 2 : 1;
    value *items = lin_scratch_take(&machine->scratch, (size_t)count + 1);
    if (!items)
        return RAN_OUT_OF_MEMORY;
    machine->evaluation.depth -= count;
    const datum *words = machine->evaluation.stack + machine->evaluation.depth;
    for (uint32_t i = 0; i < count; i++) {
        items[i] = lin_collection_intern(&machine->scratch, words[i]);
        if (items[i] == VALUE_REFUSED)
            return RAN_OUT_OF_MEMORY;
    }
    value made = lin_collection_make(&machine->scratch, kind, items, kind == KIND_LIST ? count : 0);
    for (uint32_t i = 0; kind != KIND_LIST && i < count && made != VALUE_REFUSED; i += stride)
        made = lin_collection_insert(&machine->scratch, made, items + i, stride);
    return push_or_refuse(machine, made);
}

static enum ran run_index(struct lin_machine *machine)
{
    struct lin_collection collection;
    value index = lin_collection_intern(&machine->scratch, evaluation_pop(&machine->evaluation)),
          base = evaluation_pop(&machine->evaluation);
    int64_t number;
    uint32_t at;
    if (index == VALUE_REFUSED)
        return RAN_OUT_OF_MEMORY;
    if (!lin_collection_get(base, &collection) || collection.kind == KIND_SET)
        return fault_kind(machine, "a list or map", base);
    if (collection.kind == KIND_MAP)
        return push_or_refuse(machine, lin_collection_find(&collection, index, &at)
                                           ? collection.items[at + 1]
                                           : VALUE_NIL);
    if (!value_get_integer(index, &number))
        return fault_kind(machine, "an index", index);
    if (number < 0 || number >= collection.count)
        return fault(machine, "expected an index from 0 to %u, found %lld",
                     collection.count - (collection.count > 0), (long long)number);
    return push_or_refuse(machine, collection.items[number]);
}

static enum ran run_with_item(struct lin_machine *machine)
{
    struct lin_collection collection;
    value item = lin_collection_intern(&machine->scratch, evaluation_pop(&machine->evaluation));
    value index = lin_collection_intern(&machine->scratch, evaluation_pop(&machine->evaluation)),
          base = evaluation_pop(&machine->evaluation);
    int64_t number;
    if (item == VALUE_REFUSED || index == VALUE_REFUSED)
        return RAN_OUT_OF_MEMORY;
    if (!lin_collection_get(base, &collection) || collection.kind == KIND_SET)
        return fault_kind(machine, "a list or map", base);
    value entry[2] = {index, item};
    if (collection.kind == KIND_MAP)
        return push_or_refuse(machine, lin_collection_insert(&machine->scratch, base, entry, 2));
    if (!value_get_integer(index, &number))
        return fault_kind(machine, "an index", index);
    if (number < 0 || number >= collection.count)
        return fault(machine, "expected an index from 0 to %u, found %lld",
                     collection.count - (collection.count > 0), (long long)number);
    return push_or_refuse(machine, lin_collection_splice(&machine->scratch, &collection,
                                                         (uint32_t)number, 1, &item, 1));
}

static enum ran run_extreme(struct lin_machine *machine, const struct lin_collection *collection,
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

static enum ran run_builtin(struct lin_machine *machine, enum lin_builtin builtin)
{
    struct lin_collection collection;
    value v = evaluation_pop(&machine->evaluation);
    if (!lin_collection_get(v, &collection))
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
        return push_or_refuse(
            machine, lin_collection_make(&machine->scratch, KIND_LIST, items + 1, count - 1));
    case LIN_BUILTIN_BUT_LAST:
        return push_or_refuse(machine,
                              lin_collection_make(&machine->scratch, KIND_LIST, items, count - 1));
    default:
        return run_extreme(machine, &collection, builtin == LIN_BUILTIN_MIN);
    }
}

/* ---- operators ---- */

/* Of words that are not both integers of 32 bits, or for a result that is none. */
static enum ran operate(struct lin_machine *machine, enum opcode op)
{
    struct lin_collection collection;
    value right = evaluation_pop(&machine->evaluation), left = evaluation_pop(&machine->evaluation);
    int64_t a, b;
    if ((op == OP_ADD || op == OP_SUBTRACT) &&
        (lin_collection_get(left, &collection) || lin_collection_get(right, &collection)))
        return run_collection_sum(machine, op, left, right);
    if (!is_integer(left, &a))
        return fault_kind(machine, "an int", left);
    if (!is_integer(right, &b))
        return fault_kind(machine, "an int", right);
    if (opcode_orders(op))
        return evaluation_push(&machine->evaluation, value_boolean(orders(op, a, b)));
    bool small = a == (int32_t)a && b == (int32_t)b;
    if (!small && (op == OP_MULTIPLY || opcode_divides(op)))
        return fault(machine, "expected ints of 32 bits, found %lld and %lld", (long long)a,
                     (long long)b);
    if (opcode_divides(op) && b == 0)
        return fault(machine, "expected a divisor other than 0");
    return push_integer(machine, calculate(op, a, b));
}

static enum ran negate(struct lin_machine *machine)
{
    value v = evaluation_pop(&machine->evaluation);
    int64_t integer;
    return is_integer(v, &integer) ? push_integer(machine, -integer)
                                   : fault_kind(machine, "an int", v);
}

static enum ran equate(struct lin_machine *machine, bool wanted)
{
    value right = evaluation_pop(&machine->evaluation), left = evaluation_pop(&machine->evaluation);
    return evaluation_push(&machine->evaluation,
                           value_boolean((lin_collection_compare(left, right) == 0) == wanted));
}

static bool same_letters(value a, value b)
{
    const char *letters = lin_is_scratch(a) || lin_is_scratch(b) ? NULL : value_get_text(a, NULL);
    return letters && value_text_is(b, letters);
}

static enum ran compare_letters(struct lin_machine *machine, bool wanted)
{
    value right = evaluation_pop(&machine->evaluation), left = evaluation_pop(&machine->evaluation);
    return evaluation_push(&machine->evaluation,
                           value_boolean(same_letters(left, right) == wanted));
}

static enum ran run_in(struct lin_machine *machine)
{
    struct lin_collection collection;
    value right = evaluation_pop(&machine->evaluation), left = evaluation_pop(&machine->evaluation);
    uint32_t at;
    if (!lin_collection_get(right, &collection))
        return fault_kind(machine, "a list, set or map", right);
    left = lin_collection_intern(&machine->scratch, left);
    if (left == VALUE_REFUSED)
        return RAN_OUT_OF_MEMORY;
    return evaluation_push(&machine->evaluation,
                           value_boolean(lin_collection_find(&collection, left, &at)));
}

/* ---- choices and checks ---- */

/* Of what are no integers, or too many of them. */
static enum ran run_choose(struct lin_machine *machine)
{
    value last = evaluation_pop(&machine->evaluation), first = evaluation_pop(&machine->evaluation);
    int64_t low, high;
    if (!is_integer(last, &high))
        return fault_kind(machine, "an int", last);
    if (!is_integer(first, &low))
        return fault_kind(machine, "an int", first);
    if (low > high)
        return RAN_BLOCKED; /* nothing to choose */
    if (high - low >= UINT32_MAX)
        return fault(machine, "expected a smaller range to choose from");
    uint32_t chosen = choices_take(&machine->choices, (uint32_t)(high - low + 1));
    return chosen == CHOICE_REFUSED ? RAN_OUT_OF_MEMORY : push_integer(machine, low + chosen);
}

static enum ran run_choose_item(struct lin_machine *machine)
{
    struct lin_collection collection;
    value v = evaluation_pop(&machine->evaluation);
    if (!lin_collection_get(v, &collection) || collection.kind == KIND_MAP)
        return fault_kind(machine, "a list or set", v);
    if (collection.count == 0)
        return RAN_BLOCKED;
    uint32_t chosen = choices_take(&machine->choices, collection.count);
    return chosen == CHOICE_REFUSED ? RAN_OUT_OF_MEMORY
                                    : push_or_refuse(machine, collection.items[chosen]);
}

static enum ran run_check(struct lin_machine *machine, enum value_kind kind)
{
    static const char *const names[] = {
        [KIND_INTEGER] = "an int", [KIND_BOOLEAN] = "a bool", [KIND_LIST] = "a list",
        [KIND_SET] = "a set",      [KIND_MAP] = "a map",
    };
    value v = *evaluation_top(&machine->evaluation, 0);
    struct lin_collection collection;
    bool is =
        lin_collection_get(v, &collection) ? collection.kind == kind : value_kind_of(v) == kind;
    return is ? RAN_ON : fault_kind(machine, names[kind], v);
}

static enum ran run_check_range(struct lin_machine *machine, const struct range_limit *range,
                                bool is_index)
{
    value v = *evaluation_top(&machine->evaluation, 0);
    int64_t integer;
    if (!is_integer(v, &integer))
        return fault_kind(machine, "an int", v);
    if (integer >= range->low && integer <= range->high)
        return RAN_ON;
    return fault(machine, "expected an %s from %lld to %lld, found %lld",
                 is_index ? "index" : "int", (long long)range->low, (long long)range->high,
                 (long long)integer);
}

static enum ran run_assert(struct lin_machine *machine)
{
    value v = evaluation_pop(&machine->evaluation);
    if (!datum_is_boolean(v))
        return fault_kind(machine, "a bool", v);
    return v == VALUE_TRUE ? RAN_ON : fault(machine, "this assertion of the specification fails");
}

/* ---- running ---- */

static enum ran host_run(struct evaluation *e, const struct instruction *i)
{
    struct lin_machine *machine = machine_of(e);
    uint32_t operand = (uint32_t)i->operand;
    switch ((enum opcode)i->op) {
    case OP_INDEX:
        return run_index(machine);
    case OP_WITH_ITEM:
        return run_with_item(machine);
    case OP_LIST:
        return run_make(machine, KIND_LIST, operand);
    case OP_SET:
        return run_make(machine, KIND_SET, operand);
    case OP_MAP:
        return run_make(machine, KIND_MAP, operand);
    case OP_BUILTIN:
        return run_builtin(machine, (enum lin_builtin)i->small);
    case OP_CHOOSE_ITEM:
        return run_choose_item(machine);
    case OP_IN:
        return run_in(machine);
    case OP_SAME_LETTERS:
        return compare_letters(machine, !i->small);
    case OP_EQUAL:
    case OP_NOT_EQUAL:
        return equate(machine, i->op == OP_EQUAL);
    case OP_NEGATE:
        return negate(machine);
    case OP_CALL:
        return fault(machine, "expected at most %u calls of `%s` inside one another, found more",
                     (unsigned)i->small, machine->program->object->functions[operand]->name);
    case OP_CHECK:
        return run_check(machine, (enum value_kind)i->small);
    case OP_CHECK_RANGE:
        return run_check_range(machine, &e->ranges[operand], i->small != 0);
    case OP_CHOOSE:
        return run_choose(machine);
    case OP_ASSERT:
        return run_assert(machine);
    case OP_NOT:
    case OP_ASSUME:
    case OP_JUMP_IF_FALSE:
    case OP_JUMP_IF_TRUE:
        return fault_kind(machine, "a bool", *evaluation_top(e, 0));
    default: /* an array's index was checked before */
        return operate(machine, (enum opcode)i->op);
    }
}

static enum ran host_grow(struct evaluation *e, uint32_t least)
{
    return evaluation_grow(e, machine_of(e)->budget, least);
}

static const struct host host = {.run = host_run, .grow = host_grow};

struct lin_machine *lin_machine_create(const struct lin_program *program, struct budget *budget)
{
    struct lin_machine *machine = memory_zeroed(budget, sizeof *machine);
    if (!machine)
        return NULL;
    struct evaluation *e = &machine->evaluation;
    machine->program = program;
    machine->budget = budget;
    machine->scratch = (struct lin_scratch){.budget = budget, .pool = program->pool};
    choices_init(&machine->choices, SIZE_MAX, budget);
    vectors_init(budget, &machine->state, &e->callers);
    e->host = &host;
    e->variables = memory_zeroed(budget, (program->slots + 1) * sizeof *e->variables);
    e->constants = program->constants.items;
    e->ranges = program->ranges.items;
    e->functions = program->functions;
    e->choices = &machine->choices;
    if (e->variables)
        return machine;
    lin_machine_destroy(machine);
    return NULL;
}

void lin_machine_destroy(struct lin_machine *machine)
{
    if (!machine)
        return;
    struct evaluation *e = &machine->evaluation;
    lin_scratch_release(&machine->scratch);
    if (e->variables)
        memory_release(machine->budget, e->variables,
                       (machine->program->slots + 1) * sizeof *e->variables);
    memory_release(machine->budget, e->stack, e->room * sizeof *e->stack);
    vectors_release(&e->callers, &machine->choices.items, &machine->state);
    memory_release(machine->budget, machine, sizeof *machine);
}

void lin_machine_restart(struct lin_machine *machine)
{
    choices_restart(&machine->choices);
}

bool lin_machine_advance(struct lin_machine *machine)
{
    return choices_advance(&machine->choices);
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
            value *slot = &machine->evaluation.variables[layout->first + j];
            if (kind == KIND_NIL) {
                *slot = *words++;
                continue;
            }
            *slot = lin_collection_make(&machine->scratch, kind, words + 1, (size_t)words[0]);
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
            value slot = machine->evaluation.variables[layout->first + j];
            struct lin_collection collection;
            if (kind == KIND_NIL) {
                slot = lin_collection_intern(&machine->scratch, slot);
                if (slot == VALUE_REFUSED || !vector_push(&machine->state, slot))
                    return NULL;
                continue;
            }
            lin_collection_get(slot, &collection);
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

void lin_find_values(const struct lin_program *program, const uint64_t *words, bool *values)
{
    for (uint32_t i = 0; i < program->object->variable_count; i++) {
        const struct lin_layout *layout = &program->layouts[i];
        bool single = collection_kind(layout->variable) == KIND_NIL;
        for (uint32_t j = 0; j < layout->length; j++) {
            size_t count = single ? 1 : (size_t)*words + 1;
            for (size_t k = 0; k < count; k++)
                values[k] = single || k > 0;
            words += count;
            values += count;
        }
    }
}

/* The arguments on an empty stack, and the code's frame. */
static enum ran begin(struct lin_machine *machine, const struct code *code, const value *arguments)
{
    struct evaluation *e = &machine->evaluation;
    e->depth = e->base = 0;
    e->callers.length = 0;
    e->left = MOST_STEPS;
    if (e->room < code->locals + 1) {
        enum ran ran = host_grow(e, code->locals + 1);
        if (ran != RAN_ON)
            return ran;
    }
    for (uint32_t i = 0; i < code->parameters; i++)
        e->stack[e->depth++] = arguments[i];
    return evaluation_enter(e, code, VALUE_NIL);
}

void lin_machine_limit(struct lin_machine *machine, const struct limits *limits)
{
    machine->limits = limits;
}

enum ran lin_machine_run(struct lin_machine *machine, const struct code *code,
                         const uint64_t *words, const value *arguments, uint32_t thread,
                         value *result, struct error *error)
{
    struct evaluation *e = &machine->evaluation;
    lin_scratch_reset(&machine->scratch);
    choices_begin(&machine->choices);
    e->thread = thread;
    machine->error = error;
    if (words && !read_state(machine, words))
        return RAN_OUT_OF_MEMORY;
    enum ran ran = begin(machine, code, arguments);
    if (ran == RAN_ON)
        ran = evaluation_run(e);
    if (ran == RAN_LONG)
        return fault(machine,
                     "expected an operation that ends, found one that runs for more "
                     "than %d instructions",
                     MOST_STEPS);
    if (ran != RAN_WELL)
        return ran;
    *result = lin_collection_intern(&machine->scratch, evaluation_pop(e));
    return *result == VALUE_REFUSED ? RAN_OUT_OF_MEMORY : RAN_WELL;
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
