/* Inside a `.lin` model: its states' parts, and their canonical form under symmetry. */
#ifndef MODEL_LIN_SYMMETRY_H
#define MODEL_LIN_SYMMETRY_H

#include "model/lin_model.h"

#define MOST_ARGUMENTS  16
#define MOST_COMPONENTS (MOST_ARGUMENTS + 2) /* of a label: the thread, the answer */
#define MOST_POOLS      64

static inline uint32_t *thread_slots(const struct lin_steps *steps, uint32_t *slots,
                                     uint32_t thread)
{
    return slots + steps->thread_first + thread * steps->thread_words;
}

static inline const uint32_t *thread_slots_of(const struct lin_steps *steps, const uint32_t *slots,
                                              uint32_t thread)
{
    return slots + steps->thread_first + thread * steps->thread_words;
}

static inline bool is_at_code(const uint32_t *own)
{
    return own[LIN_THREAD_AT] != 0 && own[LIN_THREAD_AT] != LIN_THREAD_FAULTED;
}

/* The operation that an instruction belongs to; of `init`, whose locals nobody renames, some one.
 */
static inline const struct lin_entry *entry_at(const struct lin_steps *steps, uint32_t instruction)
{
    static const struct lin_entry none = {.only = -1};
    uint32_t entry = 0;
    if (steps->object->operation_count == 0)
        return &none;
    while (entry + 1 < steps->object->operation_count &&
           steps->entries[entry + 1].start <= instruction)
        entry++;
    return &steps->entries[entry];
}

/* Where each pool's nodes begin when all are numbered in one row; returns how many there are. */
static inline uint32_t pool_starts(const struct lin_steps *steps, uint32_t starts[MOST_POOLS])
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        starts[i] = total;
        total += steps->pools[i].nodes;
    }
    return total;
}

/* Finds the items of the model's threads. False when refused. */
bool lin_find_own_items(struct lin_model *model) MUST_CHECK;

/* Whether the implementation's code has such an instruction. */
bool lin_steps_use(const struct lin_steps *steps, enum lin_step_op op);

/* Whether values can be exchanged as far as the implementation goes: it is called with some, there
 * are at least two and no more than 8. It can do nothing with them but keep and compare them. */
bool lin_model_has_values(const struct lin_steps *steps);

/* Makes a state canonical as the model's fusion asks for: nodes always, threads, values. `*by` says
 * how threads and values were renamed. False when refused. */
bool lin_symmetry_sort(struct lin_model *model, uint32_t *slots, struct lin_turn *by) MUST_CHECK;

#endif
