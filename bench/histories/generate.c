/* Writes a history of concurrent processes, native JSON lines, to standard output. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processes.h"

struct request {
    struct plan plan;
    const struct object_class *class;
    uint64_t values, keys;
};

static const struct option options[] = {
    {"object", required_argument, NULL, 'o'},  {"operations", required_argument, NULL, 'n'},
    {"threads", required_argument, NULL, 't'}, {"values", required_argument, NULL, 'V'},
    {"keys", required_argument, NULL, 'k'},    {"pending", required_argument, NULL, 'p'},
    {"violation", no_argument, NULL, 'x'},     {"seed", required_argument, NULL, 's'},
    {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0},
};

static void print_help(void)
{
    puts("Usage: generate-history --object NAME [OPTION]...\n"
         "Writes a linearizable history, one JSON event a line.\n\n"
         "  --operations N  how many operations (1000)\n"
         "  --threads N     processes, always busy (8)\n"
         "  --values N      draw values from 0 .. N-1; without it each is new\n"
         "  --keys N        keys of a map or multi-register (100)\n"
         "  --pending P     the chance that an operation never answers (0)\n"
         "  --violation     one process tells a lie near the end\n"
         "  --seed N        same seed, same history (1)\n\n"
         "Objects:");
    for (const struct object_class *class = object_classes; class->name; class ++)
        printf("  %s\n", class->name);
}

static _Noreturn void refuse(const char *what, const char *given)
{
    fprintf(stderr, "generate-history: %s%s%s%s\n", what, given ? ", not '" : "",
            given ? given : "", given ? "'" : "");
    exit(2);
}

static uint64_t number(const char *text, const char *what, uint64_t least, uint64_t most)
{
    char *end;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    if (errno || end == text || *end || text[0] == '-' || value < least || value > most)
        refuse(what, text);
    return value;
}

static double probability(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= 0 && value <= 1))
        refuse("--pending is a probability", text);
    return value;
}

static void take_option(struct request *request, int option)
{
    const uint64_t many = UINT32_MAX;
    switch (option) {
    case 'o':
        request->class = object_class_find(optarg);
        if (!request->class)
            refuse("--object is one that --help lists", optarg);
        break;
    case 'n':
        request->plan.operations = number(optarg, "--operations is a number", 0, many);
        break;
    case 't':
        request->plan.processes =
            (uint32_t)number(optarg, "--threads is a number of 1 to 10000", 1, 10000);
        break;
    case 'V':
        request->values = number(optarg, "--values is a number from 1 on", 1, many);
        break;
    case 'k':
        request->keys = number(optarg, "--keys is a number from 1 on", 1, many);
        break;
    case 'p':
        request->plan.pending = probability(optarg);
        break;
    case 'x':
        request->plan.lies = true;
        break;
    case 's':
        request->plan.seed = number(optarg, "--seed is a number", 0, UINT64_MAX);
        break;
    case 'h':
        print_help();
        exit(0);
    default:
        exit(2);
    }
}

static struct request read_request(int argument_count, char **arguments)
{
    struct request request = {.plan = {.seed = 1, .operations = 1000, .processes = 8}, .keys = 100};
    int option;
    while ((option = getopt_long(argument_count, arguments, "", options, NULL)) >= 0)
        take_option(&request, option);
    if (optind < argument_count)
        refuse("expected options only", arguments[optind]);
    if (!request.class)
        refuse("--object is missing", NULL);
    if (request.plan.lies && request.plan.operations < LIE_MOST_CALLS)
        refuse("a violation takes 4 operations at least", NULL);
    return request;
}

int main(int argument_count, char **arguments)
{
    struct request request = read_request(argument_count, arguments);
    struct object object;
    setvbuf(stdout, NULL, _IOFBF, 1 << 18);
    object_init(&object, request.class, (int64_t)request.values, request.keys,
                request.plan.operations);
    processes_run(&request.plan, &object, stdout);
    object_release(&object);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "generate-history: cannot write: %s\n", strerror(errno));
        return 2;
    }
    return 0;
}
