#include "scenario/sequential_order.h"

#include <assert.h>
#include <string.h>

enum {
    FIRST_VISITED = 256
};

enum status sequential_spec_check(const struct spec *spec, struct error *error)
{
    if (spec->class->together_count == 0)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, NULL, 0,
                     "expected a specification without `%s` for tests of every behaviour, found "
                     "`%s` (stress takes it)",
                     spec->class->is_open ? "op open" : "together", spec->class->name);
}

bool sequential_search_init(struct sequential_search *search, const struct spec *spec,
                            struct limits *limits)
{
    *search = (struct sequential_search){.limits = limits};
    struct budget *budget = limits->budget;
    arena_init(&search->calls, budget);
    bool created = transitions_init(&search->transitions, spec, &search->unobservable, budget);
    search->transitions.outcomes.limits = limits;
    search->visited = memory_zeroed(budget, FIRST_VISITED * sizeof *search->visited);
    search->visited_size = search->visited ? FIRST_VISITED : 0;
    search->initial =
        created ? transitions_initial(&search->transitions, VALUE_NIL) : ARRAY_REFUSED;
    return search->visited && search->initial != ARRAY_REFUSED;
}

void sequential_search_release(struct sequential_search *search)
{
    memory_release(search->limits->budget, search->visited,
                   search->visited_size * sizeof *search->visited);
    transitions_release(&search->transitions);
    arena_release(&search->calls);
}

uint32_t sequential_class(struct sequential_search *search, const struct call *call)
{
    size_t known = search->transitions.classes.length;
    uint32_t class = transitions_class(&search->transitions, call);
    if (class == CLASS_REFUSED || class < known)
        return class;
    struct call *kept = arena_allocate(&search->calls, sizeof *kept);
    if (!kept) { /* whoever is refused does not go on */
        static const struct call nothing;
        search->transitions.classes.items[class] = &nothing;
        return CLASS_REFUSED;
    }
    *kept = *call;
    search->transitions.classes.items[class] = kept;
    return class;
}

/* ---- where it has been ---- */

static void start_visits(struct sequential_search *search)
{
    search->visited_used = 0;
    if (++search->stamp == 0) { /* all stamps have been used */
        memset(search->visited, 0, search->visited_size * sizeof *search->visited);
        search->stamp = 1;
    }
}

static uint64_t *find_visit(const struct sequential_search *search, uint64_t *visited, size_t size,
                            uint64_t visit)
{
    size_t at = transitions_hash((uint32_t)visit, (uint32_t)(visit >> 32)) & (size - 1);
    while (visited[at] >> 48 == search->stamp && visited[at] != visit)
        at = (at + 1) & (size - 1);
    return &visited[at];
}

static bool grow_visited(struct sequential_search *search)
{
    struct budget *budget = search->limits->budget;
    size_t size = search->visited_size * 2;
    uint64_t *visited = memory_zeroed(budget, size * sizeof *visited);
    if (!visited)
        return false;
    for (size_t i = 0; i < search->visited_size; i++)
        if (search->visited[i] >> 48 == search->stamp)
            *find_visit(search, visited, size, search->visited[i]) = search->visited[i];
    memory_release(budget, search->visited, search->visited_size * sizeof *visited);
    search->visited = visited;
    search->visited_size = size;
    return true;
}

/* Whether set and state are met for the first time; `*refused` when there is no room. */
static bool visit(struct sequential_search *search, uint16_t set, uint32_t state, bool *refused)
{
    uint64_t visit = (uint64_t)search->stamp << 48 | (uint64_t)set << 32 | state;
    if (search->visited_used * 4 >= search->visited_size * 3 && !grow_visited(search)) {
        *refused = true;
        return false;
    }
    uint64_t *place = find_visit(search, search->visited, search->visited_size, visit);
    if (*place == visit)
        return false;
    *place = visit;
    search->visited_used++;
    return true;
}

/* ---- the search ---- */

struct attempt {
    struct sequential_search *search;
    const struct sequential_question *question;
    struct sequential_order *order;
    struct sequential_order longest;
    bool refused;
};

/* Whether the operation that waits would answer empty or no in this state, or could not answer. */
static bool would_wait(struct attempt *attempt, uint32_t state)
{
    const struct sequential_question *question = attempt->question;
    struct transitions *transitions = &attempt->search->transitions;
    const struct spec_class *class = transitions->spec->class;
    struct outcomes *outcomes = &transitions->outcomes;
    size_t length;
    if (question->waits == SEQUENTIAL_NONE)
        return true;
    const uint64_t *words = transitions_words(transitions, state, &length);
    outcomes_clear(outcomes);
    if (!words || !class->step(transitions->spec, words, length, &question->waits_call, outcomes)) {
        attempt->refused = true;
        return false;
    }
    if (class->waits_in ? class->waits_in(transitions->spec, words, length, &question->waits_call)
                        : outcomes->items.length == 0)
        return true;
    if (question->waits_must_answer ||
        spec_operation_is_silent(&class->operations[question->waits_operation]))
        return false;
    for (size_t i = 0; i < outcomes->items.length; i++)
        if (outcomes->items.items[i].result == VALUE_NIL ||
            outcomes->items.items[i].result == VALUE_FALSE)
            return true;
    return false;
}

/* Another operation that is neither before nor after this one; SEQUENTIAL_NONE. */
static uint8_t find_beside(const struct sequential_question *question, unsigned operation)
{
    for (unsigned i = 0; i < question->count; i++)
        if (i != operation && question->present >> i & 1 &&
            !(question->before[operation] >> i & 1) && !(question->before[i] >> operation & 1))
            return (uint8_t)i;
    return SEQUENTIAL_NONE;
}

static bool extend(struct attempt *attempt, uint16_t set, uint32_t state);

/* The operation comes next: whether the rest can follow. */
static bool follow(struct attempt *attempt, uint16_t set, uint32_t state, unsigned operation)
{
    const struct sequential_question *question = attempt->question;
    struct sequential_order *order = attempt->order;
    struct transitions *transitions = &attempt->search->transitions;
    uint16_t bit = (uint16_t)(1u << operation), with = set | bit;
    unsigned place = order->count++;
    order->operations[place] = (uint8_t)operation;
    order->beside[operation] = SEQUENTIAL_NONE;
    if (!(question->never_legal & bit)) {
        transition to = transitions_step(transitions, state, question->class[operation]);
        attempt->refused |= to == TRANSITION_REFUSED;
        for (uint32_t i = 0; i < transition_count(transitions, to); i++)
            if (extend(attempt, with, transition_state(transitions, to, i)))
                return true;
    }
    if (question->may_fail & bit && !attempt->refused) {
        uint8_t beside = order->beside[operation] = find_beside(question, operation);
        if (beside != SEQUENTIAL_NONE && extend(attempt, with, state))
            return true;
    }
    order->count = place;
    return false;
}

static bool extend(struct attempt *attempt, uint16_t set, uint32_t state)
{
    const struct sequential_question *question = attempt->question;
    struct sequential_search *search = attempt->search;
    search->steps++;
    if (limits_work(search->limits, &search->steps, STEPS_A_LOOK))
        attempt->refused = true;
    if (attempt->refused || !visit(search, set, state, &attempt->refused))
        return false;
    if (attempt->order->count > attempt->longest.count || set == 0) {
        attempt->longest = *attempt->order;
        attempt->longest.state = state;
    }
    if ((set & question->required) == question->required && would_wait(attempt, state))
        return true;
    unsigned missing = question->required & ~(unsigned)set;
    unsigned left = missing | (question->optional & ~(unsigned)set);
    for (; left && !attempt->refused; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        if ((question->before[i] & missing) == 0 && follow(attempt, set, state, i))
            return true;
    }
    return false;
}

enum sequential_answer sequential_find(struct sequential_search *search,
                                       const struct sequential_question *question,
                                       struct sequential_order *order)
{
    struct attempt attempt = {.search = search, .question = question, .order = order};
    assert((question->required & question->optional) == 0 &&
           ((question->required | question->optional) & ~question->present) == 0);
    order->count = 0;
    start_visits(search);
    if (extend(&attempt, 0, search->initial))
        return SEQUENTIAL_FOUND;
    *order = attempt.longest;
    return attempt.refused ? SEQUENTIAL_LIMIT : SEQUENTIAL_MISSING;
}
