#include "rules/object.h"

#include <stddef.h>
#include <string.h>

#include "base/attributes.h"

/* Twice is enough to take a value that is not there; of a register, four reads are as many as fit
 * into the histories that one can enumerate. */
static const struct rule_object objects[] = {
    {"queue", false, 2, {{"Enq", "enqueue"}, {"Deq", "dequeue"}, {"DeqEmpty", "dequeue"}}},
    {"stack", false, 2, {{"Push", "push"}, {"Pop", "pop"}, {"PopEmpty", "pop"}}},
    {"register", false, 4, {{"Write", "write"}, {"Read", "read"}, {"ReadInit", "read"}}},
    {"mutex", true, 2, {{"Lock", "acquire"}, {"Unlock", "release"}, {NULL, NULL}}},
};

const struct rule_object *rule_object_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(objects); i++)
        if (strcmp(objects[i].name, name) == 0)
            return &objects[i];
    return NULL;
}

const char *rule_object_names(void)
{
    return "queue, stack, register or mutex";
}

uint32_t rule_object_find_method(const struct rule_object *object, const char *name)
{
    uint32_t role = 0;
    while (role < METHOD_ROLES &&
           (!object->methods[role].name || strcmp(object->methods[role].name, name) != 0))
        role++;
    return role;
}
