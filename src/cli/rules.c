/* linchpin rules: violation automata of an object, against its specification; or drawn. Inductive
 * rules are tested by rule_sets.c. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/output.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/results.h"
#include "cli/rule_sets.h"
#include "cli/rules_run.h"
#include "report/json.h"
#include "report/rules.h"

#define DEFAULT_RANDOM 5000 /* histories */

/* The automata of one object. */
struct set {
    lp_rules *rules;
    const char **inputs; /* of each automaton, as the user named it */
    size_t input_count;
};

struct comparison {
    const struct options *options;
    struct session session;
    lp_context *context;
    struct set *sets; /* the first: of automata in files of their own; those of `.lin` files */
    size_t set_count;
    struct rule_sets_file *files; /* with inductive rules; room for all operands */
    size_t file_count;
    bool printed; /* something: what follows is set apart */
    double began; /* with the set that is compared */
    lp_status limited;
};

static int complain(lp_status status, const lp_error *error, const char *operand)
{
    struct text text = TEXT_EMPTY;
    if (status == LP_USAGE)
        text_format(&text, "linchpin rules: %s\n", error->message);
    else
        error_append(error, operand, &text);
    fputs(text_string(&text), stderr);
    text_release(&text);
    return status == LP_INTERNAL ? EXIT_FAULT : EXIT_INPUT;
}

/* Those that were added last are from `input`. */
static void name_inputs(struct set *set, const char *input)
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
    struct set *sets = memory_small((comparison->set_count + 1) * sizeof *sets);
    if (comparison->set_count)
        memcpy(sets, comparison->sets, comparison->set_count * sizeof *sets);
    free(comparison->sets);
    comparison->sets = sets;
    sets[comparison->set_count] = (struct set){.rules = rules};
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
    return status == LP_OK || status == LP_LIMIT ? EXIT_HOLDS : complain(status, &error, name);
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

static int draw(struct comparison *comparison)
{
    struct output *output;
    struct error error;
    lp_rule_automaton automaton;
    const char *path = comparison->options->output ? comparison->options->output : "-";
    if (output_open(path, &output, &error) != STATUS_OK) {
        fprintf(stderr, "linchpin rules: %s\n", error.message);
        return EXIT_INPUT;
    }
    for (size_t set = 0; set < comparison->set_count; set++)
        for (size_t i = 0; lp_rules_at(comparison->sets[set].rules, i, &automaton); i++)
            (comparison->options->write ? rules_write_lin : rules_write_dot)(&automaton,
                                                                             output_stream(output));
    if (output_commit(output, &error) == STATUS_OK)
        return EXIT_HOLDS;
    fprintf(stderr, "linchpin rules: %s\n", error.message);
    return EXIT_INPUT;
}

/* ---- comparing ---- */

static void render(const struct comparison *comparison, const struct rules_report *report)
{
    const struct options *options = comparison->options;
    if (options->json) {
        yajl_gen json = json_begin(stdout);
        rules_json_fields(report, json);
        json_end(json, stdout);
        return;
    }
    const struct report_style style = {
        .terminal = terminal_detect(STDOUT_FILENO, (enum colour_choice)options->colour),
        .quiet = options->quiet};
    struct text text = TEXT_EMPTY;
    rules_text(report, &style, &text);
    fwrite(text_string(&text), 1, text.length, stdout);
    text_release(&text);
}

/* "the time limit of 1 s was reached; up to 3 operations there is no difference" */
static void append_limit(const struct comparison *comparison, lp_limit limit,
                         const lp_rules_result *result, struct text *text)
{
    limit_append(&comparison->session, limit, comparison->began, text);
    if (result)
        text_format(text, "; up to %u %s there is no difference", result->size,
                    result->size == 1 ? "operation" : "operations");
    else
        text_append(text, " before anything was compared");
}

static int report_result(const struct comparison *comparison, const struct set *set,
                         const lp_rules_result *result)
{
    static const int statuses[] = {
        [LP_HOLDS] = EXIT_HOLDS, [LP_VIOLATED] = EXIT_VIOLATION, [LP_UNDECIDED] = EXIT_UNDECIDED};
    struct text reason = TEXT_EMPTY;
    struct rules_report report = {.inputs = set->inputs,
                                  .rules = set->rules,
                                  .result = result,
                                  .examples = comparison->options->examples};
    report.limit = result ? result->limit : limit_find(&comparison->session, comparison->began);
    lp_answer verdict = rules_verdict(&report);
    if (verdict == LP_UNDECIDED)
        append_limit(comparison, report.limit, result, &reason);
    else
        text_append(&reason, result->reason);
    report.reason = text_string(&reason);
    render(comparison, &report);
    text_release(&reason);
    return statuses[verdict];
}

static int compare_set(struct comparison *comparison, const struct set *set)
{
    const struct options *options = comparison->options;
    static const char *const words[] = {
        [LP_RULES_STRICT] = "strict", [LP_RULES_EXACT] = "exact", [LP_RULES_CLOSURE] = "closure"};
    lp_rules_options inner = {.bound = (unsigned)options->bound,
                              .histories = options->in_turn   ? LP_RULES_IN_TURN
                                           : options->matched ? LP_RULES_MATCHED
                                                              : LP_RULES_ALL,
                              .random_histories =
                                  options->has_random ? options->random : DEFAULT_RANDOM,
                              .seed = options->has_seed ? options->seed : 1,
                              .jobs = (unsigned)options->jobs,
                              .timeout = session_timeout(&comparison->session, comparison->began)};
    for (size_t i = 0; options->words && i < sizeof words / sizeof *words; i++)
        if (strcmp(options->words, words[i]) == 0)
            inner.words = (lp_rules_words)i;
    lp_rules_result *result = NULL;
    lp_error error = {0};
    lp_status status = lp_rules_check(comparison->context, set->rules, &inner, &result, &error);
    if (status != LP_OK && status != LP_LIMIT)
        return complain(status, &error, set->inputs[0]);
    int exit_status = report_result(comparison, set, result);
    lp_rules_result_destroy(result);
    return exit_status;
}

/* What is printed about one set is set apart from what has been printed before. */
static void set_apart(struct comparison *comparison)
{
    if (comparison->printed && !comparison->options->json && !comparison->options->quiet)
        fputs("\n", stdout);
    comparison->printed = true;
}

static int compare(struct comparison *comparison)
{
    int result = EXIT_HOLDS;
    for (size_t i = 0; i < comparison->set_count; i++) {
        if (!comparison->sets[i].input_count)
            continue;
        set_apart(comparison);
        comparison->began = session_clock();
        result = exit_worst(result, compare_set(comparison, &comparison->sets[i]));
    }
    return result;
}

static int test_rule_sets(struct comparison *comparison)
{
    int result = EXIT_HOLDS;
    lp_rule_set set;
    for (size_t i = 0; i < comparison->file_count; i++)
        for (size_t j = 0; lp_rule_sets_at(comparison->files[i].sets, j, &set); j++) {
            set_apart(comparison);
            result =
                exit_worst(result, rule_sets_test(&comparison->session, comparison->context,
                                                  comparison->options, &comparison->files[i], j));
        }
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
    else if (options->draw && options->write)
        fputs("linchpin rules: expected one of --draw and --write, found both\n", stderr);
    else if (options->made && !names_lin(options))
        fputs("linchpin rules: --made is about rules in FILE.lin, and there is none\n", stderr);
    else if (options->format && !options->on)
        fputs("linchpin rules: --format says what --on reads, which is missing\n", stderr);
    else if (options->on && (options->draw || options->write))
        fprintf(stderr, "linchpin rules: expected one of --on and %s, found both\n",
                options->draw ? "--draw" : "--write");
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

/* The automata of each specification on the recorded history. */
static int run_on_history(struct comparison *comparison)
{
    int result = EXIT_HOLDS;
    bool any = false;
    for (size_t i = 0; i < comparison->set_count; i++) {
        if (!comparison->sets[i].input_count)
            continue;
        set_apart(comparison);
        any = true;
        result =
            exit_worst(result, rules_run_histories(&comparison->session, comparison->context,
                                                   comparison->options, comparison->sets[i].rules));
    }
    if (any)
        return result;
    fputs("linchpin rules: --on runs automata, and there are none: name some, or --spec NAME\n",
          stderr);
    return EXIT_INPUT;
}

static int decide(struct comparison *comparison)
{
    if (comparison->options->draw || comparison->options->write)
        return draw(comparison);
    if (comparison->options->on)
        return run_on_history(comparison);
    int result = comparison->options->made ? EXIT_HOLDS : test_rule_sets(comparison);
    return exit_worst(result, compare(comparison));
}

static void release(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->set_count; i++) {
        lp_rules_destroy(comparison->sets[i].rules);
        free(comparison->sets[i].inputs);
    }
    free(comparison->sets);
    for (size_t i = 0; i < comparison->file_count; i++)
        lp_rule_sets_destroy(comparison->files[i].sets);
    free(comparison->files);
    if (comparison->context)
        session_close(&comparison->session, comparison->context);
    session_release(&comparison->session);
}

int rules_run(const struct options *options)
{
    struct comparison comparison = {.options = options};
    if (!options_make_sense(options))
        return EXIT_INPUT;
    for (size_t i = 0; i < options->operand_count; i++)
        if (result_writes_over(options->output, options->operands[i])) {
            fprintf(stderr, "linchpin rules: '%s' is an input, and would be written over\n",
                    options->operands[i]);
            return EXIT_INPUT;
        }
    session_init(&comparison.session, options);
    comparison.context = session_open(&comparison.session, 1);
    int result = read_all(&comparison);
    if (result == EXIT_HOLDS && comparison.limited == LP_LIMIT) {
        fputs("linchpin rules: a limit was reached before the files were read\n", stderr);
        result = EXIT_UNDECIDED;
    } else if (result == EXIT_HOLDS)
        result = decide(&comparison);
    release(&comparison);
    return result;
}
