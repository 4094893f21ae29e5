/* The declarations of CSP#. Recursive descent, one function per rule of the
 * grammar in docs/manual/csp.md; the traps of that grammar are named where they are dealt with. */
#include "csp/parser.h"

#include <string.h>

#include "csp/foreign.h"
#include "csp/parser_assertion.h"
#include "csp/parser_event.h"
#include "csp/parser_expression.h"
#include "csp/parser_process.h"
#include "csp/parser_statement.h"
#include "csp/walk.h"
#include "lang/faults.h"
#include "lang/parser.h"
#include "lang/references.h"

struct csp_parser {
    struct parser frame; /* first: see csp_module_of */
    struct csp_module *module;
};

static struct csp_module *csp_module_of(struct parser *parser)
{
    return ((struct csp_parser *)parser)->module;
}

/* ---- #define, enum ---- */

/* `f(x, y)`: the parenthesis belongs to the macro only if what is in it are names; `#define goal
 * (x == 1);` has an expression there. */
static bool macro_has_parameters(const struct parser *parser)
{
    if (!parser_at(parser, CSP_LEFT_PAREN))
        return false;
    size_t at = 1;
    if (parser_ahead(parser, at)->kind == CSP_RIGHT_PAREN)
        return true;
    for (;; at++) {
        if (parser_ahead(parser, at++)->kind != CSP_NAME)
            return false;
        if (parser_ahead(parser, at)->kind == CSP_RIGHT_PAREN)
            break;
        if (parser_ahead(parser, at)->kind != CSP_COMMA)
            return false;
    }
    /* `#define p (x);` is an expression in parentheses. */
    return parser_ahead(parser, at + 1)->kind != CSP_SEMICOLON;
}

static enum status macro_parameters(struct parser *parser, struct csp_macro *macro)
{
    TRY(parser_expect(parser, CSP_LEFT_PAREN, NULL));
    macro->has_parameters = true;
    while (!parser_at(parser, CSP_RIGHT_PAREN)) {
        const char *name = NULL;
        TRY(PARSER_APPEND(parser, macro->parameter_places, macro->place_count,
                          parser_token(parser)->at));
        TRY(parser_name(parser, "(a parameter of the macro)", &name));
        TRY(PARSER_APPEND(parser, macro->parameters, macro->parameter_count, name));
        if (!parser_accept(parser, CSP_COMMA))
            break;
    }
    return parser_expect(parser, CSP_RIGHT_PAREN, NULL);
}

static enum status parse_define(struct parser *parser)
{
    struct csp_macro macro = {.at = parser_token(parser)->at};
    TRY(csp_parse_called(parser, "(what `#define` defines)", &macro.name));
    if (macro_has_parameters(parser))
        TRY(macro_parameters(parser, &macro));
    if (parser_at(parser, CSP_LEFT_BRACE))
        TRY(csp_parse_block(parser, &macro.block));
    else
        TRY(csp_parse_expression(parser, &macro.expression));
    TRY_MEMORY(vector_push(&csp_module_of(parser)->macros, macro));
    return parser_expect(parser, CSP_SEMICOLON, "after `#define`");
}

static enum status parse_enum(struct parser *parser)
{
    TRY(parser_expect(parser, CSP_LEFT_BRACE, NULL));
    int32_t number = 0;
    do {
        struct csp_macro macro = {.at = parser_token(parser)->at};
        TRY(parser_name(parser, "(a constant of the enumeration)", &macro.name));
        macro.expression = parser_allocate(parser, sizeof *macro.expression);
        TRY_MEMORY(macro.expression);
        macro.expression->kind = EXPRESSION_INTEGER;
        macro.expression->at = macro.at;
        macro.expression->integer = number++;
        TRY_MEMORY(vector_push(&csp_module_of(parser)->macros, macro));
    } while (parser_accept(parser, CSP_COMMA));
    TRY(parser_expect(parser, CSP_RIGHT_BRACE, NULL));
    return parser_expect(parser, CSP_SEMICOLON, "after `enum`");
}

/* ---- var, hvar, channel ---- */

static enum status parse_variable(struct parser *parser, bool hidden)
{
    struct csp_variable variable = {.hidden = hidden};
    if (parser_accept(parser, CSP_LESS)) {
        TRY(parser_name(parser, "(a type)", &variable.type));
        TRY(parser_expect(parser, CSP_GREATER, "after the type"));
    }
    variable.at = parser_token(parser)->at;
    TRY(parser_name(parser, "(a variable)", &variable.name));
    TRY(csp_parse_brackets(parser, NULL, &variable.sizes, &variable.size_count));
    if (parser_at(parser, CSP_COLON))
        TRY(csp_parse_bounds(parser, &variable.low, &variable.high));
    if (parser_accept(parser, CSP_ASSIGN)) {
        if (parser_at(parser, CSP_STAR)) {
            variable.initial = parser_allocate(parser, sizeof *variable.initial);
            TRY_MEMORY(variable.initial);
            variable.initial->kind = EXPRESSION_WILD;
            variable.initial->at = parser_token(parser)->at;
            parser->next++;
        } else {
            TRY(csp_parse_value(parser, &variable.initial));
        }
    }
    TRY_MEMORY(vector_push(&csp_module_of(parser)->variables, variable));
    return parser_expect(parser, CSP_SEMICOLON, "after the variable");
}

static enum status parse_channel(struct parser *parser)
{
    struct csp_channel channel = {.at = parser_token(parser)->at};
    TRY(parser_name(parser, "(a channel)", &channel.name));
    if (parser_accept(parser, CSP_LEFT_BRACKET)) {
        TRY(csp_parse_sum(parser, &channel.array_size));
        TRY(parser_expect(parser, CSP_RIGHT_BRACKET, NULL));
    }
    TRY(csp_parse_sum(parser, &channel.buffer_size));
    TRY_MEMORY(vector_push(&csp_module_of(parser)->channels, channel));
    return parser_expect(parser, CSP_SEMICOLON, "after the channel");
}

/* ---- #alphabet, #import, #include ---- */

static enum status parse_alphabet(struct parser *parser)
{
    struct csp_alphabet alphabet = {.at = parser_token(parser)->at};
    TRY(parser_name(parser, "(a process)", &alphabet.process));
    TRY(parser_expect(parser, CSP_LEFT_BRACE, NULL));
    TRY(csp_parse_event_sets(parser, false, &alphabet.events, &alphabet.event_count));
    TRY(parser_expect(parser, CSP_RIGHT_BRACE, NULL));
    TRY_MEMORY(vector_push(&csp_module_of(parser)->alphabets, alphabet));
    return parser_expect(parser, CSP_SEMICOLON, "after `#alphabet`");
}

static enum status parse_library(struct parser *parser, bool include)
{
    struct csp_library library = {
        .at = parser_token(parser)->at, .path = parser_token(parser)->name, .include = include};
    TRY(parser_expect(parser, CSP_STRING, "(a file's name)"));
    library.include |= script_find_part(parser->script, library.at) != UINT32_MAX;
    TRY_MEMORY(vector_push(&csp_module_of(parser)->libraries, library));
    if (!include)
        return parser_expect(parser, CSP_SEMICOLON, "after `#import`");
    parser_accept(parser, CSP_SEMICOLON);
    return STATUS_OK;
}

static enum status parse_assertion(struct parser *parser)
{
    struct csp_assertion assertion = {0};
    bool included = parser_in_included(parser, parser_token(parser)->at);
    TRY(csp_parse_assertion(parser, &assertion));
    return granted(included || vector_push(&csp_module_of(parser)->assertions, assertion));
}

/* ---- definitions ---- */

static enum status definition_parameters(struct parser *parser, struct csp_definition *definition)
{
    while (!parser_at(parser, CSP_RIGHT_PAREN)) {
        struct csp_parameter parameter = {.at = parser_token(parser)->at};
        TRY(parser_name(parser, "(a parameter)", &parameter.name));
        if (parser_at(parser, CSP_COLON))
            TRY(csp_parse_bounds(parser, &parameter.low, &parameter.high));
        TRY(PARSER_APPEND(parser, definition->parameters, definition->parameter_count, parameter));
        if (!parser_accept(parser, CSP_COMMA))
            break;
    }
    return parser_expect(parser, CSP_RIGHT_PAREN, "after the parameters");
}

static enum status parse_definition(struct parser *parser)
{
    struct csp_definition definition = {.at = parser_token(parser)->at};
    TRY(parser_name(parser, "(a declaration or definition)", &definition.name));
    if (parser_accept(parser, CSP_LEFT_PAREN))
        TRY(definition_parameters(parser, &definition));
    TRY(parser_expect(parser, CSP_ASSIGN, "(a process definition)"));
    TRY(csp_parse_process(parser, &definition.body));
    TRY_MEMORY(vector_push(&csp_module_of(parser)->definitions, definition));
    return parser_expect(parser, CSP_SEMICOLON, "after the definition");
}

static enum status parse_directive(struct parser *parser)
{
    if (parser_accept(parser, CSP_DEFINE))
        return parse_define(parser);
    if (parser_accept(parser, CSP_ASSERT))
        return parse_assertion(parser);
    if (parser_accept(parser, CSP_ALPHABET))
        return parse_alphabet(parser);
    if (parser_accept(parser, CSP_IMPORT))
        return parse_library(parser, false);
    if (parser_accept(parser, CSP_INCLUDE))
        return parse_library(parser, true);
    return parser_complain(parser, "define, assert, alphabet, import or include after `#`");
}

static enum status parse_declaration(struct parser *parser)
{
    if (parser_accept(parser, CSP_HASH))
        return parse_directive(parser);
    if (parser_accept(parser, CSP_ENUM))
        return parse_enum(parser);
    if (parser_accept(parser, CSP_VAR))
        return parse_variable(parser, false);
    if (parser_accept(parser, CSP_HVAR))
        return parse_variable(parser, true);
    if (parser_accept(parser, CSP_CHANNEL))
        return parse_channel(parser);
    return parse_definition(parser);
}

/* `P =` or `P(...) =` */
static bool at_definition(struct parser *parser)
{
    size_t ahead = 1;
    if (!parser_at(parser, CSP_NAME))
        return false;
    if (parser_ahead(parser, ahead)->kind == CSP_LEFT_PAREN) {
        while (parser_ahead(parser, ahead)->kind != CSP_RIGHT_PAREN &&
               parser_ahead(parser, ahead)->kind != CSP_END)
            ahead++;
        ahead++;
    }
    return parser_ahead(parser, ahead)->kind == CSP_ASSIGN;
}

static bool at_declaration(struct parser *parser)
{
    return parser_at(parser, CSP_HASH) || parser_at(parser, CSP_ENUM) ||
           parser_at(parser, CSP_VAR) || parser_at(parser, CSP_HVAR) ||
           parser_at(parser, CSP_CHANNEL) || at_definition(parser);
}

/* To the next declaration behind a semicolon, from `start` on, but not before what is wrong; or to
 * the one before which the semicolon is missing. It stands at the beginning of a line: inside of a
 * program there are assignments and variables, too. */
static void skip_declaration(struct parser *parser, size_t start)
{
    size_t wrong = parser->next;
    bool lacks = parser_lacks(parser, CSP_SEMICOLON);
    for (parser->next = start + 1; !parser_at(parser, CSP_END); parser->next++) {
        const struct token *before = &parser->tokens.items.items[parser->next - 1];
        bool ended = before->kind == CSP_SEMICOLON || (lacks && parser->next == wrong);
        if (parser->next >= wrong && ended && at_declaration(parser) &&
            script_column(parser->script, parser_token(parser)->at) == 1)
            return;
    }
}

static enum status parse_or_skip(struct parser *parser)
{
    size_t start = parser->next;
    enum status status = parse_declaration(parser);
    if (status != STATUS_INPUT)
        return status;
    TRY(faults_keep(parser->script, status, parser->error));
    parser->depth = 0;
    size_t wrong = parser->next;
    bool lacks = parser_lacks(parser, CSP_SEMICOLON);
    place from = parser->tokens.items.items[start].at;
    skip_declaration(parser, start);
    if (lacks && parser->next == wrong)
        references_put(parser->script, parser_last_end(parser), from, ';');
    else
        references_leave_out(parser->script, from, parser_last_end(parser));
    return STATUS_OK;
}

/* ---- fields of collections ---- */

struct field_search {
    struct csp_parser *parser;
    bool room;
};

/* Declares `list$Field` where it comes up first. */
static bool add_field(void *context, const struct csp_expression *node)
{
    struct field_search *search = context;
    struct csp_module *module = search->parser->module;
    const char *sign = node->kind == EXPRESSION_NAME && node->name ? strchr(node->name, '$') : NULL;
    bool known = !sign;
    for (size_t i = 0; i < module->variables.length && !known; i++)
        known = module->variables.items[i].name == node->name;
    if (known)
        return true;
    struct csp_variable field = {
        .name = node->name,
        .owner =
            names_intern(&search->parser->frame.names, node->name, (size_t)(sign - node->name)),
        .at = node->at,
    };
    search->room &= field.owner && vector_push(&module->variables, field);
    return true;
}

static enum status declare_fields(struct csp_parser *parser)
{
    struct field_search search = {parser, true};
    const struct csp_visitor visitor = {.expression = add_field, .context = &search};
    csp_walk_module(&visitor, parser->module);
    return granted(search.room);
}

/* ---- the whole ---- */

enum status csp_parse(const struct script *script, struct arena *arena, struct csp_module *module,
                      struct error *error)
{
    struct budget *budget = arena->budget;
    *module = (struct csp_module){.arena = arena, .script = script};
    vectors_init(budget, &module->macros, &module->variables, &module->channels, &module->alphabets,
                 &module->definitions, &module->assertions, &module->libraries);
    struct csp_parser parser = {.module = module};
    enum status status = parser_start(&parser.frame, script, &csp_dialect, arena, error);
    while (status == STATUS_OK && !parser_at(&parser.frame, CSP_END))
        status = parse_or_skip(&parser.frame);
    if (status == STATUS_OK)
        status = declare_fields(&parser);
    parser_release(&parser.frame);
    status = faults_end(script, status, error);
    return status == STATUS_INPUT && csp_foreign(script, error) ? STATUS_INPUT : status;
}

void csp_module_release(struct csp_module *module)
{
    vectors_release(&module->macros, &module->variables, &module->channels, &module->alphabets,
                    &module->definitions, &module->assertions, &module->libraries);
}
