#include "stress/channel.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "scenario/exchange.h"

bool channel_read(int from, void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = read(from, (char *)bytes + done, size - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        done += (size_t)count;
    }
    return true;
}

bool channel_write(int to, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const char *from = (const char *)bytes + done;
        ssize_t count = send(to, from, size - done, MSG_NOSIGNAL);
        if (count < 0 && errno == ENOTSOCK)
            count = write(to, from, size - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        done += (size_t)count;
    }
    return true;
}

void channel_answer(const void *bytes, size_t size)
{
    if (!channel_write(EXCHANGE_ANSWERS, bytes, size))
        _exit(0);
}
