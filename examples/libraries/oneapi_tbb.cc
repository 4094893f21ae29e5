/* oneTBB (Debian: libtbb-dev): what of it is in headers alone, its spinning locks. What a lock is
 * for is one operation: take it, add one to a plain variable, give it back. */
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>

#include <linchpin/test.h>

struct SpinMutex {
    tbb::spin_mutex lock;
    int count = 0;
    void inc()
    {
        tbb::spin_mutex::scoped_lock held(lock);
        count++;
    }
    int read()
    {
        tbb::spin_mutex::scoped_lock held(lock);
        return count;
    }
};

struct SpinRwMutex {
    tbb::spin_rw_mutex lock;
    int count = 0;
    void inc()
    {
        tbb::spin_rw_mutex::scoped_lock held(lock, true);
        count++;
    }
    int read()
    {
        tbb::spin_rw_mutex::scoped_lock held(lock, false);
        return count;
    }
};

/* A reader that becomes a writer; where it could not do so at once it reads again. */
struct Upgraded : SpinRwMutex {
    void inc()
    {
        tbb::spin_rw_mutex::scoped_lock held(lock, false);
        int seen = count;
        if (!held.upgrade_to_writer())
            seen = count;
        count = seen + 1;
    }
};

/* The same without reading again. */
struct UpgradedWrongly : SpinRwMutex {
    void inc()
    {
        tbb::spin_rw_mutex::scoped_lock held(lock, false);
        int seen = count;
        held.upgrade_to_writer();
        count = seen + 1;
    }
};

// needs: libtbb-dev
// expect: test --scenario 'inc; read | inc; read' SpinMutex holds
LP_CLASS(SpinMutex, "counter", LP_METHOD(SpinMutex, "inc", inc),
         LP_METHOD(SpinMutex, "read", read));

// expect: test --scenario 'inc; read | inc; read' SpinRwMutex holds
LP_CLASS(SpinRwMutex, "counter", LP_METHOD(SpinRwMutex, "inc", inc),
         LP_METHOD(SpinRwMutex, "read", read));

// expect: test --scenario 'inc | inc' Upgraded holds
LP_CLASS(Upgraded, "counter", LP_METHOD(Upgraded, "inc", inc), LP_METHOD(Upgraded, "read", read));

// expect: test --scenario 'inc; inc | inc; read' UpgradedWrongly not linearizable
LP_CLASS(UpgradedWrongly, "counter", LP_METHOD(UpgradedWrongly, "inc", inc),
         LP_METHOD(UpgradedWrongly, "read", read));
