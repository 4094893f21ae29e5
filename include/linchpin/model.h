/* Models: concurrent programs described in CSP#, with what is asserted of them.
 *
 * A model is read once and does not change: several threads may verify, walk and draw it at once,
 * each in a context of its own if its memory is to be counted apart. */
#ifndef LINCHPIN_MODEL_H
#define LINCHPIN_MODEL_H

#include <stdio.h>

#include <linchpin/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lp_model lp_model;

/* Reads a model from a file ("-" is standard input; gzip and zstd are unpacked). LP_INPUT with the
 * first fault: its place, what was expected and what was found; below the message's first line
 * stand the line of the model and a caret. LP_LIMIT: memory was refused, or the context was
 * interrupted. */
LP_API lp_status lp_model_read(lp_context *context, const char *path, lp_model **model,
                               lp_error *error);

/* The same, with all that is wrong with the file: `*count` errors in the order of their places, of
 * which the first `room` (at least 1) are in `errors`. What follows from another error is not among
 * them, as far as that can be told. */
LP_API lp_status lp_model_read_all(lp_context *context, const char *path, lp_model **model,
                                   lp_error *errors, size_t room, size_t *count);

/* The same from memory; `name` stands in messages. Both are copied. An `#include` in it is
 * LP_INPUT. */
LP_API lp_status lp_model_parse(lp_context *context, const char *name, const char *text,
                                size_t length, lp_model **model, lp_error *error);

LP_API void lp_model_destroy(lp_model *model);

/* As it was given: the path, "standard input", or the name. */
LP_API const char *lp_model_name(const lp_model *model);

/* Of its text: tells whether a model has changed. */
LP_API uint64_t lp_model_hash(const lp_model *model);

/* What is asserted. The text is the model's, white space as written made single spaces. */
typedef struct lp_assertion {
    const char *text;      /* "P() refines<F> Q()" */
    const char *process;   /* "P()" */
    uint32_t line, column; /* 1-based; the column in bytes */
    const char *expected;  /* TEXT of a comment `// expect: TEXT` behind it, where the line of its
                            * semicolon ends; null: there is none */
} lp_assertion;

/* Assertion `index` of the model, in its order; false past the end. */
LP_API bool lp_model_assertion_at(const lp_model *model, size_t index, lp_assertion *assertion);

typedef struct lp_process {
    const char *name;
    size_t parameters;
    uint32_t line;
} lp_process;

/* Process definition `index` of the model, in its order; false past the end. */
LP_API bool lp_model_process_at(const lp_model *model, size_t index, lp_process *process);

/* Writes a `.lin` file ("-" is standard input) as it should be laid out: indentation, spaces, empty
 * lines, columns of comments; where lines end stays as it is. *same: the file is laid out so
 * already. LP_INPUT, with nothing written, for a file that is no `.lin`, its place given. */
LP_API lp_status lp_model_format(lp_context *context, const char *path, FILE *out, bool *same,
                                 lp_error *error);

/* The same, with all that is wrong with the file, as of lp_model_read_all. */
LP_API lp_status lp_model_format_all(lp_context *context, const char *path, FILE *out, bool *same,
                                     lp_error *errors, size_t room, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
