/* Cuts the operands of linchpin verify into units of work: an assertion each, with its model. */
#ifndef CLI_UNITS_H
#define CLI_UNITS_H

#include <linchpin/linchpin.h>

#include "cli/input.h"

/* A file of the command line. */
struct source_model {
    char *operand;   /* the file */
    uint32_t line;   /* FILE:LINE: only what is asserted in that line; 0: everything */
    lp_model *model; /* null: it could not be read */
    lp_status status;
    struct model_errors errors;
};

/* An assertion of a model, or a model that has none to decide. */
struct unit {
    const struct source_model *source;
    size_t assertion;
};

struct units {
    struct source_model *sources;
    size_t source_count;
    struct unit *items; /* in the order of the operands */
    size_t count;
};

/* The file that an operand names, to be freed, and in FILE:LINE the line; 0: there is none. */
char *units_file(const char *operand, uint32_t *line);

/* For commands that look at one process: what is asserted in that line is about *process, which
 * must be null before; line 0 changes nothing. The text belongs to the model. LP_INPUT: nothing is
 * asserted there; LP_USAGE: both are given. */
lp_status units_process(const lp_model *model, uint32_t line, const char **process,
                        lp_error *error);

/* What the operands name; nothing is read. Undone by units_forget. */
void units_name(char *const *operands, size_t count, struct units *units);
void units_forget(struct units *units);

/* Reads the models, and finds what is to be decided: at least one unit each. The models are
 * released with units_release, before their context. */
void units_read(struct units *units, lp_context *context);
void units_release(struct units *units);

/* False for a unit that stands for an error, or for a model that was not read. */
bool unit_assertion(const struct unit *unit, lp_assertion *assertion);

#endif
