/* linchpin check of a large file whose operations need not be in memory together. */
#ifndef CLI_STREAMED_H
#define CLI_STREAMED_H

#include "cli/run.h"

/* Reads the file of a piece of work once, if it is large and the answer needs no more than the
 * verdict, and decides it by monitors that forget what is over. True: it is linearizable, and the
 * answer has all that it would have had; `*history`, which is empty, and `*result` are the
 * caller's. False: nothing is known, nothing was said, and nothing is left behind. */
bool streamed_decide(struct work *work, const struct spec_choice *choice, lp_history **history,
                     lp_result **result);

#endif
