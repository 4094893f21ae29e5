/* A register with compare and swap: read, write, cas. */
#ifndef SPEC_CAS_REGISTER_H
#define SPEC_CAS_REGISTER_H

#include "spec/spec.h"

enum {
    CAS_REGISTER_READ,
    CAS_REGISTER_WRITE,
    CAS_REGISTER_CAS,
};

extern const struct spec_class cas_register_class;

#endif
