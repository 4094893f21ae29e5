/* Goes through the module with a list, on the stack, of the names that are bound around the place;
 * every other name must be a symbol of the right kind. A declaration that is wrong does not hide
 * what is wrong with the next. */
#include "csp/names.h"

#include <string.h>

#include "csp/functions.h"
#include "lang/faults.h"
#include "lang/references.h"

/* Names bound around a place: parameters, indices, inputs, locals. */
struct bound {
    const struct bound *outer;
    const char *name;
    place declared;
    uint8_t kind; /* enum reference_kind */
};

struct check {
    const struct csp_program *program;
    struct error *error;
};

#define FAIL(check, at, ...)                                                                       \
    script_error((check)->program->module->script, at, (check)->error, __VA_ARGS__)

static const struct bound *find_bound(const struct bound *bound, const char *name)
{
    while (bound && bound->name != name)
        bound = bound->outer;
    return bound;
}

/* Binds a name, and notes that it is declared there. */
static struct bound bind(const struct check *check, const struct bound *outer, const char *name,
                         place at, enum reference_kind kind)
{
    references_add(check->program->module->script, at, name, at, kind);
    return (struct bound){outer, name, at, (uint8_t)kind};
}

/* Notes what a global name means: of `list$Field` the list, and the field, which its type has. */
static void note_symbol(const struct check *check, place at, struct symbol symbol)
{
    const struct csp_module *module = check->program->module;
    const struct csp_variable *variable;
    switch (symbol.kind) {
    case SYMBOL_MACRO:
        references_add(module->script, at, symbol.name, module->macros.items[symbol.index].at,
                       REFERENCE_CONSTANT);
        return;
    case SYMBOL_VARIABLE:
        variable = &module->variables.items[symbol.index];
        if (variable->owner) {
            uint32_t before = (uint32_t)strlen(variable->owner) + 1;
            note_symbol(check, at, csp_symbol(check->program, variable->owner));
            references_add_builtin(module->script, at + before, variable->name + before,
                                   REFERENCE_FIELD);
        } else
            references_add(module->script, at, symbol.name, variable->at, REFERENCE_VARIABLE);
        return;
    case SYMBOL_CHANNEL:
        references_add(module->script, at, symbol.name, module->channels.items[symbol.index].at,
                       REFERENCE_CHANNEL);
        return;
    case SYMBOL_DEFINITION:
        references_add(module->script, at, symbol.name, module->definitions.items[symbol.index].at,
                       REFERENCE_PROCESS);
        return;
    default:
        return;
    }
}

/* Notes an event, which nothing declares, unless its name means something everywhere. */
static void note_event(const struct check *check, place at, const char *name)
{
    static const char *const known[] = {"inv", "res", "lin", "terminate", "init", "tau"};
    for (size_t i = 0; i < ARRAY_LENGTH(known); i++)
        if (strcmp(known[i], name) == 0)
            return;
    references_add_shared(check->program->module->script, at, name, REFERENCE_EVENT);
}

/* Whether events of that name are calls and returns: the operation's name is their first component.
 */
static bool is_of_operations(const char *name)
{
    return strcmp(name, "inv") == 0 || strcmp(name, "res") == 0 || strcmp(name, "lin") == 0;
}

static const char *what(struct symbol symbol)
{
    static const char *const words[] = {"which is not declared", "which is a constant or macro",
                                        "which is a variable", "which is a channel",
                                        "which is a process"};
    return words[symbol.kind];
}

/* ---- expressions ---- */

static enum status check_expression(const struct check *check, const struct csp_expression *node,
                                    const struct bound *bound);

static enum status check_all(const struct check *check, struct csp_expression *const *nodes,
                             uint32_t count, const struct bound *bound)
{
    for (uint32_t i = 0; i < count; i++)
        TRY(check_expression(check, nodes[i], bound));
    return STATUS_OK;
}

/* Binds the ranges' names one within the other, then goes on with `then`. */
typedef enum status after_ranges(const struct check *check, const void *node,
                                 const struct bound *bound);

static enum status check_ranges(const struct check *check, const struct csp_range *ranges,
                                uint32_t count, const struct bound *bound, after_ranges *then,
                                const void *node)
{
    if (count == 0)
        return then(check, node, bound);
    const struct bound inner = bind(check, bound, ranges->name, ranges->at, REFERENCE_LOCAL);
    TRY(check_all(check, ranges->values, ranges->value_count, bound));
    return check_ranges(check, ranges + 1, count - 1, &inner, then, node);
}

static enum status indexed_operand(const struct check *check, const void *node,
                                   const struct bound *bound)
{
    return check_expression(check, ((const struct csp_expression *)node)->operands[0], bound);
}

static enum status check_call(const struct check *check, const struct csp_expression *node,
                              const struct bound *bound)
{
    static const char *const queries[] = {"cfull", "cempty", "ccount", "csize", "cpeek"};
    for (size_t i = 0; i < ARRAY_LENGTH(queries); i++)
        if (strcmp(queries[i], node->name) == 0) { /* of a channel: the compiler looks at it */
            if (node->count && node->operands[0]->kind == EXPRESSION_NAME)
                note_symbol(check, node->operands[0]->at,
                            csp_symbol(check->program, node->operands[0]->name));
            return STATUS_OK;
        }
    struct symbol symbol = csp_symbol(check->program, node->name);
    note_symbol(check, node->name_at, symbol);
    if (symbol.kind != SYMBOL_MACRO && csp_function_arguments(node->name) == 0)
        return FAIL(check, node->at,
                    "expected a macro or a function of channels (cfull, cempty, ccount, csize, "
                    "cpeek), found `%s`; write the C# function as `#define %s(...) ...;`, in the "
                    "model or in the file of the library's name beside it",
                    node->name, node->name);
    return check_all(check, node->operands, node->count, bound);
}

/* What stands for a process: its name and as many arguments as it has parameters. */
static enum status check_arguments(const struct check *check, place at, const char *name,
                                   uint32_t arguments)
{
    struct symbol symbol = csp_symbol(check->program, name);
    note_symbol(check, at, symbol);
    if (symbol.kind != SYMBOL_DEFINITION)
        return FAIL(check, at, "expected a process, found `%s`, %s", name, what(symbol));
    uint32_t parameters = check->program->module->definitions.items[symbol.index].parameter_count;
    if (parameters != arguments)
        return FAIL(check, at, "expected %u argument%s for `%s`, found %u", parameters,
                    parameters == 1 ? "" : "s", name, arguments);
    return STATUS_OK;
}

static enum status check_at_work(const struct check *check, const struct csp_expression *node,
                                 const struct bound *bound)
{
    TRY(check_arguments(check, node->name_at, node->name, node->count));
    return check_all(check, node->operands, node->count, bound);
}

static enum status check_name(const struct check *check, const struct csp_expression *node,
                              const struct bound *bound)
{
    struct symbol symbol = csp_symbol(check->program, node->name);
    const struct bound *inner = find_bound(bound, node->name);
    if (inner)
        references_add(check->program->module->script, node->at, node->name, inner->declared,
                       (enum reference_kind)inner->kind);
    else
        note_symbol(check, node->at, symbol);
    if (inner || symbol.kind == SYMBOL_MACRO || symbol.kind == SYMBOL_VARIABLE)
        return STATUS_OK;
    return FAIL(check, node->at, "expected a variable or constant, found `%s`, %s", node->name,
                what(symbol));
}

static enum status check_expression(const struct check *check, const struct csp_expression *node,
                                    const struct bound *bound)
{
    if (!node)
        return STATUS_OK;
    switch ((enum csp_expression_kind)node->kind) {
    case EXPRESSION_NAME:
        return check_name(check, node, bound);
    case EXPRESSION_CALL:
        return check_call(check, node, bound);
    case EXPRESSION_AT_WORK:
        return check_at_work(check, node, bound);
    case EXPRESSION_METHOD:
        references_add_builtin(check->program->module->script, node->name_at, node->name,
                               REFERENCE_METHOD);
        return check_all(check, node->operands, node->count, bound);
    case EXPRESSION_INDEXED:
        return check_ranges(check, node->ranges, node->range_count, bound, indexed_operand, node);
    default:
        return check_all(check, node->operands, node->count, bound);
    }
}

/* ---- programs ---- */

static enum status check_statement(const struct check *check, const struct csp_statement *node,
                                   const struct bound *bound);

/* A local is bound in the rest of its block. */
static enum status check_block(const struct check *check, const struct csp_statement *node,
                               uint32_t from, const struct bound *bound)
{
    for (uint32_t i = from; i < node->count; i++) {
        const struct csp_statement *child = node->children[i];
        TRY(check_statement(check, child, bound));
        if (child->kind == STATEMENT_LOCAL) {
            const struct bound inner = bind(check, bound, child->name, child->at, REFERENCE_LOCAL);
            return check_block(check, node, i + 1, &inner);
        }
    }
    return STATUS_OK;
}

static enum status check_statement(const struct check *check, const struct csp_statement *node,
                                   const struct bound *bound)
{
    if (!node)
        return STATUS_OK;
    TRY(check_all(check, node->sizes, node->size_count, bound));
    TRY(check_expression(check, node->condition, bound));
    return check_block(check, node, 0, bound);
}

/* ---- processes ---- */

static enum status check_process(const struct check *check, const struct csp_process *node,
                                 const struct bound *bound);

static enum status check_event(const struct check *check, const struct csp_event *event,
                               const struct bound *bound)
{
    uint32_t first = 0;
    if (event->component_count && event->components[0]->kind == EXPRESSION_NAME &&
        is_of_operations(event->name)) {
        references_add_shared(check->program->module->script, event->components[0]->at,
                              event->components[0]->name, REFERENCE_OPERATION);
        first = 1;
    }
    TRY(check_expression(check, event->index, bound));
    return check_all(check, event->components + first, event->component_count - first, bound);
}

static enum status set_event(const struct check *check, const void *node, const struct bound *bound)
{
    const struct csp_event *event = node;
    struct symbol symbol = csp_symbol(check->program, event->name);
    bool channel = event->direction || event->index;
    if (symbol.kind != SYMBOL_CHANNEL && (channel || symbol.kind != SYMBOL_NONE))
        return FAIL(check, event->at, "expected %s, found `%s`, %s",
                    channel ? "a channel" : "an event or channel", event->name, what(symbol));
    if (symbol.kind == SYMBOL_NONE)
        note_event(check, event->at, event->name);
    else
        note_symbol(check, event->at, symbol);
    return check_event(check, event, bound);
}

static enum status check_sets(const struct check *check, const struct csp_event_set *sets,
                              uint32_t count, const struct bound *bound)
{
    for (uint32_t i = 0; i < count; i++)
        TRY(check_ranges(check, sets[i].ranges, sets[i].range_count, bound, set_event,
                         &sets[i].event));
    return STATUS_OK;
}

static enum status check_prefix(const struct check *check, const struct csp_process *node,
                                const struct bound *bound)
{
    struct symbol symbol =
        node->event.name ? csp_symbol(check->program, node->event.name) : (struct symbol){0};
    if (symbol.kind != SYMBOL_NONE)
        return FAIL(check, node->event.at, "expected an event, found `%s`, %s", node->event.name,
                    what(symbol));
    if (node->event.name)
        note_event(check, node->event.at, node->event.name);
    if (node->event.name)
        TRY(check_event(check, &node->event, bound));
    TRY(check_statement(check, node->program, bound));
    return check_process(check, node->children[0], bound);
}

/* Names that mean nothing yet receive, from the first argument on. */
static enum status check_input(const struct check *check, const struct csp_process *node,
                               uint32_t argument, const struct bound *bound)
{
    if (argument == node->argument_count) {
        TRY(check_expression(check, node->condition, bound));
        TRY(check_statement(check, node->program, bound));
        return check_process(check, node->children[0], bound);
    }
    const struct csp_expression *received = node->arguments[argument];
    if (received->kind == EXPRESSION_NAME && !find_bound(bound, received->name) &&
        csp_symbol(check->program, received->name).kind == SYMBOL_NONE) {
        const struct bound inner =
            bind(check, bound, received->name, received->at, REFERENCE_LOCAL);
        return check_input(check, node, argument + 1, &inner);
    }
    TRY(check_expression(check, received, bound));
    return check_input(check, node, argument + 1, bound);
}

static enum status check_communication(const struct check *check, const struct csp_process *node,
                                       const struct bound *bound)
{
    struct symbol symbol = csp_symbol(check->program, node->name);
    note_symbol(check, node->at, symbol);
    if (symbol.kind != SYMBOL_CHANNEL)
        return FAIL(check, node->at, "expected a channel, found `%s`, %s", node->name,
                    what(symbol));
    TRY(check_expression(check, node->index, bound));
    if (node->kind == PROCESS_INPUT)
        return check_input(check, node, 0, bound);
    TRY(check_all(check, node->arguments, node->argument_count, bound));
    TRY(check_statement(check, node->program, bound));
    return check_process(check, node->children[0], bound);
}

static enum status check_reference(const struct check *check, const struct csp_process *node,
                                   const struct bound *bound)
{
    TRY(check_arguments(check, node->at, node->name, node->argument_count));
    return check_all(check, node->arguments, node->argument_count, bound);
}

static enum status indexed_process(const struct check *check, const void *node,
                                   const struct bound *bound)
{
    return check_process(check, ((const struct csp_process *)node)->children[0], bound);
}

static enum status check_process(const struct check *check, const struct csp_process *node,
                                 const struct bound *bound)
{
    if (!node)
        return STATUS_OK;
    switch ((enum csp_process_kind)node->kind) {
    case PROCESS_EVENT:
        return check_prefix(check, node, bound);
    case PROCESS_OUTPUT:
    case PROCESS_INPUT:
        return check_communication(check, node, bound);
    case PROCESS_REFERENCE:
        return check_reference(check, node, bound);
    case PROCESS_INDEXED:
        return check_ranges(check, node->ranges, node->range_count, bound, indexed_process, node);
    default:
        break;
    }
    TRY(check_expression(check, node->condition, bound));
    TRY(check_sets(check, node->hidden, node->hidden_count, bound));
    for (uint32_t i = 0; i < node->count; i++) {
        if (node->conditions)
            TRY(check_expression(check, node->conditions[i], bound));
        TRY(check_process(check, node->children[i], bound));
    }
    return STATUS_OK;
}

/* ---- declarations ---- */

static enum status check_definition(const struct check *check,
                                    const struct csp_definition *definition, uint32_t parameter,
                                    const struct bound *bound)
{
    const struct csp_module *module = check->program->module;
    if (parameter < definition->parameter_count) {
        const struct csp_parameter *bounded = &definition->parameters[parameter];
        const struct bound inner =
            bind(check, bound, bounded->name, bounded->at, REFERENCE_PARAMETER);
        return check_definition(check, definition, parameter + 1, &inner);
    }
    for (size_t i = 0; i < module->alphabets.length; i++)
        if (module->alphabets.items[i].process == definition->name)
            TRY(check_sets(check, module->alphabets.items[i].events,
                           module->alphabets.items[i].event_count, bound));
    return check_process(check, definition->body, bound);
}

static enum status check_macro(const struct check *check, const struct csp_macro *macro,
                               uint32_t parameter, const struct bound *bound)
{
    if (parameter < macro->parameter_count) {
        const struct bound inner = bind(check, bound, macro->parameters[parameter],
                                        macro->parameter_places[parameter], REFERENCE_PARAMETER);
        return check_macro(check, macro, parameter + 1, &inner);
    }
    TRY(check_expression(check, macro->expression, bound));
    return check_statement(check, macro->block, bound);
}

static enum status check_alphabet(const struct check *check, const struct csp_alphabet *alphabet)
{
    struct symbol symbol = csp_symbol(check->program, alphabet->process);
    note_symbol(check, alphabet->at, symbol);
    if (symbol.kind == SYMBOL_DEFINITION)
        return STATUS_OK;
    return FAIL(check, alphabet->at, "expected a process, found `%s`, %s", alphabet->process,
                what(symbol));
}

/* ---- what names mean where others look whether they mean something ---- */

/* The operation's name in the letters of a quoted event, behind `inv.`. */
static enum status note_quoted_operation(const struct check *check, place at, const char *letters)
{
    const char *name =
        arena_copy_text(check->program->module->arena, letters, strcspn(letters, ".!?["));
    TRY_MEMORY(name);
    references_add_shared(check->program->module->script, at, name, REFERENCE_OPERATION);
    return STATUS_OK;
}

static enum status note_formula(const struct check *check, const struct formula *formula)
{
    if (formula->left)
        TRY(note_formula(check, formula->left));
    if (formula->right)
        TRY(note_formula(check, formula->right));
    if (formula->kind != FORMULA_ATOM)
        return STATUS_OK;
    const struct csp_atom *atom = formula->atom;
    const char *name = atom->event.name;
    size_t length = atom->quoted ? strcspn(name, ".!?[") : strlen(name);
    if (name[length]) /* of a quoted one, the letters before its components */
        name = arena_copy_text(check->program->module->arena, name, length);
    TRY_MEMORY(name);
    struct symbol symbol = {0};
    for (size_t i = 0; i < check->program->symbols.length; i++)
        if (strcmp(check->program->symbols.items[i].name, name) == 0)
            symbol = check->program->symbols.items[i];
    if (symbol.kind == SYMBOL_NONE)
        note_event(check, atom->event.at, name);
    else
        note_symbol(check, atom->event.at, symbol);
    if (atom->event.name[length] == '.' && is_of_operations(name))
        TRY(note_quoted_operation(check, atom->event.at + (place)length + 1,
                                  atom->event.name + length + 1));
    return check_event(check, &atom->event, NULL);
}

static enum status note_assertion(const struct check *check, const struct csp_assertion *assertion)
{
    const struct csp_process *references[] = {assertion->process, assertion->specification};
    for (size_t i = 0; i < ARRAY_LENGTH(references); i++)
        if (references[i])
            TRY(check_reference(check, references[i], NULL));
    if (assertion->kind == ASSERTION_REACHES)
        note_symbol(check, assertion->goal_at, csp_symbol(check->program, assertion->goal));
    TRY(check_expression(check, assertion->extreme, NULL));
    return assertion->formula ? note_formula(check, assertion->formula) : STATUS_OK;
}

static enum status note_bounds(const struct check *check, struct csp_expression *low,
                               struct csp_expression *high)
{
    TRY(check_expression(check, low, NULL));
    return check_expression(check, high, NULL);
}

static enum status note_variable(const struct check *check, const struct csp_variable *variable)
{
    TRY(check_all(check, variable->sizes, variable->size_count, NULL));
    TRY(note_bounds(check, variable->low, variable->high));
    return check_expression(check, variable->initial, NULL);
}

/* The declarations themselves, and what stands in them and in assertions, be it wrong. */
static enum status note_rest(const struct check *check)
{
    const struct csp_program *program = check->program;
    const struct csp_module *module = program->module;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < program->symbols.length; i++) {
        const struct symbol symbol = program->symbols.items[i];
        const place at = symbol.kind == SYMBOL_MACRO      ? module->macros.items[symbol.index].at
                         : symbol.kind == SYMBOL_VARIABLE ? module->variables.items[symbol.index].at
                         : symbol.kind == SYMBOL_CHANNEL
                             ? module->channels.items[symbol.index].at
                             : module->definitions.items[symbol.index].at;
        note_symbol(check, at, symbol);
    }
#define NOTE(what)                                                                                 \
    if ((status = (what)) == STATUS_LIMIT)                                                         \
        return status;
    for (size_t i = 0; i < module->variables.length; i++)
        NOTE(note_variable(check, &module->variables.items[i]))
    for (size_t i = 0; i < module->channels.length; i++)
        NOTE(note_bounds(check, module->channels.items[i].array_size,
                         module->channels.items[i].buffer_size))
    for (size_t i = 0; i < module->definitions.length; i++)
        for (uint32_t j = 0; j < module->definitions.items[i].parameter_count; j++)
            NOTE(note_bounds(check, module->definitions.items[i].parameters[j].low,
                             module->definitions.items[i].parameters[j].high))
    for (size_t i = 0; i < module->assertions.length; i++)
        NOTE(note_assertion(check, &module->assertions.items[i]))
#undef NOTE
    return STATUS_OK;
}

static enum status keep(const struct check *check, enum status status)
{
    return faults_keep(check->program->module->script, status, check->error);
}

enum status csp_check_names(const struct csp_program *program, struct error *error)
{
    const struct check check = {program, error};
    const struct csp_module *module = program->module;
    struct error unused;
    const struct check noting = {program, &unused};
    references_reach(module->script);
    if (module->script->references)
        TRY(note_rest(&noting));
    for (size_t i = 0; i < module->macros.length; i++)
        TRY(keep(&check, check_macro(&check, &module->macros.items[i], 0, NULL)));
    for (size_t i = 0; i < module->alphabets.length; i++)
        TRY(keep(&check, check_alphabet(&check, &module->alphabets.items[i])));
    for (size_t i = 0; i < module->definitions.length; i++)
        TRY(keep(&check, check_definition(&check, &module->definitions.items[i], 0, NULL)));
    return faults_end(module->script, STATUS_OK, error);
}
