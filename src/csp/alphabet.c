/* Alphabets: which events a component of `||` must take part in, found in the syntax.
 *
 * The plain events of its body and of the processes it refers to, each unfolded once for each list
 * of constant arguments it comes up with: no invisible events, none with a program (data operations
 * never synchronise), none of channels. An event or argument that depends on variables, or a
 * process that comes up with ever other arguments, has no alphabet that can be computed: the model
 * must give one with #alphabet. */
#include "csp/alphabet.h"

#include <string.h>

#include "csp/events.h"
#include "csp/mentions.h"

/* A definition that was unfolded, with its arguments. */
struct unfolding {
    uint32_t definition;
    const datum *arguments;
    bool hidden; /* some of its events: it adds them where it comes up again */
};

#define MAX_DEPTH      5000 /* of processes within processes and behind references */
#define MAX_UNFOLDINGS 1000 /* of one process: more come of arguments that grow without end */

struct alphabet {
    struct csp_terms *terms;
    unsigned depth;
    VECTOR(label) labels;
    VECTOR(struct unfolding) done;   /* every definition met */
    const struct csp_process *child; /* of the indexed form being expanded */
};

#define FAIL(alphabet, at, ...)                                                                    \
    script_error((alphabet)->terms->pool->program->module->script, at, error, __VA_ARGS__)

static enum status collect(struct alphabet *alphabet, const struct csp_process *process,
                           const struct scope *scope, struct error *error);

static enum status collect_event(struct alphabet *alphabet, const struct csp_event *event,
                                 const struct scope *scope, struct error *error)
{
    struct csp_terms *terms = alphabet->terms;
    for (uint32_t i = csp_event_head(terms, event, scope).taken; i < event->component_count; i++) {
        code_id code = 0;
        datum constant = 0;
        TRY(csp_compile_expression(terms->pool->program, event->components[i], scope, &code,
                                   error));
        if (!code_is_constant(terms->pool->program->codes, code, &constant))
            return FAIL(alphabet, event->at,
                        "expected an alphabet that can be computed, found the "
                        "event `%s` with a component that depends on "
                        "variables: declare it with #alphabet",
                        event->name);
    }
    label l = 0;
    TRY(csp_event_label(terms, event, scope, &l, error));
    return vector_push(&alphabet->labels, l) ? STATUS_OK : STATUS_LIMIT;
}

static enum status collect_set(struct alphabet *alphabet, uint32_t set)
{
    size_t count;
    const uint32_t *items = shared_words_get(&alphabet->terms->pool->label_sets, set, &count);
    for (size_t i = 0; i < count; i++)
        if (!vector_push(&alphabet->labels, items[i]))
            return STATUS_LIMIT;
    return STATUS_OK;
}

/* #alphabet of a definition, if there is one. */
static const struct csp_alphabet *declared(const struct alphabet *alphabet, const char *process)
{
    const struct csp_module *module = alphabet->terms->pool->program->module;
    for (size_t i = 0; i < module->alphabets.length; i++)
        if (module->alphabets.items[i].process == process)
            return &module->alphabets.items[i];
    return NULL;
}

/* Whether the definition was unfolded with these arguments: again it adds nothing. And with how
 * many lists of arguments, those under a hiding included. */
static bool met_before(const struct alphabet *alphabet, uint32_t definition, const datum *arguments,
                       uint32_t count, unsigned *unfoldings)
{
    *unfoldings = 0;
    for (size_t i = 0; i < alphabet->done.length; i++) {
        const struct unfolding *done = &alphabet->done.items[i];
        if (done->definition != definition)
            continue;
        ++*unfoldings;
        if (!done->hidden &&
            (count == 0 || memcmp(done->arguments, arguments, count * sizeof *arguments) == 0))
            return true;
    }
    return false;
}

static enum status collect_reference(struct alphabet *alphabet, const struct csp_process *process,
                                     const struct scope *scope, struct error *error)
{
    struct csp_terms *terms = alphabet->terms;
    struct symbol symbol = csp_symbol(terms->pool->program, process->name);
    if (symbol.kind != SYMBOL_DEFINITION)
        return STATUS_OK; /* instantiation has complained */
    const struct csp_definition *definition =
        &terms->pool->program->module->definitions.items[symbol.index];
    uint32_t count = process->argument_count;
    datum *arguments = arena_allocate(&terms->pool->arena, (count + 1) * sizeof *arguments);
    struct scope *scopes = arena_allocate(&terms->pool->arena, (count + 1) * sizeof *scopes);
    if (!arguments || !scopes)
        return STATUS_LIMIT;
    const struct csp_alphabet *given = declared(alphabet, process->name);
    const struct scope *inner = NULL;
    for (uint32_t i = 0; i < count; i++) {
        code_id code = 0;
        scopes[i] = (struct scope){
            .outer = inner, .name = definition->parameters[i].name, .kind = BOUND_CONSTANT};
        TRY(csp_compile_value(terms->pool->program, process->arguments[i], scope, &code, error));
        if (!code_is_constant(terms->pool->program->codes, code, &scopes[i].constant)) {
            if (!given)
                return FAIL(alphabet, process->arguments[i]->at,
                            "expected an alphabet that can be computed, found `%s` with an "
                            "argument that depends on variables: declare it with #alphabet",
                            process->name);
            scopes[i].kind = BOUND_LOCAL; /* no constant, should the given alphabet need it */
        }
        arguments[i] = scopes[i].constant;
        inner = &scopes[i];
    }
    if (given) {
        uint32_t set = 0;
        TRY(csp_event_sets(terms, given->events, given->event_count, inner, &set, error));
        return collect_set(alphabet, set);
    }
    unsigned unfoldings;
    if (met_before(alphabet, symbol.index, arguments, count, &unfoldings))
        return STATUS_OK;
    if (unfoldings >= MAX_UNFOLDINGS && count > 0)
        return FAIL(alphabet, process->at,
                    "expected an alphabet that can be computed, found `%s` again with other "
                    "arguments after %d times: declare the alphabet with #alphabet",
                    process->name, MAX_UNFOLDINGS);
    if (!vector_push(&alphabet->done, ((struct unfolding){symbol.index, arguments, false})))
        return STATUS_LIMIT;
    return collect(alphabet, definition->body, inner, error);
}

static enum status visit_child(void *context, const struct scope *scope, struct error *error)
{
    struct alphabet *alphabet = context;
    const struct csp_process *child = alphabet->child;
    enum status status = collect(alphabet, child, scope, error);
    alphabet->child = child;
    return status;
}

/* P \ X: what is hidden does not synchronise. */
static enum status collect_hidden(struct alphabet *alphabet, const struct csp_process *process,
                                  const struct scope *scope, struct error *error)
{
    uint32_t set = 0;
    size_t start = alphabet->labels.length, kept = start, done = alphabet->done.length;
    TRY(csp_event_sets(alphabet->terms, process->hidden, process->hidden_count, scope, &set,
                       error));
    TRY(collect(alphabet, process->children[0], scope, error));
    for (size_t i = start; i < alphabet->labels.length; i++)
        if (!label_set_has(alphabet->terms, set, alphabet->labels.items[i]))
            alphabet->labels.items[kept++] = alphabet->labels.items[i];
    alphabet->labels.length = kept;
    for (; done < alphabet->done.length; done++)
        alphabet->done.items[done].hidden = true;
    return STATUS_OK;
}

/* What follows an input, from its argument `i` on: received names are no constants here. */
static enum status collect_input(struct alphabet *alphabet, const struct csp_process *process,
                                 uint32_t i, const struct scope *scope, struct error *error)
{
    if (i == process->argument_count)
        return collect(alphabet, process->children[0], scope, error);
    const struct csp_expression *argument = process->arguments[i];
    const struct scope inner = {.outer = scope, .name = argument->name, .kind = BOUND_LOCAL};
    return collect_input(
        alphabet, process, i + 1,
        csp_receives(alphabet->terms->pool->program, argument, scope) ? &inner : scope, error);
}

static enum status collect_below(struct alphabet *alphabet, const struct csp_process *process,
                                 const struct scope *scope, struct error *error)
{
    switch ((enum csp_process_kind)process->kind) {
    case PROCESS_REFERENCE:
        return collect_reference(alphabet, process, scope, error);
    case PROCESS_HIDE:
        return collect_hidden(alphabet, process, scope, error);
    case PROCESS_INPUT:
        return collect_input(alphabet, process, 0, scope, error);
    case PROCESS_INDEXED:
        alphabet->child = process->children[0];
        return csp_ranges(alphabet->terms, process->ranges, process->range_count, scope,
                          visit_child, alphabet, error);
    case PROCESS_EVENT:
        if (process->event.name && !process->program)
            TRY(collect_event(alphabet, &process->event, scope, error));
        break;
    default:
        break;
    }
    for (uint32_t i = 0; i < process->count; i++)
        if (process->children[i])
            TRY(collect(alphabet, process->children[i], scope, error));
    return STATUS_OK;
}

static enum status collect(struct alphabet *alphabet, const struct csp_process *process,
                           const struct scope *scope, struct error *error)
{
    if (alphabet->depth == MAX_DEPTH)
        return FAIL(alphabet, process->at,
                    "expected an alphabet that can be computed, found more than %d processes "
                    "behind one another: declare it with #alphabet",
                    MAX_DEPTH);
    alphabet->depth++;
    enum status status = collect_below(alphabet, process, scope, error);
    alphabet->depth--;
    return status;
}

enum status csp_alphabet(struct csp_terms *terms, const struct csp_process *process,
                         const struct scope *scope, uint32_t *set, struct error *error)
{
    struct alphabet alphabet = {.terms = terms};
    vector_init(&alphabet.labels, terms->pool->budget);
    vector_init(&alphabet.done, terms->pool->budget);
    enum status status = collect(&alphabet, process, scope, error);
    if (status == STATUS_OK) {
        *set = csp_label_set(terms, alphabet.labels.items, alphabet.labels.length);
        if (*set == UINT32_MAX)
            status = STATUS_LIMIT;
    }
    vector_release(&alphabet.labels);
    vector_release(&alphabet.done);
    return status;
}
