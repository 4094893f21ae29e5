/* Registers and words of the stack that hold nothing any more, in what a compiler made of a source.
 *
 * Loops that wait or try again are known by a thread that comes to an access a second time in the
 * same local state: its stack, and the registers that calls preserve (runtime/spin.h,
 * runtime/retry.h). What is written again before it is read makes no difference, but what is left
 * over in it does. So each is set to 0 before every call behind which it is dead. */
#ifndef SCENARIO_DEAD_REGISTERS_H
#define SCENARIO_DEAD_REGISTERS_H

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"

/* Appends an assembly of x86-64 (-S, AT&T syntax) with these instructions added. What it does not
 * know how to read it leaves alone. STATUS_LIMIT when memory is refused. */
enum status dead_registers_clear(const char *assembly, struct budget *budget,
                                 struct text *cleared) MUST_CHECK;

#endif
