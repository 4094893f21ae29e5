/* The events of models: what the edges of a state graph are labelled with. An event is a typed
 * record, and interned: equal events, equal numbers, shared by an implementation and its
 * specification, so that searches compare numbers and know an event by its kind. Its name is for
 * people: it is made where it is printed, and nowhere else.
 *
 * Threads share them: whoever interns an event first, the others are given the same number. What is
 * there is found and read without a lock. */
#ifndef MODEL_LABELS_H
#define MODEL_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attributes.h"
#include "base/limits.h"
#include "base/text.h"
#include "model/turning.h"

typedef uint32_t label;

#define LABEL_TAU       ((label)0) /* invisible */
#define LABEL_TERMINATE ((label)1) /* successful termination; visible */
#define LABEL_REFUSED   UINT32_MAX

/* Components are slots: integers or booleans as in code/word.h; null in a result of several. */
#define COMPONENT_FALSE ((uint32_t)INT32_MIN)
#define COMPONENT_TRUE  ((uint32_t)INT32_MIN + 1)
#define COMPONENT_NULL  ((uint32_t)INT32_MIN + 4)

enum label_kind {
    /* Events that a model gives names to. */
    LABEL_EVENT,  /* name.1.2 */
    LABEL_OUTPUT, /* name!1.2 */
    LABEL_INPUT,  /* name?1.2 */
    LABEL_SYNC,   /* name.1.2, a communication over a channel without buffer */
    LABEL_NOTE,   /* how an invisible step is shown: the name alone; of a statement the component is
                     its line, and the symbol the included file that it is in, or null */

    /* Operations of an object; the first component is the thread. */
    LABEL_INVOKE,  /* inv.name.thread.arguments */
    LABEL_RESPOND, /* res.name.thread.result, without the result where there is nothing or nil;
                      res.name=symbol.thread where it is a symbol */
    LABEL_POINT,   /* lin.name.thread.arguments.result; lin.name=?.thread.arguments where the
                      result is left to the response */

    /* What else an implementation in .lin does; no event of a model has these. */
    LABEL_FAULT,        /* fault: what the algorithm must not do */
    LABEL_ERROR,        /* error: where the model itself is wrong, if that ends no search */
    LABEL_NO_POINT,     /* no-point.thread.instruction: a return without a linearization point */
    LABEL_SECOND_POINT, /* second-point.thread.instruction.owner: one linearization point too many
                           of the owner's operation */
    LABEL_IDLE_POINT,   /* idle-point.thread.instruction.owner: the owner runs no operation */
    LABEL_CHANGE,       /* change.thread: a step that other threads may notice */

    /* Made of others. */
    LABEL_SEVERAL, /* one step is several events: their labels, in order */
    LABEL_TURN,    /* components: the step's own label, then the renumbering of its state: the
                      permutations of threads and of values */
    LABEL_NAME,    /* no event: the name that events of a kind have; the component is the kind */
};

/* An event, in memory of the labels that it was taken from. */
struct action {
    enum label_kind kind;
    const char *name;   /* null where the kind has none */
    const char *symbol; /* of an answer that is a symbol, or "?"; else null */
    const uint32_t *components;
    uint32_t count;
};

struct labels;

struct labels *labels_create(struct budget *budget);
void labels_destroy(struct labels *labels);

/* A text of which there is one copy: equal texts, equal addresses. Null when refused. */
const char *labels_text(struct labels *labels, const char *text, size_t length) MUST_CHECK;

/* The label of an event, which is copied; its texts must come from labels_text, or from an event of
 * these labels. LABEL_REFUSED when refused. */
label labels_intern(struct labels *labels, const struct action *action) MUST_CHECK;

/* The label of a named event, whose name is any text; LABEL_REFUSED when refused. */
label labels_intern_named(struct labels *labels, enum label_kind kind, const char *name,
                          const uint32_t *components, size_t count) MUST_CHECK;

/* The label of a step behind which the state was renumbered: the step's own where nothing was;
 * LABEL_REFUSED when refused. */
label labels_renumbered(struct labels *labels, label own, struct renumbering by) MUST_CHECK;

/* The step's own label, and how the state was renumbered behind it. */
label labels_own(const struct labels *labels, label l, struct renumbering *by);

/* The same label seen through hiding: a note `[e.1]`. */
label labels_hidden(struct labels *labels, label visible) MUST_CHECK;

size_t labels_count(const struct labels *labels);

/* The event that the label stands for; it stays where it is. */
const struct action *labels_get(const struct labels *labels, label id);

/* Copies an event, all it points to included, into an arena; false when refused. */
bool action_copy(struct arena *arena, const struct action *action, struct action *copy) MUST_CHECK;

/* The kind of a label: LABEL_NOTE of LABEL_TAU. */
static inline enum label_kind labels_kind(const struct labels *labels, label id)
{
    return labels_get(labels, id)->kind;
}

/* Appends the label for people: "enq.0.1", "c!3", "inv.push.0.1", "terminate", "τ"; the events of
 * one step with spaces between them. */
void labels_print(const struct labels *labels, label id, struct text *text);

/* The kind of events whose names begin with this word: `inv`, `res`, `lin`; else LABEL_EVENT. */
enum label_kind label_kind_of_word(const char *word);

#endif
