/* What a program made for stress answers when it is asked (scenario/exchange.h), not run. */
#ifndef STRESS_ANSWERS_H
#define STRESS_ANSWERS_H

#include <linchpin/test.h>
#include <stddef.h>

/* Reads a request from EXCHANGE_REQUESTS and answers it; the exit status. */
int answer_request(const lp_test *tests, size_t count);

#endif
