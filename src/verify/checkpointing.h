/* What an assertion keeps in a folder, so that deciding it survives the end of the program: two
 * files, `NAME-INDEX.search` with the search that is going on (explore/checkpoint.h), and in its
 * place, once there is an answer, `NAME-INDEX.result`. */
#ifndef VERIFY_CHECKPOINTING_H
#define VERIFY_CHECKPOINTING_H

#include "explore/checkpoint.h"
#include "verify/assertion.h"

struct csp_assertion;
struct lin_assertion;

struct checkpointing {
    struct checkpoint search;
    struct text key, search_path, result_path;
};

/* What was found out of an assertion. */
struct kept_results {
    struct assertion_result *inner, *second; /* as api/verify.c has them */
    bool is_shorter;
    double seconds;
    uint64_t memory;
};

/* Why an assertion cannot be decided with a checkpoint: "progress"; null: it can. */
const char *checkpointing_lin_lacks(const struct lin_assertion *assertion);
const char *checkpointing_csp_lacks(const struct csp_assertion *assertion);
const char *checkpointing_options_lack(const struct assertion_options *options);

/* Appends what the search depends on, besides the model, as lines of a key. */
void checkpointing_key(const struct assertion_options *options, struct text *key);

/* Begins, in a folder, which is made if it is not there. `name` is the model's, `key` says what
 * else is searched. STATUS_USAGE: the folder cannot be made, or has something of another model of
 * that name or with another key. Release whatever the status. */
enum status checkpointing_open(struct checkpointing *checkpointing, const char *folder,
                               const char *name, uint64_t hash, size_t index,
                               const struct text *key, struct budget *budget,
                               struct error *error) MUST_CHECK;
void checkpointing_release(struct checkpointing *checkpointing);

/* Reads the answer into `results`, whose parts are initialised; *is_there. STATUS_USAGE: what is
 * there cannot be used. */
enum status checkpointing_load(const struct checkpointing *checkpointing,
                               struct kept_results *results, bool *is_there,
                               struct error *error) MUST_CHECK;

/* Keeps an answer, and nothing else any more. STATUS_USAGE: it cannot be written. */
enum status checkpointing_keep(const struct checkpointing *checkpointing,
                               const struct kept_results *results, struct error *error) MUST_CHECK;

#endif
