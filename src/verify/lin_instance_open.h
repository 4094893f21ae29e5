/* Compiling what an assertion of a `.lin` module speaks of. */
#ifndef VERIFY_LIN_INSTANCE_OPEN_H
#define VERIFY_LIN_INSTANCE_OPEN_H

#include "verify/lin_instance.h"

/* All but the assertion and options is borrowed and must outlive the instance. Memory is charged to
 * the limits' budget; they are looked at where `init` is run to count its nodes. About any number
 * of threads, it is compiled as a thread system wants it (unbounded/thread_system.h). STATUS_INPUT:
 * the assertion or the model is wrong, with its place; of any number of threads also if the
 * implementation is not of the class (lin/class.h). Close whatever the status. */
enum status lin_instance_open(struct lin_instance *instance, const struct lin_module *module,
                              const struct lin_assertion *assertion,
                              const struct lin_options *options, struct labels *labels,
                              struct value_pool *pool, const struct limits *limits,
                              struct error *error) MUST_CHECK;

/* The same with so many threads, operations and values of an assertion about any number of threads,
 * of another one with so many values; null: as above. */
enum status lin_instance_open_bounded(struct lin_instance *instance,
                                      const struct lin_module *module,
                                      const struct lin_assertion *assertion,
                                      const struct lin_bounds *bounds,
                                      const struct lin_options *options, struct labels *labels,
                                      struct value_pool *pool, const struct limits *limits,
                                      struct error *error) MUST_CHECK;

/* The right side of a `refines` whose left side is open: the program with the specification. It
 * does what the algorithm must not do in no way. Close it before the left side. */
enum status lin_instance_open_specification(struct lin_instance *instance,
                                            struct lin_instance *implementation,
                                            const struct lin_options *options) MUST_CHECK;
void lin_instance_close(struct lin_instance *instance);

/* The specification that a `linearizes` names, by itself. Owned by the caller. */
enum status lin_assertion_spec(const struct lin_module *module,
                               const struct lin_assertion *assertion, struct value_pool *pool,
                               struct budget *budget, struct spec **spec,
                               struct error *error) MUST_CHECK;

#endif
