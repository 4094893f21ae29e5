/* Petri nets: can a marking be reached that is at least one of the targets? */
#ifndef LINCHPIN_COVER_H
#define LINCHPIN_COVER_H

#include <linchpin/verify.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lp_net lp_net;

/* Reads a net from a file ("-" is standard input; gzip and zstd are unpacked): mist's format
 * (.spec), a thread transition system of bfc (.tts), whose property is read from NAME.prop, or a
 * place/transition net of PNML (.pnml), with targets as lp_net_write writes them or in NAME.target.
 * The names of these files have .prop or .target for .tts or .pnml, or behind it. LP_INPUT with the
 * first fault: its place, what was expected and what was found; below the message's first line
 * stand the line and a caret. LP_LIMIT: memory was refused, or the context was interrupted. */
LP_API lp_status lp_net_read(lp_context *context, const char *path, lp_net **net, lp_error *error);

/* The same in so many seconds (0: any number), else LP_LIMIT. */
LP_API lp_status lp_net_read_within(lp_context *context, const char *path, double timeout,
                                    lp_net **net, lp_error *error);

/* The same from memory; `name` stands in messages. Everything is copied. `property` is that of a
 * thread transition system, or has the targets of a net in PNML, as mist writes them, instead of
 * those that the net has; else null. */
LP_API lp_status lp_net_parse(lp_context *context, const char *name, const char *text,
                              size_t length, const char *property, lp_net **net, lp_error *error);

LP_API void lp_net_destroy(lp_net *net);

/* As it was given: the path, "standard input", or the name. */
LP_API const char *lp_net_name(const lp_net *net);

/* Of its text and property: tells whether a net has changed. */
LP_API uint64_t lp_net_hash(const lp_net *net);

LP_API size_t lp_net_places(const lp_net *net);
LP_API size_t lp_net_transitions(const lp_net *net);

/* Writes the net as "spec", "tts", "prop" (the target that goes with "tts") or "pnml". LP_USAGE:
 * there is no such format, or the net is too large for it. */
LP_API lp_status lp_net_write(const lp_net *net, const char *format, FILE *out, lp_error *error);

typedef enum lp_cover_verdict {
    LP_SAFE,   /* no reachable marking covers a target */
    LP_UNSAFE, /* one does */
    LP_COVER_UNKNOWN,
} lp_cover_verdict;

/* How far it is; called a few times a second. */
typedef struct lp_cover_progress {
    uint64_t explored; /* markings found so far */
    size_t memory;     /* bytes */
    double seconds;
} lp_cover_progress;

typedef struct lp_cover_options {
    size_t size;                                                     /* sizeof(lp_cover_options) */
    double timeout;                                                  /* seconds; 0: none */
    void (*progress)(void *user, const lp_cover_progress *progress); /* may be null */
    void *progress_user;
} lp_cover_options;

/* The answer. Owned by the caller; what it points to lives until lp_coverage_destroy. */
typedef struct lp_coverage {
    lp_cover_verdict verdict;
    lp_limit limit; /* why it is unknown; LP_LIMIT_NONE: see `reason` */
    const char
        *method; /* what found the answer: "forward", "backward", "pairs", "invariants"; "": none */
    const char *reason; /* one sentence */

    /* LP_COVER_UNKNOWN: what was found when a limit ended the check of what proves it, "safe, by
     * pairs"; else null. Not an answer. */
    const char *unchecked;

    uint64_t explored; /* markings */
    size_t memory;     /* bytes, at most */
    double seconds;

    /* LP_SAFE: so many markings are in the set that proves it, which has been checked. */
    size_t certificate;

    /* LP_UNSAFE: a run that covers a target, which has been replayed. Variables are places: `start`
     * has those that hold tokens; steps are transitions, all visible and of process 0. */
    bool has_execution;
    lp_execution execution;
    bool shortest; /* no run has fewer transitions */

    const lp_warning *warnings; /* a target that every marking covers */
    size_t warning_count;
} lp_coverage;

/* Decides whether a target can be covered. LP_OK whenever there is an answer, unknown included. The
 * net may belong to another context. Null options: the defaults.
 *
 *     #include <linchpin/linchpin.h>
 *     #include <stdio.h>
 *     #include <string.h>
 *
 *     static const char net_text[] = "vars idle inside free "
 *                                    "rules idle >= 1, free >= 1 ->"
 *                                    "      idle' = idle - 1, inside' = inside + 1;"
 *                                    "init idle >= 0, inside = 0, free = 1 "
 *                                    "target inside >= 2";
 *
 *     // Any number of threads, and a lock that forgets that it was taken.
 *     int main(void)
 *     {
 *         lp_context *context = lp_context_create(0);
 *         lp_net *net;
 *         lp_coverage *coverage;
 *         lp_error error;
 *         if (lp_net_parse(context, "lock", net_text, strlen(net_text), NULL, &net, &error) ||
 *             lp_cover(context, net, NULL, &coverage, &error)) {
 *             fprintf(stderr, "%s:%u: %s\n", error.file, error.line, error.message);
 *             return 2;
 *         }
 *         printf("%s: %s\n", coverage->verdict == LP_UNSAFE ? "unsafe" : "safe or unknown",
 *                coverage->reason);
 *         lp_coverage_destroy(coverage);
 *         lp_net_destroy(net);
 *         lp_context_destroy(context);
 *         return 0;
 *     }
 */
LP_API lp_status lp_cover(lp_context *context, const lp_net *net, const lp_cover_options *options,
                          lp_coverage **coverage, lp_error *error);
LP_API void lp_coverage_destroy(lp_coverage *coverage);

/* Writes what shows the verdict as lines of JSON, which linchpin-recheck reads; how many these are,
 * and of what is safe whether the set is "closed forwards" or "closed backwards". The net is the
 * one that was decided. False: the verdict is unknown. */
LP_API bool lp_coverage_prove(const lp_coverage *coverage, const lp_net *net, FILE *out,
                              const char **set, size_t *lines);

/* Fires the transitions of an execution again, from its start. *followed: how many of them can fire
 * and change what it says. *covered: a target is covered at the end. LP_INPUT: the start is no
 * initial marking of the net; LP_LIMIT: memory. */
LP_API lp_status lp_net_follow(lp_context *context, const lp_net *net,
                               const lp_execution *execution, size_t *followed, bool *covered,
                               lp_error *error);

#ifdef __cplusplus
}
#endif

#endif
