#include "csp/worker.h"

#include <string.h>

/* ---- creation ---- */

enum status csp_worker_init(struct csp_worker *worker, struct csp_shared *shared)
{
    struct budget *budget = shared->pool.budget;
    const size_t size = (shared->program->slot_count + 1) * sizeof(uint32_t);
    worker->shared = shared;
    worker->only = UINT32_MAX;
    csp_terms_init(&worker->terms, &shared->pool);
    vectors_init(budget, &worker->moves, &worker->offers, &worker->words, &worker->fixed);
    vectors_init(budget, &worker->kept, &worker->kept_ends);
    vectors_init(budget, &worker->live, &worker->following.words);
    vectors_init(budget, &worker->leaves, &worker->sets);
    csp_owners_init(&worker->owners, budget);
    worker->valuation = memory_zeroed(budget, size);
    worker->trial = memory_zeroed(budget, size);
    return granted(worker->valuation && worker->trial);
}

void csp_worker_release(struct csp_worker *worker)
{
    struct budget *budget = worker->shared->pool.budget;
    const size_t size = (worker->shared->program->slot_count + 1) * sizeof(uint32_t);
    csp_terms_release(&worker->terms);
    vectors_release(&worker->moves, &worker->offers, &worker->words, &worker->fixed);
    vectors_release(&worker->kept, &worker->kept_ends);
    vectors_release(&worker->live, &worker->following.words);
    vectors_release(&worker->leaves, &worker->sets);
    csp_owners_release(&worker->owners);
    memory_release(budget, worker->replaced, worker->replaced_capacity * sizeof *worker->replaced);
    memory_release(budget, worker->valuation, size);
    memory_release(budget, worker->trial, size);
}

/* ---- running ---- */

enum status csp_ran(const struct csp_worker *worker, enum ran ran, const struct fault *fault,
                    struct error *error)
{
    if (ran == RAN_WELL)
        return STATUS_OK;
    TRY_MEMORY(ran != RAN_OUT_OF_MEMORY);
    return script_error(worker->shared->program->module->script, fault->at, error, "%s",
                        fault->message);
}

/* Above this the slots are only copied for code that changes some. */
#define MANY_SLOTS 1024

/* The slots for code to run on, which leaves those of the state as they are. */
static uint32_t *slots_for(struct csp_worker *worker, code_id id, const uint32_t *slots)
{
    const struct csp_program *program = worker->shared->program;
    const struct code *code = codes_get(program->codes, id);
    bool stores = program->slot_count <= MANY_SLOTS;
    for (uint32_t i = 0; i < code->length && !stores; i++)
        stores = opcode_stores((enum opcode)code->instructions[i].op);
    if (!stores)
        return (uint32_t *)slots;
    memcpy(worker->trial, slots, program->slot_count * sizeof *slots);
    return worker->trial;
}

enum status csp_evaluate(struct csp_worker *worker, code_id code, const uint32_t *slots, datum *d,
                         struct error *error)
{
    if (code_is_constant(worker->shared->program->codes, code, d))
        return STATUS_OK;
    worker->varies = true;
    struct machine machine = csp_machine(worker->shared->program);
    struct fault fault;
    uint32_t *room = slots_for(worker, code, slots);
    return csp_ran(worker, machine_run(&machine, code, room, d, &fault), &fault, error);
}

enum status csp_test(struct csp_worker *worker, code_id code, const uint32_t *slots, bool *holds,
                     struct error *error)
{
    worker->varies = true;
    struct machine machine = csp_machine(worker->shared->program);
    struct fault fault;
    uint32_t *room = slots_for(worker, code, slots);
    return csp_ran(worker, machine_test(&machine, code, room, holds, &fault), &fault, error);
}

enum status csp_add_move(struct csp_worker *worker, struct move move)
{
    TRY(csp_look(&worker->terms));
    TRY_MEMORY(move.label != LABEL_REFUSED && move.shown != LABEL_REFUSED &&
               move.target != TERM_REFUSED);
    return granted(vector_push(&worker->moves, move));
}

uint32_t *csp_fixed(struct csp_worker *worker, term t)
{
    while (worker->fixed.length <= t)
        if (!vector_push(&worker->fixed, 0))
            return NULL;
    return &worker->fixed.items[t];
}
