/* What the files of a specification in `.lin` share: its code at work, and its states.
 *
 * Where operations take effect together, words stand before the variables:
 *
 *     set begun | operations that are open: how many, which | four or five words a member |
 * variables
 *
 * The first is 0, or 1 + the number of a set of class.togethers that has begun, behind which its
 * members stand. Which operations are open, by call.number and ascending, is there only where some
 * may stay open (class.is_open). */
#ifndef LIN_SPEC_RUNNING_H
#define LIN_SPEC_RUNNING_H

#include <pthread.h>

#include "lin/machine.h"
#include "lin/spec_shape.h"
#include "spec/spec.h"

struct lin_spec {
    struct spec_class class;
    struct budget *budget;
    struct arena arena;
    struct script script;
    struct lin_module module;
    struct lin_program program;
    value *parameters;
    struct lin_shape *shapes;
    uint64_t *initial;
    size_t initial_length;
    pthread_mutex_t lock; /* of what follows */
    VECTOR(struct lin_machine *) idle;
    bool has_fault;
    struct error fault;
};

static inline struct lin_spec *lin_spec_of(const struct spec *spec)
{
    return spec->data;
}

/* A machine for the caller alone, to be given back, whose runs keep to the limits (null: to none);
 * null when refused. */
struct lin_machine *lin_spec_borrow(struct lin_spec *lin, const struct limits *limits);
void lin_spec_give_back(struct lin_spec *lin, struct lin_machine *machine);

/* A fault at run time: the first that is not of a trial (limits->fault) is remembered, and told
 * (class->fault). `limits` may be null. */
void lin_spec_remember_fault(struct lin_spec *lin, const struct limits *limits,
                             const struct error *fault);
enum status lin_spec_find_fault(const struct spec *spec, struct error *error);

/* Whether the answer `given` agrees with what was recorded. `ok` agrees with anything but another
 * symbol that the operation could have answered. */
bool lin_spec_agrees(const struct lin_spec *lin, const struct call *call, value given,
                     bool *refused);

/* How many words stand before the variables of a state in which no set has begun and nothing is
 * open. */
static inline size_t lin_spec_words_before(const struct lin_spec *lin)
{
    return lin->class.is_open ? 2 : lin->class.together_count ? 1 : 0;
}

/* Adds a state in which nothing is open, the variables in `words`, unless it is there from `first`
 * on. False when refused. */
bool lin_spec_add_whole(const struct lin_spec *lin, const uint64_t *words, size_t length,
                        value result, size_t first, struct outcomes *outcomes) MUST_CHECK;

/* Whether to run a further choice of the operation whose outcomes begin at `first`, by the limits
 * of the outcomes; *steps counts from 0 between two looks at them. */
bool lin_spec_goes_on(const struct outcomes *outcomes, size_t first, uint32_t *steps);

/* The outcomes of an operation that takes effect alone, from these variables. Its states are whole.
 */
bool lin_spec_step_alone(const struct spec *spec, const uint64_t *variables,
                         const struct call *call, struct outcomes *outcomes) MUST_CHECK;

#endif
