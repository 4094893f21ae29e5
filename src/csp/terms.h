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
 * Expressions and programs are code_ids, constants included. */
#ifndef CSP_TERMS_H
#define CSP_TERMS_H

#include "base/interning.h"
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
};

/* What becomes of an input for given values. */
struct instance {
    code_id guard, program; /* 0: none */
    term rest;
};

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

struct csp_terms {
    struct csp_program *program;
    struct csp_counting counting;
    struct labels *labels;
    struct budget *budget;
    struct limits *limits; /* looked at in long work; not owned; null: none */
    uint32_t worked;       /* pieces of work since the last look */
    struct arena arena;
    struct word_arrays terms;
    struct word_arrays label_sets;   /* ascending labels: hidden sets, alphabets */
    struct word_arrays closure_keys; /* number = index into closures */
    VECTOR(struct closure) closures;
    struct word_arrays instance_keys; /* closure, values...: index into instances */
    VECTOR(struct instance) instances;
    struct word_arrays body_keys; /* definition, values...: index into bodies */
    VECTOR(term) bodies;
    VECTOR(uint32_t) fixed;        /* of each term what is the same in every state: see moves */
    VECTOR(uint32_t) scratch;      /* for building terms; used as a stack */
    unsigned depth;                /* of instantiation */
    bool keeps_origins;            /* of the terms made from now on */
    VECTOR(struct origin) origins; /* by term */
};

enum status csp_terms_create(struct csp_program *program, struct labels *labels,
                             struct limits *limits, struct csp_terms *terms) MUST_CHECK;
void csp_terms_release(struct csp_terms *terms);

static inline enum term_kind term_kind_of(const struct csp_terms *terms, term t)
{
    return (enum term_kind)terms->terms.items.items[t][1];
}

/* The words after the kind. */
static inline const uint32_t *term_words(const struct csp_terms *terms, term t, size_t *length)
{
    const uint32_t *words = terms->terms.items.items[t];
    *length = words[0] - 1;
    return words + 2;
}

/* Constructors apply the identities of csp-sharp: sequence after Skip, flat interleaving without
 * Skip, choices without Stop, merged hiding. TERM_REFUSED when refused, or when a part is. */
term term_make(struct csp_terms *terms, enum term_kind kind, const uint32_t *words,
               size_t length) MUST_CHECK;
term term_sequence(struct csp_terms *terms, term first, term second) MUST_CHECK;
term term_interleave(struct csp_terms *terms, const term *children, size_t count) MUST_CHECK;
/* An interleaving of which some components have changed: where places are kept, as it is. */
term term_interleaved(struct csp_terms *terms, const term *children, size_t count) MUST_CHECK;
term term_choice(struct csp_terms *terms, enum term_kind kind, const term *children,
                 size_t count) MUST_CHECK;
term term_hide(struct csp_terms *terms, uint32_t set, term child) MUST_CHECK;
term term_atomic(struct csp_terms *terms, term child) MUST_CHECK;

/* `pairs` (count, child), in any order, with repetitions. */
term term_copies(struct csp_terms *terms, bool any, const uint32_t *pairs, size_t count) MUST_CHECK;

/* The term of a process in a scope of constants. STATUS_INPUT for what is wrong with the model. */
enum status csp_instantiate(struct csp_terms *terms, const struct csp_process *process,
                            const struct scope *scope, term *result,
                            struct error *error) MUST_CHECK;

/* To be called for each piece of work that a model may ask for any number of: STATUS_LIMIT when a
 * limit is reached. */
enum status csp_look(struct csp_terms *terms) MUST_CHECK;

/* The body of a definition for these arguments, cached. */
enum status csp_unfold(struct csp_terms *terms, uint32_t definition, const datum *arguments,
                       size_t count, term *body, struct error *error) MUST_CHECK;

/* Whether an argument of an input only receives: a name with no meaning in the scope around it. */
bool csp_receives(const struct csp_terms *terms, const struct csp_expression *argument,
                  const struct scope *scope);

/* What an input becomes when it receives these values. */
enum status csp_receive(struct csp_terms *terms, uint32_t closure, const uint32_t *values,
                        size_t count, struct instance *instance, struct error *error) MUST_CHECK;

/* The alphabet of a process as a component of `||`: an interned set of labels. */
enum status csp_alphabet(struct csp_terms *terms, const struct csp_process *process,
                         const struct scope *scope, uint32_t *set, struct error *error) MUST_CHECK;

/* The labels of `x:{0..2} @ e.x, f`: an interned set. */
enum status csp_event_sets(struct csp_terms *terms, const struct csp_event_set *sets,
                           uint32_t count, const struct scope *scope, uint32_t *set,
                           struct error *error) MUST_CHECK;

/* The kind and name of an event, and how many of its components belong to that: `inv.push.0` is the
 * call of `push` with the component 0, where `push` is declared nowhere (and so for res and lin).
 */
struct csp_event_head {
    enum label_kind kind;
    const char *name;
    uint32_t taken;
};

struct csp_event_head csp_event_head(const struct csp_terms *terms, const struct csp_event *event,
                                     const struct scope *scope);

/* The label of an event whose components are constant in the scope. */
enum status csp_event_label(struct csp_terms *terms, const struct csp_event *event,
                            const struct scope *scope, label *result,
                            struct error *error) MUST_CHECK;

/* Interns a set of labels given in any order; UINT32_MAX when refused. */
uint32_t csp_label_set(struct csp_terms *terms, const label *items, size_t count) MUST_CHECK;

bool label_set_has(const struct csp_terms *terms, uint32_t set, label l);

/* Calls `visit` for each combination of values of the ranges, bound innermost last; stops at a
 * status other than OK. */
typedef enum status range_visit(void *context, const struct scope *scope, struct error *error);
enum status csp_ranges(struct csp_terms *terms, const struct csp_range *ranges, uint32_t count,
                       const struct scope *scope, range_visit *visit, void *context,
                       struct error *error) MUST_CHECK;

/* Whether `name` occurs in the process outside what it binds itself. */
bool csp_mentions(const struct csp_process *process, const char *name);

#endif
