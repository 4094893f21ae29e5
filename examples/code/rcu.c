// A value that is read without locks and replaced as a whole, as in RCU: readers count themselves
// in and out, and the one thread that replaces the value frees the old one when nobody reads any
// more. Right; one that frees at once; and one that publishes the new value too weakly.
//
// expect: rcu holds
// expect: rcu_freed_early use after free
// expect: rcu_relaxed data race
#include <linchpin/test.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct {
    _Atomic(lp_int *) value;
    atomic_int readers;
    pthread_mutex_t writer;
} cell;

static lp_int *make(lp_int value)
{
    lp_int *made = malloc(sizeof *made);
    *made = value;
    return made;
}

static void *setup(void)
{
    cell *c = calloc(1, sizeof *c);
    atomic_init(&c->value, make(LP_EMPTY));
    return c;
}

static void teardown(void *object)
{
    cell *c = object;
    free(atomic_load(&c->value));
    free(c);
}

static lp_int read_value(void *object, lp_int unused)
{
    cell *c = object;
    (void)unused;
    atomic_fetch_add(&c->readers, 1);
    lp_int *current = atomic_load(&c->value);
    lp_int found = *current;
    atomic_fetch_sub_explicit(&c->readers, 1, memory_order_release);
    return found;
}

static lp_int write_value(void *object, lp_int value)
{
    cell *c = object;
    pthread_mutex_lock(&c->writer);
    lp_int *old = atomic_exchange(&c->value, make(value));
    while (atomic_load(&c->readers) > 0) // whoever comes now sees the new one
        ;
    pthread_mutex_unlock(&c->writer);
    free(old);
    return LP_DONE;
}

static lp_int write_and_free_early(void *object, lp_int value)
{
    cell *c = object;
    pthread_mutex_lock(&c->writer);
    lp_int *old = atomic_exchange(&c->value, make(value));
    pthread_mutex_unlock(&c->writer);
    free(old);
    return LP_DONE;
}

static lp_int write_relaxed(void *object, lp_int value)
{
    cell *c = object;
    pthread_mutex_lock(&c->writer);
    // The old one is never freed.
    atomic_store_explicit(&c->value, make(value), memory_order_relaxed);
    pthread_mutex_unlock(&c->writer);
    return LP_DONE;
}

LP_TEST(rcu, .spec = "register", .setup = setup, .teardown = teardown,
        .ops = {{"write", write_value, LP_FRESH, 1}, {"read", read_value}});
LP_TEST(rcu_freed_early, .spec = "register", .setup = setup, .teardown = teardown,
        .ops = {{"write", write_and_free_early, LP_FRESH, 1}, {"read", read_value}});
LP_TEST(rcu_relaxed, .spec = "register", .setup = setup, .teardown = teardown,
        .ops = {{"write", write_relaxed, LP_FRESH, 1}, {"read", read_value}});
