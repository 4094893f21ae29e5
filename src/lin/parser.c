/* The declarations of `.lin`: specifications, implementations, assertions. */
#include "lin/parser.h"
#include "lang/faults.h"

#include <string.h>

bool lin_at_word(const struct parser *parser, const char *word)
{
    const struct token *token = parser_token(parser);
    return token->kind == LIN_NAME && strcmp(token->name, word) == 0;
}

bool lin_accept_word(struct parser *parser, const char *word)
{
    if (!lin_at_word(parser, word))
        return false;
    parser->next++;
    return true;
}

/* ---- types and variables ---- */

bool lin_at_declaration(const struct parser *parser)
{
    if (!parser_at(parser, LIN_NAME))
        return false;
    if (parser_ahead(parser, 1)->kind == LIN_NAME)
        return true;
    return lin_at_word(parser, "int") && parser_ahead(parser, 1)->kind == LIN_LEFT_PAREN;
}

enum status lin_parse_type(struct parser *parser, struct lin_type *type)
{
    static const struct {
        const char *name;
        enum lin_type_kind kind;
    } types[] = {{"void", LIN_TYPE_VOID},   {"int", LIN_TYPE_INT},   {"bool", LIN_TYPE_BOOL},
                 {"value", LIN_TYPE_VALUE}, {"list", LIN_TYPE_LIST}, {"set", LIN_TYPE_SET},
                 {"map", LIN_TYPE_MAP}};
    *type = (struct lin_type){.kind = LIN_TYPE_STRUCT, .at = parser_token(parser)->at};
    TRY(parser_name(parser, "(a type)", &type->name));
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++)
        if (strcmp(types[i].name, type->name) == 0)
            type->kind = (uint8_t)types[i].kind;
    if (type->kind != LIN_TYPE_INT || !parser_accept(parser, LIN_LEFT_PAREN))
        return STATUS_OK;
    TRY(lin_parse_expression(parser, &type->low));
    TRY(parser_expect(parser, LIN_DOT_DOT, "between the bounds of the range"));
    TRY(lin_parse_expression(parser, &type->high));
    return parser_expect(parser, LIN_RIGHT_PAREN, "after the range");
}

/* `x`, `x[2][3]`, with its initial value */
static enum status parse_variable(struct parser *parser, const struct lin_type *type, bool shared,
                                  struct lin_variable **variable)
{
    *variable = parser_allocate(parser, sizeof **variable);
    if (!*variable)
        return STATUS_LIMIT;
    (*variable)->type = *type;
    (*variable)->shared = shared;
    (*variable)->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(a variable)", &(*variable)->name));
    parser_list lengths;
    vector_init(&lengths, parser->arena->budget);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && parser_accept(parser, LIN_LEFT_BRACKET)) {
        struct lin_expression *length = NULL;
        status = lin_parse_expression(parser, &length);
        if (status == STATUS_OK && !vector_push(&lengths, length))
            status = STATUS_LIMIT;
        if (status == STATUS_OK)
            status = parser_expect(parser, LIN_RIGHT_BRACKET, "after the length");
    }
    enum status taken = parser_take_list(parser, &lengths, (void ***)&(*variable)->lengths,
                                         &(*variable)->length_count);
    TRY(status);
    TRY(taken);
    if (parser_accept(parser, LIN_ASSIGN))
        TRY(lin_parse_expression(parser, &(*variable)->initial));
    return STATUS_OK;
}

enum status lin_parse_variables(struct parser *parser, const struct lin_type *type, bool shared,
                                parser_list *list)
{
    do {
        struct lin_variable *variable;
        TRY(parse_variable(parser, type, shared, &variable));
        if (!vector_push(list, variable))
            return STATUS_LIMIT;
    } while (parser_accept(parser, LIN_COMMA));
    return parser_expect(parser, LIN_SEMICOLON, "after the declaration");
}

/* ---- members of a specification or implementation ---- */

struct members {
    struct lin_object *object;
    parser_list variables, structs, operations, functions, client;
};

static enum status parse_parameters(struct parser *parser, struct lin_operation *operation)
{
    TRY(parser_expect(parser, LIN_LEFT_PAREN, "before the parameters"));
    parser_list list;
    vector_init(&list, parser->arena->budget);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !parser_at(parser, LIN_RIGHT_PAREN)) {
        struct lin_variable *variable = parser_allocate(parser, sizeof *variable);
        status = variable ? lin_parse_type(parser, &variable->type) : STATUS_LIMIT;
        if (status == STATUS_OK) {
            variable->at = parser_token(parser)->at;
            status = parser_name(parser, "(a parameter)", &variable->name);
        }
        if (status == STATUS_OK && !vector_push(&list, variable))
            status = STATUS_LIMIT;
        if (status == STATUS_OK && !parser_accept(parser, LIN_COMMA))
            break;
    }
    enum status taken = parser_take_list(parser, &list, (void ***)&operation->parameters,
                                         &operation->parameter_count);
    TRY(status);
    TRY(taken);
    return parser_expect(parser, LIN_RIGHT_PAREN, "after the parameters");
}

/* From the name on; `type` is the result's, null for an operation. */
static enum status parse_operation(struct parser *parser, const struct lin_type *type,
                                   parser_list *list)
{
    struct lin_operation *operation = parser_allocate(parser, sizeof *operation);
    if (!operation || !vector_push(list, operation))
        return STATUS_LIMIT;
    operation->is_function = type != NULL;
    if (type)
        operation->type = *type;
    operation->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(an operation)", &operation->name));
    TRY(parse_parameters(parser, operation));
    if (!type && lin_accept_word(parser, "only")) {
        if (!lin_accept_word(parser, "thread"))
            return parser_complain(parser, "`thread` after `only`");
        TRY(lin_parse_expression(parser, &operation->only_thread));
    }
    return lin_parse_block(parser, &operation->body);
}

static enum status parse_struct(struct parser *parser, bool is_record, struct members *members)
{
    struct lin_struct *node = parser_allocate(parser, sizeof *node);
    if (!node || !vector_push(&members->structs, node))
        return STATUS_LIMIT;
    node->is_record = is_record;
    node->number = (uint32_t)members->structs.length - 1;
    node->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(a struct)", &node->name));
    TRY(parser_expect(parser, LIN_LEFT_BRACE, "before the fields"));
    parser_list list;
    vector_init(&list, parser->arena->budget);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !parser_at(parser, LIN_RIGHT_BRACE)) {
        struct lin_type type;
        status = lin_parse_type(parser, &type);
        if (status == STATUS_OK)
            status = lin_parse_variables(parser, &type, false, &list);
    }
    for (size_t i = 0; i < list.length; i++)
        ((struct lin_variable *)list.items[i])->number = (uint32_t)i;
    enum status taken =
        parser_take_list(parser, &list, (void ***)&node->fields, &node->field_count);
    TRY(status);
    TRY(taken);
    TRY(parser_expect(parser, LIN_RIGHT_BRACE, "after the fields"));
    parser_accept(parser, LIN_SEMICOLON); /* as in C */
    return STATUS_OK;
}

static enum status parse_init(struct parser *parser, struct lin_object *object)
{
    place at = parser_token(parser)->at;
    parser->next++;
    if (object->initially)
        return script_error(parser->script, at, parser->error,
                            "expected one `init`, found a second");
    object->initially = parser_allocate(parser, sizeof *object->initially);
    if (!object->initially)
        return STATUS_LIMIT;
    object->initially->at = at;
    object->initially->name = "init";
    return lin_parse_block(parser, &object->initially->body);
}

static enum status parse_client(struct parser *parser, struct members *members)
{
    if (members->client.length > 0)
        return parser_complain(parser, "one `client` order, in which all threads call");
    parser->next++;
    do {
        const char *name;
        TRY(parser_name(parser, "(an operation that clients call)", &name));
        if (!vector_push(&members->client, (void *)(uintptr_t)name))
            return STATUS_LIMIT;
    } while (parser_accept(parser, LIN_COMMA));
    return parser_expect(parser, LIN_SEMICOLON, "after the client's operations");
}

static enum status parse_member(struct parser *parser, struct members *members)
{
    bool named = parser_ahead(parser, 1)->kind == LIN_NAME;
    if (named && lin_accept_word(parser, "op"))
        return parse_operation(parser, NULL, &members->operations);
    if (named && lin_accept_word(parser, "struct"))
        return parse_struct(parser, false, members);
    if (named && lin_accept_word(parser, "record"))
        return parse_struct(parser, true, members);
    if (named && lin_at_word(parser, "client"))
        return parse_client(parser, members);
    if (lin_at_word(parser, "init") && parser_ahead(parser, 1)->kind == LIN_LEFT_BRACE)
        return parse_init(parser, members->object);
    bool shared = named && lin_accept_word(parser, "shared");
    if (!lin_at_declaration(parser))
        return parser_complain(parser, members->object->is_spec
                                           ? "a variable, `op`, `client`, `init` or a function"
                                           : "`shared`, `struct`, `record`, `op`, `init` or a "
                                             "function");
    struct lin_type type;
    TRY(lin_parse_type(parser, &type));
    if (!shared && parser_at(parser, LIN_NAME) && parser_ahead(parser, 1)->kind == LIN_LEFT_PAREN)
        return parse_operation(parser, &type, &members->functions);
    if (shared == members->object->is_spec)
        return script_error(parser->script, type.at, parser->error,
                            shared ? "expected a variable of the specification, found `shared` "
                                     "(a specification runs alone)"
                                   : "expected `shared` before a variable of the implementation "
                                     "(variables of one operation belong into it)");
    return lin_parse_variables(parser, &type, true, &members->variables);
}

/* `(K, N = 3)` */
static enum status parse_object_parameters(struct parser *parser, struct lin_object *object)
{
    VECTOR(struct lin_parameter) list;
    vector_init(&list, parser->arena->budget);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !parser_at(parser, LIN_RIGHT_PAREN)) {
        struct lin_parameter parameter = {.at = parser_token(parser)->at};
        status = parser_name(parser, "(a parameter)", &parameter.name);
        if (status == STATUS_OK && parser_accept(parser, LIN_ASSIGN))
            status = lin_parse_expression(parser, &parameter.initial);
        if (status == STATUS_OK && !vector_push(&list, parameter))
            status = STATUS_LIMIT;
        if (status == STATUS_OK && !parser_accept(parser, LIN_COMMA))
            break;
    }
    if (status == STATUS_OK) {
        object->parameter_count = (uint32_t)list.length;
        object->parameters = parser_allocate(parser, list.length * sizeof *list.items);
        if (!object->parameters)
            status = STATUS_LIMIT;
        else if (list.length)
            memcpy(object->parameters, list.items, list.length * sizeof *list.items);
    }
    vector_release(&list);
    TRY(status);
    return parser_expect(parser, LIN_RIGHT_PAREN, "after the parameters");
}

static enum status parse_members(struct parser *parser, struct members *members)
{
    while (!parser_at(parser, LIN_RIGHT_BRACE)) {
        if (parser_at(parser, LIN_END))
            return parser_complain(parser, "`}`");
        TRY(parse_member(parser, members));
    }
    for (size_t i = 0; i < members->variables.length; i++)
        ((struct lin_variable *)members->variables.items[i])->number = (uint32_t)i;
    return parser_expect(parser, LIN_RIGHT_BRACE, NULL);
}

static enum status parse_object(struct parser *parser, struct lin_module *module, bool is_spec)
{
    struct lin_object *object = parser_allocate(parser, sizeof *object);
    if (!object || !vector_push(&module->objects, object))
        return STATUS_LIMIT;
    parser->next++;
    object->is_spec = is_spec;
    object->at = parser_token(parser)->at;
    TRY(parser_name(parser, is_spec ? "(a specification)" : "(an implementation)", &object->name));
    if (parser_accept(parser, LIN_LEFT_PAREN))
        TRY(parse_object_parameters(parser, object));
    TRY(parser_expect(parser, LIN_LEFT_BRACE, NULL));
    struct members members = {.object = object};
    struct budget *budget = parser->arena->budget;
    vector_init(&members.variables, budget);
    vector_init(&members.structs, budget);
    vector_init(&members.operations, budget);
    vector_init(&members.functions, budget);
    vector_init(&members.client, budget);
    const struct {
        parser_list *list;
        void ***items;
        uint32_t *count;
    } lists[] = {
        {&members.variables, (void ***)&object->variables, &object->variable_count},
        {&members.structs, (void ***)&object->structs, &object->struct_count},
        {&members.operations, (void ***)&object->operations, &object->operation_count},
        {&members.functions, (void ***)&object->functions, &object->function_count},
        {&members.client, (void ***)&object->client, &object->client_count},
    };
    enum status status = parse_members(parser, &members);
    for (size_t i = 0; i < ARRAY_LENGTH(lists); i++) {
        enum status taken = parser_take_list(parser, lists[i].list, lists[i].items, lists[i].count);
        if (status == STATUS_OK)
            status = taken;
    }
    return status;
}

/* ---- programs ---- */

/* `thread { ... }`, as an operation without a name of its own */
static enum status parse_thread(struct parser *parser, parser_list *threads)
{
    struct lin_operation *thread = parser_allocate(parser, sizeof *thread);
    if (!thread || !vector_push(threads, thread))
        return STATUS_LIMIT;
    thread->at = parser_token(parser)->at;
    thread->name = "thread";
    if (!lin_accept_word(parser, "thread"))
        return parser_complain(parser, "`thread {` or `}`");
    return lin_parse_block(parser, &thread->body);
}

static enum status parse_program(struct parser *parser, struct lin_module *module)
{
    struct lin_object *program = parser_allocate(parser, sizeof *program);
    if (!program || !vector_push(&module->programs, program))
        return STATUS_LIMIT;
    parser->next++;
    program->is_program = true;
    program->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(a program)", &program->name));
    TRY(parser_expect(parser, LIN_LEFT_BRACE, NULL));
    parser_list threads;
    vector_init(&threads, parser->arena->budget);
    enum status status;
    do
        status = parse_thread(parser, &threads);
    while (status == STATUS_OK && !parser_at(parser, LIN_RIGHT_BRACE));
    enum status taken = parser_take_list(parser, &threads, (void ***)&program->operations,
                                         &program->operation_count);
    TRY(status);
    TRY(taken);
    return parser_expect(parser, LIN_RIGHT_BRACE, NULL);
}

/* ---- assertions ---- */

enum status lin_parse_reference_here(struct parser *parser, const char *purpose,
                                     struct lin_reference *reference)
{
    reference->at = parser_token(parser)->at;
    TRY(parser_name(parser, purpose, &reference->name));
    reference->end = parser_last_end(parser);
    if (!parser_accept(parser, LIN_LEFT_PAREN))
        return STATUS_OK;
    VECTOR(struct lin_argument) list;
    vector_init(&list, parser->arena->budget);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !parser_at(parser, LIN_RIGHT_PAREN)) {
        struct lin_argument argument = {0};
        if (parser_at(parser, LIN_NAME) && parser_ahead(parser, 1)->kind == LIN_ASSIGN) {
            argument.name = parser_token(parser)->name;
            parser->next += 2;
        }
        status = lin_parse_expression(parser, &argument.expression);
        if (status == STATUS_OK && !vector_push(&list, argument))
            status = STATUS_LIMIT;
        if (status == STATUS_OK && !parser_accept(parser, LIN_COMMA))
            break;
    }
    if (status == STATUS_OK) {
        reference->argument_count = (uint32_t)list.length;
        reference->arguments = parser_allocate(parser, list.length * sizeof *list.items);
        if (!reference->arguments)
            status = STATUS_LIMIT;
        else if (list.length)
            memcpy(reference->arguments, list.items, list.length * sizeof *list.items);
    }
    vector_release(&list);
    TRY(status);
    TRY(parser_expect(parser, LIN_RIGHT_PAREN, "after the arguments"));
    reference->end = parser_last_end(parser);
    return STATUS_OK;
}

static enum status parse_property(struct parser *parser, struct lin_assertion *assertion)
{
    static const char *const words[] = {
        [LIN_LINEARIZES] = "linearizes",
        [LIN_LOCK_FREE] = "lock_free",
        [LIN_WAIT_FREE] = "wait_free",
        [LIN_OBSTRUCTION_FREE] = "obstruction_free",
        [LIN_DEADLOCK_FREE] = "deadlock_free",
        [LIN_STARVATION_FREE] = "starvation_free",
        [LIN_NEVER] = "never",
        [LIN_SATISFIES] = "satisfies",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
        if (!lin_accept_word(parser, words[i]))
            continue;
        assertion->property = (uint8_t)i;
        if (i == LIN_LINEARIZES)
            return lin_parse_reference_here(parser, "(the specification)",
                                            &assertion->specification);
        if (i == LIN_SATISFIES)
            return lin_parse_formula(parser, &assertion->formula);
        if (i != LIN_NEVER)
            return STATUS_OK;
        TRY(parser_expect(parser, LIN_LEFT_PAREN, "before the condition"));
        TRY(lin_parse_expression(parser, &assertion->condition));
        return parser_expect(parser, LIN_RIGHT_PAREN, "after the condition");
    }
    return parser_complain(
        parser, "what is asserted (linearizes, lock_free, wait_free, "
                "obstruction_free, deadlock_free, starvation_free, never, satisfies; of a "
                "program, `with` and what it uses)");
}

static enum status parse_option(struct parser *parser, struct lin_option *option)
{
    option->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(an option)", &option->name));
    if (!parser_accept(parser, LIN_ASSIGN))
        return STATUS_OK;
    unsigned after = parser_ahead(parser, 1)->kind;
    if (parser_at(parser, LIN_NAME) && (after == LIN_COMMA || after == LIN_SEMICOLON)) {
        option->word = parser_token(parser)->name;
        parser->next++;
        return STATUS_OK;
    }
    return lin_parse_expression(parser, &option->expression);
}

static enum status parse_options(struct parser *parser, struct lin_assertion *assertion)
{
    if (!lin_accept_word(parser, "with"))
        return STATUS_OK;
    VECTOR(struct lin_option) list;
    vector_init(&list, parser->arena->budget);
    enum status status;
    do {
        struct lin_option option = {0};
        status = parse_option(parser, &option);
        if (status == STATUS_OK && !vector_push(&list, option))
            status = STATUS_LIMIT;
    } while (status == STATUS_OK && parser_accept(parser, LIN_COMMA));
    if (status == STATUS_OK) {
        assertion->option_count = (uint32_t)list.length;
        assertion->options = parser_allocate(parser, list.length * sizeof *list.items);
        if (assertion->options)
            memcpy(assertion->options, list.items, list.length * sizeof *list.items);
        else
            status = STATUS_LIMIT;
    }
    vector_release(&list);
    return status;
}

/* From the first `with` on: `P with treiber refines P with stack` */
static enum status parse_refinement(struct parser *parser, struct lin_assertion *assertion)
{
    assertion->property = LIN_REFINES;
    assertion->program = assertion->implementation;
    TRY(lin_parse_reference_here(parser, "(what the program uses)", &assertion->implementation));
    if (!lin_accept_word(parser, "refines"))
        return parser_complain(parser, "`refines` after what the program uses");
    TRY(lin_parse_reference_here(parser, "(a program)", &assertion->specification_program));
    if (!lin_accept_word(parser, "with"))
        return parser_complain(parser, "`with` and what the program uses");
    return lin_parse_reference_here(parser, "(what the program uses)", &assertion->specification);
}

static enum status parse_assertion(struct parser *parser, struct lin_module *module)
{
    struct lin_assertion assertion = {.at = parser_token(parser)->at};
    parser->next++;
    TRY(lin_parse_reference_here(parser, "(an implementation or program)",
                                 &assertion.implementation));
    if (lin_accept_word(parser, "with"))
        TRY(parse_refinement(parser, &assertion));
    else
        TRY(parse_property(parser, &assertion));
    TRY(parse_options(parser, &assertion));
    assertion.end = parser_last_end(parser);
    TRY(parser_expect(parser, LIN_SEMICOLON, "after the assertion"));
    if (parser_in_included(parser, assertion.at))
        return STATUS_OK;
    return vector_push(&module->assertions, assertion) ? STATUS_OK : STATUS_LIMIT;
}

static enum status parse_declaration(struct parser *parser, struct lin_module *module)
{
    if (parser_at(parser, LIN_ASSERT))
        return parse_assertion(parser, module);
    if (lin_at_word(parser, "spec"))
        return parse_object(parser, module, true);
    if (lin_at_word(parser, "impl"))
        return parse_object(parser, module, false);
    if (lin_at_word(parser, "program"))
        return parse_program(parser, module);
    if (lin_at_word(parser, "rules"))
        return lin_parse_rules(parser, module);
    if (lin_at_word(parser, "automaton"))
        return lin_parse_automaton(parser, module);
    return parser_complain(parser, "`spec`, `impl`, `program`, `rules`, `automaton` or `assert`");
}

/* To the next declaration, which stands at the beginning of a line. */
static void skip_declaration(struct parser *parser, size_t start)
{
    static const char *const words[] = {"spec", "impl", "program", "rules", "automaton"};
    if (parser->next == start)
        parser->next++;
    for (; !parser_at(parser, LIN_END); parser->next++) {
        bool begins = parser_at(parser, LIN_ASSERT);
        for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
            begins |= lin_at_word(parser, words[i]);
        if (begins && script_column(parser->script, parser_token(parser)->at) == 1)
            return;
    }
}

static enum status parse_or_skip(struct parser *parser, struct lin_module *module)
{
    size_t start = parser->next;
    enum status status = parse_declaration(parser, module);
    if (status != STATUS_INPUT)
        return status;
    TRY(faults_keep(parser->script, status, parser->error));
    parser->depth = 0;
    skip_declaration(parser, start);
    return STATUS_OK;
}

enum status lin_parse(const struct script *script, struct arena *arena, struct lin_module *module,
                      struct error *error)
{
    *module = (struct lin_module){.arena = arena, .script = script};
    vector_init(&module->objects, arena->budget);
    vector_init(&module->programs, arena->budget);
    vector_init(&module->rules, arena->budget);
    vector_init(&module->automata, arena->budget);
    vector_init(&module->assertions, arena->budget);
    struct parser parser;
    enum status status = parser_start(&parser, script, &lin_dialect, arena, error);
    while (status == STATUS_OK && !parser_at(&parser, LIN_END))
        status = parse_or_skip(&parser, module);
    parser_release(&parser);
    return faults_end(script, status, error);
}

enum status lin_parse_reference(const char *text, struct arena *arena,
                                struct lin_reference *reference, struct error *error)
{
    struct script script;
    struct parser parser;
    *reference = (struct lin_reference){0};
    TRY(script_from_text("", text, strlen(text), arena, &script, error));
    enum status status = parser_start(&parser, &script, &lin_dialect, arena, error);
    if (status == STATUS_OK)
        status = lin_parse_reference_here(&parser, "(the specification)", reference);
    if (status == STATUS_OK && !parser_at(&parser, LIN_END))
        status = STATUS_INPUT;
    parser_release(&parser);
    if (status != STATUS_INPUT)
        return status;
    return error_set(error, STATUS_USAGE, NULL, 0,
                     "expected NAME or NAME(arguments) of a specification, found %s", text);
}
