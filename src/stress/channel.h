/* Bytes that come and go whole, from process to process. */
#ifndef STRESS_CHANNEL_H
#define STRESS_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

/* False when the other end is closed before all of it has come. */
bool channel_read(int from, void *bytes, size_t size);

/* False when nobody listens any more; to a socket that is no signal. */
bool channel_write(int to, const void *bytes, size_t size);

/* To EXCHANGE_ANSWERS; ends the program when nobody listens any more. */
void channel_answer(const void *bytes, size_t size);

#endif
