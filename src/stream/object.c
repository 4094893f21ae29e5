#include "stream/object.h"

#include <string.h>

bool stream_object_init(struct stream_object *object, const struct spec *spec, value key,
                        struct budget *budget)
{
    *object = (struct stream_object){.spec = spec, .key = key, .count = 1};
    vectors_init(budget, &object->operations, &object->stored);
    struct outcomes initial;
    outcomes_init(&initial, budget);
    bool done = spec->class->init(spec, key, &initial);
    size_t length = done ? initial.items.items[0].length : 0;
    done = done && vector_reserve(&object->stored, STORED_HEAD + length);
    if (done) {
        uint64_t *words = object->stored.items;
        memcpy(words, (uint64_t[STORED_HEAD]){length, UINT64_MAX, 0, 0},
               STORED_HEAD * sizeof *words);
        if (length)
            memcpy(words + STORED_HEAD, initial.words.items + initial.items.items[0].start,
                   length * sizeof *words);
        object->stored.length = STORED_HEAD + length;
    }
    outcomes_release(&initial);
    return done;
}

void stream_object_release(struct stream_object *object)
{
    vectors_release(&object->operations, &object->stored);
    object->count = 0;
}

bool stream_object_copy(struct stream_object *to, const struct stream_object *from)
{
    if (!vector_reserve(&to->operations, from->operations.length) ||
        !vector_reserve(&to->stored, from->stored.length))
        return false;
    to->spec = from->spec;
    to->key = from->key;
    to->count = from->count;
    to->operations.length = from->operations.length;
    to->stored.length = from->stored.length;
    if (from->operations.length)
        memcpy(to->operations.items, from->operations.items,
               from->operations.length * sizeof *from->operations.items);
    if (from->stored.length)
        memcpy(to->stored.items, from->stored.items,
               from->stored.length * sizeof *from->stored.items);
    return true;
}
