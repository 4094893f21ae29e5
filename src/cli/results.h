/* What is left of each input when it is decided, and the files that are made of it in the end:
 * --junit, --html, --sarif, --trace and --proof. */
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H

#include <linchpin/linchpin.h>

#include "base/output.h"
#include "base/progress.h"
#include "base/text.h"
#include "cli/options.h"
#include "report/sarif.h"

struct tally {
    size_t verdicts[3]; /* by lp_verdict, or lp_answer */
    size_t judged[3];   /* the same where none is expected; else by result_judge */
    size_t errors;
    size_t refused; /* inputs with errors */
};

struct outcome {
    int status;
    bool again;   /* its share of the memory was too small */
    double spent; /* seconds, in vain */
    struct tally tally;
    struct text junit; /* its test cases */
    struct text html;  /* its answers */
    struct sarif sarif;
    char *trace; /* of its first violation, or null */
    size_t trace_length;
    struct text proof; /* its claims, with their evidence */
    size_t claims;
};

struct results {
    struct outcome *items;
    size_t count;
};

struct result_files {
    const char *command;
    struct output *junit, *html, *sarif, *trace, *proof; /* null: not asked for */
};

void results_init(struct results *results, size_t count);
void results_release(struct results *results);

/* All together; *status becomes the worst one. */
struct tally results_sum(const struct results *results, int *status);

/* The number of answers, be they unknown. */
size_t tally_answers(const struct tally *tally);

/* Whether writing `output` (null: none, "-": standard output) writes over `other`. */
bool result_writes_over(const char *output, const char *other);

/* Whether no file that is written is that input, or else says so. */
bool outputs_spare(const struct options *options, const char *command, const char *input);

/* Whether no two files that are written are the same, or else says so. */
bool outputs_differ(const struct options *options, const char *command);

/* With --verbose: "ABOUT: LINE" on standard error. */
void results_narrate(const struct options *options, struct progress *progress, const char *about,
                     const struct text *line);

/* Writes a file, or standard output (null or "-"), by `write`, whose exit status it gives; but for
 * EXIT_HOLDS nothing is written. EXIT_INPUT, after a message, if it cannot be written. */
int output_by(const char *command, const char *path, int (*write)(void *user, FILE *out),
              void *user);

/* False, after a message, if one cannot be begun, or would be written over the other. */
bool result_files_open(const struct options *options, const char *command,
                       struct result_files *files);

/* Writes and closes them; EXIT_INPUT, after a message, if one cannot be written. *traced: there was
 * something for the trace file, which otherwise is left alone. */
int result_files_write(struct result_files *files, const struct results *results, double seconds,
                       bool *traced);

/* Leaves the files alone. */
void result_files_abandon(struct result_files *files);

#endif
