/* Boost.Lockfree (Debian: libboost-dev): queue, stack and spsc_queue, as their headers are. */
#define BOOST_NO_EXCEPTIONS /* thrown where a capacity is too large: not here */
#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <boost/lockfree/stack.hpp>

#include <cstdlib>
#include <memory>

#include <linchpin/test.h>

namespace boost {
void throw_exception(const std::exception &)
{
    abort();
}
void throw_exception(const std::exception &, const boost::source_location &)
{
    abort();
}
} // namespace boost

/* The constructor of a node reads its tag before anything is written there: blocks of zeros. */
template <class T> struct Zeros : std::allocator<T> {
    template <class U> struct rebind {
        using other = Zeros<U>;
    };
    T *allocate(std::size_t count)
    {
        void *block = aligned_alloc(alignof(T), count * sizeof(T));
        return static_cast<T *>(memset(block, 0, count * sizeof(T)));
    }
    void deallocate(T *block, std::size_t)
    {
        free(block);
    }
};

template <class Q> struct Container : Q {
    using Q::Q;
    void put(int value)
    {
        Q::push(value);
    }
    bool try_put(int value)
    {
        return Q::push(value);
    }
    std::optional<int> take()
    {
        int value;
        return Q::pop(value) ? std::optional<int>(value) : std::nullopt;
    }
};

struct Queue : Container<boost::lockfree::queue<int, boost::lockfree::allocator<Zeros<int>>>> {
    Queue() : Container(1) {}
};
struct Stack : Container<boost::lockfree::stack<int>> {
    Stack() : Container(1) {}
};
struct StrictRing : Container<boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>>> {};
using Ring = StrictRing;

/* Nodes go to a free list, where they are linked through plain memory, while other threads may
 * still read them atomically, or plainly; the tag beside each pointer keeps such values from being
 * used. A data race it is. */
// needs: libboost-dev
// expect: test Queue data race
// expect: test --scenario 'enqueue | enqueue; enqueue' Queue holds
// expect: test --races=relaxed --memory-model=sc --scenario 'enqueue; dequeue | enqueue' Queue holds
LP_CLASS(Queue, "queue", LP_METHOD(Queue, "enqueue", put, LP_FRESH),
         LP_METHOD(Queue, "dequeue", take));

// expect: test Stack data race
LP_CLASS(Stack, "stack", LP_METHOD(Stack, "push", put, LP_FRESH), LP_METHOD(Stack, "pop", take));

/* One thread puts, another one takes. Under a weak memory model, either may see the other's place
 * late, and answer "full" or "empty" when it is not: that must be allowed. */
// expect: test StrictRing not linearizable
// expect: test --memory-model=sc StrictRing holds
LP_CLASS(StrictRing, "queue(2)", LP_METHOD(StrictRing, "enqueue", try_put, LP_FRESH, 1),
         LP_METHOD(StrictRing, "dequeue", take, 0, 0, 2));

// expect: test Ring holds
LP_CLASS(Ring, "queue(2)", LP_METHOD(Ring, "enqueue", try_put, LP_FRESH, 1, LP_MAY_FAIL),
         LP_METHOD(Ring, "dequeue", take, 0, 0, 2, LP_MAY_FAIL));
