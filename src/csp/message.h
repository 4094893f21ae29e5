/* Messages: the slots of their values one behind the other, an array's between brackets. */
#ifndef CSP_MESSAGE_H
#define CSP_MESSAGE_H

#include "code/objects.h"
#include "code/word.h"

/* No value of a message. */
#define DATUM_REFUSED ((datum)UINT64_MAX)

/* How many slots the value takes that begins here. */
size_t message_part(const uint32_t *slots);

/* The value that begins here; DATUM_REFUSED when memory for an array is refused. */
datum message_value(struct object_pool *objects, const uint32_t *slots);

/* Whether the value that begins here is this one. */
bool message_is(const struct object_pool *objects, const uint32_t *slots, datum d);

#endif
