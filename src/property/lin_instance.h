/* What an assertion of a `.lin` module speaks of, compiled: the implementation as a model with the
 * threads, operations, values and nodes that were asked for, and the specification; or a program
 * with what it uses. */
#ifndef PROPERTY_LIN_INSTANCE_H
#define PROPERTY_LIN_INSTANCE_H

#include "model/lin_model.h"
#include "property/lin_any_rules.h"
#include "property/temporal.h"
#include "spec/spec.h"

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
    struct budget *budget;
    struct arena arena; /* of what is compiled */
    struct spec *spec;
    const char *name; /* of it, with its number: "semaphore(2)" */
    struct lin_setting setting;
    struct lin_steps steps;
    struct lin_model model;
    uint32_t condition; /* of `never`, its number in the model; of `satisfies` one that is false */
    struct temporal temporal; /* of `satisfies` */
    enum fairness fairness;   /* that the assertion asks for */
    bool has_fairness;
    bool points_complete;
    bool treats_alike;      /* the specification does all values, and all threads */
    bool is_any;            /* any number of threads is asked for */
    bool by_points;         /* then: no automata are asked, but linearization points looked for */
    struct any_rules rules; /* then: those of the specification */
    bool has_steps, has_model;
    struct lin_words *words, own_words; /* of a program, shared by both sides */
    struct word_arrays objects;         /* of a program with a specification */
    struct error *error;
};

/* Whether an assertion is about any number of threads. */
bool lin_assertion_is_any(const struct lin_assertion *assertion);

/* All but the assertion and fusion is borrowed and must outlive the instance. About any number of
 * threads, it is compiled as a thread system wants it (petri/thread_system.h). STATUS_INPUT: the
 * assertion or the model is wrong, with its place; of any number of threads also if the
 * implementation is not of the class (lin_class.h). Close whatever the status. */
enum status lin_instance_open(struct lin_instance *instance, const struct lin_module *module,
                              const struct lin_assertion *assertion,
                              const struct lin_fusion *fusion, struct labels *labels,
                              struct value_pool *pool, struct budget *budget,
                              struct error *error) MUST_CHECK;

/* The same with so many threads, operations and values of an assertion about any number of threads,
 * of another one with so many values; null: as above. */
enum status lin_instance_open_bounded(struct lin_instance *instance,
                                      const struct lin_module *module,
                                      const struct lin_assertion *assertion,
                                      const struct lin_bounds *bounds,
                                      const struct lin_fusion *fusion, struct labels *labels,
                                      struct value_pool *pool, struct budget *budget,
                                      struct error *error) MUST_CHECK;

/* The right side of a `refines` whose left side is open: the program with the specification. It
 * does what the algorithm must not do in no way. Close it before the left side. */
enum status lin_instance_open_specification(struct lin_instance *instance,
                                            struct lin_instance *implementation,
                                            const struct lin_fusion *fusion) MUST_CHECK;
void lin_instance_close(struct lin_instance *instance);

/* The specification that a `linearizes` names, by itself. Owned by the caller. */
enum status lin_assertion_spec(const struct lin_module *module,
                               const struct lin_assertion *assertion, struct value_pool *pool,
                               struct budget *budget, struct spec **spec,
                               struct error *error) MUST_CHECK;

#endif
