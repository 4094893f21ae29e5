/* An object that is not built in, specified through callbacks: a register that keeps the largest
 * number ever written to it. `write n` -> nothing, `read` -> the largest so far, 0 at first. */
#include <linchpin/linchpin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    READ,
    WRITE
};

static const char *const operations[] = {"read", "write", NULL};

static void *new_state(int64_t largest)
{
    int64_t *state = (int64_t *)malloc(sizeof *state);
    if (state)
        *state = largest;
    return state;
}

static void *init(void *user)
{
    (void)user;
    return new_state(0);
}

static void *step(void *user, const void *state, size_t operation, lp_value argument,
                  lp_value *result)
{
    int64_t largest = *(const int64_t *)state, written;
    if (operation == READ) {
        *result = lp_value_integer((lp_context *)user, largest);
        return (void *)state; /* as it is */
    }
    if (!lp_value_get_integer(argument, &written))
        return NULL; /* such a write never happens */
    if (written <= largest)
        return (void *)state;
    void *next = new_state(written);
    return next ? next : LP_STATE_REFUSED;
}

static bool equal(void *user, const void *a, const void *b)
{
    (void)user;
    return *(const int64_t *)a == *(const int64_t *)b;
}

static uint64_t hash(void *user, const void *state)
{
    (void)user;
    return (uint64_t) * (const int64_t *)state;
}

static char *print(void *user, const void *state)
{
    (void)user;
    char *text = (char *)malloc(32);
    if (text)
        snprintf(text, 32, "%lld", (long long)*(const int64_t *)state);
    return text;
}

static void release(void *user, void *state)
{
    (void)user;
    free(state);
}

static void must(lp_status status, const lp_error *error)
{
    if (status != LP_OK) {
        fprintf(stderr, "%s\n", error->message);
        exit(2);
    }
}

static void record(lp_context *context, lp_history *history, const char *function,
                   lp_value argument, lp_value result)
{
    lp_error error;
    lp_value process = lp_value_integer(context, 0);
    must(lp_history_invoke(history, process, function, argument, &error), &error);
    must(lp_history_complete(history, process, LP_OUTCOME_OK, result, &error), &error);
}

int main(void)
{
    lp_context *context = lp_context_create(0);
    lp_history *history = lp_history_create(context, "largest");
    lp_error error;
    record(context, history, "write", lp_value_integer(context, 5), LP_VALUE_NIL);
    record(context, history, "write", lp_value_integer(context, 3), LP_VALUE_NIL);
    record(context, history, "read", LP_VALUE_NIL, lp_value_integer(context, 5));
    must(lp_history_close(history, &error), &error);

    lp_spec_callbacks callbacks;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.size = sizeof callbacks;
    callbacks.name = "largest";
    callbacks.operations = operations;
    callbacks.init = init;
    callbacks.step = step;
    callbacks.equal = equal;
    callbacks.hash = hash;
    callbacks.print = print;
    callbacks.release = release;
    lp_spec *spec;
    must(lp_spec_create_custom(context, &callbacks, context, &spec, &error), &error);
    lp_binding binding = {NULL, spec};
    lp_result *result;
    must(lp_check(context, history, &binding, 1, NULL, &result, &error), &error);
    puts(result->verdict == LP_LINEARIZABLE ? "linearizable" : result->reason);

    lp_result_destroy(result);
    lp_spec_destroy(spec);
    lp_history_destroy(history);
    lp_context_destroy(context);
    return 0;
}
