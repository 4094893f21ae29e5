/* Inputs: what follows one depends on what it receives, so it is put into terms only then. */
#include "csp/input.h"

bool csp_receives(const struct csp_terms *terms, const struct csp_expression *argument,
                  const struct scope *scope)
{
    if (argument->kind != EXPRESSION_NAME)
        return false;
    for (; scope; scope = scope->outer)
        if (scope->name == argument->name)
            return false;
    return csp_symbol(terms->program, argument->name).kind == SYMBOL_NONE;
}

/* The scope of what follows an input while nothing has been received: its names are no constants.
 * As locals they have numbers that no program's own locals have. */
#define FIRST_RECEIVED 100000

static enum status bind_unknown(struct csp_terms *terms, const struct csp_process *process,
                                const struct scope **scope)
{
    const struct scope *before = *scope;
    uint32_t number = FIRST_RECEIVED;
    for (const struct scope *at = before; at; at = at->outer)
        number += at->kind == BOUND_LOCAL;
    for (uint32_t i = 0; i < process->argument_count; i++) {
        if (!csp_receives(terms, process->arguments[i], before))
            continue;
        struct scope *bound = arena_allocate(&terms->arena, sizeof *bound);
        if (!bound)
            return STATUS_LIMIT;
        *bound = (struct scope){.outer = *scope,
                                .name = process->arguments[i]->name,
                                .kind = BOUND_LOCAL,
                                .local = number++};
        *scope = bound;
    }
    return STATUS_OK;
}

static bool push_address(struct csp_terms *terms, const void *pointer)
{
    uint64_t address = (uintptr_t)pointer;
    return vector_push(&terms->scratch, (uint32_t)address) &&
           vector_push(&terms->scratch, (uint32_t)(address >> 32));
}

static enum status push_code(struct csp_terms *terms, const struct csp_expression *expression,
                             const struct scope *scope, struct error *error)
{
    uint32_t code = 0;
    if (expression)
        TRY(csp_compile_expression(terms->program, expression, scope, &code, error));
    return vector_push(&terms->scratch, code) ? STATUS_OK : STATUS_LIMIT;
}

/* An input is told by what it says, as every term is: channel, pattern, guard, program, and the
 * term that follows, all with the received names unknown. STATUS_INPUT if that cannot be made. */
static enum status push_meaning(struct csp_terms *terms, const struct csp_process *process,
                                const struct scope *scope, uint32_t channel, struct error *error)
{
    const struct scope *inner = scope;
    uint32_t words[2] = {0};
    if (!vector_push(&terms->scratch, channel) ||
        !vector_push(&terms->scratch, process->argument_count))
        return STATUS_LIMIT;
    TRY(push_code(terms, process->index, scope, error));
    for (uint32_t i = 0; i < process->argument_count; i++) {
        bool received = csp_receives(terms, process->arguments[i], scope);
        if (!vector_push(&terms->scratch, received))
            return STATUS_LIMIT;
        if (!received)
            TRY(push_code(terms, process->arguments[i], scope, error));
        else if (!push_address(terms, process->arguments[i]->name))
            return STATUS_LIMIT;
    }
    TRY(bind_unknown(terms, process, &inner));
    TRY(push_code(terms, process->condition, inner, error));
    TRY(csp_compile_program(terms, process, inner, &words[0], error));
    TRY(csp_instantiate(terms, process->children[0], inner, &words[1], error));
    return vector_push(&terms->scratch, words[0]) && vector_push(&terms->scratch, words[1])
               ? STATUS_OK
               : STATUS_LIMIT;
}

/* The place in the model and what the names in it mean, for an input whose values say what it is
 * followed by (`||| i:{0..x}@ ...`). */
static bool push_place(struct csp_terms *terms, const struct csp_process *process,
                       const struct scope *scope)
{
    bool room = vector_push(&terms->scratch, UINT32_MAX) && /* no channel */
                push_address(terms, process);
    for (const struct scope *at = scope; room && at; at = at->outer)
        room = push_address(terms, at->name) && vector_push(&terms->scratch, at->kind) &&
               vector_push(&terms->scratch,
                           at->kind == BOUND_LOCAL ? at->local : datum_to_slot(at->constant));
    return room;
}

/* The constants of the scope that the process mentions, copied into the arena. */
static enum status keep_scope(struct csp_terms *terms, const struct csp_process *process,
                              const struct scope *scope, const struct scope **kept)
{
    *kept = NULL;
    for (const struct scope *at = scope; at; at = at->outer) {
        bool shadowed = false;
        for (const struct scope *inner = scope; inner != at && !shadowed; inner = inner->outer)
            shadowed = inner->name == at->name;
        if (shadowed || !csp_mentions(process, at->name))
            continue;
        struct scope *copy = arena_allocate(&terms->arena, sizeof *copy);
        if (!copy)
            return STATUS_LIMIT;
        *copy = *at;
        copy->outer = *kept;
        *kept = copy;
    }
    return STATUS_OK;
}

enum status csp_instantiate_input(struct csp_terms *terms, const struct csp_process *process,
                                  const struct scope *scope, term *result, struct error *error)
{
    uint32_t channel = 0, closure = UINT32_MAX;
    TRY(csp_channel_number(terms, process, &channel, error));
    const struct scope *kept = NULL;
    TRY(keep_scope(terms, process, scope, &kept));
    size_t start = terms->scratch.length;
    struct error ignored;
    enum status status = push_meaning(terms, process, kept, channel, &ignored);
    if (status == STATUS_INPUT) {
        terms->scratch.length = start;
        status = push_place(terms, process, kept) ? STATUS_OK : STATUS_LIMIT;
    }
    bool fresh = false;
    if (status == STATUS_OK)
        closure = word_arrays_intern(&terms->closure_keys, terms->scratch.items + start,
                                     terms->scratch.length - start, &fresh);
    terms->scratch.length = start;
    if (closure == UINT32_MAX)
        return STATUS_LIMIT;
    if (fresh && !vector_push(&terms->closures, ((struct closure){process, kept})))
        return STATUS_LIMIT;
    *result = term_make(terms, TERM_KIND_INPUT, &closure, 1);
    return *result == TERM_REFUSED ? STATUS_LIMIT : STATUS_OK;
}

static enum status make_instance(struct csp_terms *terms, const struct closure *closure,
                                 const uint32_t *values, size_t count, struct instance *instance,
                                 struct error *error)
{
    const struct csp_process *node = closure->node;
    struct scope *bound = arena_allocate(&terms->arena, (count + 1) * sizeof *bound);
    if (!bound)
        return STATUS_LIMIT;
    const struct scope *scope = closure->scope;
    for (size_t i = 0; i < count; i++) {
        if (!csp_receives(terms, node->arguments[i], scope))
            continue;
        bound[i] = (struct scope){.outer = scope,
                                  .name = node->arguments[i]->name,
                                  .kind = BOUND_CONSTANT,
                                  .constant = datum_from_slot(values[i])};
        scope = &bound[i];
    }
    *instance = (struct instance){0};
    if (node->condition)
        TRY(csp_compile_expression(terms->program, node->condition, scope, &instance->guard,
                                   error));
    TRY(csp_compile_program(terms, node, scope, &instance->program, error));
    return csp_instantiate(terms, node->children[0], scope, &instance->rest, error);
}

enum status csp_receive(struct csp_terms *terms, uint32_t closure, const uint32_t *values,
                        size_t count, struct instance *instance, struct error *error)
{
    size_t start = terms->scratch.length;
    bool room = vector_push(&terms->scratch, closure);
    for (size_t i = 0; room && i < count; i++)
        room = vector_push(&terms->scratch, values[i]);
    bool fresh = false;
    uint32_t number = UINT32_MAX;
    if (room)
        number = word_arrays_intern(&terms->instance_keys, terms->scratch.items + start, count + 1,
                                    &fresh);
    terms->scratch.length = start;
    if (number == UINT32_MAX)
        return STATUS_LIMIT;
    if (fresh && !vector_push(&terms->instances, ((struct instance){.rest = TERM_REFUSED})))
        return STATUS_LIMIT;
    if (terms->instances.items[number].rest == TERM_REFUSED) { /* new, or wrong the last time too */
        const struct closure copy = terms->closures.items[closure];
        TRY(make_instance(terms, &copy, values, count, instance, error));
        terms->instances.items[number] = *instance;
    }
    *instance = terms->instances.items[number];
    return STATUS_OK;
}
