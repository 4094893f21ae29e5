// What lock-based code uses of the library of C++, one or two tests for each rule.
// tests/unit/test_code_threads.c says what is to come out.
#include <linchpin/test.h>

#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define OP(NAME)      static lp_int NAME(void *, lp_int)
#define ONE(ID, A)    LP_TEST(ID, .ops = {{"a", A}})
#define TWO(ID, A, B) LP_TEST(ID, .ops = {{"a", A}, {"b", B}})

using namespace std::chrono_literals;

static std::mutex m, n;
static std::shared_mutex rw;
static std::recursive_mutex recursive;
static std::timed_mutex timed;
static std::condition_variable cv;
static std::condition_variable_any any;
static std::once_flag flag;
static bool ready;
static int d, e;
static std::atomic<int> f;

// ---- threads ----

OP(run_thread)
{
    int x = 0;
    std::thread made([&] { x = 1; });
    assert(made.joinable() && made.get_id() != std::this_thread::get_id());
    made.join();
    assert(x == 1 && !made.joinable());
    return LP_DONE;
}

OP(race_with_thread)
{
    std::thread made([] { d = 1; });
    d = 2;
    made.join();
    return LP_DONE;
}

OP(forget_to_join)
{
    std::thread made([] {});
    return LP_DONE;
}

OP(throw_in_thread)
{
    std::thread made([] { throw 1; });
    made.join();
    return LP_DONE;
}

ONE(thread, run_thread);
ONE(thread_race, race_with_thread);
ONE(thread_not_joined, forget_to_join);
ONE(thread_throws, throw_in_thread);

// ---- locks ----

OP(both_locks)
{
    std::scoped_lock held(m, n);
    d++;
    return LP_DONE;
}

OP(other_way_round)
{
    std::unique_lock first(n, std::defer_lock), second(m, std::defer_lock);
    std::lock(first, second);
    d++;
    return LP_DONE;
}

OP(one_behind_other)
{
    std::lock_guard first(m);
    std::lock_guard second(n);
    d++;
    return LP_DONE;
}

OP(one_before_other)
{
    std::lock_guard first(n);
    std::lock_guard second(m);
    d++;
    return LP_DONE;
}

OP(three_locks)
{
    std::scoped_lock held(rw, n, m);
    d++;
    return LP_DONE;
}

OP(keep_one)
{
    m.lock();
    return LP_DONE;
}

OP(try_beside) // fails while others have only one of both
{
    std::lock_guard held(n);
    if (!m.try_lock())
        return LP_NO;
    m.unlock();
    return LP_YES;
}

OP(await_both)
{
    for (;;) {
        std::scoped_lock held(m, n);
        if (d)
            return LP_DONE;
    }
}

OP(lock_and_take_others)
{
    std::lock_guard held(n);
    std::scoped_lock others(m, n);
    return LP_DONE;
}

OP(shared_read)
{
    std::shared_lock held(rw);
    return d;
}

OP(shared_write)
{
    std::unique_lock held(rw, std::try_to_lock);
    if (held)
        d++;
    return LP_DONE;
}

OP(lock_again)
{
    std::lock_guard outer(recursive);
    std::lock_guard inner(recursive);
    d++;
    return LP_DONE;
}

OP(lock_for)
{
    if (timed.try_lock_for(1ms)) {
        std::unique_lock held(timed, std::adopt_lock);
        d++;
    }
    return LP_DONE;
}

TWO(scoped, both_locks, other_way_round);
TWO(crossed, one_behind_other, one_before_other);
TWO(several, three_locks, other_way_round);
TWO(several_tried, try_beside, both_locks);
TWO(several_kept, both_locks, keep_one);
TWO(several_awaited, await_both, other_way_round);
ONE(several_again, lock_and_take_others);
TWO(several_crossed, other_way_round, one_behind_other);
TWO(shared, shared_read, shared_write);
ONE(recursive_mutex, lock_again);
ONE(timed_mutex, lock_for);

// ---- conditions ----

OP(wait_for_ready)
{
    std::unique_lock held(m);
    cv.wait(held, [] { return ready; });
    d++;
    return LP_DONE;
}

OP(wait_if_not_ready)
{
    std::unique_lock held(m);
    if (!ready)
        cv.wait(held);
    assert(ready);
    return LP_DONE;
}

OP(make_ready)
{
    {
        std::lock_guard held(m);
        ready = true;
    }
    cv.notify_one();
    return LP_DONE;
}

OP(make_ready_for_all)
{
    std::lock_guard held(m);
    ready = true;
    cv.notify_all();
    return LP_DONE;
}

OP(wait_a_while)
{
    std::unique_lock held(m);
    bool found = cv.wait_for(held, 10ms, [] { return ready; });
    assert(found == ready);
    return found ? LP_YES : LP_NO;
}

OP(never_gives_up)
{
    assert(wait_a_while(nullptr, 0) == LP_YES);
    return LP_DONE;
}

OP(wait_in_turns)
{
    std::unique_lock held(m);
    while (!ready)
        cv.wait_for(held, 10ms);
    return LP_DONE;
}

OP(wait_any)
{
    std::shared_lock held(rw);
    any.wait(held, [] { return ready; });
    return LP_DONE;
}

OP(make_ready_any)
{
    {
        std::lock_guard held(rw);
        ready = true;
    }
    any.notify_all();
    return LP_DONE;
}

TWO(condition, wait_for_ready, make_ready);
TWO(condition_all, wait_for_ready, make_ready_for_all);
TWO(condition_if, wait_if_not_ready, make_ready);
TWO(condition_for, wait_a_while, make_ready);
TWO(condition_for_wrong, never_gives_up, make_ready);
TWO(condition_turns, wait_in_turns, make_ready);
TWO(condition_any, wait_any, make_ready_any);

// With a lock of one's own, which is taken by several who try; one whose memory is another each
// time it is taken; one that waits itself.
struct spinning {
    std::atomic<bool> held{false};
    void lock()
    {
        while (held.exchange(true, std::memory_order_acquire)) {
        }
    }
    bool try_lock()
    {
        return !held.exchange(true, std::memory_order_acquire);
    }
    void unlock()
    {
        held.store(false, std::memory_order_release);
    }
};

struct in_turns {
    std::atomic<int> next{0}, now{0};
    void lock()
    {
        int mine = next.fetch_add(1);
        while (now.load() != mine) {
        }
    }
    void unlock()
    {
        now.store(now.load() + 1);
    }
};

struct sleeping {
    std::mutex inner;
    std::condition_variable_any given_back;
    bool held = false;
    void lock()
    {
        std::unique_lock within(inner);
        given_back.wait(within, [this] { return !held; });
        held = true;
    }
    void unlock()
    {
        std::lock_guard within(inner);
        held = false;
        given_back.notify_all();
    }
};

static spinning own;
static in_turns turns;
static sleeping sleeper;

template <class Lock> static lp_int wait_with(Lock &lock)
{
    std::unique_lock held(lock);
    any.wait(held, [] { return ready; });
    return ++d;
}

template <class Lock> static lp_int make_ready_with(Lock &lock)
{
    std::lock_guard held(lock);
    ready = true;
    any.notify_all();
    return LP_DONE;
}

OP(wait_own)
{
    return wait_with(own);
}

OP(make_ready_own)
{
    return make_ready_with(own);
}

OP(wait_in_turn)
{
    return wait_with(turns);
}

OP(make_ready_in_turn)
{
    return make_ready_with(turns);
}

OP(wait_sleeping)
{
    return wait_with(sleeper);
}

OP(make_ready_sleeping)
{
    return make_ready_with(sleeper);
}

OP(wait_any_if_not_ready)
{
    std::lock_guard held(own);
    if (!ready)
        any.wait(own);
    assert(ready);
    return LP_DONE;
}

OP(wait_any_atomic)
{
    std::unique_lock held(m);
    any.wait(held, [] { return f.load() != 0; });
    return LP_DONE;
}

OP(make_ready_unlocked)
{
    f = 1;
    any.notify_all();
    return LP_DONE;
}

OP(make_ready_between)
{
    f = 1;
    m.lock();
    m.unlock();
    any.notify_all();
    return LP_DONE;
}

OP(notify_one)
{
    std::lock_guard held(own);
    ready = true;
    any.notify_one();
    return LP_DONE;
}

OP(wait_any_a_while)
{
    std::unique_lock held(own);
    bool found = any.wait_for(held, 10ms, [] { return ready; });
    assert(found == ready);
    return found ? LP_YES : LP_NO;
}

OP(wait_any_until)
{
    std::unique_lock held(own);
    while (!ready)
        if (any.wait_until(held, std::chrono::system_clock::now() + 1s) == std::cv_status::timeout)
            return LP_NO;
    return LP_YES;
}

OP(never_gives_up_any)
{
    assert(wait_any_a_while(nullptr, 0) == LP_YES);
    return LP_DONE;
}

OP(destroy_while_waiting)
{
    delete new std::condition_variable_any;
    static std::condition_variable_any *shared = new std::condition_variable_any;
    if (f++ == 0) {
        std::unique_lock held(m);
        shared->wait(held);
    } else {
        delete shared;
    }
    return LP_DONE;
}

struct own_condition : std::condition_variable {};

OP(wait_inherited)
{
    own_condition inherits;
    std::unique_lock held(m);
    return inherits.wait_for(held, 1ms) == std::cv_status::timeout ? LP_NO : LP_YES;
}

ONE(condition_inherited, wait_inherited);
TWO(any_own, wait_own, make_ready_own);
TWO(any_in_turns, wait_in_turn, make_ready_in_turn);
TWO(any_sleeping, wait_sleeping, make_ready_sleeping);
TWO(any_one, wait_own, notify_one);
TWO(any_if, wait_any_if_not_ready, make_ready_own);
TWO(any_unlocked, wait_any_atomic, make_ready_unlocked);
TWO(any_between, wait_any_atomic, make_ready_between);
TWO(any_for, wait_any_a_while, make_ready_own);
TWO(any_until, wait_any_until, make_ready_own);
TWO(any_for_wrong, never_gives_up_any, make_ready_own);
ONE(any_destroyed, destroy_while_waiting);

// What somebody who tries the lock sees of a wait that ends for no reason.
OP(try_behind)
{
    m.lock();
    m.unlock();
    bool taken = m.try_lock();
    if (taken)
        m.unlock();
    std::lock_guard held(m);
    ready = true;
    cv.notify_all();
    return taken ? LP_YES : LP_NO;
}

OP(try_own_behind)
{
    own.lock();
    own.unlock();
    bool taken = own.try_lock();
    if (taken)
        own.unlock();
    make_ready_with(own);
    return taken ? LP_YES : LP_NO;
}

OP(try_behind_wrong)
{
    assert(try_behind(nullptr, 0) == LP_YES);
    return LP_DONE;
}

OP(try_own_behind_wrong)
{
    assert(try_own_behind(nullptr, 0) == LP_YES);
    return LP_DONE;
}

TWO(condition_tried, wait_for_ready, try_behind);
TWO(condition_tried_wrong, wait_for_ready, try_behind_wrong);
TWO(any_tried, wait_own, try_own_behind);
TWO(any_tried_wrong, wait_own, try_own_behind_wrong);

#if __cplusplus > 201703L
#include <stop_token>

OP(wait_for_stop)
{
    std::jthread made([](std::stop_token token) {
        std::unique_lock held(own);
        assert(any.wait(held, token, [] { return ready; }) == ready);
        held.unlock();
        held.lock();
    });
    return LP_DONE;
}

OP(wait_for_stop_a_while)
{
    std::jthread made([](std::stop_token token) {
        std::unique_lock held(own);
        any.wait_for(held, token, 1ms, [] { return ready; });
    });
    return LP_DONE;
}

TWO(any_stop, wait_for_stop, make_ready_own);
TWO(any_stop_for, wait_for_stop_a_while, make_ready_own);
#endif

// ---- once; exceptions ----

OP(do_once)
{
    std::call_once(flag, [] { d = 5; });
    assert(d == 5);
    return LP_DONE;
}

OP(do_once_if_it_works)
{
    try {
        std::call_once(flag, [] {
            if (f++ == 0)
                throw 1;
            d = 5;
        });
        assert(d == 5);
    } catch (int) {
        return LP_NO;
    }
    return LP_YES;
}

struct counted {
    ~counted()
    {
        d++;
    }
};

OP(throw_and_catch)
{
    static thread_local int depth;
    try {
        counted local;
        depth++;
        std::lock_guard held(m);
        throw std::runtime_error("x" + std::to_string(depth));
    } catch (const std::exception &caught) {
        assert(std::string(caught.what()) == "x" + std::to_string(depth));
    }
    assert(std::uncaught_exceptions() == 0);
    return LP_DONE;
}

OP(throw_within_catch)
{
    try {
        throw 1 + f++;
    } catch (int outer) {
        f++;
        try {
            throw 7L;
        } catch (long) {
            f++;
        }
        assert(outer >= 1 && outer <= 6);
    }
    return LP_DONE;
}

OP(throw_out)
{
    throw std::logic_error("nobody catches this");
}

OP(throw_from_noexcept)
{
    auto no = []() noexcept { throw 1; };
    no();
    return LP_DONE;
}

OP(index_out_of_range)
{
    std::vector<int> values(2);
    try {
        return values.at((size_t)f + 2);
    } catch (const std::out_of_range &) {
        return LP_EMPTY;
    }
}

ONE(once, do_once);
ONE(once_throws, do_once_if_it_works);
ONE(caught, throw_and_catch);
ONE(caught_within, throw_within_catch);
ONE(uncaught, throw_out);
ONE(not_except, throw_from_noexcept);
ONE(out_of_range, index_out_of_range);

// ---- what objects have as members ----

static std::string text;
static std::shared_ptr<int> pointer = std::make_shared<int>(4);
static std::deque<int> queue;
static std::function<int()> function = [] { return 3; };

OP(append)
{
    std::lock_guard held(m);
    text += "longer than what fits into a string itself";
    return (lp_int)text.size();
}

OP(look)
{
    return !text.empty() && text[0] == 'l';
}

OP(copy_pointer)
{
    auto copy = pointer;
    return *copy;
}

OP(write_through_pointer)
{
    auto copy = pointer;
    ++*copy;
    return LP_DONE;
}

OP(push_and_pop)
{
    std::lock_guard held(m);
    auto own = std::make_unique<std::vector<int>>(3, function());
    queue.push_back((*own)[2]);
    int found = queue.front();
    queue.pop_front();
    return found;
}

TWO(string, append, append);
TWO(string_race, append, look);
TWO(shared_pointer, copy_pointer, copy_pointer);
TWO(shared_pointer_race, copy_pointer, write_through_pointer);
ONE(containers, push_and_pop);

// ---- the time ----

OP(sleeps)
{
    auto before = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(5ms);
    assert(std::chrono::steady_clock::now() - before >= 5ms);
    return LP_DONE;
}

ONE(time_passes, sleeps);

// ---- C++20 ----

#if __cplusplus > 201703L
#include <latch>

static std::latch latch(2);

OP(wait_for_change)
{
    f.wait(0);
    assert(f == 1);
    return LP_DONE;
}

OP(change_and_notify)
{
    f = 1;
    f.notify_one();
    return LP_DONE;
}

OP(change_only)
{
    f = 1;
    return LP_DONE;
}

OP(arrive_a)
{
    d = 1;
    latch.arrive_and_wait();
    assert(e == 1);
    return LP_DONE;
}

OP(arrive_b)
{
    e = 1;
    latch.arrive_and_wait();
    assert(d == 1);
    return LP_DONE;
}

OP(run_jthread)
{
    int x = 0;
    {
        std::jthread made([&](std::stop_token stop) { x = stop.stop_possible(); });
    }
    assert(x == 1);
    return LP_DONE;
}

static std::atomic<std::shared_ptr<int>> shared_atomically(std::make_shared<int>(1));

OP(load_shared)
{
    assert(*shared_atomically.load() > 0);
    return LP_DONE;
}

OP(store_shared)
{
    shared_atomically.store(std::make_shared<int>(2));
    return LP_DONE;
}

TWO(atomic_shared, load_shared, store_shared);
TWO(atomic_shared_race, load_shared, store_shared);
TWO(atomic_wait, wait_for_change, change_and_notify);
TWO(atomic_not_notified, wait_for_change, change_only);
TWO(latches, arrive_a, arrive_b);
ONE(jthread, run_jthread);
#endif
