/* The options of all commands, from one table: it makes the parser, --help, the completions of
 * shells and the tests of the manual. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/terminal.h"

enum command_bit {
    FOR_CHECK = 1,
    FOR_CONVERT = 2,
    FOR_REPLAY = 4,
    FOR_SPECS = 8,
    FOR_VERIFY = 16,
    FOR_SIMULATE = 32,
    FOR_GRAPH = 64,
    FOR_TEST = 128,
    FOR_FMT = 256,
    FOR_COVER = 512,
    FOR_RULES = 1024,
    FOR_LSP = 2048,
    FOR_STRESS = 4096,
    FOR_COMPILERS = 8192, /* cc and c++: none of the options */
    FOR_ALL = 8191,
    FOR_SOURCES = FOR_STRESS | FOR_TEST, /* what stands behind -- is for compilers */
};

struct ranks;

/* What the user asked for. Texts are those of argv. */
struct options {
    bool help, version, json, all, quiet, no_progress;
    unsigned verbose; /* how often */
    bool independent, owned, knossos_nil, witness, list, guided, has_seed, normal, expect, github,
        check, matched, in_turn, examples, draw, write, made, has_random, follow;
    const char *junit, *html, *sarif, *trace, *initial, *results, *method, *format, *to, *output,
        *reduce, *search, *engine, *fairness, *along, *ltl, *words, *order, *on, *log, *scenario,
        *schedule, *memory_model, *races, *checkpoint, *metrics, *proof;
    const char **specs; /* owned */
    size_t spec_count;
    double timeout, total_timeout; /* seconds; 0: none */
    double window, late;           /* seconds of a log's times; 0: not given */
    size_t memory;                 /* bytes; 0: the default */
    size_t jobs;                   /* threads; 0: one per core */
    uint64_t seed;                 /* where has_seed */
    size_t steps, max_states;      /* 0: the default */
    size_t bound;                  /* operations; 0: the default */
    size_t require, keep;          /* operations */
    size_t keep_bytes;             /* in place of `keep` */
    size_t random;                 /* histories, where has_random */
    int colour;                    /* enum colour_choice */
    size_t threads, calls;         /* of stress, of the scenarios of test; 0: the default */
    size_t rounds;                 /* 0: until the time is up */
    size_t widening;               /* nanoseconds; 0: fenced stamps */
    bool no_yield, confirm, self_check;
    bool bitstate, swarm, stats;
    bool mpi, sandbox;
    struct ranks *ranks; /* with --mpi, not owned; else null */
    const char *test;
    char **operands; /* in argv */
    size_t operand_count;
    char **flags; /* for compilers: what stands behind -- */
    size_t flag_count;
};

struct command {
    const char *name, *operands, *summary;
    enum command_bit bit;
    size_t least_operands, most_operands;
    int (*run)(const struct options *options); /* returns the exit status */
    const char *examples;                      /* below the help: lines of them, or null */
};

/* Parses what follows the command's name; `argv[0]` is that name. Operands and options may be
 * mixed; behind `--` everything is an operand. False after a message on standard error. */
bool options_parse(const struct command *command, int argc, char **argv, struct options *options);
void options_release(struct options *options);

/* Whether the command has an option of that name. */
bool options_has(const struct command *command, const char *name);

/* Writes the command's usage and the help of its options; 0, or the errno with which a part of it
 * could not be written: a later flush would know of none. */
int options_help(const struct command *command, FILE *out);

/* What an option's argument may be. */
enum option_argument {
    ARGUMENT_NONE,
    ARGUMENT_PLAIN,         /* a number, a time, a text */
    ARGUMENT_FILE,          /* one to be read or written */
    ARGUMENT_CHOICE,        /* one of the choices */
    ARGUMENT_CHOICES,       /* some of them, separated by commas */
    ARGUMENT_SPECIFICATION, /* a built-in one, or FILE.lin:NAME */
};

/* A row of the table. Texts live as long as the program. */
struct option_described {
    const char *name, *argument, *help;
    char letter; /* 0: none */
    enum option_argument takes;
    const char *const *choices; /* ends with null; null unless there are any */
};

/* The option of the command with that index, in the order of its help; false behind the last. */
bool options_describe(const struct command *command, size_t index, struct option_described *option);

#endif
