#include "csp/closure.h"

#include "csp/mentions.h"

/* The scope of what follows an input while nothing has been received: its names are no constants.
 */
enum status csp_closure_bind(struct csp_terms *terms, const struct csp_process *process,
                             const struct scope **scope)
{
    const struct scope *before = *scope;
    uint32_t number = FIRST_RECEIVED;
    for (const struct scope *at = before; at; at = at->outer)
        number += at->kind == BOUND_LOCAL;
    for (uint32_t i = 0; i < process->argument_count; i++) {
        if (!csp_receives(terms->pool->program, process->arguments[i], before))
            continue;
        struct scope *bound = arena_allocate(&terms->pool->arena, sizeof *bound);
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

/* An input is told by what it says, as every term is: channel, pattern, guard, program, and the
 * term that follows, all with the received names unknown. `codes` has those of the closure. */
static enum status push_meaning(struct csp_terms *terms, const struct csp_process *process,
                                uint32_t channel, const code_id *codes,
                                const struct csp_unknown *unknown)
{
    bool room = vector_push(&terms->scratch, channel) &&
                vector_push(&terms->scratch, process->argument_count) &&
                vector_push(&terms->scratch, codes[0]);
    for (uint32_t i = 0; room && i < process->argument_count; i++) {
        bool received = codes[1 + i] == 0;
        room = vector_push(&terms->scratch, received) &&
               (received ? push_address(terms, process->arguments[i]->name)
                         : vector_push(&terms->scratch, codes[1 + i]));
    }
    return room && vector_push(&terms->scratch, unknown->guard) &&
                   vector_push(&terms->scratch, unknown->program) &&
                   vector_push(&terms->scratch, unknown->rest)
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
        room =
            push_address(terms, at->name) &&
            vector_push(&terms->scratch, at->kind == BOUND_CONSTANT && datum_is_array(at->constant)
                                             ? BOUND_ARGUMENT /* which stands in no such scope */
                                             : at->kind) &&
            vector_push(&terms->scratch,
                        at->kind == BOUND_LOCAL ? at->local : datum_to_slot(at->constant));
    return room;
}

/* The constants of the scope that the process mentions, copied into the arena. */
enum status csp_closure_scope(struct csp_terms *terms, const struct csp_process *process,
                              const struct scope *scope, const struct scope **kept)
{
    *kept = NULL;
    for (const struct scope *at = scope; at; at = at->outer) {
        bool shadowed = false;
        for (const struct scope *inner = scope; inner != at && !shadowed; inner = inner->outer)
            shadowed = inner->name == at->name;
        if (shadowed || !csp_mentions(process, at->name))
            continue;
        struct scope *copy = arena_allocate(&terms->pool->arena, sizeof *copy);
        if (!copy)
            return STATUS_LIMIT;
        *copy = *at;
        copy->outer = *kept;
        *kept = copy;
    }
    return STATUS_OK;
}

static enum status compile(struct csp_terms *terms, const struct csp_expression *expression,
                           const struct scope *scope, code_id *code, bool *wrong)
{
    struct error ignored; /* it comes again when the input steps */
    enum status status = csp_compile_value(terms->pool->program, expression, scope, code, &ignored);
    if (status != STATUS_INPUT)
        return status;
    *wrong = true;
    *code = CODE_WRONG;
    return STATUS_OK;
}

/* The codes of a closure; null when refused. *wrong: one does not compile. */
static code_id *compile_all(struct csp_terms *terms, const struct csp_process *process,
                            const struct scope *scope, bool *wrong)
{
    const uint32_t count = process->argument_count + 1;
    code_id *codes = arena_allocate(&terms->pool->arena, count * sizeof *codes);
    enum status status = codes ? STATUS_OK : STATUS_LIMIT;
    for (uint32_t i = 0; status == STATUS_OK && i < count; i++) {
        const struct csp_expression *expression =
            i == 0 ? process->index : process->arguments[i - 1];
        codes[i] = 0;
        if (i == 0 ? expression != NULL : !csp_receives(terms->pool->program, expression, scope))
            status = compile(terms, expression, scope, &codes[i], wrong);
    }
    return status == STATUS_OK ? codes : NULL;
}

enum status csp_closure_make(struct csp_terms *terms, const struct csp_process *process,
                             const struct scope *kept, uint32_t channel,
                             const struct csp_unknown *unknown, uint32_t *closure)
{
    bool wrong = unknown == NULL;
    size_t start = terms->scratch.length;
    code_id *codes = compile_all(terms, process, kept, &wrong);
    enum status status = !codes  ? STATUS_LIMIT
                         : wrong ? (push_place(terms, process, kept) ? STATUS_OK : STATUS_LIMIT)
                                 : push_meaning(terms, process, channel, codes, unknown);
    *closure = UINT32_MAX;
    if (status == STATUS_OK)
        *closure = shared_words_intern(&terms->pool->closure_keys, terms->scratch.items + start,
                                       terms->scratch.length - start);
    terms->scratch.length = start;
    struct closure *made =
        *closure == UINT32_MAX ? NULL : blocks_reach(&terms->pool->closures, *closure);
    if (!made)
        return STATUS_LIMIT;
    if (!made->node) /* of equal inputs the first one's */
        *made = (struct closure){process, kept, codes};
    return STATUS_OK;
}

enum status csp_closure_code(struct csp_terms *terms, const struct closure *closure, uint32_t which,
                             code_id *code, struct error *error)
{
    *code = closure->codes[which];
    if (*code != CODE_WRONG)
        return STATUS_OK;
    const struct csp_process *node = closure->node;
    csp_terms_lock(terms);
    enum status status =
        csp_compile_value(terms->pool->program, which ? node->arguments[which - 1] : node->index,
                          closure->scope, code, error);
    csp_terms_unlock(terms);
    return status;
}
