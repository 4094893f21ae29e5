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
    REFERENCE_RULES,
    REFERENCE_RULE,
    REFERENCE_AUTOMATON,
    REFERENCE_METHOD,
    REFERENCE_STATE,
    REFERENCE_KINDS,
};

#define REFERENCE_BUILT_IN (UINT32_MAX - 1)

struct reference {
    place at, declared; /* REFERENCE_BUILT_IN: nothing declares it */
    const char *name;
    uint8_t kind; /* enum reference_kind */
};

/* How a text that is wrong could be read: without these bytes, or with a sign in place of the first
 * of them. */
struct repair {
    place from, to;
    char sign; /* a space: all are left out */
};

struct references {
    VECTOR(struct reference) items;
    VECTOR(struct repair) repairs;
    bool reached; /* the parser and what it needs went through: names were looked at */
    bool refused; /* memory was: the list is not whole */
};

void references_init(struct references *references, struct budget *budget);
void references_release(struct references *references);

/* Notes that the name at `at` is what is declared at `declared`; `at` itself for a declaration.
 * Nothing is noted where the script's text has another name there: it came from elsewhere. The name
 * must live as long as the list is used. */
void references_add(const struct script *script, place at, const char *name, place declared,
                    enum reference_kind kind);

/* The same of a name that is declared nowhere, or in several places that mean one thing. */
void references_add_shared(const struct script *script, place at, const char *name,
                           enum reference_kind kind);

/* The same of one that is built in. */
void references_add_builtin(const struct script *script, place at, const char *name,
                            enum reference_kind kind);

/* Says that names are looked at from now on. */
void references_reach(const struct script *script);

/* Notes that the parser went on behind what is wrong: it left these bytes out, or did as if there
 * were a sign behind the token that ends at `at`, in the statement that begins there. */
void references_leave_out(const struct script *script, place from, place to);
void references_put(const struct script *script, place at, place statement, char sign);

/* A copy of the script in the arena with these repairs, or without the line where nothing was
 * repaired (`file` may be null: the model's own). False: memory was refused. */
bool references_repair(const struct references *references, const struct script *script,
                       struct arena *arena, const char *file, uint32_t line,
                       struct script *repaired) MUST_CHECK;

/* In the order of their places, each once; the first of shared ones is their declaration. */
void references_sort(struct references *references);

#endif
