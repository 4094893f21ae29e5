#include "csp/unfold.h"

#include "csp/instantiate.h"
#include "csp/mentions.h"
#include "csp/message.h"

#define FAIL(terms, at, ...)                                                                       \
    script_error((terms)->pool->program->module->script, at, error, __VA_ARGS__)

/* ---- creation ---- */

void csp_unfolded_init(struct csp_unfolded *unfolded, struct budget *budget)
{
    unfolded->budget = budget;
    shared_words_init(&unfolded->body_keys, budget);
    blocks_init(&unfolded->bodies, budget, sizeof(_Atomic term));
    shared_words_init(&unfolded->instance_keys, budget);
    blocks_init(&unfolded->instances, budget, sizeof(struct kept_instance));
}

void csp_unfolded_release(struct csp_unfolded *unfolded)
{
    if (!unfolded->budget)
        return;
    shared_words_release(&unfolded->body_keys);
    blocks_release(&unfolded->bodies);
    shared_words_release(&unfolded->instance_keys);
    blocks_release(&unfolded->instances);
}

/* ---- references ---- */

static enum status check_parameter(struct csp_terms *terms, const struct csp_definition *definition,
                                   const struct csp_parameter *parameter, datum argument,
                                   struct error *error)
{
    int32_t low = INTEGER_SMALLEST, high = INT32_MAX;
    if (parameter->low)
        TRY(csp_constant_integer(terms->pool->program, parameter->low, NULL, "the least value",
                                 INTEGER_SMALLEST, INT32_MAX, &low, error));
    if (parameter->high)
        TRY(csp_constant_integer(terms->pool->program, parameter->high, NULL, "the greatest value",
                                 INTEGER_SMALLEST, INT32_MAX, &high, error));
    if (!parameter->low && !parameter->high)
        return STATUS_OK;
    if (datum_tag_of(argument) != DATUM_INTEGER)
        return FAIL(terms, definition->at, "expected an integer as `%s` of `%s`, found %s",
                    parameter->name, definition->name,
                    datum_is_array(argument) ? "an array" : "a boolean");
    if (datum_bits(argument) < low || datum_bits(argument) > high)
        return FAIL(terms, definition->at, "expected `%s` of `%s` between %d and %d, found %d",
                    parameter->name, definition->name, low, high, datum_bits(argument));
    return STATUS_OK;
}

static enum status make_body(struct csp_terms *terms, const struct csp_definition *definition,
                             const datum *arguments, size_t count, term *body, struct error *error)
{
    struct scope *scopes = arena_allocate(&terms->pool->arena, (count + 1) * sizeof *scopes);
    if (!scopes)
        return STATUS_LIMIT;
    const struct scope *scope = NULL;
    for (size_t i = 0; i < count; i++) {
        if (datum_tag_of(arguments[i]) == DATUM_OBJECT && !datum_is_array(arguments[i]))
            return FAIL(terms, definition->at,
                        "expected an integer or a boolean as `%s` of `%s`, "
                        "found a collection",
                        definition->parameters[i].name, definition->name);
        TRY(check_parameter(terms, definition, &definition->parameters[i], arguments[i], error));
        scopes[i] = (struct scope){.outer = scope,
                                   .name = definition->parameters[i].name,
                                   .kind = BOUND_CONSTANT,
                                   .binder = &definition->parameters[i],
                                   .constant = arguments[i]};
        scope = &scopes[i];
    }
    return csp_instantiate(terms, definition->body, scope, body, error);
}

/* What failed before fails again, so that its error is told each time. */
static enum status keep_body(struct csp_terms *terms, const struct csp_definition *definition,
                             const datum *arguments, size_t count, _Atomic term *kept,
                             struct error *error)
{
    term body = atomic_load(kept); /* made by now, perhaps */
    if (body)
        return STATUS_OK;
    TRY(make_body(terms, definition, arguments, count, &body, error));
    atomic_store(kept, body + 1);
    return STATUS_OK;
}

enum status csp_unfold(struct csp_terms *terms, struct csp_unfolded *unfolded, uint32_t definition,
                       const datum *arguments, size_t count, term *body, struct error *error)
{
    const struct csp_module *module = terms->pool->program->module;
    size_t start = terms->scratch.length;
    bool room = vector_push(&terms->scratch, definition);
    for (size_t i = 0; room && i < count; i++)
        room = vector_push(&terms->scratch, datum_to_slot(arguments[i])) &&
               vector_push(&terms->scratch, datum_tag_of(arguments[i]) == DATUM_OBJECT);
    uint32_t number = UINT32_MAX;
    if (room)
        number = shared_words_intern(&unfolded->body_keys, terms->scratch.items + start,
                                     terms->scratch.length - start);
    terms->scratch.length = start;
    _Atomic term *kept = number == UINT32_MAX ? NULL : blocks_reach(&unfolded->bodies, number);
    if (!kept)
        return STATUS_LIMIT;
    if (atomic_load_explicit(kept, memory_order_acquire) == 0) {
        csp_terms_lock(terms);
        enum status status =
            keep_body(terms, &module->definitions.items[definition], arguments, count, kept, error);
        csp_terms_unlock(terms);
        TRY(status);
    }
    *body = atomic_load_explicit(kept, memory_order_acquire) - 1;
    return STATUS_OK;
}

/* ---- inputs ---- */

static enum status make_instance(struct csp_terms *terms, const struct closure *closure,
                                 const uint32_t *values, size_t count, struct instance *instance,
                                 struct error *error)
{
    const struct csp_process *node = closure->node;
    struct scope *bound = arena_allocate(&terms->pool->arena, (count + 1) * sizeof *bound);
    if (!bound)
        return STATUS_LIMIT;
    const struct scope *scope = closure->scope;
    size_t i = 0;
    for (size_t at = 0; at < count; at += message_part(values + at), i++) {
        if (!csp_receives(terms->pool->program, node->arguments[i], scope))
            continue;
        bound[i] =
            (struct scope){.outer = scope,
                           .name = node->arguments[i]->name,
                           .kind = BOUND_CONSTANT,
                           .constant = message_value(terms->pool->program->objects, values + at)};
        if (bound[i].constant == DATUM_REFUSED)
            return STATUS_LIMIT;
        scope = &bound[i];
    }
    assert(i == node->argument_count);
    *instance = (struct instance){0};
    if (node->condition)
        TRY(csp_compile_expression(terms->pool->program, node->condition, scope, &instance->guard,
                                   error));
    TRY(csp_compile_program(terms, node, scope, &instance->program, error));
    return csp_instantiate(terms, node->children[0], scope, &instance->rest, error);
}

static enum status keep_instance(struct csp_terms *terms, uint32_t closure, const uint32_t *values,
                                 size_t count, struct kept_instance *kept, struct error *error)
{
    struct instance made = {0};
    if (atomic_load(&kept->rest)) /* made by now, perhaps */
        return STATUS_OK;
    TRY(make_instance(terms, csp_closure(terms->pool, closure), values, count, &made, error));
    kept->guard = made.guard;
    kept->program = made.program;
    atomic_store(&kept->rest, made.rest + 1);
    return STATUS_OK;
}

enum status csp_receive(struct csp_terms *terms, struct csp_unfolded *unfolded, uint32_t closure,
                        const uint32_t *values, size_t count, struct instance *instance,
                        struct error *error)
{
    size_t start = terms->scratch.length;
    bool room = vector_push(&terms->scratch, closure);
    for (size_t i = 0; room && i < count; i++)
        room = vector_push(&terms->scratch, values[i]);
    uint32_t number = UINT32_MAX;
    if (room)
        number =
            shared_words_intern(&unfolded->instance_keys, terms->scratch.items + start, count + 1);
    terms->scratch.length = start;
    struct kept_instance *kept =
        number == UINT32_MAX ? NULL : blocks_reach(&unfolded->instances, number);
    if (!kept)
        return STATUS_LIMIT;
    if (atomic_load_explicit(&kept->rest, memory_order_acquire) == 0) {
        csp_terms_lock(terms);
        enum status status = keep_instance(terms, closure, values, count, kept, error);
        csp_terms_unlock(terms);
        TRY(status);
    }
    term rest = atomic_load_explicit(&kept->rest, memory_order_acquire);
    *instance = (struct instance){kept->guard, kept->program, rest - 1};
    return STATUS_OK;
}
