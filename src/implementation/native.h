/* A `.lin` model's steps and canonical form as functions that the system's compiler has made: the
 * same states in the same order as the interpreter, sooner. Who takes steps asks for them after so
 * many states, by count: then those in the cache are looked for, later the compiler is begun, in
 * the background, and from when it is through on the functions are used. Where there is no
 * compiler, or the model does not fit, the interpreter goes on. */
#ifndef IMPLEMENTATION_NATIVE_H
#define IMPLEMENTATION_NATIVE_H

#include "base/log.h"
#include "implementation/native_abi.h"
#include "implementation/run.h"
#include "native/engine.h"

/* Gives a model, which has no workers yet, compiled steps. The log may be null, and must outlive
 * the model. STATUS_LIMIT. */
enum status lin_native_attach(struct lin_model *model, enum engine engine,
                              const struct log *log) MUST_CHECK;
/* The state from which on a worker's steps were compiled ones, + 1; 0: there were none. */
uint64_t lin_native_from(struct lin_native *native);

void lin_native_release(struct lin_native *native);

/* Before each state that a worker expands. */
void lin_native_look(struct lin_worker *worker);

static inline void lin_native_count(struct lin_worker *worker)
{
    if (worker->model->native && !worker->native && worker->patience-- == 0)
        lin_native_look(worker);
}

/* Runs on from where the run is, as lin_run_on does, with the state's slots as in `before` where
 * compiled code gives up: then the interpreter runs. */
enum ran lin_native_run_on(struct lin_run *run, const uint32_t *before) MUST_CHECK;

/* Evaluates a condition on the state in worker->after, which it may change. False: it is to be done
 * otherwise. */
bool lin_native_evaluate(struct lin_worker *worker, uint32_t condition, int64_t *found) MUST_CHECK;

/* Takes everything that is one step of a thread, from `start` on, beginning with a call or not, as
 * run_joined of model_steps.c does: from the slots in worker->before, in worker->after. *at: the
 * instruction that it ends at. False: it is to be done otherwise, and choices are as they were. */
bool lin_native_run_joined(struct lin_worker *worker, uint32_t thread, uint32_t start, bool is_call,
                           uint32_t *at, enum ran *ran) MUST_CHECK;

#endif
