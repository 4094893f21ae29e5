/* Which cas that failed have to be asked, of those whose value was replaced by another block, and
 * which blocks are kept.
 *
 * A block is due: another had begun behind it by then. If nobody can join it any more, that need
 * not be asked where, in every order of any history to come, it is followed by what was answered by
 * then, or can be moved in front of something that was; or another block, that nobody can join
 * either, can be moved right behind it. Only blocks are moved, or dropped, that certainly come in
 * front of all blocks that are due and of which that cannot be said. docs/internals/streams.md has
 * the proofs. */
#include "stream/online_cas.h"

/* Whether a question of `open` may be asked otherwise if blocks that were invoked before `horizon`
 * begin, because of one that is due: it was invoked later, and its value may be there by then. */
static bool is_asked(const struct cas_online *cas, const struct cas_operation *question,
                     uint64_t due, uint64_t horizon)
{
    const struct cas_stage *stage =
        &cas->stages.items[cas_stage_of(cas, question->access.expected)];
    return question->invoked > due && cas->operations.items[stage->writer].invoked < horizon;
}

/* What follows a block that is due at that time may have to be followed in its turn. */
static void ask_because(struct cas_online *cas, uint64_t due)
{
    uint64_t horizon = due; /* what follows it, and must be followed, began before */
    for (bool further = true; further;) {
        further = false;
        for (size_t i = 0; i < cas->open.length; i++) {
            struct cas_operation *question = &cas->operations.items[cas->open.items[i]];
            if (!is_asked(cas, question, due, horizon))
                continue;
            question->asks = CAS_ASKS_OPEN;
            if (question->ended > horizon) {
                horizon = question->ended;
                further = true;
            }
        }
    }
}

/* Whether something that comes behind a block was answered before that is due. */
static bool is_followed(const struct cas_online *cas, uint32_t number)
{
    const struct cas_block *block = &cas->blocks.items[number];
    const uint32_t last = cas_last_of(cas, cas_blocks_before(cas, block->due), number);
    return last != CAS_NONE && cas->blocks.items[last].last > block->first;
}

void cas_settle_block(struct cas_online *cas, uint32_t number)
{
    struct cas_block *block = &cas->blocks.items[number];
    struct cas_stage *tail = &cas->stages.items[block->tail];
    cas->operations.items[tail->question].asks = CAS_ASKS_NOTHING;
    tail->question = CAS_NONE;
    block->due = CAS_NEVER;
}

/* ---- blocks that can be moved ---- */

/* Blocks whose first value a cas found missing, or may have, that was invoked while nobody had
 * answered who knew it: it must not be there earlier. */
static void find_missed(struct cas_online *cas)
{
    for (size_t i = cas->put_away; i < cas->operations.length; i++) {
        const struct cas_operation *operation = &cas->operations.items[i];
        const bool may_fail =
            operation->access.kind == ACCESS_FAILED ||
            (operation->access.kind == ACCESS_SWAP && operation->handle != CAS_NONE);
        const uint32_t number = may_fail ? cas_stage_of(cas, operation->access.expected) : CAS_NONE;
        if (number == CAS_NONE || !cas->stages.items[number].certain)
            continue;
        struct cas_block *block = &cas->blocks.items[cas->stages.items[number].block];
        block->missed |=
            block->head == number && cas->stages.items[number].begun > operation->invoked;
    }
}

/* Whether no other block has its first answer from then on and has to come in front of this one. */
static bool is_unhindered(const struct cas_online *cas, uint32_t number, uint64_t due)
{
    size_t next = cas_blocks_before(cas, due);
    next += next == number;
    return next >= cas->blocks.length ||
           cas->blocks.items[next].first >= cas->blocks.items[number].last;
}

/* A block that can be moved right behind one that is due, of those in front of `open`; CAS_NONE. */
static uint32_t find_follower(const struct cas_online *cas, const struct cas_block *block,
                              uint64_t open)
{
    const uint64_t since = block->first > block->last ? block->first : block->last;
    for (size_t i = cas_blocks_before(cas, since); i < cas->blocks.length; i++) {
        const struct cas_block *other = &cas->blocks.items[i];
        if (other->first >= open)
            break;
        const uint32_t writer = cas->stages.items[other->head].writer;
        if (other != block && !other->gone && !other->kept && !other->follows && !other->stays &&
            !other->missed && other->last < open && writer != CAS_NONE &&
            cas->operations.items[writer].invoked < block->due &&
            is_unhindered(cas, (uint32_t)i, block->due))
            return (uint32_t)i;
    }
    return CAS_NONE;
}

/* A block in front of which one that is due can be moved; CAS_NONE. */
static uint32_t find_front(const struct cas_online *cas, const struct cas_block *block)
{
    const size_t end = cas_blocks_before(cas, block->due);
    for (size_t i = cas_blocks_before(cas, block->last); i < end; i++) {
        const struct cas_block *other = &cas->blocks.items[i];
        if (other != block && !other->gone && !other->follows && other->last >= block->last)
            return (uint32_t)i;
    }
    return CAS_NONE;
}

/* Whether a block is followed in time, if blocks are moved. */
static bool find_place(struct cas_online *cas, struct cas_block *block, uint64_t open)
{
    struct cas_block *blocks = cas->blocks.items;
    if (!block->closed || block->pinned || block->running)
        return false;
    const bool may_move = block->first < open && block->last < open && !block->follows;
    const uint32_t front = may_move ? find_front(cas, block) : CAS_NONE;
    if (front != CAS_NONE)
        return block->stays = blocks[front].stays = true;
    const uint32_t follower = block->last < block->due ? find_follower(cas, block, open) : CAS_NONE;
    if (follower != CAS_NONE)
        blocks[follower].follows = true;
    return follower != CAS_NONE;
}

/* Finds places for blocks that are due, with others that lie in front of `open`. The earliest last
 * invocation of those that have none, or `open`. */
static uint64_t find_places(struct cas_online *cas, uint64_t open)
{
    uint64_t found = open;
    for (uint32_t i = 0; i < cas->blocks.length; i++)
        cas->blocks.items[i].follows = cas->blocks.items[i].stays = cas->blocks.items[i].placed =
            false;
    for (uint32_t i = 0; i < cas->blocks.length; i++) {
        struct cas_block *block = &cas->blocks.items[i];
        if (block->due == CAS_NEVER)
            continue;
        block->placed = find_place(cas, block, open);
        if (!block->placed && block->last < found)
            found = block->last;
    }
    return found;
}

/* ---- which are kept ---- */

static void choose_blocks(struct cas_online *cas)
{
    const size_t before = cas_blocks_before(cas, running_since(&cas->reads));
    const uint32_t most = cas_last_of(cas, before, CAS_NONE);
    const uint32_t second = before ? cas->blocks.items[before - 1].second : CAS_NONE;
    for (uint32_t i = 0; i < cas->blocks.length; i++) {
        struct cas_block *block = &cas->blocks.items[i];
        block->kept = !block->closed || block->running || block->pinned || block->crosses ||
                      i == most || i == second;
    }
}

static void find_all_places(struct cas_online *cas)
{
    uint64_t before;
    cas->open_since = CAS_NEVER;
    do {
        before = cas->open_since;
        cas->open_since = find_places(cas, before);
    } while (cas->open_since < before);
}

void cas_settle_questions(struct cas_online *cas)
{
    for (uint32_t i = 0; i < cas->blocks.length; i++)
        if (cas->blocks.items[i].due != CAS_NEVER && is_followed(cas, i))
            cas_settle_block(cas, i);
    choose_blocks(cas);
    find_missed(cas);
    cas->lacking.length = 0;
    do
        find_all_places(cas);
    while (cas->open_since != CAS_NEVER && cas_settle_stretch(cas));
    for (uint32_t i = 0; i < cas->blocks.length; i++) {
        struct cas_block *block = &cas->blocks.items[i];
        block->kept |=
            !block->gone && (block->first >= cas->open_since || block->last >= cas->open_since);
        if (block->placed)
            cas_settle_block(cas, i);
        if (block->due == CAS_NEVER)
            continue;
        cas->asks = true;
        ask_because(cas, block->due);
    }
}
