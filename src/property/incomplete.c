/* An entry of the search is a state, behind two words: the normalised state that it is paired with,
 * and whether termination led to it, for which a state without steps is no deadlock. */
#include "property/incomplete.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

enum {
    WORD_WITH,  /* the normalised state */
    WORD_ENDED, /* whether termination led here */
    HEAD_WORDS,
};

/* Of the filter: a part of the memory that is left, and bytes. */
#define FILTER_PART  4
#define FILTER_MOST  ((size_t)1 << 30)
#define FILTER_LEAST ((size_t)1 << 16)

/* The searches of a swarm see up to 2 to these powers, in turn, with a filter of 32 bits for each;
 * two of three of them go only so deep, by chance 2 to one of these powers. */
static const uint8_t swarm_sizes[] = {12, 14, 16, 18, 20};
#define SWARM_SIZES     ((uint32_t)(sizeof swarm_sizes / sizeof *swarm_sizes))
#define SWARM_FILTER    ((size_t)4 << 20)
#define SWARM_DEPTH     5
#define SWARM_DEPTHS    8
#define SWARM_UNBOUNDED 3 /* one in so many */

struct incomplete {
    struct graph *graph;
    enum explore_order order;
    struct swarm *swarm;
    const struct limits *limits;
    struct bitstate bits;
    struct explorer explorer;
    uint32_t *scratch; /* an entry */
    uint64_t states, transitions;
    uint32_t searches;
    bool is_complete;
    struct execution *execution;
    struct error *error;
    /* What is asked: a refinement, or a question. */
    struct normal *specification;
    struct refinement *refinement;
    const struct reachability_options *question;
    struct reachability *reachability;
};

static uint32_t entry_words(const struct graph *graph)
{
    return HEAD_WORDS + graph->model->slots;
}

/* ---- the way ---- */

static enum status stored(struct incomplete *search, const uint32_t *words, state_id *id)
{
    memcpy(search->scratch, words, entry_words(search->graph) * sizeof *words);
    return graph_add(search->graph, search->scratch + HEAD_WORDS, id, search->error);
}

/* Makes the way the execution, and a step more unless `state` is null. */
static enum status write_execution(struct incomplete *search, label by, uint32_t *state)
{
    struct execution *execution = search->execution;
    state_id id;
    execution->states.length = execution->labels.length = 0;
    for (size_t i = 0; i < bitstate_way_length(&search->bits); i++) {
        const struct bitstate_entry entry = bitstate_way(&search->bits, i);
        TRY(stored(search, entry.words, &id));
        TRY_MEMORY(i == 0 ? vector_push(&execution->states, id)
                          : execution_push(execution, entry.by, id));
    }
    if (!state)
        return STATUS_OK;
    TRY(graph_add(search->graph, state, &id, search->error));
    return granted(execution_push(execution, by, id));
}

/* Finds what a step leads to. */
static enum status find(struct incomplete *search, label by, uint32_t with, const uint32_t *state)
{
    search->scratch[WORD_WITH] = with;
    search->scratch[WORD_ENDED] = by == LABEL_TERMINATE;
    memcpy(search->scratch + HEAD_WORDS, state, search->graph->model->slots * sizeof *state);
    return granted(bitstate_find(&search->bits, by, search->scratch));
}

/* What follows from an entry; a fault of the model is shown. */
static enum status expand(struct incomplete *search, const struct bitstate_entry *entry,
                          uint64_t *processes)
{
    enum status status =
        graph_successors(search->graph, entry->words + HEAD_WORDS, processes, search->error);
    search->states++;
    if (status == STATUS_INPUT)
        TRY(write_execution(search, LABEL_TAU, NULL));
    return status;
}

static uint32_t *successor(struct incomplete *search, size_t i)
{
    return search->graph->own.successors.states.items + i * search->graph->model->slots;
}

/* ---- refinement ---- */

static enum status follow(struct incomplete *search, const struct bitstate_entry *entry, size_t at,
                          bool *stop)
{
    struct normal *specification = search->specification;
    const label by = search->graph->own.successors.steps.items[at].label;
    const normal_id before = entry->words[WORD_WITH];
    normal_id next = before;
    enum status status = STATUS_OK;
    if (by != LABEL_TAU)
        status = specification->class->step(specification, before, by, &next, search->error);
    if (status == STATUS_INPUT) /* an event out of place: it is shown as the last step */
        TRY(write_execution(search, by, successor(search, at)));
    TRY(status);
    if (next == NORMAL_NONE) {
        search->refinement->answer = VIOLATED;
        search->refinement->before = before;
        *stop = true;
        return write_execution(search, by, successor(search, at));
    }
    return next == NORMAL_EVERYTHING ? STATUS_OK : find(search, by, next, successor(search, at));
}

static enum status visit_pair(void *self, const struct bitstate_entry *entry, bool *stop)
{
    struct incomplete *search = self;
    const struct successors *out = &search->graph->own.successors;
    uint64_t processes;
    TRY(expand(search, entry, &processes));
    for (size_t i = 0; i < out->steps.length && !*stop; i++) {
        if (!graph_takes(&out->steps.items[i], processes))
            continue;
        search->transitions++;
        TRY(follow(search, entry, i, stop));
    }
    return STATUS_OK;
}

/* ---- questions about states ---- */

static enum status answer(struct incomplete *search, enum holds answer, bool *stop)
{
    search->reachability->answer = answer;
    *stop = true;
    return write_execution(search, LABEL_TAU, NULL);
}

/* A deadlock: without steps, unless termination led here. */
static bool is_stuck(const struct incomplete *search, const struct bitstate_entry *entry)
{
    const enum question question = search->question->question;
    return search->graph->own.successors.steps.length == 0 &&
           (question == QUESTION_NONTERMINATING ||
            (question == QUESTION_DEADLOCK_FREE && !entry->words[WORD_ENDED]));
}

/* The goal, and conditions that nobody asks for the value of here. */
static enum status evaluate(struct incomplete *search, const uint32_t *state, int64_t *goal)
{
    struct worker *worker = search->graph->own.worker;
    int64_t ignored;
    for (size_t i = 0; i < search->question->evaluated_count; i++)
        TRY(worker_evaluate(worker, search->question->evaluated[i], state, &ignored,
                            search->error));
    return search->question->question == QUESTION_REACHES
               ? worker_evaluate(worker, search->question->condition, state, goal, search->error)
               : STATUS_OK;
}

static enum status visit_state(void *self, const struct bitstate_entry *entry, bool *stop)
{
    struct incomplete *search = self;
    const struct successors *out = &search->graph->own.successors;
    uint64_t processes;
    int64_t goal = 0;
    TRY(expand(search, entry, &processes));
    const enum status status = evaluate(search, entry->words + HEAD_WORDS, &goal);
    if (status == STATUS_INPUT)
        TRY(write_execution(search, LABEL_TAU, NULL));
    TRY(status);
    if (goal)
        return answer(search, HOLDS, stop);
    if (is_stuck(search, entry))
        return answer(search, VIOLATED, stop);
    for (size_t i = 0; i < out->steps.length; i++) {
        if (!graph_takes(&out->steps.items[i], processes))
            continue;
        search->transitions++;
        TRY(find(search, out->steps.items[i].label, 0, successor(search, i)));
    }
    return STATUS_OK;
}

/* ---- searches ---- */

static enum status search_once(struct incomplete *search, uint64_t seed, bool *stop)
{
    normal_id initial = 0;
    bitstate_restart(&search->bits, seed);
    if (search->specification)
        TRY(search->specification->class->initial(search->specification, &initial, search->error));
    for (size_t i = 0; i < search->graph->initial.length; i++)
        TRY(find(search, LABEL_TAU, initial,
                 graph_state(search->graph, search->graph->initial.items[i])));
    TRY(bitstate_run(&search->bits, search->specification ? visit_pair : visit_state, search,
                     stop));
    search->is_complete |= !*stop && !search->bits.is_cut && search->bits.missed < 1e-3;
    return STATUS_OK;
}

/* The swarm's search of this number: its size and depth. */
static void choose_bounds(struct bitstate *bits, uint32_t number)
{
    struct random random;
    random_seed(&random, number);
    bits->most = UINT64_C(1) << swarm_sizes[number % SWARM_SIZES];
    bits->most_depth = random_below(&random, SWARM_UNBOUNDED) == 0
                           ? 0
                           : UINT32_C(1) << (SWARM_DEPTH + random_below(&random, SWARM_DEPTHS));
}

static enum status search_all(struct incomplete *search)
{
    bool stop = false;
    if (search->order == EXPLORE_BITSTATE)
        return search_once(search, 0, &stop);
    struct swarm *swarm = search->swarm;
    assert(swarm);
    while (!stop && !atomic_load(&swarm->complete)) {
        const uint32_t number = atomic_fetch_add(&swarm->begun, 1);
        if (swarm->most && number >= swarm->most)
            return STATUS_OK;
        const uint64_t before = search->states;
        search->searches++;
        choose_bounds(&search->bits, number);
        TRY(search_once(search, (uint64_t)number + 1, &stop));
        atomic_fetch_add(&swarm->states, search->states - before);
        if (search->is_complete)
            atomic_store(&swarm->complete, true);
    }
    return STATUS_OK;
}

static size_t filter_bytes(const struct incomplete *search)
{
    const size_t part = budget_left(search->limits->budget) / FILTER_PART;
    const size_t most = search->order == EXPLORE_SWARM ? SWARM_FILTER : FILTER_MOST;
    return part < FILTER_LEAST ? FILTER_LEAST : part < most ? part : most;
}

static enum status open_and_search(struct incomplete *search, struct limits *limits)
{
    const struct graph *graph = search->graph;
    explorer_init(&search->explorer, EXPLORE_NEWEST_FIRST, limits, limits->budget);
    search->explorer.work = &limits->work;
    search->explorer.task = search->specification ? "refinement" : "reachability";
    search->explorer.nodes = search->specification ? "pairs" : "states";
    search->scratch = memory_allocate(limits->budget, entry_words(graph) * sizeof *search->scratch);
    const bool opened =
        bitstate_init(&search->bits, entry_words(graph), HEAD_WORDS + graph->model->identity_slots,
                      filter_bytes(search), &search->explorer, limits->budget);
    return opened && search->scratch ? search_all(search) : STATUS_LIMIT;
}

/* What ends by a limit, perhaps while what was found is written down, is undecided. */
static enum status search(struct incomplete *search, struct limits *limits, enum holds *answer,
                          enum limit *limit, struct search_extent *extent)
{
    search->limits = limits;
    const enum status status = open_and_search(search, limits);
    *extent = (struct search_extent){.order = search->order,
                                     .bits = {.searches = search->searches,
                                              .missed = search->bits.missed,
                                              .complete = search->is_complete},
                                     .longest = search->bits.longest,
                                     .is_newest = true};
    memory_release(limits->budget, search->scratch,
                   entry_words(search->graph) * sizeof *search->scratch);
    bitstate_release(&search->bits);
    explorer_release(&search->explorer);
    if (status != STATUS_LIMIT)
        return status;
    *answer = UNDECIDED;
    search->execution->states.length = search->execution->labels.length = 0;
    *limit = limits_which(limits);
    return STATUS_OK;
}

enum status refine_in_order(struct graph *implementation, struct normal *specification,
                            const struct refinement_options *options, struct refinement *result,
                            struct error *error)
{
    struct incomplete walk = {.graph = implementation,
                              .order = options->order,
                              .swarm = options->swarm,
                              .specification = specification,
                              .refinement = result,
                              .execution = &result->execution,
                              .error = error};
    if (!explore_is_incomplete(options->order))
        return refine(implementation, specification, options, result, error);
    result->extent = (struct search_extent){.order = options->order, .bits.unasked = "failures"};
    if (options->failures)
        return STATUS_OK;
    const enum status status =
        search(&walk, options->limits, &result->answer, &result->limit, &result->extent);
    result->pairs = walk.states;
    result->transitions = walk.transitions;
    return status;
}

/* What of the question does not show in one state and the step to it; null: nothing. */
static const char *not_local(const struct reachability_options *options)
{
    return options->question == QUESTION_DETERMINISTIC     ? "choices between equal events"
           : options->question == QUESTION_DIVERGENCE_FREE ? "cycles"
           : options->has_extreme                          ? "the least or the greatest value"
                                                           : NULL;
}

enum status reach_in_order(struct graph *graph, const struct reachability_options *options,
                           struct reachability *result, struct error *error)
{
    struct incomplete walk = {.graph = graph,
                              .order = options->order,
                              .swarm = options->swarm,
                              .question = options,
                              .reachability = result,
                              .execution = &result->execution,
                              .error = error};
    if (!explore_is_incomplete(options->order))
        return reach(graph, options, result, error);
    result->extent =
        (struct search_extent){.order = options->order, .bits.unasked = not_local(options)};
    if (result->extent.bits.unasked)
        return STATUS_OK;
    const enum status status =
        search(&walk, options->limits, &result->answer, &result->limit, &result->extent);
    result->states = walk.states;
    result->transitions = walk.transitions;
    return status;
}
