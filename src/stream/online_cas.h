/* A register with cas, event by event: the files of its monitor share this. online_cas.c takes the
 * events and decides what there is of them, online_cas_stages.c finds out what the operations say
 * of the values, online_cas_drop.c which of them need not be kept. */
#ifndef STREAM_ONLINE_CAS_H
#define STREAM_ONLINE_CAS_H

#include "base/table.h"
#include "monitor/decision.h"
#include "monitor/register_accesses.h"
#include "stream/unseen.h"

#define CAS_NEVER UINT64_MAX
#define CAS_NONE  RUNNING_NONE

/* What has to be asked of a cas that failed. */
enum cas_asks {
    CAS_ASKS_NOTHING, /* it finds its place in some order of any history to come */
    CAS_ASKS_NEXT,    /* the value that replaced its own was there when it answered */
    CAS_ASKS_OPEN,    /* whether there is a place for it */
    CAS_ASKS_PENDING, /* whether a pending write is left for it */
};

/* An operation that is kept. */
struct cas_operation {
    struct access access;    /* as known now */
    uint64_t invoked, ended; /* ended: CAS_NEVER: it runs or is pending */
    uint64_t serial;
    uint32_t handle; /* among those that run; CAS_NONE */
    uint32_t link;   /* the next in a list of questions; CAS_NONE */
    uint32_t stage;  /* of the value that it wrote or read, while it is looked; CAS_NONE */
    uint16_t operation;
    uint8_t asks; /* enum cas_asks */
    bool kept;    /* while it is found out which need not be */
};

/* A value, and the operations that wrote or found it. These are numbers, and so are stages;
 * CAS_NONE: there is none. */
struct cas_stage {
    value value;
    uint32_t writer;          /* CAS_NONE: it was there at first */
    uint32_t before, next;    /* stages, one of which certainly replaced the other by a cas */
    uint32_t block;           /* to which it belongs, if it is certain */
    uint32_t first_operation; /* of those that are no questions the one that answered first, */
    uint64_t first;           /* when; CAS_NEVER */
    uint32_t last_operation;  /* the one that was invoked last, */
    uint64_t last;            /* when */
    uint64_t begun; /* it was written by then; CAS_NEVER: nobody has answered who knows it */
    uint64_t left;  /* it was replaced by then, by what it was replaced by for certain */
    uint32_t questions, question; /* a list; the one of them that says most */
    bool certain;                 /* it was written for certain */
    bool needed;                  /* while it is not, something may depend on it */
};

/* Stages, each of which was replaced by the next with a cas. */
struct cas_block {
    uint32_t head, tail;
    uint64_t first, last; /* answer, invocation */
    uint32_t first_operation, last_operation;
    uint64_t due;          /* something else was written by then; CAS_NEVER: not for certain */
    uint32_t most, second; /* of the blocks up to here those that were invoked last */
    bool closed, running, kept;
    bool pinned;  /* a cas that runs may replace its value */
    bool crosses; /* because of it a cas that runs cannot have taken place */
    bool missed;  /* a cas that did not find its first value may need it to begin no earlier */
    bool placed;  /* it is due, and is followed in time if blocks are moved */
    bool follows; /* it is moved behind one that is due */
    bool stays;   /* it is not moved so */
    bool served;  /* it is due, and a pending cas can have followed it by then */
    bool gone;    /* it stands in a stretch that is settled */
};

#define CAS_LACKS_MOST 8 /* pending writes, of one stretch */

/* A block that only a pending write can have followed in time, and one that certainly comes behind
 * it, and too late. */
struct cas_lacking {
    uint32_t block, behind;
    uint32_t question;
};

/* An order of some blocks of a stretch (online_cas_orders.c). */
struct cas_order {
    uint64_t placed; /* which: bits */
    uint64_t now;    /* when the last one begins, */
    uint32_t last;   /* which is that */
    uint32_t count;
    uint64_t lacks[CAS_LACKS_MOST]; /* times by which something must have been written: sorted */
};

struct cas_moment {
    uint64_t time;
    uint32_t operation; /* those of `unseen` behind the others */
    bool ends;
};

struct cas_online {
    struct online online;
    struct limits *limits;
    struct accesses accesses;
    struct part part;
    VECTOR(struct cas_operation) operations; /* but those of `unseen` */
    size_t put_away;      /* the first of them: blocks that only pending writes can have followed */
    uint64_t parted;      /* all that was put away was answered by then */
    struct table by_away; /* their values */
    struct running reads, writes, swaps; /* that run, swaps: cas; detail: the number */
    struct table by_value;               /* operations that write, and may have done so */
    struct unseen unseen;                /* values of writes that never answer */
    struct unseen absent; /* values that are not there, and that cas replace that never answer,
                               with those that these write */
    value initial;        /* there before all operations that are kept, */
    bool is_initial;      /* and may be read */
    bool goes_on;         /* more were kept once, which lead to that value */
    bool rests;           /* nothing was open when it was looked last, */
    value now;            /* and this was the value */
    uint64_t told, next;  /* events since then; so many at which to look */
    uint64_t looked;      /* what was told by then was looked at; */
    VECTOR(struct cas_moment) events; /* calls and answers since, in their order */

    /* While it is looked: */
    VECTOR(struct cas_stage) stages; /* the first one may be that of the initial value */
    VECTOR(struct cas_block) blocks; /* by their first answers */
    VECTOR(uint32_t) open;           /* questions of values of which nobody had answered then */
    VECTOR(struct added) unread;     /* what there is in `unseen` */
    VECTOR(struct cas_moment) moments;
    VECTOR(struct interval) intervals; /* index: of the operation */
    VECTOR(uint32_t) places;           /* of operations among the intervals */
    VECTOR(struct access) given;
    bool asks;           /* some cas that failed asks something */
    uint64_t open_since; /* what lies in front of it does not matter to cas that ask */
    VECTOR(struct cas_order) orders;
    struct table by_order;
    VECTOR(struct cas_lacking) lacking; /* to be put away */
    VECTOR(struct cas_operation) away;  /* their operations */
    VECTOR(uint64_t) lacks;             /* times by which pending writes must have taken effect */
    VECTOR(uint32_t) free;              /* of these, which is the next that has none */
    struct decision decision;
};

static inline bool cas_writes(const struct access *access)
{
    return access->kind == ACCESS_WRITE || access->kind == ACCESS_SWAP;
}

/* Those that run, of that kind. */
struct running *cas_running(struct cas_online *cas, enum access_kind kind);

/* The stage of a value; CAS_NONE. */
uint32_t cas_stage_of(const struct cas_online *cas, value v);

/* How many blocks answered in front of that time. */
size_t cas_blocks_before(const struct cas_online *cas, uint64_t time);

/* Of the first `count` blocks, but for `other`, the one that was invoked last; CAS_NONE. */
uint32_t cas_last_of(const struct cas_online *cas, size_t count, uint32_t other);

enum cas_stages {
    CAS_STAGES_FOUND, /* so all is linearizable but for cas that failed */
    CAS_STAGES_IN_DISORDER,
    CAS_STAGES_REFUSED,
};

/* Finds the stages and blocks of the operations, and what cas that failed ask. */
enum cas_stages cas_find_stages(struct cas_online *cas) MUST_CHECK;

/* Chooses which blocks are kept, and lets go of questions that need not be asked, whatever comes.
 */
void cas_settle_questions(struct cas_online *cas);

/* Lets go of what a block asks. */
void cas_settle_block(struct cas_online *cas, uint32_t number);

/* Whether a cas failed to find a value that may still not have been written. */
bool cas_asks_for_uncertain(const struct cas_online *cas);

/* Settles what blocks ask that nothing to come can change, of the first stretch in which some block
 * is due that has no place: these blocks are gone. False: none is settled. */
bool cas_settle_stretch(struct cas_online *cas);

/* Whether a cas that runs may turn out to have taken place in front of a block, with a value that
 * may have been written there. */
bool cas_may_precede(const struct cas_online *cas, const struct cas_block *block);

/* Whether some value can only have been replaced by pending writes. */
bool cas_wants_pending(const struct cas_online *cas);

/* Whether there are pending writes for the blocks that only such can have followed. */
enum cas_wanted {
    CAS_WANTED,
    CAS_WANTED_APART, /* of those that were put by */
    CAS_WANTED_OPEN,  /* for each block whose question is open, too */
};

enum cas_pending {
    CAS_PENDING_ENOUGH,
    CAS_PENDING_TOO_FEW,
    CAS_PENDING_REFUSED,
};

enum cas_pending cas_find_pending(struct cas_online *cas, enum cas_wanted what);

/* Forgets what no event to come can touch, behind cas_find_stages, if all is possible. False when
 * refused. */
bool cas_drop(struct cas_online *cas) MUST_CHECK;

#endif
