/* Values in a row: what queue, stack and deque have in common.
 *
 * The state has one word per value, front first (for a stack: bottom first, so that its top is the
 * back). The mutable object is a ring buffer. */
#ifndef SPEC_SEQUENCE_H
#define SPEC_SEQUENCE_H

#include "spec/spec.h"

enum sequence_end {
    SEQUENCE_FRONT,
    SEQUENCE_BACK,
};

/* The initial value is a list without nil. */
enum status sequence_create(struct spec *spec, struct error *error);
bool sequence_init(const struct spec *spec, value key, struct outcomes *state);
void sequence_print_state(const struct spec *spec, const uint64_t *words, size_t length,
                          struct text *text);

bool sequence_step_insert(const uint64_t *words, size_t length, enum sequence_end end,
                          const struct call *call, struct outcomes *outcomes) MUST_CHECK;
bool sequence_step_remove(const uint64_t *words, size_t length, enum sequence_end end,
                          const struct call *call, struct outcomes *outcomes) MUST_CHECK;

struct spec_object *sequence_open(const struct spec *spec, value key, struct budget *budget);
enum applied sequence_apply_insert(struct spec_object *object, enum sequence_end end,
                                   const struct call *call, value *result);
enum applied sequence_apply_remove(struct spec_object *object, enum sequence_end end,
                                   const struct call *call, value *result);
void sequence_close(struct spec_object *object);

#endif
