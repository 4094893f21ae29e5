/* Settles questions of a register with cas by going through all orders of a stretch of blocks that
 * nothing to come can change: those that certainly come in front of a block that parts them from
 * what is behind it.
 *
 * In an order each block begins as early as it can: when it was written, and those in front of it
 * are done with. Where a block that is due is not followed by then only a pending write can have
 * followed it: the order lacks one, by that time. Blocks that may come in front of the parting
 * block or behind it may be used, too. An order is taken if it is as good as every other one for
 * all that may come; if there is none such nothing is settled. docs/internals/streams.md has the
 * proof. */
#include "stream/online_cas.h"

#include <string.h>

#include "base/hash.h"

#define STRETCH_MOST 64   /* blocks: bits of a word */
#define STATES_MOST  8192 /* of a stretch */
#define TRIED_MOST   8    /* parting blocks, at a look */

struct member {
    uint64_t written, first, last, due;
    uint32_t block;
};

struct stretch {
    struct member members[STRETCH_MOST];
    uint32_t count;  /* the parting one is the first */
    uint64_t needed; /* those that come in front of that: bits */
};

/* ---- stretches ---- */

/* Blocks that are due and that a pending cas may have followed by then, which can follow nothing
 * else. */
static void find_served(struct cas_online *cas)
{
    for (size_t i = cas->put_away; i < cas->operations.length; i++) {
        const struct cas_operation *operation = &cas->operations.items[i];
        if (operation->access.kind != ACCESS_SWAP || operation->ended != CAS_NEVER ||
            operation->handle != CAS_NONE)
            continue;
        const uint32_t number = cas_stage_of(cas, operation->access.expected);
        if (number == CAS_NONE || !cas->stages.items[number].certain ||
            cas->stages.items[number].next != CAS_NONE)
            continue;
        struct cas_block *block = &cas->blocks.items[cas->stages.items[number].block];
        block->served |= operation->invoked < block->due && block->last < block->due;
    }
}

bool cas_asks_for_uncertain(const struct cas_online *cas)
{
    for (size_t i = 0; i < cas->open.length; i++) {
        const struct cas_operation *question = &cas->operations.items[cas->open.items[i]];
        if (!cas->stages.items[cas_stage_of(cas, question->access.expected)].certain)
            return true;
    }
    return false;
}

static bool is_settled(const struct cas_block *block)
{
    return block->closed && !block->pinned && !block->running && !block->missed;
}

/* Whether blocks certainly come in front of a block, whatever comes. */
static bool may_part(struct cas_online *cas, const struct cas_block *block)
{
    return is_settled(block) && !block->gone && block->due == CAS_NEVER &&
           block->first < block->last && block->first < running_since(&cas->reads) &&
           cas->stages.items[block->head].writer != CAS_NONE && !cas_may_precede(cas, block);
}

static bool add_member(const struct cas_online *cas, struct stretch *stretch, uint32_t number)
{
    const struct cas_block *block = &cas->blocks.items[number];
    const uint32_t writer = cas->stages.items[block->head].writer;
    if (stretch->count == STRETCH_MOST)
        return false;
    stretch->members[stretch->count++] =
        (struct member){.written = writer == CAS_NONE ? 0 : cas->operations.items[writer].invoked,
                        .first = block->first,
                        .last = block->last,
                        .due = block->served ? CAS_NEVER : block->due,
                        .block = number};
    return true;
}

/* The stretch in front of a block; false: there is none. */
static bool find_stretch(const struct cas_online *cas, uint32_t parting, struct stretch *stretch)
{
    const struct cas_block *parts = &cas->blocks.items[parting];
    stretch->count = 0;
    stretch->needed = 0;
    (void)add_member(cas, stretch, parting);
    for (uint32_t i = 0; i < cas->blocks.length; i++) {
        const struct cas_block *block = &cas->blocks.items[i];
        const bool before = block->first < parts->last;
        if (i == parting || block->gone || (!before && parts->first < block->last))
            continue;
        if (!is_settled(block) || (!before && block->due != CAS_NEVER) ||
            !add_member(cas, stretch, i))
            return false;
        if (before)
            stretch->needed |= UINT64_C(1) << (stretch->count - 1);
    }
    return stretch->needed != 0;
}

/* ---- orders ---- */

/* Whether what is lacked can be had whenever it can for the other one; `more`: so many besides,
 * whenever. */
static bool lacks_no_more(const struct cas_order *order, const struct cas_order *other,
                          uint32_t more)
{
    if (order->count + more > other->count)
        return false;
    for (uint32_t i = 0; i < order->count; i++)
        if (order->lacks[i] < other->lacks[i])
            return false;
    return true;
}

static bool lack(struct cas_order *order, uint64_t due)
{
    if (order->count == CAS_LACKS_MOST)
        return false;
    uint32_t at = order->count++;
    for (; at && order->lacks[at - 1] > due; at--)
        order->lacks[at] = order->lacks[at - 1];
    order->lacks[at] = due;
    return true;
}

enum added_to {
    ADDED,
    ADDED_NOT, /* it cannot be there */
    ADDED_GIVEN_UP,
};

/* Whether a block can come next; then *order becomes the longer one. */
static enum added_to add_next(const struct stretch *stretch, struct cas_order *order, uint32_t next)
{
    const struct member *member = &stretch->members[next];
    const struct member *last = order->placed ? &stretch->members[order->last] : NULL;
    const uint64_t done = !last ? 0 : last->last > order->now ? last->last : order->now;
    const uint64_t now = member->written > done ? member->written : done;
    const uint64_t left = (stretch->needed | 1) & ~order->placed;
    if (next == 0 && left != 1)
        return ADDED_NOT;
    for (uint32_t i = 0; i < stretch->count; i++)
        if ((i == next || left >> i & 1) && stretch->members[i].first < now)
            return ADDED_NOT;
    if (last && last->due < now) {
        if (last->due < done)
            return ADDED_NOT;
        if (!lack(order, last->due))
            return ADDED_GIVEN_UP;
    }
    order->placed |= UINT64_C(1) << next;
    order->last = next;
    order->now = now;
    return ADDED;
}

static uint64_t hash_order(const struct cas_order *order)
{
    return hash_word(order->placed ^ hash_word(order->last));
}

/* Adds an order, unless one is known that leads to the same and lacks no more. False: given up. */
static bool know_order(struct cas_online *cas, const struct cas_order *order)
{
    const uint64_t hash = hash_order(order);
    struct table_search search = table_search(&cas->by_order, hash);
    while (table_next(&search)) {
        struct cas_order *known = &cas->orders.items[search.number];
        if (known->placed != order->placed || known->last != order->last)
            continue;
        if (lacks_no_more(known, order, 0))
            return true;
        const bool better = lacks_no_more(order, known, 0);
        if (better)
            *known = *order;
        return better;
    }
    return cas->orders.length < STATES_MOST && vector_push(&cas->orders, *order) &&
           table_add(&cas->by_order, hash, (uint32_t)cas->orders.length - 1);
}

/* Goes through the orders, by their lengths. False: given up. */
static bool find_orders(struct cas_online *cas, const struct stretch *stretch)
{
    const struct cas_order none = {.placed = 0};
    cas->orders.length = 0;
    table_clear(&cas->by_order);
    if (!know_order(cas, &none))
        return false;
    for (size_t i = 0; i < cas->orders.length; i++) {
        const uint64_t placed = cas->orders.items[i].placed;
        for (uint32_t next = 0; next < stretch->count && !(placed & 1); next++) {
            struct cas_order order = cas->orders.items[i];
            if (placed >> next & 1)
                continue;
            const enum added_to added = add_next(stretch, &order, next);
            if (added == ADDED_GIVEN_UP || (added == ADDED && !know_order(cas, &order)))
                return false;
        }
    }
    return true;
}

/* Whether an order of the whole stretch is as good as another, for all that may come: what it uses
 * of what may come behind, and the other does not, is made up for by pending writes. */
static bool is_as_good(const struct stretch *stretch, const struct cas_order *order,
                       const struct cas_order *other)
{
    const uint64_t used = order->placed & ~other->placed & ~stretch->needed;
    return lacks_no_more(order, other, (uint32_t)__builtin_popcountll(used));
}

/* The order of the whole stretch that is as good as every other one; null: there is none. */
static const struct cas_order *find_best(const struct cas_online *cas,
                                         const struct stretch *stretch)
{
    const struct cas_order *best = NULL;
    for (size_t i = 0; i < cas->orders.length; i++) {
        const struct cas_order *order = &cas->orders.items[i];
        if ((order->placed & 1) && (!best || is_as_good(stretch, order, best)))
            best = order;
    }
    for (size_t i = 0; i < cas->orders.length && best; i++)
        if ((cas->orders.items[i].placed & 1) && !is_as_good(stretch, best, &cas->orders.items[i]))
            best = NULL;
    return best;
}

/* ---- settling ---- */

/* Of the blocks that certainly come behind one, and were written when that was due, the one that
 * was answered first, if it was by then; CAS_NONE. */
static uint32_t find_behind(const struct cas_online *cas, const struct cas_block *block,
                            uint64_t by)
{
    for (uint32_t i = 0; i < cas->blocks.length && cas->blocks.items[i].first <= by; i++) {
        const struct cas_block *other = &cas->blocks.items[i];
        const uint32_t writer = cas->stages.items[other->head].writer;
        if (block->first < other->last && writer != CAS_NONE &&
            cas->operations.items[writer].invoked > block->due)
            return i;
    }
    return CAS_NONE;
}

/* Whether another block cannot follow one in time, as what comes behind that says. */
static bool cannot_follow(const struct cas_online *cas, const struct cas_lacking *lacking,
                          uint32_t number)
{
    const struct cas_block *blocks = cas->blocks.items, *block = &blocks[lacking->block];
    const struct cas_block *other = &blocks[number], *behind = &blocks[lacking->behind];
    const uint32_t writer = cas->stages.items[other->head].writer;
    return number == lacking->block || writer == CAS_NONE ||
           cas->operations.items[writer].invoked > block->due || other->first < block->last ||
           behind->first < other->last;
}

/* Whether in what is kept only pending writes can have followed the blocks that lack one, whatever
 * comes. */
static bool is_told(const struct cas_online *cas, size_t from)
{
    for (size_t i = from; i < cas->lacking.length; i++) {
        const struct cas_lacking *lacking = &cas->lacking.items[i];
        for (uint32_t j = 0; j < cas->blocks.length; j++)
            if (!cas->blocks.items[j].gone && !cannot_follow(cas, lacking, j))
                return false;
        for (size_t j = 0; j < cas->lacking.length; j++)
            if (!cannot_follow(cas, lacking, cas->lacking.items[j].block) ||
                !cannot_follow(cas, lacking, cas->lacking.items[j].behind))
                return false;
    }
    return true;
}

/* Notes the blocks that lack a pending write in an order. False: that cannot be told by a few
 * operations. */
static bool find_lacking(struct cas_online *cas, const struct stretch *stretch,
                         const struct cas_order *order)
{
    const struct cas_block *parts = &cas->blocks.items[stretch->members[0].block];
    if (running_since(&cas->writes) < order->lacks[order->count - 1])
        return false;
    for (uint32_t i = 1; i < stretch->count; i++) {
        const uint32_t number = stretch->members[i].block;
        const struct cas_block *block = &cas->blocks.items[number];
        bool lacks = false;
        for (uint32_t j = 0; j < order->count; j++)
            lacks |= order->lacks[j] == block->due;
        if (!lacks)
            continue;
        const struct cas_lacking lacking = {.block = number,
                                            .behind = find_behind(cas, block, parts->first),
                                            .question = cas->stages.items[block->tail].question};
        if (lacking.behind == CAS_NONE || cas->stages.items[block->head].writer == CAS_NONE ||
            (cas->put_away && block->last < cas->parted) || !vector_push(&cas->lacking, lacking))
            return false;
    }
    return true;
}

static bool settle(struct cas_online *cas, uint32_t parting)
{
    const size_t lacking = cas->lacking.length;
    struct stretch stretch;
    if (!find_stretch(cas, parting, &stretch) || !find_orders(cas, &stretch))
        return false;
    const struct cas_order *best = find_best(cas, &stretch);
    if (!best)
        return false;
    const uint64_t used = best->placed & ~UINT64_C(1);
    for (uint32_t i = 1; i < stretch.count; i++)
        if ((used >> i & 1) && !(stretch.needed >> i & 1) &&
            cas->blocks.items[stretch.members[i].block].kept)
            return false;
    for (uint32_t i = 1; i < stretch.count; i++)
        cas->blocks.items[stretch.members[i].block].gone = used >> i & 1;
    if (best->count && (!find_lacking(cas, &stretch, best) || !is_told(cas, lacking))) {
        cas->lacking.length = lacking;
        for (uint32_t i = 1; i < stretch.count; i++)
            cas->blocks.items[stretch.members[i].block].gone = false;
        return false;
    }
    for (uint32_t i = 1; i < stretch.count; i++) {
        const uint32_t number = stretch.members[i].block;
        if (cas->blocks.items[number].gone && cas->blocks.items[number].due != CAS_NEVER)
            cas_settle_block(cas, number);
    }
    for (size_t i = lacking; i < cas->lacking.length; i++)
        cas->operations.items[cas->lacking.items[i].question].asks = CAS_ASKS_PENDING;
    return true;
}

bool cas_settle_stretch(struct cas_online *cas)
{
    uint32_t first = 0;
    const uint32_t count = (uint32_t)cas->blocks.length;
    while (first < count &&
           (cas->blocks.items[first].due == CAS_NEVER || cas->blocks.items[first].placed))
        first++;
    if (first == count || !is_settled(&cas->blocks.items[first]) || cas_asks_for_uncertain(cas))
        return false;
    find_served(cas);
    uint32_t tried = 0;
    for (uint32_t i = first + 1; i < count && tried < TRIED_MOST; i++) {
        const struct cas_block *block = &cas->blocks.items[i];
        if (!may_part(cas, block) || cas->blocks.items[first].first >= block->last)
            continue;
        tried++;
        if (settle(cas, i))
            return true;
    }
    return false;
}
