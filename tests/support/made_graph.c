#include "support/made_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

static const label label_of[LABELS] = {LABEL_TAU, 2, 3};

static bool push_step(struct successors *out, label by, uint32_t process, uint32_t to)
{
    const struct step step = {
        .label = by, .shown = by, .process = process, .processes = step_bit(process)};
    return vector_push(&out->steps, step) && vector_push(&out->states, to + 5);
}

static enum status initial(struct worker *worker, struct successors *out, struct error *error)
{
    const struct made *made = (const struct made *)worker->model;
    (void)error;
    return push_step(out, LABEL_TAU, 0, 0) && push_step(out, LABEL_TAU, 0, made->second)
               ? STATUS_OK
               : STATUS_LIMIT;
}

/* The last label first, and each step twice: a graph sorts them, and keeps each once. */
static enum status successors(struct worker *worker, const uint32_t *state, struct successors *out,
                              struct error *error)
{
    const struct made *made = (const struct made *)worker->model;
    const uint32_t from = state[0] - 5;
    (void)error;
    for (uint32_t l = LABELS; l-- > 0;)
        for (uint32_t to = 0; to < 2 * made->count; to++)
            if (made->edge[l][from][to / 2] &&
                !push_step(out, label_of[l], made_process(l, from, to / 2), to / 2))
                return STATUS_LIMIT;
    for (uint32_t process = 0; process < PROCESSES; process++)
        if ((made->ample[from] >> process & 1) && !vector_push(&out->ample, step_bit(process)))
            return STATUS_LIMIT;
    return STATUS_OK;
}

static enum status represent(struct worker *worker, uint32_t *state, struct error *error)
{
    (void)error;
    *state = ((const struct made *)worker->model)->stands_by[*state - 5] + 5;
    return STATUS_OK;
}

static enum status skip_state(struct worker *worker, uint32_t *state, uint32_t *process,
                              struct error *error)
{
    const uint32_t to = ((const struct made *)worker->model)->skips_to[*state - 5] + 5;
    (void)error;
    *process = to == *state ? UINT32_MAX : 0;
    *state = to;
    return STATUS_OK;
}

/* Condition i: it is state i. */
static enum status evaluate(struct worker *worker, uint32_t condition, const uint32_t *state,
                            int64_t *value, struct error *error)
{
    (void)worker, (void)error;
    *value = state[0] - 5 == condition;
    return STATUS_OK;
}

static const struct model_class made_class = {
    .name = "made",
    .worker_create = worker_create_plain,
    .worker_destroy = worker_destroy_plain,
    .initial = initial,
    .successors = successors,
    .evaluate = evaluate,
    .represent = represent,
    .skip = skip_state,
};

void made_random(struct made *made, struct random *random, uint32_t percent)
{
    memset(made, 0, sizeof *made);
    budget_init(&made->budget, NULL, 0);
    made->model = (struct model){
        .class = &made_class, .budget = &made->budget, .slots = 1, .identity_slots = 1};
    made->count = 1 + random_below(random, MOST);
    made->second = random_below(random, made->count);
    for (uint32_t i = 0; i < MOST; i++)
        made->stands_by[i] = made->skips_to[i] = i;
    for (uint32_t l = 0; l < LABELS; l++)
        for (uint32_t i = 0; i < made->count; i++)
            for (uint32_t j = 0; j < made->count; j++) {
                made->edge[l][i][j] = random_below(random, 100) < percent;
                made->any[i][j] |= made->edge[l][i][j];
            }
}

uint32_t made_label(label by)
{
    return by == LABEL_TAU ? 0 : by - 1;
}

uint32_t made_number(const struct graph *graph, state_id state)
{
    return graph_state(graph, state)[0] - 5;
}

void made_expect_run(const struct made *made, const struct graph *graph,
                     const struct execution *execution)
{
    assert_int_equal(execution->states.length, execution->labels.length + 1);
    for (size_t i = 0; i < execution->labels.length; i++) {
        label by = execution->labels.items[i];
        assert_true(made->edge[made_label(by)][made_number(graph, execution->states.items[i])]
                              [made_number(graph, execution->states.items[i + 1])]);
    }
    uint32_t first = made_number(graph, execution->states.items[0]);
    assert_true(first == 0 || first == made->second);
}

static uint32_t close_bits(const struct made *made, uint32_t bits)
{
    for (uint32_t round = 0; round < made->count; round++)
        for (uint32_t i = 0; i < made->count; i++)
            for (uint32_t j = 0; j < made->count; j++)
                if ((bits >> i & 1) && made->edge[0][i][j])
                    bits |= 1u << j;
    return bits;
}

uint32_t made_bits_behind(const struct made *made, uint32_t bits, uint32_t l)
{
    uint32_t behind = 0;
    for (uint32_t i = 0; i < made->count; i++)
        for (uint32_t j = 0; j < made->count; j++)
            if ((bits >> i & 1) && made->edge[l][i][j])
                behind |= 1u << j;
    return l == 0 ? bits : close_bits(made, behind);
}

uint32_t made_initial_bits(const struct made *made)
{
    return close_bits(made, 1u | 1u << made->second);
}
