/* Brackets are slots that no value has, so messages of one channel may differ in shape. */
#include "csp/message.h"

#include <string.h>

size_t message_part(const uint32_t *slots)
{
    size_t length = 1;
    if (slots[0] != SLOT_OPEN)
        return length;
    while (slots[length] != SLOT_CLOSE)
        length++;
    return length + 1;
}

datum message_value(struct object_pool *objects, const uint32_t *slots)
{
    if (slots[0] != SLOT_OPEN)
        return datum_from_slot(slots[0]);
    object_id made = object_intern(objects, slots + 1, message_part(slots) - 2);
    return made == OBJECT_REFUSED ? DATUM_REFUSED : datum_array(made);
}

bool message_is(const struct object_pool *objects, const uint32_t *slots, datum d)
{
    if (!datum_is_array(d))
        return datum_tag_of(d) != DATUM_OBJECT && datum_to_slot(d) == slots[0];
    size_t length;
    const uint32_t *items = object_items(objects, datum_elements(d), &length);
    return slots[0] == SLOT_OPEN && message_part(slots) == length + 2 &&
           memcmp(slots + 1, items, length * sizeof *items) == 0;
}
