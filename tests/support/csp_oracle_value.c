#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csp/lexer.h"
#include "support/csp_oracle_term.h"

#define MAX_LOOPS 10000

typedef struct oracle_value value;
typedef const struct oracle_environment *environment;

/* ---- names ---- */

#define FIND(list)                                                                                 \
    for (size_t i = 0; i < oracle->module->list.length; i++)                                       \
        if (strcmp(oracle->module->list.items[i].name, name) == 0)                                 \
            return (int)i;                                                                         \
    return -1

int oracle_variable(const struct oracle *oracle, const char *name)
{
    FIND(variables);
}

int oracle_channel(const struct oracle *oracle, const char *name)
{
    FIND(channels);
}

int oracle_macro(const struct oracle *oracle, const char *name)
{
    FIND(macros);
}

int oracle_definition(const struct oracle *oracle, const char *name)
{
    FIND(definitions);
}

static environment find(environment at, const char *name)
{
    while (at && strcmp(at->name, name) != 0)
        at = at->outer;
    return at;
}

/* The array that a name stands for: what a macro is given by name. */
static const char *meant_array(const char *name, environment *scope)
{
    environment bound = find(*scope, name);
    while (bound && bound->kind == ORACLE_ARGUMENT && bound->argument->kind == EXPRESSION_NAME) {
        name = bound->argument->name;
        *scope = bound->argument_environment;
        bound = find(*scope, name);
    }
    return name;
}

/* What a macro's body sees: its parameters, and nothing of the place where it is used. */
static environment macro_environment(struct oracle *oracle, const struct csp_macro *macro,
                                     const struct csp_expression *use, environment outer)
{
    if (macro->parameter_count != use->count)
        oracle_fail(oracle, "%s takes %u arguments", macro->name, macro->parameter_count);
    environment inner = NULL;
    for (uint32_t i = 0; i < use->count; i++) {
        struct oracle_environment *next = oracle_allocate(oracle, sizeof *next);
        *next = (struct oracle_environment){.outer = inner,
                                            .name = macro->parameters[i],
                                            .kind = ORACLE_ARGUMENT,
                                            .argument = use->operands[i],
                                            .argument_environment = outer};
        inner = next;
    }
    return inner;
}

/* ---- operators ---- */

static value number(int64_t wide)
{
    return (value){false, (int32_t)(uint32_t)(uint64_t)wide};
}

static value boolean(bool truth)
{
    return (value){true, truth};
}

static bool same(value a, value b)
{
    return a.is_boolean == b.is_boolean && a.number == b.number;
}

/* Null and the result, or what is wrong. */
static const char *apply(uint8_t operator, value a, value b, value *result)
{
    bool booleans = a.is_boolean && b.is_boolean, mixed = a.is_boolean != b.is_boolean;
    int64_t x = a.number, y = b.number;
    switch (operator) {
    case CSP_EQUAL:
        *result = boolean(same(a, b));
        return NULL;
    case CSP_NOT_EQUAL:
        *result = boolean(!same(a, b));
        return NULL;
    case CSP_XOR:
        *result = boolean(x != y);
        return booleans ? NULL : "xor of what is no boolean";
    case CSP_AND:
    case CSP_BAR:
    case CSP_CARET:
        *result = number(operator== CSP_AND ? x & y : operator== CSP_BAR ? x | y : x ^ y);
        result->is_boolean = booleans;
        return mixed ? "an integer with a boolean" : NULL;
    default:
        break;
    }
    if (booleans || mixed)
        return "arithmetic on booleans";
    switch (operator) {
    case CSP_PLUS:
        *result = number(x + y);
        return NULL;
    case CSP_MINUS:
        *result = number(x - y);
        return NULL;
    case CSP_STAR:
        *result = number(x * y);
        return NULL;
    case CSP_SLASH:
        if (y == 0)
            return "division by zero";
        *result = number(x / y);
        return NULL;
    case CSP_PERCENT:
        if (y == 0)
            return "division by zero";
        *result = number(x % y < 0 ? x % y + y : x % y);
        return NULL;
    case CSP_LESS:
        *result = boolean(x < y);
        return NULL;
    case CSP_GREATER:
        *result = boolean(x > y);
        return NULL;
    case CSP_LESS_EQUAL:
        *result = boolean(x <= y);
        return NULL;
    case CSP_GREATER_EQUAL:
        *result = boolean(x >= y);
        return NULL;
    default:
        return "an unknown operator";
    }
}

/* ---- ranges ---- */

void oracle_ranges(struct oracle *oracle, const struct csp_range *ranges, unsigned count,
                   environment outer, oracle_visit *visit, void *context)
{
    if (count == 0) {
        visit(oracle, context, outer);
        return;
    }
    int64_t first = 0, last = (int64_t)ranges->value_count - 1;
    if (ranges->interval) {
        first = oracle_constant(oracle, ranges->values[0], outer);
        last = oracle_constant(oracle, ranges->values[1], outer);
    }
    for (int64_t i = first; i <= last; i++) {
        struct oracle_environment *inner = oracle_allocate(oracle, sizeof *inner);
        *inner = (struct oracle_environment){
            .outer = outer, .name = ranges->name, .kind = ORACLE_CONSTANT, .value = number(i)};
        if (!ranges->interval) {
            struct oracle_folded folded = oracle_fold(oracle, ranges->values[i], outer);
            if (!folded.constant)
                oracle_fail(oracle, "a range that is not constant");
            inner->value = folded.value;
        }
        oracle_ranges(oracle, ranges + 1, count - 1, inner, visit, context);
    }
}

/* ---- folding ---- */

static struct oracle_folded known(struct oracle *oracle, value v)
{
    struct writer text = {.oracle = oracle};
    oracle_print_value(v, &text);
    return (struct oracle_folded){true, v, writer_text(&text)};
}

static struct oracle_folded unknown(struct oracle *oracle, const char *format, ...)
    PRINTF_LIKE(2, 3);

static struct oracle_folded unknown(struct oracle *oracle, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = oracle_format(oracle, format, arguments);
    va_end(arguments);
    return (struct oracle_folded){.text = text};
}

static struct oracle_folded fold_name(struct oracle *oracle, const struct csp_expression *e,
                                      environment scope)
{
    environment bound = e->kind == EXPRESSION_NAME ? find(scope, e->name) : NULL;
    if (bound && bound->kind == ORACLE_CONSTANT)
        return known(oracle, bound->value);
    if (bound && bound->kind == ORACLE_ARGUMENT)
        return oracle_fold(oracle, bound->argument, bound->argument_environment);
    if (bound)
        return unknown(oracle, "%s", e->name);
    int macro = oracle_macro(oracle, e->name);
    if (macro < 0) {
        if (oracle_variable(oracle, e->name) < 0)
            oracle_fail(oracle, "%s is not declared", e->name);
        return unknown(oracle, "%s", e->name);
    }
    const struct csp_macro *found = &oracle->module->macros.items[macro];
    environment inner = macro_environment(oracle, found, e, scope);
    if (found->expression)
        return oracle_fold(oracle, found->expression, inner);
    return unknown(oracle, "{%s}", oracle_fold_program(oracle, found->block, inner));
}

struct fold_indexed {
    const struct csp_expression *node;
    struct writer text;
};

static void fold_indexed(struct oracle *oracle, void *context, environment scope)
{
    struct fold_indexed *fold = context;
    writer_format(&fold->text, " %s", oracle_fold(oracle, fold->node->operands[0], scope).text);
}

static struct oracle_folded fold_operator(struct oracle *oracle, const struct csp_expression *e,
                                          environment scope)
{
    struct oracle_folded a = oracle_fold(oracle, e->operands[0], scope), b;
    value result;
    if (e->kind == EXPRESSION_UNARY) {
        if (e->operator== CSP_PLUS)
            return a;
        bool minus = e->operator== CSP_MINUS;
        if (a.constant && a.value.is_boolean != minus)
            return known(oracle,
                         minus ? number(-(int64_t)a.value.number) : boolean(!a.value.number));
        return unknown(oracle, "%c(%s)", minus ? '-' : '!', a.text);
    }
    bool conjunction = e->operator== CSP_AND_AND;
    if ((conjunction || e->operator== CSP_BAR_BAR) && a.constant && a.value.is_boolean &&
        a.value.number != conjunction)
        return a;
    b = oracle_fold(oracle, e->operands[1], scope);
    if (conjunction || e->operator== CSP_BAR_BAR) {
        if (!a.constant || !a.value.is_boolean)
            return unknown(oracle, "(%s %s %s)", a.text, conjunction ? "&&" : "||", b.text);
        return b.constant && b.value.is_boolean ? b : unknown(oracle, "?(%s)", b.text);
    }
    if (a.constant && b.constant && !apply(e->operator, a.value, b.value, &result))
        return known(oracle, result);
    return unknown(oracle, "(%s op%u %s)", a.text, e->operator, b.text);
}

/* A list of constants. False: it is none. */
static bool fold_list(struct oracle *oracle, const struct csp_expression *e, environment scope,
                      value *result)
{
    value *items = oracle_allocate(oracle, e->count * sizeof *items);
    for (uint32_t i = 0; i < e->count; i++) {
        struct oracle_folded folded = oracle_fold(oracle, e->operands[i], scope);
        if (!folded.constant)
            return false;
        items[i] = folded.value;
    }
    *result = oracle_array_value(oracle, items, (int32_t)e->count);
    return true;
}

/* An element, whose index is constant, of an array that was passed on. */
static bool fold_element(struct oracle *oracle, const struct csp_expression *e, environment scope,
                         value *result)
{
    environment bound = find(scope, e->operands[0]->name);
    const struct oracle_array *array =
        bound && bound->kind == ORACLE_CONSTANT ? oracle_array_of(oracle, bound->value) : NULL;
    if (!array || e->count != 2)
        return false;
    struct oracle_folded folded = oracle_fold(oracle, e->operands[1], scope);
    if (!folded.constant || folded.value.is_boolean || folded.value.number < 0 ||
        folded.value.number >= array->length)
        return false;
    *result = array->items[folded.value.number];
    return true;
}

/* The value of a function of constants. False: it has none. */
static bool fold_function(struct oracle *oracle, const struct csp_expression *e, environment scope,
                          value *result)
{
    value arguments[2] = {{0}};
    bool known_ones = oracle_is_function(e->name) && e->count <= 2;
    for (uint32_t i = 0; i < e->count && known_ones; i++) {
        struct oracle_folded folded = oracle_fold(oracle, e->operands[i], scope);
        known_ones = folded.constant;
        arguments[i] = folded.value;
    }
    return known_ones && !oracle_function(e->name, arguments, e->count, result);
}

struct oracle_folded oracle_fold(struct oracle *oracle, const struct csp_expression *e,
                                 environment scope)
{
    struct writer text = {.oracle = oracle};
    struct fold_indexed indexed = {e, {.oracle = oracle}};
    value result;
    switch ((enum csp_expression_kind)e->kind) {
    case EXPRESSION_INTEGER:
        return known(oracle, number(e->integer));
    case EXPRESSION_BOOLEAN:
        return known(oracle, boolean(e->integer));
    case EXPRESSION_NAME:
        return fold_name(oracle, e, scope);
    case EXPRESSION_UNARY:
    case EXPRESSION_BINARY:
        return fold_operator(oracle, e, scope);
    case EXPRESSION_CALL:
        if (oracle_macro(oracle, e->name) >= 0)
            return fold_name(oracle, e, scope);
        if (fold_function(oracle, e, scope, &result))
            return known(oracle, result);
        break;
    case EXPRESSION_RECORD:
        if (fold_list(oracle, e, scope, &result))
            return known(oracle, result);
        break;
    case EXPRESSION_INDEX:
        if (fold_element(oracle, e, scope, &result))
            return known(oracle, result);
        break;
    case EXPRESSION_INDEXED:
        oracle_ranges(oracle, e->ranges, e->range_count, scope, fold_indexed, &indexed);
        return unknown(oracle, "(op%u%s)", e->operator, writer_text(&indexed.text));
    default:
        break;
    }
    /* The rest has no value that is known, only parts that may have one. */
    writer_format(&text, "<%u%u %s", e->kind, e->operator, e->name ? e->name : "");
    for (uint32_t i = 0; i < e->count; i++) {
        const struct csp_expression *part = e->operands[i];
        bool names = part->kind == EXPRESSION_NAME && /* an array or a channel */
                     ((e->kind == EXPRESSION_CALL && !oracle_is_function(e->name)) ||
                      (e->kind == EXPRESSION_INDEX && i == 0));
        environment at = scope;
        const char *name = names ? meant_array(part->name, &at) : NULL;
        environment bound = names ? find(at, name) : NULL;
        bool passed = bound && bound->kind == ORACLE_CONSTANT;
        writer_format(&text, " %s",
                      names && !passed ? name : oracle_fold(oracle, part, scope).text);
    }
    writer_append(&text, ">");
    return (struct oracle_folded){.text = writer_text(&text)};
}

int32_t oracle_constant(struct oracle *oracle, const struct csp_expression *e, environment scope)
{
    struct oracle_folded folded = oracle_fold(oracle, e, scope);
    if (!folded.constant || folded.value.is_boolean)
        oracle_fail(oracle, "%s is no constant integer", folded.text);
    return folded.value.number;
}

/* A local variable, known by name only. */
static environment declare_local(struct oracle *oracle, const struct csp_statement *s,
                                 environment outer)
{
    struct oracle_environment *inner = oracle_allocate(oracle, sizeof *inner);
    *inner = (struct oracle_environment){
        .outer = outer, .name = s->name, .kind = ORACLE_LOCAL, .length = -1};
    if (s->size_count)
        inner->length = oracle_constant(oracle, s->sizes[0], outer);
    else if (s->condition && s->condition->kind == EXPRESSION_RECORD)
        inner->length = (int32_t)s->condition->count;
    inner->local = oracle_allocate(oracle, sizeof *inner->local *
                                               (size_t)(inner->length < 0 ? 1 : inner->length));
    return inner;
}

const char *oracle_fold_program(struct oracle *oracle, const struct csp_statement *s,
                                environment scope)
{
    struct writer text = {.oracle = oracle};
    switch ((enum csp_statement_kind)s->kind) {
    case STATEMENT_BLOCK:
        for (uint32_t i = 0; i < s->count; i++) {
            writer_append(&text, oracle_fold_program(oracle, s->children[i], scope));
            if (s->children[i]->kind == STATEMENT_LOCAL)
                scope = declare_local(oracle, s->children[i], scope);
        }
        break;
    case STATEMENT_LOCAL:
        writer_format(&text, "var %s=%s;", s->name,
                      s->condition ? oracle_fold(oracle, s->condition, scope).text : "0");
        break;
    case STATEMENT_EXPRESSION:
        writer_format(&text, "%s;", oracle_fold(oracle, s->condition, scope).text);
        break;
    default:
        writer_format(&text, "%s(%s)", s->kind == STATEMENT_IF ? "if" : "while",
                      oracle_fold(oracle, s->condition, scope).text);
        for (uint32_t i = 0; i < s->count; i++)
            writer_format(&text, "{%s}", oracle_fold_program(oracle, s->children[i], scope));
    }
    return writer_text(&text);
}

/* ---- evaluation ---- */

/* The elements of an array and how many; their range, if it is a variable with one. */
struct elements {
    value *items;
    int32_t length;
    const struct csp_variable *declared;
};

static struct elements locate(struct oracle *oracle, const char *name, environment scope,
                              struct oracle_valuation *valuation)
{
    environment bound = find(scope, name);
    if (bound && bound->kind == ORACLE_LOCAL)
        return (struct elements){bound->local, bound->length, NULL};
    const struct oracle_array *passed =
        bound && bound->kind == ORACLE_CONSTANT ? oracle_array_of(oracle, bound->value) : NULL;
    if (passed)
        return (struct elements){passed->items, passed->length, NULL};
    int variable = bound ? -1 : oracle_variable(oracle, name);
    if (variable < 0)
        oracle_fail(oracle, "%s is no variable", name);
    const struct csp_variable *declared = &oracle->module->variables.items[variable];
    bool array = oracle->sizes[variable][0] != 0;
    return (struct elements){valuation->variables[variable], array ? oracle->lengths[variable] : -1,
                             declared};
}

/* Where the variable or element is; its range in *declared. */
static value *place_of(struct oracle *oracle, const struct csp_expression *e, environment scope,
                       struct oracle_valuation *valuation, const struct csp_variable **declared)
{
    environment from = scope;
    const char *name =
        e->kind == EXPRESSION_INDEX ? meant_array(e->operands[0]->name, &from) : e->name;
    struct elements at = locate(oracle, name, from, valuation);
    int64_t index = 0;
    *declared = at.declared;
    if (e->kind == EXPRESSION_NAME) {
        if (at.length >= 0)
            oracle_fail(oracle, "%s is an array", name);
        return at.items;
    }
    if (at.length < 0)
        oracle_fail(oracle, "%s is no array", name);
    for (uint32_t i = 1; i < e->count; i++) {
        value one = oracle_evaluate(oracle, e->operands[i], scope, valuation);
        if (one.is_boolean)
            oracle_fail(oracle, "a boolean as index");
        if (i > 1)
            index *= oracle->sizes[oracle_variable(oracle, name)][i - 1];
        index += one.number;
    }
    if (index < 0 || index >= at.length)
        oracle_fail(oracle, "index %d of %s", (int)index, name);
    return at.items + index;
}

/* Writes a list's elements to `items` from `at` on, as far as `length`; how many there are. */
static int32_t fill(struct oracle *oracle, const struct csp_expression *list, environment scope,
                    struct oracle_valuation *valuation, value *items, int32_t length)
{
    int32_t at = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct csp_expression *e = list->operands[i];
        int32_t copies = 1, step = 0;
        value v = {0};
        if (e->kind == EXPRESSION_RANGE) {
            int32_t first = oracle_constant(oracle, e->operands[0], scope);
            int32_t last = oracle_constant(oracle, e->operands[1], scope);
            v = number(first);
            step = last < first ? -1 : 1;
            copies = (last - first) * step + 1;
        } else if (e->kind == EXPRESSION_REPEAT) {
            copies = oracle_constant(oracle, e->operands[1], scope);
            e = e->operands[0];
        }
        for (int32_t j = 0; j < copies; j++, at++) {
            if (!step && valuation)
                v = oracle_evaluate(oracle, e, scope, valuation);
            if (at < length)
                items[at] = v;
            v.number += step;
        }
    }
    return at;
}

static value assign(struct oracle *oracle, const struct csp_expression *target,
                    const struct csp_expression *source, environment scope,
                    struct oracle_valuation *valuation)
{
    if (source->kind == EXPRESSION_RECORD) {
        struct elements to = locate(oracle, target->name, scope, valuation);
        if (fill(oracle, source, scope, valuation, to.items, to.length) != to.length)
            oracle_fail(oracle, "a list of another length than %s", target->name);
        for (int32_t i = 0; i < to.length; i++)
            oracle_check_range(oracle, to.declared, to.items[i]);
        return number(0);
    }
    const struct csp_variable *declared;
    if (target->kind == EXPRESSION_NAME && source->kind == EXPRESSION_NAME &&
        oracle_copy_array(oracle, target, source, scope, valuation))
        return number(0);
    value v = oracle_evaluate(oracle, source, scope, valuation);
    value *to = place_of(oracle, target, scope, valuation, &declared);
    oracle_check_range(oracle, declared, v);
    *to = v;
    return v;
}

struct evaluate_indexed {
    const struct csp_expression *node;
    struct oracle_valuation *valuation;
    bool any, settled;
    value so_far;
};

static void evaluate_indexed(struct oracle *oracle, void *context, environment scope)
{
    struct evaluate_indexed *all = context;
    uint8_t operator= all->node->operator;
    if (all->settled)
        return;
    value v = oracle_evaluate(oracle, all->node->operands[0], scope, all->valuation);
    if (!v.is_boolean)
        oracle_fail(oracle, "an indexed form of what is no boolean");
    if (operator== CSP_XOR && all->any)
        v.number = v.number != all->so_far.number;
    all->any = true;
    all->so_far = v;
    all->settled = operator!= CSP_XOR && v.number ==(operator== CSP_BAR_BAR);
}

static value evaluate_operator(struct oracle *oracle, const struct csp_expression *e,
                               environment scope, struct oracle_valuation *valuation)
{
    value a = oracle_evaluate(oracle, e->operands[0], scope, valuation), b, result = {0};
    bool conjunction = e->operator== CSP_AND_AND;
    if (e->kind == EXPRESSION_UNARY) {
        if (e->operator== CSP_PLUS)
            return a;
        bool minus = e->operator== CSP_MINUS;
        if (a.is_boolean == minus)
            oracle_fail(oracle, "the sign of a boolean, or `!` of an integer");
        return minus ? number(-(int64_t)a.number) : boolean(!a.number);
    }
    if (conjunction || e->operator== CSP_BAR_BAR) {
        if (!a.is_boolean)
            oracle_fail(oracle, "an integer as condition");
        if (a.number != conjunction)
            return a;
        b = oracle_evaluate(oracle, e->operands[1], scope, valuation);
        if (!b.is_boolean)
            oracle_fail(oracle, "an integer as condition");
        return b;
    }
    b = oracle_evaluate(oracle, e->operands[1], scope, valuation);
    const char *wrong = apply(e->operator, a, b, &result);
    if (wrong)
        oracle_fail(oracle, "%s", wrong);
    return result;
}

/* Runs a macro's program: its value is that of its last expression, or 0. */
static value run_macro(struct oracle *oracle, const struct csp_statement *block, environment scope,
                       struct oracle_valuation *valuation)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const struct csp_statement *child = block->children[i];
        if (child->is_value)
            return oracle_evaluate(oracle, child->condition, scope, valuation);
        if (child->kind == STATEMENT_LOCAL)
            scope = declare_local(oracle, child, scope);
        oracle_run(oracle, child, scope, valuation);
    }
    return number(0);
}

static value evaluate_name(struct oracle *oracle, const struct csp_expression *e, environment scope,
                           struct oracle_valuation *valuation)
{
    environment bound = e->kind == EXPRESSION_NAME ? find(scope, e->name) : NULL;
    if (bound && bound->kind == ORACLE_CONSTANT)
        return bound->value;
    if (bound && bound->kind == ORACLE_ARGUMENT)
        return oracle_evaluate(oracle, bound->argument, bound->argument_environment, valuation);
    int macro = bound ? -1 : oracle_macro(oracle, e->name);
    if (macro >= 0) {
        const struct csp_macro *found = &oracle->module->macros.items[macro];
        environment inner = macro_environment(oracle, found, e, scope);
        if (found->expression)
            return oracle_evaluate(oracle, found->expression, inner, valuation);
        return run_macro(oracle, found->block, inner, valuation);
    }
    if (e->kind == EXPRESSION_CALL)
        return oracle_call(oracle, e, scope, valuation);
    const struct csp_variable *ignored;
    return *place_of(oracle, e, scope, valuation, &ignored);
}

value oracle_evaluate(struct oracle *oracle, const struct csp_expression *e, environment scope,
                      struct oracle_valuation *valuation)
{
    const struct csp_variable *declared;
    struct evaluate_indexed all = {.node = e, .valuation = valuation};
    switch ((enum csp_expression_kind)e->kind) {
    case EXPRESSION_INTEGER:
        return number(e->integer);
    case EXPRESSION_BOOLEAN:
        return boolean(e->integer);
    case EXPRESSION_NAME:
    case EXPRESSION_CALL:
        return evaluate_name(oracle, e, scope, valuation);
    case EXPRESSION_AT_WORK:
        oracle->counted = 0;
        return number(oracle_at_work(oracle, e, oracle->control));
    case EXPRESSION_INDEX:
        return *place_of(oracle, e, scope, valuation, &declared);
    case EXPRESSION_UNARY:
    case EXPRESSION_BINARY:
        return evaluate_operator(oracle, e, scope, valuation);
    case EXPRESSION_ASSIGN:
        return assign(oracle, e->operands[0], e->operands[1], scope, valuation);
    case EXPRESSION_STEP: {
        value *at = place_of(oracle, e->operands[0], scope, valuation, &declared);
        if (at->is_boolean)
            oracle_fail(oracle, "++ of a boolean");
        value v = number((int64_t)at->number + (e->operator== CSP_INCREMENT ? 1 : - 1));
        oracle_check_range(oracle, declared, v);
        return *at = v;
    }
    case EXPRESSION_INDEXED:
        all.so_far = boolean(e->operator== CSP_AND_AND);
        oracle_ranges(oracle, e->ranges, e->range_count, scope, evaluate_indexed, &all);
        return all.so_far;
    default:
        oracle_fail(oracle, "an expression that the oracle does not know");
    }
}

bool oracle_test(struct oracle *oracle, const struct csp_expression *e, environment scope,
                 struct oracle_valuation *valuation)
{
    value v = oracle_evaluate(oracle, e, scope, valuation);
    if (!v.is_boolean)
        oracle_fail(oracle, "an integer as condition");
    return v.number;
}

bool oracle_holds(struct oracle *oracle, const struct csp_expression *e, environment scope,
                  const struct oracle_valuation *valuation)
{
    const struct csp_expression *meant = e;
    for (int macro; meant && meant->kind == EXPRESSION_NAME &&
                    (macro = oracle_macro(oracle, meant->name)) >= 0;)
        meant = oracle->module->macros.items[macro].expression;
    if (meant && meant->kind == EXPRESSION_ASSIGN)
        oracle_fail(oracle, "an assignment as condition");
    return oracle_test(oracle, e, scope, oracle_copy(oracle, valuation));
}

void oracle_run(struct oracle *oracle, const struct csp_statement *s, environment scope,
                struct oracle_valuation *valuation)
{
    switch ((enum csp_statement_kind)s->kind) {
    case STATEMENT_BLOCK:
        for (uint32_t i = 0; i < s->count; i++) {
            if (s->children[i]->kind == STATEMENT_LOCAL)
                scope = declare_local(oracle, s->children[i], scope);
            oracle_run(oracle, s->children[i], scope, valuation);
        }
        return;
    case STATEMENT_LOCAL: {
        struct csp_expression name = {.kind = EXPRESSION_NAME, .name = s->name};
        if (s->condition)
            (void)assign(oracle, &name, s->condition, scope, valuation);
        return;
    }
    case STATEMENT_EXPRESSION:
        (void)oracle_evaluate(oracle, s->condition, scope, valuation);
        return;
    case STATEMENT_IF:
        if (oracle_test(oracle, s->condition, scope, valuation))
            oracle_run(oracle, s->children[0], scope, valuation);
        else if (s->count == 2)
            oracle_run(oracle, s->children[1], scope, valuation);
        return;
    default:
        for (unsigned loops = 0; oracle_test(oracle, s->condition, scope, valuation); loops++) {
            if (loops > MAX_LOOPS)
                oracle_fail(oracle, "a loop without end");
            oracle_run(oracle, s->children[0], scope, valuation);
        }
    }
}

/* ---- valuations ---- */

struct oracle_valuation *oracle_copy(struct oracle *oracle, const struct oracle_valuation *from)
{
    size_t variables = oracle->module->variables.length, channels = oracle->module->channels.length;
    struct oracle_valuation *copy = oracle_allocate(oracle, sizeof *copy);
    copy->variables = oracle_allocate(oracle, variables * sizeof *copy->variables);
    copy->channels = oracle_allocate(oracle, channels * sizeof *copy->channels);
    for (size_t i = 0; i < variables; i++) {
        size_t size = (size_t)oracle->lengths[i] * sizeof **copy->variables;
        copy->variables[i] = oracle_allocate(oracle, size);
        memcpy(copy->variables[i], from->variables[i], size);
    }
    for (size_t i = 0; i < channels; i++) {
        size_t size = (size_t)oracle->channel_counts[i] * sizeof **copy->channels;
        copy->channels[i] = oracle_allocate(oracle, size);
        memcpy(copy->channels[i], from->channels[i], size); /* queues are never changed in place */
    }
    return copy;
}

static void declare_variable(struct oracle *oracle, size_t i)
{
    const struct csp_variable *variable = &oracle->module->variables.items[i];
    const struct csp_expression *initial = variable->initial;
    bool from_list = !variable->size_count && initial && initial->kind == EXPRESSION_RECORD;
    oracle->sizes[i] = oracle_allocate(oracle, (variable->size_count + 2) * sizeof **oracle->sizes);
    oracle->lengths[i] = 1;
    for (uint32_t j = 0; j < variable->size_count; j++) {
        oracle->sizes[i][j] = oracle_constant(oracle, variable->sizes[j], NULL);
        oracle->lengths[i] *= oracle->sizes[i][j];
    }
    if (from_list)
        oracle->sizes[i][0] = oracle->lengths[i] = fill(oracle, initial, NULL, NULL, NULL, 0);
    oracle->initial->variables[i] =
        oracle_allocate(oracle, (size_t)oracle->lengths[i] * sizeof(value));
    if (variable->type)
        oracle_fail(oracle, "a collection");
    if (initial && initial->kind == EXPRESSION_WILD) {
        for (int32_t j = 0; j < oracle->lengths[i]; j++)
            oracle->initial->variables[i][j].number = oracle_constant(oracle, variable->low, NULL);
    } else if (initial) {
        struct csp_expression name = {.kind = EXPRESSION_NAME, .name = variable->name};
        (void)assign(oracle, &name, initial, NULL, oracle->initial);
    }
}

void oracle_declare(struct oracle *oracle)
{
    const struct csp_module *module = oracle->module;
    size_t variables = module->variables.length, channels = module->channels.length;
    oracle->sizes = oracle_allocate(oracle, variables * sizeof *oracle->sizes);
    oracle->lengths = oracle_allocate(oracle, variables * sizeof *oracle->lengths);
    oracle->channel_counts = oracle_allocate(oracle, channels * sizeof *oracle->channel_counts);
    oracle->capacities = oracle_allocate(oracle, channels * sizeof *oracle->capacities);
    oracle->initial = oracle_allocate(oracle, sizeof *oracle->initial);
    oracle->initial->variables =
        oracle_allocate(oracle, variables * sizeof *oracle->initial->variables);
    oracle->initial->channels =
        oracle_allocate(oracle, channels * sizeof *oracle->initial->channels);
    for (size_t i = 0; i < variables; i++)
        declare_variable(oracle, i);
    for (size_t i = 0; i < channels; i++) {
        const struct csp_channel *channel = &module->channels.items[i];
        oracle->channel_counts[i] =
            channel->array_size ? oracle_constant(oracle, channel->array_size, NULL) : 1;
        oracle->capacities[i] = oracle_constant(oracle, channel->buffer_size, NULL);
        oracle->initial->channels[i] = oracle_allocate(oracle, (size_t)oracle->channel_counts[i] *
                                                                   sizeof(struct oracle_queue));
    }
}
