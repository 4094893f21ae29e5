/* Litmus tests of the literature as tests of linchpin: each thread is an operation, and the outcome
 * in question is asserted not to be. What is allowed under which model:
 * tests/unit/test_code_litmus.c. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include <linchpin/test.h>

static atomic_int x, y, z;
static int data, r[4] = {-1, -1, -1, -1};

enum {
    RLX = memory_order_relaxed,
    ACQ = memory_order_acquire,
    REL = memory_order_release,
    ACQ_REL = memory_order_acq_rel,
    SC = memory_order_seq_cst,
};

#define LOAD(of, order)         atomic_load_explicit(&of, order)
#define STORE(of, value, order) atomic_store_explicit(&of, value, order)
#define ADD(of, value, order)   atomic_fetch_add_explicit(&of, value, order)
#define FENCE(order)            atomic_thread_fence(order)

static int swap_if(atomic_int *of, int expected, int value)
{
    return atomic_compare_exchange_strong_explicit(of, &expected, value, memory_order_relaxed,
                                                   memory_order_relaxed);
}

/* A thread of a test, in braces. */
#define THREAD(NAME, NUMBER, ...)                                                                  \
    static lp_int NAME##_##NUMBER(void *object, lp_int unused)                                     \
    {                                                                                              \
        (void)object;                                                                              \
        (void)unused;                                                                              \
        __VA_ARGS__                                                                                \
        return LP_DONE;                                                                            \
    }

#define OUTCOME(NAME, WITNESS)                                                                     \
    static void NAME##_end(void *object)                                                           \
    {                                                                                              \
        (void)object;                                                                              \
        assert(!(WITNESS));                                                                        \
    }

#define TEST2(NAME, A, B, WITNESS)                                                                 \
    THREAD(NAME, 1, A)                                                                             \
    THREAD(NAME, 2, B)                                                                             \
    OUTCOME(NAME, WITNESS)                                                                         \
    LP_TEST(NAME, .teardown = NAME##_end, .ops = {{"a", NAME##_1}, {"b", NAME##_2}});

#define TEST3(NAME, A, B, C, WITNESS)                                                              \
    THREAD(NAME, 1, A)                                                                             \
    THREAD(NAME, 2, B)                                                                             \
    THREAD(NAME, 3, C)                                                                             \
    OUTCOME(NAME, WITNESS)                                                                         \
    LP_TEST(NAME, .teardown = NAME##_end,                                                          \
            .ops = {{"a", NAME##_1}, {"b", NAME##_2}, {"c", NAME##_3}});

#define TEST4(NAME, A, B, C, D, WITNESS)                                                           \
    THREAD(NAME, 1, A)                                                                             \
    THREAD(NAME, 2, B)                                                                             \
    THREAD(NAME, 3, C)                                                                             \
    THREAD(NAME, 4, D)                                                                             \
    OUTCOME(NAME, WITNESS)                                                                         \
    LP_TEST(NAME, .teardown = NAME##_end,                                                          \
            .ops = {{"a", NAME##_1}, {"b", NAME##_2}, {"c", NAME##_3}, {"d", NAME##_4}});

/* clang-format off */
TEST2(SB_RLX, STORE(x, 1, RLX); r[0] = LOAD(y, RLX);, STORE(y, 1, RLX); r[1] = LOAD(x, RLX);,
      r[0] == 0 && r[1] == 0)
TEST2(SB_SC, STORE(x, 1, SC); r[0] = LOAD(y, SC);, STORE(y, 1, SC); r[1] = LOAD(x, SC);,
      r[0] == 0 && r[1] == 0)
TEST2(SB_FENCES, STORE(x, 1, RLX); FENCE(SC); r[0] = LOAD(y, RLX);,
      STORE(y, 1, RLX); FENCE(SC); r[1] = LOAD(x, RLX);, r[0] == 0 && r[1] == 0)
TEST2(SB_ONE_FENCE, STORE(x, 1, RLX); FENCE(SC); r[0] = LOAD(y, RLX);,
      STORE(y, 1, RLX); FENCE(ACQ_REL); r[1] = LOAD(x, RLX);, r[0] == 0 && r[1] == 0)
TEST2(MP_RLX, STORE(x, 1, RLX); STORE(y, 1, RLX);, r[0] = LOAD(y, RLX); r[1] = LOAD(x, RLX);,
      r[0] == 1 && r[1] == 0)
TEST2(MP_RA, STORE(x, 1, RLX); STORE(y, 1, REL);, r[0] = LOAD(y, ACQ); r[1] = LOAD(x, RLX);,
      r[0] == 1 && r[1] == 0)
TEST2(MP_FENCES, STORE(x, 1, RLX); FENCE(REL); STORE(y, 1, RLX);,
      r[0] = LOAD(y, RLX); FENCE(ACQ); r[1] = LOAD(x, RLX);, r[0] == 1 && r[1] == 0)
TEST2(MP_DATA, data = 1; STORE(y, 1, REL);, r[0] = LOAD(y, ACQ); if (r[0]) r[1] = data;,
      r[0] == 1 && r[1] == 0)
TEST2(MP_RACE, data = 1; STORE(y, 1, RLX);, r[0] = LOAD(y, ACQ); if (r[0]) r[1] = data;, 0)
TEST2(LB_RLX, r[0] = LOAD(x, RLX); STORE(y, 1, RLX);, r[1] = LOAD(y, RLX); STORE(x, 1, RLX);,
      r[0] == 1 && r[1] == 1)
TEST4(IRIW_RA, STORE(x, 1, REL);, STORE(y, 1, REL);, r[0] = LOAD(x, ACQ); r[1] = LOAD(y, ACQ);,
      r[2] = LOAD(y, ACQ); r[3] = LOAD(x, ACQ);,
      r[0] == 1 && r[1] == 0 && r[2] == 1 && r[3] == 0)
TEST4(IRIW_SC, STORE(x, 1, SC);, STORE(y, 1, SC);, r[0] = LOAD(x, SC); r[1] = LOAD(y, SC);,
      r[2] = LOAD(y, SC); r[3] = LOAD(x, SC);, r[0] == 1 && r[1] == 0 && r[2] == 1 && r[3] == 0)
TEST4(IRIW_FENCES, STORE(x, 1, RLX);, STORE(y, 1, RLX);,
      r[0] = LOAD(x, RLX); FENCE(SC); r[1] = LOAD(y, RLX);,
      r[2] = LOAD(y, RLX); FENCE(SC); r[3] = LOAD(x, RLX);,
      r[0] == 1 && r[1] == 0 && r[2] == 1 && r[3] == 0)
TEST2(W22_RLX, STORE(x, 1, RLX); STORE(y, 2, RLX);, STORE(y, 1, RLX); STORE(x, 2, RLX);,
      x == 1 && y == 1)
TEST2(W22_SC, STORE(x, 1, SC); STORE(y, 2, SC);, STORE(y, 1, SC); STORE(x, 2, SC);,
      x == 1 && y == 1)
TEST2(CO_RR, STORE(x, 1, RLX); STORE(x, 2, RLX);, r[0] = LOAD(x, RLX); r[1] = LOAD(x, RLX);,
      r[0] == 2 && r[1] == 1)
TEST2(CO_WR, STORE(x, 1, RLX); r[0] = LOAD(x, RLX);, STORE(x, 2, RLX);, r[0] == 0)
TEST3(RELEASE_RMW, STORE(x, 1, RLX); STORE(y, 1, REL);, ADD(y, 1, RLX);,
      r[0] = LOAD(y, ACQ); r[1] = LOAD(x, RLX);, r[0] == 2 && r[1] == 0)
TEST3(RELEASE_STORE, STORE(x, 1, RLX); STORE(y, 1, REL);, STORE(y, 2, RLX);,
      r[0] = LOAD(y, ACQ); r[1] = LOAD(x, RLX);, r[0] == 2 && r[1] == 0)
TEST2(RELEASE_SAME, STORE(x, 1, RLX); STORE(y, 1, REL); STORE(y, 2, RLX);,
      r[0] = LOAD(y, ACQ); r[1] = LOAD(x, RLX);, r[0] == 2 && r[1] == 0)
TEST3(RMW_ADD, ADD(x, 1, RLX);, ADD(x, 1, RLX);, ADD(x, 1, RLX);, x != 3)
TEST2(RMW_SWAP, r[0] = swap_if(&x, 0, 1);, r[1] = swap_if(&x, 0, 2);, r[0] == r[1])
TEST3(WRC_RA, STORE(x, 1, REL);, r[0] = LOAD(x, ACQ); STORE(y, 1, REL);,
      r[1] = LOAD(y, ACQ); r[2] = LOAD(x, RLX);, r[0] == 1 && r[1] == 1 && r[2] == 0)
TEST3(WRC_RLX, STORE(x, 1, REL);, r[0] = LOAD(x, RLX); STORE(y, 1, REL);,
      r[1] = LOAD(y, ACQ); r[2] = LOAD(x, RLX);, r[0] == 1 && r[1] == 1 && r[2] == 0)
TEST3(ISA2_RA, STORE(x, 1, RLX); STORE(y, 1, REL);, if (LOAD(y, ACQ)) STORE(z, 1, REL);,
      r[0] = LOAD(z, ACQ); r[1] = LOAD(x, RLX);, r[0] == 1 && r[1] == 0)
TEST2(R_SC, STORE(x, 1, SC); STORE(y, 1, SC);, STORE(y, 2, SC); r[0] = LOAD(x, SC);,
      r[0] == 0 && y == 2)
TEST2(S_RA, STORE(x, 2, RLX); STORE(y, 1, REL);, r[0] = LOAD(y, ACQ); STORE(x, 1, RLX);,
      r[0] == 1 && x == 2)
TEST3(Z6_U, STORE(x, 1, SC); STORE(y, 1, REL);, r[0] = ADD(y, 1, SC); r[1] = LOAD(y, RLX);,
      STORE(y, 3, SC); r[2] = LOAD(x, SC);, r[0] == 1 && r[1] == 3 && r[2] == 0)
TEST3(RWC_FENCES, STORE(x, 1, RLX);, r[0] = LOAD(x, RLX); FENCE(SC); r[1] = LOAD(y, RLX);,
      STORE(y, 1, RLX); FENCE(SC); r[2] = LOAD(x, RLX);, r[0] == 1 && r[1] == 0 && r[2] == 0)
TEST2(DEKKER_RMW, ADD(x, 1, ACQ_REL); r[0] = ADD(y, 0, ACQ_REL);,
      ADD(y, 1, ACQ_REL); r[1] = ADD(x, 0, ACQ_REL);, r[0] == 0 && r[1] == 0)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#define COUNT pthread_mutex_lock(&mutex); data++; pthread_mutex_unlock(&mutex);
TEST3(MUTEX, COUNT, COUNT, COUNT, data != 3)
TEST2(AWAIT, data = 42; STORE(y, 1, REL);, while (!LOAD(y, ACQ)) continue; r[0] = data;,
      r[0] != 42)
