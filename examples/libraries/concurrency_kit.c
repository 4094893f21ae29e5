/* Concurrency Kit (Debian: libck-dev): its stack and its ring, as their headers are. Its own
 * primitives are inline assembly, which cannot be tested; CK_USE_CC_BUILTINS takes those of the
 * compiler. */
#define CK_USE_CC_BUILTINS 1
#include <ck_ring.h>
#include <ck_stack.h>
#include <stdlib.h>

#include <linchpin/test.h>

/* ---- ck_stack: push by anyone, pop by anyone while nothing is freed ---- */

struct entry {
    ck_stack_entry_t link;
    lp_int value;
};

static void *new_stack(void)
{
    ck_stack_t *stack = malloc(sizeof *stack);
    ck_stack_init(stack);
    return stack;
}

static lp_int push(void *stack, lp_int value)
{
    struct entry *entry = malloc(sizeof *entry);
    entry->value = value;
    ck_stack_push_upmc(stack, &entry->link);
    return LP_DONE;
}

static lp_int pop(void *stack, lp_int unused)
{
    (void)unused;
    ck_stack_entry_t *found = ck_stack_pop_upmc(stack);
    return found ? ((struct entry *)found)->value : LP_EMPTY;
}

// needs: libck-dev
// expect: test stack data race
// expect: test --memory-model=tso stack data race
LP_TEST(stack, .spec = "stack", .setup = new_stack, .teardown = free,
        .ops = {{"push", push, LP_FRESH}, {"pop", pop}});

/* ---- ck_ring: of four places three are used ---- */

struct ring {
    ck_ring_t ring;
    ck_ring_buffer_t places[4];
};

static void *new_ring(void)
{
    struct ring *ring = calloc(1, sizeof *ring);
    ck_ring_init(&ring->ring, 4);
    return ring;
}

static lp_int enqueue_alone(void *object, lp_int value)
{
    struct ring *ring = object;
    return ck_ring_enqueue_spsc(&ring->ring, ring->places, (void *)value) ? LP_YES : LP_NO;
}

static lp_int dequeue_alone(void *object, lp_int unused)
{
    struct ring *ring = object;
    void *value;
    (void)unused;
    return ck_ring_dequeue_spsc(&ring->ring, ring->places, &value) ? (lp_int)value : LP_EMPTY;
}

static lp_int enqueue(void *object, lp_int value)
{
    struct ring *ring = object;
    return ck_ring_enqueue_mpmc(&ring->ring, ring->places, (void *)value) ? LP_YES : LP_NO;
}

static lp_int dequeue(void *object, lp_int unused)
{
    struct ring *ring = object;
    void *value;
    (void)unused;
    return ck_ring_dequeue_mpmc(&ring->ring, ring->places, &value) ? (lp_int)value : LP_EMPTY;
}

/* One thread puts, another one takes. */
// expect: test ring_spsc data race
// expect: test --memory-model=tso --scenario 'enqueue; enqueue; enqueue | dequeue' ring_spsc holds
LP_TEST(ring_spsc, .spec = "queue(3)", .setup = new_ring, .teardown = free,
        .ops = {{"enqueue", enqueue_alone, LP_FRESH, 1, LP_MAY_FAIL},
                {"dequeue", dequeue_alone, 0, 0, 2, LP_MAY_FAIL}});

// expect: test ring_mpmc data race
// expect: test --memory-model=tso --scenario 'enqueue; dequeue | enqueue; dequeue' ring_mpmc holds
LP_TEST(ring_mpmc, .spec = "queue(3)", .setup = new_ring, .teardown = free,
        .ops = {{"enqueue", enqueue, LP_FRESH, 0, LP_MAY_FAIL},
                {"dequeue", dequeue, 0, 0, 0, LP_MAY_FAIL}});
