/* The register's monitor, for who knows what the operations do without their calls. */
#ifndef MONITOR_REGISTER_GIVEN_H
#define MONITOR_REGISTER_GIVEN_H

#include "monitor/decision.h"
#include "monitor/register_accesses.h"

/* Decides a part of a register of which `given` says by operation what it does, and `initial` what
 * is there before all writes (REGISTER_NO_VALUE: what nobody can read). Of the calls only the
 * operations are made use of, and only where a reason is told. No value is written twice, nor is
 * the initial one. As monitor_decide, but that the evidence is in no order. */
enum status register_decide_accesses(const struct part *part, const struct access *given,
                                     value initial, struct limits *limits,
                                     struct decision *decision) MUST_CHECK;

#endif
