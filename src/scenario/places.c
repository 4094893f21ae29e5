#include "scenario/places.h"

#include <stdlib.h>
#include <string.h>

/* "/home/ada/ring.c:12", perhaps with more behind it; "??:0" is not known. */
static void read_place(const char *line, size_t length, struct place *place)
{
    const char *colon = NULL;
    for (size_t i = 0; i < length; i++)
        if (line[i] == ':')
            colon = line + i;
    *place = (struct place){0};
    if (!colon || colon == line || line[0] == '?' || strtoul(colon + 1, NULL, 10) == 0)
        return;
    place->file = strndup(line, (size_t)(colon - line));
    place->line = (unsigned)strtoul(colon + 1, NULL, 10);
}

/* A header of the compiler or of the standard libraries: what std::atomic does is inlined from
 * there; clang finds it from its own place. Other libraries that stand in /usr/include may be what
 * is tested. */
static bool is_of_system(const struct place *place)
{
    static const char *const folders[] = {"/usr/lib/", "/usr/bin/../lib/", "/usr/include/c++/",
                                          "/usr/include/x86_64-linux-gnu/c++/",
                                          "/usr/include/x86_64-linux-gnu/bits/"};
    for (size_t i = 0; place->file && i < ARRAY_LENGTH(folders); i++)
        if (strncmp(place->file, folders[i], strlen(folders[i])) == 0)
            return true;
    /* What is put in front of the sources, and in place of headers (runtime/include). */
    static const char *const own[] = {"/linchpin/instrumented.h",
                                      "/linchpin/include/condition_variable"};
    size_t length = place->file ? strlen(place->file) : 0;
    for (size_t i = 0; i < ARRAY_LENGTH(own); i++)
        if (length >= strlen(own[i]) && strcmp(place->file + length - strlen(own[i]), own[i]) == 0)
            return true;
    return false;
}

/* For each address a line with it, then its place, and those that it is inlined into, inner ones
   first. The innermost one counts that is not of the system; if all are, the innermost. */
static void read_places(const char *line, struct place *places, size_t count)
{
    struct place *place = NULL;
    for (size_t seen = 0; *line;) {
        size_t length = strcspn(line, "\n");
        if (length > 2 && line[0] == '0' && line[1] == 'x') {
            if (seen == count)
                return;
            place = &places[seen++];
        } else if (place && !place->file) {
            read_place(line, length, place);
        } else if (place && is_of_system(place)) {
            struct place outer;
            read_place(line, length, &outer);
            bool better = outer.file && !is_of_system(&outer);
            free(better ? place->file : outer.file);
            if (better)
                *place = outer;
        }
        line += length + (line[length] == '\n');
    }
}

static enum status ask(const char *program, const uintptr_t *addresses, size_t count,
                       struct budget *budget, struct place *places, struct error *error)
{
    struct words words;
    struct text output = TEXT_EMPTY, list = TEXT_EMPTY;
    enum {
        WIDTH = 20
    }; /* of an address in words, the 0 behind it included */
    enum status status = STATUS_LIMIT;
    memset(places, 0, count * sizeof *places);
    for (size_t i = 0; i < count; i++) {
        text_format(&list, "0x%017lx", (unsigned long)addresses[i]);
        text_append_char(&list, 0);
    }
    words_init(&words, budget);
    bool added = words_add(&words, "addr2line", "-a", "-i", "-e", program, NULL);
    for (size_t i = 0; added && i < count; i++)
        added = words_add(&words, text_string(&list) + i * WIDTH, NULL);
    if (added)
        status = command_need(&words, &output, error);
    if (status == STATUS_OK)
        read_places(text_string(&output), places, count);
    text_release(&output);
    text_release(&list);
    words_release(&words);
    return status;
}

/* Where the function begins that an address is in; 0: not known. `symbols`: as nm lists them. */
static uintptr_t function_of(const struct text *symbols, uintptr_t address)
{
    for (const char *line = text_string(symbols); *line;) {
        const size_t length = strcspn(line, "\n");
        for (const char *at = line; at + 2 < line + length; at++)
            if (at[0] == ' ' && at[2] == ' ' && strchr("tTwW", at[1])) {
                char *rest;
                const uintptr_t start = strtoul(at + 3, &rest, 16);
                const uintptr_t size =
                    rest < line + length ? (uintptr_t)strtoul(rest, NULL, 16) : 0;
                if (address - start < size)
                    return start;
            }
        line += length + (line[length] == '\n');
    }
    return 0;
}

/* Of what is the system's and nobody says where it was inlined to, as gcc does not of all: where
 * the function begins that it is in now, if that is in a source. */
static enum status find_functions(const char *program, const uintptr_t *addresses, size_t count,
                                  struct budget *budget, struct place *places, struct error *error)
{
    struct text symbols = TEXT_EMPTY;
    enum status status = places_read_symbols(program, budget, &symbols, error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct place place = {0};
        const uintptr_t start = is_of_system(&places[i]) ? function_of(&symbols, addresses[i]) : 0;
        if (!start)
            continue;
        status = ask(program, &start, 1, budget, &place, error);
        const bool better = status == STATUS_OK && place.file && !is_of_system(&place);
        free(better ? places[i].file : place.file);
        if (better)
            places[i] = place;
    }
    text_release(&symbols);
    return status;
}

enum status places_find(const char *program, const void *const *addresses, size_t count,
                        struct budget *budget, struct place *places, struct error *error)
{
    VECTOR(uintptr_t) asked;
    bool is_known = true;
    vector_init(&asked, budget);
    memset(places, 0, count * sizeof *places);
    if (count == 0)
        return STATUS_OK;
    enum status status = granted(vector_reserve(&asked, count));
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        const uintptr_t address = (uintptr_t)addresses[i];
        asked.items[i] = address ? address - 1 : 0;
    }
    if (status == STATUS_OK)
        status = ask(program, asked.items, count, budget, places, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        is_known = is_known && !is_of_system(&places[i]);
    if (status == STATUS_OK && !is_known)
        status = find_functions(program, asked.items, count, budget, places, error);
    vector_release(&asked);
    return status;
}

void places_release(struct place *places, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(places[i].file);
}

enum status places_read_symbols(const char *program, struct budget *budget, struct text *symbols,
                                struct error *error)
{
    struct words words;
    enum status status = STATUS_LIMIT;
    words_init(&words, budget);
    if (words_add(&words, "nm", "-P", "--demangle", "--defined-only", program, NULL))
        status = command_need(&words, symbols, error);
    words_release(&words);
    return status;
}

/* Each line: a name, which may have blanks, a letter, the address, and the size if there is one. */
bool places_name(const struct text *symbols, const void *address, struct text *name)
{
    for (const char *line = text_string(symbols); *line;) {
        size_t length = strcspn(line, "\n");
        const char *end = line + length, *letter = NULL;
        for (const char *at = line; at + 2 < end; at++)
            if (at[0] == ' ' && at[2] == ' ' && strchr("bBdDrRvVuGgsS", at[1]))
                letter = at + 1;
        if (letter) {
            char *rest;
            uintptr_t start = strtoul(letter + 2, &rest, 16);
            uintptr_t size = rest < end ? strtoul(rest, NULL, 16) : 0;
            uintptr_t offset = (uintptr_t)address - start;
            if (offset < size) {
                text_append_bytes(name, line, (size_t)(letter - 1 - line));
                if (offset)
                    text_format(name, "+%lu", (unsigned long)offset);
                return true;
            }
        }
        line = end + (*end == '\n');
    }
    return false;
}
