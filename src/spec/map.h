/* A map from keys to values. */
#ifndef SPEC_MAP_H
#define SPEC_MAP_H

#include "spec/spec.h"

enum {
    MAP_PUT,
    MAP_GET,
    MAP_APPEND,
    MAP_DELETE,
    MAP_CAS,
    MAP_PUT_IF_REVISION,
};

extern const struct spec_class map_class;

#endif
