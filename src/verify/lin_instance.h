/* What an assertion of a `.lin` module speaks of, compiled: the implementation as a model with the
 * threads, operations, values and nodes that were asked for, and the specification; or a program
 * with what it uses. */
#ifndef VERIFY_LIN_INSTANCE_H
#define VERIFY_LIN_INSTANCE_H

#include "implementation/model.h"
#include "reduce/symmetry.h"
#include "spec/spec.h"
#include "verify/lin_any_rules.h"
#include "verify/temporal.h"

#define LIN_MOST_THREADS 64
#define LIN_MOST_VALUES  1000

/* Of an assertion with any number of threads: how many there are in one model of it. Of another
 * one: `values` in place of those that it says, unless 0. */
struct lin_bounds {
    uint32_t threads;
    int32_t operations; /* of each; -1: any number */
    uint32_t values;
    bool fresh; /* each value is passed once at most; as good as any values, for they are only
                   copied */
    const struct lin_schedule *schedule; /* what executions begin with (lin_scheduled.h); null:
                                            whatever they please */
};

struct lin_instance {
    const struct lin_module *module;
    const struct lin_assertion *assertion;
    struct value_pool *pool;
    struct labels *labels;
    const struct limits *limits; /* of compiling it */
    struct budget *budget;       /* theirs */
    struct arena arena;          /* of what is compiled */
    struct spec *spec;
    const char *name; /* of it, with its number: "semaphore(2)" */
    struct lin_setting setting;
    struct lin_steps steps;
    struct lin_model model;
    struct symmetry symmetry;    /* on top of it, where something in it is alike */
    const struct model *reduced; /* the one or the other: what is searched */
    uint32_t condition; /* of `never`, its number in the model; of `satisfies` one that is false */
    struct temporal temporal; /* of `satisfies` */
    enum fairness fairness;   /* that the assertion asks for */
    bool has_fairness;
    bool points_complete;
    const struct lin_object *own; /* the specification, where it is one of the file; or null */
    bool waits;             /* of progress: its operations wait, so that `spec` is there as well */
    bool treats_alike;      /* the specification does all values, and all threads */
    bool is_any;            /* any number of threads is asked for */
    bool any_nodes;         /* then: the heap has no bound */
    bool by_points;         /* then: no automata are asked, but linearization points looked for */
    bool by_specification;  /* any_nodes: no automata are asked, but the specification itself */
    struct any_rules rules; /* then: those of the specification */
    bool has_steps, has_model;
    struct lin_words *words, own_words; /* of a program, shared by both sides */
    struct word_arrays objects;         /* of a program with a specification */
    struct error *error;
};

#endif
