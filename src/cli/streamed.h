/* linchpin check of a file whose operations need not, or cannot, be in memory together. */
#ifndef CLI_STREAMED_H
#define CLI_STREAMED_H

#include "cli/run.h"

struct streamed_answer {
    lp_history *history; /* what is kept of it */
    lp_result *result;   /* about all of it */
    lp_monitor_state state;
};

void streamed_release(struct streamed_answer *answer);

/* Reads the file of a piece of work once, if it is large and the answer needs no more than the
 * verdict, and decides it by monitors that forget what is over. True: it is linearizable, and the
 * answer, which is the caller's, has all that it would have had. False: nothing is known, nothing
 * was said, and nothing is left behind. */
bool streamed_decide(struct work *work, const struct spec_choice *choice,
                     struct streamed_answer *answer);

/* Whether what memory does not hold as a whole can be decided as check --follow does: it is a file,
 * and what was asked for can be said of a part of it. */
bool streamed_can_follow(const struct work *work);

/* Decides it so, to the end of the file or until there is a violation; the answer, which is the
 * caller's, is as lp_monitor_result has it. False: that is not possible, or did not decide it, and
 * nothing is left behind. */
bool streamed_follow(struct work *work, const struct spec_choice *choice,
                     struct streamed_answer *answer);

#endif
