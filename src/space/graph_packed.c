#include "space/graph_packed.h"

#include <assert.h>
#include <string.h>

#include "base/faults.h"

#define MOST_STEPS SIZE_OR_SMALL(32, 2) /* of a state that is asked with others */

enum status graph_ask_by(struct graph *graph, struct expander *by, state_id state,
                         uint32_t condition, const struct edge **edges, uint32_t *count,
                         int64_t *holds, struct error *error)
{
    assert(by->waits);
    TRY(graph_ask_packed(graph, by, state, condition));
    if (by->packed.done) {
        TRY(expander_take_packed(by));
        *edges = by->edges.items;
        *count = (uint32_t)by->edges.length;
        *holds = by->packed.holds;
        return STATUS_OK;
    }
    TRY(graph_edges_singly(graph, by, state, edges, count, error));
    return worker_evaluate(by->worker, condition, by->state.items, holds, error);
}

/* ---- many states ---- */

/* Writes the words of states one behind the other, as many as have the layout of the first. False
 * when refused. */
static bool gather(const struct graph *graph, struct expander *by,
                   const struct asked_states *states, const struct state_layout **layout)
{
    const struct state_table *table = &graph->states.parts[0].states;
    uint64_t *to = NULL;
    by->packed.count = 0;
    for (uint32_t i = 0; i < states->count; i++) {
        uint64_t scratch[STATE_WORDS_MOST];
        const struct state_layout *stored = NULL;
        const uint64_t *words = state_table_words(table, states->states[i], scratch, &stored);
        if (i == 0) {
            *layout = stored;
            if (!stored || !vector_reserve(&by->gathered, (size_t)states->count * stored->words))
                return !stored;
            to = by->gathered.items;
        }
        if (stored != *layout)
            break;
        for (uint32_t j = 0; j < stored->words; j++)
            *to++ = words[j];
        by->packed.count++;
    }
    by->packed.states = by->gathered.items;
    return true;
}

/* The rows of one state, with their labels, which are in order. */
struct labelled_rows {
    struct found_rows *rows;
    size_t first;
    label labels[MOST_STEPS];
};

/* Puts one in its place behind those of its label, unless one of that label leads there as well. */
static inline void insert(struct labelled_rows *to, label of, const uint64_t *words,
                          const uint64_t *hash, uint32_t width)
{
    struct found_rows *rows = to->rows;
    uint64_t *row = rows->words.items + to->first * width;
    size_t end = rows->count - to->first, at = end;
    while (at > 0 && to->labels[at - 1] > of)
        at--;
    for (size_t i = at; i > 0 && to->labels[i - 1] == of; i--)
        if (memcmp(row + (i - 1) * width, words, width * sizeof *words) == 0)
            return;
    for (; end > at; end--) {
        to->labels[end] = to->labels[end - 1];
        memcpy(row + end * width, row + (end - 1) * width, width * sizeof *row);
        if (hash)
            rows->hashes.items[to->first + end] = rows->hashes.items[to->first + end - 1];
    }
    to->labels[at] = of;
    memcpy(row + at * width, words, width * sizeof *words);
    if (hash)
        rows->hashes.items[to->first + at] = *hash;
    rows->count++;
}

/* Appends the steps of a state from one number on, which are so many. */
static inline void append(struct found_rows *rows, const struct packed_steps *steps, size_t from,
                          uint32_t count, uint32_t parent, uint32_t width)
{
    struct labelled_rows to;
    to.rows = rows;
    to.first = rows->count;
    for (size_t i = from; i < from + count; i++)
        insert(&to, steps->labels.items[i], steps->words.items + i * width,
               steps->unhashed ? NULL : &steps->hashes.items[i], width);
    for (size_t i = to.first; i < rows->count; i++)
        rows->parents.items[i] = parent;
}

/* Appends the steps of all states that the model has found them of. */
static inline void append_all(struct expander *by, struct asked_states *states,
                              struct found_rows *rows, uint32_t width)
{
    const struct packed_steps *steps = &by->packed;
    uint32_t from = 0;
    for (states->asked = 0; states->asked < steps->done; states->asked++) {
        const uint32_t end = steps->ends.items[states->asked];
        if (end - from > MOST_STEPS)
            break;
        append(rows, steps, from, end - from, states->parents[states->asked], width);
        from = end;
    }
    states->holds = steps->holds && states->asked == steps->done;
    expander_count_packed(by, states->asked, from);
}

enum status graph_ask_rows(struct graph *graph, struct expander *by, struct asked_states *states,
                           struct found_rows *rows)
{
    const struct state_table *table = &graph->states.parts[0].states;
    const struct state_layout *stored = NULL;
    assert(by->waits && graph->states.bits == 0);
    states->asked = 0;
    states->holds = false;
    const bool unhashed = state_table_finds_words(table);
    if (!graph_may_ask_packed(graph) || table->tree || (unhashed && rows->count > rows->unhashed))
        return STATUS_OK;
    TRY_MEMORY(gather(graph, by, states, &stored));
    by->packed.condition = states->condition;
    by->packed.unhashed = unhashed;
    TRY(expander_ask_packed(by, &graph->states, stored));
    if (by->packed.done == 0 || (rows->count && rows->layout != by->layout))
        return STATUS_OK;
    TRY_MEMORY(found_rows_reserve(rows, by->layout, by->packed.labels.length));
    if (by->layout->words == 1)
        append_all(by, states, rows, 1);
    else if (by->layout->words == 2)
        append_all(by, states, rows, 2);
    else
        append_all(by, states, rows, by->layout->words);
    if (by->packed.unhashed)
        rows->unhashed = rows->count;
    return STATUS_OK;
}
