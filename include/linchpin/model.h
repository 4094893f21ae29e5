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
 * them, as far as that can be told. Reading ends with the error that makes them LP_ERRORS_MOST. */
#define LP_ERRORS_MOST 1000
LP_API lp_status lp_model_read_all(lp_context *context, const char *path, lp_model **model,
                                   lp_error *errors, size_t room, size_t *count);

/* A text that is at the path, or is to be: as an editor has it. */
typedef struct lp_file_text {
    const char *path;
    const char *text;
    size_t length;
} lp_file_text;

/* The same of texts: the first of `file_count` (at least 1) is the model. Of what it includes those
 * that are among the others are taken from there, the rest is read from files. All are copied.
 * `names` (null: nobody asks) becomes what its names mean, of a text with errors as far as it is
 * understood; null where there is nothing. It is released with lp_names_destroy, and does not need
 * the model. */
typedef struct lp_names lp_names;
LP_API lp_status lp_model_parse_all(lp_context *context, const lp_file_text *files,
                                    size_t file_count, lp_model **model, lp_names **names,
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

/* What a name of a model is declared as. */
typedef enum lp_name_kind {
    LP_NAME_CONSTANT, /* `const`, of an enum; `#define` */
    LP_NAME_VARIABLE, /* shared; of CSP# every one that is global */
    LP_NAME_LOCAL,    /* of an operation or program; an index, an input */
    LP_NAME_PARAMETER,
    LP_NAME_FIELD,
    LP_NAME_TYPE,      /* a struct, record or enum */
    LP_NAME_OPERATION, /* of all objects of the file that have one of that name */
    LP_NAME_FUNCTION,
    LP_NAME_SPECIFICATION,
    LP_NAME_IMPLEMENTATION,
    LP_NAME_PROGRAM,
    LP_NAME_PROCESS,
    LP_NAME_CHANNEL,
    LP_NAME_EVENT, /* nothing declares it: the first place stands for that */
    LP_NAME_RULES, /* a set of them; one that has the name of a specification is that name */
    LP_NAME_RULE,
    LP_NAME_AUTOMATON,
    LP_NAME_METHOD, /* of rules or of an automaton */
    LP_NAME_STATE,  /* of an automaton */
    LP_NAME_KINDS,
} lp_name_kind;

/* "constant", "variable", ...; static. */
LP_API const char *lp_name_kind_name(lp_name_kind kind);

/* A place where a name stands. Lines and columns as of lp_error; a file is null where it is the
 * model's own. */
typedef struct lp_name {
    const char *name;
    lp_name_kind kind;
    const char *file;
    uint32_t line, column;
    const char *declared_file; /* where what it means is declared, which may be this place */
    uint32_t declared_line, declared_column; /* 0: it is built in */
} lp_name;

/* Place `index` where a name stands, in the order of the text, that of included files last; false
 * past the end. */
LP_API bool lp_name_at(const lp_names *names, size_t index, lp_name *name);

/* Null is allowed. */
LP_API void lp_names_destroy(lp_names *names);

/* Writes a `.lin` file ("-" is standard input) as it should be laid out: indentation, spaces, empty
 * lines, columns of comments; where lines end stays as it is. *same: the file is laid out so
 * already. LP_INPUT, with nothing written, for a file that is no `.lin`, its place given. */
LP_API lp_status lp_model_format(lp_context *context, const char *path, FILE *out, bool *same,
                                 lp_error *error);

/* The same of a text, as an editor has it. */
LP_API lp_status lp_model_format_text(lp_context *context, const char *name, const char *text,
                                      size_t length, FILE *out, bool *same, lp_error *error);

/* The same, with all that is wrong with the file, as of lp_model_read_all. */
LP_API lp_status lp_model_format_all(lp_context *context, const char *path, FILE *out, bool *same,
                                     lp_error *errors, size_t room, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
