/* The collections of PAT's library: types, and methods that read objects and make new ones. */
#ifndef CODE_COLLECTIONS_H
#define CODE_COLLECTIONS_H

#include "code/objects.h"

enum collection {
    COLLECTION_NONE,
    COLLECTION_LIST,
    COLLECTION_SET, /* ascending, no duplicates */
    COLLECTION_QUEUE,
    COLLECTION_STACK,      /* bottom first */
    COLLECTION_HASH_TABLE, /* keys, ascending, each followed by its value */
};

/* What a variable of the type is called, in a list for messages. */
#define COLLECTION_NAMES "List, SerializableList, Set, Queue, Stack, HashTable"

/* COLLECTION_NONE for an unknown name. */
enum collection collection_find(const char *name);

/* Whether collections of the type have an integer of that name: `list$Field`. */
bool collection_has_field(enum collection collection, const char *name);

/* The method's number, -1 if the collection has none of that name with so many arguments. */
int method_find(enum collection collection, const char *name, size_t arguments);

/* Whether the method's arguments are collections of its type (else integers or booleans), and
 * whether its answer is one. */
bool method_takes_collections(int method);
bool method_answers_collection(int method);

/* Applies a method to an object: the object afterwards and the answer (a slot, or an object; 0
 * where the method answers nothing). False, with a message, for a fault (pop of an empty stack, an
 * index out of range); *after or *answer is OBJECT_REFUSED when memory is refused. */
bool method_apply(struct object_pool *pool, int method, object_id object, const uint32_t *arguments,
                  object_id *after, uint32_t *answer, const char **message) MUST_CHECK;

#endif
