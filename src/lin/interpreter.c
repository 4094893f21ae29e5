#include "lin/interpreter.h"

#include <string.h>

#include "base/memory.h"
#include "code/interpreter.h"
#include "lin/run_answers.h"
#include "lin/run_memory.h"

#define MOST_INSTRUCTIONS 1000000 /* of a step; one that is longer is asked whether it ends */
#define MOST_CHOICES                                                                               \
    10000 /* in a step; each has runs of its own, and a loop may go on choosing                    \
           */

static void write_local(struct lin_run *run, uint32_t local, const int32_t *words, uint32_t count)
{
    memcpy(run->locals + local, words, count * sizeof *words);
}

static enum lin_halt overflow(struct lin_run *run, int64_t found)
{
    script_error(run->steps->module->script, run->steps->listing.places.items[run->at], run->error,
                 "expected an int of 32 bits, found %lld", (long long)found);
    return HALT_IN_ERROR;
}

static enum lin_halt operate(struct lin_run *run, enum opcode op)
{
    int64_t right = lin_run_pop(run), left = lin_run_pop(run);
    if (opcode_orders(op))
        return lin_run_push(run, orders(op, left, right));
    if (opcode_divides(op) && right == 0)
        return lin_run_fault(run, "division by zero");
    int64_t result = calculate(op, left, right);
    if (result < INT32_MIN || result > INT32_MAX)
        return overflow(run, result);
    return lin_run_push(run, (int32_t)result);
}

static enum lin_halt run_negation(struct lin_run *run)
{
    int64_t result = -(int64_t)lin_run_pop(run);
    return result > INT32_MAX ? overflow(run, result) : lin_run_push(run, (int32_t)result);
}

static enum lin_halt compare(struct lin_run *run, uint32_t words, bool negate)
{
    const int32_t *right = lin_run_drop(run, words), *left = lin_run_drop(run, words);
    bool same = memcmp(left, right, words * sizeof *left) == 0;
    return lin_run_push(run, same != negate);
}

static enum lin_halt lin_run_choice(struct lin_run *run)
{
    int64_t high = lin_run_pop(run), low = lin_run_pop(run);
    if (low > high)
        return HALT_IN_WAIT;
    if (high - low >= INT32_MAX) {
        script_error(run->steps->module->script, run->steps->listing.places.items[run->at],
                     run->error, "expected a choice among at most %d numbers, found %lld",
                     INT32_MAX, (long long)(high - low + 1));
        return HALT_IN_ERROR;
    }
    uint32_t chosen = high > low ? lin_run_choose(run, (uint32_t)(high - low + 1)) : 0;
    if (run->worker->chosen > MOST_CHOICES) {
        script_error(run->steps->module->script, run->steps->listing.places.items[run->at],
                     run->error, "expected at most %d choices in one step, found more",
                     MOST_CHOICES);
        return HALT_IN_ERROR;
    }
    return chosen == UINT32_MAX ? HALT_FOR_MEMORY : lin_run_push(run, (int32_t)(low + chosen));
}

static enum lin_halt ask_running(struct lin_run *run, uint32_t operation)
{
    const struct lin_steps *steps = run->steps;
    int32_t thread = lin_run_pop(run);
    if (thread < 0 || (uint32_t)thread >= steps->setting.threads)
        return lin_run_fault(run, "there is no such thread");
    uint32_t at = thread_slots(steps, run->slots, (uint32_t)thread)[LIN_THREAD_AT];
    return lin_run_push(run, at != 0 && (operation == 0 || entry_at(steps, at - 1) ==
                                                               &steps->entries[operation - 1]));
}

static enum lin_halt pick(struct lin_run *run, const struct instruction *instruction)
{
    struct lin_worker *worker = run->worker;
    int32_t *record = worker->stack.items + worker->stack.length - instruction->small;
    memmove(record, record + instruction->operand, instruction->wide * sizeof *record);
    worker->stack.length -= instruction->small - instruction->wide;
    return HALT_NOT;
}

/* Whether an array has an item for each thread that nobody else has access to. */
static bool is_own_item(const struct lin_model *model, uint32_t first)
{
    for (size_t i = 0; i < model->own.length; i++)
        if (model->own.items[i].first == first)
            return model->own.items[i].alone;
    return false;
}

/* Whether an instruction touches something shared that is no node reached by a reference. A new
 * node is nobody else's business where nodes are never given back and never run out. */
static bool touches_shared(const struct lin_run *run, const struct instruction *instruction)
{
    switch ((enum opcode)instruction->op) {
    case OP_NEW:
        return run->worker->model->frees || !run->steps->pools[instruction->operand].is_default;
    case OP_ADDRESS:
        return !is_own_item(run->worker->model, (uint32_t)instruction->operand);
    case OP_LOAD_SHARED:
    case OP_STORE_SHARED:
    case OP_FREE:
    case OP_AWAIT:
    case OP_LOCK:
    case OP_UNLOCK:
    case OP_LINEARIZE:
    case OP_PRINT:
    case OP_INVOKE:
        return true;
    default:
        return false;
    }
}

static enum lin_halt run_plain(struct lin_run *run, const struct instruction *instruction)
{
    uint32_t operand = (uint32_t)instruction->operand, wide = instruction->wide;
    const struct lin_pool *pools = run->steps->pools;
    uint32_t slot;
    run->worker->touches_shared |= touches_shared(run, instruction);
    switch ((enum opcode)instruction->op) {
    case OP_PUSH:
        return lin_run_push(run, datum_bits(instruction_word(instruction)));
    case OP_POP:
        lin_run_drop(run, operand);
        return HALT_NOT;
    case OP_LOAD_OWN:
        return lin_run_push_words(run, run->locals + operand, wide);
    case OP_STORE_OWN:
        write_local(run, operand, lin_run_drop(run, wide), wide);
        return HALT_NOT;
    case OP_LOAD_SHARED:
        return lin_run_push_words(run, run->slots + operand, wide);
    case OP_STORE_SHARED:
        lin_run_write(run, operand, lin_run_drop(run, wide), wide);
        return HALT_NOT;
    case OP_ADDRESS:
        return lin_run_push(run, instruction->operand);
    case OP_ADDRESS_OWN:
        return lin_run_push(run, (int32_t)(run->locals - run->slots) + instruction->operand);
    case OP_AT:
        slot = (uint32_t)lin_run_pop(run) * wide;
        return lin_run_push(run, (int32_t)(slot + (uint32_t)lin_run_pop(run)));
    case OP_DEREFERENCE:
        return lin_run_dereference(run, &pools[operand], wide);
    case OP_OFFSET:
        return lin_run_push(run, lin_run_pop(run) + instruction->operand);
    case OP_LOAD:
        slot = (uint32_t)lin_run_pop(run);
        return lin_run_push_words(run, run->slots + slot, wide);
    case OP_STORE: {
        const int32_t *words = lin_run_drop(run, wide);
        lin_run_write(run, (uint32_t)lin_run_pop(run), words, wide);
        return HALT_NOT;
    }
    case OP_PICK:
        return pick(run, instruction);
    case OP_NEGATE:
        return run_negation(run);
    case OP_NOT:
        return lin_run_push(run, !lin_run_pop(run));
    case OP_EQUAL:
    case OP_NOT_EQUAL:
        return compare(run, 1, instruction->op == OP_NOT_EQUAL);
    case OP_SAME:
        return compare(run, wide, instruction->small);
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
        return lin_run_check_range(run, operand,
                                   run->worker->stack.items[run->worker->stack.length - 1],
                                   instruction->small);
    case OP_AWAIT:
        return lin_run_pop(run) ? HALT_NOT : HALT_IN_WAIT;
    case OP_ASSERT:
        return lin_run_pop(run) ? HALT_NOT : lin_run_fault(run, "an assertion in the code fails");
    case OP_CHOOSE:
        return lin_run_choice(run);
    case OP_LINEARIZE:
        return lin_run_linearize(run, instruction);
    case OP_AS_INT:
    case OP_AS_BOOL:
    case OP_AS_VALUE:
    case OP_AS_ANSWER:
        return lin_run_check_answer(run, (enum opcode)instruction->op);
    case OP_PRINT:
        return lin_run_print_answer(run);
    case OP_INVOKE:
        return lin_run_invoke(run, instruction);
    case OP_RUNNING:
        return ask_running(run, wide);
    case OP_THREAD:
        return lin_run_push(run, (int32_t)run->thread);
    default:
        return operate(run, (enum opcode)instruction->op);
    }
}

/* One instruction; false when the thread stops before or at it. */
static bool run_one(struct lin_run *run, enum lin_halt *halt)
{
    const struct instruction *instruction = &run->steps->listing.code.items[run->at];
    switch ((enum opcode)instruction->op) {
    case OP_STEP:
    case OP_ANSWER:
    case OP_END:
        *halt = HALT_AT_STOP;
        return false;
    case OP_JUMP:
        run->at = (uint32_t)instruction->operand;
        return true;
    case OP_JUMP_IF_FALSE:
    case OP_JUMP_IF_TRUE:
        if ((lin_run_pop(run) != 0) == (instruction->op == OP_JUMP_IF_TRUE))
            run->at = (uint32_t)instruction->operand;
        else
            run->at++;
        return true;
    default:
        *halt = run_plain(run, instruction);
        run->at += *halt == HALT_NOT;
        return *halt == HALT_NOT;
    }
}

/* After many instructions: whether the step comes back to where it is now, or takes too long. */
static enum lin_halt run_on_long(struct lin_run *run)
{
    uint32_t at = run->at;
    size_t bytes = run->steps->slots * sizeof *run->slots, words = run->worker->stack.length;
    enum lin_halt halt = HALT_NOT;
    uint32_t *start = memory_allocate(run->worker->model->model.budget, bytes);
    if (!start)
        return HALT_FOR_MEMORY;
    memcpy(start, run->slots, bytes);
    for (unsigned count = 0; count < MOST_INSTRUCTIONS && run_one(run, &halt); count++)
        if (run->at == at && run->worker->stack.length == words &&
            memcmp(start, run->slots, bytes) == 0) {
            halt =
                lin_run_fault(run, "the operation runs for ever without touching anything shared");
            break;
        }
    memory_release(run->worker->model->model.budget, start, bytes);
    if (halt != HALT_NOT)
        return halt;
    script_error(run->steps->module->script, run->steps->listing.places.items[run->at], run->error,
                 "expected a step that ends, found one of more than %d instructions",
                 2 * MOST_INSTRUCTIONS);
    return HALT_IN_ERROR;
}

enum lin_halt lin_run_on(struct lin_run *run)
{
    enum lin_halt halt = HALT_NOT;
    run->worker->stack.length = 0;
    for (unsigned count = 0; count < MOST_INSTRUCTIONS; count++)
        if (!run_one(run, &halt))
            return halt;
    return run_on_long(run);
}
