#include "verify/numbered_states.h"

#include <string.h>

#define MOST_ANSWERS 48

void numbered_states_init(struct numbered_states *states, const struct spec *spec,
                          struct labels *labels, struct budget *budget, struct error *error)
{
    *states = (struct numbered_states){.spec = spec, .budget = budget, .error = error};
    linear_events_init(&states->events, spec, labels, false, budget);
    word_arrays_init(&states->states, budget);
    vectors_init(budget, &states->answers, &states->words);
    outcomes_init(&states->outcomes, budget);
}

void numbered_states_release(struct numbered_states *states)
{
    linear_events_release(&states->events);
    word_arrays_release(&states->states);
    vectors_release(&states->answers, &states->words);
    outcomes_release(&states->outcomes);
}

static bool intern_state(struct numbered_states *states, const uint64_t *words, size_t length,
                         uint32_t *state)
{
    *state = word_arrays_intern(&states->states, (const uint32_t *)words, 2 * length, NULL);
    return *state != UINT32_MAX;
}

bool numbered_states_begin(struct numbered_states *states, value key)
{
    uint32_t state;
    word_arrays_release(&states->states);
    word_arrays_init(&states->states, states->budget);
    outcomes_clear(&states->outcomes);
    states->answers.length = 0;
    return states->spec->class->init(states->spec, key, &states->outcomes) &&
           intern_state(states, states->outcomes.words.items,
                        states->outcomes.items.items[0].length, &state);
}

uint32_t numbered_states_value(struct numbered_states *states, value v)
{
    uint32_t i = 0;
    while (i < states->answers.length && states->answers.items[i] != v)
        i++;
    if (i == MOST_ANSWERS)
        states->unable = "it has too many answers";
    if (i < states->answers.length || i == MOST_ANSWERS)
        return i == MOST_ANSWERS ? 0 : i;
    states->refused |= !vector_push(&states->answers, v);
    return i;
}

bool numbered_states_load(struct numbered_states *states, uint32_t state, size_t *length)
{
    size_t halves;
    const uint32_t *words = word_arrays_get(&states->states, state, &halves);
    if (!vector_reserve(&states->words, halves / 2 + 1))
        return false;
    memcpy(states->words.items, words, halves * sizeof *words);
    *length = halves / 2;
    return true;
}

bool numbered_states_run(struct numbered_states *states, uint32_t state, uint16_t operation,
                         value argument, bool *legal, uint32_t *next, value *answer)
{
    const struct spec *spec = states->spec;
    const struct call call = {.argument = argument, .operation = operation};
    size_t length;
    outcomes_clear(&states->outcomes);
    if (!numbered_states_load(states, state, &length) ||
        !spec->class->step(spec, states->words.items, length, &call, &states->outcomes))
        return false;
    if (states->outcomes.items.length > 1) {
        states->unable = "it may do several things in one call";
        states->chooses = true;
    }
    *legal = states->outcomes.items.length == 1;
    if (!*legal)
        return true;
    const struct outcome *outcome = &states->outcomes.items.items[0];
    *answer = outcome->result;
    return intern_state(states, states->outcomes.words.items + outcome->start, outcome->length,
                        next);
}

bool numbered_states_read(struct numbered_states *states, label l, struct linear_event *call,
                          struct linear_event *answer)
{
    struct linear_event event;
    if (l == LABEL_TAU)
        return true;
    if (linear_events_get(&states->events, l, &event, states->error) != STATUS_OK)
        return false;
    if (event.kind == LINEAR_INVOKE)
        *call = event;
    else if (event.kind == LINEAR_RESPOND)
        *answer = event;
    if (event.kind != LINEAR_SEVERAL)
        return true;
    const struct action *several = labels_get(states->events.labels, l);
    bool good = true;
    for (size_t i = 0; good && i < several->count; i++)
        good = numbered_states_read(states, several->components[i], call, answer);
    return good;
}
