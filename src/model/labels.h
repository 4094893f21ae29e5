/* What the steps of models are labelled with, interned: equal labels, equal numbers, shared by an
 * implementation and its specification so that their events compare by number. Thread-safe. */
#ifndef MODEL_LABELS_H
#define MODEL_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/limits.h"
#include "base/text.h"

typedef uint32_t label;

#define LABEL_TAU       ((label)0) /* invisible */
#define LABEL_TERMINATE ((label)1) /* successful termination; visible */
#define LABEL_REFUSED   UINT32_MAX

enum label_kind {
    LABEL_EVENT,  /* name.1.2 */
    LABEL_OUTPUT, /* name!1.2 */
    LABEL_INPUT,  /* name?1.2 */
    LABEL_SYNC,   /* name.1.2, a communication over a channel without buffer */
    LABEL_NOTE,   /* how an invisible step is shown: the name alone */
};

struct labels;

struct labels *labels_create(struct budget *budget);
void labels_destroy(struct labels *labels);

/* The label of that kind, name (0-terminated, copied) and components (slots: integers or booleans
 * as in lang/bytecode.h); LABEL_REFUSED when refused. */
label labels_intern(struct labels *labels, enum label_kind kind, const char *name,
                    const uint32_t *components, size_t count) MUST_CHECK;

/* The same label seen through hiding: a note `[e.1]`. */
label labels_hidden(struct labels *labels, label visible) MUST_CHECK;

size_t labels_count(const struct labels *labels);
enum label_kind labels_kind(const struct labels *labels, label id);
const char *labels_name(const struct labels *labels, label id);
const uint32_t *labels_components(const struct labels *labels, label id, size_t *count);

/* Appends the label for people: "enq.0.1", "c!3", "terminate", "τ". */
void labels_print(const struct labels *labels, label id, struct text *text);

#endif
