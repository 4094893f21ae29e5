#include "stream/shelf.h"

#include <assert.h>
#include <string.h>

#include "base/bisect.h"
#include "base/bits.h"
#include "base/hash.h"

/* What is known of an operation, as numbers. Those that are likely to differ from what is expected
 * come first: a bit each says which do, and where all beyond the first seven are as expected these
 * bits take one byte. */
enum column {
    SERIAL,
    BEGAN,
    ENDED,
    ARGUMENT,
    PROCESS_LABEL,
    INVOKE_LINE,
    RESPONSE_LINE,
    HANDLE, /* of one that is over that of the one before */
    FUNCTION,
    OBJECT,
    SECOND, /* of an operation whose argument is not folded that of the one before */
    INVOKE_TIME,
    RESPONSE_TIME,
    KIND, /* the operation of the specification, and flags */
    ASKED,
    CALL_ARGUMENT,
    RESULT,
    CALL_RESULT,
    KEY,
    HISTORY_OBJECT,
    RECORDED, /* the outcome, and flags */
    PROCESS,
    COLUMNS,
};

_Static_assert(COLUMNS == SHELF_COLUMNS, "a walk has room for all");

/* Of an operation that runs what is known of an end is what is known of its beginning: no operation
 * ends with the event with which it begins.
 *
 * From which column of the same operation one is expected to differ little: an earlier one. Of the
 * others it is that of the operation before. */
static const uint8_t like[COLUMNS] = {
    [ENDED] = BEGAN,    [RESPONSE_LINE] = INVOKE_LINE, [RESPONSE_TIME] = INVOKE_TIME,
    [ASKED] = ARGUMENT, [CALL_ARGUMENT] = ASKED,
};

/* The columns that are like others: whoever reads an operation looks at these, and at those that
 * differ. */
#define ALIKE                                                                                      \
    (UINT64_C(1) << ENDED | UINT64_C(1) << RESPONSE_LINE | UINT64_C(1) << RESPONSE_TIME |          \
     UINT64_C(1) << ASKED | UINT64_C(1) << CALL_ARGUMENT)

static const uint64_t nothing[COLUMNS];

void shelf_init(struct shelf *shelf, struct budget *budget)
{
    *shelf = (struct shelf){0};
    table_init(&shelf->running, budget);
    vectors_init(budget, &shelf->blocks, &shelf->scratch, &shelf->opened);
}

void shelf_release(struct shelf *shelf)
{
    for (size_t i = 0; i < shelf->blocks.length; i++)
        vector_release(&shelf->blocks.items[i].bytes);
    vectors_release(&shelf->blocks, &shelf->scratch, &shelf->opened);
    table_release(&shelf->running);
    shelf->count = shelf->completed = shelf->swept = shelf->greatest = 0;
    shelf->ends = false;
}

/* ---- one operation ---- */

/* A value with a tag that no value has: a list of two, of which it is the first. */
static value fold(value first)
{
    return first ^ SHELVED_FOLDED;
}

static bool is_folded(value argument)
{
    return argument & SHELVED_FOLDED;
}

/* The items of a list that is folded; null: it is not that. */
static const value *pair_of(value argument)
{
    size_t length;
    if (is_folded(argument) || value_kind_of(argument) != KIND_LIST)
        return NULL;
    const value *items = value_get_items(argument, &length);
    return length == 2 ? items : NULL;
}

static bool runs(const struct shelved *shelved)
{
    return shelved->tracked.ended == ORDINAL_NEVER;
}

static uint64_t kind_of(const struct tracked *tracked)
{
    const struct call *call = &tracked->call;
    return (uint64_t)call->operation << 3 | (uint64_t)tracked->asked_reads << 2 |
           (uint64_t)call->result_known << 1 | call->read_only;
}

static void to_columns(const struct shelved *from, uint64_t columns[static COLUMNS])
{
    const struct operation *operation = &from->operation;
    const struct tracked *tracked = &from->tracked;
    const value argument = operation->argument, *pair = pair_of(argument);
    const value folded = pair ? fold(pair[0]) : argument;
    columns[SERIAL] = tracked->serial;
    columns[BEGAN] = tracked->began;
    columns[ENDED] = runs(from) ? tracked->began : tracked->ended;
    columns[ARGUMENT] = folded;
    columns[SECOND] = pair ? pair[1] : from->second;
    columns[PROCESS_LABEL] = from->process;
    columns[INVOKE_LINE] = operation->invoke_line;
    columns[RESPONSE_LINE] = runs(from) ? operation->invoke_line : operation->response_line;
    columns[HANDLE] = tracked->handle;
    columns[FUNCTION] = operation->function;
    columns[OBJECT] = tracked->object;
    columns[INVOKE_TIME] = (uint64_t)operation->invoke_time;
    columns[RESPONSE_TIME] =
        (uint64_t)(runs(from) ? operation->invoke_time : operation->response_time);
    columns[KIND] = kind_of(tracked);
    columns[ASKED] = tracked->asked == argument ? folded : tracked->asked;
    columns[CALL_ARGUMENT] = tracked->call.argument == argument ? folded : tracked->call.argument;
    columns[RESULT] = operation->result;
    columns[CALL_RESULT] = tracked->call.result;
    columns[KEY] = operation->key;
    columns[HISTORY_OBJECT] = operation->object;
    columns[RECORDED] = (uint64_t)operation->outcome << 2 | (uint64_t)operation->has_key << 1 |
                        operation->result_recorded;
    columns[PROCESS] = operation->process;
}

static void from_columns(const uint64_t *columns, struct shelved *to)
{
    to->process = columns[PROCESS_LABEL];
    to->second = columns[SECOND];
    to->operation = (struct operation){.argument = columns[ARGUMENT],
                                       .result = columns[RESULT],
                                       .key = columns[KEY],
                                       .invoke_time = (int64_t)columns[INVOKE_TIME],
                                       .response_time = (int64_t)columns[RESPONSE_TIME],
                                       .response = POSITION_NEVER,
                                       .process = (uint32_t)columns[PROCESS],
                                       .invoke_line = (uint32_t)columns[INVOKE_LINE],
                                       .response_line = (uint32_t)columns[RESPONSE_LINE],
                                       .function = (uint16_t)columns[FUNCTION],
                                       .object = (uint16_t)columns[HISTORY_OBJECT],
                                       .outcome = (uint8_t)(columns[RECORDED] >> 2),
                                       .has_key = columns[RECORDED] >> 1 & 1,
                                       .result_recorded = columns[RECORDED] & 1};
    to->tracked = (struct tracked){.call = {.argument = columns[CALL_ARGUMENT],
                                            .result = columns[CALL_RESULT],
                                            .process = (uint32_t)columns[PROCESS],
                                            .operation = (uint16_t)(columns[KIND] >> 3),
                                            .result_known = columns[KIND] >> 1 & 1,
                                            .read_only = columns[KIND] & 1},
                                   .asked = columns[ASKED],
                                   .asked_reads = columns[KIND] >> 2 & 1,
                                   .serial = columns[SERIAL],
                                   .began = columns[BEGAN],
                                   .ended = columns[ENDED],
                                   .object = (uint32_t)columns[OBJECT]};
    if (columns[ENDED] != columns[BEGAN])
        return;
    to->tracked.ended = ORDINAL_NEVER;
    to->tracked.handle = (uint32_t)columns[HANDLE];
    to->operation.response_time = TIME_NONE;
    to->operation.response_line = 0;
}

static uint64_t expected(const uint64_t *columns, const uint64_t *before, unsigned column)
{
    return like[column] ? columns[like[column]] : before[column];
}

/* The columns of an operation behind one with those. */
static void follow(const struct shelved *operation, const uint64_t *before,
                   uint64_t columns[static COLUMNS])
{
    to_columns(operation, columns);
    if (!is_folded(columns[ARGUMENT]))
        columns[SECOND] = before[SECOND];
    if (!runs(operation))
        columns[HANDLE] = before[HANDLE];
}

/* Appends an operation: `before` are the columns of the one before, and become its own. False when
 * refused: then some of it may be there. */
static bool encode(struct packed *packed, const struct shelved *operation, uint64_t *before)
{
    uint64_t columns[COLUMNS], differ = 0;
    follow(operation, before, columns);
    for (unsigned i = 0; i < COLUMNS; i++)
        differ |= (uint64_t)(columns[i] != expected(columns, before, i)) << i;
    bool done = packed_push_whole(packed, differ);
    for (uint64_t left = differ; left && done; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);
        done = packed_push(packed, columns[i], expected(columns, before, i));
    }
    memcpy(before, columns, sizeof columns);
    return done;
}

/* Reads an operation: `columns` are those of the one before, and become its own. */
static void decode(const uint8_t **at, uint64_t *columns)
{
    const uint64_t differ = packed_take_whole(at);
    for (uint64_t left = differ | ALIKE; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);
        const uint64_t known = like[i] ? columns[like[i]] : columns[i];
        columns[i] = differ >> i & 1 ? packed_take(at, known) : known;
    }
}

/* ---- blocks ---- */

/* Lists the operations of a block, with room for one more. False when refused. */
static bool open_block(struct shelf *shelf, const struct shelf_block *block)
{
    uint64_t columns[COLUMNS];
    const uint8_t *at = block->bytes.items;
    memcpy(columns, nothing, sizeof columns);
    shelf->opened.length = 0;
    if (!vector_reserve(&shelf->opened, 2 * SHELF_BLOCK))
        return false;
    for (uint32_t i = 0; i < block->count; i++) {
        decode(&at, columns);
        from_columns(columns, &shelf->opened.items[i]);
    }
    assert(at == block->bytes.items + block->bytes.length);
    shelf->opened.length = block->count;
    return true;
}

/* Makes a block of these operations, in place of what is there. False when refused: it is as it
 * was. */
static bool close_block(struct shelf *shelf, struct shelf_block *block, const struct shelved *from,
                        uint32_t count)
{
    uint64_t columns[COLUMNS] = {0};
    struct packed bytes;
    vector_init(&bytes, shelf->blocks.budget);
    shelf->scratch.length = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!encode(&shelf->scratch, &from[i], columns))
            return false;
    if (!vector_reserve(&bytes, shelf->scratch.length))
        return false;
    memcpy(bytes.items, shelf->scratch.items, shelf->scratch.length);
    bytes.length = shelf->scratch.length;
    vector_release(&block->bytes);
    *block = (struct shelf_block){.first = from->tracked.serial, .count = count, .bytes = bytes};
    return true;
}

/* A new block at that place. False when refused. */
static bool insert_block(struct shelf *shelf, size_t place, const struct shelved *from,
                         uint32_t count)
{
    struct shelf_block block = {.bytes.budget = shelf->blocks.budget};
    if (!vector_reserve(&shelf->blocks, shelf->blocks.length + 1) ||
        !close_block(shelf, &block, from, count))
        return false;
    struct shelf_block *at = shelf->blocks.items + place;
    memmove(at + 1, at, (shelf->blocks.length - place) * sizeof *at);
    *at = block;
    shelf->blocks.length++;
    return true;
}

/* The last block that does not begin behind that serial number, the first if there is none. */
static size_t block_of(const struct shelf *shelf, uint64_t serial)
{
    size_t low = 0, high = shelf->blocks.length;
    BISECT(low, high, middle, shelf->blocks.items[middle].first <= serial);
    return low ? low - 1 : 0;
}

/* The place of an operation in a block; SHELF_BLOCK: it is not there. With its columns. */
static uint32_t find_in_block(const struct shelf_block *block, uint64_t serial, uint64_t *columns)
{
    const uint8_t *at = block->bytes.items;
    memcpy(columns, nothing, sizeof nothing);
    for (uint32_t i = 0; i < block->count; i++) {
        decode(&at, columns);
        if (columns[SERIAL] >= serial)
            return columns[SERIAL] == serial ? i : SHELF_BLOCK;
    }
    return SHELF_BLOCK;
}

/* Two blocks of the operations that are listed, in place of the one there. */
static bool split(struct shelf *shelf, size_t place)
{
    const uint32_t count = (uint32_t)shelf->opened.length;
    /* What comes next mostly goes behind the last: then the first is full. */
    const uint32_t first = place + 1 == shelf->blocks.length ? SHELF_BLOCK : count / 2;
    if (!insert_block(shelf, place + 1, shelf->opened.items + first, count - first))
        return false;
    if (close_block(shelf, &shelf->blocks.items[place], shelf->opened.items, first))
        return true;
    vector_release(&shelf->blocks.items[place + 1].bytes);
    shelf->blocks.length--;
    memmove(shelf->blocks.items + place + 1, shelf->blocks.items + place + 2,
            (shelf->blocks.length - place - 1) * sizeof *shelf->blocks.items);
    return false;
}

/* Behind all others, the last of which has the columns shelf->last. False when refused. */
static bool append(struct shelf *shelf, const struct shelved *operation)
{
    const size_t blocks = shelf->blocks.length;
    if (!blocks || shelf->blocks.items[blocks - 1].count == SHELF_BLOCK) {
        follow(operation, nothing, shelf->last);
        return insert_block(shelf, blocks, operation, 1);
    }
    struct shelf_block *block = &shelf->blocks.items[blocks - 1];
    const size_t length = block->bytes.length;
    if (!encode(&block->bytes, operation, shelf->last)) {
        block->bytes.length = length;
        return false;
    }
    if (++block->count == SHELF_BLOCK)
        packed_trim(&block->bytes);
    return true;
}

/* Among others; in the last block what the last of all follows may be another then. False when
 * refused. */
static bool insert(struct shelf *shelf, const struct shelved *operation)
{
    const size_t place = block_of(shelf, operation->tracked.serial);
    struct shelf_block *block = &shelf->blocks.items[place];
    if (!open_block(shelf, block))
        return false;
    shelf->ends = place + 1 < shelf->blocks.length;
    size_t at = shelf->opened.length++;
    for (; at && shelf->opened.items[at - 1].tracked.serial > operation->tracked.serial; at--)
        shelf->opened.items[at] = shelf->opened.items[at - 1];
    shelf->opened.items[at] = *operation;
    return shelf->opened.length <= SHELF_BLOCK
               ? close_block(shelf, block, shelf->opened.items, (uint32_t)shelf->opened.length)
               : split(shelf, place);
}

static uint64_t hash_process(value process)
{
    return hash_word(process);
}

static uint32_t running_number(uint64_t serial)
{
    return (uint32_t)(serial % TABLE_MOST);
}

static void forget_running(struct shelf *shelf, const struct shelved *operation)
{
    table_remove(&shelf->running, hash_process(operation->process),
                 running_number(operation->tracked.serial));
}

bool shelf_add(struct shelf *shelf, const struct shelved *operation)
{
    const size_t blocks = shelf->blocks.length;
    if (runs(operation) && !table_add(&shelf->running, hash_process(operation->process),
                                      running_number(operation->tracked.serial)))
        return false;
    if (!shelf->ends && blocks)
        (void)find_in_block(&shelf->blocks.items[blocks - 1], UINT64_MAX, shelf->last);
    shelf->ends = true;
    const bool last = !blocks || shelf->last[SERIAL] < operation->tracked.serial;
    const bool done = last ? append(shelf, operation) : insert(shelf, operation);
    shelf->ends &= done;
    shelf->count += done;
    if (done && operation->tracked.serial > shelf->greatest)
        shelf->greatest = operation->tracked.serial;
    shelf->completed += done && operation->operation.outcome == OUTCOME_OK;
    if (!done && runs(operation))
        forget_running(shelf, operation);
    return done;
}

bool shelf_renew(struct shelf *shelf, const struct shelved *operation)
{
    const size_t place = block_of(shelf, operation->tracked.serial);
    struct shelf_block *block = &shelf->blocks.items[place];
    const uint64_t held = block->held;
    size_t at = 0;
    if (!open_block(shelf, block))
        return false;
    while (shelf->opened.items[at].tracked.serial != operation->tracked.serial)
        at++;
    assert(at < block->count && runs(&shelf->opened.items[at]));
    shelf->opened.items[at] = *operation;
    if (!close_block(shelf, block, shelf->opened.items, block->count))
        return false;
    block->held = held;
    shelf->ends &= place + 1 < shelf->blocks.length;
    if (!runs(operation)) {
        forget_running(shelf, operation);
        shelf->completed += operation->operation.outcome == OUTCOME_OK;
    }
    return true;
}

bool shelf_find(const struct shelf *shelf, uint64_t serial, struct shelved *found)
{
    uint64_t columns[COLUMNS];
    if (!shelf->blocks.length || find_in_block(&shelf->blocks.items[block_of(shelf, serial)],
                                               serial, columns) == SHELF_BLOCK)
        return false;
    from_columns(columns, found);
    return true;
}

bool shelf_find_running(const struct shelf *shelf, value process, struct shelved *found)
{
    struct table_search search = table_search(&shelf->running, hash_process(process));
    while (table_next(&search))
        for (uint64_t serial = search.number; serial <= shelf->greatest; serial += TABLE_MOST)
            if (shelf_find(shelf, serial, found) && runs(found) && found->process == process)
                return true;
    return false;
}

bool shelved_unfold(struct shelved *shelved, struct value_pool *pool)
{
    const value folded = shelved->operation.argument;
    if (!is_folded(folded))
        return true;
    const value items[] = {fold(folded), shelved->second}, list = value_list(pool, items, 2);
    if (list == VALUE_REFUSED)
        return false;
    shelved->operation.argument = list;
    if (shelved->tracked.asked == folded)
        shelved->tracked.asked = list;
    if (shelved->tracked.call.argument == folded)
        shelved->tracked.call.argument = list;
    return true;
}

void shelved_values(const struct shelved *shelved, value values[static SHELVED_VALUES])
{
    const value argument = shelved->operation.argument;
    const bool folded = is_folded(argument);
    const value all[SHELVED_VALUES] = {
        folded ? fold(argument) : argument,
        folded ? shelved->second : argument,
        shelved->operation.result,
        shelved->operation.key,
        shelved->process,
        shelved->tracked.asked,
        shelved->tracked.call.argument,
        shelved->tracked.call.result,
    };
    memcpy(values, all, sizeof all);
}

/* ---- sweeping ---- */

/* Reads the columns of the next one. False: there is none any more. */
static bool read_next(struct shelf_walk *walk)
{
    const struct shelf *shelf = walk->shelf;
    if (walk->block < shelf->blocks.length &&
        walk->passed == shelf->blocks.items[walk->block].count) {
        walk->block++;
        walk->passed = 0;
        walk->at = 0;
    }
    if (walk->block >= shelf->blocks.length)
        return false;
    const struct shelf_block *block = &shelf->blocks.items[walk->block];
    const uint8_t *at = block->bytes.items + walk->at;
    if (!walk->passed)
        memcpy(walk->columns, nothing, sizeof nothing);
    decode(&at, walk->columns);
    walk->at = (size_t)(at - block->bytes.items);
    walk->passed++;
    return true;
}

bool shelf_is_due(const struct shelf *shelf, uint64_t least)
{
    return shelf->count > shelf->swept + (shelf->swept + shelf->completed) / 4 + least;
}

void shelf_begin_marks(struct shelf *shelf)
{
    for (size_t i = 0; i < shelf->blocks.length; i++)
        shelf->blocks.items[i].held = 0;
}

/* Whether the walk is in front of that serial number, or there, and in the same block. */
static bool is_in_front(const struct shelf_walk *walk, uint64_t serial)
{
    const struct shelf *shelf = walk->shelf;
    return walk->passed && walk->columns[SERIAL] <= serial &&
           (walk->block + 1 == shelf->blocks.length ||
            serial < shelf->blocks.items[walk->block + 1].first);
}

void shelf_mark(struct shelf *shelf, struct shelf_walk *walk, uint64_t serial)
{
    if (!shelf->blocks.length)
        return;
    if (!is_in_front(walk, serial)) {
        walk->block = block_of(shelf, serial);
        walk->at = walk->passed = 0;
    }
    struct shelf_block *block = &shelf->blocks.items[walk->block];
    while (walk->passed < block->count && (!walk->passed || walk->columns[SERIAL] < serial))
        (void)read_next(walk);
    if (walk->columns[SERIAL] == serial)
        block->held |= UINT64_C(1) << (walk->passed - 1);
}

/* Leaves of a block what runs, is held, or kept by `keeps`. Where it is refused, all. */
static void thin_block(struct shelf *shelf, struct shelf_block *block,
                       bool (*keeps)(void *context, const struct tracked *tracked), void *context)
{
    uint32_t kept = 0, completed = 0;
    if (!open_block(shelf, block))
        return;
    for (uint32_t i = 0; i < block->count; i++) {
        struct shelved *shelved = &shelf->opened.items[i];
        if (block->held >> i & 1 || runs(shelved) || keeps(context, &shelved->tracked))
            shelf->opened.items[kept++] = *shelved;
        else
            completed += shelved->operation.outcome == OUTCOME_OK;
    }
    const uint32_t dropped = block->count - kept;
    if (!dropped || (kept && !close_block(shelf, block, shelf->opened.items, kept)))
        return;
    if (!kept) {
        vector_release(&block->bytes);
        block->count = 0;
    }
    shelf->count -= dropped;
    shelf->completed -= completed;
}

/* Puts the operations of a block behind those of another, if they are few. Whether that was done.
 */
static bool join_blocks(struct shelf *shelf, struct shelf_block *block, struct shelf_block *next)
{
    struct shelved few[SHELF_BLOCK / 2];
    if (block->count + next->count > SHELF_BLOCK || next->count > ARRAY_LENGTH(few) ||
        !open_block(shelf, next))
        return false;
    memcpy(few, shelf->opened.items, next->count * sizeof *few);
    if (!open_block(shelf, block))
        return false;
    memcpy(shelf->opened.items + block->count, few, next->count * sizeof *few);
    if (!close_block(shelf, block, shelf->opened.items, block->count + next->count))
        return false;
    vector_release(&next->bytes);
    return true;
}

void shelf_drop(struct shelf *shelf, bool (*keeps)(void *context, const struct tracked *tracked),
                void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < shelf->blocks.length; i++) {
        struct shelf_block *block = &shelf->blocks.items[i];
        const uint64_t all = UINT64_MAX >> (WORD_BITS - block->count);
        if ((block->held & all) != all)
            thin_block(shelf, block, keeps, context);
        if (!block->count || (kept && join_blocks(shelf, &shelf->blocks.items[kept - 1], block)))
            continue;
        shelf->blocks.items[kept++] = *block;
    }
    shelf->blocks.length = kept;
    shelf->ends = false;
    shelf->swept = shelf->count;
}

/* ---- going through all ---- */

struct shelf_walk shelf_walk(const struct shelf *shelf)
{
    return (struct shelf_walk){.shelf = shelf};
}

bool shelf_next(struct shelf_walk *walk)
{
    if (!read_next(walk))
        return false;
    from_columns(walk->columns, &walk->now);
    return true;
}
