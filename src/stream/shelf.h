/* Operations that are old and over: nothing is learned of them any more, but that they may have
 * happened, or what they put into a container, is to be known for good, and there may be millions.
 * And those that have run for long, which may never answer. On the shelf one takes some 15 to 30
 * bytes: what is known of it stands as the difference from the operation before it.
 *
 * Operations stand in blocks, by their serial numbers. A block is read from its beginning. */
#ifndef STREAM_SHELF_H
#define STREAM_SHELF_H

#include "base/faults.h"
#include "base/packed.h"
#include "base/table.h"
#include "history/history.h"
#include "spec/spec.h"

#define ORDINAL_NEVER UINT64_MAX

/* What is known of an operation of the history, beside it. */
struct tracked {
    struct call call;         /* as bound last */
    value asked;              /* its argument as bound without its completion, */
    uint64_t asked_reads : 1; /* and call.read_only */
    uint64_t held : 1;        /* by a monitor, or a snapshot of one: as of the last clearing */
    uint64_t serial : 62;     /* its number among all invocations */
    uint64_t began, ended;    /* ordinals of its events; ORDINAL_NEVER */
    uint32_t object;          /* in stream->objects */
    uint32_t handle;          /* a monitor's */
};

/* Its call as bound without its completion: nothing is known of a result. */
static inline struct call tracked_invoked(const struct tracked *tracked)
{
    return (struct call){.argument = tracked->asked,
                         .process = tracked->call.process,
                         .number = tracked->call.number,
                         .operation = tracked->call.operation,
                         .read_only = tracked->asked_reads};
}

/* An operation on the shelf. Without `call.number`, positions and place, which say nothing of it
 * any more, and with `handle` only if it runs; its process may have lost its number.
 *
 * An argument that is a list of two (a key and a value, mostly) is *folded* where it is found: a
 * word that is no value, so that nobody need keep that list. */
struct shelved {
    struct operation operation;
    struct tracked tracked;
    value process;
    value second; /* of the list, if the argument is folded */
};

#define SHELF_BLOCK    SIZE_OR_SMALL(64, 4) /* operations */
#define SHELF_COLUMNS  22                   /* numbers that say what is known of one */
#define SHELVED_VALUES 8
#define SHELVED_FOLDED ((value)4) /* a bit that no value has */

/* Makes its argument, and those of its calls, values again. False when refused. */
bool shelved_unfold(struct shelved *shelved, struct value_pool *pool) MUST_CHECK;

/* All values that it has, folded or not. */
void shelved_values(const struct shelved *shelved, value values[SHELVED_VALUES]);

struct shelf_block {
    uint64_t first; /* serial */
    uint64_t held;  /* the i-th: its bit */
    uint32_t count; /* at least 1 */
    struct packed bytes;
};

struct shelf {
    VECTOR(struct shelf_block) blocks;
    size_t count;
    size_t completed; /* of them; the others may never have happened */
    size_t swept;     /* that were left when it was swept last */
    bool ends;        /* `last` is the last of all: */
    uint64_t last[SHELF_COLUMNS];
    uint64_t greatest;     /* serial that was ever there */
    struct table running;  /* those that run: their serials modulo TABLE_MOST, by their processes */
    struct packed scratch; /* an encoded block */
    VECTOR(struct shelved) opened;
};

void shelf_init(struct shelf *shelf, struct budget *budget);
void shelf_release(struct shelf *shelf);

/* Adds an operation that has ended, or runs, of another serial number than all others. False when
 * refused: the shelf is as it was. */
bool shelf_add(struct shelf *shelf, const struct shelved *operation) MUST_CHECK;

/* Puts what is known now in the place of what was known of the operation of that serial number,
 * which is there, and ran. False when refused: the shelf is as it was. */
bool shelf_renew(struct shelf *shelf, const struct shelved *operation) MUST_CHECK;

/* The operation of that serial number, in *found, folded. */
bool shelf_find(const struct shelf *shelf, uint64_t serial, struct shelved *found);

/* The operation that a process is in, likewise. */
bool shelf_find_running(const struct shelf *shelf, value process, struct shelved *found);

/* Whether it is worth while to look at what is held of it: there are a fourth more than were left,
 * or half as many if they have completed, and more than `least`. */
bool shelf_is_due(const struct shelf *shelf, uint64_t least);

/* Goes through all by their serial numbers. The shelf must not change meanwhile; `now` may. */
struct shelf_walk {
    const struct shelf *shelf;
    size_t block, at;   /* at: in its bytes */
    uint32_t passed;    /* of the block */
    struct shelved now; /* folded */
    uint64_t columns[SHELF_COLUMNS];
};

struct shelf_walk shelf_walk(const struct shelf *shelf);

/* The next one, in walk->now; false: there is none any more. */
bool shelf_next(struct shelf_walk *walk);

/* Sweeping: nothing is held; then marks are made; then what is over, and neither marked nor kept by
 * `keeps`, is dropped. Where a budget refuses it stays. */
void shelf_begin_marks(struct shelf *shelf);
void shelf_drop(struct shelf *shelf, bool (*keeps)(void *context, const struct tracked *tracked),
                void *context);

/* Marks an operation, if it is there. `walk` has been where the last mark was made, which is quick
 * where serial numbers ascend. */
void shelf_mark(struct shelf *shelf, struct shelf_walk *walk, uint64_t serial);

#endif
