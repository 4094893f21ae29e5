/* The objects that violation automata are checked for: what their methods are in terms of the
 * built-in specification. Every value is added at most once, as the theory wants it. */
#ifndef RULES_OBJECT_H
#define RULES_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

enum method_role {
    METHOD_ADDS,    /* brings its value in, at most once each */
    METHOD_ANSWERS, /* takes or reads a value */
    METHOD_EMPTY,   /* has no value: it found nothing, or the initial value */
};

struct rule_method {
    const char *name;      /* in automata: "Enq" */
    const char *operation; /* of the specification: "enqueue" */
};

#define METHOD_ROLES 3

struct rule_object {
    const char *name; /* of the specification */
    /* Values are processes and not arguments or results: of an owned mutex. */
    bool values_are_processes;
    uint32_t most_answers; /* for one value, in the histories that are enumerated */
    struct rule_method methods[METHOD_ROLES]; /* by role; no name: there is none */
};

/* Null if automata of that object cannot be checked. */
const struct rule_object *rule_object_find(const char *name);

/* The names of the objects, with commas. */
const char *rule_object_names(void);

/* The role of a method; METHOD_ROLES if the object has none of that name. */
uint32_t rule_object_find_method(const struct rule_object *object, const char *name);

#endif
