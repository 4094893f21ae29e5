/* From syntax to terms. Parameters, indices and received values are put in as constants, so equal
 * instances become equal terms; references stay folded until they step, with their arguments
 * unevaluated, which is what gives them the values of variables at that moment. */
#include "csp/instantiate.h"

#include "csp/alphabet.h"
#include "csp/closure.h"
#include "csp/events.h"

#define MAX_DEPTH    2000 /* of processes within processes, indexed forms included */
#define MAX_CHILDREN 100000

#define FAIL(terms, at, ...)                                                                       \
    script_error((terms)->pool->program->module->script, at, error, __VA_ARGS__)

/* A term, or what refusing it means. */
static enum status made(term t, term *result)
{
    *result = t;
    return t == TERM_REFUSED ? STATUS_LIMIT : STATUS_OK;
}

static enum status compile(struct csp_terms *terms, const struct csp_expression *expression,
                           const struct scope *scope, uint32_t *code, struct error *error)
{
    return csp_compile_expression(terms->pool->program, expression, scope, code, error);
}

enum status csp_compile_program(struct csp_terms *terms, const struct csp_process *process,
                                const struct scope *scope, uint32_t *code, struct error *error)
{
    *code = 0;
    return process->program
               ? csp_compile_block(terms->pool->program, process->program, scope, code, error)
               : STATUS_OK;
}

/* Makes a term of `head`, then the code of each expression. */
static enum status make_with_codes(struct csp_terms *terms, enum term_kind kind,
                                   const uint32_t *head, size_t head_length,
                                   struct csp_expression *const *expressions, uint32_t count,
                                   const struct scope *scope, term *result, struct error *error)
{
    size_t start = terms->scratch.length;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < head_length; i++)
        if (!vector_push(&terms->scratch, head[i]))
            status = STATUS_LIMIT;
    for (uint32_t i = 0; status == STATUS_OK && i < count; i++) {
        uint32_t code = 0;
        status = kind == TERM_KIND_EVENT
                     ? compile(terms, expressions[i], scope, &code, error)
                     : csp_compile_value(terms->pool->program, expressions[i], scope, &code, error);
        if (status == STATUS_OK && !vector_push(&terms->scratch, code))
            status = STATUS_LIMIT;
    }
    if (status == STATUS_OK)
        status =
            made(term_make(terms, kind, terms->scratch.items + start, head_length + count), result);
    terms->scratch.length = start;
    return status;
}

/* ---- prefixes ---- */

/* Names of events are numbered through a label that carries the name and the kind alone. */
static enum status name_number(struct csp_terms *terms, const struct csp_event_head *head,
                               uint32_t *number)
{
    const uint32_t kind = head->kind;
    label l = labels_intern_named(terms->pool->labels, LABEL_NAME, head->name, &kind, 1);
    *number = l + 1;
    return l == LABEL_REFUSED ? STATUS_LIMIT : STATUS_OK;
}

static enum status event(struct csp_terms *terms, const struct csp_process *process,
                         const struct scope *scope, term *result, struct error *error)
{
    uint32_t head[3] = {0};
    if (process->event.name &&
        csp_symbol(terms->pool->program, process->event.name).kind != SYMBOL_NONE)
        return FAIL(terms, process->event.at,
                    "expected an event, found `%s`, which is declared as something else",
                    process->event.name);
    uint32_t taken = 0;
    if (process->event.name) {
        const struct csp_event_head named = csp_event_head(terms, &process->event, scope);
        TRY(name_number(terms, &named, &head[0]));
        taken = named.taken;
    }
    TRY(csp_compile_program(terms, process, scope, &head[1], error));
    TRY(csp_instantiate(terms, process->children[0], scope, &head[2], error));
    return make_with_codes(terms, TERM_KIND_EVENT, head, 3, process->event.components + taken,
                           process->event.component_count - taken, scope, result, error);
}

/* Which channel a communication is over, with an index if and only if it needs one. */
static enum status channel_number(struct csp_terms *terms, const struct csp_process *process,
                                  uint32_t *number, struct error *error)
{
    struct symbol symbol = csp_symbol(terms->pool->program, process->name);
    if (symbol.kind != SYMBOL_CHANNEL)
        return FAIL(terms, process->at, "expected a channel, found `%s`, which is none",
                    process->name);
    const struct channel_info *info = &terms->pool->program->channels.items[symbol.index];
    if (info->is_array != (process->index != NULL))
        return FAIL(terms, process->at, "expected %s",
                    info->is_array ? "an index after the array of channels"
                                   : "a channel without an index");
    *number = symbol.index;
    return STATUS_OK;
}

static enum status output(struct csp_terms *terms, const struct csp_process *process,
                          const struct scope *scope, term *result, struct error *error)
{
    uint32_t head[4] = {0};
    TRY(channel_number(terms, process, &head[0], error));
    if (process->index)
        TRY(compile(terms, process->index, scope, &head[1], error));
    TRY(csp_compile_program(terms, process, scope, &head[2], error));
    TRY(csp_instantiate(terms, process->children[0], scope, &head[3], error));
    return make_with_codes(terms, TERM_KIND_OUTPUT, head, 4, process->arguments,
                           process->argument_count, scope, result, error);
}

/* With the names that are received unknown. */
static enum status make_unknown(struct csp_terms *terms, const struct csp_process *process,
                                const struct scope *scope, struct csp_unknown *unknown,
                                struct error *error)
{
    TRY(csp_closure_bind(terms, process, &scope));
    *unknown = (struct csp_unknown){0};
    if (process->condition)
        TRY(compile(terms, process->condition, scope, &unknown->guard, error));
    TRY(csp_compile_program(terms, process, scope, &unknown->program, error));
    return csp_instantiate(terms, process->children[0], scope, &unknown->rest, error);
}

static enum status input(struct csp_terms *terms, const struct csp_process *process,
                         const struct scope *scope, term *result, struct error *error)
{
    uint32_t channel = 0, closure = UINT32_MAX;
    const struct scope *kept = NULL;
    struct csp_unknown unknown;
    struct error ignored; /* it may depend on what is received */
    TRY(channel_number(terms, process, &channel, error));
    TRY(csp_closure_scope(terms, process, scope, &kept));
    enum status status = make_unknown(terms, process, kept, &unknown, &ignored);
    if (status != STATUS_INPUT)
        TRY(status);
    TRY(csp_closure_make(terms, process, kept, channel, status == STATUS_OK ? &unknown : NULL,
                         &closure));
    return made(term_make(terms, TERM_KIND_INPUT, &closure, 1), result);
}

/* ---- references ---- */

static enum status reference(struct csp_terms *terms, const struct csp_process *process,
                             const struct scope *scope, term *result, struct error *error)
{
    struct symbol symbol = csp_symbol(terms->pool->program, process->name);
    if (symbol.kind != SYMBOL_DEFINITION)
        return FAIL(terms, process->at, "expected a process, found `%s`, which is not defined",
                    process->name);
    const struct csp_definition *definition =
        &terms->pool->program->module->definitions.items[symbol.index];
    if (definition->parameter_count != process->argument_count)
        return FAIL(terms, process->at, "expected %u arguments for `%s`, found %u",
                    definition->parameter_count, process->name, process->argument_count);
    return make_with_codes(terms, TERM_KIND_REFERENCE, &symbol.index, 1, process->arguments,
                           process->argument_count, scope, result, error);
}

/* ---- compositions ---- */

static enum term_kind composition_kind(enum csp_process_kind kind)
{
    switch (kind) {
    case PROCESS_CHOICE:
        return TERM_KIND_CHOICE;
    case PROCESS_INTERNAL:
        return TERM_KIND_INTERNAL;
    case PROCESS_EXTERNAL:
        return TERM_KIND_EXTERNAL;
    case PROCESS_INTERLEAVE:
        return TERM_KIND_INTERLEAVE;
    case PROCESS_INTERRUPT:
        return TERM_KIND_INTERRUPT;
    default:
        return TERM_KIND_PARALLEL;
    }
}

/* Children under construction, with their alphabets where they synchronise. */
struct composition {
    struct csp_terms *terms;
    enum term_kind kind;
    const struct csp_process *child; /* of an indexed form */
    VECTOR(term) children;
    VECTOR(uint32_t) alphabets;
};

static enum status add_child(struct composition *composition, const struct csp_process *process,
                             const struct scope *scope, struct error *error)
{
    struct csp_terms *terms = composition->terms;
    term child = 0;
    if (composition->children.length >= MAX_CHILDREN)
        return FAIL(terms, process->at, "expected at most %d components, found more", MAX_CHILDREN);
    TRY(csp_instantiate(terms, process, scope, &child, error));
    if (!vector_push(&composition->children, child))
        return STATUS_LIMIT;
    if (composition->kind == TERM_KIND_PARALLEL) {
        uint32_t set = 0;
        TRY(csp_alphabet(terms, process, scope, &set, error));
        if (!vector_push(&composition->alphabets, set))
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

static enum status visit_child(void *context, const struct scope *scope, struct error *error)
{
    struct composition *composition = context;
    return add_child(composition, composition->child, scope, error);
}

static term make_parallel(struct composition *composition)
{
    struct csp_terms *terms = composition->terms;
    size_t start = terms->scratch.length, count = composition->children.length;
    bool room = vector_push(&terms->scratch, (uint32_t)count);
    for (size_t i = 0; room && i < count; i++)
        room = vector_push(&terms->scratch, composition->children.items[i]);
    for (size_t i = 0; room && i < count; i++)
        room = vector_push(&terms->scratch, composition->alphabets.items[i]);
    term made_term =
        room ? term_make(terms, TERM_KIND_PARALLEL, terms->scratch.items + start, 1 + 2 * count)
             : TERM_REFUSED;
    terms->scratch.length = start;
    return made_term;
}

static term make_composition(struct composition *composition)
{
    struct csp_terms *terms = composition->terms;
    const term *children = composition->children.items;
    size_t count = composition->children.length;
    switch (composition->kind) {
    case TERM_KIND_INTERLEAVE:
        return term_interleave(terms, children, count);
    case TERM_KIND_PARALLEL:
        return count == 0 ? TERM_SKIP : count == 1 ? children[0] : make_parallel(composition);
    case TERM_KIND_INTERRUPT: {
        term left = children[0];
        for (size_t i = 1; i < count && left != TERM_REFUSED; i++) {
            const uint32_t words[] = {left, children[i]};
            left = term_make(terms, TERM_KIND_INTERRUPT, words, 2);
        }
        return left;
    }
    default:
        return term_choice(terms, composition->kind, children, count);
    }
}

static enum status compose(struct csp_terms *terms, const struct csp_process *process,
                           const struct scope *scope, term *result, struct error *error)
{
    bool indexed = process->kind == PROCESS_INDEXED;
    struct composition composition = {
        .terms = terms,
        .kind = composition_kind((enum csp_process_kind)(indexed ? process->operator
                                                                 : process->kind)),
        .child = indexed ? process->children[0] : NULL,
    };
    vector_init(&composition.children, terms->pool->budget);
    vector_init(&composition.alphabets, terms->pool->budget);
    enum status status = STATUS_OK;
    if (indexed)
        status = csp_ranges(terms, process->ranges, process->range_count, scope, visit_child,
                            &composition, error);
    for (uint32_t i = 0; !indexed && status == STATUS_OK && i < process->count; i++)
        status = add_child(&composition, process->children[i], scope, error);
    if (status == STATUS_OK)
        status = made(make_composition(&composition), result);
    vector_release(&composition.children);
    vector_release(&composition.alphabets);
    return status;
}

/* So many copies in a row, each with a place of its own, as have the components of a copy that is
 * an interleaving. In its place each is the only copy of its composition: what is left of copies is
 * never Skip as it is written, however few are left. */
static enum status copies_apart(struct csp_terms *terms, term child, uint32_t count, term *result)
{
    bool several = term_kind_of(terms, child) == TERM_KIND_INTERLEAVE;
    size_t length;
    (void)term_words(terms, child, &length);
    size_t own = several ? length : 1, places = count * own;
    VECTOR(term) children;
    vector_init(&children, terms->pool->budget);
    bool room = vector_reserve(&children, places);
    for (size_t i = 0; room && i < places; i++) {
        const uint32_t pair[] = {1, several ? term_words(terms, child, &length)[i % own] : child};
        children.items[i] = term_copies(terms, false, pair, 1);
    }
    *result = room ? term_interleave(terms, children.items, places) : TERM_REFUSED;
    vector_release(&children);
    return made(*result, result);
}

static enum status copies(struct csp_terms *terms, const struct csp_process *process,
                          const struct scope *scope, term *result, struct error *error)
{
    int32_t count = (int32_t)terms->pool->counting.copies;
    term child = 0;
    if (process->condition)
        TRY(csp_constant_integer(terms->pool->program, process->condition, scope,
                                 "the number of copies", 0, INT32_MAX, &count, error));
    TRY(csp_instantiate(terms, process->children[0], scope, &child, error));
    bool any = !process->condition && count == 0;
    if (terms->pool->counting.apart && !any)
        return copies_apart(terms, child, (uint32_t)count, result);
    const uint32_t pair[] = {any ? COPIES_ANY : (uint32_t)count, child};
    return made(term_copies(terms, any, pair, 1), result);
}

/* ---- the rest ---- */

static enum status sequence(struct csp_terms *terms, const struct csp_process *process,
                            const struct scope *scope, term *result, struct error *error)
{
    TRY(csp_instantiate(terms, process->children[process->count - 1], scope, result, error));
    for (uint32_t i = process->count - 1; i-- > 0;) {
        term first = 0;
        TRY(csp_instantiate(terms, process->children[i], scope, &first, error));
        TRY(made(term_sequence(terms, first, *result), result));
    }
    return STATUS_OK;
}

static enum status conditional(struct csp_terms *terms, const struct csp_process *process,
                               const struct scope *scope, term *result, struct error *error)
{
    static const uint8_t kinds[] = {
        [PROCESS_GUARD] = TERM_KIND_GUARD,
        [PROCESS_IF] = TERM_KIND_IF,
        [PROCESS_IF_ATOMIC] = TERM_KIND_IF_ATOMIC,
        [PROCESS_IF_BLOCKING] = TERM_KIND_IF_BLOCKING,
    };
    uint32_t words[3] = {0, 0, TERM_SKIP};
    TRY(compile(terms, process->condition, scope, &words[0], error));
    TRY(csp_instantiate(terms, process->children[0], scope, &words[1], error));
    bool two = process->kind == PROCESS_IF || process->kind == PROCESS_IF_ATOMIC;
    if (two && process->children[1])
        TRY(csp_instantiate(terms, process->children[1], scope, &words[2], error));
    return made(term_make(terms, (enum term_kind)kinds[process->kind], words, two ? 3 : 2), result);
}

static enum status cases(struct csp_terms *terms, const struct csp_process *process,
                         const struct scope *scope, term *result, struct error *error)
{
    size_t start = terms->scratch.length;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < process->count; i++) {
        uint32_t code = 0;
        term child = 0;
        if (process->conditions[i])
            status = compile(terms, process->conditions[i], scope, &code, error);
        if (status == STATUS_OK)
            status = csp_instantiate(terms, process->children[i], scope, &child, error);
        if (status == STATUS_OK &&
            (!vector_push(&terms->scratch, code) || !vector_push(&terms->scratch, child)))
            status = STATUS_LIMIT;
    }
    if (status == STATUS_OK)
        status = made(term_make(terms, TERM_KIND_CASE, terms->scratch.items + start,
                                terms->scratch.length - start),
                      result);
    terms->scratch.length = start;
    return status;
}

/* What is hidden of a channel must be something that can happen on it. */
static enum status check_hidden(struct csp_terms *terms, const struct csp_event *event,
                                struct error *error)
{
    struct symbol symbol = csp_symbol(terms->pool->program, event->name);
    if (symbol.kind != SYMBOL_CHANNEL)
        return STATUS_OK;
    const struct channel_info *info = &terms->pool->program->channels.items[symbol.index];
    const char *index = info->is_array ? "[i]" : "";
    if (info->is_array == (event->index != NULL) && (info->capacity > 0) == (event->direction != 0))
        return STATUS_OK;
    if (info->capacity > 0)
        return FAIL(terms, event->at,
                    "expected `%s%s!v` or `%s%s?v`, which sends or receives over the channel `%s`",
                    info->name, index, info->name, index, info->name);
    return FAIL(terms, event->at, "expected `%s%s.v`, which happens on the channel `%s`",
                info->name, index, info->name);
}

static enum status hide(struct csp_terms *terms, const struct csp_process *process,
                        const struct scope *scope, term *result, struct error *error)
{
    uint32_t set = 0;
    term child = 0;
    for (uint32_t i = 0; i < process->hidden_count; i++)
        TRY(check_hidden(terms, &process->hidden[i].event, error));
    TRY(csp_event_sets(terms, process->hidden, process->hidden_count, scope, &set, error));
    TRY(csp_instantiate(terms, process->children[0], scope, &child, error));
    return made(term_hide(terms, set, child), result);
}

static enum status instantiate(struct csp_terms *terms, const struct csp_process *process,
                               const struct scope *scope, term *result, struct error *error)
{
    uint32_t word = 0;
    switch ((enum csp_process_kind)process->kind) {
    case PROCESS_STOP:
        return made(TERM_STOP, result);
    case PROCESS_SKIP:
        return made(TERM_SKIP, result);
    case PROCESS_EVENT:
        return event(terms, process, scope, result, error);
    case PROCESS_OUTPUT:
        return output(terms, process, scope, result, error);
    case PROCESS_INPUT:
        return input(terms, process, scope, result, error);
    case PROCESS_REFERENCE:
        return reference(terms, process, scope, result, error);
    case PROCESS_SEQUENCE:
        return sequence(terms, process, scope, result, error);
    case PROCESS_GUARD:
    case PROCESS_IF:
    case PROCESS_IF_ATOMIC:
    case PROCESS_IF_BLOCKING:
        return conditional(terms, process, scope, result, error);
    case PROCESS_CASE:
        return cases(terms, process, scope, result, error);
    case PROCESS_HIDE:
        return hide(terms, process, scope, result, error);
    case PROCESS_ATOMIC:
        TRY(csp_instantiate(terms, process->children[0], scope, &word, error));
        return made(term_atomic(terms, word), result);
    case PROCESS_ASSERT:
        TRY(compile(terms, process->condition, scope, &word, error));
        return made(term_make(terms, TERM_KIND_ASSERT, &word, 1), result);
    case PROCESS_COPIES:
        return copies(terms, process, scope, result, error);
    default:
        return compose(terms, process, scope, result, error);
    }
}

/* Notes what the term was made of, unless that was noted before. */
static enum status keep_origin(struct csp_terms *terms, term t, const struct csp_process *process,
                               const struct scope *scope)
{
    struct origin *origin = blocks_reach(&terms->pool->origins, t);
    if (!origin)
        return STATUS_LIMIT;
    if (origin->process)
        return STATUS_OK;
    struct scope *inner = NULL;
    for (; scope; scope = scope->outer) {
        struct scope *copy = arena_allocate(&terms->pool->arena, sizeof *copy);
        if (!copy)
            return STATUS_LIMIT;
        *copy = *scope;
        copy->outer = NULL;
        if (inner)
            inner->outer = copy;
        else
            origin->scope = copy;
        inner = copy;
    }
    origin->process = process;
    return STATUS_OK;
}

enum status csp_instantiate(struct csp_terms *terms, const struct csp_process *process,
                            const struct scope *scope, term *result, struct error *error)
{
    if (terms->depth >= MAX_DEPTH)
        return FAIL(terms, process->at,
                    "expected at most %d processes within one another, found "
                    "more",
                    MAX_DEPTH);
    terms->depth++;
    enum status status = instantiate(terms, process, scope, result, error);
    if (status == STATUS_OK)
        status = keep_origin(terms, *result, process, scope);
    terms->depth--;
    return status;
}
