/* linchpin fmt: lays out .lin files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "cli/command.h"
#include "cli/input.h"

static int complain(const struct error *error)
{
    fprintf(stderr, "linchpin fmt: %s\n", error->message);
    return EXIT_INPUT;
}

/* Puts the text in the file's place. */
static int replace(const char *path, const char *text, size_t length)
{
    struct output *output;
    struct error error;
    if (output_open(path, &output, &error) != STATUS_OK)
        return complain(&error);
    fwrite(text, 1, length, output_stream(output));
    return output_commit(output, &error) == STATUS_OK ? EXIT_HOLDS : complain(&error);
}

static int lay_out(const struct options *options, lp_context *context, const char *path)
{
    char *text = NULL;
    size_t length = 0;
    bool same = false;
    struct model_errors errors;
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        return EXIT_UNDECIDED;
    lp_status status = lp_model_format_all(context, path, memory, &same, errors.items, MODEL_ERRORS,
                                           &errors.count);
    fclose(memory);
    int result = EXIT_HOLDS;
    if (status != LP_OK) {
        result = model_errors_print(&errors, path, false);
        result = status == LP_INTERNAL ? EXIT_FAULT : status == LP_LIMIT ? EXIT_UNDECIDED : result;
    } else if (options->check) {
        if (!same)
            printf("%s\n", path);
        result = same ? EXIT_HOLDS : EXIT_VIOLATION;
    } else if (!same || strcmp(path, "-") == 0) {
        result = replace(path, text, length);
    }
    free(text);
    return result;
}

int fmt_run(const struct options *options)
{
    struct session session;
    session_init(&session, options);
    lp_context *context = session_open(&session, 1);
    int result = context ? EXIT_HOLDS : EXIT_UNDECIDED;
    for (size_t i = 0; context && i < options->operand_count; i++)
        result = exit_worst(result, lay_out(options, context, options->operands[i]));
    if (context)
        session_close(&session, context);
    session_release(&session);
    return result;
}
