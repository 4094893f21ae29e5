#include "model/lin_model.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "lang/bytecode.h"
#include "lang/lin_lexer.h"
#include "model/lin_print.h"
#include "model/lin_symmetry.h"

#define MOST_INSTRUCTIONS 1000000 /* of a step; one that is longer is asked whether it ends */
#define MOST_CHOICES                                                                               \
    10000 /* in a step; each has runs of its own, and a loop may go on choosing                    \
           */

enum halt {
    HALT_NOT,     /* yet */
    HALT_AT_STOP, /* before the next step, at a RETURN or END */
    HALT_IN_WAIT,
    HALT_FOR_NODE,    /* waits on an empty pool */
    HALT_IN_FAULT,    /* the algorithm's; model->reason */
    HALT_IN_ERROR,    /* the model's: a range */
    HALT_AT_NO_POINT, /* an operation returns without a linearization point */
    HALT_AT_SECOND_POINT,
    HALT_FOR_MEMORY, /* of memory */
};

struct run {
    struct lin_model *model;
    const struct lin_steps *steps;
    uint32_t *slots;
    uint32_t *locals;
    uint32_t thread;
    uint32_t at; /* instruction */
    struct error *error;
};

static struct lin_model *lin_of(struct model *model)
{
    return (struct lin_model *)model;
}

/* ---- running ---- */

static enum halt fault(struct run *run, const char *what)
{
    const struct script *script = run->steps->module->script;
    place at = run->steps->listing.places.items[run->at];
    snprintf(run->model->reason, sizeof run->model->reason, "%s:%u: %s",
             script->parts[script_part_at(script, at)].name, script_line(script, at), what);
    return HALT_IN_FAULT;
}

static enum halt push(struct run *run, int32_t word)
{
    return vector_push(&run->model->stack, word) ? HALT_NOT : HALT_FOR_MEMORY;
}

static int32_t pop(struct run *run)
{
    return run->model->stack.items[--run->model->stack.length];
}

static enum halt push_words(struct run *run, const uint32_t *words, uint32_t count)
{
    enum halt halt = HALT_NOT;
    for (uint32_t i = 0; halt == HALT_NOT && i < count; i++)
        halt = push(run, (int32_t)words[i]);
    return halt;
}

/* Where the topmost `count` words begin; they are dropped. */
static const int32_t *drop(struct run *run, uint32_t count)
{
    run->model->stack.length -= count;
    return run->model->stack.items + run->model->stack.length;
}

static void write_local(struct run *run, uint32_t local, const int32_t *words, uint32_t count)
{
    memcpy(run->locals + local, words, count * sizeof *words);
}

/* What LIN_THREAD_LINK holds of the location that an `ll` names; MOST_SLOTS keeps both parts below
 * 16 bits. */
static uint32_t link_to(uint32_t slot, uint32_t words)
{
    return words << 16 | (slot + 1);
}

/* Writes to a slot of the state, which breaks the links to it, to what it is part of and to its
 * parts. */
static void write(struct run *run, uint32_t slot, const int32_t *words, uint32_t count)
{
    memcpy(run->slots + slot, words, count * sizeof *words);
    for (uint32_t i = 0; run->model->links && i < run->steps->setting.threads; i++) {
        uint32_t *link = &thread_slots(run->steps, run->slots, i)[LIN_THREAD_LINK];
        uint32_t first = (*link & 0xffff) - 1, linked = *link >> 16;
        if (linked > 0 && first < slot + count && slot < first + linked)
            *link = 0;
    }
}

static uint32_t choose(struct run *run, uint32_t count)
{
    struct lin_model *model = run->model;
    if (model->chosen == model->choices.length &&
        !vector_push(&model->choices, ((struct lin_choice){0, count})))
        return UINT32_MAX;
    return model->choices.items[model->chosen++].taken;
}

static bool next_choice(struct lin_model *model)
{
    model->choices.length = model->chosen;
    while (model->choices.length > 0) {
        struct lin_choice *last = &model->choices.items[model->choices.length - 1];
        if (++last->taken < last->count)
            return true;
        model->choices.length--;
    }
    return false;
}

static enum halt overflow(struct run *run, int64_t found)
{
    script_error(run->steps->module->script, run->steps->listing.places.items[run->at], run->error,
                 "expected an int of 32 bits, found %lld", (long long)found);
    return HALT_IN_ERROR;
}

static enum halt check_range(struct run *run, uint32_t number, int64_t found, bool index)
{
    struct lin_step_range range = {INT32_MIN, INT32_MAX};
    if (number != UINT32_MAX)
        range = run->steps->ranges.items[number];
    if (found >= range.low && found <= range.high)
        return HALT_NOT;
    if (index) {
        char what[100];
        snprintf(what, sizeof what, "index %lld is outside of 0..%d", (long long)found, range.high);
        return fault(run, what);
    }
    script_error(run->steps->module->script, run->steps->listing.places.items[run->at], run->error,
                 "expected an int from %d to %d, found %lld: the range is the model's promise",
                 range.low, range.high, (long long)found);
    return HALT_IN_ERROR;
}

static enum halt calculate(struct run *run, unsigned sign)
{
    int64_t right = pop(run), left = pop(run), result = 0;
    switch (sign) {
    case LIN_PLUS:
        result = left + right;
        break;
    case LIN_MINUS:
        result = left - right;
        break;
    case LIN_STAR:
        result = left * right;
        break;
    case LIN_SLASH:
    case LIN_PERCENT:
        if (right == 0)
            return fault(run, "division by zero");
        result = sign == LIN_SLASH ? left / right : left % right;
        break;
    case LIN_AND:
        result = left & right;
        break;
    case LIN_BAR:
        result = left | right;
        break;
    case LIN_CARET:
        result = left ^ right;
        break;
    case LIN_LESS:
        result = left < right;
        break;
    case LIN_LESS_EQUAL:
        result = left <= right;
        break;
    case LIN_GREATER:
        result = left > right;
        break;
    default:
        result = left >= right;
        break;
    }
    if (result < INT32_MIN || result > INT32_MAX)
        return overflow(run, result);
    return push(run, (int32_t)result);
}

static enum halt run_negation(struct run *run)
{
    int64_t result = -(int64_t)pop(run);
    return result > INT32_MAX ? overflow(run, result) : push(run, (int32_t)result);
}

static enum halt compare(struct run *run, uint32_t words, bool negate)
{
    const int32_t *right = drop(run, words), *left = drop(run, words);
    bool same = memcmp(left, right, words * sizeof *left) == 0;
    return push(run, same != negate);
}

static enum halt compare_and_swap(struct run *run, uint32_t words)
{
    const int32_t *new = drop(run, words), *old = drop(run, words);
    uint32_t slot = (uint32_t)pop(run);
    bool same = memcmp(run->slots + slot, old, words * sizeof *old) == 0;
    if (same)
        write(run, slot, new, words);
    return push(run, same);
}

static enum halt swap(struct run *run, uint32_t words)
{
    int32_t new[64];
    uint32_t old[64];
    if (words > ARRAY_LENGTH(new))
        return fault(run, "a record of more than 64 words");
    memcpy(new, drop(run, words), words * sizeof *new);
    uint32_t slot = (uint32_t)pop(run);
    memcpy(old, run->slots + slot, words * sizeof *old);
    write(run, slot, new, words);
    return push_words(run, old, words);
}

static enum halt fetch_add(struct run *run, uint32_t range)
{
    int64_t more = pop(run);
    uint32_t slot = (uint32_t)pop(run);
    int32_t old = (int32_t)run->slots[slot];
    int64_t sum = old + more;
    enum halt halt = check_range(run, range, sum, false);
    if (halt != HALT_NOT)
        return halt;
    int32_t new = (int32_t)sum;
    write(run, slot, &new, 1);
    return push(run, old);
}

static enum halt dereference(struct run *run, const struct lin_pool *pool, uint32_t offset)
{
    int32_t reference = pop(run);
    if (reference == 0)
        return fault(run, "a null reference is followed");
    if (!vector_push(&run->model->touched, (uint32_t)(pool - run->steps->pools)) ||
        !vector_push(&run->model->touched, (uint32_t)reference - 1))
        return HALT_FOR_MEMORY;
    return push(run, (int32_t)(pool->first + (uint32_t)(reference - 1) * pool->words + offset));
}

/* One of the nodes that were given back, or one that is new; which is the scheduler's choice. */
static enum halt make_node(struct run *run, const struct lin_pool *pool)
{
    uint32_t candidates = 0, fresh = UINT32_MAX, chosen = 0;
    for (uint32_t i = 0; i < pool->nodes; i++) {
        uint32_t status = run->slots[pool->first + i * pool->words];
        if (status == LIN_NODE_NONE && fresh == UINT32_MAX)
            fresh = i;
        candidates += status == LIN_NODE_FREED || fresh == i;
    }
    if (candidates == 0) {
        run->model->exhausted |= pool->is_default;
        return HALT_FOR_NODE;
    }
    if (candidates > 1)
        chosen = choose(run, candidates);
    if (chosen == UINT32_MAX)
        return HALT_FOR_MEMORY;
    uint32_t node = 0;
    for (;; node++) {
        uint32_t status = run->slots[pool->first + node * pool->words];
        if ((status == LIN_NODE_FREED || node == fresh) && chosen-- == 0)
            break;
    }
    write(run, pool->first + node * pool->words, pool->initial, pool->words);
    return push(run, (int32_t)node + 1);
}

static enum halt free_node(struct run *run, const struct lin_pool *pool)
{
    int32_t reference = pop(run);
    if (reference == 0)
        return fault(run, "null is freed");
    uint32_t *status = &run->slots[pool->first + (uint32_t)(reference - 1) * pool->words];
    if (*status == LIN_NODE_FREED)
        return fault(run, "a node is freed twice");
    *status = LIN_NODE_FREED;
    return HALT_NOT;
}

static enum halt store_conditional(struct run *run, uint32_t words)
{
    const int32_t *new = drop(run, words);
    uint32_t slot = (uint32_t)pop(run);
    uint32_t *link = &thread_slots(run->steps, run->slots, run->thread)[LIN_THREAD_LINK];
    bool stores = *link == link_to(slot, words);
    *link = 0;
    if (stores)
        write(run, slot, new, words);
    return push(run, stores);
}

static enum halt load_linked(struct run *run, uint32_t words)
{
    uint32_t slot = (uint32_t)pop(run);
    thread_slots(run->steps, run->slots, run->thread)[LIN_THREAD_LINK] = link_to(slot, words);
    return push_words(run, run->slots + slot, words);
}

static enum halt lock(struct run *run)
{
    static const int32_t held = 1;
    uint32_t slot = (uint32_t)pop(run);
    if (run->slots[slot])
        return HALT_IN_WAIT;
    write(run, slot, &held, 1);
    return HALT_NOT;
}

static enum halt unlock(struct run *run)
{
    static const int32_t clear = 0;
    uint32_t slot = (uint32_t)pop(run);
    if (!run->slots[slot])
        return fault(run, "a lock that nobody holds is unlocked");
    write(run, slot, &clear, 1);
    return HALT_NOT;
}

static enum halt run_choice(struct run *run)
{
    int64_t high = pop(run), low = pop(run);
    if (low > high)
        return HALT_IN_WAIT;
    if (high - low >= INT32_MAX) {
        script_error(run->steps->module->script, run->steps->listing.places.items[run->at],
                     run->error, "expected a choice among at most %d numbers, found %lld",
                     INT32_MAX, (long long)(high - low + 1));
        return HALT_IN_ERROR;
    }
    uint32_t chosen = high > low ? choose(run, (uint32_t)(high - low + 1)) : 0;
    if (run->model->chosen > MOST_CHOICES) {
        script_error(run->steps->module->script, run->steps->listing.places.items[run->at],
                     run->error, "expected at most %d choices in one step, found more",
                     MOST_CHOICES);
        return HALT_IN_ERROR;
    }
    return chosen == UINT32_MAX ? HALT_FOR_MEMORY : push(run, (int32_t)(low + chosen));
}

static enum halt ask_running(struct run *run, uint32_t operation)
{
    const struct lin_steps *steps = run->steps;
    int32_t thread = pop(run);
    if (thread < 0 || (uint32_t)thread >= steps->setting.threads)
        return fault(run, "there is no such thread");
    uint32_t at = thread_slots(steps, run->slots, (uint32_t)thread)[LIN_THREAD_AT];
    return push(run, at != 0 && (operation == 0 ||
                                 entry_at(steps, at - 1) == &steps->entries[operation - 1]));
}

static enum halt pick(struct run *run, const struct lin_instruction *instruction)
{
    struct lin_model *model = run->model;
    int32_t *record = model->stack.items + model->stack.length - instruction->small;
    memmove(record, record + instruction->operand, instruction->wide * sizeof *record);
    model->stack.length -= instruction->small - instruction->wide;
    return HALT_NOT;
}

/* Whether an array has an item for each thread that nobody else has access to. */
static bool is_own_item(const struct lin_model *model, uint32_t first)
{
    for (size_t i = 0; i < model->own.length; i++)
        if (model->own.items[i].first == first)
            return model->own.items[i].alone;
    return false;
}

/* Whether an instruction touches something shared that is no node reached by a reference. A new
 * node is nobody else's business where nodes are never given back and never run out. */
static bool touches_shared(const struct run *run, const struct lin_instruction *instruction)
{
    switch ((enum lin_step_op)instruction->op) {
    case LIN_DO_NEW:
        return run->model->frees || !run->steps->pools[instruction->operand].is_default;
    case LIN_DO_ADDRESS:
        return !is_own_item(run->model, (uint32_t)instruction->operand);
    case LIN_DO_LOAD_SHARED:
    case LIN_DO_STORE_SHARED:
    case LIN_DO_FREE:
    case LIN_DO_WAIT_FOR:
    case LIN_DO_LOCK:
    case LIN_DO_UNLOCK:
    case LIN_DO_LINEARIZE:
    case LIN_DO_PRINT:
    case LIN_DO_INVOKE:
        return true;
    default:
        return false;
    }
}

static uint32_t component_of(enum lin_type_kind kind, uint32_t word)
{
    return kind == LIN_TYPE_BOOL ? (word ? SLOT_TRUE : SLOT_FALSE) : word;
}

/* An event with its answer, as RETURN and LINEARIZE describe one. `name` has room for 40 more. */
static label label_answer(struct lin_model *model, const struct lin_instruction *instruction,
                          char *name, uint32_t *components, uint32_t count, uint32_t word)
{
    if (instruction->small == LIN_TYPE_SYMBOL) {
        const char *symbol = (uint32_t)instruction->operand == UINT32_MAX
                                 ? "?"
                                 : model->steps->symbols.items[instruction->operand];
        if (strcmp(symbol, "ok") != 0 && strcmp(symbol, "empty") != 0)
            sprintf(name + strlen(name), "=%.38s", symbol);
    } else if (instruction->small != LIN_TYPE_VALUE || word != 0) {
        components[count++] = component_of((enum lin_type_kind)instruction->small, word);
    }
    return labels_intern(model->model.labels, LABEL_EVENT, name, components, count);
}

/* The operation takes effect. Its arguments are needed no more. */
static enum halt linearize(struct run *run, const struct lin_instruction *instruction)
{
    const struct lin_entry *entry = &run->steps->entries[instruction->wide];
    const struct lin_operation *operation = entry->operation;
    uint32_t *arguments = run->locals + entry->pointed + 1, count = operation->parameter_count;
    uint32_t components[MOST_COMPONENTS] = {run->thread};
    uint32_t word = instruction->small == LIN_TYPE_SYMBOL ? 0 : (uint32_t)pop(run);
    char name[160];
    if (run->locals[entry->pointed])
        return HALT_AT_SECOND_POINT;
    for (uint32_t i = 0; i < count; i++)
        components[1 + i] =
            component_of((enum lin_type_kind)operation->parameters[i]->type.kind, arguments[i]);
    snprintf(name, sizeof name, "lin.%.100s", operation->name);
    run->locals[entry->pointed] = 1;
    memset(arguments, 0, count * sizeof *arguments);
    run->model->point = label_answer(run->model, instruction, name, components, 1 + count, word);
    return run->model->point == LABEL_REFUSED ? HALT_FOR_MEMORY : HALT_NOT;
}

/* ---- programs ---- */

/* What the program does wrong with an answer. */
static enum halt complain_of(struct run *run, const char *expected, uint32_t found)
{
    struct text text = TEXT_EMPTY;
    lin_word_print(run->steps->setting.words, found, &text);
    script_error(run->steps->module->script, run->steps->listing.places.items[run->at], run->error,
                 "expected %s, found %s", expected, text_string(&text));
    text_release(&text);
    return HALT_IN_ERROR;
}

static enum halt check_answer(struct run *run, enum lin_step_op op)
{
    uint32_t *word = (uint32_t *)&run->model->stack.items[run->model->stack.length - 1];
    switch (op) {
    case LIN_DO_AS_INT:
        return lin_word_is_number(*word) ? HALT_NOT : complain_of(run, "an int", *word);
    case LIN_DO_AS_BOOL:
        return *word <= 1 ? HALT_NOT : complain_of(run, "true or false", *word);
    case LIN_DO_AS_VALUE: /* an implementation's null is 0 */
        return *word != 0 && *word != LIN_WORD_NULL
                   ? HALT_NOT
                   : complain_of(run, "an argument other than null and 0", *word);
    default:
        *word = *word ? *word : LIN_WORD_NULL;
        return HALT_NOT;
    }
}

static enum halt print_answer(struct run *run)
{
    struct text name = TEXT_EMPTY;
    text_format(&name, "print.%u.", run->thread);
    lin_word_print(run->steps->setting.words, (uint32_t)pop(run), &name);
    run->model->point =
        labels_intern(run->model->model.labels, LABEL_EVENT, text_string(&name), NULL, 0);
    text_release(&name);
    return run->model->point == LABEL_REFUSED ? HALT_FOR_MEMORY : HALT_NOT;
}

/* The call of a specification's operation with the arguments on top. */
static enum halt bind_call(struct run *run, const struct lin_instruction *instruction,
                           struct call *call)
{
    const struct spec *spec = run->steps->setting.spec;
    value items[MOST_ARGUMENTS];
    struct recorded recorded = {.process = run->thread};
    uint32_t count = instruction->wide;
    const int32_t *words = drop(run, count);
    if (count > MOST_ARGUMENTS)
        return fault(run, "more than 16 arguments");
    for (uint32_t i = 0; i < count; i++)
        items[i] = lin_word_value(run->steps->setting.words, (uint32_t)words[i], spec->pool);
    if (count > 0)
        recorded.argument = count == 1 ? items[0] : value_list(spec->pool, items, count);
    if (recorded.argument == VALUE_REFUSED)
        return HALT_FOR_MEMORY;
    struct text complaint = TEXT_EMPTY;
    enum status status =
        spec_bind(spec, (uint16_t)instruction->operand, &recorded, call, &complaint);
    if (status == STATUS_INPUT)
        script_error(run->steps->module->script, run->steps->listing.places.items[run->at],
                     run->error, "%s", text_string(&complaint));
    text_release(&complaint);
    return status == STATUS_OK      ? HALT_NOT
           : status == STATUS_INPUT ? HALT_IN_ERROR
                                    : HALT_FOR_MEMORY;
}

/* The number of a state of the specification; UINT32_MAX when refused. */
static uint32_t intern_object(struct lin_model *model, const struct outcome *outcome)
{
    return word_arrays_intern(model->steps->setting.objects,
                              (const uint32_t *)(model->outcomes.words.items + outcome->start),
                              2 * outcome->length, NULL);
}

/* One of the ways in which the specification's operation takes effect; without any it waits. */
static enum halt invoke(struct run *run, const struct lin_instruction *instruction)
{
    struct lin_model *model = run->model;
    const struct spec *spec = run->steps->setting.spec;
    uint32_t *state = &run->slots[run->steps->spec_slot], word = 0;
    struct call call;
    size_t halves;
    enum halt halt = bind_call(run, instruction, &call);
    if (halt != HALT_NOT)
        return halt;
    const uint32_t *stored = word_arrays_get(run->steps->setting.objects, *state, &halves);
    if (!vector_reserve(&model->object, halves / 2 + 1))
        return HALT_FOR_MEMORY;
    memcpy(model->object.items, stored, halves * sizeof *stored);
    outcomes_clear(&model->outcomes);
    if (!spec->class->step(spec, model->object.items, halves / 2, &call, &model->outcomes))
        return HALT_FOR_MEMORY;
    uint32_t count = (uint32_t)model->outcomes.items.length;
    if (count == 0)
        return HALT_IN_WAIT;
    uint32_t chosen = count > 1 ? choose(run, count) : 0;
    if (chosen == UINT32_MAX)
        return HALT_FOR_MEMORY;
    const struct outcome *outcome = &model->outcomes.items.items[chosen];
    bool answers = spec->class->operations[call.operation].result[0] != 0;
    *state = intern_object(model, outcome);
    if (*state == UINT32_MAX ||
        !lin_word_of_value(run->steps->setting.words, answers ? outcome->result : VALUE_NIL, &word))
        return HALT_FOR_MEMORY;
    return push(run, (int32_t)word);
}

static enum halt run_plain(struct run *run, const struct lin_instruction *instruction)
{
    uint32_t operand = (uint32_t)instruction->operand, wide = instruction->wide;
    const struct lin_pool *pools = run->steps->pools;
    uint32_t slot;
    run->model->touches_shared |= touches_shared(run, instruction);
    switch ((enum lin_step_op)instruction->op) {
    case LIN_DO_PUSH:
        return push(run, instruction->operand);
    case LIN_DO_POP:
        drop(run, operand);
        return HALT_NOT;
    case LIN_DO_LOAD_LOCAL:
        return push_words(run, run->locals + operand, wide);
    case LIN_DO_STORE_LOCAL:
        write_local(run, operand, drop(run, wide), wide);
        return HALT_NOT;
    case LIN_DO_LOAD_SHARED:
        return push_words(run, run->slots + operand, wide);
    case LIN_DO_STORE_SHARED:
        write(run, operand, drop(run, wide), wide);
        return HALT_NOT;
    case LIN_DO_ADDRESS:
        return push(run, instruction->operand);
    case LIN_DO_ADDRESS_LOCAL:
        return push(run, (int32_t)(run->locals - run->slots) + instruction->operand);
    case LIN_DO_AT:
        slot = (uint32_t)pop(run) * wide;
        return push(run, (int32_t)(slot + (uint32_t)pop(run)));
    case LIN_DO_DEREFERENCE:
        return dereference(run, &pools[operand], wide);
    case LIN_DO_OFFSET:
        return push(run, pop(run) + instruction->operand);
    case LIN_DO_LOAD:
        slot = (uint32_t)pop(run);
        return push_words(run, run->slots + slot, wide);
    case LIN_DO_STORE: {
        const int32_t *words = drop(run, wide);
        write(run, (uint32_t)pop(run), words, wide);
        return HALT_NOT;
    }
    case LIN_DO_PICK:
        return pick(run, instruction);
    case LIN_DO_NEGATE:
        return run_negation(run);
    case LIN_DO_NOT:
        return push(run, !pop(run));
    case LIN_DO_CALCULATE:
        return calculate(run, instruction->small);
    case LIN_DO_SAME:
        return compare(run, wide, instruction->small);
    case LIN_DO_CAS:
        return compare_and_swap(run, wide);
    case LIN_DO_SWAP:
        return swap(run, wide);
    case LIN_DO_FETCH_ADD:
        return fetch_add(run, operand);
    case LIN_DO_LL:
        return load_linked(run, wide);
    case LIN_DO_SC:
        return store_conditional(run, wide);
    case LIN_DO_LOCK:
        return lock(run);
    case LIN_DO_UNLOCK:
        return unlock(run);
    case LIN_DO_NEW:
        return make_node(run, &pools[operand]);
    case LIN_DO_FREE:
        return free_node(run, &pools[operand]);
    case LIN_DO_RANGE:
        return check_range(run, operand, run->model->stack.items[run->model->stack.length - 1],
                           instruction->small);
    case LIN_DO_WAIT_FOR:
        return pop(run) ? HALT_NOT : HALT_IN_WAIT;
    case LIN_DO_CLAIM:
        return pop(run) ? HALT_NOT : fault(run, "an assertion in the code fails");
    case LIN_DO_CHOICE:
        return run_choice(run);
    case LIN_DO_LINEARIZE:
        return linearize(run, instruction);
    case LIN_DO_AS_INT:
    case LIN_DO_AS_BOOL:
    case LIN_DO_AS_VALUE:
    case LIN_DO_AS_ANSWER:
        return check_answer(run, (enum lin_step_op)instruction->op);
    case LIN_DO_PRINT:
        return print_answer(run);
    case LIN_DO_INVOKE:
        return invoke(run, instruction);
    case LIN_DO_RUNNING:
        return ask_running(run, wide);
    default:
        return push(run, (int32_t)run->thread); /* LIN_DO_WHO */
    }
}

/* One instruction; false when the thread stops before or at it. */
static bool run_one(struct run *run, enum halt *halt)
{
    const struct lin_instruction *instruction = &run->steps->listing.code.items[run->at];
    switch ((enum lin_step_op)instruction->op) {
    case LIN_DO_STEP:
    case LIN_DO_RETURN:
    case LIN_DO_END:
        *halt = HALT_AT_STOP;
        return false;
    case LIN_DO_JUMP:
        run->at = (uint32_t)instruction->operand;
        return true;
    case LIN_DO_JUMP_IF_FALSE:
    case LIN_DO_JUMP_IF_TRUE:
        if ((pop(run) != 0) == (instruction->op == LIN_DO_JUMP_IF_TRUE))
            run->at = (uint32_t)instruction->operand;
        else
            run->at++;
        return true;
    default:
        *halt = run_plain(run, instruction);
        run->at += *halt == HALT_NOT;
        return *halt == HALT_NOT;
    }
}

/* After many instructions: whether the step comes back to where it is now, or takes too long. */
static enum halt run_on_long(struct run *run)
{
    uint32_t at = run->at;
    size_t bytes = run->steps->slots * sizeof *run->slots, words = run->model->stack.length;
    enum halt halt = HALT_NOT;
    uint32_t *start = memory_allocate(run->model->model.budget, bytes);
    if (!start)
        return HALT_FOR_MEMORY;
    memcpy(start, run->slots, bytes);
    for (unsigned count = 0; count < MOST_INSTRUCTIONS && run_one(run, &halt); count++)
        if (run->at == at && run->model->stack.length == words &&
            memcmp(start, run->slots, bytes) == 0) {
            halt = fault(run, "the operation runs for ever without touching anything shared");
            break;
        }
    memory_release(run->model->model.budget, start, bytes);
    if (halt != HALT_NOT)
        return halt;
    script_error(run->steps->module->script, run->steps->listing.places.items[run->at], run->error,
                 "expected a step that ends, found one of more than %d instructions",
                 2 * MOST_INSTRUCTIONS);
    return HALT_IN_ERROR;
}

/* Runs from `run->at` to where the thread stops next, and leaves it there. */
static enum halt run_on(struct run *run)
{
    enum halt halt = HALT_NOT;
    run->model->stack.length = 0;
    for (unsigned count = 0; count < MOST_INSTRUCTIONS; count++)
        if (!run_one(run, &halt))
            return halt;
    return run_on_long(run);
}

/* ---- canonical states ---- */

/* The new number of the node that a reference names; found for the first time it is next. */
static bool visit(struct lin_model *model, uint32_t *reference,
                  const struct lin_reference_slot *slot, const uint32_t *starts, uint32_t *found)
{
    if (*reference == 0)
        return true;
    uint32_t *number = &model->numbers.items[starts[slot->pool] + *reference - 1];
    if (*number == 0) {
        *number = ++found[slot->pool];
        if (!vector_push(&model->order, slot->pool) || !vector_push(&model->order, *reference - 1))
            return false;
    }
    *reference = *number;
    return true;
}

static bool visit_roots(struct lin_model *model, uint32_t *slots, const uint32_t *starts,
                        uint32_t *found)
{
    const struct lin_steps *steps = model->steps;
    for (size_t i = 0; i < steps->shared_references.length; i++) {
        const struct lin_reference_slot *slot = &steps->shared_references.items[i];
        if (!visit(model, &slots[slot->slot], slot, starts, found))
            return false;
    }
    for (uint32_t thread = 0; thread < steps->setting.threads; thread++) {
        uint32_t *own = thread_slots(steps, slots, thread);
        if (!is_at_code(own))
            continue;
        const struct lin_entry *entry = entry_at(steps, own[LIN_THREAD_AT] - 1);
        for (uint32_t i = 0; i < entry->reference_count; i++) {
            const struct lin_reference_slot *slot = &entry->references[i];
            if (!visit(model, &own[LIN_THREAD_HEADER + slot->slot], slot, starts, found))
                return false;
        }
    }
    return true;
}

/* Forgets the nodes that cannot be reached; the others stay where they are. */
static bool collect(struct lin_model *model, uint32_t *slots, const uint32_t *starts)
{
    const struct lin_steps *steps = model->steps;
    if (!lin_mark_others(model, slots, steps->setting.threads)) /* there is no such thread */
        return false;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        const struct lin_pool *pool = &steps->pools[i];
        for (uint32_t j = 0; j < pool->nodes; j++)
            if (!model->numbers.items[starts[i] + j])
                memset(slots + pool->first + j * pool->words, 0, pool->words * sizeof *slots);
    }
    return true;
}

/* Behind the nodes that were found, those that are lost: they are in nobody's hands and were not
 * given back. */
static void keep_lost(const struct lin_model *model, uint32_t *slots, const uint32_t *starts,
                      uint32_t *found)
{
    const struct lin_steps *steps = model->steps;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        const struct lin_pool *pool = &steps->pools[i];
        const uint32_t *old = model->moved.items + pool->first - steps->heap_first;
        for (uint32_t j = 0; j < pool->nodes; j++)
            if (!model->numbers.items[starts[i] + j] && old[j * pool->words] == LIN_NODE_LIVE)
                slots[pool->first + found[i]++ * pool->words] = LIN_NODE_LIVE;
    }
}

bool lin_renumber(struct lin_model *model, uint32_t *slots)
{
    const struct lin_steps *steps = model->steps;
    uint32_t starts[MOST_POOLS], found[MOST_POOLS] = {0}, total;
    uint32_t heap = steps->thread_first - steps->heap_first;
    if (heap == 0)
        return true;
    total = pool_starts(steps, starts);
    if (total == 0) /* every reference is null */
        return true;
    if (model->fusion.names)
        return steps->setting.keeps || collect(model, slots, starts);
    if (!vector_reserve(&model->moved, heap) || !vector_reserve(&model->numbers, total))
        return false;
    memset(model->numbers.items, 0, total * sizeof *slots);
    memcpy(model->moved.items, slots + steps->heap_first, heap * sizeof *slots);
    memset(slots + steps->heap_first, 0, heap * sizeof *slots);
    model->order.length = 0;
    if (!visit_roots(model, slots, starts, found))
        return false;
    for (size_t i = 0; i < model->order.length; i += 2) {
        uint32_t number = model->order.items[i], old = model->order.items[i + 1];
        const struct lin_pool *pool = &steps->pools[number];
        uint32_t new = model->numbers.items[starts[number] + old] - 1;
        uint32_t *node = slots + pool->first + new * pool->words;
        memcpy(node, model->moved.items + pool->first - steps->heap_first + old * pool->words,
               pool->words * sizeof *node);
        for (uint32_t j = 0; j < pool->reference_count; j++)
            if (!visit(model, &node[pool->references[j].slot], &pool->references[j], starts, found))
                return false;
    }
    if (steps->setting.keeps)
        keep_lost(model, slots, starts, found);
    return true;
}

/* Forgets what the thread will not read again; references at least, so that nodes are collected. */
static void forget_dead(const struct lin_model *model, uint32_t *own)
{
    const struct lin_steps *steps = model->steps;
    uint32_t *locals = own + LIN_THREAD_HEADER;
    if (!is_at_code(own)) {
        memset(locals, 0, steps->locals * sizeof *locals);
        return;
    }
    uint32_t at = own[LIN_THREAD_AT] - 1;
    for (uint32_t i = 0; model->fusion.forget && i < steps->locals; i++)
        if (!lin_steps_live(steps, at, i))
            locals[i] = 0;
    const struct lin_entry *entry = entry_at(steps, at);
    for (uint32_t i = 0; i < entry->reference_count; i++) {
        uint32_t slot = entry->references[i].slot;
        if (!lin_steps_live(steps, at, slot))
            locals[slot] = 0;
    }
}

/* ---- steps that only their thread can notice ---- */

static bool mark(struct lin_model *model, uint32_t reference, uint32_t pool, const uint32_t *starts)
{
    if (reference == 0 || model->numbers.items[starts[pool] + reference - 1])
        return true;
    model->numbers.items[starts[pool] + reference - 1] = 1;
    return vector_push(&model->order, pool) && vector_push(&model->order, reference - 1);
}

bool lin_mark_others(struct lin_model *model, const uint32_t *slots, uint32_t thread)
{
    const struct lin_steps *steps = model->steps;
    uint32_t starts[MOST_POOLS], total = pool_starts(steps, starts);
    model->order.length = 0;
    if (total == 0) /* every reference is null */
        return true;
    if (!vector_reserve(&model->numbers, total))
        return false;
    memset(model->numbers.items, 0, total * sizeof *slots);
    bool kept = true;
    for (size_t i = 0; kept && i < steps->shared_references.length; i++) {
        const struct lin_reference_slot *slot = &steps->shared_references.items[i];
        kept = mark(model, slots[slot->slot], slot->pool, starts);
    }
    for (uint32_t other = 0; kept && thread != LIN_NO_THREAD && other < steps->setting.threads;
         other++) {
        const uint32_t *own = thread_slots_of(steps, slots, other);
        if (other == thread || !is_at_code(own))
            continue;
        const struct lin_entry *entry = entry_at(steps, own[LIN_THREAD_AT] - 1);
        for (uint32_t i = 0; kept && i < entry->reference_count; i++)
            kept = mark(model, own[LIN_THREAD_HEADER + entry->references[i].slot],
                        entry->references[i].pool, starts);
    }
    for (size_t i = 0; kept && i < model->order.length; i += 2) {
        const struct lin_pool *pool = &steps->pools[model->order.items[i]];
        const uint32_t *node = slots + pool->first + model->order.items[i + 1] * pool->words;
        for (uint32_t j = 0; kept && j < pool->reference_count; j++)
            kept = mark(model, node[pool->references[j].slot], pool->references[j].pool, starts);
    }
    return kept;
}

/* Whether the step that has just run from `slots` touched only nodes that no other thread can
 * reach.
 */
static bool was_local(struct lin_model *model, uint32_t *slots, uint32_t thread)
{
    const struct lin_steps *steps = model->steps;
    uint32_t starts[MOST_POOLS];
    if (model->touches_shared)
        return false;
    if (model->touched.length == 0)
        return true;
    if (!lin_mark_others(model, slots, thread))
        return false;
    (void)pool_starts(steps, starts);
    for (size_t i = 0; i < model->touched.length; i += 2) {
        uint32_t number = model->touched.items[i], node = model->touched.items[i + 1];
        const struct lin_pool *pool = &steps->pools[number];
        if (model->numbers.items[starts[number] + node] ||
            slots[pool->first + node * pool->words] == LIN_NODE_FREED)
            return false;
    }
    return true;
}

/* ---- linearization points ---- */

uint32_t lin_model_misplaced(const struct lin_model *model, label l, bool *second)
{
    const struct labels *labels = model->model.labels;
    size_t count;
    *second = strcmp(labels_name(labels, l), "second-point") == 0;
    if (l == LABEL_TAU || (!*second && strcmp(labels_name(labels, l), "no-point") != 0))
        return UINT32_MAX;
    return labels_components(labels, l, &count)[1];
}

bool lin_model_is_last(const struct lin_model *model, label l)
{
    bool ignored;
    return l == model->fault || lin_model_misplaced(model, l, &ignored) != UINT32_MAX;
}

/* ---- steps ---- */

static bool add_step(struct lin_model *model, struct successors *out, uint32_t thread, label l,
                     label shown)
{
    const struct lin_steps *steps = model->steps;
    struct step step = {
        .label = l, .shown = shown, .process = thread, .processes = step_bit(thread)};
    struct lin_turn by;
    if (!lin_symmetry_sort(model, model->after.items, &by))
        return false;
    if (lin_turns(by) && l != LABEL_REFUSED) {
        const uint32_t components[3] = {l, by.threads, by.values};
        step.label = labels_intern(model->model.labels, LABEL_EVENT, TURNING_LABEL, components, 3);
        if (step.label == LABEL_REFUSED)
            return false;
    }
    if (l == LABEL_REFUSED || shown == LABEL_REFUSED ||
        !vector_reserve(&out->states, out->states.length + steps->slots) ||
        !vector_push(&out->steps, step))
        return false;
    memcpy(out->states.items + out->states.length, model->after.items,
           steps->slots * sizeof *model->after.items);
    out->states.length += steps->slots;
    return true;
}

/* The statement of a step, with its line: "18: cas(tail, t, x)" */
static label note_of(struct lin_model *model, uint32_t instruction)
{
    const struct lin_steps *steps = model->steps;
    const struct script *script = steps->module->script;
    while (model->notes.length <= instruction)
        if (!vector_push(&model->notes, 0))
            return LABEL_REFUSED;
    label *note = &model->notes.items[instruction];
    if (*note)
        return *note;
    place at = steps->listing.places.items[instruction];
    const char *start = script->text + at, *end = start;
    while (start > script->text && !strchr(";{}\n", start[-1]))
        start--;
    start += strspn(start, " \t");
    while (!strchr(";{}\r\n", *end) && strncmp(end, "//", 2) != 0 && strncmp(end, "/*", 2) != 0)
        end++; /* strchr finds the text's end, too */
    while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    const struct script_part *part = &script->parts[script_part_at(script, at)];
    bool included = part != &script->parts[script->main];
    char text[160 + 256];
    snprintf(text, sizeof text, "%.255s%s%u: %.*s", included ? part->name : "", included ? ":" : "",
             script_line(script, at), end - start > 100 ? 100 : (int)(end - start), start);
    return *note = labels_intern(model->model.labels, LABEL_NOTE, text, NULL, 0);
}

#define MOST_JOINED 1000 /* steps that join one; more would be a loop that ends for nobody */

static bool at_step(const struct run *run)
{
    return run->steps->listing.code.items[run->at].op == LIN_DO_STEP;
}

/* Takes the step that the thread stands before; what it touched is in the model. */
static enum halt take_step(struct run *run)
{
    run->model->touched.length = 0;
    run->model->touches_shared = false;
    run->at++;
    return run_on(run);
}

/* From before a step on, takes the steps that only this thread can notice. False when refused. */
static bool join_local(struct run *run)
{
    struct lin_model *model = run->model;
    size_t bytes = run->steps->slots * sizeof *run->slots;
    for (unsigned count = 0; at_step(run) && count < MOST_JOINED; count++) {
        uint32_t at = run->at;
        size_t chosen = model->chosen, choices = model->choices.length;
        label point = model->point;
        memcpy(model->saved.items, run->slots, bytes);
        enum halt halt = take_step(run);
        if (halt == HALT_FOR_MEMORY)
            return false;
        if (halt == HALT_AT_STOP && model->chosen == chosen &&
            was_local(model, model->saved.items, run->thread))
            continue;
        memcpy(run->slots, model->saved.items, bytes);
        model->chosen = chosen;
        model->point = point;
        if (model->choices.length > choices)
            model->choices.length = choices;
        run->at = at;
        break;
    }
    return true;
}

/* Everything that is one step: `is_call` where it begins with a call. */
static enum halt run_joined(struct run *run, bool is_call)
{
    const struct lin_fusion *fusion = &run->model->fusion;
    bool first = is_call && fusion->intervals;
    enum halt halt = run_on(run);
    if (halt == HALT_AT_STOP && first && fusion->local && !join_local(run))
        return HALT_FOR_MEMORY;
    if (halt == HALT_AT_STOP && first && at_step(run))
        halt = take_step(run);
    if (halt == HALT_AT_STOP && fusion->local && !join_local(run))
        return HALT_FOR_MEMORY;
    return halt;
}

/* The label of an answer, and the thread idle again. */
static label take_answer(struct lin_model *model, uint32_t *own, uint32_t thread)
{
    const struct lin_steps *steps = model->steps;
    const struct lin_instruction *end = &steps->listing.code.items[own[LIN_THREAD_AT] - 1];
    uint32_t components[2] = {thread};
    char name[160];
    snprintf(name, sizeof name, "res.%.100s", steps->entries[end->wide].operation->name);
    uint32_t result = own[LIN_THREAD_HEADER + steps->result];
    own[LIN_THREAD_AT] = 0;
    own[LIN_THREAD_LINK] = 0;
    forget_dead(model, own);
    return label_answer(model, end, name, components, 1, result);
}

/* A call, a point and an answer in one step, those that are not LABEL_TAU. */
static label label_whole(struct lin_model *model, label call, label point, label answer)
{
    const label all[] = {call, point, answer};
    static const char *const names[] = {"inv", "lin", "res"};
    uint32_t parts[ARRAY_LENGTH(all)], count = 0;
    char name[16] = "";
    for (size_t i = 0; i < ARRAY_LENGTH(all); i++) {
        if (all[i] == LABEL_REFUSED)
            return LABEL_REFUSED;
        if (all[i] == LABEL_TAU)
            continue;
        sprintf(name + strlen(name), "%s%s", count ? "+" : "", names[i]);
        parts[count++] = all[i];
    }
    if (count < 2)
        return count ? parts[0] : LABEL_TAU;
    return labels_intern(model->model.labels, LABEL_EVENT, name, parts, count);
}

/* Whether a thread stands where it returns without a linearization point. */
static bool lacks_point(const struct lin_steps *steps, const uint32_t *own, uint32_t at)
{
    const struct lin_instruction *end = &steps->listing.code.items[at];
    if (end->op != LIN_DO_RETURN)
        return false;
    uint32_t pointed = steps->entries[end->wide].pointed;
    return pointed && !own[LIN_THREAD_HEADER + pointed];
}

/* The step of a thread that did what ends the run. */
static bool add_last_step(struct lin_model *model, struct successors *out, const struct run *run,
                          label l, label shown)
{
    uint32_t *own = thread_slots(model->steps, model->after.items, run->thread);
    memcpy(model->after.items, model->before.items,
           model->steps->slots * sizeof *model->after.items);
    own[LIN_THREAD_AT] = LIN_THREAD_FAULTED;
    forget_dead(model, own);
    return add_step(model, out, run->thread, l, shown);
}

static label label_misplaced(struct lin_model *model, const char *name, const struct run *run)
{
    const uint32_t components[2] = {run->thread, run->at};
    return labels_intern(model->model.labels, LABEL_EVENT, name, components, 2);
}

/* Runs a thread in every way that its choices allow, from `start`; each run is one step. */
static enum status run_all(struct lin_model *model, uint32_t thread, uint32_t start, label l,
                           label shown, struct successors *out, struct error *error)
{
    const struct lin_steps *steps = model->steps;
    size_t bytes = steps->slots * sizeof *model->after.items;
    uint32_t *prepared = model->before.items;
    bool is_call = l != LABEL_TAU;
    model->choices.length = 0;
    do {
        memcpy(model->after.items, prepared, bytes);
        uint32_t *own = thread_slots(steps, model->after.items, thread);
        struct run run = {.model = model,
                          .steps = steps,
                          .slots = model->after.items,
                          .locals = own + LIN_THREAD_HEADER,
                          .thread = thread,
                          .at = start,
                          .error = error};
        label answer = LABEL_TAU, whole;
        model->chosen = 0;
        model->point = LABEL_TAU;
        enum halt halt = run_joined(&run, is_call);
        if (halt == HALT_AT_STOP && lacks_point(steps, own, run.at))
            halt = HALT_AT_NO_POINT;
        switch (halt) {
        case HALT_AT_STOP:
            own[LIN_THREAD_AT] = run.at + 1;
            if (steps->listing.code.items[run.at].op == LIN_DO_END)
                own[LIN_THREAD_AT] = 0; /* `init` belongs to no operation */
            else if (steps->setting.words && steps->listing.code.items[run.at].op == LIN_DO_RETURN)
                own[LIN_THREAD_AT] = 0; /* a thread's end shows only when all have ended */
            else if (model->fusion.intervals &&
                     steps->listing.code.items[run.at].op == LIN_DO_RETURN)
                answer = take_answer(model, own, thread);
            forget_dead(model, own);
            whole = label_whole(model, l, model->point, answer);
            if (!add_step(model, out, thread, whole, model->point != LABEL_TAU ? whole : shown))
                return STATUS_LIMIT;
            break;
        case HALT_IN_WAIT:
            model->waiting |= UINT64_C(1) << thread;
            break;
        case HALT_FOR_NODE:
            model->starving |= UINT64_C(1) << thread;
            break;
        case HALT_IN_FAULT:
            if (model->ignores_faults)
                break;
            if (!model->first[0])
                memcpy(model->first, model->reason, sizeof model->first);
            if (!add_last_step(model, out, &run, model->fault, shown))
                return STATUS_LIMIT;
            break;
        case HALT_AT_NO_POINT:
            if (!add_last_step(model, out, &run, label_misplaced(model, "no-point", &run), shown))
                return STATUS_LIMIT;
            break;
        case HALT_AT_SECOND_POINT:
            if (!add_last_step(model, out, &run, label_misplaced(model, "second-point", &run),
                               shown))
                return STATUS_LIMIT;
            break;
        case HALT_IN_ERROR:
            if (model->error == LABEL_TAU)
                return STATUS_INPUT;
            return add_last_step(model, out, &run, model->error, shown) ? STATUS_OK : STATUS_LIMIT;
        default:
            return STATUS_LIMIT;
        }
    } while (next_choice(model));
    return STATUS_OK;
}

/* Whether the clients' order says when the operation is called. */
static bool is_ordered(const struct lin_setting *setting, const struct lin_entry *entry)
{
    for (uint32_t i = 0; i < setting->client_count; i++)
        if (strcmp(setting->client[i], entry->operation->name) == 0)
            return true;
    return false;
}

static bool counts_operations(const struct lin_setting *setting)
{
    return setting->operations >= 0 || setting->total;
}

/* What a thread may call, before it has called anything; 0 if that is not counted. */
static uint32_t operations_at_first(const struct lin_setting *setting)
{
    bool few = setting->operations >= 0 &&
               (setting->total == 0 || (uint32_t)setting->operations < setting->total);
    return few ? (uint32_t)setting->operations : setting->total;
}

/* Whether values are fresh and this call would not bring the next one; if it does that is noted in
 * `after`. */
static bool is_stale(const struct lin_steps *steps, const struct lin_entry *entry,
                     const int32_t *arguments, uint32_t *after)
{
    for (uint32_t i = 0; steps->setting.fresh && i < entry->operation->parameter_count; i++) {
        if (entry->operation->parameters[i]->type.kind != LIN_TYPE_VALUE)
            continue;
        if ((uint32_t)arguments[i] != after[steps->last_slot] + 1)
            return true;
        after[steps->last_slot]++;
    }
    return false;
}

static enum status call(struct lin_model *model, const uint32_t *state, uint32_t thread,
                        uint32_t number, struct successors *out, struct error *error)
{
    const struct lin_steps *steps = model->steps;
    const struct lin_entry *entry = &steps->entries[number];
    uint32_t count = entry->operation->parameter_count;
    uint32_t components[MOST_COMPONENTS] = {thread};
    int32_t arguments[MOST_ARGUMENTS];
    char name[128];
    if (count > ARRAY_LENGTH(arguments))
        return script_error(steps->module->script, entry->operation->at, error,
                            "expected at most %d parameters, found %u", MOST_ARGUMENTS, count);
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = entry->parameters[i].low;
    snprintf(name, sizeof name, "inv.%.100s", entry->operation->name);
    for (;;) {
        memcpy(model->before.items, state, steps->slots * sizeof *state);
        uint32_t *own = thread_slots(steps, model->before.items, thread);
        if (counts_operations(&steps->setting))
            own[LIN_THREAD_LEFT]--;
        if (is_ordered(&steps->setting, entry))
            own[LIN_THREAD_TURN] = (own[LIN_THREAD_TURN] + 1) % steps->setting.client_count;
        for (uint32_t i = 0; i < count; i++) {
            own[LIN_THREAD_HEADER + 1 + i] = (uint32_t)arguments[i];
            if (entry->pointed)
                own[LIN_THREAD_HEADER + entry->pointed + 1 + i] = (uint32_t)arguments[i];
            components[1 + i] =
                component_of((enum lin_type_kind)entry->operation->parameters[i]->type.kind,
                             (uint32_t)arguments[i]);
        }
        label l =
            labels_intern(model->model.labels, LABEL_EVENT, name, components, count + (size_t)1);
        if (!is_stale(steps, entry, arguments, model->before.items))
            TRY(run_all(model, thread, entry->start, l, l, out, error));
        uint32_t last = count;
        while (last > 0 && arguments[last - 1] == entry->parameters[last - 1].high) {
            last--;
            arguments[last] = entry->parameters[last].low;
        }
        if (last == 0)
            return STATUS_OK;
        arguments[last - 1]++;
    }
}

/* Whether threads have called as often as they may together. */
static bool has_called_all(const struct lin_steps *steps, const uint32_t *state)
{
    uint32_t called = 0, first = operations_at_first(&steps->setting);
    for (uint32_t i = 0; i < steps->setting.threads; i++)
        called += first - thread_slots_of(steps, state, i)[LIN_THREAD_LEFT];
    return steps->setting.total && called >= steps->setting.total;
}

static enum status call_any(struct lin_model *model, const uint32_t *state, uint32_t thread,
                            struct successors *out, struct error *error)
{
    const struct lin_steps *steps = model->steps;
    const struct lin_setting *setting = &steps->setting;
    const uint32_t *own = state + steps->thread_first + thread * steps->thread_words;
    if ((counts_operations(setting) && own[LIN_THREAD_LEFT] == 0) || has_called_all(steps, state))
        return STATUS_OK;
    for (uint32_t i = 0; i < steps->object->operation_count; i++) {
        const struct lin_entry *entry = &steps->entries[i];
        if ((entry->only >= 0 && (uint32_t)entry->only != model->number + thread) ||
            (is_ordered(setting, entry) &&
             strcmp(setting->client[own[LIN_THREAD_TURN]], entry->operation->name) != 0))
            continue;
        TRY(call(model, state, thread, i, out, error));
    }
    return STATUS_OK;
}

static enum status answer(struct lin_model *model, const uint32_t *state, uint32_t thread,
                          struct successors *out)
{
    const struct lin_steps *steps = model->steps;
    memcpy(model->after.items, state, steps->slots * sizeof *state);
    label l = take_answer(model, thread_slots(steps, model->after.items, thread), thread);
    return add_step(model, out, thread, l, l) ? STATUS_OK : STATUS_LIMIT;
}

static bool is_faulted(const struct lin_steps *steps, const uint32_t *state)
{
    bool faulted = false;
    for (uint32_t i = 0; i < steps->setting.threads; i++)
        faulted |= state[steps->thread_first + i * steps->thread_words + LIN_THREAD_AT] ==
                   LIN_THREAD_FAULTED;
    return faulted;
}

/* A condition is numbered by the instruction that it begins at. It holds too of a state in which
 * the algorithm has done what it must not do. */
static enum status lin_evaluate(struct model *outer, uint32_t condition, const uint32_t *state,
                                int64_t *holds, struct error *error)
{
    struct lin_model *model = lin_of(outer);
    const struct lin_steps *steps = model->steps;
    *holds = 1;
    if (is_faulted(steps, state))
        return STATUS_OK;
    memcpy(model->after.items, state, steps->slots * sizeof *state);
    struct run run = {.model = model,
                      .steps = steps,
                      .slots = model->after.items,
                      .locals = thread_slots(steps, model->after.items, 0) + LIN_THREAD_HEADER,
                      .at = condition,
                      .error = error};
    model->chosen = model->choices.length = 0;
    enum halt halt = run_on(&run);
    if (halt == HALT_FOR_MEMORY)
        return STATUS_LIMIT;
    if (halt == HALT_IN_FAULT)
        return script_error(steps->module->script, steps->listing.places.items[run.at], error,
                            "the condition itself fails: %s", model->reason);
    if (halt != HALT_AT_STOP)
        return STATUS_INPUT;
    *holds = model->stack.items[model->stack.length - 1];
    return STATUS_OK;
}

/* The program's end, once: the first thread's turn says that it has been. */
static enum status end_program(struct lin_model *model, const uint32_t *state,
                               struct successors *out)
{
    const struct lin_steps *steps = model->steps;
    for (uint32_t i = 0; i < steps->setting.threads; i++)
        if (lin_model_is_running(model, state, i))
            return STATUS_OK;
    memcpy(model->after.items, state, steps->slots * sizeof *state);
    uint32_t *ended = &thread_slots(steps, model->after.items, 0)[LIN_THREAD_TURN];
    if (*ended)
        return STATUS_OK;
    *ended = 1;
    return add_step(model, out, 0, LABEL_TERMINATE, LABEL_TERMINATE) ? STATUS_OK : STATUS_LIMIT;
}

static enum status thread_successors(struct lin_model *model, const uint32_t *state,
                                     uint32_t thread, struct successors *out, struct error *error)
{
    const struct lin_steps *steps = model->steps;
    uint32_t at = thread_slots_of(steps, state, thread)[LIN_THREAD_AT];
    if (at == 0)
        return steps->setting.words ? STATUS_OK : call_any(model, state, thread, out, error);
    if (steps->listing.code.items[at - 1].op == LIN_DO_RETURN)
        return answer(model, state, thread, out);
    memcpy(model->before.items, state, steps->slots * sizeof *state);
    return run_all(model, thread, at, LABEL_TAU, note_of(model, at - 1), out, error);
}

enum status lin_model_steps_of(struct lin_model *model, const uint32_t *state, uint32_t thread,
                               struct successors *out, struct error *error)
{
    return is_faulted(model->steps, state) ? STATUS_OK
                                           : thread_successors(model, state, thread, out, error);
}

static enum status lin_successors(struct model *outer, const uint32_t *state,
                                  struct successors *out, struct error *error)
{
    struct lin_model *model = lin_of(outer);
    const struct lin_steps *steps = model->steps;
    model->waiting = model->starving = 0;
    model->first[0] = 0;
    if (is_faulted(steps, state)) /* nothing follows */
        return STATUS_OK;
    if (steps->setting.words)
        TRY(end_program(model, state, out));
    for (uint32_t thread = 0; thread < steps->setting.threads; thread++)
        TRY(thread_successors(model, state, thread, out, error));
    return STATUS_OK;
}

enum status lin_model_explain(struct lin_model *model, const uint32_t *before,
                              const uint32_t *after, struct error *error)
{
    struct successors out;
    uint32_t thread = 0;
    while (thread_slots_of(model->steps, after, thread)[LIN_THREAD_AT] != LIN_THREAD_FAULTED)
        thread++;
    model->first[0] = 0;
    successors_init(&out, model->model.budget);
    enum status status = thread_successors(model, before, thread, &out, error);
    successors_release(&out);
    return status;
}

static enum status expect_no_fault(const struct lin_model *model, const struct successors *out,
                                   size_t first, struct error *error)
{
    const struct lin_steps *steps = model->steps;
    for (size_t i = first; i < out->steps.length; i++)
        if (out->steps.items[i].label == model->fault)
            return script_error(steps->module->script, steps->object->at, error, "%s",
                                model->reason);
    return STATUS_OK;
}

/* All threads run to before their first steps, in the states from `first` on. */
static enum status start_threads(struct lin_model *model, struct successors *out, size_t first,
                                 struct error *error)
{
    const struct lin_steps *steps = model->steps;
    for (uint32_t thread = 0; thread < steps->setting.threads; thread++) {
        size_t count = out->steps.length - first;
        for (size_t i = 0; i < count; i++) {
            memcpy(model->before.items, out->states.items + (first + i) * steps->slots,
                   steps->slots * sizeof *model->before.items);
            TRY(run_all(model, thread, steps->entries[thread].start, LABEL_TAU, LABEL_TAU, out,
                        error));
        }
        size_t rest = out->steps.length - first - count;
        memmove(out->steps.items + first, out->steps.items + first + count,
                rest * sizeof *out->steps.items);
        memmove(out->states.items + first * steps->slots,
                out->states.items + (first + count) * steps->slots,
                rest * steps->slots * sizeof *out->states.items);
        out->steps.length = first + rest;
        out->states.length = out->steps.length * steps->slots;
    }
    return STATUS_OK;
}

static bool start_object(struct lin_model *model, uint32_t *slots)
{
    const struct spec *spec = model->steps->setting.spec;
    outcomes_clear(&model->outcomes);
    if (!spec->class->init(spec, VALUE_NIL, &model->outcomes))
        return false;
    uint32_t *state = &slots[model->steps->spec_slot];
    *state = intern_object(model, &model->outcomes.items.items[0]);
    return *state != UINT32_MAX;
}

/* `init` runs before all threads, with the first one's locals to work in. */
static enum status lin_initial(struct model *outer, struct successors *out, struct error *error)
{
    struct lin_model *model = lin_of(outer);
    const struct lin_steps *steps = model->steps;
    uint32_t *before = model->before.items;
    memset(before, 0, steps->slots * sizeof *before);
    for (uint32_t i = 0; i < steps->setting.threads; i++)
        thread_slots(steps, before, i)[LIN_THREAD_LEFT] = operations_at_first(&steps->setting);
    if (steps->setting.spec && !start_object(model, before))
        return STATUS_LIMIT;
    size_t first = out->steps.length;
    const struct lin_fusion fusion = model->fusion;
    model->fusion.symmetry = model->fusion.values = false; /* the first thread works here */
    enum status status = run_all(model, 0, steps->initially, LABEL_TAU, LABEL_TAU, out, error);
    model->fusion = fusion;
    TRY(status);
    TRY(expect_no_fault(model, out, first, error));
    if (steps->setting.words) {
        model->fusion.local = false; /* executions begin where they do without fusion */
        status = start_threads(model, out, first, error);
        model->fusion = fusion;
        TRY(status);
        TRY(expect_no_fault(model, out, first, error));
    }
    if (out->steps.length > first)
        return STATUS_OK;
    return script_error(steps->module->script, steps->object->at, error,
                        "expected an initial state of `%s`, found none", steps->object->name);
}

bool lin_model_is_running(const struct lin_model *model, const uint32_t *state, uint32_t thread)
{
    const struct lin_steps *steps = model->steps;
    return state[steps->thread_first + thread * steps->thread_words + LIN_THREAD_AT] != 0;
}

bool lin_model_is_cut(const struct lin_model *model, const uint32_t *state, uint32_t thread)
{
    const struct lin_steps *steps = model->steps;
    const uint32_t *own = state + steps->thread_first + thread * steps->thread_words;
    return steps->setting.operations >= 0 && own[LIN_THREAD_AT] == 0 && own[LIN_THREAD_LEFT] == 0 &&
           own[LIN_THREAD_TURN] != 0;
}

bool lin_model_is_inside_order(const struct lin_model *model, const uint32_t *state,
                               uint32_t thread)
{
    const struct lin_steps *steps = model->steps;
    return state[steps->thread_first + thread * steps->thread_words + LIN_THREAD_TURN] != 0;
}

label lin_model_note(struct lin_model *model, const uint32_t *state, uint32_t thread)
{
    const struct lin_steps *steps = model->steps;
    return note_of(model,
                   state[steps->thread_first + thread * steps->thread_words + LIN_THREAD_AT] - 1);
}

/* ---- creation ---- */

static void print(const struct model *outer, const uint32_t *state, const uint32_t *before,
                  struct text *text)
{
    lin_print(((const struct lin_model *)outer)->steps, state, before, text);
}

static const struct model_class lin_class = {
    .name = ".lin",
    .initial = lin_initial,
    .successors = lin_successors,
    .evaluate = lin_evaluate,
    .print = print,
};

enum status lin_model_create(const struct lin_steps *steps, const struct lin_fusion *fusion,
                             struct labels *labels, struct budget *budget, struct lin_model *model,
                             struct error *error)
{
    *model = (struct lin_model){.model = {.class = &lin_class,
                                          .labels = labels,
                                          .budget = budget,
                                          .slots = steps->slots,
                                          .identity_slots = steps->slots},
                                .steps = steps,
                                .fusion = *fusion,
                                .links = lin_steps_use(steps, LIN_DO_LL),
                                .frees = lin_steps_use(steps, LIN_DO_FREE)};
    vector_init(&model->own, budget);
    vector_init(&model->own_words, budget);
    vector_init(&model->notes, budget);
    vector_init(&model->before, budget);
    vector_init(&model->after, budget);
    vector_init(&model->saved, budget);
    vector_init(&model->moved, budget);
    vector_init(&model->numbers, budget);
    vector_init(&model->order, budget);
    vector_init(&model->touched, budget);
    vector_init(&model->stack, budget);
    vector_init(&model->choices, budget);
    vector_init(&model->object, budget);
    outcomes_init(&model->outcomes, budget);
    if (steps->pool_count > MOST_POOLS)
        return script_error(steps->module->script, steps->object->at, error,
                            "expected at most %d structs, found %u", MOST_POOLS, steps->pool_count);
    model->fault = labels_intern(labels, LABEL_EVENT, "fault", NULL, 0);
    if (!lin_find_own_items(model))
        return STATUS_LIMIT;
    model->fusion.symmetry &= lin_model_is_symmetric(model);
    model->fusion.values &= lin_model_has_values(steps);
    if (model->fault == LABEL_REFUSED || !vector_reserve(&model->before, steps->slots) ||
        !vector_reserve(&model->after, steps->slots) ||
        !vector_reserve(&model->saved, steps->slots))
        return STATUS_LIMIT;
    return STATUS_OK;
}

void lin_model_release(struct lin_model *model)
{
    vector_release(&model->own);
    vector_release(&model->own_words);
    vector_release(&model->notes);
    vector_release(&model->before);
    vector_release(&model->after);
    vector_release(&model->saved);
    vector_release(&model->touched);
    vector_release(&model->moved);
    vector_release(&model->numbers);
    vector_release(&model->order);
    vector_release(&model->stack);
    vector_release(&model->choices);
    vector_release(&model->object);
    outcomes_release(&model->outcomes);
}
