#include "model/model.h"

#include "base/memory.h"

void successors_init(struct successors *successors, struct budget *budget)
{
    vector_init(&successors->steps, budget);
    vector_init(&successors->states, budget);
    vector_init(&successors->ample, budget);
    successors_clear(successors);
}

void successors_clear(struct successors *successors)
{
    successors->steps.length = 0;
    successors->states.length = 0;
    successors->ample.length = 0;
    successors->waiting = successors->starving = 0;
    successors->exhausted = false;
    successors->fault[0] = 0;
}

void successors_release(struct successors *successors)
{
    vector_release(&successors->steps);
    vector_release(&successors->states);
    vector_release(&successors->ample);
}

struct worker *worker_create(const struct model *model)
{
    return model->class->worker_create(model);
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
