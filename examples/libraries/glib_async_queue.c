/* GLib's GAsyncQueue (Debian: libglib2.0-dev), from the library as it is installed: compiled
 * already, it can be run with real threads only, and nothing gives way inside. */
#include <glib.h>

#include <linchpin/test.h>

static void *new_queue(void)
{
    return g_async_queue_new();
}
static void drop(void *queue)
{
    g_async_queue_unref(queue);
}

static lp_int enqueue(void *queue, lp_int value)
{
    g_async_queue_push(queue, GSIZE_TO_POINTER((gsize)value));
    return LP_DONE;
}

static lp_int dequeue(void *queue, lp_int unused)
{
    (void)unused;
    gpointer value = g_async_queue_try_pop(queue);
    return value ? (lp_int)GPOINTER_TO_SIZE(value) : LP_EMPTY;
}

static lp_int length(void *queue, lp_int unused)
{
    (void)unused;
    return g_async_queue_length(queue);
}

// needs: libglib2.0-dev
// flags: pkg-config --cflags --libs glib-2.0
// expect: stress --rounds=300 queue linearizable
LP_TEST(queue, .spec = "queue", .setup = new_queue, .teardown = drop,
        .ops = {{"enqueue", enqueue, LP_FRESH}, {"dequeue", dequeue}});

/* Its length counts who waits, too, but nobody does. */
// expect: stress --rounds=300 --ops=4 lengths linearizable
LP_TEST(lengths, .spec = "lengths.lin:lengths", .setup = new_queue, .teardown = drop,
        .ops = {{"enqueue", enqueue, LP_FRESH}, {"dequeue", dequeue}, {"length", length}});
