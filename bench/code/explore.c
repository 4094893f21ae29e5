/* Builds a test program of real code and explores one scenario of one of its tests, without what
 * `linchpin test` does around it: for figures of the engine alone, and to compare numbers of graphs
 * with those that others have published. One JSON object a memory model on standard output.
 *
 *     explore-code [--model sc,tso,rc11] [--psc genmc] [--graphs] [--scenario S] [--test NAME]
 *                  [--folder DIR] [--seconds N] [--retries] [--request FILE] SOURCE... [-- FLAGS]
 *
 * --psc genmc: psc as GenMC has it (scenario/consistency.h). --graphs: graphs are only counted; no
 * history is decided, no execution in which threads wait is looked into. --folder: where the
 * program is made, and left; else it is removed. --request: nothing is explored, but the request of
 * the last model is written to a file, so that the program can be run by hand, by a profiler say:
 * DIR/program --answer-linchpin 3<FILE 4>/dev/null, with `setarch -R`. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "scenario/build.h"
#include "scenario/consistency.h"
#include "scenario/conversation.h"
#include "scenario/folder.h"

struct asked {
    const char *models, *scenario, *test, *folder, *request_file;
    struct exchange_request request;
    const char **sources;
    size_t source_count;
    const char **flags;
    size_t flag_count;
};

static void fail(const struct error *error)
{
    fprintf(stderr, "%s%s%s\n", error->file, error->file[0] ? ": " : "", error->message);
    exit(2);
}

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static const char *end_name(uint32_t end)
{
    static const char *const names[] = {[END_COMPLETE] = "complete",
                                        [END_FINDING] = "finding",
                                        [END_TIME] = "time",
                                        [END_MEMORY] = "memory",
                                        [END_EXECUTIONS] = "executions",
                                        [END_TOO_LARGE] = "too large",
                                        [END_DIFFERS] = "differs",
                                        [END_MIXED] = "mixed sizes",
                                        [END_NOT_MODELLED] = "refused",
                                        [END_UNDECIDED] = "undecided",
                                        [END_USAGE] = "usage"};
    return end < ARRAY_LENGTH(names) && names[end] ? names[end] : "?";
}

static const char *finding_name(uint32_t kind)
{
    static const char *const names[] = {[FINDING_NOT_LINEARIZABLE] = "not linearizable",
                                        [FINDING_RACE] = "race",
                                        [FINDING_USE_AFTER_FREE] = "use after free",
                                        [FINDING_DOUBLE_FREE] = "double free",
                                        [FINDING_UNINITIALISED] = "uninitialised",
                                        [FINDING_OUT_OF_BLOCK] = "outside of a block",
                                        [FINDING_BAD_UNLOCK] = "bad unlock",
                                        [FINDING_LIVELOCK] = "livelock",
                                        [FINDING_DEADLOCK] = "deadlock",
                                        [FINDING_MISUSE] = "misuse",
                                        [FINDING_WAITS] = "waits for ever",
                                        [FINDING_ASSERTION] = "assertion",
                                        [FINDING_ABORT] = "abort",
                                        [FINDING_CRASH] = "crash"};
    return kind < ARRAY_LENGTH(names) && names[kind] ? names[kind] : "other";
}

static void explore(const struct asked *asked, const char *program, struct budget *budget,
                    const char *model)
{
    struct exchange_request request = asked->request;
    struct limits limits;
    struct error error = {0};
    struct exchange_result *result = memory_zeroed(budget, sizeof *result);
    limits_init(&limits, budget);
    request.model = strcmp(model, "sc") == 0    ? MEMORY_SC
                    : strcmp(model, "tso") == 0 ? MEMORY_TSO
                                                : MEMORY_RC11;
    if (asked->request_file) {
        FILE *file = fopen(asked->request_file, "w");
        if (!file || fwrite(&request, sizeof request, 1, file) != 1 || fclose(file) != 0)
            perror(asked->request_file);
        memory_release(budget, result, sizeof *result);
        return;
    }
    double before = cpu_seconds();
    if (conversation_run(program, &request, NULL, &limits, result, &error) != STATUS_OK)
        fail(&error);
    printf("{\"model\":\"%s\",\"end\":\"%s\",\"executions\":%llu,\"complete\":%llu,"
           "\"blocked\":%llu,\"retried\":%llu,\"histories\":%llu,\"events\":%llu,\"cpu\":%.4f",
           model, end_name(result->end), (unsigned long long)result->executions,
           (unsigned long long)result->complete, (unsigned long long)result->blocked,
           (unsigned long long)result->retried, (unsigned long long)result->histories,
           (unsigned long long)result->most_events, cpu_seconds() - before);
    if (result->end == END_FINDING)
        printf(",\"finding\":\"%s\"", finding_name(result->finding.kind));
    if (result->end == END_NOT_MODELLED || result->end == END_USAGE)
        printf(",\"why\":\"%s\"", result->finding.sentence);
    puts("}");
    memory_release(budget, result, sizeof *result);
}

static size_t find_test(const struct asked *asked, const struct listed_tests *tests)
{
    for (size_t i = 0; i < tests->items.length; i++)
        if (!asked->test || strcmp(tests->items.items[i].name, asked->test) == 0)
            return i;
    fputs("there is no such test\n", stderr);
    exit(2);
}

static void parse_scenario(const struct asked *asked, const struct exchange_test *test,
                           struct scenario *scenario)
{
    struct scenario_operation operations[SCENARIO_OPERATIONS];
    struct scenario_interface interface = {.operations = operations,
                                           .count = test->operation_count};
    struct error error = {0};
    for (uint32_t i = 0; i < test->operation_count; i++)
        operations[i] = (struct scenario_operation){.name = test->operations[i].name,
                                                    .from = test->operations[i].from,
                                                    .to = test->operations[i].to,
                                                    .only_thread = test->operations[i].only_thread};
    const char *text = asked->scenario ? asked->scenario : operations[0].name;
    if (scenario_parse(text, &interface, scenario, &error) != STATUS_OK)
        fail(&error);
}

static void build_and_explore(struct asked *asked, const char *folder, struct budget *budget)
{
    const struct build_settings settings = {.sources = asked->sources,
                                            .source_count = asked->source_count,
                                            .flags = asked->flags,
                                            .flag_count = asked->flag_count,
                                            .runtime = RUNTIME_FOLDER,
                                            .folder = folder,
                                            .budget = budget};
    struct text program = TEXT_EMPTY, compilers = TEXT_EMPTY;
    struct listed_tests tests;
    struct error error = {0};
    vector_init(&tests.items, budget);
    if (build_program(&settings, &program, &compilers, &error) != STATUS_OK ||
        conversation_list(text_string(&program), &tests, &error) != STATUS_OK)
        fail(&error);
    size_t test = find_test(asked, &tests);
    asked->request.version = EXCHANGE_VERSION;
    asked->request.kind = REQUEST_EXPLORE;
    asked->request.test = (uint32_t)test;
    asked->request.repeat_one_in = 100;
    parse_scenario(asked, &tests.items.items[test], &asked->request.scenario);
    char *models = strdup(asked->models);
    for (char *model = strtok(models, ","); model; model = strtok(NULL, ","))
        explore(asked, text_string(&program), budget, model);
    free(models);
    vector_release(&tests.items);
    text_release(&program);
    text_release(&compilers);
}

static void parse_options(int count, char **words, struct asked *asked)
{
    static const struct option options[] = {
        {"model", required_argument, NULL, 'm'},   {"psc", required_argument, NULL, 'p'},
        {"graphs", no_argument, NULL, 'g'},        {"scenario", required_argument, NULL, 's'},
        {"test", required_argument, NULL, 't'},    {"folder", required_argument, NULL, 'f'},
        {"seconds", required_argument, NULL, 'n'}, {"retries", no_argument, NULL, 'r'},
        {"request", required_argument, NULL, 'q'}, {0}};
    int option;
    *asked = (struct asked){.models = "rc11"};
    while ((option = getopt_long(count, words, "+", options, NULL)) >= 0)
        switch (option) {
        case 'm':
            asked->models = optarg;
            break;
        case 'p':
            asked->request.psc = strcmp(optarg, "genmc") == 0 ? PSC_GENMC : PSC_PAPER;
            break;
        case 'g':
            asked->request.graphs_only = true;
            break;
        case 'r':
            asked->request.keeps_retries = true;
            break;
        case 'q':
            asked->request_file = optarg;
            break;
        case 's':
            asked->scenario = optarg;
            break;
        case 't':
            asked->test = optarg;
            break;
        case 'f':
            asked->folder = optarg;
            break;
        case 'n':
            asked->request.seconds = atof(optarg);
            break;
        default:
            exit(2);
        }
    asked->sources = (const char **)words + optind;
    for (int i = optind; i < count && strcmp(words[i], "--") != 0; i++)
        asked->source_count++;
    size_t used = (size_t)optind + asked->source_count + 1;
    asked->flags = (const char **)words + used;
    asked->flag_count = (size_t)count > used ? (size_t)count - used : 0;
}

int main(int count, char **words)
{
    struct asked asked;
    struct budget budget;
    struct text made = TEXT_EMPTY;
    struct error error = {0};
    parse_options(count, words, &asked);
    budget_init(&budget, NULL, 0);
    if (!asked.folder && folder_make(&made, &error) != STATUS_OK)
        fail(&error);
    build_and_explore(&asked, asked.folder ? asked.folder : text_string(&made), &budget);
    if (!asked.folder)
        folder_remove(text_string(&made));
    text_release(&made);
    return 0;
}
