#include "rules/run.h"

#include <string.h>

#include "base/interning.h"

#define SLOTS_PER_WORD 16
#define NO_SLOT        UINT32_MAX

/* How a configuration came about. */
struct choice {
    uint32_t parent; /* among those of the event before */
    uint32_t state;
    uint8_t colour;
    bool marked;
};

/* What is known of a value, or of an operation: both have a slot while they can be met again. */
struct extent {
    size_t first, last; /* events */
    uint32_t slot;
};

struct running {
    const struct prepared_automaton *automaton;
    const struct run_word *word;
    struct limits *limits;
    struct arena *arena;
    struct extent *values, *operations;
    uint8_t *colours;    /* by value: bits, those that are tried */
    uint32_t slots;      /* in use at once, at most */
    size_t key_length;   /* of a configuration: the state, single colours in use, slots */
    uint32_t *from, *to; /* room for a configuration each */
    struct word_arrays layers[2];
    VECTOR(struct choice) choices; /* of all configurations, event by event */
    size_t *starts;                /* by event: its first choice */
    uint32_t seen;                 /* configurations, since the last look at the limits */
};

/* ---- values and operations ---- */

static void find_extents(struct running *running)
{
    const struct run_word *word = running->word;
    for (uint32_t v = 0; v < word->value_count; v++)
        running->values[v] = (struct extent){SIZE_MAX, 0, NO_SLOT};
    for (uint32_t o = 0; o < word->operation_count; o++)
        running->operations[o] = (struct extent){SIZE_MAX, 0, NO_SLOT};
    for (size_t at = 0; at < word->length; at++) {
        uint32_t operation = word->events[at].operation;
        struct extent *both[2] = {&running->operations[operation],
                                  &running->values[word->operations[operation].value]};
        for (unsigned i = 0; i < 2; i++) {
            if (both[i]->first == SIZE_MAX)
                both[i]->first = at;
            both[i]->last = at;
        }
    }
}

/* Gives a slot at the first event, and takes it back behind the last one. */
static void hand_out(struct extent *extent, size_t at, uint32_t *freed, uint32_t *free_count,
                     uint32_t *slots)
{
    if (extent->first == at && extent->last > at)
        extent->slot = *free_count ? freed[--*free_count] : (*slots)++;
    else if (extent->last == at && extent->first < at)
        freed[(*free_count)++] = extent->slot;
}

static bool find_slots(struct running *running)
{
    const struct run_word *word = running->word;
    size_t most = (size_t)word->value_count + word->operation_count;
    uint32_t *freed = arena_allocate(running->arena, (most + 1) * sizeof *freed);
    uint32_t free_count = 0;
    if (!freed)
        return false;
    for (size_t at = 0; at < word->length; at++) {
        uint32_t operation = word->events[at].operation;
        uint32_t own = word->operations[operation].value;
        hand_out(&running->values[own], at, freed, &free_count, &running->slots);
        if (running->automaton->has_copy[word->operations[operation].method])
            hand_out(&running->operations[operation], at, freed, &free_count, &running->slots);
    }
    running->key_length = 2 + (running->slots + SLOTS_PER_WORD - 1) / SLOTS_PER_WORD;
    return true;
}

/* Whether two colours lead the same way in every state, in the letters of a method. */
static bool are_alike(const struct prepared_automaton *automaton, uint32_t method, unsigned one,
                      unsigned other)
{
    for (uint32_t s = 0; s < automaton->state_count; s++)
        for (unsigned letter = 0; letter < 4; letter++)
            if (prepared_automaton_next(automaton, s, letter & 1, method, letter >> 1, one) !=
                prepared_automaton_next(automaton, s, letter & 1, method, letter >> 1, other))
                return false;
    return true;
}

/* A colour is left out where a later one is as good. */
static void find_colours(struct running *running)
{
    const struct run_word *word = running->word;
    const struct prepared_automaton *automaton = running->automaton;
    uint8_t *alike = running->colours; /* first bits, by pair of colours: 1 2, 1 3, 2 3 */
    static const uint8_t pairs[3][2] = {{1, 2}, {1, 3}, {2, 3}};
    uint8_t of_method[VIOLATION_MOST_METHODS] = {0};
    for (uint32_t m = 0; m < automaton->method_count; m++)
        for (unsigned p = 0; p < 3; p++)
            if (are_alike(automaton, m, pairs[p][0], pairs[p][1]))
                of_method[m] |= (uint8_t)(1u << p);
    memset(alike, 7, word->value_count);
    for (uint32_t o = 0; o < word->operation_count; o++)
        alike[word->operations[o].value] &= of_method[word->operations[o].method];
    for (uint32_t v = 0; v < word->value_count; v++) {
        uint8_t tried = 2 | 4 | 8;
        for (unsigned p = 0; p < 3; p++)
            if ((alike[v] >> p & 1) && !(automaton->single >> pairs[p][1] & 1))
                tried &= (uint8_t) ~(1u << pairs[p][0]);
        running->colours[v] = tried;
    }
}

/* ---- configurations ---- */

static unsigned get_slot(const uint32_t *key, uint32_t slot)
{
    return key[2 + slot / SLOTS_PER_WORD] >> slot % SLOTS_PER_WORD * 2 & 3;
}

static void set_slot(uint32_t *key, uint32_t slot, unsigned what)
{
    uint32_t *word = &key[2 + slot / SLOTS_PER_WORD];
    unsigned shift = slot % SLOTS_PER_WORD * 2;
    *word = (*word & ~(UINT32_C(3) << shift)) | (uint32_t)what << shift;
}

static bool keep(const struct extent *extent, size_t at)
{
    return extent->slot != NO_SLOT && extent->last > at;
}

/* The configuration behind event `at`, with these choices; false when refused. */
static bool add(struct running *running, size_t at, uint32_t parent, unsigned colour, bool marked)
{
    const struct labelled_event *event = &running->word->events[at];
    const struct run_operation *operation = &running->word->operations[event->operation];
    const struct extent *own = &running->values[operation->value];
    const struct extent *running_operation = &running->operations[event->operation];
    uint32_t *to = running->to, single = running->automaton->single >> colour & 1u;
    uint32_t next = prepared_automaton_next(running->automaton, running->from[0], event->returns,
                                            operation->method, marked, colour);
    bool fresh;
    if (next == VIOLATION_DEAD || (own->first == at && single && (running->from[1] >> colour & 1)))
        return true;
    memcpy(to, running->from, running->key_length * sizeof *to);
    to[0] = next;
    to[1] |= own->first == at ? single << colour : 0;
    if (own->slot != NO_SLOT)
        set_slot(to, own->slot, keep(own, at) ? colour : 0);
    if (running_operation->slot != NO_SLOT)
        set_slot(to, running_operation->slot, keep(running_operation, at) && marked);
    if (word_arrays_intern(&running->layers[(at + 1) % 2], to, running->key_length, &fresh) ==
        UINT32_MAX)
        return false;
    const struct choice choice = {parent, next, (uint8_t)colour, marked};
    return !fresh || vector_push(&running->choices, choice);
}

/* All that can follow configuration `parent`, which is in `from`. */
static bool extend(struct running *running, size_t at, uint32_t parent)
{
    const struct labelled_event *event = &running->word->events[at];
    const struct run_operation *operation = &running->word->operations[event->operation];
    const struct extent *own = &running->values[operation->value];
    const struct extent *running_operation = &running->operations[event->operation];
    unsigned colours = running->colours[operation->value], marks = 1;
    if (own->first < at)
        colours = 1u << get_slot(running->from, own->slot);
    if (running->automaton->has_copy[operation->method])
        marks = !event->returns ? 3 : get_slot(running->from, running_operation->slot) ? 2 : 1;
    for (unsigned colour = VIOLATION_COLOURS; colour > 0; colour--) /* the last: it matters least */
        for (unsigned mark = 0; mark < 2; mark++)
            if ((colours >> colour & 1) && (marks >> mark & 1) &&
                !add(running, at, parent, colour, mark))
                return false;
    return true;
}

static bool read_event(struct running *running, size_t at)
{
    struct word_arrays *now = &running->layers[at % 2], *next = &running->layers[(at + 1) % 2];
    size_t length;
    word_arrays_release(next);
    word_arrays_init(next, running->limits->budget);
    running->starts[at + 1] = running->choices.length;
    for (size_t i = 0; i < now->items.length; i++) {
        memcpy(running->from, word_arrays_get(now, (uint32_t)i, &length),
               running->key_length * sizeof *running->from);
        if (limits_look(running->limits, &running->seen) || !extend(running, at, (uint32_t)i))
            return false;
    }
    return true;
}

/* ---- the answer ---- */

static enum status tell(const struct running *running, size_t found, const bool *complete,
                        struct run *run)
{
    const struct run_word *word = running->word;
    run->accepted = true;
    run->only_whole = complete && complete[running->choices.items[found].state];
    run->colours = arena_allocate(running->arena, word->value_count + 1);
    run->marked = arena_allocate(running->arena, (word->operation_count + 1) * sizeof *run->marked);
    TRY_MEMORY(run->colours && run->marked);
    run->at = word->length;
    bool accepting = true;
    for (size_t at = word->length; at > 0; at--) {
        const struct choice *choice = &running->choices.items[found];
        const struct labelled_event *event = &word->events[at - 1];
        run->colours[word->operations[event->operation].value] = choice->colour;
        run->marked[event->operation] = choice->marked;
        accepting = accepting && running->automaton->accepting[choice->state];
        if (accepting)
            run->at = at - 1;
        found = running->starts[at - 1] + choice->parent;
    }
    return STATUS_OK;
}

/* One that may end a history with pending operations too is preferred. */
static enum status find_accepted(const struct running *running, const bool *complete,
                                 struct run *run)
{
    size_t last = running->starts[running->word->length], best = SIZE_MAX;
    for (size_t i = last; i < running->choices.length; i++) {
        uint32_t state = running->choices.items[i].state;
        if (running->automaton->accepting[state] &&
            (best == SIZE_MAX || (complete && !complete[state])))
            best = i;
    }
    return best == SIZE_MAX ? STATUS_OK : tell(running, best, complete, run);
}

static bool open_running(struct running *running)
{
    const struct run_word *word = running->word;
    struct arena *arena = running->arena;
    vector_init(&running->choices, running->limits->budget);
    for (unsigned i = 0; i < 2; i++)
        word_arrays_init(&running->layers[i], running->limits->budget);
    running->values = arena_allocate(arena, (word->value_count + 1) * sizeof *running->values);
    running->operations =
        arena_allocate(arena, (word->operation_count + 1) * sizeof *running->operations);
    running->colours = arena_allocate(arena, word->value_count + 1);
    running->starts = arena_allocate(arena, (word->length + 1) * sizeof *running->starts);
    if (!running->values || !running->operations || !running->colours || !running->starts)
        return false;
    find_extents(running);
    find_colours(running);
    if (!find_slots(running))
        return false;
    running->from = arena_allocate(arena, running->key_length * sizeof *running->from);
    running->to = arena_allocate(arena, running->key_length * sizeof *running->to);
    if (!running->from || !running->to)
        return false;
    memset(running->to, 0, running->key_length * sizeof *running->to);
    running->to[0] = running->automaton->initial;
    running->starts[0] = 0;
    const struct choice start = {0, running->to[0], 0, false};
    return word_arrays_intern(&running->layers[0], running->to, running->key_length, NULL) !=
               UINT32_MAX &&
           vector_push(&running->choices, start);
}

enum status automaton_run(const struct prepared_automaton *automaton, const bool *complete,
                          const struct run_word *word, struct limits *limits, struct arena *arena,
                          struct run *run)
{
    struct running running = {
        .automaton = automaton, .word = word, .limits = limits, .arena = arena};
    *run = (struct run){0};
    bool good = open_running(&running);
    for (size_t at = 0; at < word->length && good; at++)
        good = read_event(&running, at);
    enum status status = good ? find_accepted(&running, complete, run) : STATUS_LIMIT;
    vector_release(&running.choices);
    for (unsigned i = 0; i < 2; i++)
        word_arrays_release(&running.layers[i]);
    return status;
}
