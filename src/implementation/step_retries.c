/* For each STEP and each local that is a reference and live there: if a shared variable were not
 * equal to it, now and at any later time, would each way lead back to the operation's first head,
 * with nothing done but to read? Each STEP on such a way must be one of which the same is found, so
 * that a thread does not leave those ways. */
#include "implementation/step_retries.h"

#include <string.h>

#include "implementation/state.h"
#include "implementation/step_paths.h"
#include "implementation/step_ways.h"

#define MOST_RUN   4000 /* instructions, of all ways from one STEP on */
#define MOST_STEPS 64   /* of one operation */

struct retrying {
    struct lin_steps *steps;
    struct lin_paths paths;
    struct lin_retry asked;
    uint32_t left; /* instructions */
    bool compared; /* the local with the variable, on some way */
};

static const struct instruction *code_of(const struct retrying *retrying)
{
    return retrying->steps->listing.code.items;
}

uint32_t lin_step_number(const struct lin_steps *steps, uint32_t at)
{
    uint32_t number = 0;
    for (uint32_t i = entry_at(steps, at)->start; i < at && number < MOST_STEPS; i++)
        number += steps->listing.code.items[i].op == OP_STEP;
    return number;
}

static bool is_local(const struct retrying *retrying, const struct lin_paths *paths, uint32_t word)
{
    const struct lin_term *term = lin_path_term(paths, word);
    return term->kind == LIN_TERM_LOCAL && term->first == retrying->asked.local;
}

static bool is_variable(const struct retrying *retrying, const struct lin_paths *paths,
                        uint32_t word)
{
    const struct lin_term *term = lin_path_term(paths, word);
    return (term->kind == LIN_TERM_SHARED || term->kind == LIN_TERM_SHARED_ADDRESS) &&
           !term->moved && term->first == retrying->asked.slot;
}

static bool differs(void *observer, struct lin_paths *paths, const struct lin_path *path,
                    uint32_t at)
{
    struct retrying *retrying = observer;
    const struct instruction *i = &code_of(retrying)[at];
    const uint32_t one = lin_path_top(path, 0), other = lin_path_top(path, 1);
    bool found = false;
    if ((i->op == OP_SAME || i->op == OP_CAS) && i->wide != 1)
        return false;
    if (i->op == OP_CAS)
        found =
            is_variable(retrying, paths, lin_path_top(path, 2)) && is_local(retrying, paths, other);
    else
        found = (is_local(retrying, paths, one) && is_variable(retrying, paths, other)) ||
                (is_local(retrying, paths, other) && is_variable(retrying, paths, one));
    retrying->compared |= found;
    return found;
}

/* At another STEP the thread must hold the reference still. */
static enum lin_path_end pass(struct retrying *retrying, const struct lin_paths *paths,
                              const struct lin_path *path, uint32_t at)
{
    const uint32_t number = lin_step_number(retrying->steps, at);
    if (at == retrying->asked.head)
        return LIN_PATH_ENDS;
    if (number == MOST_STEPS || !is_local(retrying, paths, path->own[retrying->asked.local]) ||
        !lin_steps_live(retrying->steps, at, retrying->asked.local))
        return LIN_PATH_FAILS;
    retrying->asked.passes |= UINT64_C(1) << number;
    return LIN_PATH_GOES_ON;
}

static enum lin_path_end lead_back(void *observer, struct lin_paths *paths,
                                   const struct lin_path *path, uint32_t at)
{
    struct retrying *retrying = observer;
    const struct instruction *i = &code_of(retrying)[at];
    if (retrying->left-- == 0) {
        retrying->left = 1;
        return LIN_PATH_FAILS;
    }
    switch ((enum opcode)i->op) {
    case OP_STEP:
        return pass(retrying, paths, path, at);
    case OP_STORE_OWN:
        return lin_steps_any_live(retrying->steps, retrying->asked.head, (uint32_t)i->operand,
                                  i->wide)
                   ? LIN_PATH_FAILS
                   : LIN_PATH_GOES_ON;
    case OP_DEREFERENCE:
        return lin_path_follow(paths, path, retrying->asked.nodes);
    case OP_CAS:
        return differs(retrying, paths, path, at) ? LIN_PATH_GOES_ON : LIN_PATH_FAILS;
    case OP_PUSH:
    case OP_POP:
    case OP_NOT:
    case OP_JUMP:
    case OP_JUMP_IF_FALSE:
    case OP_JUMP_IF_TRUE:
    case OP_LOAD_OWN:
    case OP_ADDRESS:
    case OP_ADDRESS_OWN:
    case OP_OFFSET:
    case OP_LOAD_SHARED:
    case OP_LOAD:
    case OP_PICK:
    case OP_SAME:
    case OP_EQUAL:
    case OP_NOT_EQUAL:
        return LIN_PATH_GOES_ON;
    default:
        return LIN_PATH_FAILS;
    }
}

static const struct lin_paths_class back_class = {.begins = lead_back, .differs = differs};

/* False: refused. */
static bool ask(struct retrying *retrying, uint32_t at, uint32_t head, uint32_t local,
                uint32_t slot)
{
    const uint32_t number = lin_step_number(retrying->steps, at);
    if (at == head || number == MOST_STEPS)
        return true;
    retrying->asked = (struct lin_retry){
        .at = at, .head = head, .local = local, .slot = slot, .passes = UINT64_C(1) << number};
    retrying->left = MOST_RUN;
    retrying->compared = false;
    if (lin_paths_run(&retrying->paths, at + 1) && retrying->compared)
        return vector_push(&retrying->steps->retries, retrying->asked);
    return !retrying->paths.refused;
}

/* Of one STEP, with each of its references and each shared variable that has nodes of the same
 * pool.
 */
static bool ask_all(struct retrying *retrying, const struct lin_entry *entry, uint32_t at,
                    uint32_t head)
{
    const struct lin_steps *steps = retrying->steps;
    for (uint32_t i = 0; i < entry->reference_count; i++)
        for (size_t j = 0; j < steps->shared_references.length; j++) {
            const struct lin_reference_slot *shared = &steps->shared_references.items[j];
            if (lin_steps_live(steps, at, entry->references[i].slot) &&
                shared->pool == entry->references[i].pool &&
                !ask(retrying, at, head, entry->references[i].slot, shared->slot))
                return false;
        }
    return true;
}

static bool has(const uint64_t *set, size_t retry)
{
    return set[retry / 64] >> retry % 64 & 1;
}

/* Whether one of the set stands at a STEP, of the same reference and variable. */
static bool is_found(const struct lin_steps *steps, const uint64_t *set,
                     const struct lin_retry *like, uint32_t at)
{
    bool found = false;
    for (size_t i = 0; i < steps->retries.length; i++) {
        const struct lin_retry *retry = &steps->retries.items[i];
        found |= has(set, i) && retry->at == at && retry->local == like->local &&
                 retry->slot == like->slot;
    }
    return found;
}

static bool stays(const struct lin_steps *steps, const uint64_t *set, const struct lin_retry *retry)
{
    uint32_t number = 0;
    bool stay = true;
    for (uint32_t at = entry_at(steps, retry->at)->start;
         number < MOST_STEPS && retry->passes >> number; at++)
        if (steps->listing.code.items[at].op == OP_STEP)
            stay &= !(retry->passes >> number++ & 1) || is_found(steps, set, retry, at);
    return stay;
}

void lin_step_keep_retries(const struct lin_steps *steps, uint64_t set[LIN_RETRY_WORDS])
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < steps->retries.length; i++)
            if (has(set, i) && !stays(steps, set, &steps->retries.items[i])) {
                set[i / 64] &= ~(UINT64_C(1) << i % 64);
                more = true;
            }
    }
}

/* Leaves those that a thread does not leave. */
static void leave_out_others(struct lin_steps *steps)
{
    uint64_t set[LIN_RETRY_WORDS];
    size_t kept = 0;
    if (steps->retries.length > 64 * LIN_RETRY_WORDS)
        steps->retries.length = 0;
    memset(set, 0xff, sizeof set);
    lin_step_keep_retries(steps, set);
    for (size_t i = 0; i < steps->retries.length; i++)
        if (has(set, i))
            steps->retries.items[kept++] = steps->retries.items[i];
    steps->retries.length = kept;
}

enum status lin_step_find_retries(struct lin_steps *steps)
{
    struct retrying retrying = {.steps = steps};
    bool done = true;
    if (!steps->setting.unbounded || !steps->pure || steps->locals > LIN_MOST_FOLLOWED)
        return STATUS_OK;
    lin_paths_init(&retrying.paths, steps, &back_class, &retrying);
    for (uint32_t i = 0; i < steps->object->operation_count && done; i++) {
        const uint32_t end = lin_ways_end(steps, i);
        uint32_t head = steps->entries[i].start;
        while (head < end && !(code_of(&retrying)[head].op == OP_STEP && steps->pure[head].is_head))
            head++;
        for (uint32_t at = steps->entries[i].start; at < end && head < end && done; at++)
            if (code_of(&retrying)[at].op == OP_STEP)
                done = ask_all(&retrying, &steps->entries[i], at, head);
    }
    lin_paths_release(&retrying.paths);
    leave_out_others(steps);
    return granted(done);
}
