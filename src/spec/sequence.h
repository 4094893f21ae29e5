/* Values in a row: what queue, stack and deque have in common. They differ only in which operation
 * works at which end. With a parameter n they hold at most n values: an insertion answers whether
 * there was room.
 *
 * The state has one word per value, front first (for a stack: bottom first, so that its top is the
 * back). The mutable object is a ring buffer. */
#ifndef SPEC_SEQUENCE_H
#define SPEC_SEQUENCE_H

#include "spec/spec.h"

enum sequence_operation {
    SEQUENCE_INSERT_FRONT,
    SEQUENCE_INSERT_BACK,
    SEQUENCE_REMOVE_FRONT,
    SEQUENCE_REMOVE_BACK,
};

/* For a class's `create`: the initial value is a list without nil, of at most n values if the class
 * has a parameter n, which is at least 1. `operations`, static, says what each operation of the
 * class is. */
enum status sequence_create(struct spec *spec, const enum sequence_operation *operations,
                            struct error *error) MUST_CHECK;

/* The members of the class. */
enum status sequence_bind(const struct spec *spec, uint16_t operation,
                          const struct recorded *recorded, struct call *call,
                          struct text *complaint);
bool sequence_init(const struct spec *spec, value key, struct outcomes *state);
bool sequence_step(const struct spec *spec, const uint64_t *words, size_t length,
                   const struct call *call, struct outcomes *outcomes);
bool sequence_rename(const struct spec *spec, const struct renaming *renaming, uint64_t *words,
                     size_t length);
void sequence_print_state(const struct spec *spec, const uint64_t *words, size_t length,
                          struct text *text);
struct spec_object *sequence_open(const struct spec *spec, value key, struct budget *budget);
enum applied sequence_apply(struct spec_object *object, const struct call *call, value *result);
void sequence_close(struct spec_object *object);

#define SEQUENCE_MEMBERS                                                                           \
    .bind = sequence_bind, .init = sequence_init, .step = sequence_step,                           \
    .rename = sequence_rename, .print_state = sequence_print_state, .open = sequence_open,         \
    .apply = sequence_apply, .close = sequence_close

/* Of a specification made by sequence_create: whether a call inserts a value. */
bool sequence_inserts(const struct spec *spec, const struct call *call);

/* Step of a removal at the front: also the least of a sorted state (priority-queue). */
bool sequence_step_front(const uint64_t *words, size_t length, const struct call *call,
                         struct outcomes *outcomes) MUST_CHECK;

#endif
