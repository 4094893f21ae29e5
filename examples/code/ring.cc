// A ring buffer for one producer and one consumer, as there are many. It is right, but what each
// side knows of the other may be old: full and empty may both be said at once. So it is no
// linearizable queue unless its operations may fail while another one is under way.
//
// expect: Ring2 holds
// expect: StrictRing2 not linearizable
// expect: RelaxedRing2 data race
#include <linchpin/test.h>

#include <atomic>
#include <optional>

template <class T, unsigned N, std::memory_order Publish = std::memory_order_release> class Ring {
    T values[N];
    std::atomic<unsigned> head{0}, tail{0};

  public:
    bool push(T value)
    {
        unsigned t = tail.load(std::memory_order_relaxed);
        if (t - head.load(std::memory_order_acquire) == N)
            return false;
        values[t % N] = value;
        tail.store(t + 1, Publish);
        return true;
    }

    std::optional<T> pop()
    {
        unsigned h = head.load(std::memory_order_relaxed);
        if (h == tail.load(std::memory_order_acquire))
            return {};
        T value = values[h % N];
        head.store(h + 1, std::memory_order_release);
        return value;
    }
};

using Ring2 = Ring<int, 2>;
LP_CLASS(Ring2, "queue(2)", LP_METHOD(Ring2, "enqueue", push, LP_FRESH, 1, LP_MAY_FAIL),
         LP_METHOD(Ring2, "dequeue", pop, 0, 0, 2, LP_MAY_FAIL));

struct StrictRing2 : Ring<int, 2> {};
LP_CLASS(StrictRing2, "queue(2)", LP_METHOD(StrictRing2, "enqueue", push, LP_FRESH, 1),
         LP_METHOD(StrictRing2, "dequeue", pop, 0, 0, 2));

using RelaxedRing2 = Ring<int, 2, std::memory_order_relaxed>;
LP_CLASS(RelaxedRing2, "queue(2)",
         LP_METHOD(RelaxedRing2, "enqueue", push, LP_FRESH, 1, LP_MAY_FAIL),
         LP_METHOD(RelaxedRing2, "dequeue", pop, 0, 0, 2, LP_MAY_FAIL));
