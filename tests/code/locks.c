/* Locks whose operations are called by themselves: right ones, and three that are wrong. */
#include <linchpin/test.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int held;

static lp_int lock(void *object, lp_int unused)
{
    (void)object;
    (void)unused;
    pthread_mutex_lock(&mutex);
    return LP_DONE;
}

static lp_int unlock(void *object, lp_int unused)
{
    (void)object;
    (void)unused;
    pthread_mutex_unlock(&mutex);
    return LP_DONE;
}

static lp_int take(void *object, lp_int unused)
{
    (void)object;
    (void)unused;
    while (atomic_exchange(&held, 1))
        ;
    return LP_DONE;
}

static lp_int look_and_take(void *object, lp_int unused)
{
    (void)object;
    (void)unused;
    while (atomic_load(&held))
        ;
    atomic_store(&held, 1);
    return LP_DONE;
}

static lp_int give(void *object, lp_int unused)
{
    (void)object;
    (void)unused;
    atomic_store(&held, 0);
    return LP_DONE;
}

static lp_int nothing(void *object, lp_int unused)
{
    (void)object;
    (void)unused;
    return LP_DONE;
}

LP_TEST(mutex, .spec = "mutex", .ops = {{"acquire", lock}, {"release", unlock}});
LP_TEST(permit, .spec = "semaphore(1)", .ops = {{"acquire", take}, {"release", give}});
LP_TEST(two_inside, .spec = "mutex", .ops = {{"acquire", look_and_take}, {"release", give}});
LP_TEST(stays_held, .spec = "mutex", .ops = {{"acquire", take}, {"release", nothing}});
LP_TEST(no_lock, .spec = "mutex", .ops = {{"acquire", nothing}, {"release", nothing}});
