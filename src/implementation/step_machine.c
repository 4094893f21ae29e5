/* The interpreter's host for implementations (code/interpreter.h): memory that threads share, and
 * what a step of a thread may do once. Their words are integers of 32 bits, whatever they stand
 * for: `true` that was stored and loaded again is 1. */
#include "implementation/step_machine.h"

#include <string.h>

#include "implementation/quiet_steps.h"
#include "implementation/run_accesses.h"
#include "implementation/run_answers.h"
#include "implementation/run_memory.h"

#define MOST_INSTRUCTIONS 1000000 /* of a step; one that is longer is asked whether it ends */

static enum ran overflow(struct lin_run *run, int64_t found)
{
    script_error(run->steps->module->script, lin_run_place(run), run->error,
                 "expected an int of 32 bits, found %lld", (long long)found);
    return RAN_INTO_ERROR;
}

static enum ran push_sum(struct lin_run *run, int64_t result)
{
    bool fits = result >= INT32_MIN && result <= INT32_MAX;
    return fits ? lin_run_push(run, (int32_t)result) : overflow(run, result);
}

static enum ran operate(struct lin_run *run, enum opcode op)
{
    int64_t right = lin_run_pop(run), left = lin_run_pop(run);
    if (opcode_orders(op))
        return evaluation_push(&run->evaluation, datum_boolean(orders(op, left, right)));
    if (opcode_divides(op) && right == 0)
        return lin_run_fault(run, "division by zero");
    return push_sum(run, calculate(op, left, right));
}

/* Of so many words each. */
static enum ran equate(struct lin_run *run, uint32_t words, bool wanted)
{
    const datum *right = evaluation_drop(&run->evaluation, words),
                *left = evaluation_drop(&run->evaluation, words);
    bool same = true;
    for (uint32_t i = 0; i < words; i++)
        same &= datum_bits(left[i]) == datum_bits(right[i]);
    return evaluation_push(&run->evaluation, datum_boolean(same == wanted));
}

static enum ran refuse_choice(struct lin_run *run)
{
    int64_t high = lin_run_pop(run), low = lin_run_pop(run);
    if (high - low >= INT32_MAX)
        script_error(run->steps->module->script, lin_run_place(run), run->error,
                     "expected a choice among at most %d numbers, found %lld", INT32_MAX,
                     (long long)(high - low + 1));
    else
        script_error(run->steps->module->script, lin_run_place(run), run->error,
                     "expected at most %d choices in one step, found more", LIN_MOST_CHOICES);
    return RAN_INTO_ERROR;
}

static enum ran ask_running(struct lin_run *run, uint32_t operation)
{
    const struct lin_steps *steps = run->steps;
    int32_t thread = lin_run_pop(run);
    if (thread < 0 || (uint32_t)thread >= steps->setting.threads)
        return lin_run_fault(run, "there is no such thread");
    uint32_t at = thread_slots(steps, run->evaluation.slots, (uint32_t)thread)[LIN_THREAD_AT];
    return evaluation_push(
        &run->evaluation,
        datum_boolean(at != 0 && (operation == 0 ||
                                  entry_at(steps, at - 1) == &steps->entries[operation - 1])));
}

static enum ran pick(struct evaluation *e, const struct instruction *i)
{
    datum *record = e->stack + e->depth - i->small;
    assert((uint32_t)i->operand + i->wide <= i->small && i->small <= e->depth);
    memmove(record, record + i->operand, i->wide * sizeof *record);
    e->depth -= i->small - i->wide;
    return RAN_ON;
}

static enum ran host_run(struct evaluation *e, const struct instruction *i)
{
    struct lin_run *run = lin_run_of(e);
    uint32_t operand = (uint32_t)i->operand, wide = i->wide, slot;
    const struct lin_pool *pools = run->steps->pools;
    const datum *words;
    run->worker->touches_shared |= lin_touches_shared(run->worker->model, i);
    if (i->small == 1 && (i->op == OP_LOAD || i->op == OP_STORE || i->op == OP_CAS) &&
        lin_run_note_access(run, i) != RAN_ON)
        return RAN_OUT_OF_MEMORY;
    switch ((enum opcode)i->op) {
    case OP_LOAD_SHARED:
        return evaluation_push_slots(e, e->slots + operand, wide);
    case OP_STORE_SHARED:
        lin_run_write(run, operand, evaluation_drop(e, wide), wide);
        return RAN_ON;
    case OP_ADDRESS:
        return lin_run_push(run, i->operand);
    case OP_DEREFERENCE:
        return lin_run_dereference(run, i);
    case OP_LOAD:
        slot = (uint32_t)lin_run_pop(run);
        return evaluation_push_slots(e, e->slots + slot, wide);
    case OP_STORE:
        words = evaluation_drop(e, wide);
        lin_run_write(run, (uint32_t)lin_run_pop(run), words, wide);
        return RAN_ON;
    case OP_PICK:
        return pick(e, i);
    case OP_NEGATE:
        return push_sum(run, -(int64_t)lin_run_pop(run));
    case OP_EQUAL:
    case OP_NOT_EQUAL:
        return equate(run, 1, i->op == OP_EQUAL);
    case OP_SAME:
        return equate(run, wide, !i->small);
    case OP_CAS:
        return lin_run_compare_and_swap(run, wide);
    case OP_SWAP:
        return lin_run_swap(run, wide);
    case OP_FETCH_ADD:
        return lin_run_fetch_add(run, operand);
    case OP_LOAD_LINKED:
        return lin_run_load_linked(run, wide);
    case OP_STORE_CONDITIONAL:
        return lin_run_store_conditional(run, wide);
    case OP_LOCK:
        return lin_run_lock(run);
    case OP_UNLOCK:
        return lin_run_unlock(run);
    case OP_NEW:
        return lin_run_make_node(run, &pools[operand]);
    case OP_FREE:
        return lin_run_free_node(run, &pools[operand]);
    case OP_CHECK_RANGE:
        return lin_run_leave_range(run, &e->ranges[operand], datum_bits(*evaluation_top(e, 0)),
                                   (enum lin_range_kind)i->small);
    case OP_AWAIT:
        return lin_run_pop(run) ? RAN_ON : RAN_BLOCKED;
    case OP_ASSERT:
        return lin_run_pop(run) ? RAN_ON : lin_run_fault(run, "an assertion in the code fails");
    case OP_NOT:
    case OP_JUMP_IF_FALSE:
    case OP_JUMP_IF_TRUE: /* a boolean that was loaded */
        *evaluation_top(e, 0) = datum_boolean(datum_bits(*evaluation_top(e, 0)) != 0);
        return RAN_ON;
    case OP_CHOOSE:
        return refuse_choice(run);
    case OP_LINEARIZE:
    case OP_LINEARIZE_OF:
        return lin_run_linearize(run, i);
    case OP_AS_INT:
    case OP_AS_BOOL:
    case OP_AS_VALUE:
    case OP_AS_ANSWER:
        return lin_run_check_answer(run, (enum opcode)i->op);
    case OP_PRINT:
        return lin_run_print_answer(run);
    case OP_INVOKE:
        return lin_run_invoke(run, i);
    case OP_RUNNING:
        return ask_running(run, wide);
    default:
        return operate(run, (enum opcode)i->op);
    }
}

static enum ran host_grow(struct evaluation *e, uint32_t least)
{
    struct lin_worker *worker = lin_run_of(e)->worker;
    if (!vector_reserve(&worker->stack, least))
        return RAN_OUT_OF_MEMORY;
    e->stack = worker->stack.items;
    e->room = (uint32_t)worker->stack.capacity;
    return RAN_ON;
}

static const struct host host = {.run = host_run, .grow = host_grow};

struct lin_run lin_run_make(struct lin_worker *worker, uint32_t *slots, uint32_t thread,
                            uint32_t at, struct error *error)
{
    const struct lin_steps *steps = worker->model->steps;
    assert(thread < steps->setting.threads && at < steps->code.length);
    return (struct lin_run){
        .evaluation = {.host = &host,
                       .code = &steps->code,
                       .at = at,
                       .stack = worker->stack.items,
                       .room = (uint32_t)worker->stack.capacity,
                       .thread = thread,
                       .slots = slots,
                       .own = thread_slots(steps, slots, thread) + LIN_THREAD_HEADER,
                       .ranges = steps->ranges.items,
                       .choices = &worker->choices},
        .worker = worker,
        .steps = steps,
        .error = error};
}

/* After many instructions: whether the step comes back to where it is now, or takes too long. */
static enum ran run_on_long(struct lin_run *run)
{
    struct evaluation *e = &run->evaluation;
    uint32_t at = e->at, words = e->depth;
    size_t bytes = run->steps->slots * sizeof *e->slots;
    enum ran ran = RAN_LONG;
    uint32_t *start = memory_allocate(run->worker->stack.budget, bytes);
    if (!start)
        return RAN_OUT_OF_MEMORY;
    memcpy(start, e->slots, bytes);
    for (unsigned count = 0; count < MOST_INSTRUCTIONS && ran == RAN_LONG; count++) {
        e->left = 1;
        ran = evaluation_run(e);
        if (ran == RAN_LONG && e->at == at && e->depth == words &&
            memcmp(start, e->slots, bytes) == 0)
            ran =
                lin_run_fault(run, "the operation runs for ever without touching anything shared");
    }
    memory_release(run->worker->stack.budget, start, bytes);
    if (ran != RAN_LONG)
        return ran;
    script_error(run->steps->module->script, lin_run_place(run), run->error,
                 "expected a step that ends, found one of more than %d instructions",
                 2 * MOST_INSTRUCTIONS);
    return RAN_INTO_ERROR;
}

enum ran lin_run_on(struct lin_run *run)
{
    run->evaluation.depth = 0;
    run->evaluation.left = MOST_INSTRUCTIONS;
    enum ran ran = evaluation_run(&run->evaluation);
    return ran == RAN_LONG ? run_on_long(run) : ran;
}
