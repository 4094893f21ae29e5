/* Tokens, of nets as well; names, expressions and types of a `.lin` file, by recursive descent.
 * What is not understood is named, and nothing is said of the claim. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "parser.h"

/* ---- tokens ---- */

void advance(struct parser *p)
{
    const char *at = p->at;
    for (;; at++) {
        if (p->hashes ? *at == '#' : at[0] == '/' && at[1] == '/')
            while (at[1] && at[1] != '\n')
                at++;
        else if (!p->hashes && at[0] == '/' && at[1] == '*') {
            for (at += 2; *at && !(at[0] == '*' && at[1] == '/'); at++)
                p->line += *at == '\n';
            at += *at != 0;
        } else if (*at == '\n')
            p->line++;
        else if (!isspace((unsigned char)*at))
            break;
    }
    p->token = at;
    if (isalnum((unsigned char)*at) || *at == '_')
        while (isalnum((unsigned char)*at) || *at == '_')
            at++;
    else if (*at) {
        static const char *const pairs[] = {"==", "!=", "<=", ">=", "&&", "||",
                                            "++", "--", "+=", "-=", "..", "->"};
        size_t i = 0;
        while (i < LENGTH(pairs) && strncmp(at, pairs[i], 2) != 0)
            i++;
        at += i < LENGTH(pairs) ? 2 : 1;
    }
    p->at = at;
    p->length = (size_t)(at - p->token);
}

bool named(const char *name, size_t length, const char *text, size_t text_length)
{
    return length == text_length && memcmp(name, text, length) == 0;
}

bool is(const struct parser *p, const char *text)
{
    return named(p->token, p->length, text, strlen(text));
}

_Noreturn void unknown(const struct parser *p)
{
    if (p->hashes)
        unreadable(p->file->path, p->line, "`%.*s` is not expected here", (int)p->length, p->token);
    not_known("%s:%zu: linchpin-recheck does not know `%.*s` here", p->file->path, p->line,
              (int)p->length, p->token);
}

bool accept(struct parser *p, const char *text)
{
    bool accepted = is(p, text);
    if (accepted)
        advance(p);
    return accepted;
}

void expect(struct parser *p, const char *text)
{
    if (!accept(p, text))
        unknown(p);
}

bool is_name(const struct parser *p)
{
    return isalpha((unsigned char)*p->token) || *p->token == '_';
}

const char *take_name(struct parser *p, size_t *length)
{
    const char *name = p->token;
    if (!is_name(p))
        unknown(p);
    *length = p->length;
    advance(p);
    return name;
}

/* Over what stands in brackets, from the opening one on. */
void skip_brackets(struct parser *p)
{
    size_t depth = 0;
    do {
        if (!p->length)
            unknown(p);
        depth += is(p, "{") || is(p, "(");
        depth -= is(p, "}") || is(p, ")");
        advance(p);
    } while (depth > 0);
}

void enter(struct parser *p)
{
    if (++p->depth > MOST_DEPTH)
        unknown(p);
}

/* ---- names ---- */

const struct variable *find(const struct variable *all, size_t count, const char *name,
                            size_t length)
{
    while (count-- > 0)
        if (named(all[count].name, all[count].name_length, name, length))
            return &all[count];
    return NULL;
}

struct variable *add(struct names *names)
{
    names->items = room(names->items, names->count + 1, sizeof *names->items);
    names->items[names->count] = (struct variable){.name = NULL};
    return &names->items[names->count++];
}

void add_constant(struct parser *p, const char *name, size_t length, word held)
{
    struct variable *made = add(&p->constants);
    made->name = name;
    made->name_length = length;
    made->first = held;
}

/* ---- expressions ---- */

struct expression *make(enum expression_kind kind, expression one, expression two, expression three)
{
    struct expression *made = room(NULL, 1, sizeof *made);
    *made = (struct expression){.kind = kind, .operands = {one, two, three}};
    for (size_t i = 0; i < 3; i++)
        made->shares |= made->operands[i] && made->operands[i]->shares;
    made->shares |= kind >= CAS || kind == SHARED || kind == FIELD;
    return made;
}

struct expression *constant(word held)
{
    struct expression *made = make(CONSTANT, NULL, NULL, NULL);
    made->value = held;
    return made;
}

bool is_location(expression e)
{
    return e->kind == LOCAL || e->kind == SHARED || e->kind == FIELD;
}

expression parse_place(struct parser *p)
{
    expression place = parse_expression(p);
    if (!is_location(place))
        unknown(p);
    return place;
}

static struct expression *parse_call(struct parser *p, enum expression_kind kind)
{
    expression operands[3] = {NULL};
    expect(p, "(");
    operands[0] = parse_place(p);
    if (operands[0]->kind == LOCAL)
        unknown(p);
    for (size_t i = 1; i < (kind == CAS ? 3 : 2); i++) {
        expect(p, ",");
        operands[i] = parse_expression(p);
    }
    expect(p, ")");
    return make(kind, operands[0], operands[1], operands[2]);
}

size_t find_structure(const struct parser *p)
{
    size_t i = 0;
    while (i < p->program->structure_count &&
           !named(p->program->structures[i].name, p->program->structures[i].name_length, p->token,
                  p->length))
        i++;
    return i;
}

/* What is answered, and declared nowhere, is a symbol. */
static const struct variable *find_symbol(struct parser *p)
{
    struct program *program = p->program;
    struct names names = {program->symbols, program->symbol_count};
    const struct variable *found = find(names.items, names.count, p->token, p->length);
    if (!p->answers || !is_name(p))
        unknown(p);
    if (!found) {
        struct variable *made = add(&names);
        made->name = p->token;
        made->name_length = p->length;
        made->first = FIRST_SYMBOL + (word)program->symbol_count;
        program->symbols = names.items;
        program->symbol_count = names.count;
        found = made;
    }
    return found;
}

static struct expression *parse_variable(struct parser *p)
{
    const struct variable *found = find(p->locals.items, p->locals.count, p->token, p->length);
    enum expression_kind kind = LOCAL;
    if (!found) {
        kind = SHARED;
        found = find(p->program->shared, p->program->shared_count, p->token, p->length);
    }
    if (!found) {
        found = find(p->constants.items, p->constants.count, p->token, p->length);
        if (!found)
            found = find_symbol(p);
        advance(p);
        return constant(found->first);
    }
    advance(p);
    expression index = NULL;
    if (found->length) {
        expect(p, "[");
        index = parse_expression(p);
        expect(p, "]");
    }
    struct expression *made = make(kind, index, NULL, NULL);
    made->number = found->number;
    made->length = found->length;
    made->type = found->type;
    return made;
}

static struct expression *parse_new(struct parser *p)
{
    struct expression *made = make(NEW, NULL, NULL, NULL);
    made->number = find_structure(p);
    if (made->number == p->program->structure_count)
        unknown(p);
    advance(p);
    return made;
}

static struct expression *parse_number(struct parser *p)
{
    char *end;
    word number = strtoll(p->token, &end, 10);
    if (end != p->token + p->length || p->length > 10)
        unknown(p);
    advance(p);
    return constant(number);
}

static struct expression *parse_primary(struct parser *p)
{
    static const struct {
        const char *name;
        word value;
    } words[] = {{"null", WORD_NULL},
                 {"empty", WORD_NULL},
                 {"true", WORD_TRUE},
                 {"false", WORD_FALSE},
                 {"ok", WORD_OK}};
    if (isdigit((unsigned char)*p->token))
        return parse_number(p);
    if (accept(p, "(")) {
        expression inner = parse_expression(p);
        struct expression *made = room(NULL, 1, sizeof *made);
        expect(p, ")");
        *made = *inner;
        return made;
    }
    if (accept(p, "cas"))
        return parse_call(p, CAS);
    if (accept(p, "swap"))
        return parse_call(p, SWAP);
    if (accept(p, "fetch_add"))
        return parse_call(p, FETCH_ADD);
    if (accept(p, "new"))
        return parse_new(p);
    if (accept(p, "thread"))
        return make(THREAD, NULL, NULL, NULL);
    for (size_t i = 0; i < LENGTH(words); i++)
        if (!find(p->locals.items, p->locals.count, p->token, p->length) &&
            accept(p, words[i].name))
            return constant(words[i].value);
    return parse_variable(p);
}

static expression parse_postfix(struct parser *p)
{
    struct expression *e = parse_primary(p);
    for (size_t count = 0; accept(p, "."); count++) {
        if (count > MOST_DEPTH || !is_location(e) || e->type.kind != A_NODE)
            unknown(p);
        const struct structure *structure = &p->program->structures[e->type.structure];
        const struct variable *field =
            find(structure->fields, structure->count, p->token, p->length);
        if (!field)
            unknown(p);
        advance(p);
        e = make(FIELD, e, NULL, NULL);
        e->number = field->number;
        e->type = field->type;
    }
    return e;
}

static expression parse_unary(struct parser *p)
{
    if (!is(p, "!") && !is(p, "-"))
        return parse_postfix(p);
    char operator= * p->token;
    enter(p);
    advance(p);
    struct expression *made = make(UNARY, parse_unary(p), NULL, NULL);
    made->operator[0] = operator;
    p->depth--;
    return made;
}

static expression parse_binary(struct parser *p, size_t level)
{
    static const char *const levels[][5] = {
        {"||"}, {"&&"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"+", "-"}, {"*", "/", "%"}};
    if (level == LENGTH(levels))
        return parse_unary(p);
    expression left = parse_binary(p, level + 1);
    for (size_t count = 0;; count++) {
        size_t i = 0;
        while (i < 4 && levels[level][i] && !is(p, levels[level][i]))
            i++;
        if (i == 4 || !levels[level][i])
            return left;
        if (count > MOST_DEPTH)
            unknown(p);
        advance(p);
        struct expression *made = make(BINARY, left, parse_binary(p, level + 1), NULL);
        memcpy(made->operator, levels[level][i], strlen(levels[level][i]));
        left = made;
    }
}

expression parse_expression(struct parser *p)
{
    enter(p);
    expression e = parse_binary(p, 0);
    if (accept(p, "?")) {
        expression yes = parse_expression(p);
        expect(p, ":");
        e = make(CONDITIONAL, e, yes, parse_expression(p));
    }
    p->depth--;
    return e;
}

/* A number that is known now: constants and parameters with + and -. */
word parse_constant(struct parser *p)
{
    word sum = 0, sign = 1;
    do {
        expression e = parse_unary(p);
        bool negative = e->kind == UNARY && e->operator[0] == '-';
        if (negative)
            e = e->operands[0];
        if (e->kind != CONSTANT || e->value < 0 || e->value > INT32_MAX)
            unknown(p);
        sum += negative ? -sign * e->value : sign * e->value;
        sign = is(p, "-") ? -1 : 1;
    } while (accept(p, "+") || accept(p, "-"));
    return sum;
}

/* ---- types and variables ---- */

bool parse_type(struct parser *p, struct type *type)
{
    size_t structure = find_structure(p);
    *type = (struct type){.low = INT32_MIN, .high = INT32_MAX};
    if (accept(p, "int")) {
        type->kind = A_NUMBER;
        if (accept(p, "(")) {
            type->low = parse_constant(p);
            expect(p, "..");
            type->high = parse_constant(p);
            expect(p, ")");
        }
    } else if (accept(p, "bool"))
        type->kind = A_BOOLEAN;
    else if (accept(p, "value"))
        type->kind = A_VALUE;
    else if (structure < p->program->structure_count) {
        advance(p);
        type->kind = A_NODE;
        type->structure = structure;
    } else
        return false;
    return true;
}

static word default_of(const struct type *type)
{
    bool has_zero = type->low <= 0 && type->high >= 0;
    return type->kind == A_BOOLEAN  ? WORD_FALSE
           : type->kind != A_NUMBER ? WORD_NULL
           : has_zero               ? 0
                                    : type->low;
}

struct variable *declare(struct parser *p, struct names *names, const struct type *type,
                         size_t number)
{
    struct variable *made = add(names);
    made->name = take_name(p, &made->name_length);
    made->type = *type;
    made->number = number;
    made->first = default_of(type);
    return made;
}
