/* Entries are found by halving; one that is the initial cell again is taken out. */
#include "spec/keyed.h"

#include <assert.h>
#include <string.h>

#include "value/print.h"

#define ENTRY KEYED_ENTRY

value keyed_initial(const struct spec *spec, value key)
{
    if (value_kind_of(spec->initial) != KIND_MAP)
        return spec->initial;
    size_t length;
    const value *items = value_get_items(spec->initial, &length);
    for (size_t i = 0; i < length; i += 2)
        if (items[i] == key)
            return items[i + 1];
    const char *letters = value_get_text(key, NULL);
    for (size_t i = 0; letters && i < length; i += 2)
        if (value_text_is(items[i], letters))
            return items[i + 1];
    return VALUE_NIL;
}

bool keyed_init(const struct spec *spec, value key, struct outcomes *state)
{
    uint64_t words[2] = {key, keyed_initial(spec, key)};
    return outcomes_add(state, words, key == VALUE_NIL ? 1 : 2, VALUE_NIL);
}

static bool of_one_key(const uint64_t *words)
{
    return words[0] != VALUE_NIL;
}

/* The place of the key's entry, or where it belongs. */
static size_t find(const uint64_t *words, size_t length, value key, bool *present)
{
    size_t low = 0, high = (length - 1) / ENTRY;
    *present = false;
    while (low < high && !*present) {
        size_t middle = low + (high - low) / 2;
        int order = value_compare(words[1 + middle * ENTRY], key);
        *present = order == 0;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return 1 + (*present ? high : low) * ENTRY;
}

struct cell keyed_get(const struct spec *spec, const uint64_t *words, size_t length, value key)
{
    if (of_one_key(words)) {
        assert(words[0] == key);
        return (struct cell){words[1], length == 3 ? words[2] : 0};
    }
    bool present;
    size_t place = find(words, length, key, &present);
    if (present)
        return (struct cell){words[place + 1], words[place + 2]};
    return (struct cell){keyed_initial(spec, key), 0};
}

size_t keyed_set(const struct spec *spec, uint64_t *words, size_t length, value key,
                 struct cell cell)
{
    uint64_t entry[ENTRY] = {key, cell.value, cell.stamp};
    if (of_one_key(words)) {
        length = cell.stamp ? 3 : 2;
        memcpy(words, entry, length * sizeof *words);
        return length;
    }
    bool present, wanted = cell.stamp || cell.value != keyed_initial(spec, key);
    size_t place = find(words, length, key, &present);
    size_t old_size = present ? ENTRY : 0, new_size = wanted ? ENTRY : 0;
    memmove(words + place + new_size, words + place + old_size,
            (length - place - old_size) * sizeof *words);
    memcpy(words + place, entry, new_size * sizeof *words);
    return length - old_size + new_size;
}

void keyed_print_state(const struct spec *spec, const uint64_t *words, size_t length,
                       struct text *text)
{
    (void)spec;
    size_t first = of_one_key(words) ? 0 : 1;
    text_append_char(text, '{');
    for (size_t i = first; i < length; i += ENTRY) {
        if (i > first)
            text_append(text, ", ");
        value_print_edn(words[i], text);
        text_append_char(text, ' ');
        value_print_edn(words[i + 1], text);
    }
    text_append_char(text, '}');
}

void keyed_find_values(const struct spec *spec, const uint64_t *words, size_t length, bool *values)
{
    (void)spec;
    size_t first = of_one_key(words) ? 0 : 1;
    for (size_t i = 0; i < length; i++)
        values[i] = i < first || (i - first) % ENTRY != 2;
}
