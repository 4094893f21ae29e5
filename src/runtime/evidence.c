#include "runtime/evidence.h"

#include "runtime/conditions.h"
#include "runtime/heap.h"
#include "runtime/threads.h"
#include "scenario/tidy_order.h"

/* The thread that was running when the run was ended by what it did; THREAD_ALONE: none. */
static unsigned find_culprit(const struct exchange_result *result)
{
    bool ends_early = execution.over && result->end == END_FINDING;
    return ends_early ? result->finding.here.thread : THREAD_ALONE;
}

/* So that the execution that is shown ends with what is done again and again. */
static void put_waiting_last(struct exchange_result *result)
{
    uint8_t since[EXECUTION_THREADS];
    for (unsigned i = 0; result->hangs && i < EXECUTION_THREADS; i++)
        since[i] = result->waits[i].since;
    if (result->hangs)
        hanging_put_last(&result->graph, since);
}

void evidence_take_execution(const struct exploration *exploration, struct exchange_result *result)
{
    struct execution_graph *graph = &result->graph;
    exploration_made(exploration, graph);
    put_waiting_last(result);
    unsigned culprit = find_culprit(result);
    bool is_last = graph->replay_count > 0 &&
                   graph->events[graph->replay[graph->replay_count - 1]].thread == culprit;
    result->goes_on = culprit == THREAD_ALONE || is_last ? SCHEDULE_NOBODY : culprit;
}

void evidence_take_memory(struct exchange_result *result)
{
    result->object = execution.object;
    result->stacks = region_stack(0);
    result->stack_size = REGION_STACK;
    result->stack_stride = REGION_STRIDE;
    conditions_say_sleeping(result->sleeping);
    result->block_count = 0;
    for (unsigned i = 0; i < REGION_THREADS; i++) {
        unsigned thread = i ? i - 1 : THREAD_ALONE; /* setup was first */
        const void *from, *block = NULL;
        while ((block = heap_next_block(thread, block, &from)) &&
               result->block_count < EXCHANGE_BLOCKS)
            result->blocks[result->block_count++] = (struct exchange_block){
                .address = block, .at = from, .size = heap_block_size(block)};
    }
}

bool evidence_is_clearer(struct exchange_result *result, const struct exchange_result *other,
                         struct budget *budget)
{
    struct execution_graph *graph = &result->graph;
    unsigned culprit = find_culprit(result);
    bool has_events = culprit != THREAD_ALONE && graph->last[culprit] >= 0;
    bool tidied = tidy_order(graph, has_events ? culprit : TIDY_ANY_THREAD, budget);
    (void)tidied; /* else the order is as it is */
    put_waiting_last(result);
    if (other->finding.kind == FINDING_NONE)
        return true;
    struct tidiness ours = tidiness_of(graph), theirs = tidiness_of(&other->graph);
    if (result->finding.kind != other->finding.kind)
        return false;
    if (result->edge_count != other->edge_count)
        return result->edge_count < other->edge_count;
    if (ours.against_time != theirs.against_time)
        return ours.against_time < theirs.against_time;
    if (ours.switches != theirs.switches)
        return ours.switches < theirs.switches;
    return graph->event_count < other->graph.event_count;
}
