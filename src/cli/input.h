/* From the words of the command line to histories and specifications. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <linchpin/linchpin.h>

#include "base/attributes.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/session.h"

/* What the operands stand for: a folder for the histories found in it. */
struct inputs {
    const char **names;
    size_t count;
    char ***found; /* what lp_history_find gave */
    size_t found_count;
    const char **without; /* runs in these folders that left no history */
    size_t without_count;
    char ***missed; /* what lp_history_find_without gave, of each operand */
};

void inputs_expand(char *const *operands, size_t count, struct inputs *inputs);
void inputs_release(struct inputs *inputs);

/* Appends that a run left no history: an object with `json`, else a line. */
void input_append_without(const char *run, bool json, struct text *text);

/* Whether the operand is standard input, all of it or one history. */
bool input_is_standard(const char *operand);

/* Whether it can be read only once: standard input, a pipe, a device. */
bool input_is_stream(const char *operand);

/* Reads what `operand` names: a path, "-", or FILE#NAME for one history of a file with several. As
 * lp_history_read; release with input_release. */
lp_status input_read(lp_context *context, const char *operand, const lp_read_options *options,
                     lp_history ***histories, size_t *count, lp_error *error);
void input_release(lp_history **histories, size_t count);

/* What `--order` says; null: nothing. */
lp_order order_named(const char *name);

/* How the user would name this history of `operand`; release with free(). */
char *input_name(const char *operand, const lp_history *history);

/* What was asked of the specification. */
struct spec_choice {
    const char *const *specs; /* "queue", or "object=queue" */
    size_t count;
    lp_spec_options options;
};

struct bindings {
    lp_binding *items;
    char **objects;
    lp_spec **specs;
    size_t count;
};

/* The specifications that were named; none: the library infers. To be released in any case. */
lp_status bindings_create(lp_context *context, const struct spec_choice *choice,
                          struct bindings *bindings, lp_error *error);
void bindings_release(struct bindings *bindings);

/* What --results says (null: not given). */
lp_results results_named(const char *name);

/* Whether `format` (null: none given) is one that can be read, or written; else says on standard
 * error which there are. */
bool format_is_known(const char *command, const char *option, const char *format, bool writable);

/* Reads a history for a command that is about one alone; EXIT_HOLDS, or after a message the exit
 * status. `what` is how a message calls it: "the history". */
int input_read_for(const char *command, const char *what, const struct session *session,
                   lp_context *context, const char *operand, const lp_read_options *options,
                   bool json, lp_history ***histories, size_t *count);

/* What a fault of a model at run time has besides. */
struct error_at_run_time {
    const char *assertion; /* while it was decided */
    uint32_t line;
    const lp_execution *execution; /* that leads there; null: not shown */
};

/* Appends "FILE:LINE: error: MESSAGE\n", or with `operand` for FILE where the error has none; with
 * `json` as an object on a line of its own, and what it has at run time in it (null: nothing). */
void error_append(const lp_error *error, const char *operand,
                  const struct error_at_run_time *at_run_time, bool json, struct text *text);

/* Says what is wrong on standard error, with `json` as an object; EXIT_INPUT, of a limit
 * EXIT_UNDECIDED, or EXIT_FAULT. */
int error_print(lp_status status, const lp_error *error, const char *operand, bool json);

/* The same of what the program itself finds wrong with an input; EXIT_INPUT. */
int input_complain(const char *operand, bool json, const char *format, ...) PRINTF_LIKE(3, 4);

/* The same of what was found wrong while the file was read, in a line of it. */
int input_complain_read(const char *operand, bool json, const struct error *error);

/* The same of a fault that was found in a file in `.lin`, with all else that is wrong there, as
 * linchpin verify tells it. */
int lin_errors_print(lp_context *context, const char *path, lp_status status, const lp_error *first,
                     bool json);

/* The limit behind an LP_LIMIT that stopped what began at `began`, as far as it can be told. */
lp_limit limit_find(const struct session *session, double began);

/* What is wrong with a model: the first MODEL_ERRORS, and how many there are. */
#define MODEL_ERRORS 20

struct model_errors {
    lp_error items[MODEL_ERRORS];
    size_t count;
};

/* Reads a model with all that is wrong with it. */
lp_status model_read(lp_context *context, const char *path, lp_model **model,
                     struct model_errors *errors);

/* Appends them, with `json` an object a line, and how many more there are. */
void model_errors_append(const struct model_errors *errors, const char *operand, bool json,
                         struct text *text);

/* The same on standard error; EXIT_INPUT. */
int model_errors_print(const struct model_errors *errors, const char *operand, bool json);

/* "5 more errors are not listed": of `count`, more than MODEL_ERRORS. */
void errors_append_unlisted(size_t count, struct text *text);

/* Appends "the time limit of 30 s was reached", as the user gave it. */
void limit_append(const struct session *session, lp_limit limit, double began, struct text *text);

#endif
