/* Put in front of every source that is compiled for `linchpin test`.
 *
 * What the library of C++ has compiled of strings and streams is to be compiled with the source
 * instead, so that it is instrumented. */
#pragma GCC system_header
#define LINCHPIN_INSTRUMENTED 1

#if defined(__cplusplus) && defined(__has_include)
#if __has_include(<bits/c++config.h>)
#include <bits/c++config.h>
#ifdef _GLIBCXX_EXTERN_TEMPLATE
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#endif
#endif
#endif

/* What gcc would make of these functions in place, behind the instrumentation, would not be seen.
 * Their names are kept from it by -fno-builtin-...; these are their other names, which headers of
 * C++ use. */
#ifndef __clang__
#ifdef __cplusplus
extern "C" {
#endif

extern void *linchpin_memcpy(void *, const void *, __SIZE_TYPE__) __asm__("memcpy");
extern void *linchpin_memmove(void *, const void *, __SIZE_TYPE__) __asm__("memmove");
extern void *linchpin_memset(void *, int, __SIZE_TYPE__) __asm__("memset");
extern int linchpin_memcmp(const void *, const void *, __SIZE_TYPE__) __asm__("memcmp");

#ifdef __cplusplus
}
#endif

#define __builtin_memcpy  linchpin_memcpy
#define __builtin_memmove linchpin_memmove
#define __builtin_memset  linchpin_memset
#define __builtin_memcmp  linchpin_memcmp

/* What gcc's own functions for instructions access by a pointer would not be seen either: they are
 * given a copy on the stack. (clang makes accesses like others of these.) */
#ifdef __x86_64__
typedef char linchpin_vector16 __attribute__((vector_size(16)));
typedef char linchpin_vector32 __attribute__((vector_size(32)));
typedef linchpin_vector16 linchpin_bytes16 __attribute__((aligned(1), may_alias));
typedef linchpin_vector32 linchpin_bytes32 __attribute__((aligned(1), may_alias));

#define LINCHPIN_AS(VALUE) __typeof__(VALUE) __attribute__((aligned(1), may_alias))
#define LINCHPIN_LOADING(FROM, CALL)                                                               \
    __extension__({                                                                                \
        typedef LINCHPIN_AS(*(FROM)) linchpin_piece;                                               \
        const linchpin_piece linchpin_copy = *(const linchpin_piece *)(FROM);                      \
        CALL;                                                                                      \
    })
#define LINCHPIN_STORING(TO, CALL)                                                                 \
    __extension__({                                                                                \
        typedef LINCHPIN_AS(*(TO)) linchpin_piece;                                                 \
        linchpin_piece linchpin_copy;                                                              \
        CALL;                                                                                      \
        *(linchpin_piece *)(TO) = linchpin_copy;                                                   \
        (void)0;                                                                                   \
    })
#define LINCHPIN_COPY(LIKE) ((__typeof__(LIKE))(void *)&linchpin_copy)

#define __builtin_ia32_loadhps(WITH, FROM)                                                         \
    LINCHPIN_LOADING(FROM, __builtin_ia32_loadhps(WITH, LINCHPIN_COPY(FROM)))
#define __builtin_ia32_loadlps(WITH, FROM)                                                         \
    LINCHPIN_LOADING(FROM, __builtin_ia32_loadlps(WITH, LINCHPIN_COPY(FROM)))
#define __builtin_ia32_loadhpd(WITH, FROM)                                                         \
    LINCHPIN_LOADING(FROM, __builtin_ia32_loadhpd(WITH, LINCHPIN_COPY(FROM)))
#define __builtin_ia32_loadlpd(WITH, FROM)                                                         \
    LINCHPIN_LOADING(FROM, __builtin_ia32_loadlpd(WITH, LINCHPIN_COPY(FROM)))
#define __builtin_ia32_lddqu(FROM)    ((linchpin_vector16) * (const linchpin_bytes16 *)(FROM))
#define __builtin_ia32_lddqu256(FROM) ((linchpin_vector32) * (const linchpin_bytes32 *)(FROM))
#define __builtin_ia32_vbroadcastss(FROM)                                                          \
    LINCHPIN_LOADING(FROM, __builtin_ia32_vbroadcastss(LINCHPIN_COPY(FROM)))
#define __builtin_ia32_vbroadcastss256(FROM)                                                       \
    LINCHPIN_LOADING(FROM, __builtin_ia32_vbroadcastss256(LINCHPIN_COPY(FROM)))
#define __builtin_ia32_vbroadcastsd256(FROM)                                                       \
    LINCHPIN_LOADING(FROM, __builtin_ia32_vbroadcastsd256(LINCHPIN_COPY(FROM)))
#define __builtin_ia32_vbroadcastf128_ps256(FROM)                                                  \
    LINCHPIN_LOADING(FROM, __builtin_ia32_vbroadcastf128_ps256(LINCHPIN_COPY(FROM)))
#define __builtin_ia32_vbroadcastf128_pd256(FROM)                                                  \
    LINCHPIN_LOADING(FROM, __builtin_ia32_vbroadcastf128_pd256(LINCHPIN_COPY(FROM)))
#define __builtin_ia32_storehps(TO, OF)                                                            \
    LINCHPIN_STORING(TO, __builtin_ia32_storehps(LINCHPIN_COPY(TO), OF))
#define __builtin_ia32_storelps(TO, OF)                                                            \
    LINCHPIN_STORING(TO, __builtin_ia32_storelps(LINCHPIN_COPY(TO), OF))

#define LINCHPIN_CARRYING(TO, CALL)                                                                \
    __extension__({                                                                                \
        __typeof__(*(TO)) linchpin_sum;                                                            \
        unsigned char linchpin_carry = CALL;                                                       \
        *(TO) = linchpin_sum;                                                                      \
        linchpin_carry;                                                                            \
    })
#define __builtin_ia32_addcarryx_u32(CARRY, A, B, TO)                                              \
    LINCHPIN_CARRYING(TO, __builtin_ia32_addcarryx_u32(CARRY, A, B, &linchpin_sum))
#define __builtin_ia32_addcarryx_u64(CARRY, A, B, TO)                                              \
    LINCHPIN_CARRYING(TO, __builtin_ia32_addcarryx_u64(CARRY, A, B, &linchpin_sum))
#define __builtin_ia32_sbb_u32(CARRY, A, B, TO)                                                    \
    LINCHPIN_CARRYING(TO, __builtin_ia32_sbb_u32(CARRY, A, B, &linchpin_sum))
#define __builtin_ia32_sbb_u64(CARRY, A, B, TO)                                                    \
    LINCHPIN_CARRYING(TO, __builtin_ia32_sbb_u64(CARRY, A, B, &linchpin_sum))
#endif
#endif

/* std::lock of several mutexes, and so std::scoped_lock, says what it is (runtime/several.h). These
 * are chosen before the library's own, which have any number of parameters. Where the runtime does
 * not take the mutexes at once, or there is none, the library does as it does, on wrapped ones. */
#if defined(__GLIBCXX__) && __cplusplus >= 201103L
extern "C" int linchpin_locks_begin(unsigned, void *const *, const unsigned char *)
    __attribute__((weak));
extern "C" void linchpin_locks_end(void) __attribute__((weak));

namespace std {
class mutex;
class recursive_mutex;
class timed_mutex;
class recursive_timed_mutex;
class shared_mutex;
class shared_timed_mutex;
template <class> class unique_lock;
} // namespace std

namespace linchpin_locks {
template <unsigned char Kind> struct known {
    enum {
        kind = Kind
    };
    template <class Lock> static void *of(Lock &lock)
    {
        return &reinterpret_cast<char &>(lock);
    }
};

template <class Lock> struct lockable : known<0> {
};
template <> struct lockable<std::mutex> : known<1> {
};
template <> struct lockable<std::recursive_mutex> : known<1> {
};
template <> struct lockable<std::timed_mutex> : known<1> {
};
template <> struct lockable<std::recursive_timed_mutex> : known<1> {
};
template <> struct lockable<std::shared_mutex> : known<2> {
};
template <> struct lockable<std::shared_timed_mutex> : known<2> {
};
template <class Mutex> struct lockable<std::unique_lock<Mutex>> : known<lockable<Mutex>::kind> {
    static void *of(std::unique_lock<Mutex> &lock)
    {
        return lock.mutex();
    }
};

template <class...> struct all_known {
    enum {
        value = 1
    };
};
template <class First, class... Others> struct all_known<First, Others...> {
    enum {
        value = lockable<First>::kind && all_known<Others...>::value
    };
};

template <bool> struct answers_nothing {
};
template <> struct answers_nothing<true> {
    typedef void type;
};

template <class Lock> struct wrapped {
    Lock *inner;
    void lock()
    {
        inner->lock();
    }
    bool try_lock()
    {
        return inner->try_lock();
    }
    void unlock()
    {
        inner->unlock();
    }
};

#define LINCHPIN_INLINE inline __attribute__((always_inline))

template <class... Locks> LINCHPIN_INLINE void take_as_the_library_does(Locks... locks)
{
    lock(locks...);
}

template <class Lock> struct taken {
    Lock *lock;
    LINCHPIN_INLINE explicit taken(Lock &which) : lock(&which)
    {
        which.lock();
    }
    ~taken()
    {
        if (lock)
            lock->unlock();
    }
};

inline void take() {}

template <class First, class... Others> LINCHPIN_INLINE void take(First &first, Others &...others)
{
    taken<First> held(first);
    take(others...);
    held.lock = nullptr;
}

struct taking {
    ~taking()
    {
        linchpin_locks_end();
    }
};

template <class... Locks> LINCHPIN_INLINE void take_all(Locks &...locks)
{
    void *const all[] = {lockable<Locks>::of(locks)...};
    const unsigned char kinds[] = {lockable<Locks>::kind...};
    if (!linchpin_locks_begin || !linchpin_locks_begin(sizeof...(Locks), all, kinds))
        return take_as_the_library_does(wrapped<Locks>{&locks}...);
    taking until_the_end;
    take(locks...);
}
} // namespace linchpin_locks

#define LINCHPIN_LOCK(...)                                                                         \
    LINCHPIN_INLINE typename linchpin_locks::answers_nothing<                                      \
        linchpin_locks::all_known<__VA_ARGS__>::value>::type

namespace std {
template <class A, class B> LINCHPIN_LOCK(A, B) lock(A &a, B &b)
{
    linchpin_locks::take_all(a, b);
}

template <class A, class B, class C> LINCHPIN_LOCK(A, B, C) lock(A &a, B &b, C &c)
{
    linchpin_locks::take_all(a, b, c);
}

template <class A, class B, class C, class D> LINCHPIN_LOCK(A, B, C, D) lock(A &a, B &b, C &c, D &d)
{
    linchpin_locks::take_all(a, b, c, d);
}

template <class A, class B, class C, class D, class E>
LINCHPIN_LOCK(A, B, C, D, E)
lock(A &a, B &b, C &c, D &d, E &e)
{
    linchpin_locks::take_all(a, b, c, d, e);
}

template <class A, class B, class C, class D, class E, class F>
LINCHPIN_LOCK(A, B, C, D, E, F)
lock(A &a, B &b, C &c, D &d, E &e, F &f)
{
    linchpin_locks::take_all(a, b, c, d, e, f);
}
} // namespace std
#undef LINCHPIN_LOCK
#undef LINCHPIN_INLINE
#endif
