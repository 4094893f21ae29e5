// A few identifiers, handed out to whoever asks: which of those that are free is not said, so that
// none of the specifications that come with the program fits. This one is written in C, below. And
// one that looks for a free identifier and takes it in two steps.
//
// expect: ids holds
// expect: ids_in_two_steps not linearizable
#include <linchpin/test.h>
#include <stdatomic.h>

enum {
    IDS = 3,
    ALL = (1 << IDS) - 1
};

static atomic_uint taken; /* a bit each */

static unsigned find_free(unsigned now)
{
    return (unsigned)__builtin_ctz(~now);
}

static lp_int do_take(void *object, lp_int unused)
{
    unsigned now = atomic_load_explicit(&taken, memory_order_relaxed);
    (void)object;
    (void)unused;
    while (now != ALL)
        if (atomic_compare_exchange_weak(&taken, &now, now | 1u << find_free(now)))
            return (lp_int)find_free(now);
    return LP_EMPTY;
}

static lp_int do_take_in_two_steps(void *object, lp_int unused)
{
    unsigned now = atomic_load(&taken);
    (void)object;
    (void)unused;
    if (now == ALL)
        return LP_EMPTY;
    atomic_fetch_or(&taken, 1u << find_free(now));
    return (lp_int)find_free(now);
}

static lp_int do_give(void *object, lp_int id)
{
    (void)object;
    return atomic_fetch_and(&taken, ~(1u << id)) >> id & 1 ? LP_YES : LP_NO;
}

// ---- the specification ----

struct ids {
    unsigned taken;
};

// Each identifier is a choice. With none free there is one way to answer: empty.
static int take(struct ids *ids, unsigned choice, lp_int *result)
{
    if (ids->taken == ALL)
        *result = LP_EMPTY;
    else
        *result = (lp_int)choice;
    if (ids->taken == ALL)
        return choice == 0;
    if (ids->taken >> choice & 1)
        return 0;
    ids->taken |= 1u << choice;
    return 1;
}

static int step(void *state, const lp_sequential_call *call, lp_int *result)
{
    struct ids *ids = state;
    if (call->operation == 0)
        return take(ids, call->choice, result);
    *result = ids->taken >> call->argument & 1 ? LP_YES : LP_NO;
    ids->taken &= ~(1u << call->argument);
    return 1;
}

static const lp_sequential any_id = {.size = sizeof(struct ids), .step = step, .choices = IDS};

LP_TEST(ids, .ops = {{"take", do_take}, {"give", do_give, 1, 1}}, .sequential = &any_id);
LP_TEST(ids_in_two_steps, .ops = {{"take", do_take_in_two_steps}, {"give", do_give, 1, 1}},
        .sequential = &any_id);
