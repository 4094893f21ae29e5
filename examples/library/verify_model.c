#include <linchpin/linchpin.h>
#include <stdio.h>
#include <string.h>

static const char model_text[] = "var n = 0;"
                                 "Add() = tau -> read.n -> Write(n);"
                                 "Write(i) = write.i{n = i + 1} -> Stop;"
                                 "Both() = Add() ||| Add();"
                                 "#define two n == 2;"
                                 "#assert Both() reaches two;"
                                 "#assert Both() deadlockfree;";

/* Two processes that each add one to n. */
int main(void)
{
    lp_context *context = lp_context_create(0);
    lp_model *model;
    lp_error error;
    if (lp_model_parse(context, "adders", model_text, strlen(model_text), &model, &error)) {
        fprintf(stderr, "%s:%u: %s\n", error.file, error.line, error.message);
        return 2;
    }

    lp_assertion assertion;
    for (size_t i = 0; lp_model_assertion_at(model, i, &assertion); i++) {
        static const char *const answers[] = {"holds", "violated", "undecided"};
        lp_verification *result;
        if (lp_verify(context, model, i, NULL, &result, &error)) {
            fprintf(stderr, "%s\n", error.message);
            return 2;
        }
        printf("%s: %s", assertion.text, answers[result->answer]);
        for (size_t step = 0; step < result->execution.length; step++)
            printf(" %s", result->execution.steps[step].event);
        puts("");
        lp_verification_destroy(result);
    }
    lp_model_destroy(model);
    lp_context_destroy(context);
    return 0;
}
