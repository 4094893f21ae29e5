/* Symbols first, then the sizes and ranges of variables, for which constants are evaluated; then
 * slots are given out, and the initial valuation is made by running `name = value` for each
 * variable. */
#include "csp/resolve.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "csp/compile.h"
#include "csp/names.h"
#include "csp/variables.h"
#include "csp/walk.h"
#include "lang/faults.h"
#include "lin/check.h"
#include "lin/parser.h"

#define MAX_SLOTS (1u << 20) /* a state of a megaslot is a mistake in an array's size */

/* ---- symbols ---- */

static const char *const kind_names[] = {"", "constant or macro", "variable", "channel", "process"};

static enum status symbol_add(struct csp_program *program, const char *name, enum symbol_kind kind,
                              uint32_t index, place at, struct error *error)
{
    struct symbol known = csp_symbol(program, name), added = {name, (uint8_t)kind, index};
    uint32_t number = (uint32_t)program->symbols.length;
    if (known.name)
        return script_error(program->module->script, at, error,
                            "expected a new name, found `%s`, which is a %s already", name,
                            kind_names[known.kind]);
    bool good = vector_push(&program->symbols, added) &&
                table_add(&program->symbol_numbers, hash_word((uintptr_t)name), number);
    return granted(good);
}

static enum status add_symbols(struct csp_program *program, struct error *error)
{
    const struct csp_module *module = program->module;
#define ADD_ALL(list, kind)                                                                        \
    for (uint32_t i = 0; i < module->list.length; i++)                                             \
        TRY(symbol_add(program, module->list.items[i].name, kind, i, module->list.items[i].at,     \
                       error));
    ADD_ALL(macros, SYMBOL_MACRO)
    ADD_ALL(variables, SYMBOL_VARIABLE)
    ADD_ALL(channels, SYMBOL_CHANNEL)
    ADD_ALL(definitions, SYMBOL_DEFINITION)
#undef ADD_ALL
    return STATUS_OK;
}

/* ---- variables ---- */

static enum status add_range(struct csp_program *program, const struct csp_variable *variable,
                             struct variable_info *info, struct error *error)
{
    if (!variable->low && !variable->high)
        return STATUS_OK;
    int32_t low = INTEGER_SMALLEST, high = INT32_MAX;
    if (variable->low)
        TRY(csp_constant_integer(program, variable->low, NULL, "the least value", INTEGER_SMALLEST,
                                 INT32_MAX, &low, error));
    if (variable->high)
        TRY(csp_constant_integer(program, variable->high, NULL, "the greatest value", low,
                                 INT32_MAX, &high, error));
    if (program->ranges.length > UINT16_MAX)
        return script_error(program->module->script, variable->at, error,
                            "expected at most %d variables with a range, found more", UINT16_MAX);
    info->range = (uint16_t)program->ranges.length;
    const struct range_limit range = {low, high, variable->name};
    return granted(vector_push(&program->ranges, range));
}

/* The number of elements that a list stands for. */
static enum status record_length(struct csp_program *program, const struct csp_expression *record,
                                 uint32_t *length, struct error *error)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < record->count; i++) {
        const struct csp_expression *element = record->operands[i];
        int32_t first = 0, second = 0;
        switch (element->kind) {
        case EXPRESSION_REPEAT:
            TRY(csp_constant_integer(program, element->operands[1], NULL, "the number of copies", 0,
                                     MAX_SLOTS, &first, error));
            total += (uint32_t)first;
            break;
        case EXPRESSION_RANGE:
            TRY(csp_constant_integer(program, element->operands[0], NULL, "a bound",
                                     INTEGER_SMALLEST, INT32_MAX, &first, error));
            TRY(csp_constant_integer(program, element->operands[1], NULL, "a bound",
                                     INTEGER_SMALLEST, INT32_MAX, &second, error));
            total += (uint64_t)llabs((long long)first - second) + 1;
            break;
        default:
            total++;
        }
        if (total > MAX_SLOTS)
            return script_error(program->module->script, record->at, error,
                                "expected at most %u elements, found more", MAX_SLOTS);
    }
    *length = (uint32_t)total;
    return STATUS_OK;
}

static enum status add_sizes(struct csp_program *program, const struct csp_variable *variable,
                             struct variable_info *info, struct error *error)
{
    info->length = 1;
    info->dimensions = variable->size_count;
    bool from_list =
        !variable->size_count && variable->initial && variable->initial->kind == EXPRESSION_RECORD;
    if (from_list) {
        info->dimensions = 1;
        TRY(record_length(program, variable->initial, &info->length, error));
    }
    uint32_t *sizes = arena_allocate(&program->arena, (info->dimensions + 1) * sizeof *sizes);
    TRY_MEMORY(sizes);
    sizes[0] = info->length;
    for (uint32_t i = 0; i < variable->size_count; i++) {
        int32_t size = 0;
        TRY(csp_constant_integer(program, variable->sizes[i], NULL, "the size of an array", 1,
                                 MAX_SLOTS, &size, error));
        sizes[i] = (uint32_t)size;
        if ((uint64_t)info->length * sizes[i] > MAX_SLOTS)
            return script_error(program->module->script, variable->at, error,
                                "expected at most %u elements, found more", MAX_SLOTS);
        info->length *= sizes[i];
    }
    info->sizes = sizes;
    return STATUS_OK;
}

/* A field belongs to a variable of a type that has it, and to the state where that one does. */
static enum status add_field(struct csp_program *program, const struct csp_variable *field,
                             struct error *error)
{
    const struct csp_module *module = program->module;
    struct symbol symbol = csp_symbol(program, field->owner);
    const struct csp_variable *owner =
        symbol.kind == SYMBOL_VARIABLE ? &module->variables.items[symbol.index] : NULL;
    if (!owner || !owner->type)
        return script_error(module->script, field->at, error,
                            "expected a variable of a collection type before `$`, found `%s`",
                            field->owner);
    const char *name = field->name + strlen(field->owner) + 1;
    if (!collection_has_field(collection_find(owner->type), name))
        return script_error(module->script, field->at, error,
                            "expected a field of `%s`, found `%s`: of PAT's library only lists "
                            "have fields, `Field` and `Property`",
                            owner->name, name);
    const struct variable_info info = {.name = field->name,
                                       .owner = field->owner,
                                       .hidden = owner->hidden,
                                       .length = 1,
                                       .sizes = NULL};
    return granted(vector_push(&program->variables, info));
}

static enum status add_variable(struct csp_program *program, const struct csp_variable *variable,
                                struct error *error)
{
    if (variable->owner)
        return add_field(program, variable, error);
    struct variable_info info = {.name = variable->name, .hidden = variable->hidden};
    const struct script *script = program->module->script;
    TRY(add_range(program, variable, &info, error));
    TRY(add_sizes(program, variable, &info, error));
    if (variable->type) {
        info.collection = (uint8_t)collection_find(variable->type);
        if (info.collection == COLLECTION_NONE)
            return script_error(script, variable->at, error,
                                "expected a type of PAT's library (" COLLECTION_NAMES "), found "
                                "`%s`; types of your own C# libraries are not supported",
                                variable->type);
        if (info.dimensions)
            return script_error(script, variable->at, error,
                                "expected one collection, found an array of them");
    }
    if (variable->initial && variable->initial->kind == EXPRESSION_WILD) {
        if (!variable->low || !variable->high)
            return script_error(script, variable->initial->at, error,
                                "expected a range with both bounds for `= *`, found none");
        info.wild = true;
    }
    return granted(vector_push(&program->variables, info));
}

static enum status add_channel(struct csp_program *program, const struct csp_channel *channel,
                               struct error *error)
{
    struct channel_info info = {
        .name = channel->name, .length = 1, .is_array = channel->array_size != NULL};
    int32_t number = 0;
    if (channel->array_size) {
        TRY(csp_constant_integer(program, channel->array_size, NULL, "the number of channels", 1,
                                 MAX_SLOTS, &number, error));
        info.length = (uint32_t)number;
    }
    TRY(csp_constant_integer(program, channel->buffer_size, NULL, "the size of the buffer", 0,
                             INT32_MAX, &number, error));
    info.capacity = (uint32_t)number;
    return granted(vector_push(&program->channels, info));
}

/* ---- processes at work ---- */

static bool visit_count(void *context, const struct csp_expression *node)
{
    struct csp_program *program = context;
    const struct process_count count = {
        .node = node,
        .definition = node->kind == EXPRESSION_AT_WORK ? csp_symbol(program, node->name).index : 0};
    return node->kind != EXPRESSION_AT_WORK || vector_push(&program->counts, count);
}

static enum status find_counts(struct csp_program *program, struct error *error)
{
    const struct csp_visitor visitor = {.expression = visit_count, .context = program};
    csp_walk_module(&visitor, program->module);
    TRY_MEMORY(!program->budget->refused);
    for (size_t i = 0; i < program->counts.length; i++) {
        struct process_count *count = &program->counts.items[i];
        const struct csp_expression *node = count->node;
        count->arguments =
            arena_allocate(&program->arena, (node->count + 1) * sizeof *count->arguments);
        TRY_MEMORY(count->arguments);
        for (uint32_t j = 0; j < node->count; j++)
            TRY(csp_constant(program, node->operands[j], NULL,
                             "an argument of a process whose number is asked for",
                             &count->arguments[j], error));
    }
    return STATUS_OK;
}

/* ---- the layout and the initial valuation ---- */

/* Says which arrays are large, and how many variables and elements there are. */
static uint64_t size_variables(struct csp_program *program)
{
    uint64_t elements = 0;
    for (size_t i = 0; i < program->variables.length; i++) {
        struct variable_info *info = &program->variables.items[i];
        info->large = info->length > CSP_LARGE_ARRAY && !info->constant && !info->wild;
        info->slots = info->large ? 1 : info->length;
        elements += info->length;
    }
    return elements;
}

/* Numbers the slots of the variables that are hidden, or constant, or neither, from *slots on. */
static void number_variables(struct csp_program *program, bool hidden, bool constant,
                             uint64_t *slots)
{
    for (size_t i = 0; i < program->variables.length; i++) {
        struct variable_info *info = &program->variables.items[i];
        if (info->hidden == hidden && info->constant == constant) {
            info->slot = (uint32_t)*slots;
            *slots += info->slots;
        }
    }
}

/* Equal ones share a slot. */
static void number_counts(struct csp_program *program, uint64_t *slots)
{
    for (size_t i = 0; i < program->counts.length; i++) {
        struct process_count *count = &program->counts.items[i];
        for (size_t j = 0; j < i && !count->again; j++) {
            const struct process_count *before = &program->counts.items[j];
            count->again = before->definition == count->definition &&
                           memcmp(before->arguments, count->arguments,
                                  count->node->count * sizeof *count->arguments) == 0;
            count->slot = before->slot;
        }
        if (!count->again)
            count->slot = (uint32_t)(*slots)++;
    }
}

static enum status lay_out(struct csp_program *program, struct error *error)
{
    uint64_t slots = 0;
    csp_find_constants(program);
    const uint64_t elements = size_variables(program);
    number_variables(program, false, false, &slots);
    for (size_t i = 0; i < program->channels.length; i++) {
        program->channels.items[i].slot = (uint32_t)slots;
        slots += program->channels.items[i].length;
    }
    number_counts(program, &slots);
    program->identity_slots = (uint32_t)slots;
    number_variables(program, true, false, &slots);
    program->slot_count = (uint32_t)slots;
    number_variables(program, false, true, &slots);
    if (slots > MAX_SLOTS || elements > MAX_SLOTS)
        return error_set(error, STATUS_INPUT, program->module->script->name, 0,
                         "expected at most %u variables and array elements in all, found more",
                         MAX_SLOTS);
    program->initial = arena_allocate(&program->arena, slots * sizeof *program->initial);
    program->capacities = arena_allocate(&program->arena, slots * sizeof *program->capacities);
    TRY_MEMORY(program->initial && program->capacities);
    memset(program->initial, 0, slots * sizeof *program->initial);
    memset(program->capacities, 0, slots * sizeof *program->capacities);
    for (size_t i = 0; i < program->channels.length; i++) {
        const struct channel_info *info = &program->channels.items[i];
        for (uint32_t j = 0; j < info->length; j++)
            program->capacities[info->slot + j] = info->capacity;
    }
    return STATUS_OK;
}

/* Gives the variable its initial value by running `name = value` as a program, so that ranges and
 * lists mean what they mean in one. */
static enum status initialise(struct csp_program *program, const struct csp_variable *variable,
                              const struct variable_info *info, struct error *error)
{
    if (info->wild) {
        for (uint32_t i = 0; i < info->length; i++)
            program->initial[info->slot + i] = (uint32_t)program->ranges.items[info->range].low;
        return STATUS_OK;
    }
    if (!variable->initial) {
        const struct range_limit *range = &program->ranges.items[info->range];
        if (info->range && (range->low > 0 || range->high < 0))
            return script_error(program->module->script, variable->at, error,
                                "expected `%s` between %d and %d, found 0, its initial value",
                                variable->name, (int)range->low, (int)range->high);
        return STATUS_OK;
    }
    struct csp_expression name = {
        .kind = EXPRESSION_NAME, .at = variable->at, .name = variable->name};
    struct csp_expression *operands[] = {&name, variable->initial};
    struct csp_expression assign = {
        .kind = EXPRESSION_ASSIGN, .at = variable->at, .count = 2, .operands = operands};
    code_id code = 0;
    TRY(csp_compile_expression(program, &assign, NULL, &code, error));
    struct machine machine = csp_machine(program);
    struct fault fault;
    switch (machine_run(&machine, code, program->initial, NULL, &fault)) {
    case RAN_WELL:
        return STATUS_OK;
    case RAN_INTO_FAULT:
        return script_error(program->module->script, fault.at, error, "%s", fault.message);
    default:
        return STATUS_LIMIT;
    }
}

/* The last part of a library's path: `PAT.Lib.List` of `C:\\PAT\\Lib\\PAT.Lib.List.dll`. */
static size_t library_name(const char *path, const char **name)
{
    *name = path + strlen(path);
    while (*name > path && (*name)[-1] != '/' && (*name)[-1] != '\\')
        --*name;
    size_t length = strlen(*name);
    return length > 4 && strcmp(*name + length - 4, ".dll") == 0 ? length - 4 : length;
}

static bool is_built_in(const char *name, size_t length)
{
    static const char *const known[] = {
        "PAT.Math",      "PAT.Lib.List",  "PAT.Lib.SerializableList", "PAT.Lib.Set",
        "PAT.Lib.Queue", "PAT.Lib.Stack", "PAT.Lib.HashTable",        "PAT.Lib.Hashtable",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(known); i++)
        if (strlen(known[i]) == length && memcmp(known[i], name, length) == 0)
            return true;
    return false;
}

static enum status check_import(const struct csp_module *module, const struct csp_library *library,
                                struct error *error)
{
    const char *name;
    int length = (int)library_name(library->path, &name);
    if (is_built_in(name, (size_t)length))
        return STATUS_OK;
    return script_error(module->script, library->at, error,
                        "expected PAT.Math, a library of PAT's own (" COLLECTION_NAMES "), or a "
                        "file `%.*s.csp` or `%.*s.lin` beside the model, found none: C# is not "
                        "run; write the functions that the model calls into `%.*s.csp` as macros, "
                        "`#define f(x, y) ...;`",
                        length, name, length, name, length, name);
}

static bool is_spec_name(const char *own, const char *name)
{
    while (*name && (*name == '-' ? '_' : *name) == *own)
        name++, own++;
    return !*name && !*own;
}

/* Reads one `.lin` file that is included, and tells whether it has a specification of that name. */
static enum status search_included(const struct script *script, const char *name,
                                   struct budget *budget, bool *found, struct error *error)
{
    struct arena arena;
    struct lin_module module;
    arena_init(&arena, budget);
    enum status status = lin_parse(script, &arena, &module, error);
    if (status == STATUS_OK)
        status = lin_check(&module, error);
    for (size_t i = 0; status == STATUS_OK && i < module.objects.length; i++) {
        const struct lin_object *object = module.objects.items[i];
        *found |= object->is_spec && name && is_spec_name(object->name, name);
    }
    lin_module_release(&module);
    arena_release(&arena);
    return status;
}

enum status csp_included_spec(const struct csp_module *module, const char *name,
                              struct script *script, struct error *error)
{
    bool found = false;
    *script = (struct script){0};
    for (size_t i = 0; i < module->libraries.length && !found; i++) {
        const struct csp_library *library = &module->libraries.items[i];
        if (!library->include)
            continue;
        uint32_t part = script_find_part(module->script, library->at);
        if (part == UINT32_MAX)
            return script_unread(module->script, library->at, error);
        struct script own = script_of_part(module->script, part);
        own.references = NULL; /* its names are gone before they could be asked for */
        TRY(search_included(&own, name, module->arena->budget, &found, error));
        if (found)
            *script = own;
    }
    return STATUS_OK;
}

static enum status check_libraries(const struct csp_module *module, struct error *error)
{
    struct script none;
    for (size_t i = 0; i < module->libraries.length; i++)
        if (!module->libraries.items[i].include)
            TRY(check_import(module, &module->libraries.items[i], error));
    return csp_included_spec(module, NULL, &none, error);
}

enum status csp_program_create(const struct csp_module *module, struct budget *budget,
                               struct csp_program *program, struct error *error)
{
    *program = (struct csp_program){.module = module, .budget = budget};
    arena_init(&program->arena, budget);
    pthread_mutex_init(&program->lock, NULL);
    vector_init(&program->symbols, budget);
    table_init(&program->symbol_numbers, budget);
    vectors_init(budget, &program->variables, &program->channels, &program->counts,
                 &program->ranges, &program->growing);
    program->codes = codes_create(budget);
    program->objects = object_pool_create(budget);
    program->crossed = arena_allocate(&program->arena, sizeof *program->crossed);
    TRY_MEMORY(program->codes && program->objects && program->crossed &&
               vector_push(&program->ranges, ((struct range_limit){0})));
    *program->crossed = false;
    TRY(check_libraries(module, error));
    TRY(add_symbols(program, error));
    TRY(csp_check_names(program, error));
    for (size_t i = 0; i < module->variables.length; i++)
        TRY(faults_keep(module->script, add_variable(program, &module->variables.items[i], error),
                        error));
    for (size_t i = 0; i < module->channels.length; i++)
        TRY(faults_keep(module->script, add_channel(program, &module->channels.items[i], error),
                        error));
    TRY(faults_end(module->script, STATUS_OK, error));
    TRY(find_counts(program, error));
    TRY(lay_out(program, error));
    TRY(csp_find_growing(program));
    for (size_t i = 0; i < module->variables.length; i++)
        TRY(initialise(program, &module->variables.items[i], &program->variables.items[i], error));
    return STATUS_OK;
}
