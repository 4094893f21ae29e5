/* linchpin fmt: lays out .lin files. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/input.h"
#include "cli/results.h"

/* What a file is to be. */
struct laid_out {
    char *text;
    size_t length;
};

static int write_text(void *user, FILE *out)
{
    const struct laid_out *laid_out = user;
    fwrite(laid_out->text, 1, laid_out->length, out);
    return EXIT_HOLDS;
}

static int lay_out(const struct options *options, lp_context *context, const char *path)
{
    struct laid_out made = {0};
    bool same = false;
    struct model_errors errors;
    FILE *memory = open_memstream(&made.text, &made.length);
    if (!memory)
        return EXIT_UNDECIDED;
    lp_status status = lp_model_format_all(context, path, memory, &same, errors.items, MODEL_ERRORS,
                                           &errors.count);
    const bool refused = ferror(memory) != 0; /* part of a text is none */
    int result = fclose(memory) || refused ? EXIT_UNDECIDED : EXIT_HOLDS;
    if (result == EXIT_UNDECIDED) {
        fprintf(stderr, "linchpin fmt: %s: memory was refused\n", path);
    } else if (status != LP_OK) {
        result = model_errors_print(&errors, path, false);
        result = status == LP_INTERNAL ? EXIT_FAULT : status == LP_LIMIT ? EXIT_UNDECIDED : result;
    } else if (options->check) {
        if (!same)
            printf("%s\n", path);
        result = same ? EXIT_HOLDS : EXIT_VIOLATION;
    } else if (!same || strcmp(path, "-") == 0) {
        result = output_by("fmt", path, write_text, &made);
    }
    free(made.text);
    return result;
}

static int lay_out_all(struct session *session, lp_context *context, void *user)
{
    const struct options *options = user;
    int result = EXIT_HOLDS;
    (void)session;
    for (size_t i = 0; i < options->operand_count; i++)
        result = exit_worst(result, lay_out(options, context, options->operands[i]));
    return result;
}

int fmt_run(const struct options *options)
{
    return session_run(options, "fmt", NULL, lay_out_all, (void *)(uintptr_t)options);
}
