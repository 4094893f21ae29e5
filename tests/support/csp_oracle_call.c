/* What is called by `call(...)` and is no macro: questions about channels, and functions, each by a
 * loop that counts. */
#include <stdlib.h>
#include <string.h>

#include "support/csp_oracle_term.h"

typedef struct oracle_value value;
typedef const struct oracle_environment *environment;

static value evaluate_channel(struct oracle *oracle, const struct csp_expression *e,
                              environment scope, struct oracle_valuation *valuation)
{
    const struct csp_expression *argument = e->operands[0];
    bool indexed = argument->kind == EXPRESSION_INDEX;
    const char *name = indexed ? argument->operands[0]->name : argument->name;
    int channel = oracle_channel(oracle, name);
    int32_t element = 0;
    if (channel < 0)
        oracle_fail(oracle, "%s is no channel", name);
    if (indexed)
        element = oracle_evaluate(oracle, argument->operands[1], scope, valuation).number;
    if (element < 0 || element >= oracle->channel_counts[channel])
        oracle_fail(oracle, "index of a channel");
    const struct oracle_queue *queue = &valuation->channels[channel][element];
    if (strcmp(e->name, "ccount") == 0)
        return (value){false, (int32_t)queue->count};
    if (strcmp(e->name, "cempty") == 0)
        return (value){true, queue->count == 0};
    if (strcmp(e->name, "cfull") == 0)
        return (value){true, (int32_t)queue->count >= oracle->capacities[channel]};
    if (strcmp(e->name, "csize") == 0)
        return (value){false, oracle->capacities[channel]};
    if (strcmp(e->name, "cpeek") != 0 || queue->count == 0 || queue->tuples[0].count == 0)
        oracle_fail(oracle, "call of %s", e->name);
    return queue->tuples[0].values[0];
}

bool oracle_is_function(const char *name)
{
    static const char *const names[] = {"Max", "max", "Min",  "min",  "Abs",  "abs",
                                        "Pow", "pow", "Sign", "sign", "Sqrt", "sqrt"};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Multiplies until the product leaves 32 bits. */
static const char *power(int64_t base, int64_t exponent, int64_t *result)
{
    if (exponent < 0 && base == 0)
        return "a negative power of 0";
    if (exponent < 0 && llabs(base) > 1) {
        *result = 0;
        return NULL;
    }
    *result = 1;
    /* Of 0, 1 and -1 only whether the exponent is even counts, and whether it is 0. */
    int64_t most = llabs(exponent) > 100 ? 100 + llabs(exponent) % 2 : llabs(exponent);
    for (int64_t i = 0; i < most; i++) {
        *result *= base;
        if (*result > INT32_MAX || *result < INT32_MIN + 2)
            return "a power of more than 32 bits";
    }
    return NULL;
}

const char *oracle_function(const char *name, const value *arguments, unsigned count, value *result)
{
    int64_t a = arguments[0].number, b = count > 1 ? arguments[1].number : 0, made = 0;
    char letter = (char)(name[0] | 0x20);
    bool two = letter == 'm' || letter == 'p';
    const char *wrong = NULL;
    if (count != (two ? 2 : 1) || arguments[0].is_boolean || (two && arguments[1].is_boolean))
        return "arguments of a function";
    if (letter == 'm')
        made = (name[1] == 'a') == (a > b) ? a : b;
    else if (letter == 'p')
        wrong = power(a, b, &made);
    else if (letter == 'a')
        made = a < 0 ? -a : a;
    else if (name[1] == 'i')
        made = a < 0 ? -1 : a > 0 ? 1 : 0;
    else if (a < 0)
        wrong = "the root of a negative number";
    else
        while ((made + 1) * (made + 1) <= a)
            made++;
    *result = (value){false, (int32_t)made};
    return wrong;
}

value oracle_call(struct oracle *oracle, const struct csp_expression *e, environment scope,
                  struct oracle_valuation *valuation)
{
    value arguments[2] = {{0}}, result;
    if (!oracle_is_function(e->name))
        return evaluate_channel(oracle, e, scope, valuation);
    for (uint32_t i = 0; i < e->count && i < 2; i++)
        arguments[i] = oracle_evaluate(oracle, e->operands[i], scope, valuation);
    const char *wrong = oracle_function(e->name, arguments, e->count, &result);
    if (wrong)
        oracle_fail(oracle, "%s", wrong);
    return result;
}

/* ---- processes at work ---- */

#define MOST_COUNTED 300 /* references within one another */

/* Whether the arguments of a reference are constants; *same: those that `#R(...)` names. */
static bool has_constants(struct oracle *oracle, const struct csp_expression *e,
                          const struct oracle_term *term, bool *same)
{
    *same = strcmp(term->node->name, e->name) == 0;
    for (uint32_t i = 0; i < term->node->argument_count; i++) {
        struct oracle_folded found =
            oracle_fold(oracle, term->node->arguments[i], term->environment);
        if (!found.constant)
            return false;
        if (!*same)
            continue;
        struct oracle_folded wanted = oracle_fold(oracle, e->operands[i], NULL);
        *same = wanted.value.is_boolean == found.value.is_boolean &&
                wanted.value.number == found.value.number;
    }
    return true;
}

int32_t oracle_at_work(struct oracle *oracle, const struct csp_expression *e,
                       const struct oracle_term *term)
{
    int32_t sum = 0;
    switch (term->kind) {
    case PROCESS_REFERENCE: {
        bool same = false;
        if (!has_constants(oracle, e, term, &same))
            return 0;
        environment inner =
            oracle_bind_arguments(oracle, term->node, term->environment, oracle->now);
        const struct csp_definition *definition =
            &oracle->module->definitions.items[oracle_definition(oracle, term->node->name)];
        if (++oracle->counted > MOST_COUNTED)
            oracle_fail(oracle, "the recursion of %s is not guarded", definition->name);
        sum = same + oracle_at_work(oracle, e, oracle_instantiate(oracle, definition->body, inner));
        oracle->counted--;
        return sum;
    }
    case PROCESS_SEQUENCE:
    case PROCESS_INTERRUPT:
        return oracle_at_work(oracle, e, term->children[0]);
    case PROCESS_INTERLEAVE:
    case PROCESS_PARALLEL:
    case PROCESS_COPIES:
    case PROCESS_HIDE:
    case PROCESS_ATOMIC:
        for (unsigned i = 0; i < term->count; i++)
            sum += oracle_at_work(oracle, e, term->children[i]);
        return sum;
    default:
        return 0;
    }
}
