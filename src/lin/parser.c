/* The declarations of `.lin`: specifications, implementations, programs. */
#include "lin/parser.h"

#include <string.h>

#include "lang/faults.h"
#include "lang/references.h"
#include "lin/parser_assertion.h"
#include "lin/parser_expression.h"
#include "lin/parser_rules.h"
#include "lin/parser_statement.h"

/* ---- members of a specification or implementation ---- */

static enum status parse_parameters(struct parser *parser, struct lin_operation *operation)
{
    TRY(parser_expect(parser, LIN_LEFT_PAREN, "before the parameters"));
    while (!parser_at(parser, LIN_RIGHT_PAREN)) {
        struct lin_variable *variable = parser_allocate(parser, sizeof *variable);
        if (!variable)
            return STATUS_LIMIT;
        TRY(lin_parse_type(parser, &variable->type));
        variable->type.is_address = parser_accept(parser, LIN_STAR);
        variable->at = parser_token(parser)->at;
        TRY(parser_name(parser, "(a parameter)", &variable->name));
        TRY(PARSER_APPEND(parser, operation->parameters, operation->parameter_count, variable));
        if (!parser_accept(parser, LIN_COMMA))
            break;
    }
    return parser_expect(parser, LIN_RIGHT_PAREN, "after the parameters");
}

/* The name of an operation that clients call: all objects that have one of it mean the same. */
static enum status parse_operation_name(struct parser *parser, const char *purpose,
                                        const char **name)
{
    place at = parser_token(parser)->at;
    TRY(parser_name(parser, purpose, name));
    references_add_shared(parser->script, at, *name, REFERENCE_OPERATION);
    return STATUS_OK;
}

/* From the name on; `type` is the result's, null for an operation. */
static enum status parse_operation(struct parser *parser, const struct lin_type *type,
                                   struct lin_operation ***operations, uint32_t *count)
{
    struct lin_operation *operation = parser_allocate(parser, sizeof *operation);
    if (!operation)
        return STATUS_LIMIT;
    TRY(PARSER_APPEND(parser, *operations, *count, operation));
    operation->is_function = type != NULL;
    if (type)
        operation->type = *type;
    operation->at = parser_token(parser)->at;
    if (!type && parser_at(parser, LIN_NAME) && parser_ahead(parser, 1)->kind == LIN_NAME)
        return parser_complain(parser, "the name of the operation (there is no type before it: it "
                                       "answers what it returns)");
    TRY(type ? parser_name(parser, "(a function)", &operation->name)
             : parse_operation_name(parser, "(an operation)", &operation->name));
    TRY(parse_parameters(parser, operation));
    if (!type && parser_accept_word(parser, "only")) {
        if (!parser_accept_word(parser, "thread"))
            return parser_complain(parser, "`thread` after `only`");
        TRY(lin_parse_expression(parser, &operation->only_thread));
    }
    if (type && parser_accept_word(parser, "depth"))
        TRY(lin_parse_expression(parser, &operation->depth));
    return lin_parse_block(parser, &operation->body);
}

/* Whether `open NAME` follows: an operation that has begun before. */
static bool at_open(struct parser *parser, unsigned ahead)
{
    const struct token *token = parser_ahead(parser, ahead);
    return token->kind == LIN_NAME && strcmp(token->name, "open") == 0 &&
           parser_ahead(parser, ahead + 1)->kind == LIN_NAME;
}

/* Behind `together`, or behind the `op` of `op open`. */
static enum status parse_together(struct parser *parser, struct lin_object *object, bool alone)
{
    struct lin_together *together = parser_allocate(parser, sizeof *together);
    if (!together)
        return STATUS_LIMIT;
    TRY(PARSER_APPEND(parser, object->togethers, object->together_count, together));
    together->at = together->body.at = parser_token(parser)->at;
    together->body.name = "together";
    uint32_t firsts = 0;
    do {
        const char *name;
        bool open = at_open(parser, 0);
        parser->next += open;
        TRY(PARSER_APPEND(parser, together->open, together->open_count, open));
        TRY(parse_operation_name(parser, "(an operation)", &name));
        TRY(PARSER_APPEND(parser, together->names, together->count, name));
        TRY(PARSER_APPEND(parser, together->firsts, firsts, together->body.parameter_count));
        TRY(parse_parameters(parser, &together->body));
    } while (!alone && parser_accept(parser, LIN_COMMA));
    if (!alone && together->count < 2)
        return parser_complain(parser, "`,` and another operation that takes effect together");
    return lin_parse_block(parser, &together->body.body);
}

static enum status parse_struct(struct parser *parser, bool is_record, struct lin_object *object)
{
    struct lin_struct *node = parser_allocate(parser, sizeof *node);
    if (!node)
        return STATUS_LIMIT;
    node->is_record = is_record;
    node->number = object->struct_count;
    TRY(PARSER_APPEND(parser, object->structs, object->struct_count, node));
    node->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(a struct)", &node->name));
    TRY(parser_expect(parser, LIN_LEFT_BRACE, "before the fields"));
    while (!parser_at(parser, LIN_RIGHT_BRACE)) {
        struct lin_type type;
        TRY(lin_parse_type(parser, &type));
        TRY(lin_parse_variables(parser, &type, false, &node->fields, &node->field_count));
    }
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

static enum status parse_client(struct parser *parser, struct lin_object *object)
{
    parser->next++;
    do {
        const char *name;
        TRY(parse_operation_name(parser, "(an operation that clients call)", &name));
        TRY(PARSER_APPEND(parser, object->client, object->client_count, name));
    } while (parser_accept(parser, LIN_COMMA));
    TRY(PARSER_APPEND(parser, object->client_ends, object->order_count, object->client_count));
    return parser_expect(parser, LIN_SEMICOLON, "after the client's operations");
}

static bool is_keyword(unsigned kind)
{
    return kind >= LIN_IF && kind <= LIN_NULL;
}

static enum status parse_member(struct parser *parser, struct lin_object *object)
{
    bool named = parser_ahead(parser, 1)->kind == LIN_NAME;
    if (named && object->is_spec && parser_at_word(parser, "op") && at_open(parser, 1)) {
        parser->next++;
        return parse_together(parser, object, true);
    }
    if (named && parser_accept_word(parser, "op"))
        return parse_operation(parser, NULL, &object->operations, &object->operation_count);
    if (named && object->is_spec && parser_accept_word(parser, "together"))
        return parse_together(parser, object, false);
    if (named && parser_accept_word(parser, "struct"))
        return parse_struct(parser, false, object);
    if (named && parser_accept_word(parser, "record"))
        return parse_struct(parser, true, object);
    if (named && parser_at_word(parser, "client"))
        return parse_client(parser, object);
    if (parser_at_word(parser, "init") && parser_ahead(parser, 1)->kind == LIN_LEFT_BRACE)
        return parse_init(parser, object);
    unsigned behind = parser_ahead(parser, named ? 2 : 1)->kind;
    if ((named && parser_at_word(parser, "const")) ||
        (parser_at_word(parser, "enum") && behind == LIN_LEFT_BRACE))
        return parser_complain(parser, "a member (`const` and `enum` stand outside, for all of the "
                                       "file)");
    bool shared = named && parser_accept_word(parser, "shared");
    if (parser_at(parser, LIN_NAME) && is_keyword(parser_ahead(parser, 1)->kind)) {
        parser->next++;
        return parser_complain(parser, "a name that is not reserved");
    }
    if (!lin_at_declaration(parser))
        return parser_complain(parser, object->is_spec
                                           ? "a variable, `op`, `client`, `init` or a function"
                                           : "`shared`, `struct`, `record`, `op`, `init` or a "
                                             "function");
    struct lin_type type;
    TRY(lin_parse_type(parser, &type));
    if (parser_at_word(parser, "op") && parser_ahead(parser, 1)->kind == LIN_NAME)
        return script_error(parser->script, type.at, parser->error,
                            "expected `op` without a type before it (an operation answers what it "
                            "returns), found `%s`",
                            type.name);
    if (!shared && parser_at(parser, LIN_NAME) && parser_ahead(parser, 1)->kind == LIN_LEFT_PAREN)
        return parse_operation(parser, &type, &object->functions, &object->function_count);
    if (shared == object->is_spec)
        return script_error(parser->script, type.at, parser->error,
                            shared ? "expected a variable of the specification, found `shared` "
                                     "(a specification runs alone)"
                                   : "expected `shared` before a variable of the implementation "
                                     "(variables of one operation belong into it)");
    return lin_parse_variables(parser, &type, true, &object->variables, &object->variable_count);
}

/* `(K, N = 3)` */
static enum status parse_object_parameters(struct parser *parser, struct lin_object *object)
{
    while (!parser_at(parser, LIN_RIGHT_PAREN)) {
        struct lin_parameter parameter = {.at = parser_token(parser)->at};
        TRY(parser_name(parser, "(a parameter)", &parameter.name));
        if (parser_accept(parser, LIN_ASSIGN))
            TRY(lin_parse_expression(parser, &parameter.initial));
        TRY(PARSER_APPEND(parser, object->parameters, object->parameter_count, parameter));
        if (!parser_accept(parser, LIN_COMMA))
            break;
    }
    return parser_expect(parser, LIN_RIGHT_PAREN, "after the parameters");
}

/* Whether another member begins inside of the one that began at `start`, or what comes behind the
 * object does: a brace is missing. */
static bool lacks_brace(const struct parser *parser, size_t start)
{
    unsigned depth = 0;
    for (size_t at = start; at <= parser->next; at++) {
        const struct token *token = &parser->tokens.items.items[at];
        bool begins = token->kind == LIN_NAME &&
                      (strcmp(token->name, "op") == 0 || strcmp(token->name, "shared") == 0);
        if (token->kind == LIN_END || (depth > 0 && begins))
            return true;
        depth += token->kind == LIN_LEFT_BRACE;
        depth -= depth > 0 && token->kind == LIN_RIGHT_BRACE;
    }
    return script_column(parser->script, parser_token(parser)->at) == 1 &&
           !parser_at(parser, LIN_RIGHT_BRACE);
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
    while (!parser_at(parser, LIN_RIGHT_BRACE)) {
        if (parser_at(parser, LIN_END))
            return parser_complain(parser, "`}`");
        size_t start = parser->next;
        unsigned depth = parser->depth;
        enum status status = parse_member(parser, object);
        TRY(lacks_brace(parser, start) ? status : lin_recover(parser, status, start, depth));
    }
    return parser_expect(parser, LIN_RIGHT_BRACE, NULL);
}

/* ---- programs ---- */

/* `thread { ... }`, as an operation without a name of its own */
static enum status parse_thread(struct parser *parser, struct lin_object *program)
{
    struct lin_operation *thread = parser_allocate(parser, sizeof *thread);
    if (!thread)
        return STATUS_LIMIT;
    TRY(PARSER_APPEND(parser, program->operations, program->operation_count, thread));
    thread->at = parser_token(parser)->at;
    thread->name = "thread";
    if (!parser_accept_word(parser, "thread"))
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
    do
        TRY(parse_thread(parser, program));
    while (!parser_at(parser, LIN_RIGHT_BRACE));
    return parser_expect(parser, LIN_RIGHT_BRACE, NULL);
}

/* ---- constants ---- */

static enum status add_constant(struct parser *parser, struct lin_module *module,
                                struct lin_named_constant constant)
{
    struct lin_named_constant *added = parser_allocate(parser, sizeof *added);
    if (!added)
        return STATUS_LIMIT;
    constant.at = parser_token(parser)->at;
    if (lin_at_type_word(parser))
        return parser_complain(parser, "a name (a constant) other than that of a type");
    TRY(parser_name(parser, "(a constant)", &constant.name));
    if (parser_accept(parser, LIN_ASSIGN))
        TRY(lin_parse_expression(parser, &constant.expression));
    else if (!constant.of)
        return parser_complain(parser, "`=` and the constant's value");
    *added = constant;
    return vector_push(&module->constants, added) ? STATUS_OK : STATUS_LIMIT;
}

/* `const int N = 3, M = N + 1;` */
static enum status parse_constants(struct parser *parser, struct lin_module *module)
{
    struct lin_named_constant constant = {0};
    parser->next++;
    if (!parser_at_word(parser, "int") && !parser_at_word(parser, "bool"))
        return parser_complain(parser, "`int` or `bool` behind `const`");
    TRY(lin_parse_type(parser, &constant.type));
    if (constant.type.low)
        return script_error(parser->script, constant.type.at, parser->error,
                            "expected a constant without a range, found one");
    do
        TRY(add_constant(parser, module, constant));
    while (parser_accept(parser, LIN_COMMA));
    return parser_expect(parser, LIN_SEMICOLON, "after the constant");
}

/* `enum color { RED, GREEN = 4, BLUE };` */
static enum status parse_enum(struct parser *parser, struct lin_module *module)
{
    struct lin_enum *added = parser_allocate(parser, sizeof *added);
    if (!added || !vector_push(&module->enums, added))
        return STATUS_LIMIT;
    parser->next++;
    added->at = parser_token(parser)->at;
    added->first = (uint32_t)module->constants.length;
    if (parser_at(parser, LIN_NAME))
        TRY(parser_name(parser, "(an enum)", &added->name));
    TRY(parser_expect(parser, LIN_LEFT_BRACE, "before the names of the enum"));
    do {
        const struct lin_named_constant constant = {.type.kind = LIN_TYPE_INT, .of = added};
        TRY(add_constant(parser, module, constant));
    } while (parser_accept(parser, LIN_COMMA) && !parser_at(parser, LIN_RIGHT_BRACE));
    added->count = (uint32_t)module->constants.length - added->first;
    TRY(parser_expect(parser, LIN_RIGHT_BRACE, "after the names of the enum"));
    return parser_expect(parser, LIN_SEMICOLON, "after the enum");
}

/* ---- declarations ---- */

static enum status parse_assertion(struct parser *parser, struct lin_module *module)
{
    struct lin_assertion assertion = {0};
    bool included = parser_in_included(parser, parser_token(parser)->at);
    TRY(lin_parse_assertion(parser, &assertion));
    return included || vector_push(&module->assertions, assertion) ? STATUS_OK : STATUS_LIMIT;
}

static enum status parse_declaration(struct parser *parser, struct lin_module *module)
{
    if (parser_at(parser, LIN_ASSERT))
        return parse_assertion(parser, module);
    if (parser_at_word(parser, "const"))
        return parse_constants(parser, module);
    if (parser_at_word(parser, "enum"))
        return parse_enum(parser, module);
    if (parser_at_word(parser, "spec"))
        return parse_object(parser, module, true);
    if (parser_at_word(parser, "impl"))
        return parse_object(parser, module, false);
    if (parser_at_word(parser, "program"))
        return parse_program(parser, module);
    if (parser_at_word(parser, "rules"))
        return lin_parse_rules(parser, module);
    if (parser_at_word(parser, "automaton"))
        return lin_parse_automaton(parser, module);
    static const char *const imports[] = {"import", "include", "use", "using"};
    if (parser_at_any_word(parser, imports, ARRAY_LENGTH(imports)))
        return parser_complain(parser, "`#include \"FILE.lin\"`, or nothing: specifications that "
                                       "are built in need none");
    return parser_complain(parser,
                           "`spec`, `impl`, `program`, `rules`, `automaton`, `const`, `enum` "
                           "or `assert`");
}

/* To the next declaration, which stands at the beginning of a line. */
static void skip_declaration(struct parser *parser, size_t start)
{
    static const char *const words[] = {"spec",      "impl",  "program", "rules",
                                        "automaton", "const", "enum"};
    if (parser->next == start)
        parser->next++;
    for (; !parser_at(parser, LIN_END); parser->next++) {
        bool begins =
            parser_at(parser, LIN_ASSERT) || parser_at_any_word(parser, words, ARRAY_LENGTH(words));
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
    references_leave_out(parser->script, parser->tokens.items.items[start].at,
                         parser_last_end(parser));
    return STATUS_OK;
}

enum status lin_parse(const struct script *script, struct arena *arena, struct lin_module *module,
                      struct error *error)
{
    *module = (struct lin_module){.arena = arena, .script = script};
    vector_init(&module->constants, arena->budget);
    vector_init(&module->enums, arena->budget);
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
