/* Decides whether a configuration of several registers is hopeless: whether one of them, by itself,
 * can no longer go on as recorded. A small search for each register, each of whose configurations
 * is asked about once.
 *
 * Which of two concurrent transactions wrote a register first shows only when it is next read,
 * which of a thousand registers may be thousands of operations later; a wrong guess would be paid
 * for with all that is tried in between. But the reads are on record. What a linearization leaves
 * of the operations on one register is a linearization for that register, so a configuration is
 * hopeless if for some register there is none. A register has few operations at once, which keeps
 * that search small. */
#ifndef SEARCH_REGISTER_LOOKAHEAD_H
#define SEARCH_REGISTER_LOOKAHEAD_H

#include "monitor/numbering.h"
#include "search/plan.h"

/* What an operation does to one register. */
struct touch {
    uint32_t operation, number; /* of the register */
    value needs, sets;
    bool has_needs, has_sets;
    uint8_t slot; /* among the operations on the register, from invocation to response */
};

struct one_register;

/* A configuration of one register: the response that is due there, the operations on it that run
 * then and have taken effect, and what it holds. */
struct register_configuration {
    uint32_t number, response;
    uint64_t done;
    value holds;
};

/* What an operation on the trail replaced. */
struct register_change {
    uint32_t place; /* on the trail */
    uint32_t number;
    value held;
};

/* A configuration whose successors are being tried: from `next` on, in registers->next. */
struct register_frame {
    uint32_t configuration;
    size_t next;
};

struct register_lookahead {
    bool applies;
    bool looked; /* at every register once */
    const struct plan *plan;
    struct limits *limits;
    struct arena arena;
    struct numbering numbering;
    struct one_register *all;
    VECTOR(value) keys;           /* of the registers */
    VECTOR(struct touch) touches; /* by operation: those of operation i begin at first[i] */
    uint32_t *first;
    struct array_table met;   /* configurations ... */
    VECTOR(uint8_t) verdicts; /* ... and whether they can go on */
    VECTOR(struct register_frame) frames;
    VECTOR(struct register_configuration) next; /* of the frames */
    VECTOR(struct register_change) changes;     /* along the trail */
    uint32_t followed;                          /* of the trail */
    uint64_t work, most_work;
};

/* It applies to multi-register. `plan` and `limits` outlive it. False when a budget refuses; to be
 * released all the same. */
bool register_lookahead_init(struct register_lookahead *registers, const struct plan *plan,
                             struct limits *limits) MUST_CHECK;
void register_lookahead_release(struct register_lookahead *registers);

/* To be told before the trail is cut to `length`. Only if it applies. */
void register_lookahead_cut(struct register_lookahead *registers, uint32_t length);

enum outlook {
    OUTLOOK_HOPELESS, /* no linearization continues the configuration */
    OUTLOOK_OPEN,
    OUTLOOK_REFUSED, /* a limit was reached, or a budget refused */
};

/* Of the configuration at the due response `event`, if the one that it followed, of the trail's
 * first operations up to the last that was asked about and not cut, was not hopeless. Only if it
 * applies; where the question proves to be too hard it applies no more. */
enum outlook register_lookahead_look(struct register_lookahead *registers, uint32_t event,
                                     const uint64_t *load, const uint32_t *trail, uint32_t length);

#endif
