#include "history/history.h"

#include <string.h>

struct history *history_create(const char *name, struct value_pool *pool, struct budget *budget)
{
    struct history *history = memory_zeroed(budget, sizeof *history);
    if (!history)
        return NULL;
    history->pool = pool;
    history->budget = budget;
    history->format = "";
    arena_init(&history->arena, budget);
    vectors_init(budget, &history->operations, &history->processes, &history->functions,
                 &history->objects, &history->annotations);
    history->name = arena_copy_text(&history->arena, name, strlen(name));
    if (!history->name) {
        history_destroy(history);
        return NULL;
    }
    return history;
}

void history_destroy(struct history *history)
{
    if (!history)
        return;
    vectors_release(&history->operations, &history->processes, &history->functions,
                    &history->objects, &history->annotations);
    arena_release(&history->arena);
    memory_release(history->budget, history, sizeof *history);
}

const char *history_function_name(const struct history *history, uint16_t function)
{
    return value_get_text(history->functions.items[function], NULL);
}
