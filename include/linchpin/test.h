/* A test of a concurrent object in C or C++, for `linchpin test` and `linchpin stress`.
 *
 * A test file says how to make the object, which operations there are, and what it should be. It
 * has no main, makes no threads and knows no schedule: linchpin makes scenarios of the operations,
 * and goes through every behaviour of each that the C11 memory model allows.
 *
 *     static void *setup(void) { return calloc(1, sizeof(stack)); }
 *     static lp_int do_push(void *s, lp_int v) { push(s, (int)v); return LP_DONE; }
 *     static lp_int do_pop(void *s, lp_int unused) { int v; return pop(s, &v) ? v : LP_EMPTY; }
 *
 *     LP_TEST(treiber, .spec = "stack", .setup = setup, .teardown = free,
 *             .ops = {{"push", do_push, LP_FRESH}, {"pop", do_pop}});
 *
 * In C++17 the methods of a class are wrapped by templates:
 *
 *     using IntRing = Ring<int, 2>;
 *     LP_CLASS(IntRing, "queue(2)", LP_METHOD(IntRing, "enqueue", push, LP_FRESH),
 *              LP_METHOD(IntRing, "dequeue", pop));
 *
 * Operations of two arguments are LP_OP2 and, of methods, LP_METHOD2:
 *
 *     .ops = {{"get", do_get, 1, 2}, LP_OP2("put", do_put, 1, 2, LP_FRESH)}
 *
 * A file may have several tests, and a program several files. */
#ifndef LINCHPIN_TEST_H
#define LINCHPIN_TEST_H

#include <stddef.h>
#include <stdint.h>

/* The argument and the result of an operation. */
#ifndef LP_HAS_INT
#define LP_HAS_INT
typedef intptr_t lp_int;
#endif

/* Results that are no numbers. */
#define LP_EMPTY INTPTR_MIN       /* "empty", "absent": nil */
#define LP_DONE  (INTPTR_MIN + 1) /* of an operation that has no result */
#define LP_NO    (INTPTR_MIN + 2) /* false */
#define LP_YES   (INTPTR_MIN + 3) /* true */

/* What is allowed of an operation besides what the specification says. No thread has such a number,
 * and no range that can be gone through ends with one: a flag in the place of only_thread or of a
 * range is refused. */
enum {
    LP_MAY_FAIL = 1 << 24, /* to answer LP_EMPTY or LP_NO while some other operation is under way:
                              one that is neither before nor after it */
    LP_MAY_WAIT = 1 << 25, /* not to return where the specification would answer LP_EMPTY or LP_NO,
                              or has no answer at all; without a specification: anywhere. All others
                              (with "auto": those that return alone, behind the others in some
                              order) must return where the specification has an answer, unless
                              another operation's thread may still do something */
    LP_ONCE = 1 << 26      /* to be called: in each scenario at most once, by whichever thread (or
                              by only_thread), as `close` of a channel or `init` may be */
};

typedef struct lp_op {
    const char *name; /* as in `linchpin specs`: "push", "enqueue", ... */
    lp_int (*run)(void *object, lp_int argument);
    lp_int from, to; /* the range of the argument; both 0: there is none; LP_FRESH: a value that no
                        other call has */
    int only_thread; /* 0: any thread may call it; k: only the k-th, from 1 */
    unsigned flags;  /* LP_MAY_FAIL, LP_MAY_WAIT, LP_ONCE */

    /* Of an operation of two arguments, as `put` of a map (key and value) and `cas` (what is
       expected, and what is stored): the range of the second one, and in place of `run`, which is
       null then: */
    lp_int from2, to2;
    lp_int (*run2)(void *object, lp_int first, lp_int second);

    /* Likewise of three, as `cas` of a map (key, what is expected, what is stored): the range of
       the third one; run and run2 are null. */
    lp_int from3, to3;
    lp_int (*run3)(void *object, lp_int first, lp_int second, lp_int third);
} lp_op;

#define LP_FRESH 1, -1

/* An operation of two arguments: NAME, RUN2, from, to, from2, to2; then, if need be, only_thread
 * and flags. A range from 0 to 0 is the number 0 here. */
#define LP_OP2(NAME, ...) LP_OP2_(NAME, __VA_ARGS__, 0, 0, 0)
#define LP_OP2_(NAME, RUN2, FROM, TO, FROM2, TO2, ONLY_THREAD, FLAGS, ...)                         \
    {                                                                                              \
        NAME, 0, FROM, TO, ONLY_THREAD, FLAGS, FROM2, TO2, RUN2, 0, 0, 0                           \
    }

/* An operation of three: NAME, RUN3, from, to, from2, to2, from3, to3; then, if need be,
 * only_thread and flags. */
#define LP_OP3(NAME, ...) LP_OP3_(NAME, __VA_ARGS__, 0, 0, 0)
#define LP_OP3_(NAME, RUN3, FROM, TO, FROM2, TO2, FROM3, TO3, ONLY_THREAD, FLAGS, ...)             \
    {                                                                                              \
        NAME, 0, FROM, TO, ONLY_THREAD, FLAGS, FROM2, TO2, 0, FROM3, TO3, RUN3                     \
    }

/* A call as a specification in C sees it. */
typedef struct lp_sequential_call {
    unsigned operation;      /* its place in .ops, from 0 */
    const char *name;        /* there */
    lp_int argument, second; /* 0 without one */
    unsigned choice;         /* from 0; always 0 unless there are several */
    lp_int third;            /* 0 without one */
} lp_sequential_call;

/* A specification in C, for an object that none describes: what each operation does when it runs
 * alone. (linchpin/spec.h has the same notion for users of the library: init and step.) A state is
 * `size` bytes, at most 4096; two states are the same if their bytes are, so that it has no
 * pointers, and its unused bytes stay 0.
 *
 *     struct bits { unsigned taken; };
 *     static int step(void *state, const lp_sequential_call *call, lp_int *result) { ... }
 *     static const lp_sequential bits = {sizeof(struct bits), 0, step};
 *
 *     LP_TEST(ids, .ops = {{"take", do_take}, {"give", do_give, 0, 3}}, .sequential = &bits);
 */
typedef struct lp_sequential {
    size_t size;
    void (*init)(void *state); /* the initial state, of bytes that are 0; null: it is these */

    /* Does an operation: changes the state, and puts the answer in *result, unless it is LP_DONE.
       1; 0 if it cannot happen in this state, or not with this choice. All depends on the state and
       the call alone: nothing of the object under test, no memory of the heap. */
    int (*step)(void *state, const lp_sequential_call *call, lp_int *result);

    /* Of an object that may answer one thing or another: in how many ways an operation can be done
       at most. Step is asked for each, call->choice from 0 on; an answer counts that one of them
       gives. 0: one. */
    unsigned choices;
} lp_sequential;

typedef struct lp_test {
    const char *name;
    const char *spec;                /* "stack", "queue(2)", "my.lin:bag"; "auto": what the code
                                        answers with one operation after the other, each on its
                                        thread, in some order; null: none, only races,
                                        assertions, crashes and misuse of memory are looked for */
    void *(*setup)(void);            /* makes the object, before the threads begin; null: there is
                                        none, and operations get a null pointer */
    void (*teardown)(void *object);  /* after the threads have ended: assert invariants, free; null:
                                        nothing is done */
    lp_op ops[16];                   /* up to the first without a name */
    const lp_sequential *sequential; /* in place of `spec`: one in C; null: there is none */
} lp_test;

/* Keeps tests in the order of the source: gcc turns it round otherwise. */
#if defined __GNUC__ && !defined __clang__
#define LP_IN_ORDER , no_reorder
#else
#define LP_IN_ORDER
#endif

/* A test of that name; the rest are fields of lp_test. */
#define LP_TEST(ID, ...)                                                                           \
    const lp_test lp_test_##ID                                                                     \
        __attribute__((section("lp_tests"), used, aligned(8) LP_IN_ORDER)) = {.name = #ID,         \
                                                                              __VA_ARGS__}

#ifdef __cplusplus
#include <optional>
#include <type_traits>
#include <utility>

namespace lp {

/* A result as an lp_int: bool is yes or no, an empty optional is LP_EMPTY. */
template <class R> lp_int out(const R &result)
{
    if constexpr (std::is_same_v<R, bool>)
        return result ? LP_YES : LP_NO;
    else
        return (lp_int)result;
}

template <class R> lp_int out(const std::optional<R> &result)
{
    return result ? out(*result) : LP_EMPTY;
}

/* A method of B, which has at most three arguments, of an object of class C, as lp_op.run, run2 or
 * run3. */
template <class C, class B, auto M, class R, class... A> struct caller {
    static_assert(sizeof...(A) <= 3, "an operation has at most three arguments");

    static lp_int run(void *object, lp_int argument)
    {
        static_assert(sizeof...(A) <= 1, "LP_METHOD: the method has two arguments: LP_METHOD2");
        return pass(object, std::index_sequence_for<A...>(), argument);
    }

    static lp_int run2(void *object, lp_int first, lp_int second)
    {
        static_assert(sizeof...(A) == 2, "LP_METHOD2: the method has not two arguments: LP_METHOD");
        return pass(object, std::index_sequence_for<A...>(), first, second);
    }

    static lp_int run3(void *object, lp_int first, lp_int second, lp_int third)
    {
        static_assert(sizeof...(A) == 3, "LP_METHOD3: the method has not three arguments");
        return pass(object, std::index_sequence_for<A...>(), first, second, third);
    }

  private:
    template <std::size_t... I, class... G>
    static lp_int pass(void *object, std::index_sequence<I...>, G... given)
    {
        B *base = static_cast<C *>(object);
        const lp_int arguments[] = {given...};
        (void)arguments;
        if constexpr (std::is_void_v<R>) {
            (base->*M)((std::decay_t<A>)arguments[I]...);
            return LP_DONE;
        } else
            return out((base->*M)((std::decay_t<A>)arguments[I]...));
    }
};

/* The same, of a pointer to a method of C or of a base of it. */
template <class C, auto M, class F = decltype(M)> struct call;

template <class C, auto M, class B, class R, class... A>
struct call<C, M, R (B::*)(A...)> : caller<C, B, M, R, A...> {
};

template <class C, auto M, class B, class R, class... A>
struct call<C, M, R (B::*)(A...) const> : caller<C, B, M, R, A...> {
};

template <class C, auto M, class B, class R, class... A>
struct call<C, M, R (B::*)(A...) noexcept> : caller<C, B, M, R, A...> {
};

template <class C, auto M, class B, class R, class... A>
struct call<C, M, R (B::*)(A...) const noexcept> : caller<C, B, M, R, A...> {
};

template <class C> void *make()
{
    return new C;
}

template <class C> void drop(void *object)
{
    delete static_cast<C *>(object);
}

} // namespace lp

/* A test of class C, which is its name: made by the default constructor; the rest are LP_METHODs.
 * (What has a comma in its name, a template with two parameters, needs a `using`.) */
#define LP_CLASS(C, SPEC, ...)          LP_CLASS_(C, SPEC, __COUNTER__, __VA_ARGS__)
#define LP_CLASS_(C, SPEC, NUMBER, ...) LP_CLASS__(C, SPEC, NUMBER, __VA_ARGS__)
#define LP_CLASS__(C, SPEC, NUMBER, ...)                                                           \
    static const lp_test lp_test_class_##NUMBER                                                    \
        __attribute__((section("lp_tests"), used, aligned(8) LP_IN_ORDER)) = {                     \
            #C, SPEC, lp::make<C>, lp::drop<C>, {__VA_ARGS__}, nullptr}

/* The operation NAME is the method M, not overloaded, of at most one argument; the rest are fields
 * of lp_op from `from` on: LP_FRESH, or 0, 0, in front of only_thread and flags. */
#define LP_METHOD(C, NAME, M, ...)                                                                 \
    {                                                                                              \
        NAME, lp::call<C, &C::M>::run, __VA_ARGS__                                                 \
    }

/* The same of two arguments; the rest as behind RUN2 of LP_OP2. */
#define LP_METHOD2(C, NAME, M, ...) LP_OP2(NAME, (lp::call<C, &C::M>::run2), __VA_ARGS__)

/* The same of three; the rest as behind RUN3 of LP_OP3. */
#define LP_METHOD3(C, NAME, M, ...) LP_OP3(NAME, (lp::call<C, &C::M>::run3), __VA_ARGS__)
#endif

#endif
