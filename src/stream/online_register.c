/* A register, or one key of a map, event by event, as long as it is only read and written.
 *
 * The operations on one value, its write and the reads that answered it, are a block. Of a block it
 * is enough to know when the first of its operations answered and when the last of them was
 * invoked: the history is linearizable unless of two blocks each has an operation that precedes one
 * of the other (Gibbons and Korach, as in monitor/register.c):
 *
 *     a.first < b.last and b.first < a.last
 *
 * Only a block whose last invocation grows can come to that. Blocks stand in the order of their
 * first answers, which is the order in which they get one; a tree over them has the last
 * invocations, so that a block is compared with all others in logarithmic time.
 *
 * Let `since` be when the oldest read was invoked that runs. What joins a block from now on was
 * invoked then or later. A block is closed when another began before that, and had an operation
 * invoked behind the first answer of this: nobody can read its value any more, and the value may be
 * written again. Of the blocks that began before `since` those two whose last invocations are the
 * greatest say all that closed ones can say of others.
 *
 * What goes on from the operations that are kept, the search or a story, begins with a value that
 * nobody can read any more: that which was there at first, or, once its block is dropped, one whose
 * block was. That is not written again. Else what closed its block might be dropped behind that,
 * and it could be read where only a write that takes effect later has it. */
#include "stream/online.h"

#include <assert.h>
#include <string.h>

#include "base/bisect.h"
#include "base/hash.h"
#include "base/table.h"
#include "monitor/register_accesses.h"
#include "stream/unseen.h"

#define NONE  RUNNING_NONE
#define NEVER UINT64_MAX

#define RENEWED_MOST                                                                               \
    64 /* blocks, reads that run, for which there may be room in one that rests                    \
        */

struct block {
    value value;
    uint64_t first;       /* answer; NEVER: none yet */
    uint64_t last;        /* invocation */
    uint64_t serials[3];  /* of the write, of the operations of `first` and `last` */
    uint32_t place;       /* among those that have an answer; of free ones the next */
    bool initial, closed; /* nobody wrote it; nobody can read it any more */
    bool writing;         /* its write runs */
};

struct registers {
    struct online online;
    struct accesses accesses;
    struct part part;
    value began;  /* what was there at first */
    value past;   /* that; once its block is dropped, another that nobody has written who is kept */
    bool is_past; /* it is dropped */
    VECTOR(struct block) blocks;
    uint32_t free;
    struct table by_value; /* those that are not closed */
    struct unseen unseen;  /* values of writes that never answer */
    VECTOR(uint32_t) order;
    VECTOR(uint64_t) tree; /* of the last invocations: the leaves are its upper half */
    size_t next;           /* so many answered blocks at which to look which are closed */
    struct running reads;
};

static struct registers *registers_of(const struct online *online)
{
    return (struct registers *)online;
}

static bool is_read(const struct registers *registers, uint16_t operation)
{
    return operation < ACCESSES_MOST && registers->accesses.kinds[operation] == ACCESS_READ;
}

static uint32_t find(const struct registers *registers, value wanted)
{
    struct table_search search = table_search(&registers->by_value, hash_word(wanted));
    while (table_next(&search))
        if (registers->blocks.items[search.number].value == wanted)
            return search.number;
    return NONE;
}

/* ---- the tree ---- */

static void set_last(struct registers *registers, uint32_t place, uint64_t last)
{
    uint64_t *tree = registers->tree.items;
    size_t at = registers->tree.length / 2 + place;
    for (tree[at] = last; at > 1; at /= 2)
        tree[at / 2] = tree[at] > tree[at ^ 1] ? tree[at] : tree[at ^ 1];
}

/* The greatest last invocation of those from `from` up to, not with, `to`; 0. */
static uint64_t greatest(const struct registers *registers, size_t from, size_t to)
{
    const uint64_t *tree = registers->tree.items;
    size_t half = registers->tree.length / 2;
    uint64_t most = 0;
    for (from += half, to += half; from < to; from /= 2, to /= 2) {
        if (from & 1 && tree[from++] > most)
            most = tree[from - 1];
        if (to & 1 && tree[--to] > most)
            most = tree[to];
    }
    return most;
}

static bool plant(struct registers *registers, size_t leaves)
{
    size_t half = registers->tree.length / 2;
    if (half < leaves) {
        for (half = half ? half : 4; half < leaves;)
            half *= 2;
        if (!vector_reserve(&registers->tree, 2 * half))
            return false;
        registers->tree.length = 2 * half;
    }
    memset(registers->tree.items, 0, registers->tree.length * sizeof *registers->tree.items);
    for (uint32_t i = 0; i < registers->order.length; i++)
        set_last(registers, i, registers->blocks.items[registers->order.items[i]].last);
    return true;
}

/* ---- blocks ---- */

static uint32_t add_block(struct registers *registers, struct block block)
{
    uint32_t number = registers->free;
    if (number == NONE) {
        number = (uint32_t)registers->blocks.length;
        if (!vector_reserve(&registers->blocks, registers->blocks.length + 1))
            return NONE;
        registers->blocks.length++;
    } else {
        registers->free = registers->blocks.items[number].place;
    }
    registers->blocks.items[number] = block;
    return table_add(&registers->by_value, hash_word(block.value), number) ? number : NONE;
}

static void free_block(struct registers *registers, uint32_t number)
{
    registers->blocks.items[number] = (struct block){.place = registers->free, .closed = true};
    registers->blocks.items[number].serials[0] = NEVER;
    registers->free = number;
}

static void close_block(struct registers *registers, uint32_t number)
{
    struct block *block = &registers->blocks.items[number];
    if (!block->closed)
        table_remove(&registers->by_value, hash_word(block->value), number);
    block->closed = true;
}

/* Whether an operation that is kept may have written it. */
static bool is_kept(const struct registers *registers, value v)
{
    for (size_t i = 0; i < registers->order.length; i++)
        if (registers->blocks.items[registers->order.items[i]].value == v)
            return true;
    return find(registers, v) != NONE || unseen_has(&registers->unseen, v);
}

/* Forgets what is closed. */
static bool forget(struct registers *registers)
{
    struct block *blocks = registers->blocks.items;
    uint64_t since = running_since(&registers->reads);
    uint32_t most = NONE, second = NONE;
    value dropped = registers->began;
    size_t kept = 0;
    if (registers->online.drops == DROPS_NOTHING)
        return true;
    for (size_t i = 0; i < registers->order.length; i++) {
        uint32_t number = registers->order.items[i];
        if (blocks[number].first >= since)
            break;
        if (most == NONE || blocks[number].last > blocks[most].last) {
            second = most;
            most = number;
        } else if (second == NONE || blocks[number].last > blocks[second].last) {
            second = number;
        }
    }
    for (size_t i = 0; i < registers->order.length; i++) {
        uint32_t number = registers->order.items[i];
        struct block *block = &blocks[number];
        uint32_t other = number == most ? second : most;
        if (block->first < since && other != NONE && block->first < blocks[other].last)
            close_block(registers, number);
        if (block->closed && !block->writing && number != most && number != second) {
            registers->is_past |= block->initial;
            if (block->value != registers->began)
                dropped = block->value;
            free_block(registers, number);
            continue;
        }
        block->place = (uint32_t)kept;
        registers->order.items[kept++] = number;
    }
    registers->order.length = kept;
    if (registers->is_past && dropped != registers->began && !is_kept(registers, dropped))
        registers->past = dropped;
    registers->next = online_next(&registers->online, kept);
    return plant(registers, kept);
}

/* An operation that was invoked at `invoked` has answered the value of the block. */
static enum online_answer join(struct registers *registers, uint32_t number, uint64_t invoked,
                               const struct online_event *event)
{
    struct block *block = &registers->blocks.items[number];
    if (block->first ==
        NEVER) { /* all others had their answers before, and no invocation is later */
        block->first = event->now;
        block->serials[1] = event->serial;
        block->place = (uint32_t)registers->order.length;
        if (block->last < invoked) {
            block->last = invoked;
            block->serials[2] = event->serial;
        }
        if (!vector_push(&registers->order, number))
            return ONLINE_REFUSED;
        if (registers->order.length > registers->tree.length / 2 &&
            !plant(registers, registers->order.length))
            return ONLINE_REFUSED;
        set_last(registers, block->place, block->last);
        bool full = registers->order.length >= registers->next;
        return !full || forget(registers) ? ONLINE_POSSIBLE : ONLINE_REFUSED;
    }
    if (invoked <= block->last)
        return ONLINE_POSSIBLE;
    block->last = invoked;
    block->serials[2] = event->serial;
    set_last(registers, block->place, invoked);
    size_t low = 0, high = registers->order.length;
    BISECT(low, high, middle,
           registers->blocks.items[registers->order.items[middle]].first < invoked);
    size_t end = low > block->place ? block->place : low;
    bool crossed =
        greatest(registers, 0, end) > block->first ||
        (low > block->place + 1u && greatest(registers, block->place + 1u, low) > block->first);
    return crossed ? ONLINE_IMPOSSIBLE : ONLINE_POSSIBLE;
}

/* ---- events ---- */

/* The write of a block never answers, and nobody has read it. False when refused. */
static bool put_by(struct registers *registers, uint32_t number)
{
    const struct block block = registers->blocks.items[number];
    close_block(registers, number);
    free_block(registers, number);
    return unseen_add(&registers->unseen, block.value, block.last, block.serials[0]);
}

/* A read answers a value: *number is its block, NONE if there is none. False when refused. */
static bool find_answered(struct registers *registers, value answered, uint32_t *number)
{
    struct running_operation write;
    *number = find(registers, answered);
    if (*number != NONE || !unseen_take(&registers->unseen, answered, &write))
        return true;
    struct block block = {.value = answered,
                          .first = NEVER,
                          .last = write.invoked,
                          .serials = {write.serial, write.serial, write.serial}};
    *number = add_block(registers, block);
    return *number != NONE;
}

static bool may_write(const struct registers *registers, value v)
{
    return v != registers->past && find(registers, v) == NONE;
}

static enum online_answer begin_write(struct registers *registers, value written,
                                      const struct online_event *event)
{
    struct block block = {.value = written,
                          .first = NEVER,
                          .last = event->now,
                          .serials = {event->serial, event->serial, event->serial},
                          .writing = true};
    if (unseen_has(&registers->unseen, written))
        return ONLINE_LEAVES;
    if (!may_write(registers, written)) {
        if (!forget(registers))
            return ONLINE_REFUSED;
        if (!may_write(registers, written))
            return ONLINE_LEAVES;
    }
    *event->handle = add_block(registers, block);
    return *event->handle != NONE ? ONLINE_POSSIBLE : ONLINE_REFUSED;
}

static enum online_answer end_write(struct registers *registers, const struct online_event *event,
                                    bool writes)
{
    uint32_t number = *event->handle;
    struct block *block = &registers->blocks.items[number];
    if (event->stage == STAGE_COMPLETES && !writes)
        return ONLINE_LEAVES;
    block->writing = false;
    if (event->stage == STAGE_PENDING)
        return block->first != NEVER || put_by(registers, number) ? ONLINE_POSSIBLE
                                                                  : ONLINE_REFUSED;
    if (event->stage == STAGE_COMPLETES)
        return block->first == NEVER ? join(registers, number, block->last, event)
                                     : ONLINE_POSSIBLE;
    if (block->first != NEVER)
        return ONLINE_IMPOSSIBLE; /* somebody has read it */
    close_block(registers, number);
    free_block(registers, number);
    return ONLINE_POSSIBLE;
}

static enum online_answer end_read(struct registers *registers, const struct access *access,
                                   const struct online_event *event)
{
    const uint32_t handle = *event->handle;
    const uint64_t invoked = running_find(&registers->reads, handle, event->serial).invoked;
    bool reads = event->stage == STAGE_COMPLETES && access->kind != ACCESS_FREE;
    if (reads && access->kind != ACCESS_READ)
        return ONLINE_LEAVES;
    enum online_answer answer = ONLINE_POSSIBLE;
    if (reads) {
        uint32_t number;
        if (!find_answered(registers, access->expected, &number))
            return ONLINE_REFUSED;
        if (number == NONE)
            return ONLINE_IMPOSSIBLE; /* never written, or overwritten for certain */
        answer = join(registers, number, invoked, event);
    }
    (void)running_end(&registers->reads, handle, event->serial);
    return answer;
}

static bool registers_set_aside(struct online *online, const struct call *call, uint64_t serial,
                                uint32_t *handle)
{
    struct registers *registers = registers_of(online);
    return !is_read(registers, call->operation) ||
           running_set_aside(&registers->reads, *handle, serial, online->drops);
}

static enum online_answer registers_event(struct online *online, const struct online_event *event)
{
    struct registers *registers = registers_of(online);
    const bool reads = is_read(registers, event->call.operation);
    if (reads && event->stage == STAGE_RUNNING) {
        *event->handle = running_add(&registers->reads, event->now, event->serial);
        return *event->handle != NONE ? ONLINE_POSSIBLE : ONLINE_REFUSED;
    }
    struct access access =
        accesses_of_call(&registers->accesses, &event->call, event->stage != STAGE_COMPLETES);
    if (reads)
        return end_read(registers, &access, event);
    if (event->stage != STAGE_RUNNING)
        return end_write(registers, event, access.kind == ACCESS_WRITE);
    return access.kind == ACCESS_WRITE ? begin_write(registers, access.written, event)
                                       : ONLINE_LEAVES;
}

/* ---- what is kept ---- */

static void registers_destroy(struct online *online)
{
    struct registers *registers = registers_of(online);
    running_release(&registers->reads);
    table_release(&registers->by_value);
    unseen_release(&registers->unseen);
    vectors_release(&registers->blocks, &registers->order, &registers->tree);
    memory_release(online->budget, registers, sizeof *registers);
}

static bool is_used(const struct block *block)
{
    return block->serials[0] != NEVER || block->initial;
}

static size_t registers_retained(const struct online *online)
{
    const struct registers *registers = registers_of(online);
    size_t count = registers->reads.count + unseen_count(&registers->unseen);
    for (size_t i = 0; i < registers->blocks.length; i++)
        count += is_used(&registers->blocks.items[i]);
    return count;
}

/* Often one operation is several of the three. */
static bool each_of_block(const struct block *block, const struct online_visitor *visitor)
{
    for (size_t i = 0; i < ARRAY_LENGTH(block->serials); i++) {
        bool again = i > 0 && block->serials[i] == block->serials[i - 1];
        if (!again && block->serials[i] != NEVER &&
            !visitor->visit(visitor->context, block->serials[i]))
            return false;
    }
    return true;
}

static bool registers_each(const struct online *online, const struct online_visitor *visitor)
{
    const struct registers *registers = registers_of(online);
    for (size_t i = 0; i < registers->blocks.length; i++)
        if (is_used(&registers->blocks.items[i]) &&
            !each_of_block(&registers->blocks.items[i], visitor))
            return false;
    return running_each(&registers->reads, visitor) && unseen_each(&registers->unseen, visitor);
}

static void archive_block(struct archive *archive, struct block *block, size_t length)
{
    archive_value(archive, &block->value);
    ARCHIVE(archive, block->first);
    ARCHIVE(archive, block->last);
    for (size_t i = 0; i < ARRAY_LENGTH(block->serials); i++)
        ARCHIVE(archive, block->serials[i]);
    block->place = archive_place(archive, block->place, length);
    ARCHIVE(archive, block->initial);
    ARCHIVE(archive, block->closed);
    ARCHIVE(archive, block->writing);
}

static void registers_archive(struct online *online, struct archive *archive)
{
    struct registers *registers = registers_of(online);
    archive_value(archive, &registers->began);
    ARCHIVE(archive, registers->is_past);
    archive_value(archive, &registers->past);
    ARCHIVE_LENGTH(archive, &registers->blocks);
    const size_t length = registers->blocks.length;
    for (size_t i = 0; i < length; i++)
        archive_block(archive, &registers->blocks.items[i], length);
    registers->free = archive_place(archive, registers->free, length);
    ARCHIVE_LENGTH(archive, &registers->order);
    for (size_t i = 0; i < registers->order.length; i++)
        ARCHIVE_BELOW(archive, registers->order.items[i], length);
    ARCHIVE(archive, registers->next);
    running_archive(archive, &registers->reads, false);
    unseen_archive(archive, &registers->unseen);
    if (!archive_reads(archive))
        return;
    bool done = archive->status != STATUS_OK || plant(registers, registers->order.length);
    table_clear(&registers->by_value);
    for (uint32_t i = 0; i < length && done; i++)
        if (!registers->blocks.items[i].closed)
            done = table_add(&registers->by_value, hash_word(registers->blocks.items[i].value), i);
    if (!done)
        archive_fail(archive, STATUS_LIMIT);
}

/* ---- idle ---- */

/* Where nothing runs whoever comes overlaps nobody, and may read what is not closed: the value, if
 * there is one. */
static bool has_one_value(struct registers *registers, uint64_t *state)
{
    const struct block *blocks = registers->blocks.items;
    size_t open = 0;
    if (registers->reads.count || registers->online.drops == DROPS_NOTHING)
        return false;
    for (size_t i = 0; i < registers->blocks.length; i++)
        if (is_used(&blocks[i]) && (blocks[i].writing || blocks[i].first == NEVER))
            return false;
    if (!forget(registers))
        return false;
    for (size_t i = 0; i < registers->order.length; i++) {
        const struct block *block = &blocks[registers->order.items[i]];
        if (!block->closed)
            *state = block->value;
        open += !block->closed;
    }
    return open == 1;
}

static bool registers_rests(struct online *online, uint64_t *state)
{
    struct registers *registers = registers_of(online);
    return unseen_count(&registers->unseen) == 0 && has_one_value(registers, state);
}

static bool registers_begin(struct online *online, uint64_t state)
{
    struct registers *registers = registers_of(online);
    table_remove(&registers->by_value, hash_word(registers->blocks.items[0].value), 0);
    registers->blocks.items[0].value = registers->began = registers->past = state;
    return table_add(&registers->by_value, hash_word(state), 0);
}

static bool registers_goes_on(const struct online *online, uint64_t *state)
{
    const struct registers *registers = registers_of(online);
    if (registers->is_past)
        *state = registers->past;
    return registers->is_past;
}

/* As it is at first, with that value. False when refused. */
static bool begin_blocks(struct registers *registers, value first)
{
    struct block initial = {.value = first, .initial = true, .serials = {NEVER, NEVER, NEVER}};
    registers->began = registers->past = first;
    registers->is_past = false;
    registers->free = NONE;
    return add_block(registers, initial) == 0 && vector_push(&registers->order, 0) &&
           plant(registers, 1);
}

static void forget_blocks(struct registers *registers)
{
    for (uint32_t i = 0; i < registers->blocks.length; i++)
        close_block(registers, i);
    registers->blocks.length = registers->order.length = registers->next = 0;
    running_clear(&registers->reads);
}

static bool registers_renew(struct online *online, value key)
{
    struct registers *registers = registers_of(online);
    if (registers->blocks.capacity > RENEWED_MOST || registers->reads.items.capacity > RENEWED_MOST)
        return false;
    forget_blocks(registers);
    unseen_release(&registers->unseen);
    registers->part.key = key;
    return begin_blocks(registers, registers->accesses.initial);
}

static bool registers_settles(struct online *online, uint64_t *state)
{
    struct registers *registers = registers_of(online);
    if (!has_one_value(registers, state))
        return false;
    forget_blocks(registers);
    const bool done = begin_blocks(registers, *state); /* in the room of what was there */
    assert(done);
    return done;
}

static const struct online_class registers_online = {
    .event = registers_event,
    .destroy = registers_destroy,
    .retained = registers_retained,
    .each = registers_each,
    .rests = registers_rests,
    .begin = registers_begin,
    .goes_on = registers_goes_on,
    .renew = registers_renew,
    .settles = registers_settles,
    .set_aside = registers_set_aside,
    .archive = registers_archive,
};

bool online_register_yields(const struct online *online, uint16_t operation)
{
    return online->class == &registers_online && operation < ACCESSES_MOST &&
           registers_of((struct online *)online)->accesses.kinds[operation] == ACCESS_SWAP;
}

struct online *online_register_create(const struct spec *spec, value key, bool has_key,
                                      struct limits *limits)
{
    struct registers *registers = memory_zeroed(limits->budget, sizeof *registers);
    if (!registers)
        return NULL;
    registers->online =
        (struct online){.class = &registers_online, .spec = spec, .budget = limits->budget};
    vectors_init(limits->budget, &registers->blocks, &registers->order, &registers->tree);
    table_init(&registers->by_value, limits->budget);
    unseen_init(&registers->unseen, limits->budget);
    running_init(&registers->reads, limits->budget);
    registers->part = (struct part){.spec = spec, .key = key, .has_key = has_key};
    bool done = accesses_init(&registers->accesses, &registers->part, limits) &&
                registers->accesses.initial != VALUE_REFUSED &&
                begin_blocks(registers, registers->accesses.initial);
    if (done)
        return &registers->online;
    registers_destroy(&registers->online);
    return NULL;
}
