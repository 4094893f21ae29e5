// A set that only grows under a read-write lock: right; and one that takes the lock for reading
// where it writes.
//
// expect: SharedSet holds
// expect: CarelessSet data race
#include <linchpin/test.h>

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <vector>

template <class WriteLock> class Set {
    mutable std::shared_mutex lock;
    std::vector<int> values;

  public:
    bool add(int value)
    {
        WriteLock held(lock);
        if (std::find(values.begin(), values.end(), value) != values.end())
            return false;
        values.push_back(value);
        return true;
    }

    bool contains(int value) const
    {
        std::shared_lock held(lock);
        return std::find(values.begin(), values.end(), value) != values.end();
    }
};

using SharedSet = Set<std::unique_lock<std::shared_mutex>>;
LP_CLASS(SharedSet, "set", LP_METHOD(SharedSet, "add", add, 1, 1),
         LP_METHOD(SharedSet, "contains", contains, 1, 1));

using CarelessSet = Set<std::shared_lock<std::shared_mutex>>;
LP_CLASS(CarelessSet, "set", LP_METHOD(CarelessSet, "add", add, 1, 1),
         LP_METHOD(CarelessSet, "contains", contains, 1, 1));
