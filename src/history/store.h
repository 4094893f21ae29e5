/* Folders in which tests leave their histories.
 *
 * A Jepsen store: store/<test>/<time>/history.edn (or history.jsonl, history.txt, each perhaps
 * packed: .gz, .zst), given whole, as one test or as one run. Links (`latest`, `current`) are not
 * followed below the folder given, so that no run counts twice, and the folders `independent` of
 * single keys are passed over: the history they were cut from is there. A run that crashed or was
 * stopped may have left its log alone.
 *
 * An etcd report: client-1/operations.json, client-2/operations.json, ... are one history. Folders
 * of reports are found as runs are. */
#ifndef HISTORY_STORE_H
#define HISTORY_STORE_H

#include "history/formats.h"

/* The files that form one input: a file with whatever histories it holds, or several files that
 * are one history. */
struct store_input {
    const char *name; /* for people: the file, or the folder of several */
    const char *const *files;
    size_t count;
};

/* Owns its texts; those of an error that store_read gave among them. */
struct store_inputs {
    struct arena arena;
    VECTOR(struct store_input) items;
    VECTOR(const char *) without; /* folders of runs that left no history */
};

/* What `path` stands for: a file, or "-", for itself; a folder for what it holds, in the order of
 * the names. STATUS_INPUT when there is no such path, the folder cannot be read, or nothing is
 * found; STATUS_LIMIT. Release the inputs whatever the status. `path` must outlive the error. */
enum status store_expand(const char *path, struct budget *budget, struct store_inputs *inputs,
                         struct error *error) MUST_CHECK;
void store_release(struct store_inputs *inputs);

/* histories_read for an input. `*hash` identifies its bytes (one file: source_hash). */
enum status store_read(const struct store_input *input, struct value_pool *pool,
                       struct budget *budget, const struct read_options *options,
                       struct histories *histories, unsigned long long *hash,
                       struct error *error) MUST_CHECK;

#endif
