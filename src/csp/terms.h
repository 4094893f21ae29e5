/* The control of a CSP# model: process terms with their parameters put in, interned. A term is an
 * array of words, its kind first; equal terms have equal numbers, so a step that changes one
 * component of a composition interns one short array and rebuilds nothing.
 *
 *     STOP, SKIP    -
 *     EVENT         name (0: tau), program, rest, components...        name: index + 1 of `names`
 *     OUTPUT        channel, index, program, rest, values...           index: code, 0: none
 *     INPUT         closure: the node and the values around it
 *     REFERENCE     definition, arguments...                           evaluated when it steps
 *     SEQUENCE      first, second
 *     GUARD         condition, child
 *     IF, IF_ATOMIC condition, then, else
 *     IF_BLOCKING   condition, then
 *     CASE          condition, child, condition, child, ...            condition 0: default
 *     CHOICE, INTERNAL, EXTERNAL, INTERLEAVE  children...
 *     PARALLEL      number of children, children..., an alphabet for each
 *     COPIES        1 if any number else 0; then count (or COPIES_ANY, COPIES_MANY), child, ... by
 *                   child
 *     INTERRUPT     first, second
 *     HIDE          set of labels, child
 *     ATOMIC        child
 *     ASSERT        condition
 *
 * Expressions and programs are code_ids, constants included.
 *
 * Terms are in a pool that all workers of a model share. What is there is found and read without a
 * lock, and a term has one number, whichever worker came to it first. What is made of syntax
 * (terms, code) is made by one thread at a time, which holds the program's lock: references and
 * inputs are instantiated only when they step, because their arguments are known then. Each worker
 * has a `struct csp_terms` of its own, the pool with room to work in. */
#ifndef CSP_TERMS_H
#define CSP_TERMS_H

#include "base/shared_words.h"
#include "csp/compile.h"
#include "model/labels.h"

typedef uint32_t term;

#define TERM_STOP    ((term)0)
#define TERM_SKIP    ((term)1)
#define TERM_REFUSED UINT32_MAX
#define COPIES_ANY   UINT32_MAX       /* one or more; without a cut-off: always one more */
#define COPIES_MANY  (UINT32_MAX - 1) /* more than the cut-off */

enum term_kind {
    TERM_KIND_STOP,
    TERM_KIND_SKIP,
    TERM_KIND_EVENT,
    TERM_KIND_OUTPUT,
    TERM_KIND_INPUT,
    TERM_KIND_REFERENCE,
    TERM_KIND_SEQUENCE,
    TERM_KIND_GUARD,
    TERM_KIND_IF,
    TERM_KIND_IF_ATOMIC,
    TERM_KIND_IF_BLOCKING,
    TERM_KIND_CASE,
    TERM_KIND_CHOICE,
    TERM_KIND_INTERNAL,
    TERM_KIND_EXTERNAL,
    TERM_KIND_INTERLEAVE,
    TERM_KIND_PARALLEL,
    TERM_KIND_COPIES,
    TERM_KIND_INTERRUPT,
    TERM_KIND_HIDE,
    TERM_KIND_ATOMIC,
    TERM_KIND_ASSERT,
};

/* The node of an input, with the values of the names in it that are bound outside: what is left of
 * the process depends on what it receives. Of equal inputs the first one's. */
struct closure {
    const struct csp_process *node;
    const struct scope *scope; /* constants only; owned by the arena */
    const code_id *codes; /* of the channel's index, then of each argument that is compared with
                             what comes; 0 where there is none; CODE_WRONG: it does not compile */
};

#define CODE_WRONG UINT32_MAX

/* A process and the names around it, of which a term was made. */
struct origin {
    const struct csp_process *process; /* null: unknown */
    const struct scope *scope;         /* owned by the arena */
};

/* The greatest cut-off. */
#define CSP_MOST_CUT_OFF 8

/* What `|||{..} @ P` stands for. By default for copies without end: always one more. With `copies`
 * for that many. With a cut-off (at most CSP_MOST_CUT_OFF) for every number of copies from one on:
 * how many are where is counted up to the cut-off, beyond it are many. One fewer than many is many,
 * or as many as the cut-off. */
struct csp_counting {
    uint32_t copies, cut_off; /* 0: not so */
    bool apart; /* components of an interleaving keep their places for good, copies are ordered ones
                   (unless they are without end or counted): who a process is shows in its place */
};

/* What all workers of a model share. */
struct csp_term_pool {
    struct csp_program *program;
    struct csp_counting counting;
    struct labels *labels;
    struct budget *budget;
    struct limits *limits; /* looked at in long work; not owned; null: none */
    struct shared_words terms;
    struct shared_words label_sets;   /* ascending labels: hidden sets, alphabets */
    struct shared_words closure_keys; /* number = index into closures */
    struct blocks closures;           /* struct closure */
    /* The rest is written, and origins are read too, with the program's lock held. */
    struct arena arena;    /* scopes, names */
    struct blocks origins; /* struct origin, by term */
};

/* The pool as one thread uses it. */
struct csp_terms {
    struct csp_term_pool *pool; /* not owned */
    uint32_t worked;            /* pieces of work since the last look at the limits */
    VECTOR(uint32_t) scratch;   /* for building terms; used as a stack */
    unsigned depth;             /* of instantiation */
};

/* Release whatever the status. */
enum status csp_term_pool_create(struct csp_program *program, struct labels *labels,
                                 struct limits *limits, const struct csp_counting *counting,
                                 struct csp_term_pool *pool) MUST_CHECK;
void csp_term_pool_release(struct csp_term_pool *pool);

void csp_terms_init(struct csp_terms *terms, struct csp_term_pool *pool);
void csp_terms_release(struct csp_terms *terms);

/* Around all that compiles or instantiates, once there may be several workers. */
void csp_terms_lock(struct csp_terms *terms);
void csp_terms_unlock(struct csp_terms *terms);

static inline enum term_kind term_kind_of(const struct csp_terms *terms, term t)
{
    size_t length;
    return (enum term_kind)shared_words_get(&terms->pool->terms, t, &length)[0];
}

/* The words after the kind; they stay where they are. */
static inline const uint32_t *term_words(const struct csp_terms *terms, term t, size_t *length)
{
    const uint32_t *words = shared_words_get(&terms->pool->terms, t, length);
    assert(*length > 0);
    --*length;
    return words + 1;
}

/* Where the terms below one stand in its words: at first, first + step, ... */
struct term_parts {
    size_t first, step, count;
};

/* False where it cannot be taken apart: it then was made of a process, never by a step. */
bool term_parts(const struct csp_terms *terms, term t, struct term_parts *parts);

/* What the term was made of; takes the program's lock. */
struct origin csp_origin_of(struct csp_terms *terms, term t);

/* To be called for each piece of work that a model may ask for any number of: STATUS_LIMIT when a
 * limit is reached. */
enum status csp_look(struct csp_terms *terms) MUST_CHECK;

/* Constructors apply the identities of csp-sharp: sequence after Skip, flat interleaving without
 * Skip, choices without Stop, merged hiding. TERM_REFUSED when refused, or when a part is. */
term term_make(struct csp_terms *terms, enum term_kind kind, const uint32_t *words,
               size_t length) MUST_CHECK;
term term_sequence(struct csp_terms *terms, term first, term second) MUST_CHECK;
term term_interleave(struct csp_terms *terms, const term *children, size_t count) MUST_CHECK;
/* Whether choices drop it. */
bool term_is_stop(const struct csp_terms *terms, term t);

/* An interleaving of which some components have changed: where places are kept, as it is. */
term term_interleaved(struct csp_terms *terms, const term *children, size_t count) MUST_CHECK;
term term_choice(struct csp_terms *terms, enum term_kind kind, const term *children,
                 size_t count) MUST_CHECK;
term term_hide(struct csp_terms *terms, uint32_t set, term child) MUST_CHECK;
term term_atomic(struct csp_terms *terms, term child) MUST_CHECK;

/* `pairs` (count, child), in any order, with repetitions. */
term term_copies(struct csp_terms *terms, bool any, const uint32_t *pairs, size_t count) MUST_CHECK;

/* A term of a kind that can be taken apart, put together again with other parts. */
term term_rebuild(struct csp_terms *terms, enum term_kind kind, const uint32_t *words,
                  size_t length) MUST_CHECK;

/* Interns a set of labels given in any order; UINT32_MAX when refused. */
uint32_t csp_label_set(struct csp_terms *terms, const label *items, size_t count) MUST_CHECK;

bool label_set_has(const struct csp_terms *terms, uint32_t set, label l);

#endif
