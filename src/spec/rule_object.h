/* The objects that violation automata are for: what their methods are in terms of the
 * specification. A method is an operation with the kind of answer it had, so that of an operation
 * there may be several. */
#ifndef SPEC_RULE_OBJECT_H
#define SPEC_RULE_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum method_role {
    METHOD_ADDS,    /* its argument is its value, which it brings in: at most once each */
    METHOD_ASKS,    /* its argument is its value */
    METHOD_ANSWERS, /* its result is its value */
    METHOD_EMPTY,   /* has no value: it found nothing, or the initial value */
};

enum method_result {
    RESULT_ITS_OWN, /* the value of METHOD_ANSWERS, nil of METHOD_EMPTY; else that it happened */
    RESULT_TRUE,
    RESULT_FALSE,
    RESULT_SYMBOL,
    RESULT_ANY,
};

struct object_method {
    const char *name;      /* in automata: "Enq" */
    const char *operation; /* of the specification: "enqueue" */
    enum method_role role;
    uint32_t most; /* for one value, in the histories that are enumerated; not of METHOD_EMPTY */
    enum method_result result;
    const char *symbol; /* of RESULT_SYMBOL: "full" */
};

/* So many times a value is taken, at most, in the histories that are enumerated: twice is enough to
 * take one that is not there. What only looks at it is repeated as often as fits into them. */
#define METHOD_TAKES 2
#define METHOD_LOOKS 4

/* More methods, marked copies among them, no automaton has. */
#define OBJECT_MOST_METHODS 16

struct rule_object {
    const char *name; /* of the specification */
    /* Values are processes, and neither arguments nor results: of an owned mutex. METHOD_ADDS
     * acquires and METHOD_ANSWERS releases, which only who has acquired may do. */
    bool values_are_processes;
    uint32_t most_number; /* of its parameter, as in semaphore(3), from 1; 0: it has none */
    /* The first is the one that adds; what takes a value away again, if any, is the second. */
    const struct object_method *methods;
    uint32_t method_count;
};

/* The object of a specification, with its parameter if it has one; null if there are no automata
 * of it. */
const struct rule_object *rule_object_find(const char *specification);

/* The names of the objects, with commas. */
const char *rule_object_names(void);

/* The index of a method; method_count if the object has none of that name. */
uint32_t rule_object_find_method(const struct rule_object *object, const char *name);

/* Appends "Enq, Deq, DeqEmpty". */
void rule_object_append_methods(const struct rule_object *object, struct text *text);

#endif
