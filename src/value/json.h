/* Values as JSON that is read back as the same values. */
#ifndef VALUE_JSON_H
#define VALUE_JSON_H

#include "base/text.h"
#include "value/value.h"

/* Appends v so that reading it gives v again, but for keywords and symbols, which become strings.
 * What JSON lacks is written as Transit does, the format for EDN's values in JSON: a set as
 * {"~#set": [1, 2]}, a map with keys that are no texts as {"~#cmap": [1, "a", 2, "b"]}. Null, or
 * what of v cannot be said. */
const char *value_print_json_exactly(value v, struct text *text);

/* The value of a JSON object with these keys and values in turn; VALUE_REFUSED. */
value value_json_object(struct value_pool *pool, const value *items, size_t length);

#endif
