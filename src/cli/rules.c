/* linchpin rules: reads violation automata and inductive rules, and draws them, or has the
 * questions about them answered by rules_answers.c. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/command.h"
#include "cli/rules_answers.h"
#include "report/rules.h"

struct rule_sets_file {
    const char *path; /* as the user named it */
    lp_rule_sets *sets;
};

struct comparison {
    const struct options *options;
    struct run run;
    lp_context *context; /* of what is read */
    struct automata_set
        *sets; /* the first: of automata in files of their own; those of `.lin` files */
    size_t set_count;
    struct rule_sets_file *files; /* with inductive rules; room for all operands */
    size_t file_count;
    struct rules_question *questions;
    size_t question_count;
    struct rules_request request;
    lp_status limited;
};

static int complain(const struct comparison *comparison, lp_status status, const lp_error *error,
                    const char *operand)
{
    bool json = comparison->options->json;
    if (status != LP_USAGE || json)
        return lin_errors_print(comparison->context, operand, status, error, json);
    fprintf(stderr, "linchpin rules: %s\n", error->message);
    return EXIT_INPUT;
}

/* Those that were added last are from `input`. */
static void name_inputs(struct automata_set *set, const char *input)
{
    size_t count = set->input_count;
    lp_rule_automaton automaton;
    while (lp_rules_at(set->rules, count, &automaton))
        count++;
    const char **inputs = memory_small((count + 1) * sizeof *inputs);
    for (size_t i = 0; i < count; i++)
        inputs[i] = i < set->input_count ? set->inputs[i] : input;
    free(set->inputs);
    set->inputs = inputs;
    set->input_count = count;
}

static void add_set(struct comparison *comparison, lp_rules *rules, const char *input)
{
    struct automata_set *sets = memory_small((comparison->set_count + 1) * sizeof *sets);
    if (comparison->set_count)
        memcpy(sets, comparison->sets, comparison->set_count * sizeof *sets);
    free(comparison->sets);
    comparison->sets = sets;
    sets[comparison->set_count] = (struct automata_set){.rules = rules};
    name_inputs(&sets[comparison->set_count++], input);
}

/* A set of automata for each set of rules in the file. */
static lp_status make_automata(struct comparison *comparison, const struct rule_sets_file *file,
                               lp_error *error)
{
    lp_rule_set set;
    lp_status status = LP_OK;
    size_t count = 0;
    for (; status == LP_OK && lp_rule_sets_at(file->sets, count, &set); count++) {
        lp_rules *rules = lp_rules_create(comparison->context);
        if (!rules)
            return LP_LIMIT;
        status = lp_rules_make(rules, file->sets, count, error);
        add_set(comparison, rules, file->path);
    }
    if (status != LP_OK || count > 0)
        return status;
    snprintf(error->message, sizeof error->message,
             "expected `rules` in the file, to make automata from, found none");
    return LP_INPUT;
}

static lp_status read_lin(struct comparison *comparison, const char *path, lp_error *error)
{
    struct rule_sets_file *file = &comparison->files[comparison->file_count];
    lp_rules **sets;
    size_t count;
    lp_rule_set first;
    *file = (struct rule_sets_file){.path = path};
    lp_status status = lp_rule_sets_read(comparison->context, path, &file->sets, error);
    if (status != LP_OK)
        return status;
    comparison->file_count++;
    if (comparison->options->made)
        return make_automata(comparison, file, error);
    status = lp_rules_read_lin(comparison->context, path, &sets, &count, error);
    for (size_t i = 0; i < count; i++)
        add_set(comparison, sets[i], path);
    free(sets);
    if (status != LP_OK || count > 0 || lp_rule_sets_at(file->sets, 0, &first))
        return status;
    snprintf(error->message, sizeof error->message,
             "expected `rules` or an `automaton` in the file, found neither");
    return LP_INPUT;
}

static bool is_lin(const char *path)
{
    size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".lin") == 0;
}

/* One operand; with `shipped` what comes with the program for a specification. */
static int read_one(struct comparison *comparison, const char *name, bool shipped)
{
    lp_error error = {0};
    lp_rules *rules = comparison->sets[0].rules;
    lp_status status;
    if (shipped)
        status = lp_rules_ship(rules, name, comparison->options->in_turn, &error);
    else if (is_lin(name))
        status = read_lin(comparison, name, &error);
    else
        status = lp_rules_read(rules, name, &error);
    name_inputs(&comparison->sets[0], name);
    if (status == LP_LIMIT)
        comparison->limited = status;
    return status == LP_OK || status == LP_LIMIT ? EXIT_HOLDS
                                                 : complain(comparison, status, &error, name);
}

/* Everything is read, so that every fault is told. */
static int read_all(struct comparison *comparison)
{
    const struct options *options = comparison->options;
    int result = EXIT_HOLDS;
    lp_rules *rules = comparison->context ? lp_rules_create(comparison->context) : NULL;
    if (rules)
        add_set(comparison, rules, "");
    else
        comparison->limited = LP_LIMIT;
    comparison->files = memory_small((options->operand_count + 1) * sizeof *comparison->files);
    for (size_t i = 0; i < options->spec_count && comparison->limited == LP_OK; i++)
        result = exit_worst(result, read_one(comparison, options->specs[i], true));
    for (size_t i = 0; i < options->operand_count && comparison->limited == LP_OK; i++)
        result = exit_worst(result, read_one(comparison, options->operands[i], false));
    return result;
}

/* ---- drawing ---- */

/* What is left out of what is written stands on standard error. */
static void tell_unmade(const struct automata_set *set)
{
    lp_rule_unmade unmade;
    for (size_t i = 0; lp_rules_unmade(set->rules, i, &unmade); i++)
        fprintf(stderr, "%s: no automata of %s: %s\n", set->inputs[0], unmade.rule, unmade.reason);
}

static int draw(void *user, FILE *out)
{
    const struct comparison *comparison = user;
    lp_rule_automaton automaton;
    for (size_t set = 0; set < comparison->set_count; set++) {
        tell_unmade(&comparison->sets[set]);
        for (size_t i = 0; lp_rules_at(comparison->sets[set].rules, i, &automaton); i++)
            (comparison->options->write ? rules_write_lin : rules_write_dot)(&automaton, out);
    }
    return EXIT_HOLDS;
}

/* ---- asking ---- */

static void ask(struct comparison *comparison, struct rules_question question)
{
    size_t count = comparison->question_count++;
    struct rules_question *questions = memory_small((count + 1) * sizeof *questions);
    if (count)
        memcpy(questions, comparison->questions, count * sizeof *questions);
    free(comparison->questions);
    comparison->questions = questions;
    questions[count] = question;
}

/* The automata of an object are compared with its specification, or run on a history. */
static void ask_automata(struct comparison *comparison)
{
    const char *on = comparison->options->on;
    for (size_t i = 0; i < comparison->set_count; i++) {
        const struct automata_set *set = &comparison->sets[i];
        if (set->input_count)
            ask(comparison, (struct rules_question){.kind = on ? &rules_run_on : &rules_compare,
                                                    .name = on ? on : set->inputs[0],
                                                    .automata = set});
    }
}

static void ask_rule_sets(struct comparison *comparison)
{
    lp_rule_set set;
    for (size_t i = 0; i < comparison->file_count; i++)
        for (size_t j = 0; lp_rule_sets_at(comparison->files[i].sets, j, &set); j++)
            ask(comparison, (struct rules_question){.kind = &rules_test,
                                                    .name = comparison->files[i].path,
                                                    .rules = comparison->files[i].sets,
                                                    .index = j});
}

static int answer(struct comparison *comparison)
{
    struct result_files files = {0};
    size_t count = comparison->question_count;
    if (!result_files_open(comparison->options, "rules", &files))
        return EXIT_INPUT;
    const char **names = memory_small((count + 1) * sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = comparison->questions[i].name;
    comparison->request.questions = comparison->questions;
    int result = run_all(&comparison->run, names, count, &files);
    free(names);
    return result;
}

/* ---- the command ---- */

static bool names_lin(const struct options *options)
{
    for (size_t i = 0; i < options->operand_count; i++)
        if (is_lin(options->operands[i]))
            return true;
    return false;
}

static bool options_make_sense(const struct options *options)
{
    if (options->bound > LP_RULES_MOST_OPERATIONS)
        fprintf(stderr, "linchpin rules: --bound: expected a number from 1 to %d, found %zu\n",
                LP_RULES_MOST_OPERATIONS, options->bound);
    else if (options->output && !options->draw && !options->write)
        fputs("linchpin rules: --output says where --draw writes, which is missing\n", stderr);
    else if (options->html && (options->draw || options->write))
        fprintf(stderr, "linchpin rules: --html is about answers, and %s gives none\n",
                options->draw ? "--draw" : "--write");
    else if (options->draw && options->write)
        fputs("linchpin rules: expected one of --draw and --write, found both\n", stderr);
    else if (options->made && !names_lin(options))
        fputs("linchpin rules: --made is about rules in FILE.lin, and there is none\n", stderr);
    else if (options->format && !options->on)
        fputs("linchpin rules: --format says what --on reads, which is missing\n", stderr);
    else if (options->on && (options->draw || options->write || options->has_random))
        fprintf(stderr, "linchpin rules: expected one of --on and %s, found both\n",
                options->draw    ? "--draw"
                : options->write ? "--write"
                                 : "--random");
    else if (options->on && !format_is_known("rules", "--format", options->format, false))
        ;
    else if (options->matched && options->in_turn)
        fputs("linchpin rules: expected one of --matched and --in-turn, found both\n", stderr);
    else if (!options->operand_count && !options->spec_count)
        fputs("linchpin rules: expected FILE... or --spec NAME, found nothing\n", stderr);
    else
        return true;
    return false;
}

static int decide(struct comparison *comparison)
{
    const struct options *options = comparison->options;
    if (options->draw || options->write)
        return output_by("rules", options->output, draw, comparison);
    if (!options->on && !options->made)
        ask_rule_sets(comparison);
    ask_automata(comparison);
    if (!options->on || comparison->question_count)
        return answer(comparison);
    fputs("linchpin rules: --on runs automata, and there are none: name some, or --spec NAME\n",
          stderr);
    return EXIT_INPUT;
}

/* The worst of `status` and what may fail here. */
static int release(struct comparison *comparison, int status)
{
    for (size_t i = 0; i < comparison->set_count; i++) {
        lp_rules_destroy(comparison->sets[i].rules);
        free(comparison->sets[i].inputs);
    }
    free(comparison->sets);
    for (size_t i = 0; i < comparison->file_count; i++)
        lp_rule_sets_destroy(comparison->files[i].sets);
    free(comparison->files);
    free(comparison->questions);
    if (comparison->context)
        session_close(&comparison->run.session, comparison->context);
    return run_close(&comparison->run, status);
}

int rules_run(const struct options *options)
{
    struct comparison comparison = {.options = options};
    if (!options_make_sense(options))
        return EXIT_INPUT;
    for (size_t i = 0; i < options->operand_count; i++)
        if (!outputs_spare(options, "rules", options->operands[i]))
            return EXIT_INPUT;
    if (!run_open(&comparison.run, &rules_answers, options, &comparison.request))
        return EXIT_INPUT;
    comparison.run.workers = 1; /* each uses all threads */
    comparison.context = session_open(&comparison.run.session, 1, NULL);
    int result = read_all(&comparison);
    if (result == EXIT_HOLDS && comparison.limited == LP_LIMIT) {
        fputs("linchpin rules: a limit was reached before the files were read\n", stderr);
        result = EXIT_UNDECIDED;
    } else if (result == EXIT_HOLDS)
        result = decide(&comparison);
    return release(&comparison, result);
}
