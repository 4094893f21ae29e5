// A register of two words under a sequence lock: one thread writes, readers try again while the
// number is odd or has changed. And one whose reader looks at the number again too early.
//
// expect: seqlock holds
// expect: seqlock_without_fence not linearizable
#include <linchpin/test.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct {
    atomic_uint number;
    atomic_int low, high;
} seqlock;

static void *setup(void)
{
    return calloc(1, sizeof(seqlock));
}

static lp_int write_both(void *object, lp_int value)
{
    seqlock *s = object;
    unsigned number = atomic_load_explicit(&s->number, memory_order_relaxed);
    atomic_store_explicit(&s->number, number + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&s->low, (int)value, memory_order_relaxed);
    atomic_store_explicit(&s->high, (int)value, memory_order_relaxed);
    atomic_store_explicit(&s->number, number + 2, memory_order_release);
    return LP_DONE;
}

static lp_int read_both(seqlock *s, int fences)
{
    unsigned before, after;
    int low, high;
    do {
        before = atomic_load_explicit(&s->number, memory_order_acquire);
        low = atomic_load_explicit(&s->low, memory_order_relaxed);
        high = atomic_load_explicit(&s->high, memory_order_relaxed);
        if (fences)
            atomic_thread_fence(memory_order_acquire);
        after = atomic_load_explicit(&s->number, memory_order_relaxed);
    } while (before != after || before % 2);
    if (low == 0 && high == 0)
        return LP_EMPTY; // nothing was written yet
    return low == high ? low : -1;
}

static lp_int do_read(void *s, lp_int unused)
{
    (void)unused;
    return read_both(s, 1);
}

static lp_int do_read_without_fence(void *s, lp_int unused)
{
    (void)unused;
    return read_both(s, 0);
}

LP_TEST(seqlock, .spec = "register", .setup = setup, .teardown = free,
        .ops = {{"write", write_both, LP_FRESH, 1}, {"read", do_read}});
LP_TEST(seqlock_without_fence, .spec = "register", .setup = setup, .teardown = free,
        .ops = {{"write", write_both, LP_FRESH, 1}, {"read", do_read_without_fence}});
