/* How many nodes the `init` of an implementation makes, found by running it. */
#ifndef IMPLEMENTATION_INIT_NODES_H
#define IMPLEMENTATION_INIT_NODES_H

#include "implementation/steps.h"
#include "model/labels.h"

/* Of each struct, in the order of the pools; the array is the arena's, null where there is no
 * struct. `setting` is the one that
 * the implementation will be compiled with. STATUS_INPUT: it does not compile, `init` goes wrong,
 * or makes more nodes than a state can hold; with the place. STATUS_LIMIT:
 * memory, or the limits (null: none) were reached. */
enum status lin_init_nodes(const struct lin_module *module, const struct lin_object *object,
                           const int32_t *parameters, const struct lin_setting *setting,
                           struct labels *labels, const struct limits *limits, struct arena *arena,
                           const uint32_t **made, struct error *error) MUST_CHECK;

#endif
