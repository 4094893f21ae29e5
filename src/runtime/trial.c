#include "runtime/trial.h"

#include <string.h>

#include "runtime/heap.h"

static struct {
    bool gave_up;
    uint64_t plain;
} trial;

bool trial_is_private(unsigned thread, const void *address)
{
    const char *at = address;
    return at >= execution.threads[thread].private_from &&
           at < region_arena(thread) + heap_used(thread);
}

size_t trial_private_size(unsigned thread)
{
    return (size_t)(region_arena(thread) + heap_used(thread) -
                    execution.threads[thread].private_from);
}

size_t trial_size(unsigned thread)
{
    const char *pointer = execution.threads[thread].fiber.stack_pointer;
    return (size_t)(region_stack_end(thread) - pointer) + trial_private_size(thread);
}

bool trial_fits(unsigned thread)
{
    return trial_size(thread) <= TRIAL_BYTES;
}

/* ---- places ---- */

void place_keep(unsigned number, struct thread_place *place, char *bytes)
{
    const struct thread *thread = &execution.threads[number];
    char *pointer = thread->fiber.stack_pointer;
    *place = (struct thread_place){.request = thread->request,
                                   .stack_pointer = pointer,
                                   .frame = thread->frame,
                                   .bytes = bytes,
                                   .stack_size = (size_t)(region_stack_end(number) - pointer),
                                   .private_size = trial_private_size(number)};
    memcpy(bytes, pointer, place->stack_size);
    memcpy(bytes + place->stack_size, thread->private_from, place->private_size);
}

static void put_back(unsigned number, const struct thread_place *place)
{
    struct thread *thread = &execution.threads[number];
    thread->request = place->request;
    thread->fiber.stack_pointer = place->stack_pointer;
    memcpy(place->stack_pointer, place->bytes, place->stack_size);
    memcpy((char *)thread->private_from, place->bytes + place->stack_size, place->private_size);
}

bool request_is_same(const struct request *a, const struct request *b)
{
    const struct exploration_access *x = &a->access, *y = &b->access;
    return a->kind == b->kind && a->other == b->other && x->address == y->address &&
           x->size == y->size && x->operation == y->operation && x->order == y->order &&
           x->failure_order == y->failure_order && x->is_lock == y->is_lock &&
           x->operand == y->operand && x->expected == y->expected && x->at == y->at;
}

/* ---- trials ---- */

void trial_begin(unsigned number, struct trial_start *start)
{
    const struct thread *thread = &execution.threads[number];
    place_keep(number, &start->place, start->bytes);
    start->trail = thread->trail;
    held_copy(&start->held, &thread->held);
}

void trial_end(unsigned number, const struct trial_start *start)
{
    struct thread *thread = &execution.threads[number];
    thread->state = THREAD_ASKING;
    thread->trail = start->trail;
    held_copy(&thread->held, &start->held);
    thread->frame = start->place.frame;
    put_back(number, &start->place);
}

bool trial_from(unsigned number, const struct thread_place *from, memory_value answer)
{
    struct thread *thread = &execution.threads[number];
    put_back(number, from);
    thread->request.answer = answer;
    execution.tries = true;
    trial.gave_up = false;
    trial.plain = 0;
    thread_resume(number);
    execution.tries = false;
    return !trial.gave_up && thread->state == THREAD_ASKING && trial_fits(number);
}

bool trial_came_to(unsigned number, const struct thread_place *place, uint64_t plain)
{
    const struct thread *thread = &execution.threads[number];
    if (trial.gave_up || thread->state != THREAD_ASKING || trial.plain != plain ||
        thread->fiber.stack_pointer != place->stack_pointer || thread->frame != place->frame ||
        !request_is_same(&thread->request, &place->request))
        return false;
    const char *from = thread->frame ? thread->frame : place->stack_pointer;
    return memcmp(from, place->bytes + (from - place->stack_pointer),
                  (size_t)(region_stack_end(number) - from)) == 0 &&
           memcmp(thread->private_from, place->bytes + place->stack_size, place->private_size) == 0;
}

/* ---- what they do ---- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

uint64_t trial_plain(void)
{
    return trial.plain;
}

uint64_t trial_add_plain(uint64_t plain, const void *address, size_t size, bool writes,
                         const void *at)
{
    uint64_t word = (uintptr_t)address ^ (uint64_t)size << 48 ^ (uint64_t)writes << 56;
    return mix(mix(plain, word), (uintptr_t)at);
}

void trial_see_plain(unsigned thread, const void *address, size_t size, bool writes, const void *at)
{
    if ((writes && !trial_is_private(thread, address)) || size > sizeof(uint64_t))
        trial_give_up();
    trial.plain = trial_add_plain(trial.plain, address, size, writes, at);
}

void trial_give_up(void)
{
    trial.gave_up = true;
    fiber_switch(&thread_current()->fiber, &execution.scheduler);
    __builtin_trap(); /* the thread is put back to where it was */
}
