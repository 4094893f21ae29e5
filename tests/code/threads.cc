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

TWO(atomic_wait, wait_for_change, change_and_notify);
TWO(atomic_not_notified, wait_for_change, change_only);
TWO(latches, arrive_a, arrive_b);
ONE(jthread, run_jthread);
#endif
