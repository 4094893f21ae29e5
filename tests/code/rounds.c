/* Small programs that wait in loops whose iterations others can tell: for
 * tests/unit/test_code_rounds.c. */
#include <assert.h>
#include <linchpin/test.h>
#include <stdatomic.h>

#define OP(NAME)    static lp_int NAME(void *o, lp_int v)
#define DONE        ((void)o, (void)v, LP_DONE)
#define LOAD(X)     atomic_load_explicit(&(X), memory_order_relaxed)
#define STORE(X, V) atomic_store_explicit(&(X), V, memory_order_relaxed)

atomic_int x, y, z, told, mark; /* not static: what nobody reads is not left out */
int plain;

/* ---- iterations that race with what comes of the thread's going on ---- */

OP(wait_reading)
{
    while (!LOAD(x))
        if (plain == 3)
            return DONE;
    STORE(told, 1);
    return DONE;
}
OP(then_write)
{
    STORE(x, 1);
    if (LOAD(told))
        plain = 3;
    return DONE;
}
LP_TEST(reading, .ops = {{"wait", wait_reading}, {"then", then_write}});

OP(wait_updating)
{
    while (!LOAD(x))
        atomic_fetch_or_explicit(&y, (int)v, memory_order_relaxed);
    STORE(told, 1);
    return DONE;
}
OP(then_read)
{
    STORE(x, 1);
    return LOAD(told) ? *(int *)&y : DONE;
}
LP_TEST(updating, .ops = {{"wait", wait_updating}, {"then", then_read}});

OP(wait_looking)
{
    while (!LOAD(x))
        if (LOAD(y))
            return DONE;
    STORE(told, 1);
    return DONE;
}
OP(then_write_plainly)
{
    STORE(x, 1);
    if (LOAD(told))
        *(int *)&y = 1;
    return DONE;
}
LP_TEST(looking, .ops = {{"wait", wait_looking}, {"then", then_write_plainly}});

/* More than the runtime remembers of an iteration. */
static int table[100];
OP(wait_reading_much)
{
    while (!LOAD(x))
        for (int i = 0; i < 100; i++)
            if (table[i])
                return DONE;
    STORE(told, 1);
    return DONE;
}
OP(then_write_first)
{
    STORE(x, 1);
    if (LOAD(told))
        table[0] = 3;
    return DONE;
}
LP_TEST(reading_much, .ops = {{"wait", wait_reading_much}, {"then", then_write_first}});

/* Who is told knows of all iterations. */
OP(wait_and_release)
{
    while (!LOAD(x))
        if (plain == 3)
            return DONE;
    atomic_store_explicit(&told, 1, memory_order_release);
    return DONE;
}
OP(then_acquire)
{
    STORE(x, 1);
    if (atomic_load_explicit(&told, memory_order_acquire))
        plain = 3;
    return DONE;
}
LP_TEST(ordered, .ops = {{"wait", wait_and_release}, {"then", then_acquire}});

/* ---- loops of several reads that come round with an older value ---- */

struct pair {
    atomic_int first, second;
} one, other;

/* The pair `one` is looked at only so that the loop is known. */
static __attribute__((noinline)) int look(struct pair *pair, atomic_int *stored, int *read)
{
    for (;;) {
        if (LOAD(pair->first))
            return 1;
        if (stored)
            STORE(*stored, 1);
        if (LOAD(pair->second))
            return 2;
        if (read && *read)
            return 3;
    }
}

/* That `other.first` is set comes of the store in an iteration that comes round. */
OP(look_storing)
{
    look(&one, 0, 0);
    if (LOAD(z))
        assert(look(&other, &mark, 0) != 1);
    return DONE;
}
OP(set_behind_store)
{
    STORE(one.first, 1);
    STORE(other.second, 1);
    STORE(z, 1);
    if (LOAD(mark))
        STORE(other.first, 1);
    return DONE;
}
LP_TEST(storing, .ops = {{"look", look_storing}, {"set", set_behind_store}});

/* Only behind the old value is what races. */
OP(look_reading)
{
    look(&one, 0, 0);
    if (LOAD(z))
        look(&other, 0, &plain);
    return DONE;
}
OP(set_behind_write)
{
    STORE(one.first, 1);
    STORE(other.second, 1);
    plain = 0;
    STORE(z, 1);
    return DONE;
}
LP_TEST(reading_behind, .ops = {{"look", look_reading}, {"set", set_behind_write}});

/* The iteration that comes round has read what is written once the thread has gone on. */
static __attribute__((noinline)) int look_between(struct pair *pair, int *read)
{
    for (;;) {
        if (LOAD(pair->first))
            return 1;
        if (*read)
            return 3;
        if (LOAD(pair->second))
            return 2;
    }
}
static int harmless;
OP(look_reading_before)
{
    look_between(&one, &harmless);
    if (LOAD(z) && look_between(&other, &plain) == 1)
        STORE(told, 1);
    return DONE;
}
OP(set_and_write)
{
    STORE(one.first, 1);
    STORE(other.second, 1);
    STORE(z, 1);
    STORE(other.first, 1);
    if (LOAD(told))
        plain = 0;
    return DONE;
}
LP_TEST(reading_before, .ops = {{"look", look_reading_before}, {"set", set_and_write}});
