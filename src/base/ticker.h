/* Calling something a few times a second, from a thread of its own, while others work. */
#ifndef BASE_TICKER_H
#define BASE_TICKER_H

struct ticker;

/* Calls tick(context) every `milliseconds` until ticker_stop. Null, and no calls, where the system
 * gives no thread. */
struct ticker *ticker_start(unsigned milliseconds, void (*tick)(void *context), void *context);

/* Returns when no call is running and none will follow. Null is allowed. */
void ticker_stop(struct ticker *ticker);

#endif
