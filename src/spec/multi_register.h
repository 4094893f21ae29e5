/* Several registers: txn, read, write. */
#ifndef SPEC_MULTI_REGISTER_H
#define SPEC_MULTI_REGISTER_H

#include "spec/spec.h"

enum {
    MULTI_REGISTER_TXN,
    MULTI_REGISTER_READ,
    MULTI_REGISTER_WRITE,
};

extern const struct spec_class multi_register_class;

#endif
