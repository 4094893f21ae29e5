/* Values as text, and back. */
#ifndef VALUE_PRINT_H
#define VALUE_PRINT_H

#include "base/status.h"
#include "base/text.h"
#include "value/value.h"

/* Appends v as EDN: nil, true, 7, 1.5, "text", :keyword, symbol, [1 2], #{1 2}, {:a 1}. What it
 * prints, value_parse_edn reads back as the same value. */
void value_print_edn(value v, struct text *text);

/* Appends v for people: as EDN, but that a symbol which EDN cannot spell stands there as it is,
 * unless it has control characters. It does not read back. */
void value_print_shown(value v, struct text *text);

/* Appends v as JSON: null, true, 7, 1.5, "text"; keywords and symbols become strings, sets become
 * arrays, maps objects (keys that are not texts are printed as EDN inside the string). */
void value_print_json(value v, struct text *text);

/* Reads one EDN value from `text`; *used is the number of bytes it took, with white space and
 * comments before it. STATUS_INPUT with what was expected and found (line counted from `line`)
 * when it is not EDN; STATUS_LIMIT when the pool refuses. Lists and vectors read alike, characters
 * (\a) as strings, tagged elements (#inst "...") as their value without the tag. Numbers beyond
 * 64 bits are read as symbols, so that no two of them become equal. */
enum status value_parse_edn(struct value_pool *pool, const char *text, size_t length, size_t *used,
                            const char *file, uint32_t line, value *result,
                            struct error *error) MUST_CHECK;

#endif
