/* What the library of C++ has compiled of containers and streams: random use of it, compared with
 * arrays, and two threads that use the same one, with and without a lock. */
#include <linchpin/test.h>

#include <cassert>
#include <future>
#include <iostream>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>

namespace {

struct Random {
    uint64_t state;
    unsigned below(unsigned limit)
    {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<unsigned>(state >> 33) % limit;
    }
};

/* ---- std::map and std::set: keys in order, and the tree is a red-black one ---- */

using Node = const std::_Rb_tree_node_base;

/* The number of black nodes on each way down, which must be the same; -1: it is not. */
int black_height(Node *node)
{
    if (!node)
        return 0;
    Node *children[] = {node->_M_left, node->_M_right};
    int heights[2];
    for (int i = 0; i < 2; i++) {
        heights[i] = black_height(children[i]);
        if (children[i] && children[i]->_M_parent != node)
            return -1;
        if (children[i] && node->_M_color == std::_S_red && children[i]->_M_color == std::_S_red)
            return -1;
    }
    if (heights[0] < 0 || heights[0] != heights[1])
        return -1;
    return heights[0] + (node->_M_color == std::_S_black);
}

template <class Map> void check_tree(const Map &map)
{
    Node *header = map.end()._M_node, *root = header->_M_parent;
    assert(header->_M_color == std::_S_red);
    if (!root) {
        assert(header->_M_left == header && header->_M_right == header);
        return;
    }
    assert(root->_M_parent == header && root->_M_color == std::_S_black);
    assert(black_height(root) > 0);
    Node *first = root, *last = root;
    while (first->_M_left)
        first = first->_M_left;
    while (last->_M_right)
        last = last->_M_right;
    assert(header->_M_left == first && header->_M_right == last);
}

enum {
    KEYS = 24,
    STEPS = 120
};

void check_map(const std::map<int, int> &map, const int *values)
{
    int next = 0;
    check_tree(map);
    for (auto &[key, value] : map) {
        while (next < KEYS && !values[next])
            next++;
        assert(next == key && values[next] == value);
        next++;
    }
    while (next < KEYS && !values[next])
        next++;
    assert(next == KEYS);
    for (auto item = map.rbegin(); item != map.rend(); ++item) {
        while (!values[--next])
            ;
        assert(item->first == next);
    }
}

lp_int use_map(void *, lp_int seed)
{
    Random random{static_cast<uint64_t>(seed)};
    std::map<int, int> map;
    int values[KEYS] = {};
    for (int i = 0; i < STEPS; i++) {
        int key = static_cast<int>(random.below(KEYS));
        bool erases = random.below(100) < (i / 40 % 2 ? 70u : 30u);
        if (erases)
            map.erase(key);
        else
            map[key] = i + 1;
        values[key] = erases ? 0 : i + 1;
        check_map(map, values);
    }
    std::map<int, int> copy = map;
    check_map(copy, values);
    while (!copy.empty()) {
        copy.erase(random.below(2) ? copy.begin() : std::prev(copy.end()));
        check_tree(copy);
    }
    return LP_DONE;
}

/* ---- std::list ---- */

struct Line {
    int items[4 * STEPS], count = 0;
    void put(int at, int item)
    {
        for (int i = count++; i > at; i--)
            items[i] = items[i - 1];
        items[at] = item;
    }
    int take(int at)
    {
        int item = items[at];
        count--;
        for (int i = at; i < count; i++)
            items[i] = items[i + 1];
        return item;
    }
};

void check_list(const std::list<int> &list, const Line &line)
{
    int i = 0;
    for (int item : list)
        assert(i < line.count && line.items[i++] == item);
    assert(i == line.count);
    for (auto item = list.rbegin(); item != list.rend(); ++item)
        assert(*item == line.items[--i]);
}

lp_int use_list(void *, lp_int seed)
{
    Random random{static_cast<uint64_t>(seed)};
    std::list<int> lists[2];
    Line lines[2];
    for (int i = 0; i < STEPS; i++) {
        unsigned which = random.below(2);
        std::list<int> &list = lists[which], &other = lists[1 - which];
        Line &line = lines[which], &rest = lines[1 - which];
        int at = static_cast<int>(random.below(static_cast<unsigned>(line.count) + 1));
        switch (random.below(7)) {
        case 0:
        case 1:
        case 2:
            list.insert(std::next(list.begin(), at), i);
            line.put(at, i);
            break;
        case 3:
            if (at < line.count) {
                list.erase(std::next(list.begin(), at));
                line.take(at);
            }
            break;
        case 4:
            list.reverse();
            for (int from = 0, to = line.count - 1; from < to; from++, to--)
                std::swap(line.items[from], line.items[to]);
            break;
        case 5:
            list.swap(other);
            std::swap(line, rest);
            break;
        default: /* what is behind some place of the other one */
            if (rest.count > 0) {
                int from = static_cast<int>(random.below(static_cast<unsigned>(rest.count)));
                list.splice(std::next(list.begin(), at), other, std::next(other.begin(), from),
                            other.end());
                for (int to = at; from < rest.count; to++)
                    line.put(to, rest.take(from));
            }
        }
        check_list(list, line);
        check_list(other, rest);
    }
    return LP_DONE;
}

/* ---- std::unordered_map ---- */

lp_int use_hashes(void *, lp_int seed)
{
    Random random{static_cast<uint64_t>(seed)};
    std::unordered_map<std::string, int> map;
    int values[KEYS] = {}, count = 0;
    for (int i = 0; i < STEPS; i++) {
        int key = static_cast<int>(random.below(KEYS));
        std::string name = "a name that is not short: " + std::to_string(key);
        bool erases = random.below(3) == 0;
        count += (erases ? 0 : 1) - (values[key] ? 1 : 0);
        if (erases)
            map.erase(name);
        else
            map[name] = i + 1;
        values[key] = erases ? 0 : i + 1;
        assert(map.size() == static_cast<size_t>(count));
        assert(map.load_factor() <= map.max_load_factor());
        for (int k = 0; k < KEYS; k++) {
            auto found = map.find("a name that is not short: " + std::to_string(k));
            assert((found == map.end() ? 0 : found->second) == values[k]);
        }
    }
    map.reserve(1000);
    assert(map.bucket_count() >= 1000 && map.size() == static_cast<size_t>(count));
    return LP_DONE;
}

/* ---- streams, futures ---- */

lp_int use_streams(void *, lp_int)
{
    std::ostringstream out;
    out << "x" << 12 << ' ' << std::hex << 255L << ' ' << 2.5;
    assert(out.str() == "x12 ff 2.5");
    std::istringstream in("7 8 n");
    int seven, eight;
    char nine;
    in >> seven >> eight >> nine;
    assert(seven == 7 && eight == 8 && nine == 'n' && !in.fail());
    std::cout << "what is printed goes nowhere: " << 1 << std::endl;
    return LP_DONE;
}

lp_int use_futures(void *, lp_int)
{
    auto own = std::async(std::launch::async, [] { return 1; });
    auto later = std::async(std::launch::deferred, [] { return 2; });
    std::packaged_task<int()> task([]() -> int { throw 3; });
    auto thrown = task.get_future();
    task();
    try {
        thrown.get();
        assert(false);
    } catch (int three) {
        assert(three == 3);
    }
    assert(own.get() == 1 && later.get() == 2);
    return LP_DONE;
}

lp_int use_promise(void *, lp_int)
{
    int told = 0; /* plainly, before the promise is kept */
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread thread([&] {
        told = 5;
        promise.set_value(4);
    });
    assert(future.get() == 4 && told == 5);
    thread.join();
    return LP_DONE;
}

lp_int print(void *, lp_int)
{
    std::cout << "both " << 2 << std::endl;
    std::cerr << "at once\n";
    return LP_DONE;
}

/* ---- two threads at once ---- */

template <class Container> struct Shared {
    Container container;
    std::mutex mutex;
};

/* An operation that changes a container, with the lock, and without. */
template <class Container, void change(Container &, int)> struct Changing {
    static void *setup()
    {
        return new Shared<Container>();
    }
    static lp_int locked(void *object, lp_int value)
    {
        auto shared = static_cast<Shared<Container> *>(object);
        std::lock_guard<std::mutex> guard(shared->mutex);
        change(shared->container, static_cast<int>(value));
        return LP_DONE;
    }
    static lp_int unlocked(void *object, lp_int value)
    {
        change(static_cast<Shared<Container> *>(object)->container, static_cast<int>(value));
        return LP_DONE;
    }
};

using Map = std::map<int, int>;
using List = std::list<int>;
using Hashes = std::unordered_map<std::string, int>;
using Text = std::ostringstream;

void insert(Map &map, int value)
{
    map[value] = value;
}
void erase(Map &map, int value)
{
    map[value] = value;
    map.erase(value);
}
void append(List &list, int value)
{
    list.push_back(value);
}
void turn(List &list, int)
{
    list.reverse();
}
void store(Hashes &hashes, int value)
{
    hashes[std::to_string(value)] = value;
}
void write(Text &text, int value)
{
    text << value;
}

} // namespace

#define ALONE(NAME, RUN, ...) LP_TEST(NAME, .ops = {{"a", RUN, ##__VA_ARGS__}})
#define BOTH(NAME, ...)                                                                            \
    LP_TEST(NAME##_locked, .setup = Changing<__VA_ARGS__>::setup,                                  \
            .ops = {{"a", Changing<__VA_ARGS__>::locked, LP_FRESH}});                              \
    LP_TEST(NAME##_unlocked, .setup = Changing<__VA_ARGS__>::setup,                                \
            .ops = {{"a", Changing<__VA_ARGS__>::unlocked, LP_FRESH}})

ALONE(map, use_map, 1, 1000);
ALONE(list, use_list, 1, 1000);
ALONE(hashes, use_hashes, 1, 1000);
ALONE(streams, use_streams);
ALONE(futures, use_futures);
ALONE(promise, use_promise);
ALONE(print, print);
BOTH(insert, Map, insert);
BOTH(erase, Map, erase);
BOTH(append, List, append);
BOTH(turn, List, turn);
BOTH(store, Hashes, store);
BOTH(write, Text, write);
