#include "rules/linearize.h"

#include <string.h>

#include "base/interning.h"

struct linearizing {
    const struct spec *spec;
    const struct rule_object *object;
    const struct labelling *labelling;
    const struct word *word;
    struct call calls[HISTORY_MOST_OPERATIONS];
    struct word_arrays tried; /* what has taken effect, and the state */
    VECTOR(uint32_t) key;
    struct budget *budget;
    bool found;
};

/* `*fresh`: it has not been tried. False when refused. */
static bool try_once(struct linearizing *linearizing, unsigned done, const uint64_t *words,
                     size_t length, bool *fresh)
{
    if (!vector_reserve(&linearizing->key, 1 + 2 * length))
        return false;
    linearizing->key.items[0] = done;
    if (length)
        memcpy(linearizing->key.items + 1, words, length * sizeof *words);
    return word_arrays_intern(&linearizing->tried, linearizing->key.items, 1 + 2 * length, fresh) !=
           UINT32_MAX;
}

static bool linearize_from(struct linearizing *linearizing, unsigned done, const uint64_t *words,
                           size_t length);

static bool take_effect(struct linearizing *linearizing, unsigned done, const uint64_t *words,
                        size_t length, unsigned operation)
{
    const struct spec *spec = linearizing->spec;
    struct outcomes outcomes;
    outcomes_init(&outcomes, linearizing->budget);
    bool good = spec->class->step(spec, words, length, &linearizing->calls[operation], &outcomes);
    for (size_t i = 0; good && i < outcomes.items.length && !linearizing->found; i++)
        good = linearize_from(linearizing, done | 1u << operation,
                              outcomes.words.items + outcomes.items.items[i].start,
                              outcomes.items.items[i].length);
    outcomes_release(&outcomes);
    return good;
}

static bool linearize_from(struct linearizing *linearizing, unsigned done, const uint64_t *words,
                           size_t length)
{
    const struct labelling *labelling = linearizing->labelling;
    bool fresh, good = try_once(linearizing, done, words, length, &fresh);
    linearizing->found = good && done == (1u << labelling->count) - 1;
    if (!good || !fresh)
        return good;
    for (unsigned i = 0; i < labelling->count && good && !linearizing->found; i++)
        if (!(done >> i & 1) && !(linearizing->word->before[i] & ~done) &&
            labelled_may_follow(linearizing->object, labelling, i, done))
            good = take_effect(linearizing, done, words, length, i);
    return good;
}

enum status history_is_linearizable(const struct spec *spec, const struct rule_object *object,
                                    const struct labelling *labelling, const struct word *word,
                                    struct budget *budget, bool *linearizable, struct error *error)
{
    struct linearizing linearizing = {
        .spec = spec, .object = object, .labelling = labelling, .word = word, .budget = budget};
    struct outcomes state;
    *linearizable = false;
    for (unsigned i = 0; i < labelling->count; i++)
        TRY(labelled_call_bind(spec, object, labelling, i, &linearizing.calls[i], error));
    word_arrays_init(&linearizing.tried, budget);
    vector_init(&linearizing.key, budget);
    outcomes_init(&state, budget);
    bool good = spec->class->init(spec, VALUE_NIL, &state) &&
                linearize_from(&linearizing, 0, state.words.items, state.items.items[0].length);
    *linearizable = linearizing.found;
    outcomes_release(&state);
    vector_release(&linearizing.key);
    word_arrays_release(&linearizing.tried);
    if (!good && spec->class->fault)
        TRY(spec->class->fault(spec, error));
    return granted(good);
}
