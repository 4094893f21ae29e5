/* The words of the frames of functions, of an assembly: which of them each instruction reads and
 * writes, where that is known.
 *
 * It is of functions that take their frame from the stack once, find it by %rsp, and give the
 * address of a word of it to nobody but the callbacks of plain accesses, which do not access it,
 * and those of compare-exchanges, which read what is expected there. No other pointer leads into
 * the frame then. All other calls read all of it, for their arguments may be there. */
#ifndef SCENARIO_FRAME_WORDS_H
#define SCENARIO_FRAME_WORDS_H

#include "scenario/assembly.h"

enum {
    FRAME_WORD = 4, /* bytes */
    FRAME_WORDS = 64
};

/* Sets of each instruction of a function what it does with words of its frame, and which of them
 * may be set in front of it, if it is a call. Of others that are read, and none may. */
void frame_words_find(struct assembly *listing, const struct function *function);

#endif
