/* A register that four threads use while the program watches it: with "broken" as argument reads
 * come from a copy that is brought up to date now and then, and so may be out of date. */
#include <linchpin/linchpin.h>
#include <linchpin/monitor.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS    4
#define OPERATIONS 20000

/* Read and written with the builtins of gcc and clang, which C and C++ have in common. */
static long stored, copied;
static unsigned running = THREADS;
static bool broken;

struct client {
    lp_context *context;
    lp_client *recorded;
    long number;
};

static void must(lp_status status, const lp_error *error)
{
    if (status != LP_OK) {
        fprintf(stderr, "%s\n", error->message);
        exit(2);
    }
}

static void *use_store(void *user)
{
    struct client *client = (struct client *)user;
    lp_error error;
    for (long i = 0; i < OPERATIONS; i++) {
        if (i % 4 == 0) {
            long written = i * THREADS + client->number + 1;
            lp_value value = lp_value_integer(client->context, written);
            must(lp_client_invoke(client->recorded, "write", value, &error), &error);
            __atomic_store_n(&stored, written, __ATOMIC_SEQ_CST);
            if (i % 64 == 0)
                __atomic_store_n(&copied, written, __ATOMIC_SEQ_CST);
            must(lp_client_complete(client->recorded, LP_OUTCOME_OK, LP_VALUE_NIL, &error), &error);
        } else {
            must(lp_client_invoke(client->recorded, "read", LP_VALUE_NIL, &error), &error);
            long found = __atomic_load_n(broken ? &copied : &stored, __ATOMIC_SEQ_CST);
            lp_value value = found ? lp_value_integer(client->context, found) : LP_VALUE_NIL;
            must(lp_client_complete(client->recorded, LP_OUTCOME_OK, value, &error), &error);
        }
    }
    __atomic_fetch_sub(&running, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

/* Tells the monitor what was recorded, until there is a violation or all threads are done. */
static void watch(lp_monitor *monitor)
{
    lp_error error;
    bool over;
    do {
        over = __atomic_load_n(&running, __ATOMIC_SEQ_CST) == 0;
        must(lp_monitor_collect(monitor, &error), &error);
        must(lp_monitor_decide(monitor, &error), &error);
    } while (!over && lp_monitor_look(monitor)->verdict != LP_VIOLATION);
}

static void show(lp_monitor *monitor)
{
    lp_error error;
    lp_history *history;
    lp_result *result;
    must(lp_monitor_result(monitor, &history, &result, &error), &error);
    if (result->verdict == LP_VIOLATION)
        printf("violation: %s\n", result->reason);
    else
        printf("%s: %llu operations\n",
               result->verdict == LP_LINEARIZABLE ? "linearizable" : "unknown",
               (unsigned long long)result->operations);
    lp_result_destroy(result);
    lp_history_destroy(history);
}

int main(int argc, char **argv)
{
    lp_context *context = lp_context_create(0);
    lp_spec *spec;
    lp_monitor *monitor;
    lp_error error;
    pthread_t threads[THREADS];
    struct client clients[THREADS];
    broken = argc > 1 && strcmp(argv[1], "broken") == 0;
    must(lp_spec_create(context, "register", NULL, &spec, &error), &error);
    lp_binding binding = {NULL, spec};
    must(lp_monitor_create(context, "store", &binding, 1, NULL, &monitor, &error), &error);
    for (long i = 0; i < THREADS; i++) {
        clients[i].context = context;
        clients[i].number = i;
        lp_value process = lp_value_integer(context, i);
        must(lp_client_create(monitor, process, &clients[i].recorded, &error), &error);
        pthread_create(&threads[i], NULL, use_store, &clients[i]);
    }
    watch(monitor);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    show(monitor);
    lp_monitor_destroy(monitor);
    lp_spec_destroy(spec);
    lp_context_destroy(context);
    return 0;
}
