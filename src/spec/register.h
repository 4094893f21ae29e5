/* A register: read, write. */
#ifndef SPEC_REGISTER_H
#define SPEC_REGISTER_H

#include "spec/spec.h"

enum {
    REGISTER_READ,
    REGISTER_WRITE,
};

extern const struct spec_class register_class;

/* What cas-register has in common with it. The state is one word: the value. */
enum status register_bind_read(const struct spec *spec, const struct recorded *recorded,
                               struct call *call);
bool register_init(const struct spec *spec, value key, struct outcomes *state);
bool register_rename(const struct spec *spec, const struct renaming *renaming, uint64_t *words,
                     size_t length);
void register_print_state(const struct spec *spec, const uint64_t *words, size_t length,
                          struct text *text);

#endif
