#include "implementation/step_layout.h"

#include <inttypes.h>
#include <string.h>

#include "implementation/step_places.h"

static enum status describe_pool(struct lin_step_compiler *compiler, struct lin_pool *pool)
{
    struct lin_steps *steps = compiler->steps;
    VECTOR(struct lin_reference_slot) references;
    vector_init(&references, steps->arena->budget);
    pool->lengths = arena_allocate(steps->arena, pool->of->field_count * sizeof *pool->lengths);
    enum status status = pool->lengths ? STATUS_OK : STATUS_LIMIT;
    pool->words = 1;
    for (uint32_t i = 0; status == STATUS_OK && i < pool->of->field_count; i++) {
        const struct lin_variable *field = pool->of->fields[i];
        uint32_t length = 0;
        status = lin_step_length_of(compiler, field, &length);
        if (status == STATUS_OK)
            status = lin_step_note_references(compiler, field, pool->words, length, &references);
        if (status == STATUS_OK)
            status = lin_step_note_values(compiler, field, pool->words, length);
        pool->lengths[i] = length;
        pool->words += length * lin_step_words_of(&field->type);
        if (status == STATUS_OK && pool->words > LIN_MOST_SLOTS)
            status = lin_step_complain(compiler, field->at,
                                       "expected a node of at most %d words, found more",
                                       LIN_MOST_SLOTS);
    }
    pool->reference_count = (uint32_t)references.length;
    pool->references = arena_allocate(steps->arena, references.length * sizeof *references.items);
    if (status == STATUS_OK && !pool->references)
        status = STATUS_LIMIT;
    if (status == STATUS_OK && references.length)
        memcpy(pool->references, references.items, references.length * sizeof *references.items);
    vector_release(&references);
    return status == STATUS_OK ? lin_step_take_values(compiler, &pool->values) : status;
}

/* The least value of a range without 0, and 0 of all else; a word for each part of a record. */
static enum status default_words(struct lin_step_compiler *compiler, const struct lin_type *type,
                                 int32_t *words)
{
    struct lin_step_range range = {0, 0};
    if (type->kind == LIN_TYPE_RECORD) {
        for (uint32_t i = 0; i < type->of->field_count; i++) {
            const struct lin_type *part = &type->of->fields[i]->type;
            for (uint32_t j = 0; j < type->of->fields[i]->items; j++) {
                TRY(default_words(compiler, part, words));
                words += lin_step_words_of(part);
            }
        }
        return STATUS_OK;
    }
    if (type->kind == LIN_TYPE_INT)
        TRY(lin_step_range_of(compiler, type, &range));
    *words = range.low <= 0 && range.high >= 0 ? 0 : range.low;
    return STATUS_OK;
}

static enum status initial_of_field(struct lin_step_compiler *compiler,
                                    const struct lin_variable *field, int64_t *known)
{
    struct lin_step_range range;
    TRY(lin_step_constant(compiler, field->initial, "the initial value of a field", known));
    if (field->type.kind != LIN_TYPE_INT)
        return STATUS_OK;
    TRY(lin_step_range_of(compiler, &field->type, &range));
    if (*known >= range.low && *known <= range.high)
        return STATUS_OK;
    return lin_step_complain(compiler, field->initial->at,
                             "expected an int from %d to %d, found %lld", range.low, range.high,
                             (long long)*known);
}

/* The words of a new node, found as constants. */
static enum status describe_new_node(struct lin_step_compiler *compiler, struct lin_pool *pool)
{
    uint32_t at = 1;
    pool->initial = arena_allocate(compiler->steps->arena, pool->words * sizeof *pool->initial);
    TRY_MEMORY(pool->initial);
    pool->initial[0] = LIN_NODE_LIVE;
    for (uint32_t i = 0; i < pool->of->field_count; i++) {
        const struct lin_variable *field = pool->of->fields[i];
        uint32_t words = lin_step_words_of(&field->type);
        int64_t known = 0;
        if (field->initial)
            TRY(initial_of_field(compiler, field, &known));
        for (uint32_t j = 0; j < pool->lengths[i]; j++, at += words) {
            if (field->initial)
                pool->initial[at] = (int32_t)known;
            else
                TRY(default_words(compiler, &field->type, pool->initial + at));
        }
    }
    return STATUS_OK;
}

/* Functions whose bodies are looked at, the innermost first. */
struct chain {
    const struct chain *outer;
    const struct lin_operation *operation;
};

static uint32_t count_new_in(const struct lin_steps *steps, const struct lin_expression *expression,
                             const struct lin_struct *of, const struct chain *chain);

static uint32_t count_new(const struct lin_steps *steps, const struct lin_statement *statement,
                          const struct lin_struct *of, const struct chain *chain)
{
    uint32_t count =
        count_new_in(steps, statement->expression, of, chain) +
        count_new_in(steps, statement->step, of, chain) +
        (statement->variable ? count_new_in(steps, statement->variable->initial, of, chain) : 0);
    bool loops = statement->kind == LIN_STATEMENT_WHILE || statement->kind == LIN_STATEMENT_DO ||
                 statement->kind == LIN_STATEMENT_FOR;
    for (uint32_t i = 0; i < statement->count; i++)
        if (statement->items[i])
            count += count_new(steps, statement->items[i], of, chain);
    return loops && steps->setting.words ? 4 * count : count;
}

/* Of a function, as deep as it may call itself. */
static uint32_t count_new_of(const struct lin_steps *steps, const struct lin_operation *function,
                             const struct lin_struct *of, const struct chain *chain)
{
    const struct chain here = {chain, function};
    int32_t running = 0;
    for (const struct chain *i = chain; i; i = i->outer)
        running += i->operation == function;
    return function->depth && running >= function->depth->integer
               ? 0
               : count_new(steps, function->body, of, &here);
}

static uint32_t count_new_in(const struct lin_steps *steps, const struct lin_expression *expression,
                             const struct lin_struct *of, const struct chain *chain)
{
    if (!expression)
        return 0;
    uint32_t count = expression->kind == LIN_EXPRESSION_NEW && expression->type.of == of;
    if (expression->meaning == LIN_MEANS_FUNCTION)
        count += count_new_of(steps, expression->operation, of, chain);
    const struct lin_object *callee = steps->setting.callee;
    for (uint32_t i = 0; expression->meaning == LIN_MEANS_CALL && i < callee->operation_count; i++)
        if (callee->operations[i]->name == expression->name)
            count += count_new(steps, callee->operations[i]->body, of, chain);
    for (uint32_t i = 0; i < expression->count; i++)
        count += count_new_in(steps, expression->items[i], of, chain);
    return count;
}

/* What no run of the clients can exhaust beside what `init` makes, unless an operation makes nodes
 * in a loop. */
static uint64_t default_nodes(const struct lin_steps *steps, const struct lin_struct *of)
{
    const struct lin_object *object = steps->object;
    uint32_t most = 0;
    for (uint32_t i = 0; i < object->operation_count; i++) {
        uint32_t count = count_new(steps, object->operations[i]->body, of, NULL);
        most = count > most ? count : most;
    }
    uint32_t operations = steps->setting.operations < 0 ? 4 : (uint32_t)steps->setting.operations;
    return (uint64_t)steps->setting.threads * operations * most;
}

/* Nodes take more words than a state has: a number that was asked for, that of a view, or as many
 * as operations may make. */
static enum status complain_of_nodes(struct lin_step_compiler *compiler,
                                     const struct lin_pool *pool, uint64_t nodes)
{
    const struct lin_steps *steps = compiler->steps;
    if (steps->setting.unbounded)
        return lin_step_complain(compiler, pool->of->at,
                                 "expected nodes of at most %d words all together, found %" PRIu64
                                 " of `%s`, with %u words each: as many as one thread may see of a "
                                 "heap without bound",
                                 LIN_MOST_SLOTS, nodes, pool->of->name, pool->words);
    if (pool->is_default)
        return lin_step_complain(compiler, pool->of->at,
                                 "expected nodes of at most %d words all together, found %" PRIu64
                                 " of `%s`, with %u words each: as many as operations may make; "
                                 "`nodes = M` says how many there are",
                                 LIN_MOST_SLOTS, nodes, pool->of->name, pool->words);
    return lin_step_complain(compiler, pool->of->at,
                             "expected nodes of at most %d words all together, found %" PRIu64
                             " of `%s`, with %u words each: `nodes =` asks for too many",
                             LIN_MOST_SLOTS, nodes, pool->of->name, pool->words);
}

static enum status note_lengths(struct lin_step_compiler *compiler,
                                const struct lin_variable *variable, uint32_t **lengths)
{
    *lengths = arena_allocate(compiler->steps->arena, variable->length_count * sizeof **lengths);
    TRY_MEMORY(*lengths);
    for (uint32_t i = 0; i < variable->length_count; i++) {
        int64_t length = 0;
        TRY(lin_step_constant(compiler, variable->lengths[i], "a length", &length));
        (*lengths)[i] = (uint32_t)length;
    }
    return STATUS_OK;
}

enum status lin_step_lay_out(struct lin_step_compiler *compiler)
{
    struct lin_steps *steps = compiler->steps;
    const struct lin_object *object = steps->object;
    uint32_t next = 0;
    for (uint32_t i = 0; i < object->variable_count; i++) {
        struct lin_layout_of_shared *layout = &steps->shared[i];
        layout->variable = object->variables[i];
        layout->words = lin_step_words_of(&layout->variable->type);
        layout->first = next;
        TRY(lin_step_length_of(compiler, layout->variable, &layout->length));
        TRY(note_lengths(compiler, layout->variable, &layout->lengths));
        TRY(lin_step_note_references(compiler, layout->variable, next, layout->length,
                                     &steps->shared_references));
        TRY(lin_step_note_values(compiler, layout->variable, next, layout->length));
        next += layout->length * layout->words;
        if (next > LIN_MOST_SLOTS)
            return lin_step_complain(compiler, object->at,
                                     "expected at most %d words of shared variables",
                                     LIN_MOST_SLOTS);
    }
    TRY(lin_step_take_values(compiler, &steps->shared_values));
    if (steps->setting.spec)
        steps->spec_slot = next++;
    if (steps->setting.fresh)
        steps->last_slot = next++;
    steps->heap_first = next;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        struct lin_pool *pool = &steps->pools[i];
        TRY(describe_pool(compiler, pool));
        TRY(describe_new_node(compiler, pool));
        pool->is_default = steps->setting.nodes < 0;
        uint64_t nodes =
            pool->is_default ? default_nodes(steps, pool->of) : (uint64_t)steps->setting.nodes;
        nodes += steps->setting.made ? steps->setting.made[i] : 0;
        pool->first = next;
        if (nodes > LIN_MOST_SLOTS || next + nodes * pool->words > LIN_MOST_SLOTS)
            return complain_of_nodes(compiler, pool, nodes);
        pool->nodes = (uint32_t)nodes;
        next += pool->nodes * pool->words;
    }
    steps->thread_first = next;
    return STATUS_OK;
}

enum status lin_step_size_state(struct lin_step_compiler *compiler)
{
    struct lin_steps *steps = compiler->steps;
    steps->thread_words = LIN_THREAD_HEADER + steps->locals;
    uint64_t slots = steps->thread_first + (uint64_t)steps->setting.threads * steps->thread_words;
    if (slots > LIN_MOST_SLOTS)
        return lin_step_complain(compiler, steps->object->at,
                                 "expected a state of at most %d words, found %llu", LIN_MOST_SLOTS,
                                 (unsigned long long)slots);
    steps->slots = (uint32_t)slots;
    steps->code = listing_code(&steps->listing, 0, 0);
    return STATUS_OK;
}
