/* Operations a second of histories without end, made as they go, and what is kept of them.
 *
 *     bench-streams decide queue|stack|priority-queue|register OPERATIONS PROCESSES INSIDE PENDING
 *     bench-streams memory|json queue|stack|priority-queue|map|set OPERATIONS PROCESSES INSIDE|KEYS
 * PENDING
 *
 * `decide` tells a monitor; `memory` the library, by lp_monitor_invoke and lp_monitor_complete;
 * `json` feeds it lines of JSON. PENDING: operations in a million. Making the history is not
 * counted, nor are the operations until a container has as much inside as it is to have. What is
 * kept is the most in the first tenth and in the last, without what is inside and the pending
 * operations. Of the KEYS of a set about half are inside. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <linchpin/monitor.h>

#include "spec/builtin.h"
#include "spec/map.h"
#include "spec/priority_queue.h"
#include "spec/queue.h"
#include "spec/register.h"
#include "spec/set.h"
#include "spec/stack.h"
#include "stream/online.h"
#include "support/endless.h"

#define EVENTS 16384 /* made at a time */

/* An object as it is used. */
struct used {
    const char *name, *add_name, *remove_name;
    enum endless_order order;
    uint16_t add, remove; /* operations */
    bool keyed, set;      /* set: where a put is odd, an element is added, else removed */
};

static const struct used uses[] = {
    {"queue", "enqueue", "dequeue", ENDLESS_OLDEST, QUEUE_ENQUEUE, QUEUE_DEQUEUE, false, false},
    {"stack", "push", "pop", ENDLESS_NEWEST, STACK_PUSH, STACK_POP, false, false},
    {"priority-queue", "insert", "delete-min", ENDLESS_LEAST, PRIORITY_QUEUE_INSERT,
     PRIORITY_QUEUE_DELETE_MIN, false, false},
    {"register", "write", "read", ENDLESS_OLDEST, REGISTER_WRITE, REGISTER_READ, true, false},
    {"map", "put", "get", ENDLESS_OLDEST, MAP_PUT, MAP_GET, true, false},
    {"set", "add", "contains", ENDLESS_OLDEST, SET_ADD, SET_CONTAINS, true, true},
};

struct bench {
    const struct used *used;
    struct endless endless;
    struct endless_event events[EVENTS];
    uint64_t operations, first, last, kept_first, kept_last;
    double seconds;
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

static const char *name_of(const struct bench *bench, const struct endless_event *event)
{
    if (bench->used->set && event->adds && event->value % 2 == 0)
        return "remove";
    return event->adds ? bench->used->add_name : bench->used->remove_name;
}

/* What an operation on a set answers: whether the element was there, or was not where it is added.
 */
static bool says_so(const struct endless_event *event)
{
    bool inside = (event->adds ? event->before : event->value) % 2;
    return event->adds && event->value % 2 ? !inside : inside;
}

static void tell(struct bench *bench, const struct endless_event *event)
{
    lp_context *context = bench->context;
    lp_error error;
    lp_value process = lp_value_integer(context, event->process);
    lp_value found = event->value ? lp_value_integer(context, event->value) : LP_VALUE_NIL;
    lp_value argument = event->adds ? found : LP_VALUE_NIL;
    lp_status status;
    if (bench->used->set) {
        found = lp_value_boolean(says_so(event));
        argument = lp_value_integer(context, event->key);
    } else if (event->begins && bench->endless.keys) {
        lp_value items[] = {lp_value_integer(context, event->key), argument};
        argument = event->adds ? lp_value_list(context, items, 2) : items[0];
    }
    if (event->begins)
        status =
            lp_monitor_invoke(bench->monitor, process, name_of(bench, event), argument, &error);
    else
        status = lp_monitor_complete(
            bench->monitor, process, event->pending ? LP_OUTCOME_UNKNOWN : LP_OUTCOME_OK,
            event->adds && !bench->used->set ? LP_VALUE_NIL : found, &error);
    if (status != LP_OK)
        fail(error.message);
}

static size_t write_line(const struct bench *bench, const struct endless_event *event, char *text)
{
    const char *type = event->begins ? "invoke" : event->pending ? "info" : "ok";
    size_t length = (size_t)sprintf(text, "{\"process\":%u,\"type\":\"%s\",\"f\":\"%s\",\"value\":",
                                    event->process, type, name_of(bench, event));
    bool keyed = bench->endless.keys && event->begins, set = bench->used->set;
    char shown[32] = "null";
    if (event->value && (event->adds ? event->begins : !event->begins))
        sprintf(shown, "%lld", (long long)event->value);
    if (set && !event->begins && !event->pending)
        length += (size_t)sprintf(text + length, "%s}\n", says_so(event) ? "true" : "false");
    else if (set)
        length += (size_t)sprintf(text + length, "%u}\n", event->key);
    else if (keyed && event->adds)
        length += (size_t)sprintf(text + length, "[%u,%s]}\n", event->key, shown);
    else if (keyed)
        length += (size_t)sprintf(text + length, "%u}\n", event->key);
    else
        length += (size_t)sprintf(text + length, "%s}\n", shown);
    return length;
}

static uint64_t kept(struct bench *bench)
{
    const struct endless *endless = &bench->endless;
    uint64_t all = bench->online ? bench->online->class->retained(bench->online)
                                 : lp_monitor_look(bench->monitor)->retained;
    uint64_t inside = endless->tail - endless->head + endless->pendings;
    return all > inside ? all - inside : 0;
}

/* Makes the next events, and has them decided. */
static void advance(struct bench *bench, bool json)
{
    size_t length = 0;
    for (size_t i = 0; i < EVENTS; i++) {
        bench->events[i] = endless_next(&bench->endless);
        if (json)
            length += write_line(bench, &bench->events[i], bench->text + length);
    }
    lp_error error;
    uint64_t start = clock_nanoseconds();
    if (json && lp_monitor_feed(bench->monitor, bench->text, length, &error) != LP_OK)
        fail(error.message);
    for (size_t i = 0; i < EVENTS && !json; i++)
        if (bench->online)
            decide(bench, &bench->events[i]);
        else
            tell(bench, &bench->events[i]);
    bench->seconds += seconds_since(start);
    if (bench->monitor && lp_monitor_look(bench->monitor)->verdict != LP_LINEARIZABLE)
        fail("not linearizable");
}

static void run(struct bench *bench, bool json)
{
    struct endless *endless = &bench->endless;
    uint64_t tenth = bench->operations / 10;
    while (!endless->keys && endless->tail - endless->head < endless->inside)
        advance(bench, json);
    uint64_t before = endless->operations;
    bench->seconds = 0;
    while (endless->operations - before < bench->operations) {
        advance(bench, json);
        uint64_t done = endless->operations - before, now = kept(bench);
        if (done <= tenth && now > bench->kept_first)
            bench->kept_first = now;
        if (done > 9 * tenth && now > bench->kept_last)
            bench->kept_last = now;
    }
}

int main(int argc, char **argv)
{
    static struct bench bench;
    if (argc != 7)
        fail("usage: bench-streams decide|memory|json OBJECT OPERATIONS PROCESSES INSIDE|KEYS "
             "PENDING");
    bool direct = strcmp(argv[1], "decide") == 0, map = strcmp(argv[2], "map") == 0;
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
    endless_open(&bench.endless, 1, bench.used->order, processes,
                 bench.used->keyed ? (map || bench.used->set ? (uint32_t)size : 1) : 0, size,
                 (uint32_t)atoi(argv[6]));
    lp_error error;
    lp_spec *spec = NULL;
    struct spec *inner = NULL;
    if (direct) {
        struct spec_request request = {.name = argv[2]};
        struct error fault;
        budget_init(&bench.budget, NULL, 0);
        limits_init(&bench.limits, &bench.budget);
        bench.pool = value_pool_create(&bench.budget);
        if (spec_create(&request, bench.pool, &bench.budget, &inner, &fault) != STATUS_OK)
            fail(fault.message);
        if (!bench.used->set) /* one for each element */
            bench.online = online_create(inner, VALUE_NIL, false, &bench.limits, DROPS_SELDOM);
        if (!bench.online)
            fail("no monitor decides that");
    } else {
        bench.context = lp_context_create(0);
        if (lp_spec_create(bench.context, argv[2], NULL, &spec, &error) != LP_OK)
            fail(error.message);
        lp_binding binding = {NULL, spec};
        lp_monitor_options options = {.size = sizeof options, .forget = true};
        if (lp_monitor_create(bench.context, "stream", &binding, 1, &options, &bench.monitor,
                              &error) != LP_OK)
            fail(error.message);
        bench.text = malloc(EVENTS * 160);
        if (!bench.text)
            fail("no memory");
    }
    run(&bench, strcmp(argv[1], "json") == 0);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%s %s, %s processes, %s inside or keys, %s in a million pending: %.2f million "
           "operations/s, kept %llu in the first tenth, %llu in the last, %.1f MB\n",
           argv[1], argv[2], argv[4], argv[5], argv[6],
           (double)bench.operations / bench.seconds / 1e6, (unsigned long long)bench.kept_first,
           (unsigned long long)bench.kept_last, (double)usage.ru_maxrss / 1024);
    endless_close(&bench.endless);
    free(bench.text);
    if (direct) {
        online_destroy(bench.online);
        spec_destroy(inner);
        value_pool_destroy(bench.pool);
    } else {
        lp_monitor_destroy(bench.monitor);
        lp_spec_destroy(spec);
        lp_context_destroy(bench.context);
    }
    return 0;
}
