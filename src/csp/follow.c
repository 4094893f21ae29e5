/* The walk goes down the term with the moves (csp/moves.c), with the block of where it stands. A
 * process that is no composition is a leaf; what it unfolds to, or chooses, is walked with blocks
 * made for it from the leaf's number. A note then travels up with each move: it has the blocks of
 * the move's target, or, where the target is what a leaf has become, the leaf's number, to make
 * blocks from once the target is known. */
#include "csp/follow.h"

#include <string.h>

/* A note: who takes the move; 1: of a leaf; the next number and the leaf's; or 0, and the number of
 * words of the blocks, and these. */
enum note {
    NOTE_TAKER,
    NOTE_OF_LEAF,
    NOTE_NEXT,
    NOTE_NAME,
    NOTE_LENGTH = NOTE_NEXT,
    NOTE_BLOCKS = NOTE_NAME,
};

/* A block. */
enum block {
    BLOCK_COUNT,
    BLOCK_NEXT,
    BLOCK_ITEMS,
};

/* What a process begins with that nothing is known of. */
#define FIRST_NAME 0
#define FIRST_NEXT 1

static bool push(struct csp_worker *worker, uint32_t word)
{
    return vector_push(&worker->following.words, word);
}

static uint32_t word_at(const struct csp_worker *worker, size_t at)
{
    return worker->following.words.items[at];
}

static bool push_block(struct csp_worker *worker, uint32_t count, uint32_t next)
{
    return push(worker, count) && push(worker, next);
}

static bool copy_words(struct csp_worker *worker, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (!push(worker, word_at(worker, i)))
            return false;
    return true;
}

/* ---- the blocks of a term ---- */

/* The term that has the blocks of this one, without what is around it. */
static term heart_of(const struct csp_worker *worker, term t)
{
    for (;;) {
        size_t length;
        const uint32_t *at = term_words(&worker->terms, t, &length);
        switch (term_kind_of(&worker->terms, t)) {
        case TERM_KIND_HIDE:
            t = at[1];
            break;
        case TERM_KIND_ATOMIC:
        case TERM_KIND_SEQUENCE:
            t = at[0];
            break;
        default:
            return t;
        }
    }
}

/* Whether several processes stand side by side, each with blocks of its own. */
static bool is_several(enum term_kind kind)
{
    return kind == TERM_KIND_EXTERNAL || kind == TERM_KIND_INTERRUPT;
}

static bool is_composition(enum term_kind kind)
{
    return kind == TERM_KIND_INTERLEAVE || kind == TERM_KIND_PARALLEL || kind == TERM_KIND_COPIES;
}

/* Adds the blocks of a term that a process with this number has come to. */
static bool add_blocks(struct csp_worker *worker, term t, uint32_t name, uint32_t next)
{
    t = heart_of(worker, t);
    size_t length;
    const uint32_t *at = term_words(&worker->terms, t, &length);
    const enum term_kind kind = term_kind_of(&worker->terms, t);
    bool room = true;
    if (is_several(kind)) {
        for (size_t i = 0; room && i < length; i++)
            room = add_blocks(worker, at[i], name, next);
        return room;
    }
    if (kind != TERM_KIND_INTERLEAVE && kind != TERM_KIND_PARALLEL)
        return push_block(worker, 1, next) && push(worker, name);
    const uint32_t count = kind == TERM_KIND_PARALLEL ? at[0] : (uint32_t)length;
    room = push_block(worker, count, next + count - 1) && push(worker, name);
    for (uint32_t i = 1; room && i < count; i++)
        room = push(worker, next + i - 1);
    return room;
}

/* Where the blocks of a term end that begin at `at`; 0: they are not such blocks. */
static size_t blocks_end(const struct csp_worker *worker, term t, size_t at)
{
    t = heart_of(worker, t);
    size_t length;
    const uint32_t *words = term_words(&worker->terms, t, &length);
    const enum term_kind kind = term_kind_of(&worker->terms, t);
    if (is_several(kind)) {
        for (size_t i = 0; at && i < length; i++)
            at = blocks_end(worker, words[i], at);
        return at;
    }
    if (at + BLOCK_ITEMS > worker->following.words.length)
        return 0;
    const uint32_t count = word_at(worker, at + BLOCK_COUNT);
    const size_t end = at + BLOCK_ITEMS + count;
    if (end > worker->following.words.length)
        return 0;
    const bool fits = kind == TERM_KIND_INTERLEAVE ? count == length
                      : kind == TERM_KIND_PARALLEL ? count == words[0]
                      : kind == TERM_KIND_COPIES
                          ? count % 2 == 1
                          : count == 1 && word_at(worker, at + BLOCK_ITEMS) != NOBODY;
    return fits ? end : 0;
}

/* Adds the blocks of the term that a move with this note leads to. */
static bool add_noted(struct csp_worker *worker, uint32_t note, term target)
{
    const size_t start = worker->following.words.length;
    if (!note) /* all of a composition have ended */
        return add_blocks(worker, target, FIRST_NAME, FIRST_NEXT);
    if (word_at(worker, note + NOTE_OF_LEAF))
        return add_blocks(worker, target, word_at(worker, note + NOTE_NAME),
                          word_at(worker, note + NOTE_NEXT));
    if (!copy_words(worker, note + NOTE_BLOCKS,
                    note + NOTE_BLOCKS + word_at(worker, note + NOTE_LENGTH)))
        return false;
    if (blocks_end(worker, target, start) == worker->following.words.length)
        return true;
    worker->following.words.length = start; /* a composition that has ended, and is left */
    return add_blocks(worker, target, FIRST_NAME, FIRST_NEXT);
}

/* ---- the walk ---- */

enum status csp_follow_begin(struct csp_worker *worker, const uint32_t *who, size_t length)
{
    struct csp_following *following = &worker->following;
    following->on = true;
    following->is_leaf = length == 0;
    following->at = 1; /* no note has the number 0 */
    following->words.length = 0;
    bool room = push(worker, 0);
    for (size_t i = 0; room && i < length; i++)
        room = push(worker, who[i]);
    if (room && length == 0)
        room = push_block(worker, 1, FIRST_NEXT) && push(worker, FIRST_NAME);
    return granted(room);
}

void csp_follow_end(struct csp_worker *worker)
{
    worker->following.on = false;
}

enum status csp_follow_tell(struct csp_worker *worker, const struct move *move,
                            struct followed *out)
{
    const size_t start = worker->following.words.length;
    bool room =
        add_noted(worker, move->process, move->target) &&
        vector_push(&out->processes,
                    move->process ? word_at(worker, move->process + NOTE_TAKER) : FIRST_NAME);
    for (size_t i = start; room && i < worker->following.words.length; i++)
        room = vector_push(&out->words, word_at(worker, i));
    worker->following.words.length = start;
    return granted(room && vector_push(&out->ends, out->words.length));
}

enum status csp_follow_into(struct csp_worker *worker, term t, struct csp_followed_from *from)
{
    struct csp_following *following = &worker->following;
    const enum term_kind kind = term_kind_of(&worker->terms, t);
    *from = (struct csp_followed_from){following->at, following->is_leaf};
    if (following->is_leaf) {
        const uint32_t name = word_at(worker, following->at + BLOCK_ITEMS);
        const uint32_t next = word_at(worker, following->at + BLOCK_NEXT);
        following->at = following->words.length;
        TRY_MEMORY(add_blocks(worker, t, name, next));
    }
    following->is_leaf = !is_composition(kind) && !is_several(kind) && heart_of(worker, t) == t;
    return STATUS_OK;
}

enum status csp_follow_leaf(struct csp_worker *worker, size_t first)
{
    struct csp_following *following = &worker->following;
    const uint32_t note = (uint32_t)following->words.length;
    const uint32_t name = word_at(worker, following->at + BLOCK_ITEMS);
    const uint32_t next = word_at(worker, following->at + BLOCK_NEXT);
    TRY_MEMORY(push(worker, name) && push(worker, 1) && push(worker, next) && push(worker, name));
    for (size_t i = first; i < worker->moves.length; i++)
        if (!worker->moves.items[i].process)
            worker->moves.items[i].process = note;
    return STATUS_OK;
}

/* A leaf's own moves have no note yet. */
enum status csp_follow_out(struct csp_worker *worker, const struct csp_followed_from *from,
                           size_t first)
{
    struct csp_following *following = &worker->following;
    if (following->is_leaf)
        TRY(csp_follow_leaf(worker, first));
    following->at = from->at;
    following->is_leaf = from->is_leaf;
    return STATUS_OK;
}

static size_t begin_of_child(const struct csp_worker *worker, term t, uint32_t i, size_t at)
{
    size_t length;
    const uint32_t *children = term_words(&worker->terms, t, &length);
    assert(i <= length);
    for (uint32_t k = 0; at && k < i; k++)
        at = blocks_end(worker, children[k], at);
    assert(at);
    return at;
}

size_t csp_follow_child(struct csp_worker *worker, term t, uint32_t i)
{
    const size_t outer = worker->following.at;
    worker->following.at = begin_of_child(worker, t, i, outer);
    return outer;
}

/* ---- notes ---- */

/* Begins a note with blocks; 0 when refused. */
static uint32_t begin_note(struct csp_worker *worker, uint32_t taker)
{
    const uint32_t note = (uint32_t)worker->following.words.length;
    return push(worker, taker) && push(worker, 0) && push(worker, 0) ? note : 0;
}

static void end_note(struct csp_worker *worker, uint32_t note)
{
    struct csp_following *following = &worker->following;
    following->words.items[note + NOTE_LENGTH] =
        (uint32_t)(following->words.length - note - NOTE_BLOCKS);
}

enum status csp_follow_keep(struct csp_worker *worker, term t, uint32_t i, struct move *move)
{
    size_t length;
    const uint32_t *children = term_words(&worker->terms, t, &length);
    const uint32_t taker = move->process ? word_at(worker, move->process + NOTE_TAKER) : FIRST_NAME;
    const bool drops = term_kind_of(&worker->terms, t) == TERM_KIND_EXTERNAL;
    const uint32_t note = begin_note(worker, taker);
    bool room = note != 0;
    for (uint32_t k = 0; room && k < length; k++) {
        const term child = k == i ? move->target : children[k];
        if (drops && term_is_stop(&worker->terms, child))
            continue;
        if (k == i)
            room = add_noted(worker, move->process, child);
        else
            room = copy_words(worker, begin_of_child(worker, t, k, worker->following.at),
                              begin_of_child(worker, t, k + 1, worker->following.at));
    }
    TRY_MEMORY(room);
    end_note(worker, note);
    move->process = note;
    return STATUS_OK;
}

/* Of the numbered copies at a component the first that has not been taken out, as its place in the
 * block's items; 0: there is none. */
static uint32_t numbered_copy(const struct csp_worker *worker, size_t block, term component)
{
    const uint32_t count = word_at(worker, block + BLOCK_COUNT);
    for (uint32_t i = 1; i < count; i += 2)
        if (word_at(worker, block + BLOCK_ITEMS + i) == component)
            return i;
    return 0;
}

/* The number of the copy that leaves a component, which is taken out of the block. */
static uint32_t take_copy(struct csp_worker *worker, size_t block, term component)
{
    uint32_t *words = worker->following.words.items + block, *items = words + BLOCK_ITEMS;
    const uint32_t at = numbered_copy(worker, block, component);
    uint32_t name = at ? items[at + 1] : items[0];
    if (at) {
        words[BLOCK_COUNT] -= 2;
        memmove(items + at, items + at + 2, (words[BLOCK_COUNT] - at) * sizeof *items);
        worker->following.words.length -= 2;
    } else if (name != NOBODY) {
        items[0] = NOBODY;
    } else {
        name = words[BLOCK_NEXT]++;
    }
    return name;
}

/* Puts a copy into the block, which ends the words; numbers ascend. */
static bool put_copy(struct csp_worker *worker, size_t block, term component, uint32_t name)
{
    if (!push(worker, 0) || !push(worker, 0))
        return false;
    uint32_t *words = worker->following.words.items + block, *items = words + BLOCK_ITEMS;
    uint32_t at = words[BLOCK_COUNT];
    for (; at > 1 && items[at - 1] > name; at -= 2)
        memcpy(items + at, items + at - 2, 2 * sizeof *items);
    items[at] = component;
    items[at + 1] = name;
    words[BLOCK_COUNT] += 2;
    return true;
}

static uint32_t taker_of(const struct csp_worker *worker, const struct composition *composition,
                         uint32_t i)
{
    const size_t block = worker->following.at, items = block + BLOCK_ITEMS;
    if (composition->kind != TERM_KIND_COPIES)
        return word_at(worker, items + i);
    const uint32_t at = numbered_copy(worker, block, csp_component(worker, composition, i));
    const uint32_t name = word_at(worker, items + (at ? at + 1 : 0));
    return name == NOBODY ? word_at(worker, block + BLOCK_NEXT) : name;
}

static bool copy_block(struct csp_worker *worker)
{
    const size_t at = worker->following.at;
    return copy_words(worker, at, at + BLOCK_ITEMS + word_at(worker, at + BLOCK_COUNT));
}

enum status csp_follow_component(struct csp_worker *worker, const struct composition *composition,
                                 uint32_t i, struct move *move)
{
    const uint32_t note = begin_note(worker, taker_of(worker, composition, i));
    TRY_MEMORY(note && copy_block(worker));
    end_note(worker, note);
    move->process = note;
    return STATUS_OK;
}

/* Copies that go and come. */
static bool recount(struct csp_worker *worker, const struct composition *composition,
                    const uint32_t *gone, const term *come, size_t count)
{
    const size_t block = worker->following.words.length;
    uint32_t names[2];
    assert(count <= ARRAY_LENGTH(names));
    if (!copy_block(worker))
        return false;
    for (size_t i = 0; i < count; i++)
        names[i] = take_copy(worker, block, csp_component(worker, composition, gone[i]));
    for (size_t i = 0; i < count; i++)
        if (come[i] != TERM_SKIP && !put_copy(worker, block, come[i], names[i]))
            return false;
    return true;
}

/* What a component has become: itself, nobody if it has ended, several where it is an interleaving.
 */
static bool add_component(struct csp_worker *worker, term t, uint32_t name, uint32_t *next)
{
    size_t length;
    if (t == TERM_SKIP)
        return true;
    bool room = push(worker, name);
    if (term_kind_of(&worker->terms, t) != TERM_KIND_INTERLEAVE)
        return room;
    (void)term_words(&worker->terms, t, &length);
    for (size_t i = 1; room && i < length; i++)
        room = push(worker, (*next)++);
    return room;
}

/* The components of an interleaving, closed up; a single one left is a leaf. */
static bool close_up(struct csp_worker *worker, const struct composition *composition,
                     const uint32_t *gone, const term *come, size_t count, uint32_t note)
{
    const size_t from = worker->following.at, block = worker->following.words.length;
    uint32_t next = word_at(worker, from + BLOCK_NEXT);
    bool room = push_block(worker, 0, 0);
    for (uint32_t i = 0; room && i < composition->count; i++) {
        const uint32_t name = word_at(worker, from + BLOCK_ITEMS + i);
        term t = csp_component(worker, composition, i);
        for (size_t k = 0; k < count; k++)
            t = gone[k] == i ? come[k] : t;
        room = add_component(worker, t, name, &next);
    }
    if (!room)
        return false;
    uint32_t *words = worker->following.words.items;
    const size_t kept = worker->following.words.length - block - BLOCK_ITEMS;
    words[block + BLOCK_COUNT] = (uint32_t)kept;
    words[block + BLOCK_NEXT] = next;
    if (kept > 1)
        return true;
    const uint32_t name = kept ? words[block + BLOCK_ITEMS] : FIRST_NAME;
    words[note + NOTE_OF_LEAF] = 1;
    words[note + NOTE_NAME] = name;
    words[note + NOTE_NEXT] = kept ? next : FIRST_NEXT;
    worker->following.words.length = note + NOTE_NAME + (size_t)1;
    return true;
}

enum status csp_follow_replaced(struct csp_worker *worker, const struct composition *composition,
                                const uint32_t *gone, const term *come, size_t count,
                                struct move *move)
{
    const bool closes =
        composition->kind == TERM_KIND_INTERLEAVE && !worker->shared->pool.counting.apart;
    const uint32_t note = begin_note(worker, taker_of(worker, composition, gone[0]));
    bool room = note != 0;
    if (room && composition->kind == TERM_KIND_COPIES)
        room = recount(worker, composition, gone, come, count);
    else if (room && closes)
        room = close_up(worker, composition, gone, come, count, note);
    else if (room)
        room = copy_block(worker);
    TRY_MEMORY(room);
    if (!word_at(worker, note + NOTE_OF_LEAF))
        end_note(worker, note);
    move->process = note;
    return STATUS_OK;
}
