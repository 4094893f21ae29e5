// Two accounts, from the first of which money is moved to the second one, taken from there, and
// counted in both. No specification that comes with the program is that of accounts, and none is
// written: `auto`, what the code answers with one operation after the other, is all that it should
// answer. Right ones, ones that are counted without the lock, and ones whose owner is not woken
// when there is money.
//
// expect: accounts holds
// expect: accounts_counted_unlocked not linearizable
// expect: accounts_silent waits for ever
#include <linchpin/test.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static atomic_int first = 2, second;

static lp_int move(int wakes)
{
    lp_int moved = LP_NO;
    pthread_mutex_lock(&lock);
    if (first > 0) {
        first--;
        second++;
        moved = LP_YES;
    }
    pthread_mutex_unlock(&lock);
    if (wakes)
        pthread_cond_signal(&arrived);
    return moved;
}

static lp_int do_move(void *object, lp_int unused)
{
    (void)object;
    (void)unused;
    return move(1);
}

static lp_int do_move_silently(void *object, lp_int unused)
{
    (void)object;
    (void)unused;
    return move(0);
}

// Waits until there is something in the second account; what is left there.
static lp_int do_take(void *object, lp_int unused)
{
    (void)object;
    (void)unused;
    pthread_mutex_lock(&lock);
    while (second == 0)
        pthread_cond_wait(&arrived, &lock);
    lp_int left = --second;
    pthread_mutex_unlock(&lock);
    return left;
}

static lp_int do_count(void *object, lp_int unused)
{
    (void)object;
    (void)unused;
    pthread_mutex_lock(&lock);
    lp_int both = first + second;
    pthread_mutex_unlock(&lock);
    return both;
}

static lp_int do_count_unlocked(void *object, lp_int unused)
{
    (void)object;
    (void)unused;
    lp_int both = first;
    return both + second;
}

LP_TEST(accounts, .spec = "auto",
        .ops = {{"move", do_move}, {"take", do_take}, {"count", do_count}});
LP_TEST(accounts_counted_unlocked, .spec = "auto",
        .ops = {{"move", do_move}, {"take", do_take}, {"count", do_count_unlocked}});
LP_TEST(accounts_silent, .spec = "auto",
        .ops = {{"move", do_move_silently}, {"take", do_take}, {"count", do_count}});
