#include "lin/owners.h"

#include "lin/lexer.h"
#include "lin/walk.h"

static const struct lin_variable *variable_of(const struct lin_expression *expression)
{
    if (expression->kind == LIN_EXPRESSION_FIELD &&
        expression->items[0]->type.kind == LIN_TYPE_STRUCT)
        return expression->items[0]->type.of->fields[expression->number];
    if (expression->kind == LIN_EXPRESSION_NAME &&
        (expression->meaning == LIN_MEANS_LOCAL || expression->meaning == LIN_MEANS_SHARED))
        return expression->variable;
    return NULL;
}

static bool has(const struct lin_owners *owners, const struct lin_variable *variable)
{
    for (size_t i = 0; i < owners->items.length; i++)
        if (owners->items.items[i] == variable)
            return true;
    return false;
}

bool lin_is_owner(const struct lin_owners *owners, const struct lin_expression *expression)
{
    const struct lin_variable *variable = variable_of(expression);
    return variable && has(owners, variable);
}

bool lin_is_owner_or_thread(const struct lin_owners *owners,
                            const struct lin_expression *expression)
{
    return expression->meaning == LIN_MEANS_THREAD || lin_is_owner(owners, expression);
}

struct finding {
    struct lin_owners *owners;
    bool grows, refused;
};

static void set(struct finding *finding, const struct lin_variable *variable,
                const struct lin_expression *source)
{
    if (!variable || !source || !lin_is_owner_or_thread(finding->owners, source) ||
        has(finding->owners, variable))
        return;
    finding->grows = true;
    finding->refused |= !vector_push(&finding->owners->items, variable);
}

static bool look_at_expression(void *context, const struct lin_expression *expression)
{
    if (expression->kind == LIN_EXPRESSION_ASSIGN && expression->sign == LIN_ASSIGN)
        set(context, variable_of(expression->items[0]), expression->items[1]);
    return false;
}

static bool look_at_statement(void *context, const struct lin_statement *statement)
{
    if (statement->variable)
        set(context, statement->variable, statement->variable->initial);
    return false;
}

static void look_at_body(struct finding *finding, const struct lin_statement *body)
{
    lin_some_statement(body, look_at_statement, finding);
    lin_some_expression(body, look_at_expression, finding);
}

enum status lin_owners_find(struct lin_owners *owners, const struct lin_object *object,
                            struct budget *budget)
{
    struct finding finding = {.owners = owners, .grows = true};
    vector_init(&owners->items, budget);
    while (finding.grows && !finding.refused) {
        finding.grows = false;
        for (uint32_t i = 0; i < object->operation_count; i++)
            look_at_body(&finding, object->operations[i]->body);
        for (uint32_t i = 0; i < object->function_count; i++)
            look_at_body(&finding, object->functions[i]->body);
    }
    return granted(!finding.refused);
}

void lin_owners_release(struct lin_owners *owners)
{
    vector_release(&owners->items);
}

static bool acts(void *context, const struct lin_expression *part)
{
    (void)context;
    return part->kind == LIN_EXPRESSION_CALL || part->kind == LIN_EXPRESSION_NEW ||
           part->kind == LIN_EXPRESSION_CHOOSE || part->kind == LIN_EXPRESSION_ASSIGN ||
           part->kind == LIN_EXPRESSION_STEP;
}

const struct lin_expression *lin_owned_node(const struct lin_expression *owner)
{
    if (owner->kind == LIN_EXPRESSION_NAME && owner->meaning == LIN_MEANS_LOCAL)
        owner = owner->variable->initial;
    if (!owner || owner->kind != LIN_EXPRESSION_FIELD ||
        owner->items[0]->type.kind != LIN_TYPE_STRUCT || lin_some_part(owner, acts, NULL))
        return NULL;
    return owner->items[0];
}
