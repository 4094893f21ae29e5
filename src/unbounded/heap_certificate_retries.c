#include "unbounded/heap_certificate_retries.h"

static bool is_relied_on(const struct heap_shape *shape, size_t number)
{
    return shape->retries[number / 64] & UINT64_C(1) << number % 64;
}

/* ---- the ways ---- */

/* Whether one that is relied on stands at a STEP, of the same reference and variable, and comes
 * back to the same head. */
static bool goes_on(const struct heap_shape *shape, const struct lin_retry *retry, uint32_t at)
{
    const struct lin_steps *steps = shape->steps;
    for (size_t i = 0; i < steps->retries.length; i++) {
        const struct lin_retry *other = &steps->retries.items[i];
        if (is_relied_on(shape, i) && other->at == at && other->local == retry->local &&
            other->slot == retry->slot && other->head == retry->head)
            return true;
    }
    return false;
}

const char *certificate_look_at_retries(const struct heap_shape *shape,
                                        const struct heap_placement *placement)
{
    const struct lin_steps *steps = shape->steps;
    for (size_t i = 0; i < steps->retries.length; i++) {
        const struct lin_retry *retry = &steps->retries.items[i];
        const struct lin_entry *entry = entry_at(steps, retry->at);
        const struct heap_point *point = &placement->points[entry - steps->entries];
        uint32_t number = 0;
        for (uint32_t at = entry->start; is_relied_on(shape, i) && number < 64; at++) {
            if (at >= steps->listing.code.length)
                break;
            if (steps->listing.code.items[at].op != OP_STEP)
                continue;
            const bool passes = retry->passes >> number++ & 1;
            if (passes && !goes_on(shape, retry, at))
                return "a thread that begins again may do something else";
            if (passes && ((!point->given && point->reading == at + 1) ||
                           (point->always && point->changing == at + 1)))
                return "a thread that begins again may take effect before";
        }
    }
    return NULL;
}

/* ---- what variables lead to ---- */

struct led_to {
    bool nodes[HEAP_MOST_NODES];
};

static void lead(const struct heap_shape *shape, const struct heap_view *heap, uint32_t variable,
                 struct led_to *to)
{
    uint32_t found[HEAP_MOST_NODES], count = 0;
    *to = (struct led_to){{false}};
    if (heap->shared[variable])
        found[count++] = heap->shared[variable] - 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct heap_node *node = &heap->nodes[found[i]];
        to->nodes[found[i]] = true;
        for (uint32_t j = 0; j < shape->fields[node->pool]; j++) {
            const uint32_t next = heap_is_reference(shape, node->pool, j) ? node->fields[j] : 0;
            bool known = next == 0;
            for (uint32_t k = 0; k < count; k++)
                known |= found[k] + 1 == next;
            if (!known)
                found[count++] = next - 1;
        }
    }
}

bool certificate_comes_back(const struct heap_shape *shape, const struct heap_view *before,
                            const struct heap_view *after)
{
    struct led_to was, is;
    bool seen[HEAP_MOST_SHARED] = {false}, back = false;
    for (size_t i = 0; i < shape->steps->retries.length; i++) {
        const uint32_t variable = shape->steps->retries.items[i].slot;
        if (!is_relied_on(shape, i) || seen[variable])
            continue;
        seen[variable] = true;
        lead(shape, before, variable, &was);
        lead(shape, after, variable, &is);
        for (uint32_t n = 0; n < before->count; n++)
            back |= is.nodes[n] && !was.nodes[n] && !before->nodes[n].own;
    }
    return back;
}

/* ---- where a thread is seen ---- */

static bool holds(const struct heap_shape *shape, const struct heap_view *heap,
                  const struct lin_retry *retry)
{
    const uint32_t reference = heap->thread[LIN_THREAD_HEADER + retry->local];
    struct led_to to;
    for (uint32_t i = 0; i < shape->steps->locals; i++)
        if ((retry->nodes[i / 64] >> i % 64 & 1) && !heap->thread[LIN_THREAD_HEADER + i])
            return false;
    if (!reference || heap->nodes[reference - 1].own)
        return false;
    lead(shape, heap, retry->slot, &to);
    return !to.nodes[reference - 1];
}

bool certificate_is_retrying(const struct heap_shape *shape, struct heap_view *heap)
{
    const struct lin_steps *steps = shape->steps;
    const uint32_t at = heap->thread[LIN_THREAD_AT];
    const struct lin_retry *found = NULL;
    for (size_t i = 0; i < steps->retries.length && !found; i++)
        if (is_relied_on(shape, i) && is_at_code(heap->thread) && !shape->marks &&
            steps->retries.items[i].at + 1 == at && holds(shape, heap, &steps->retries.items[i]))
            found = &steps->retries.items[i];
    if (!found)
        return false;
    heap->thread[LIN_THREAD_AT] = found->head + 1;
    for (uint32_t i = 0; i < steps->locals; i++)
        if (!lin_steps_live(steps, found->head, i))
            heap->thread[LIN_THREAD_HEADER + i] = 0;
    return true;
}
