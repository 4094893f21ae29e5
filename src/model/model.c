#include "model/model.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

void successors_init(struct successors *successors, struct budget *budget)
{
    vectors_init(budget, &successors->steps, &successors->states, &successors->ample,
                 &successors->waits);
    successors->announce = NULL;
    successors->limits = NULL;
    successors->looked = 0;
    successors_clear(successors);
}

void successors_clear(struct successors *successors)
{
    successors->steps.length = 0;
    successors->states.length = 0;
    successors->ample.length = 0;
    successors->puts_off = false;
    successors->waits.length = 0;
    successors->running = successors->resting = successors->cut = 0;
    successors->waiting = successors->starving = 0;
    successors->renumbered = successors->passed = successors->pure = successors->stale = 0;
    successors->decided = 0;
    successors->exhausted = false;
    successors->fault[0] = 0;
}

void outlooks_init(struct outlooks *outlooks, struct budget *budget)
{
    vectors_init(budget, &outlooks->items, &outlooks->events);
}

void outlooks_release(struct outlooks *outlooks)
{
    vectors_release(&outlooks->items, &outlooks->events);
}

void successors_release(struct successors *successors)
{
    vectors_release(&successors->steps, &successors->states, &successors->ample,
                    &successors->waits);
}

bool successors_push(struct successors *successors, const struct step *step, const uint32_t *state,
                     uint32_t slots)
{
    const size_t at = successors->states.length;
    assert(at == successors->steps.length * slots);
    if (!vector_reserve(&successors->states, at + slots) || !vector_push(&successors->steps, *step))
        return false;
    memcpy(successors->states.items + at, state, slots * sizeof *state);
    successors->states.length += slots;
    return !successors->announce ||
           successors->announce(successors->decorator,
                                &successors->steps.items[successors->steps.length - 1],
                                successors->states.items + at) == STATUS_OK;
}

void followed_init(struct followed *followed, struct budget *budget)
{
    vectors_init(budget, &followed->processes, &followed->words, &followed->ends);
}

void followed_clear(struct followed *followed)
{
    followed->processes.length = 0;
    followed->words.length = 0;
    followed->ends.length = 0;
}

void followed_release(struct followed *followed)
{
    vectors_release(&followed->processes, &followed->words, &followed->ends);
}

enum status worker_follow(struct worker *worker, const uint32_t *state, const uint32_t *who,
                          size_t length, const struct successors *of, struct followed *out,
                          struct error *error)
{
    const struct model_class *class = worker->model->class;
    followed_clear(out);
    if (class->follow) {
        TRY(class->follow(worker, state, who, length, of, out, error));
        assert(out->processes.length == of->steps.length);
        return STATUS_OK;
    }
    for (size_t i = 0; i < of->steps.length; i++)
        if (!vector_push(&out->processes, of->steps.items[i].process) ||
            !vector_push(&out->ends, 0))
            return STATUS_LIMIT;
    return STATUS_OK;
}

struct worker *worker_create(const struct model *model)
{
    struct worker *worker = model->class->worker_create(model);
    assert(!worker || worker->model == model);
    return worker;
}

void worker_destroy(struct worker *worker)
{
    if (worker)
        worker->model->class->worker_destroy(worker);
}

struct worker *worker_create_plain(const struct model *model)
{
    struct worker *worker = memory_allocate(model->budget, sizeof *worker);
    if (worker)
        worker->model = model;
    return worker;
}

void worker_destroy_plain(struct worker *worker)
{
    memory_release(worker->model->budget, worker, sizeof *worker);
}
