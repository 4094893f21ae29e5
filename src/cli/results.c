#include "cli/results.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/ranks.h"
#include "html/html.h"
#include "report/junit.h"
#include "report/proof.h"

void results_init(struct results *results, size_t count)
{
    results->count = count;
    results->items = memory_small(count * sizeof *results->items);
    memset(results->items, 0, count * sizeof *results->items);
}

void results_release(struct results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        text_release(&results->items[i].junit);
        text_release(&results->items[i].html);
        sarif_release(&results->items[i].sarif);
        free(results->items[i].trace);
        text_release(&results->items[i].proof);
    }
    free(results->items);
}

struct tally results_sum(const struct results *results, int *status)
{
    struct tally sum = {0};
    for (size_t i = 0; i < results->count; i++) {
        const struct outcome *outcome = &results->items[i];
        for (size_t verdict = 0; verdict < 3; verdict++) {
            sum.verdicts[verdict] += outcome->tally.verdicts[verdict];
            sum.judged[verdict] += outcome->tally.judged[verdict];
        }
        sum.errors += outcome->tally.errors;
        sum.refused += outcome->tally.refused;
        *status = exit_worst(*status, outcome->status);
    }
    return sum;
}

size_t tally_answers(const struct tally *tally)
{
    return tally->verdicts[0] + tally->verdicts[1] + tally->verdicts[2];
}

void results_narrate(const struct options *options, struct progress *progress, const char *about,
                     const struct text *line)
{
    struct text shown = TEXT_EMPTY;
    if (options->verbose) {
        utf8_append_shown(&shown, about, strlen(about), true);
        progress_clear(progress);
        fprintf(stderr, "%s: %s\n", text_string(&shown), text_string(line));
    }
    text_release(&shown);
}

bool result_writes_over(const char *output, const char *other)
{
    struct stat first, second;
    if (!output || strcmp(output, "-") == 0)
        return false;
    if (stat(output, &first) != 0 || stat(other, &second) != 0)
        return strcmp(output, other) == 0;
    return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool outputs_spare(const struct options *options, const char *command, const char *input)
{
    const char *const outputs[] = {options->junit,   options->html,   options->sarif,
                                   options->trace,   options->output, options->log,
                                   options->metrics, options->proof,  options->checkpoint};
    bool spared = true;
    for (size_t i = 0; i < ARRAY_LENGTH(outputs); i++)
        spared = spared && !result_writes_over(outputs[i], input);
    if (spared)
        return true;
    fprintf(stderr, "linchpin %s: '%s' is an input, and would be written over\n", command, input);
    return false;
}

static bool open_output(const char *path, const char *command, struct output **output)
{
    struct error error;
    *output = NULL;
    if (!path || output_open(path, output, &error) == STATUS_OK)
        return true;
    fprintf(stderr, "linchpin %s: %s\n", command, error.message);
    return false;
}

bool outputs_differ(const struct options *options, const char *command)
{
    const struct {
        const char *name, *path;
    } outputs[] = {{"output", options->output},
                   {"junit", options->junit},
                   {"html", options->html},
                   {"sarif", options->sarif},
                   {"trace", options->trace},
                   {"log", options->log},
                   {"metrics", options->metrics},
                   {"proof", options->proof},
                   {"checkpoint", options->checkpoint}};
    for (size_t i = 0; i < ARRAY_LENGTH(outputs); i++)
        for (size_t j = i + 1; j < ARRAY_LENGTH(outputs); j++)
            if (outputs[j].path && result_writes_over(outputs[i].path, outputs[j].path)) {
                fprintf(stderr, "linchpin %s: --%s and --%s are the same file, '%s'\n", command,
                        outputs[i].name, outputs[j].name, outputs[j].path);
                return false;
            }
    return true;
}

bool result_files_open(const struct options *options, const char *command,
                       struct result_files *files)
{
    files->command = command;
    if (!outputs_differ(options, command))
        return false;
    if (ranks_is_helper(options->ranks))
        return true;
    if (open_output(options->junit, command, &files->junit) &&
        open_output(options->html, command, &files->html) &&
        open_output(options->sarif, command, &files->sarif) &&
        open_output(options->trace, command, &files->trace) &&
        open_output(options->proof, command, &files->proof))
        return true;
    result_files_abandon(files);
    return false;
}

static int commit(const char *command, struct output *output)
{
    struct error error;
    if (output_commit(output, &error) == STATUS_OK)
        return EXIT_HOLDS;
    fprintf(stderr, "linchpin %s: %s\n", command, error.message);
    return EXIT_INPUT;
}

int output_by(const char *command, const char *path, int (*write)(void *user, FILE *out),
              void *user)
{
    struct output *output;
    if (!open_output(path ? path : "-", command, &output))
        return EXIT_INPUT;
    int result = write(user, output_stream(output));
    if (result == EXIT_HOLDS)
        return commit(command, output);
    output_abandon(output);
    return result;
}

static int write_junit(struct result_files *files, const struct results *results, double seconds)
{
    int ignored = EXIT_HOLDS;
    struct text cases = TEXT_EMPTY;
    struct tally tally = results_sum(results, &ignored);
    for (size_t i = 0; i < results->count; i++)
        text_append(&cases, text_string(&results->items[i].junit));
    struct junit_totals totals = {.tests = tally_answers(&tally) + tally.refused,
                                  .failures = tally.judged[LP_VIOLATED],
                                  .errors = tally.judged[LP_UNDECIDED] + tally.refused,
                                  .seconds = seconds};
    junit_write(&totals, text_string(&cases), output_stream(files->junit));
    text_release(&cases);
    return commit(files->command, files->junit);
}

static int write_html(struct result_files *files, const struct results *results)
{
    FILE *out = output_stream(files->html);
    html_begin(out);
    for (size_t i = 0; i < results->count; i++)
        fwrite(text_string(&results->items[i].html), 1, results->items[i].html.length, out);
    html_end(out);
    return commit(files->command, files->html);
}

static int write_sarif(struct result_files *files, const struct results *results)
{
    struct sarif all = {TEXT_EMPTY, TEXT_EMPTY};
    for (size_t i = 0; i < results->count; i++)
        sarif_add_all(&all, &results->items[i].sarif);
    sarif_write(&all, output_stream(files->sarif));
    sarif_release(&all);
    return commit(files->command, files->sarif);
}

static int write_proof(struct result_files *files, const struct results *results)
{
    FILE *out = output_stream(files->proof);
    size_t claims = 0;
    proof_begin(out);
    for (size_t i = 0; i < results->count; i++) {
        const struct text *proof = &results->items[i].proof;
        fwrite(text_string(proof), 1, proof->length, out);
        claims += results->items[i].claims;
    }
    proof_end(claims, out);
    return commit(files->command, files->proof);
}

int result_files_write(struct result_files *files, const struct results *results, double seconds,
                       bool *traced)
{
    int status = files->junit ? write_junit(files, results, seconds) : EXIT_HOLDS;
    if (files->html)
        status = exit_worst(status, write_html(files, results));
    if (files->sarif)
        status = exit_worst(status, write_sarif(files, results));
    if (files->proof)
        status = exit_worst(status, write_proof(files, results));
    *traced = false;
    for (size_t i = 0; files->trace && !*traced && i < results->count; i++) {
        const struct outcome *outcome = &results->items[i];
        *traced = outcome->trace != NULL;
        if (*traced)
            fwrite(outcome->trace, 1, outcome->trace_length, output_stream(files->trace));
    }
    if (*traced)
        return exit_worst(status, commit(files->command, files->trace));
    output_abandon(files->trace);
    return status;
}

void result_files_abandon(struct result_files *files)
{
    output_abandon(files->junit);
    output_abandon(files->html);
    output_abandon(files->sarif);
    output_abandon(files->trace);
    output_abandon(files->proof);
}
