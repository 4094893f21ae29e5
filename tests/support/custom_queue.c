#include "support/custom_queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct state {
    size_t length;
    lp_value items[];
};

static struct state *state_of(struct custom_queue *queue, const lp_value *items, size_t length)
{
    int refuse_at = atomic_load(&queue->refuse_at);
    if (refuse_at && atomic_load(&queue->states) >= refuse_at)
        return NULL;
    struct state *state = malloc(sizeof *state + length * sizeof *items);
    state->length = length;
    if (length)
        memcpy(state->items, items, length * sizeof *items);
    atomic_fetch_add(&queue->states, 1);
    return state;
}

static void *init(void *user)
{
    return state_of(user, NULL, 0);
}

static void *step(void *user, const void *from, size_t operation, lp_value argument,
                  lp_value *result)
{
    const struct state *state = from;
    struct state *next;
    if (operation == 1) {
        if (state->length == 0)
            return (void *)(uintptr_t)from; /* empty: answers nil, stays as it is */
        *result = state->items[0];
        next = state_of(user, state->items + 1, state->length - 1);
    } else {
        next = state_of(user, state->items, state->length);
        if (next) {
            next = realloc(next, sizeof *next + (state->length + 1) * sizeof argument);
            next->items[next->length++] = argument;
        }
    }
    return next ? next : LP_STATE_REFUSED;
}

static bool equal(void *user, const void *a, const void *b)
{
    (void)user;
    const struct state *first = a, *second = b;
    return first->length == second->length &&
           memcmp(first->items, second->items, first->length * sizeof(lp_value)) == 0;
}

/* Poor on purpose: states of one length collide. */
static uint64_t hash(void *user, const void *state)
{
    (void)user;
    return ((const struct state *)state)->length;
}

static char *print(void *user, const void *state)
{
    (void)user;
    char *text;
    return asprintf(&text, "%zu in it", ((const struct state *)state)->length) < 0 ? NULL : text;
}

static void release(void *user, void *state)
{
    atomic_fetch_sub(&((struct custom_queue *)user)->states, 1);
    free(state);
}

static const char *const operations[] = {"enqueue", "dequeue", NULL};

const lp_spec_callbacks custom_queue_callbacks = {.size = sizeof custom_queue_callbacks,
                                                  .name = "my queue",
                                                  .operations = operations,
                                                  .init = init,
                                                  .step = step,
                                                  .equal = equal,
                                                  .hash = hash,
                                                  .print = print,
                                                  .release = release};
