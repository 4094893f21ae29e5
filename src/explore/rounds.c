/* A round is cut into batches, of which each thread takes the next when it is through with one. The
 * threads share what they look at and what they store behind locks (space/graph.h), and keep to
 * themselves which nodes they find: these are added when the round is over, as if one thread had
 * taken up its nodes one after the other.
 *
 *     nodes     | batch 0 | batch 1 | batch 2 | ...      taken up by any thread
 *     found     | ....... | ..      | .....   | ...      added in this order
 *
 * Where a node ends the search (a violation, a fault of the model) what the round found is dropped,
 * and it is taken again by one thread: what is told does not depend on the threads, either. */
#include "explore/rounds.h"

#include <assert.h>

#include "base/faults.h"
#include "base/team.h"

#define ROUND_LEAST      SIZE_OR_SMALL(256, 2) /* of fewer nodes it takes longer to wake a thread */
#define ROUND_ALONE      SIZE_OR_SMALL(256, 8) /* of one thread: what they find stays near */
#define BATCH_MOST       SIZE_OR_SMALL(32, 2)
#define BATCHES_A_THREAD 16

uint32_t rounds_most(const struct explorer *explorer, uint32_t due)
{
    const uint32_t from = explorer->threads_from;
    if (!explorer->together || due < 2)
        return 1;
    if (explorer->threads <= 1 && explorer->alone_in_rounds)
        return due < ROUND_ALONE ? due : ROUND_ALONE;
    if (explorer->threads <= 1 || explorer->taken < from ||
        due < (from < ROUND_LEAST ? from : ROUND_LEAST))
        return 1;
    return due < ROUND_MOST ? due : ROUND_MOST;
}

/* Few enough for all threads to be through at about the same time. */
static uint32_t batch_of(const struct explorer *explorer, uint32_t count)
{
    const uint32_t least = (count + ROUND_BATCHES - 1) / ROUND_BATCHES;
    if (explorer->threads <= 1)
        return count < ROUND_ALONE ? count : least > ROUND_ALONE ? least : ROUND_ALONE;
    const uint32_t fair = count / (explorer->threads * BATCHES_A_THREAD);
    const uint32_t batch = fair < BATCH_MOST ? fair : BATCH_MOST;
    return batch > least ? batch : least;
}

struct round {
    struct explorer *explorer;
    void *self;
    uint32_t batch;     /* nodes of each, but for the last */
    atomic_bool over;   /* by one that must be visited alone, or a status */
    atomic_uint status; /* the first that was not STATUS_OK */
};

static void take_batch(void *context, size_t batch, unsigned thread)
{
    struct round *round = context;
    const struct explorer *explorer = round->explorer;
    const uint32_t first = (uint32_t)batch * round->batch;
    const uint32_t left = (uint32_t)explorer->round.length - first;
    unsigned none = STATUS_OK;
    bool alone = false;
    if (atomic_load_explicit(&round->over, memory_order_relaxed))
        return;
    enum status status =
        explorer->limits && limits_reached(explorer->limits) != LIMIT_NONE
            ? STATUS_LIMIT
            : explorer->together->take(round->self, thread, (uint32_t)batch,
                                       explorer->round.items + first,
                                       left < round->batch ? left : round->batch, &alone);
    if (status != STATUS_OK)
        atomic_compare_exchange_strong(&round->status, &none, (unsigned)status);
    if (status != STATUS_OK || alone)
        atomic_store_explicit(&round->over, true, memory_order_relaxed);
}

enum status rounds_take(struct explorer *explorer, void *self, bool *taken)
{
    const uint32_t count = (uint32_t)explorer->round.length;
    struct round round = {.explorer = explorer, .self = self};
    *taken = false;
    if (rounds_most(explorer, count) == 1)
        return STATUS_OK;
    if (!explorer->has_begun) {
        const unsigned threads = explorer->threads > 1 ? explorer->threads : 1;
        explorer->has_begun = true;
        explorer->team = threads > 1 ? team_create(threads) : NULL;
        TRY(explorer->together->begin(self, explorer->team, threads));
    }
    round.batch = batch_of(explorer, count);
    const uint32_t batches = (count + round.batch - 1) / round.batch;
    assert(batches <= ROUND_BATCHES);
    team_for(explorer->team, batches, take_batch, &round);
    TRY((enum status)atomic_load(&round.status));
    *taken = !atomic_load(&round.over);
    TRY(explorer->together->end(self, batches, !*taken));
    if (!*taken)
        return STATUS_OK;
    explorer->taken += count;
    if (explorer->work)
        atomic_store(explorer->work, explorer->taken);
    return STATUS_OK;
}
