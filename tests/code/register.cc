// A register under a lock, in C++.
#include <atomic>
#include <optional>

#include <linchpin/test.h>

class Register
{
  public:
    void write(int value)
    {
        lock();
        value_ = value;
        unlock();
    }

    std::optional<int> read()
    {
        lock();
        std::optional<int> value = value_;
        unlock();
        return value;
    }

  private:
    void lock()
    {
        while (locked_.exchange(true, std::memory_order_acquire))
            continue;
    }

    void unlock()
    {
        locked_.store(false, std::memory_order_release);
    }

    std::atomic<bool> locked_{false};
    std::optional<int> value_;
};

LP_CLASS(Register, "register", LP_METHOD(Register, "write", write, 1, 2),
         LP_METHOD(Register, "read", read));
