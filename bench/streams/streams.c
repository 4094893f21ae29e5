/* Operations a second of histories without end, made as they go, and what is kept of them.
 *
 *     bench-streams decide OBJECT OPERATIONS PROCESSES INSIDE PENDING
 *     bench-streams memory|json OBJECT OPERATIONS PROCESSES INSIDE|KEYS PENDING [JOBS]
 *     bench-streams pipe OBJECT OPERATIONS PROCESSES INSIDE|KEYS PENDING PROGRAM...
 *
 * `decide` tells a monitor; `memory` the library, by lp_monitor_invoke and lp_monitor_complete;
 * `json` feeds it lines of JSON; `pipe` writes them to the standard input of a program. OBJECT may
 * be `map` or `set`, too. PENDING: operations in a million; with `-unseen` behind it only those
 * that add something, which never happened; with `-silent` nothing is told of them, their processes
 * fall silent; with `json` and `-silent-late` they are late after 1,000 events (--late). INSIDE is
 * the number of permits of a semaphore. JOBS: threads. Making the history is not counted, but where
 * a program reads it meanwhile, nor are the operations until a container has as much inside as it
 * is to have. What is kept is the most in the first tenth and in the last, without what is inside
 * and the pending operations; what one of these takes is the difference of memory between two
 * numbers of operations. Of the KEYS of a set about half are inside. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <linchpin/monitor.h>

#include "spec/builtin.h"
#include "spec/cas_register.h"
#include "spec/counter.h"
#include "spec/map.h"
#include "spec/mutex.h"
#include "spec/priority_queue.h"
#include "spec/queue.h"
#include "spec/register.h"
#include "spec/semaphore.h"
#include "spec/set.h"
#include "spec/stack.h"
#include "stream/online.h"
#include "streams/lines.h"
#include "streams/pipe.h"

#define EVENTS 16384 /* made at a time */

static const struct used uses[] = {
    {"queue", NULL, "enqueue", "dequeue", ENDLESS_OLDEST, QUEUE_ENQUEUE, QUEUE_DEQUEUE,
     USED_AS_CONTAINER},
    {"stack", NULL, "push", "pop", ENDLESS_NEWEST, STACK_PUSH, STACK_POP, USED_AS_CONTAINER},
    {"priority-queue", NULL, "insert", "delete-min", ENDLESS_LEAST, PRIORITY_QUEUE_INSERT,
     PRIORITY_QUEUE_DELETE_MIN, USED_AS_CONTAINER},
    {"register", NULL, "write", "read", ENDLESS_OLDEST, REGISTER_WRITE, REGISTER_READ,
     USED_AS_REGISTER},
    {"cas-register", NULL, "write", "read", ENDLESS_OLDEST, CAS_REGISTER_WRITE, CAS_REGISTER_READ,
     USED_AS_REGISTER},
    {"cas", "cas-register", "write", "read", ENDLESS_OLDEST, CAS_REGISTER_WRITE, CAS_REGISTER_READ,
     USED_AS_CAS},
    {"map", NULL, "put", "get", ENDLESS_OLDEST, MAP_PUT, MAP_GET, USED_AS_MAP},
    {"set", NULL, "add", "contains", ENDLESS_OLDEST, SET_ADD, SET_CONTAINS, USED_AS_SET},
    {"mutex", NULL, "acquire", "release", ENDLESS_COUNT, MUTEX_ACQUIRE, MUTEX_RELEASE,
     USED_AS_LOCK},
    {"semaphore", NULL, "acquire", "release", ENDLESS_COUNT, SEMAPHORE_ACQUIRE, SEMAPHORE_RELEASE,
     USED_AS_LOCK},
    {"counter", NULL, "add", "read", ENDLESS_TOTAL, COUNTER_ADD, COUNTER_READ, USED_AS_COUNTER},
};

struct bench {
    const struct used *used;
    struct endless endless;
    struct endless_event events[EVENTS];
    bool late; /* each line is a nanosecond behind the one before it */
    uint64_t operations, kept_first, kept_last;
    double seconds, processor; /* of all threads */
    double third;              /* MB at the peak, of a third of the operations */
    /* decide */
    struct budget budget;
    struct limits limits;
    struct value_pool *pool;
    struct online *online;
    uint32_t handles[ENDLESS_PROCESSES];
    uint64_t now;
    /* the library */
    lp_context *context;
    lp_monitor *monitor;
    char *text;
};

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static void decide(struct bench *bench, const struct endless_event *event)
{
    bool reads = !event->adds && !event->begins && !event->pending;
    value found = event->value ? value_small(event->value) : VALUE_NIL;
    struct online_event told = {.now = ++bench->now,
                                .serial = event->serial,
                                .stage = event->begins    ? STAGE_RUNNING
                                         : event->pending ? STAGE_PENDING
                                                          : STAGE_COMPLETES,
                                .handle = &bench->handles[event->place]};
    told.call.operation = event->adds ? bench->used->add : bench->used->remove;
    if (event->adds)
        told.call.argument = found;
    if (reads)
        told.call.result = found;
    told.call.result_known = reads;
    if (bench->online->class->event(bench->online, &told) != ONLINE_POSSIBLE)
        fail("not linearizable");
}

static void tell(struct bench *bench, const struct endless_event *event)
{
    lp_context *context = bench->context;
    lp_error error;
    lp_value process = lp_value_integer(context, event->process);
    const bool valued =
        bench->used->as == USED_AS_COUNTER || (event->value && bench->used->as != USED_AS_LOCK);
    lp_value found = valued ? lp_value_integer(context, event->value) : LP_VALUE_NIL;
    lp_value argument = event->adds ? found : LP_VALUE_NIL;
    lp_status status;
    if (bench->used->as == USED_AS_SET) {
        found = lp_value_boolean(used_answer(event));
        argument = lp_value_integer(context, event->key);
    } else if (event->swaps) {
        lp_value items[] = {lp_value_integer(context, event->expected), found};
        argument = event->begins ? lp_value_list(context, items, 2) : LP_VALUE_NIL;
        found = lp_value_boolean(event->swapped);
    } else if (event->begins && bench->used->as == USED_AS_MAP) {
        lp_value items[] = {lp_value_integer(context, event->key), argument};
        argument = event->adds ? lp_value_list(context, items, 2) : items[0];
    }
    if (event->begins)
        status = lp_monitor_invoke(bench->monitor, process, used_name(bench->used, event), argument,
                                   &error);
    else
        status = lp_monitor_complete(
            bench->monitor, process, event->pending ? LP_OUTCOME_UNKNOWN : LP_OUTCOME_OK,
            event->adds && !event->swaps && bench->used->as != USED_AS_SET ? LP_VALUE_NIL : found,
            &error);
    if (status != LP_OK)
        fail(error.message);
}

static uint64_t kept(struct bench *bench)
{
    const struct endless *endless = &bench->endless;
    uint64_t all = bench->online ? bench->online->class->retained(bench->online)
                                 : lp_monitor_look(bench->monitor)->retained;
    uint64_t inside = endless->tail - endless->head + endless->pendings;
    return all > inside ? all - inside : 0;
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* At the peak so far. */
static double megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* Makes the next events, and has them decided. */
static void advance(struct bench *bench, bool json)
{
    size_t length = 0;
    for (size_t i = 0; i < EVENTS; i++) {
        bench->events[i] = endless_next(&bench->endless);
        if (json)
            length += line_write(bench->used, &bench->events[i], bench->late ? ++bench->now : 0,
                                 bench->text + length);
    }
    lp_error error;
    uint64_t start = clock_nanoseconds();
    double processor = processor_seconds();
    if (json && lp_monitor_feed(bench->monitor, bench->text, length, &error) != LP_OK)
        fail(error.message);
    for (size_t i = 0; i < EVENTS && !json; i++)
        if (bench->online)
            decide(bench, &bench->events[i]);
        else
            tell(bench, &bench->events[i]);
    const bool right =
        !bench->monitor || lp_monitor_look(bench->monitor)->verdict == LP_LINEARIZABLE;
    bench->seconds += seconds_since(start);
    bench->processor += processor_seconds() - processor;
    if (!right)
        fail("not linearizable");
}

static void run(struct bench *bench, bool json)
{
    struct endless *endless = &bench->endless;
    uint64_t tenth = bench->operations / 10;
    while (bench->used->as == USED_AS_CONTAINER && endless->tail - endless->head < endless->inside)
        advance(bench, json);
    uint64_t before = endless->operations;
    bench->seconds = bench->processor = 0;
    while (endless->operations - before < bench->operations) {
        advance(bench, json);
        uint64_t done = endless->operations - before, now = kept(bench);
        if (done <= bench->operations / 3)
            bench->third = megabytes();
        if (done <= tenth && now > bench->kept_first)
            bench->kept_first = now;
        if (done > 9 * tenth && now > bench->kept_last)
            bench->kept_last = now;
    }
}

static void open_direct(struct bench *bench, struct spec **spec)
{
    struct spec_request request = {.name = bench->used->name};
    struct error fault;
    budget_init(&bench->budget, NULL, 0);
    limits_init(&bench->limits, &bench->budget);
    bench->pool = value_pool_create(&bench->budget);
    if (spec_create(&request, bench->pool, &bench->budget, spec, &fault) != STATUS_OK)
        fail(fault.message);
    if (bench->used->as == USED_AS_CAS)
        fail("with cas two monitors decide: not for `decide`");
    if (bench->used->as == USED_AS_LOCK || bench->used->as == USED_AS_COUNTER)
        fail("what counts is not for `decide`");
    if (bench->used->as != USED_AS_SET) /* one for each element */
        bench->online = online_create(*spec, VALUE_NIL, false, &bench->limits, DROPS_SELDOM);
    if (!bench->online)
        fail("no monitor decides that");
}

static void open_library(struct bench *bench, size_t jobs, lp_spec **spec)
{
    lp_error error;
    bench->context = lp_context_create(0);
    char name[64];
    snprintf(name, sizeof name, "%s", bench->used->spec ? bench->used->spec : bench->used->name);
    if (bench->used->add == SEMAPHORE_ACQUIRE && strcmp(name, "semaphore") == 0)
        snprintf(name, sizeof name, "semaphore(%" PRIu64 ")", bench->endless.inside);
    if (lp_spec_create(bench->context, name, NULL, spec, &error) != LP_OK)
        fail(error.message);
    lp_binding binding = {NULL, *spec};
    lp_monitor_options options = {.size = sizeof options,
                                  .forget = !bench->late,
                                  .jobs = jobs,
                                  .late = bench->late ? 1000 : 0};
    if (lp_monitor_create(bench->context, "stream", &binding, 1, &options, &bench->monitor,
                          &error) != LP_OK)
        fail(error.message);
    bench->text = malloc((size_t)EVENTS * LINE_MOST);
    if (!bench->text)
        fail("no memory");
}

static void print_rates(const struct bench *bench, char *const *words)
{
    double operations = (double)bench->operations / 1e6;
    printf("%s %s, %s processes, %s inside or keys, %s in a million pending: %.2f million "
           "operations/s, %.2f a second of processor time",
           words[1], words[2], words[4], words[5], words[6], operations / bench->seconds,
           operations / bench->processor);
}

static void run_here(struct bench *bench, int argc, char **argv)
{
    lp_spec *spec = NULL;
    struct spec *inner = NULL;
    if (strcmp(argv[1], "decide") == 0)
        open_direct(bench, &inner);
    else
        open_library(bench, argc > 7 ? (size_t)atoi(argv[7]) : 1, &spec);
    run(bench, strcmp(argv[1], "json") == 0);
    print_rates(bench, argv);
    printf(", kept %llu in the first tenth, %llu in the last, %.1f MB after a third, %.1f MB\n",
           (unsigned long long)bench->kept_first, (unsigned long long)bench->kept_last,
           bench->third, megabytes());
    free(bench->text);
    if (inner) {
        online_destroy(bench->online);
        spec_destroy(inner);
        value_pool_destroy(bench->pool);
    } else {
        lp_monitor_destroy(bench->monitor);
        lp_spec_destroy(spec);
        lp_context_destroy(bench->context);
    }
}

static void run_there(struct bench *bench, char **argv)
{
    struct pipe_use use;
    if (!pipe_run(&bench->endless, bench->used, bench->operations, argv + 7, &use))
        fail("cannot start a program that reads a pipe");
    bench->seconds = use.seconds;
    bench->processor = use.processor;
    print_rates(bench, argv);
    printf(", %.1f MB\n", use.megabytes);
    if (use.status != 0)
        fail("the program did not end with 0");
}

int main(int argc, char **argv)
{
    static struct bench bench;
    bool there = argc > 7 && strcmp(argv[1], "pipe") == 0;
    if (argc != 7 && argc != 8 && !there)
        fail("usage: bench-streams decide|memory|json|pipe OBJECT OPERATIONS PROCESSES INSIDE|KEYS "
             "PENDING [JOBS|PROGRAM...]");
    uint64_t size = strtoull(argv[5], NULL, 10);
    for (size_t i = 0; i < ARRAY_LENGTH(uses); i++)
        if (strcmp(argv[2], uses[i].name) == 0)
            bench.used = &uses[i];
    if (!bench.used)
        fail("no such object");
    bench.operations = strtoull(argv[3], NULL, 10);
    uint32_t processes = (uint32_t)atoi(argv[4]);
    if (processes < 1 || processes > ENDLESS_PROCESSES)
        fail("1 to 64 processes");
    const enum used_as as = bench.used->as;
    const bool is_register = as == USED_AS_REGISTER || as == USED_AS_CAS;
    const bool keyed = as == USED_AS_MAP || as == USED_AS_SET;
    const uint32_t keys = keyed ? (uint32_t)size : is_register;
    endless_open(&bench.endless, 1, bench.used->order, processes, keys,
                 strcmp(argv[2], "mutex") == 0 ? 1 : size, (uint32_t)atoi(argv[6]));
    bench.endless.with_cas = as == USED_AS_CAS;
    bench.endless.unseen = strstr(argv[6], "-unseen");
    bench.late = strstr(argv[6], "-late");
    bench.endless.silent = strstr(argv[6], "-silent");
    if (there)
        run_there(&bench, argv);
    else
        run_here(&bench, argc, argv);
    endless_close(&bench.endless);
    return 0;
}
