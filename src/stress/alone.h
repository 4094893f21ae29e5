/* What the operations of a test answer one after the other, each in its thread, as linchpin asks
 * for it (scenario/exchange.h): the specification auto of a program made for stress. */
#ifndef STRESS_ALONE_H
#define STRESS_ALONE_H

#include <linchpin/test.h>

/* Answers questions from EXCHANGE_REQUESTS until there are no more; the exit status. */
int alone_answer(const lp_test *test);

#endif
