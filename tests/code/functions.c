/* Objects with a specification that is built in, the same written in C, and `auto`, for one after
 * the other their operations are right: all must be decided alike (the lock by one thread: only the
 * built-in one has an order of clients). WRONG: their operations are
 * not atomic, and the lock cannot be taken again. */
#include <linchpin/test.h>
#include <pthread.h>
#include <stdatomic.h>

#define THRICE(NAME, SPEC, FUNCTIONS, ...)                                                         \
    LP_TEST(NAME##_built_in, .spec = SPEC, .setup = setup, .ops = {__VA_ARGS__});                  \
    LP_TEST(NAME##_auto, .spec = "auto", .setup = setup, .ops = {__VA_ARGS__});                    \
    LP_TEST(NAME##_in_c, .setup = setup, .ops = {__VA_ARGS__}, .sequential = &FUNCTIONS)

static pthread_mutex_t lock;
static atomic_int cells[4], count;

static void *setup(void)
{
    pthread_mutex_init(&lock, 0);
    return 0;
}

#ifdef WRONG
#define LOCK
#define UNLOCK
#else
#define LOCK   pthread_mutex_lock(&lock)
#define UNLOCK pthread_mutex_unlock(&lock)
#endif

/* ---- a counter ---- */

static lp_int do_inc(void *object, lp_int unused)
{
    (void)object;
    (void)unused;
    LOCK;
    count = count + 1;
    UNLOCK;
    return LP_DONE;
}

static lp_int do_read(void *object, lp_int unused)
{
    (void)object;
    (void)unused;
    return count;
}

static int step_counter(void *state, const lp_sequential_call *call, lp_int *result)
{
    lp_int *number = state;
    if (call->operation == 0)
        ++*number;
    else
        *result = *number;
    return 1;
}

static const lp_sequential counter = {sizeof(lp_int), 0, step_counter, 0};
THRICE(counter, "counter", counter, {"inc", do_inc}, {"read", do_read});

/* ---- a queue of two places ---- */

static lp_int do_enqueue(void *object, lp_int value)
{
    lp_int result = LP_NO;
    (void)object;
    LOCK;
    int place = count;
    if (place < 2) {
        cells[place] = (int)value;
        count = place + 1;
        result = LP_YES;
    }
    UNLOCK;
    return result;
}

static lp_int do_dequeue(void *object, lp_int unused)
{
    lp_int result = LP_EMPTY;
    (void)object;
    (void)unused;
    LOCK;
    int size = count;
    if (size > 0) {
        result = cells[0];
        cells[0] = atomic_load(&cells[1]);
        count = size - 1;
    }
    UNLOCK;
    return result;
}

struct pair {
    lp_int count, items[2];
};

static int step_queue(void *state, const lp_sequential_call *call, lp_int *result)
{
    struct pair *queue = state;
    if (call->name[0] == 'e') {
        *result = queue->count < 2 ? LP_YES : LP_NO;
        if (queue->count < 2)
            queue->items[queue->count++] = call->argument;
        return 1;
    }
    *result = queue->count ? queue->items[0] : LP_EMPTY;
    if (queue->count) {
        queue->items[0] = queue->items[1];
        queue->items[1] = 0;
        queue->count--;
    }
    return 1;
}

static const lp_sequential queue = {sizeof(struct pair), 0, step_queue, 1};
THRICE(queue, "queue(2)", queue, {"enqueue", do_enqueue, LP_FRESH}, {"dequeue", do_dequeue});

/* ---- a map of two keys ---- */

static lp_int do_put(void *object, lp_int key, lp_int value)
{
    (void)object;
    LOCK;
    cells[key] = 0;
    cells[key] = (int)value;
    UNLOCK;
    return LP_DONE;
}

static lp_int do_get(void *object, lp_int key)
{
    (void)object;
    LOCK;
    lp_int value = cells[key];
    UNLOCK;
    return value ? value : LP_EMPTY;
}

static void init_map(void *state)
{
    struct pair *map = state;
    map->items[0] = map->items[1] = LP_EMPTY;
}

static int step_map(void *state, const lp_sequential_call *call, lp_int *result)
{
    struct pair *map = state;
    if (call->operation == 0)
        map->items[call->argument] = call->second;
    else
        *result = map->items[call->argument];
    return 1;
}

static const lp_sequential map = {sizeof(struct pair), init_map, step_map, 0};
THRICE(map, "map", map, LP_OP2("put", do_put, 0, 1, LP_FRESH), {"get", do_get, 0, 1});

/* ---- a lock ---- */

static lp_int do_acquire(void *object, lp_int unused)
{
    (void)object;
    (void)unused;
    while (atomic_exchange(&cells[0], 1))
        ;
    return LP_DONE;
}

static lp_int do_release(void *object, lp_int unused)
{
    (void)object;
    (void)unused;
#ifndef WRONG
    cells[0] = 0;
#endif
    return LP_DONE;
}

static int step_lock(void *state, const lp_sequential_call *call, lp_int *result)
{
    char *held = state;
    (void)result;
    if (*held == (call->operation == 0))
        return 0;
    *held = call->operation == 0;
    return 1;
}

static const lp_sequential mutex = {1, 0, step_lock, 0};
THRICE(mutex, "mutex", mutex, {"acquire", do_acquire, 0, 0, 0, LP_MAY_WAIT},
       {"release", do_release});
