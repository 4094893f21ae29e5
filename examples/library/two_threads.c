#include <linchpin/linchpin.h>
#include <stdio.h>
#include <stdlib.h>

static void must(lp_status status, const lp_error *error)
{
    if (status != LP_OK) {
        fprintf(stderr, "%s\n", error->message);
        exit(2);
    }
}

/* While thread 1 writes 7, thread 2 reads 7 and then, once more, nil. */
int main(void)
{
    lp_context *context = lp_context_create(0);
    lp_history *history = lp_history_create(context, "two threads");
    lp_value one = lp_value_integer(context, 1), two = lp_value_integer(context, 2);
    lp_value seven = lp_value_integer(context, 7), nil = LP_VALUE_NIL;
    lp_error error;
    must(lp_history_invoke(history, one, "write", seven, &error), &error);
    must(lp_history_invoke(history, two, "read", nil, &error), &error);
    must(lp_history_complete(history, two, LP_OUTCOME_OK, seven, &error), &error);
    must(lp_history_invoke(history, two, "read", nil, &error), &error);
    must(lp_history_complete(history, two, LP_OUTCOME_OK, nil, &error), &error);
    must(lp_history_complete(history, one, LP_OUTCOME_OK, nil, &error), &error);
    must(lp_history_close(history, &error), &error);

    lp_result *result;
    must(lp_check(context, history, NULL, 0, NULL, &result, &error), &error);
    if (result->verdict == LP_LINEARIZABLE)
        puts("linearizable");
    else if (result->verdict == LP_VIOLATION)
        printf("violation: %s\n", result->reason);
    else
        printf("unknown: %s\n", result->reason);

    lp_result_destroy(result);
    lp_history_destroy(history);
    lp_context_destroy(context);
    return 0;
}
