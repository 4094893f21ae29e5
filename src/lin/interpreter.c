#include "lin/interpreter.h"

#include <string.h>

#include "base/memory.h"
#include "lin/lexer.h"
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

static enum lin_halt calculate(struct lin_run *run, unsigned sign)
{
    int64_t right = lin_run_pop(run), left = lin_run_pop(run), result = 0;
    switch (sign) {
    case LIN_PLUS:
        result = left + right;
        break;
    case LIN_MINUS:
        result = left - right;
        break;
    case LIN_STAR:
        result = left * right;
        break;
    case LIN_SLASH:
    case LIN_PERCENT:
        if (right == 0)
            return lin_run_fault(run, "division by zero");
        result = sign == LIN_SLASH ? left / right : left % right;
        break;
    case LIN_AND:
        result = left & right;
        break;
    case LIN_BAR:
        result = left | right;
        break;
    case LIN_CARET:
        result = left ^ right;
        break;
    case LIN_LESS:
        result = left < right;
        break;
    case LIN_LESS_EQUAL:
        result = left <= right;
        break;
    case LIN_GREATER:
        result = left > right;
        break;
    default:
        result = left >= right;
        break;
    }
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

static enum lin_halt pick(struct lin_run *run, const struct lin_instruction *instruction)
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
static bool touches_shared(const struct lin_run *run, const struct lin_instruction *instruction)
{
    switch ((enum lin_step_op)instruction->op) {
    case LIN_DO_NEW:
        return run->worker->model->frees || !run->steps->pools[instruction->operand].is_default;
    case LIN_DO_ADDRESS:
        return !is_own_item(run->worker->model, (uint32_t)instruction->operand);
    case LIN_DO_LOAD_SHARED:
    case LIN_DO_STORE_SHARED:
    case LIN_DO_FREE:
    case LIN_DO_WAIT_FOR:
    case LIN_DO_LOCK:
    case LIN_DO_UNLOCK:
    case LIN_DO_LINEARIZE:
    case LIN_DO_PRINT:
    case LIN_DO_INVOKE:
        return true;
    default:
        return false;
    }
}

static enum lin_halt run_plain(struct lin_run *run, const struct lin_instruction *instruction)
{
    uint32_t operand = (uint32_t)instruction->operand, wide = instruction->wide;
    const struct lin_pool *pools = run->steps->pools;
    uint32_t slot;
    run->worker->touches_shared |= touches_shared(run, instruction);
    switch ((enum lin_step_op)instruction->op) {
    case LIN_DO_PUSH:
        return lin_run_push(run, instruction->operand);
    case LIN_DO_POP:
        lin_run_drop(run, operand);
        return HALT_NOT;
    case LIN_DO_LOAD_LOCAL:
        return lin_run_push_words(run, run->locals + operand, wide);
    case LIN_DO_STORE_LOCAL:
        write_local(run, operand, lin_run_drop(run, wide), wide);
        return HALT_NOT;
    case LIN_DO_LOAD_SHARED:
        return lin_run_push_words(run, run->slots + operand, wide);
    case LIN_DO_STORE_SHARED:
        lin_run_write(run, operand, lin_run_drop(run, wide), wide);
        return HALT_NOT;
    case LIN_DO_ADDRESS:
        return lin_run_push(run, instruction->operand);
    case LIN_DO_ADDRESS_LOCAL:
        return lin_run_push(run, (int32_t)(run->locals - run->slots) + instruction->operand);
    case LIN_DO_AT:
        slot = (uint32_t)lin_run_pop(run) * wide;
        return lin_run_push(run, (int32_t)(slot + (uint32_t)lin_run_pop(run)));
    case LIN_DO_DEREFERENCE:
        return lin_run_dereference(run, &pools[operand], wide);
    case LIN_DO_OFFSET:
        return lin_run_push(run, lin_run_pop(run) + instruction->operand);
    case LIN_DO_LOAD:
        slot = (uint32_t)lin_run_pop(run);
        return lin_run_push_words(run, run->slots + slot, wide);
    case LIN_DO_STORE: {
        const int32_t *words = lin_run_drop(run, wide);
        lin_run_write(run, (uint32_t)lin_run_pop(run), words, wide);
        return HALT_NOT;
    }
    case LIN_DO_PICK:
        return pick(run, instruction);
    case LIN_DO_NEGATE:
        return run_negation(run);
    case LIN_DO_NOT:
        return lin_run_push(run, !lin_run_pop(run));
    case LIN_DO_CALCULATE:
        return calculate(run, instruction->small);
    case LIN_DO_SAME:
        return compare(run, wide, instruction->small);
    case LIN_DO_CAS:
        return lin_run_compare_and_swap(run, wide);
    case LIN_DO_SWAP:
        return lin_run_swap(run, wide);
    case LIN_DO_FETCH_ADD:
        return lin_run_fetch_add(run, operand);
    case LIN_DO_LL:
        return lin_run_load_linked(run, wide);
    case LIN_DO_SC:
        return lin_run_store_conditional(run, wide);
    case LIN_DO_LOCK:
        return lin_run_lock(run);
    case LIN_DO_UNLOCK:
        return lin_run_unlock(run);
    case LIN_DO_NEW:
        return lin_run_make_node(run, &pools[operand]);
    case LIN_DO_FREE:
        return lin_run_free_node(run, &pools[operand]);
    case LIN_DO_RANGE:
        return lin_run_check_range(run, operand,
                                   run->worker->stack.items[run->worker->stack.length - 1],
                                   instruction->small);
    case LIN_DO_WAIT_FOR:
        return lin_run_pop(run) ? HALT_NOT : HALT_IN_WAIT;
    case LIN_DO_CLAIM:
        return lin_run_pop(run) ? HALT_NOT : lin_run_fault(run, "an assertion in the code fails");
    case LIN_DO_CHOICE:
        return lin_run_choice(run);
    case LIN_DO_LINEARIZE:
        return lin_run_linearize(run, instruction);
    case LIN_DO_AS_INT:
    case LIN_DO_AS_BOOL:
    case LIN_DO_AS_VALUE:
    case LIN_DO_AS_ANSWER:
        return lin_run_check_answer(run, (enum lin_step_op)instruction->op);
    case LIN_DO_PRINT:
        return lin_run_print_answer(run);
    case LIN_DO_INVOKE:
        return lin_run_invoke(run, instruction);
    case LIN_DO_RUNNING:
        return ask_running(run, wide);
    default:
        return lin_run_push(run, (int32_t)run->thread); /* LIN_DO_WHO */
    }
}

/* One instruction; false when the thread stops before or at it. */
static bool run_one(struct lin_run *run, enum lin_halt *halt)
{
    const struct lin_instruction *instruction = &run->steps->listing.code.items[run->at];
    switch ((enum lin_step_op)instruction->op) {
    case LIN_DO_STEP:
    case LIN_DO_RETURN:
    case LIN_DO_END:
        *halt = HALT_AT_STOP;
        return false;
    case LIN_DO_JUMP:
        run->at = (uint32_t)instruction->operand;
        return true;
    case LIN_DO_JUMP_IF_FALSE:
    case LIN_DO_JUMP_IF_TRUE:
        if ((lin_run_pop(run) != 0) == (instruction->op == LIN_DO_JUMP_IF_TRUE))
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
