/* A queue as a user of the library would specify it, through callbacks. */
#ifndef TESTS_SUPPORT_CUSTOM_QUEUE_H
#define TESTS_SUPPORT_CUSTOM_QUEUE_H

#include <linchpin/linchpin.h>
#include <stdatomic.h>

/* What the callbacks count; hand it to lp_spec_create_custom as `user`. All zero at first. */
struct custom_queue {
    atomic_int states;    /* alive */
    atomic_int refuse_at; /* refuse memory for a state when there are so many; 0: never */
};

extern const lp_spec_callbacks custom_queue_callbacks;

#endif
