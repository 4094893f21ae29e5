/* What an assertion of a `.lin` module speaks of, compiled: the implementation as a model with the
 * threads, operations, values and nodes that were asked for, and the specification; or a program
 * with what it uses. */
#ifndef PROPERTY_LIN_INSTANCE_H
#define PROPERTY_LIN_INSTANCE_H

#include "model/lin_model.h"
#include "property/temporal.h"
#include "spec/spec.h"

struct lin_instance {
    const struct lin_module *module;
    const struct lin_assertion *assertion;
    struct value_pool *pool;
    struct labels *labels;
    struct budget *budget;
    struct arena arena; /* of what is compiled */
    struct spec *spec;
    struct lin_setting setting;
    struct lin_steps steps;
    struct lin_model model;
    uint32_t condition; /* of `never`, its number in the model; of `satisfies` one that is false */
    struct temporal temporal; /* of `satisfies` */
    enum fairness fairness;   /* that the assertion asks for */
    bool has_fairness;
    bool points_complete;
    bool has_steps, has_model;
    struct lin_words *words, own_words; /* of a program, shared by both sides */
    struct word_arrays objects;         /* of a program with a specification */
    struct error *error;
};

/* All but the assertion and fusion is borrowed and must outlive the instance. STATUS_INPUT: the
 * assertion or the model is wrong, with its place. Close whatever the status. */
enum status lin_instance_open(struct lin_instance *instance, const struct lin_module *module,
                              const struct lin_assertion *assertion,
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
