/* What the names of a script mean, place by place: who resolves a name notes where it stands and
 * where that is declared. A script without a list is read as ever.
 *
 * Of names that nothing declares, and of those that several declarations share, the first place
 * stands for the declaration (references_add_shared). */
#ifndef LANG_REFERENCES_H
#define LANG_REFERENCES_H

#include <stdbool.h>

#include "base/vector.h"
#include "lang/script.h"

enum reference_kind {
    REFERENCE_CONSTANT,
    REFERENCE_VARIABLE,
    REFERENCE_LOCAL,
    REFERENCE_PARAMETER,
    REFERENCE_FIELD,
    REFERENCE_TYPE,
    REFERENCE_OPERATION,
    REFERENCE_FUNCTION,
    REFERENCE_SPECIFICATION,
    REFERENCE_IMPLEMENTATION,
    REFERENCE_PROGRAM,
    REFERENCE_PROCESS,
    REFERENCE_CHANNEL,
    REFERENCE_EVENT,
    REFERENCE_KINDS,
};

struct reference {
    place at, declared;
    const char *name;
    uint8_t kind; /* enum reference_kind */
};

struct references {
    VECTOR(struct reference) items;
    bool refused; /* memory was: the list is not whole */
};

/* Notes that the name at `at` is what is declared at `declared`; `at` itself for a declaration.
 * Nothing is noted where the script's text has another name there: it came from elsewhere. The name
 * must live as long as the list is used. */
void references_add(const struct script *script, place at, const char *name, place declared,
                    enum reference_kind kind);

/* The same of a name that is declared nowhere, or in several places that mean one thing. */
void references_add_shared(const struct script *script, place at, const char *name,
                           enum reference_kind kind);

/* In the order of their places, each once; the first of shared ones is their declaration. */
void references_sort(struct references *references);

#endif
