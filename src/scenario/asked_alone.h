/* The specification auto in rounds of real threads: what the operations of a test answer one after
 * the other. A program made for stress (src/stress/alone.h) is asked, in a process of its own, as
 * far as a search needs to know: a state is the sequence of calls that were applied so far, each in
 * the thread that makes it. What has been asked is remembered, from round to round. */
#ifndef SCENARIO_ASKED_ALONE_H
#define SCENARIO_ASKED_ALONE_H

#include "base/limits.h"
#include "scenario/exchange.h"
#include "spec/spec.h"

/* spec_class.summary of all of these, the same address. */
extern const char asked_alone_summary[];

/* In front of the names of operations that wait. */
extern const char asked_alone_waits[];

/* Calls of a round, every order of which may have to be run: at most, and usually. */
enum {
    ALONE_MOST_CALLS = 12,
    ALONE_USUAL_CALLS = 9
};
_Static_assert((int)ALONE_MOST_CALLS <= (int)SCENARIO_CALLS, "they are asked about at once");

/* Of a test with so many threads, at most ALONE_MOST_CALLS. Operation i + n, where the test has n,
 * is asked_alone_waits and its name: it is legal where operation i does not return, or, with
 * LP_MAY_WAIT, answers empty or no; it changes nothing. The test must outlive the specification. */
enum status asked_alone_spec(const char *program, uint32_t number, const struct exchange_test *test,
                             unsigned threads, struct value_pool *pool, struct budget *budget,
                             struct spec **spec, struct error *error) MUST_CHECK;

/* Begins a round: what is decided next is a history whose process i, of `count`, is processes[i]:
 * the number of its thread, or that and some multiple of the number of threads. Nothing is asked
 * any more once a limit is reached. All that is passed must live until the next round begins. */
void asked_alone_begin(const struct spec *spec, const struct limits *limits, const value *processes,
                       size_t count);

/* Has all be asked anew: what is answered otherwise then is a trouble. Not within a decision. False
 * when refused. */
bool asked_alone_forget(const struct spec *spec) MUST_CHECK;

/* Why a sequence could not be run to its end; the decision is of no use then. */
enum asked_alone_trouble {
    ALONE_FINE,
    ALONE_FAULTY,   /* the code crashes with one operation after the other */
    ALONE_UNSTEADY, /* it answers otherwise when it is run again, or goes on by itself */
    ALONE_NO_ANSWER /* the program does not answer at all */
};

/* The first since the specification was made; *sentence says which, and lives as long as that. */
enum asked_alone_trouble asked_alone_trouble(const struct spec *spec, const char **sentence);

#endif
