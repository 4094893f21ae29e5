/* The objects of tests/unit/test_online_product.c, and what can be called on them. */
#ifndef TESTS_SUPPORT_PRODUCT_KINDS_H
#define TESTS_SUPPORT_PRODUCT_KINDS_H

#include "support/object_oracle.h"

/* A call that may be made: what it is to the definition, and the operation of the specification. */
struct possible_call {
    uint8_t operation; /* enum object_operation */
    bool answers;      /* a name, a count, or whether something was done */
    uint16_t number;   /* of the operation */
    bool is_deletion;  /* writes nil */
};

#define PRODUCT_CALLS_MOST 4

struct product_kind {
    const char *name; /* of the workload */
    enum object_kind object;
    uint8_t permits, count; /* calls */
    bool with_cas, deletes;
    struct possible_call calls[PRODUCT_CALLS_MOST];
};

/* The kind of that name; fails the test where there is none. */
const struct product_kind *product_kind_find(const char *name);

#endif
