/* Which questions need not be asked any more because an order was found in which they have their
 * answers, and a stretch of it may stay as it is whatever comes.
 *
 * Let M be the blocks in a stretch of that order, P those in front of it, and G those behind it,
 * those to come among them; nothing in M is uncertain, that is, may still not have happened, or be
 * read later; and what is in M and P is closed. Take any order of the history as it goes on. Put
 * what is of P first, then M as it was found, then what is of G, each in the order that it has:
 *
 * - Nothing of G was over before something of M or P began, nor of M before P: so it was in what
 * was found, and what has not answered yet is over later.
 * - A question of M has its answer within M.
 * - A block of G that is due, or may be, comes behind P and M in any order: these were answered
 *   before its last invocation. So is what follows it.
 * - A block of P that is due comes in front of M in any order. Some block of M was invoked when
 * that was due, or later, and so was what may come before this one in any order: so what follows
 * the block that is due is uncertain, or of P, and stays in front of M.
 * - An uncertain write that runs and answers later may be put in front of the last block of M, if
 * it was invoked before that was answered; else it must have been invoked behind all of M.
 *
 * So there is an order in which M is as it was found. */
#include "stream/online_cas.h"

/* What is known of the blocks in front of a place. */
struct prefix {
    uint64_t first;     /* the latest first answer */
    uint64_t due;       /* the latest time at which one is due that is not settled */
    uint64_t due_first; /* the latest first answer of these */
    uint64_t pinned;    /* a cas that was invoked then, or earlier, may come behind one of them */
    bool closed;        /* all are */
};

/* And of those of a stretch. */
struct stretch {
    uint32_t begin;  /* place; CAS_NONE: in none */
    uint64_t last;   /* the earliest last invocation */
    uint64_t latest; /* the first answer of the last block */
    uint32_t asks;   /* blocks that are due, whose questions come later */
};

struct settling {
    struct cas_online *cas;
    struct prefix prefix;
    struct stretch stretch;
    uint32_t
        running; /* blocks of which there are operations in front of the place, and behind it */
};

/* The block of the operation at a place of the order; CAS_NONE: it is a question, or uncertain. */
static uint32_t block_at(const struct cas_online *cas, uint32_t place, bool *uncertain)
{
    const uint32_t number = cas->intervals.items[cas->decision.linearization.items[place]].index;
    *uncertain = number >= cas->operations.length;
    if (*uncertain)
        return CAS_NONE;
    const struct access *access = &cas->operations.items[number].access;
    if (access->kind == ACCESS_FAILED)
        return CAS_NONE;
    const value v = access->kind == ACCESS_READ ? access->expected : access->written;
    const struct cas_stage *stage = &cas->stages.items[cas_stage_of(cas, v)];
    *uncertain = !stage->certain;
    return stage->certain ? stage->block : CAS_NONE;
}

static void find_places(struct cas_online *cas)
{
    for (size_t i = 0; i < cas->blocks.length; i++)
        cas->blocks.items[i].begin = cas->blocks.items[i].end = CAS_NONE;
    for (uint32_t at = 0; at < cas->decision.linearization.length; at++) {
        bool uncertain;
        const uint32_t number = block_at(cas, at, &uncertain);
        const uint32_t operation =
            cas->intervals.items[cas->decision.linearization.items[at]].index;
        if (operation < cas->operations.length)
            cas->operations.items[operation].link = at;
        if (number == CAS_NONE)
            continue;
        struct cas_block *block = &cas->blocks.items[number];
        if (block->begin == CAS_NONE)
            block->begin = at;
        block->end = at;
    }
}

/* Of each place the earliest last invocation of what comes behind it and is open. False when
 * refused. */
static bool find_behind(struct cas_online *cas)
{
    const size_t length = cas->decision.linearization.length;
    if (!vector_reserve(&cas->behind, length + 1))
        return false;
    cas->behind.items[length] = CAS_NEVER;
    for (uint32_t at = (uint32_t)length; at-- > 0;) {
        bool uncertain;
        const uint32_t number = block_at(cas, at, &uncertain);
        const struct cas_block *block = number == CAS_NONE ? NULL : &cas->blocks.items[number];
        const bool counts = block && (!block->closed || block->due != CAS_NEVER);
        cas->behind.items[at] = cas->behind.items[at + 1];
        if (counts && block->last < cas->behind.items[at])
            cas->behind.items[at] = block->last;
    }
    return true;
}

static void begin_stretch(struct settling *settling, uint32_t place)
{
    settling->stretch = (struct stretch){.begin = place, .last = CAS_NEVER};
}

/* A block has ended, in front of the place. */
static void add_block(struct settling *settling, const struct cas_block *block)
{
    struct stretch *stretch = &settling->stretch;
    if (block->first > settling->prefix.first)
        settling->prefix.first = block->first;
    settling->prefix.closed &= block->closed;
    if (block->pinned > settling->prefix.pinned)
        settling->prefix.pinned = block->pinned;
    if (block->last < stretch->last)
        stretch->last = block->last;
    stretch->latest = block->first;
}

/* A block is due that lies in no stretch. */
static void leave_due(struct settling *settling, const struct cas_block *block)
{
    if (block->horizon > settling->prefix.due)
        settling->prefix.due = block->horizon;
    if (block->first > settling->prefix.due_first)
        settling->prefix.due_first = block->first;
}

static bool allows_running(const struct settling *settling)
{
    const struct running *writes = &settling->cas->writes;
    for (uint32_t i = writes->first; i != CAS_NONE; i = writes->items.items[i].after) {
        const uint64_t invoked = writes->items.items[i].invoked;
        if (invoked < settling->prefix.first && invoked > settling->stretch.latest)
            return false;
    }
    return true;
}

/* Whether a block lies in front of the stretch. */
static bool is_in_front(const struct settling *settling, const struct cas_block *block)
{
    const uint32_t begin = settling->stretch.begin;
    return block->end == CAS_NONE ? begin > 0 : block->begin < begin;
}

/* Whether nothing of the stretch, which ends in front of a place, or behind it may follow what is
 * due in front of it. */
static bool parts_due(const struct settling *settling, uint32_t place)
{
    const struct cas_online *cas = settling->cas;
    const uint64_t due = settling->prefix.due;
    uint64_t first = CAS_NEVER;
    for (size_t i = 0; i < cas->blocks.length && due; i++) {
        const struct cas_block *block = &cas->blocks.items[i];
        const bool is_within =
            !is_in_front(settling, block) && (block->end == CAS_NONE || block->end < place);
        if (is_within && block->begins > due && block->first < first)
            first = block->first;
    }
    for (size_t i = 0; i < cas->blocks.length && due; i++) {
        const struct cas_block *block = &cas->blocks.items[i];
        if (!is_in_front(settling, block) && block->begins < due && block->last < first)
            return false;
    }
    return !due || first != CAS_NEVER;
}

/* Whether nothing behind a place was answered before a cas that may come in front of it. */
static bool parts_pinned(const struct settling *settling, uint32_t place)
{
    const struct cas_online *cas = settling->cas;
    const uint64_t pinned = settling->prefix.pinned;
    for (size_t i = 0; i < cas->blocks.length && pinned; i++) {
        const struct cas_block *block = &cas->blocks.items[i];
        if (block->end != CAS_NONE && block->begin >= place && block->first < pinned)
            return false;
    }
    return true;
}

/* Whether the stretch may end in front of a place. */
static bool may_end(const struct settling *settling, uint32_t place)
{
    const struct prefix *prefix = &settling->prefix;
    const struct stretch *stretch = &settling->stretch;
    return !settling->running && !stretch->asks && stretch->last != CAS_NEVER && prefix->closed &&
           prefix->first < settling->cas->behind.items[place] &&
           prefix->due_first < stretch->last && allows_running(settling) &&
           parts_pinned(settling, place) && parts_due(settling, place);
}

/* Whether a question is that of a block that lies in the stretch. */
static bool is_of_stretch(const struct settling *settling, uint32_t question,
                          const struct cas_stage *stage)
{
    const struct cas_block *blocks = settling->cas->blocks.items;
    const uint32_t begin = settling->stretch.begin;
    if (!stage->certain || stage->question != question || begin == CAS_NONE)
        return false;
    return blocks[stage->block].end == CAS_NONE ? begin == 0 : blocks[stage->block].begin >= begin;
}

/* Settles what lies in the stretch. */
static void settle_stretch(struct settling *settling, uint32_t end)
{
    struct cas_online *cas = settling->cas;
    for (uint32_t at = settling->stretch.begin; at < end; at++) {
        const uint32_t number = cas->intervals.items[cas->decision.linearization.items[at]].index;
        struct cas_operation *question = &cas->operations.items[number];
        if (question->asks != CAS_ASKS_OPEN)
            continue;
        const struct cas_stage *stage =
            &cas->stages.items[cas_stage_of(cas, question->access.expected)];
        if (is_of_stretch(settling, number, stage))
            cas_settle_block(cas, stage->block);
        else if (stage->question != number)
            question->asks = CAS_ASKS_NOTHING;
    }
}

/* How many questions of a block's values that are not what makes it due come later than a place. */
static uint32_t count_later(const struct cas_online *cas, uint32_t block, uint32_t place)
{
    uint32_t count = 0;
    for (size_t i = 0; i < cas->open.length; i++) {
        const struct cas_operation *question = &cas->operations.items[cas->open.items[i]];
        const struct cas_stage *stage =
            &cas->stages.items[cas_stage_of(cas, question->access.expected)];
        count += question->asks == CAS_ASKS_OPEN && stage->certain && stage->block == block &&
                 question->link > place;
    }
    return count;
}

/* Whether such a question at a place comes later than its block, which lies in the stretch. */
static bool is_later(const struct settling *settling, const struct cas_stage *stage, uint32_t place)
{
    if (!stage->certain || settling->stretch.begin == CAS_NONE)
        return false;
    const struct cas_block *block = &settling->cas->blocks.items[stage->block];
    return block->end != CAS_NONE && block->begin >= settling->stretch.begin && block->end < place;
}

/* The operation at a place takes place: it begins or ends a block, or is a question. */
static void pass(struct settling *settling, uint32_t place)
{
    struct cas_online *cas = settling->cas;
    struct stretch *stretch = &settling->stretch;
    const uint32_t operation = cas->intervals.items[cas->decision.linearization.items[place]].index;
    bool uncertain;
    const uint32_t number = block_at(cas, place, &uncertain);
    if (uncertain) {
        stretch->begin = CAS_NONE;
        return;
    }
    struct cas_block *block = number == CAS_NONE ? NULL : &cas->blocks.items[number];
    if (block && block->begin == place)
        settling->running++;
    if (block && block->end == place) {
        settling->running--;
        /* It was answered before a cas that may come in front of it. */
        const bool crossed = block->first < settling->prefix.pinned;
        add_block(settling, block);
        stretch->asks += (block->due != CAS_NEVER) + count_later(cas, number, place);
        if (crossed || (block->due != CAS_NEVER && block->doubtful))
            stretch->begin = CAS_NONE;
    }
    if (block || cas->operations.items[operation].asks != CAS_ASKS_OPEN)
        return; /* one in doubt is of no stretch */
    const struct cas_stage *stage =
        &cas->stages.items[cas_stage_of(cas, cas->operations.items[operation].access.expected)];
    if (is_of_stretch(settling, operation, stage) || is_later(settling, stage, place))
        stretch->asks--;
}

static void leave_dues(struct settling *settling, uint32_t end)
{
    const struct cas_online *cas = settling->cas;
    for (size_t i = 0; i < cas->due.length; i++) {
        const struct cas_block *block = &cas->blocks.items[cas->due.items[i]];
        if (block->due != CAS_NEVER && (block->end == CAS_NONE || block->end < end))
            leave_due(settling, block);
    }
}

bool cas_settle(struct cas_online *cas)
{
    struct settling settling = {.cas = cas, .prefix.closed = true};
    const uint32_t length = (uint32_t)cas->decision.linearization.length;
    size_t left = 0;
    find_places(cas);
    if (!find_behind(cas))
        return false;
    begin_stretch(&settling, 0);
    for (size_t i = 0; i < cas->blocks.length; i++)
        if (cas->blocks.items[i].end ==
            CAS_NONE) { /* of the initial value, and nobody has read it */
            add_block(&settling, &cas->blocks.items[i]);
            settling.stretch.asks += cas->blocks.items[i].due != CAS_NEVER;
        }
    for (uint32_t place = 0; place < length; place++) {
        pass(&settling, place);
        if (settling.stretch.begin == CAS_NONE) {
            if (settling.running)
                continue;
            leave_dues(&settling, place + 1);
            begin_stretch(&settling, place + 1);
        } else if (may_end(&settling, place + 1)) {
            settle_stretch(&settling, place + 1);
        }
    }
    for (size_t i = 0; i < cas->due.length; i++)
        if (cas->blocks.items[cas->due.items[i]].due != CAS_NEVER)
            cas->due.items[left++] = cas->due.items[i];
    cas->due.length = left;
    return true;
}
