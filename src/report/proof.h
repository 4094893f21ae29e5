/* Certificates: what linchpin-recheck checks without us. The format is in docs/manual/proofs.md.
 *
 * Each function appends a claim with its evidence and gives null, or appends that there is no
 * certificate and gives "no certificate: WHY", which lives as long as the program. */
#ifndef REPORT_PROOF_H
#define REPORT_PROOF_H

#include <linchpin/linchpin.h>

#include "base/text.h"

/* What was asked of a history, as far as it matters for the meaning of the answer. */
struct proof_request {
    const char *initial; /* null: not given */
    bool independent, owned, knossos_nil;
    bool by_time;       /* the order of the times is meant */
    bool specification; /* in a file */
    bool parameters;    /* of the specification, others than a number */
};

const char *proof_of_history(const lp_history *history, const lp_result *result,
                             const struct proof_request *request, struct text *proof);

/* Of an automaton, that it accepts the history; null, too, where none of them does that. `inputs`
 * are the files of the automata. */
const char *proof_of_run(const lp_history *history, const lp_rules *rules,
                         const char *const *inputs, const lp_rules_run *run, struct text *proof);

const char *proof_of_net(const lp_net *net, const lp_coverage *found, struct text *proof);

/* Why there will be no certificate, whatever the answer is, "no certificate: WHY"; appended to
 * `why` as well, with the word that is not known. Null: there may be one. */
const char *proof_of_model_foreseen(const lp_model *model, const lp_assertion *assertion,
                                    struct text *why);

/* Of a `.lin` assertion that holds: every state of the implementation. They are made a second time,
 * within the limits of the context. */
const char *proof_of_model(lp_context *context, const lp_model *model,
                           const lp_assertion *assertion, const lp_verification *found,
                           struct text *proof);

/* `why`, "no certificate: WHY", about an input. */
const char *proof_of_nothing(const char *input, const char *why, struct text *proof);

/* The first line of the file, and the last one. */
void proof_begin(FILE *out);
void proof_end(size_t claims, FILE *out);

#endif
