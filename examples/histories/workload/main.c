/* Runs threads on one of the implementations and writes the history that they recorded. */
#include <getopt.h>
#include <linchpin/linchpin.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload.h"

static const struct implementation *const implementations[] = {
    &queue_correct, &queue_plain_head, &queue_two_lanes,     &stack_correct,
    &stack_aba,     &mutex_correct,    &mutex_test_then_set,
};

struct call {
    const char *function;
    int64_t argument, result;
    int64_t called, returned; /* ticks */
};

struct run {
    const struct implementation *implementation;
    void *object;
    size_t operations; /* of each thread */
    atomic_int_fast64_t ticks;
    pthread_barrier_t start;
};

struct thread {
    pthread_t handle;
    struct run *run;
    size_t number;
    uint64_t random;
    int64_t values;
    struct call *calls;
    size_t length;
};

struct request {
    const struct implementation *implementation;
    size_t threads, operations, tries;
    uint64_t seed;
    const char *format;
};

void record_call(struct thread *thread, const char *function, int64_t argument)
{
    struct call *call = &thread->calls[thread->length];
    call->function = function;
    call->argument = argument;
    call->called = atomic_fetch_add(&thread->run->ticks, 1);
}

void record_return(struct thread *thread, int64_t result)
{
    struct call *call = &thread->calls[thread->length++];
    call->result = result;
    call->returned = atomic_fetch_add(&thread->run->ticks, 1);
}

uint32_t thread_random(struct thread *thread, uint32_t limit)
{
    thread->random ^= thread->random << 13; /* xorshift64, Marsaglia 2003 */
    thread->random ^= thread->random >> 7;
    thread->random ^= thread->random << 17;
    return (uint32_t)((thread->random >> 32) * limit >> 32);
}

int64_t thread_fresh_value(struct thread *thread)
{
    size_t apart = 1000; /* easy to read, as long as no thread has more */
    while (apart < thread->run->operations)
        apart *= 10;
    return (int64_t)(thread->number * apart) + thread->values++;
}

void thread_waver(struct thread *thread)
{
    if (thread_random(thread, 4) == 0)
        sched_yield();
}

static void *thread_main(void *argument)
{
    struct thread *thread = argument;
    struct run *run = thread->run;
    pthread_barrier_wait(&run->start);
    for (size_t done = 0; done < run->operations;) {
        done += run->implementation->use(run->object, thread);
        if (thread_random(thread, 3) == 0)
            sched_yield();
    }
    return NULL;
}

static void give_up(const char *what)
{
    fprintf(stderr, "workload: %s\n", what);
    exit(2);
}

static void must(lp_status status, const lp_error *error)
{
    if (status != LP_OK)
        give_up(error->message);
}

static void *must_have(void *memory)
{
    if (!memory)
        give_up("out of memory");
    return memory;
}

static lp_value to_value(lp_context *context, int64_t number)
{
    return number == NOTHING ? LP_VALUE_NIL : lp_value_integer(context, number);
}

static void add_calls(lp_context *context, lp_history *history, const struct thread *thread)
{
    lp_value process = lp_value_integer(context, (int64_t)thread->number);
    for (size_t i = 0; i < thread->length; i++) {
        const struct call *call = &thread->calls[i];
        lp_error error;
        must(lp_history_interval(history, process, call->function,
                                 to_value(context, call->argument), call->called, LP_OUTCOME_OK,
                                 to_value(context, call->result), call->returned, &error),
             &error);
    }
}

/* Runs the threads and gathers what they recorded into a closed history. */
static lp_history *run_threads(lp_context *context, const struct request *request, uint64_t seed)
{
    struct run run = {.implementation = request->implementation, .operations = request->operations};
    /* A thread may do one operation too many where they come in pairs. */
    run.object = must_have(run.implementation->create(request->threads * (run.operations + 1)));
    if (pthread_barrier_init(&run.start, NULL, (unsigned)request->threads))
        give_up("no barrier");
    struct thread *threads = must_have(calloc(request->threads, sizeof *threads));
    for (size_t i = 0; i < request->threads; i++) {
        struct thread *thread = &threads[i];
        thread->run = &run;
        thread->number = i;
        thread->random = (seed * 1000 + i + 1) * 0x9E3779B97F4A7C15u;
        thread->calls = must_have(calloc(run.operations + 1, sizeof *thread->calls));
    }
    for (size_t i = 0; i < request->threads; i++)
        if (pthread_create(&threads[i].handle, NULL, thread_main, &threads[i]))
            give_up("no thread");
    for (size_t i = 0; i < request->threads; i++)
        pthread_join(threads[i].handle, NULL);

    lp_error error;
    lp_history *history = must_have(lp_history_create(context, run.implementation->name));
    for (size_t i = 0; i < request->threads; i++) {
        add_calls(context, history, &threads[i]);
        free(threads[i].calls);
    }
    must(lp_history_close(history, &error), &error);
    free(threads);
    pthread_barrier_destroy(&run.start);
    run.implementation->destroy(run.object);
    return history;
}

static lp_verdict decide(lp_context *context, const lp_history *history, const char *name)
{
    lp_error error;
    lp_binding binding = {.object = NULL};
    lp_result *result;
    lp_spec *spec;
    must(lp_spec_create(context, name, NULL, &spec, &error), &error);
    binding.spec = spec;
    must(lp_check(context, history, &binding, 1, NULL, &result, &error), &error);
    lp_verdict verdict = result->verdict;
    if (verdict == LP_VIOLATION)
        fprintf(stderr, "violation: %s\n", result->reason);
    lp_result_destroy(result);
    lp_spec_destroy(spec);
    return verdict;
}

/* Runs until a history is a violation, at most `tries` times, and writes the last one; exit status
 * 1 if it is a violation, else 0. */
static int record(const struct request *request)
{
    for (size_t try = 1;; try++) {
        lp_context *context = must_have(lp_context_create(0));
        lp_history *history = run_threads(context, request, request->seed + try - 1);
        lp_verdict verdict = decide(context, history, request->implementation->specification);
        bool last = verdict == LP_VIOLATION || try == request->tries;
        lp_error error;
        if (last)
            must(lp_history_write(history, request->format, stdout, &error), &error);
        lp_history_destroy(history);
        lp_context_destroy(context);
        if (last)
            return verdict == LP_VIOLATION ? 1 : 0;
    }
}

static void usage(FILE *out)
{
    fputs("usage: workload [OPTION...] IMPLEMENTATION\n\n", out);
    for (size_t i = 0; i < sizeof implementations / sizeof *implementations; i++)
        fprintf(out, "  %-20s %s\n", implementations[i]->name, implementations[i]->summary);
    fputs("\n"
          "  --threads N      4\n"
          "  --operations N   40 of each thread\n"
          "  --tries N        1: run up to N times, until a history is a violation\n"
          "  --seed N         1: what each thread does; how they mix is up to the machine\n"
          "  --format NAME    json, edn, ...\n",
          out);
}

static size_t read_number(const char *text)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    if (*end || end == text || number == 0 || number > 1000000)
        give_up("expected a number from 1 to 1000000");
    return number;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"threads", required_argument, NULL, 't'}, {"operations", required_argument, NULL, 'o'},
        {"tries", required_argument, NULL, 'r'},   {"seed", required_argument, NULL, 's'},
        {"format", required_argument, NULL, 'f'},  {NULL, 0, NULL, 0}};
    struct request request = {
        .threads = 4, .operations = 40, .tries = 1, .seed = 1, .format = "json"};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 't')
            request.threads = read_number(optarg);
        else if (option == 'o')
            request.operations = read_number(optarg);
        else if (option == 'r')
            request.tries = read_number(optarg);
        else if (option == 's')
            request.seed = read_number(optarg);
        else if (option == 'f')
            request.format = optarg;
        else
            return 2;
    }
    for (size_t i = 0; i < sizeof implementations / sizeof *implementations; i++)
        if (optind + 1 == argc && strcmp(argv[optind], implementations[i]->name) == 0)
            request.implementation = implementations[i];
    if (!request.implementation) {
        usage(stderr);
        return 2;
    }
    return record(&request);
}
