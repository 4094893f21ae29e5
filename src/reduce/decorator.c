#include "reduce/decorator.h"

#include <assert.h>

#include "base/memory.h"

struct worker *decorator_find_worker(struct worker *worker, const struct model *model)
{
    while (worker->model != model) /* a decorator, then */
        worker = decorator_inside(worker);
    return worker;
}

void *decorator_make_worker(const struct model *base, size_t size)
{
    const struct model *inner = ((const struct decorator *)base)->inner;
    assert(size >= sizeof(struct decorator_worker) && inner->slots == base->slots);
    struct decorator_worker *made = memory_zeroed(base->budget, size);
    if (!made)
        return NULL;
    made->worker.model = base;
    made->inner = worker_create(inner);
    if (made->inner)
        return made;
    decorator_free_worker(&made->worker, size);
    return NULL;
}

void decorator_free_worker(struct worker *worker, size_t size)
{
    worker_destroy(decorator_inside(worker));
    memory_release(worker->model->budget, worker, size);
}

struct worker *decorator_worker_create(const struct model *base)
{
    return decorator_make_worker(base, sizeof(struct decorator_worker));
}

void decorator_worker_destroy(struct worker *worker)
{
    decorator_free_worker(worker, sizeof(struct decorator_worker));
}

enum status decorator_initial(struct worker *worker, struct successors *out, struct error *error)
{
    return worker_initial(decorator_inside(worker), out, error);
}

enum status decorator_evaluate(struct worker *worker, uint32_t condition, const uint32_t *state,
                               int64_t *value, struct error *error)
{
    return worker_evaluate(decorator_inside(worker), condition, state, value, error);
}

enum status decorator_follow(struct worker *worker, const uint32_t *state, const uint32_t *who,
                             size_t length, const struct successors *of, struct followed *out,
                             struct error *error)
{
    return worker_follow(decorator_inside(worker), state, who, length, of, out, error);
}

enum status decorator_represent(struct worker *worker, uint32_t *state, struct error *error)
{
    return worker_represent(decorator_inside(worker), state, error);
}

uint64_t decorator_known(const struct model *base)
{
    const struct model *inner = ((const struct decorator *)base)->inner;
    return inner->class->known(inner);
}

void decorator_print(const struct model *base, const uint32_t *state, const uint32_t *before,
                     struct text *text)
{
    const struct model *inner = ((const struct decorator *)base)->inner;
    inner->class->print(inner, state, before, text);
}
