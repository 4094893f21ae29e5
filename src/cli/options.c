#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggestion.h"
#include "base/utf8.h"
#include "cli/quantities.h"

/* How an option's argument is read, and so what stands at its offset in struct options. */
enum kind {
    KIND_FLAG,    /* bool */
    KIND_TIMES,   /* unsigned: how often it is given */
    KIND_TEXT,    /* const char * */
    KIND_LIST,    /* specs, spec_count */
    KIND_TIME,    /* double */
    KIND_SIZE,    /* size_t */
    KIND_COUNT,   /* size_t, threads */
    KIND_STEPS,   /* size_t */
    KIND_KEEP,    /* likewise, or keep_bytes */
    KIND_SEED,    /* uint64_t, and has_seed */
    KIND_RANDOM,  /* size_t, and has_random */
    KIND_COLOUR,  /* int */
    KIND_RESULTS, /* from here on const char *, one of `choices` */
    KIND_METHOD,
    KIND_SEARCH,
    KIND_ENGINE,
    KIND_LINEARIZING,
    KIND_FAIRNESS,
    KIND_WORDS,
    KIND_ORDER,
    KIND_MEMORY_MODEL,
    KIND_RACES,
    KIND_FILE, /* from here on const char *, which the command looks at itself */
    KIND_HISTORY_FORMAT,
    KIND_GRAPH_FORMAT,
    KIND_NET_FORMAT,
    KIND_REDUCTIONS,
};

struct option_row {
    const char *name;
    char letter; /* 0: none */
    const char *argument;
    unsigned commands;
    enum kind kind;
    size_t offset;
    const char *help;
};

#define AT(member) offsetof(struct options, member)

static const char *const colours[] = {"auto", "always", "never", NULL};

#define FORMATS "json, edn, jepsen-text, porcupine-kv, porcupine-operations, etcd, limo, tla"

/* The texts that an option takes, and how they are named when another one is found; null where the
 * command says that. */
static const struct {
    const char *names[14], *expected;
} choices[] = {
    [KIND_RESULTS] = {{"keyed", "plain"}, "keyed or plain"},
    [KIND_METHOD] = {{"auto", "monitor", "search", "definition"},
                     "auto, monitor, search or definition"},
    [KIND_SEARCH] = {{"auto", "breadth", "depth"}, "auto, breadth or depth"},
    [KIND_ENGINE] = {{"auto", "native", "bytecode"}, "auto, native or bytecode"},
    [KIND_LINEARIZING] = {{"refinement", "automata"}, "refinement or automata"},
    [KIND_FAIRNESS] = {{"none", "event-weak", "event-strong", "process-weak", "process-strong",
                        "global", "weak", "strong"},
                       "none, weak, strong, event-weak, event-strong, process-weak, "
                       "process-strong or global"},
    [KIND_WORDS] = {{"strict", "exact", "closure"}, "strict, exact or closure"},
    [KIND_ORDER] = {{"file", "time"}, "file or time"},
    [KIND_MEMORY_MODEL] = {{"rc11", "tso", "sc"}, "rc11, tso or sc"},
    [KIND_RACES] = {{"report", "relaxed"}, "report or relaxed"},
    [KIND_HISTORY_FORMAT] = {{"json", "edn", "jepsen-text", "porcupine-kv", "porcupine-operations",
                              "etcd", "limo", "tla"},
                             NULL},
    [KIND_GRAPH_FORMAT] = {{"dot", "json", "aut", "hoa", "svg", "png", "pdf"}, NULL},
    [KIND_NET_FORMAT] = {{"spec", "tts", "prop", "pnml"}, NULL},
    [KIND_REDUCTIONS] = {{"none", "default", "paper", "intervals", "partial-order", "symmetry",
                          "antichain", "slice", "write-once", "pure-iterations", "stale-reads",
                          "dead-fields", "decided-steps", "sticky-fields"},
                         NULL},
};

/* In the order of the help. */
static const struct option_row rows[] = {
    {"spec", 's', "[OBJECT=]NAME", FOR_CHECK, KIND_LIST, AT(specs),
     "the specification to check against, such as queue or 'semaphore(3)' (see linchpin specs), or "
     "one of your own, FILE.lin:NAME; once for each object of a history with several"},
    {"spec", 's', "NAME", FOR_RULES, KIND_LIST, AT(specs),
     "the automata that come with the program for a specification, such as queue or "
     "'semaphore(2)'; with --in-turn those for operations that are pending"},
    {"initial", 0, "VALUE", FOR_CHECK, KIND_TEXT, AT(initial),
     "the object's starting value, in EDN: 0, [1 2], {x 0 y 1}"},
    {"independent", 0, NULL, FOR_CHECK, KIND_FLAG, AT(independent),
     "values are [key value], and each key is an object of its own"},
    {"results", 0, "KIND", FOR_CHECK, KIND_RESULTS, AT(results),
     "how the gets of a map answer: keyed ([key value]) or plain (the value); without it the "
     "answers tell"},
    {"owned", 0, NULL, FOR_CHECK, KIND_FLAG, AT(owned),
     "a mutex may be released only by the process that holds it"},
    {"knossos-nil", 0, NULL, FOR_CHECK, KIND_FLAG, AT(knossos_nil),
     "a read that returned nil agrees with any state, as Knossos has it"},
    {"method", 0, "METHOD", FOR_CHECK, KIND_METHOD, AT(method),
     "auto, monitor (near-linear, for unique values), search, or definition (for teaching)"},
    {"format", 'f', "FORMAT", FOR_CHECK | FOR_CONVERT | FOR_RULES, KIND_HISTORY_FORMAT, AT(format),
     "the input's format, where it is not recognised: " FORMATS},
    {"order", 0, "ORDER", FOR_CHECK | FOR_CONVERT, KIND_ORDER, AT(order),
     "the order of the events where times stand beside them: file, or time"},
    {"require", 0, "N", FOR_CHECK, KIND_STEPS, AT(require),
     "a history of fewer than N operations is an error"},
    {"follow", 0, NULL, FOR_CHECK, KIND_FLAG, AT(follow),
     "the file, or pipe, is still being written: tell a violation as soon as it is certain, in the "
     "memory of what is still open; SIGTERM ends it with an answer about what was seen"},
    {"keep", 0, "N", FOR_CHECK, KIND_KEEP, AT(keep),
     "with --follow keep N operations, 1,000 unless given, or so many bytes of them (a "
     "size such as 64M), to tell a violation by"},
    {"window", 0, "TIME", FOR_CHECK, KIND_TIME, AT(window),
     "with --follow take the events of all logs in the order of their times, in nanoseconds; in a "
     "log one may stand behind another that is later by TIME, 1s unless given with several logs"},
    {"late", 0, "TIME", FOR_CHECK, KIND_TIME, AT(late),
     "with --follow take operations that run for longer, by the logs' times, as pending, and judge "
     "no answer that comes later than that"},
    {"metrics", 0, "FILE", FOR_CHECK, KIND_FILE, AT(metrics),
     "with --follow write how far it is to FILE, once a second, in Prometheus' text format"},
    {"checkpoint", 0, "FILE", FOR_CHECK, KIND_FILE, AT(checkpoint),
     "with --follow keep in FILE, now and then, all that the answer depends on: the same command "
     "goes on from there, whatever ended it"},
    {"to", 't', "FORMAT", FOR_CONVERT, KIND_HISTORY_FORMAT, AT(to),
     "the format to write, json unless given: " FORMATS},
    {"to", 't', "FORMAT", FOR_GRAPH, KIND_GRAPH_FORMAT, AT(to),
     "what to write: dot, json, aut (of a formula hoa), or with graphviz svg, png, pdf; unless "
     "given what FILE ends with, else dot"},
    {"to", 't', "FORMAT", FOR_COVER, KIND_NET_FORMAT, AT(to),
     "write the net as spec, tts, prop (what goes with tts) or pnml; nothing is decided"},
    {"draw", 0, NULL, FOR_RULES, KIND_FLAG, AT(draw),
     "write the automata in DOT, for graphviz; nothing is compared"},
    {"write", 0, NULL, FOR_RULES, KIND_FLAG, AT(write),
     "write the automata as blocks of a .lin file; nothing is compared"},
    {"made", 0, NULL, FOR_RULES, KIND_FLAG, AT(made),
     "the automata that are made from the rules of FILE.lin, in place of those that it has"},
    {"output", 'o', "FILE", FOR_CONVERT | FOR_GRAPH | FOR_COVER | FOR_RULES, KIND_FILE, AT(output),
     "write to FILE instead of standard output"},
    {"reduce", 'r', "LIST", FOR_VERIFY, KIND_REDUCTIONS, AT(reduce),
     "none (the full product), paper, or some of intervals, partial-order, symmetry, antichain, "
     "slice, write-once, pure-iterations, stale-reads, dead-fields, decided-steps, sticky-fields, "
     "separated by commas, default for all of these; default unless given"},
    {"search", 0, "ORDER", FOR_VERIFY, KIND_SEARCH, AT(search),
     "breadth (short counterexamples), depth, or auto (the default): breadth, and depth in turn "
     "with it once four million states gave no answer"},
    {"bitstate", 0, NULL, FOR_VERIFY, KIND_FLAG, AT(bitstate),
     "store no states, only three bits of each, and so miss some: finds violations in models that "
     "are too large to be searched, and proves nothing"},
    {"swarm", 0, NULL, FOR_VERIFY, KIND_FLAG, AT(swarm),
     "likewise 256 small searches (with --timeout as many as there is time for), each in a random "
     "order of its own, on --jobs threads"},
    {"engine", 0, "ENGINE", FOR_VERIFY, KIND_ENGINE, AT(engine),
     "what takes the steps of .lin implementations: native (C that the system's compiler has made "
     "of them, where there is one), bytecode, or auto (the default): bytecode, and native once a "
     "search is long enough to pay for it"},
    {"stats", 0, NULL, FOR_VERIFY, KIND_FLAG, AT(stats),
     "say what searches were made of: levels, what each reduction left out, what the specification "
     "was asked, bytes of each table"},
    {"checkpoint", 0, "DIR", FOR_VERIFY, KIND_FILE, AT(checkpoint),
     "keep searches in this folder now and then, and answers: the same command goes on from there, "
     "whatever ended it"},
    {"method", 0, "METHOD", FOR_VERIFY, KIND_LINEARIZING, AT(method),
     "how linearizes in .lin is decided: refinement (of all that the specification can do; the "
     "default) or automata (those that accept its violations, with any values)"},
    {"fairness", 0, "KIND", FOR_VERIFY, KIND_FAIRNESS, AT(fairness),
     "the runs that temporal formulas (|=, in .lin satisfies) are about: none (all of them; the "
     "default), event-weak, event-strong, process-weak or just weak, process-strong or just "
     "strong, global; what an assertion in .lin says itself comes first"},
    {"bound", 'b', "N", FOR_RULES, KIND_STEPS, AT(bound),
     "compare all histories of at most N operations, 1 to 8, 4 unless given"},
    {"random", 0, "N", FOR_RULES, KIND_RANDOM, AT(random),
     "compare N random histories of 8 to 12 operations besides, 5000 unless given"},
    {"seed", 0, "N", FOR_RULES, KIND_SEED, AT(seed),
     "the same number, the same random histories; 1 unless given"},
    {"on", 0, "HISTORY", FOR_RULES, KIND_FILE, AT(on),
     "run the automata on a recorded history, in any format that check reads, instead"},
    {"matched", 0, NULL, FOR_RULES, KIND_FLAG, AT(matched),
     "only histories in which each value is added once and removed once, up to renaming"},
    {"in-turn", 0, NULL, FOR_RULES, KIND_FLAG, AT(in_turn),
     "only histories of clients that acquire and release in turn, a mutex or a semaphore"},
    {"words", 0, "WORDS", FOR_RULES, KIND_WORDS, AT(words),
     "what the automata read of a history: exact (one word), closure (calls may come earlier, "
     "returns later) or strict (of those not linearizable one word, of others all; the "
     "default)"},
    {"examples", 'e', NULL, FOR_RULES, KIND_FLAG, AT(examples),
     "show for each automaton a history that it accepts"},
    {"scenario", 0, "CALLS", FOR_TEST, KIND_TEXT, AT(scenario),
     "the calls of each thread, as in 'push 1; pop | pop'; unless given every scenario of two "
     "threads with up to 7 calls, of three with up to 6, and of one with up to 3"},
    {"schedule", 0, "STEPS", FOR_TEST, KIND_TEXT, AT(schedule),
     "run one execution of the --scenario again, as a violation tells it"},
    {"memory-model", 0, "MODEL", FOR_TEST, KIND_MEMORY_MODEL, AT(memory_model),
     "rc11 (that of C11 and C++; the default), tso (that of x86) or sc (sequential consistency)"},
    {"races", 0, "HOW", FOR_TEST, KIND_RACES, AT(races),
     "data races are reported (report, the default), or their plain accesses are taken as relaxed "
     "atomic ones (relaxed), and the answer names them"},
    {"self-check", 0, NULL, FOR_TEST, KIND_FLAG, AT(self_check),
     "run every execution twice and compare, in place of one in a hundred, and see that none is "
     "met twice"},
    {"list", 'l', NULL, FOR_TEST | FOR_STRESS, KIND_FLAG, AT(list), "list the tests, run none"},
    {"list", 'l', NULL, FOR_VERIFY, KIND_FLAG, AT(list), "list the assertions, decide none"},
    {"check", 'c', NULL, FOR_FMT, KIND_FLAG, AT(check),
     "change nothing; list the files that are not laid out so, and exit with 1 if there are any"},
    {"guided", 'g', NULL, FOR_SIMULATE, KIND_FLAG, AT(guided),
     "choose each step yourself, from a list"},
    {"threads", 0, "N", FOR_TEST, KIND_STEPS, AT(threads),
     "in place of these every scenario of at most N threads, with up to 7 calls by two, 6 by more"},
    {"ops", 0, "N", FOR_TEST, KIND_STEPS, AT(calls),
     "every scenario of at most N calls in all, by up to three threads unless --threads is given"},
    {"threads", 0, "N", FOR_STRESS, KIND_STEPS, AT(threads), "N threads at once, 3 unless given"},
    {"ops", 0, "N", FOR_STRESS, KIND_STEPS, AT(calls),
     "N operations of each thread in a round, 8 unless given"},
    {"rounds", 0, "N", FOR_STRESS, KIND_STEPS, AT(rounds),
     "N rounds of each test; unless given until the time is up"},
    {"seed", 0, "N", FOR_STRESS, KIND_SEED, AT(seed),
     "the same number, the same operations, arguments and times of giving way; unless given "
     "another one each time"},
    {"test", 0, "NAME", FOR_STRESS | FOR_TEST, KIND_TEXT, AT(test), "only the test of that name"},
    {"no-yield", 0, NULL, FOR_STRESS, KIND_FLAG, AT(no_yield),
     "never give way at atomic accesses: the code runs as the compiler makes it"},
    {"widen", 0, "NS", FOR_STRESS, KIND_STEPS, AT(widening),
     "plain time stamps, every operation widened by NS nanoseconds at both ends, in place of "
     "fenced ones"},
    {"confirm", 0, NULL, FOR_STRESS, KIND_FLAG, AT(confirm),
     "with --widen: look for a violation that was found with fenced stamps, too, from its round "
     "on; "
     "what does not show then is unknown"},
    {"history", 0, "FILE", FOR_STRESS, KIND_FILE, AT(output),
     "write the history of the round with the violation to FILE"},
    {"steps", 'n', "N", FOR_SIMULATE, KIND_STEPS, AT(steps),
     "take N steps at random, 100 unless given (0 behind --along)"},
    {"seed", 0, "N", FOR_SIMULATE, KIND_SEED, AT(seed),
     "the same number, the same random walk; unless given another one each time"},
    {"along", 0, "FILE", FOR_SIMULATE, KIND_FILE, AT(along),
     "first take the steps of a trace that linchpin verify kept"},
    {"normal", 'N', NULL, FOR_GRAPH, KIND_FLAG, AT(normal),
     "group the states into normalised states: those that one visible trace can lead to"},
    {"ltl", 0, "FORMULA", FOR_GRAPH, KIND_TEXT, AT(ltl),
     "draw the Büchi automaton of a formula of linear temporal logic instead of a model"},
    {"max-states", 0, "N", FOR_GRAPH, KIND_STEPS, AT(max_states),
     "follow the steps of at most N states, 10000 unless given"},
    {"all", 'a', NULL, FOR_CHECK, KIND_FLAG, AT(all),
     "find every key and object at fault, not only the first"},
    {"expect", 0, NULL, FOR_VERIFY, KIND_FLAG, AT(expect),
     "compare the verdicts with the comments `// expect: holds` (violated, unknown) behind the "
     "assertions, of which those without are to hold; exit with 0 if all are as expected, 1 if "
     "one is not, 3 if one was not reached"},
    {"witness", 'w', NULL, FOR_CHECK, KIND_FLAG, AT(witness),
     "show the order that makes a history linearizable"},
    {"json", 0, NULL,
     FOR_CHECK | FOR_COVER | FOR_SPECS | FOR_TEST | FOR_VERIFY | FOR_SIMULATE | FOR_RULES |
         FOR_STRESS | FOR_REPLAY,
     KIND_FLAG, AT(json), "write one JSON object on one line for each result"},
    {"junit", 0, "FILE", FOR_CHECK | FOR_COVER | FOR_TEST | FOR_VERIFY | FOR_STRESS, KIND_FILE,
     AT(junit), "write the results to FILE as JUnit XML"},
    {"html", 0, "FILE", FOR_CHECK | FOR_COVER | FOR_TEST | FOR_VERIFY | FOR_STRESS | FOR_RULES,
     KIND_FILE, AT(html), "write the results to FILE as a page for a browser"},
    {"sarif", 0, "FILE", FOR_CHECK | FOR_COVER | FOR_TEST | FOR_VERIFY | FOR_STRESS, KIND_FILE,
     AT(sarif), "write what is wrong to FILE as SARIF 2.1.0, for tools that show it in the source"},
    {"github", 0, NULL, FOR_CHECK | FOR_COVER | FOR_TEST | FOR_VERIFY | FOR_STRESS, KIND_FLAG,
     AT(github), "say on standard error what is wrong as workflow commands of GitHub, too"},
    {"trace", 0, "FILE", FOR_CHECK | FOR_COVER | FOR_TEST | FOR_VERIFY, KIND_FILE, AT(trace),
     "write the first violation to FILE, for linchpin replay"},
    {"proof", 0, "FILE", FOR_CHECK | FOR_COVER | FOR_RULES | FOR_VERIFY, KIND_FILE, AT(proof),
     "write certificates of the answers to FILE, for linchpin-recheck"},
    {"timeout", 0, "TIME",
     FOR_CHECK | FOR_COVER | FOR_CONVERT | FOR_REPLAY | FOR_TEST | FOR_VERIFY | FOR_GRAPH |
         FOR_RULES,
     KIND_TIME, AT(timeout),
     "give up on a history, assertion or scenario after TIME: 500ms, 30s, 5m, 2h"},
    {"timeout", 0, "TIME", FOR_LSP, KIND_TIME, AT(timeout),
     "give up on an assertion after TIME, 1m unless given: 500ms, 30s, 5m, 2h"},
    {"timeout", 0, "TIME", FOR_STRESS, KIND_TIME, AT(timeout),
     "run each test for TIME, 10s unless given"},
    {"total-timeout", 0, "TIME", FOR_CHECK | FOR_COVER | FOR_TEST | FOR_VERIFY, KIND_TIME,
     AT(total_timeout), "give up on all that is left after TIME"},
    {"memory", 'm', "SIZE",
     FOR_CHECK | FOR_COVER | FOR_CONVERT | FOR_REPLAY | FOR_TEST | FOR_VERIFY | FOR_SIMULATE |
         FOR_GRAPH | FOR_FMT | FOR_RULES | FOR_STRESS,
     KIND_SIZE, AT(memory),
     "use at most SIZE bytes of memory: 512M, 4G; 9/10 of the machine's unless given"},
    {"memory", 'm', "SIZE", FOR_LSP, KIND_SIZE, AT(memory),
     "use at most SIZE bytes of memory for an assertion: 512M, 4G; 1G unless given"},
    {"jobs", 'j', "N",
     FOR_CHECK | FOR_COVER | FOR_CONVERT | FOR_REPLAY | FOR_TEST | FOR_VERIFY | FOR_RULES,
     KIND_COUNT, AT(jobs), "use N threads; one per core unless given"},
    {"mpi", 0, NULL, FOR_CHECK | FOR_TEST | FOR_VERIFY, KIND_FLAG, AT(mpi),
     "share the work with the other ranks that mpirun has started; rank 0 answers"},
    {"sandbox", 0, NULL,
     FOR_CHECK | FOR_COVER | FOR_CONVERT | FOR_VERIFY | FOR_SIMULATE | FOR_GRAPH | FOR_FMT |
         FOR_RULES,
     KIND_FLAG, AT(sandbox),
     "first give up, with seccomp, all that this needs not: other programs, the network, and "
     "unless an option names a file to be written, writing to files"},
    {"quiet", 'q', NULL,
     FOR_CHECK | FOR_COVER | FOR_REPLAY | FOR_TEST | FOR_VERIFY | FOR_RULES | FOR_STRESS, KIND_FLAG,
     AT(quiet), "one line for each result, without explanation or summary"},
    {"verbose", 'v', NULL,
     FOR_CHECK | FOR_COVER | FOR_CONVERT | FOR_TEST | FOR_VERIFY | FOR_SIMULATE | FOR_GRAPH |
         FOR_RULES | FOR_STRESS,
     KIND_TIMES, AT(verbose),
     "say on standard error what is being done; twice: each step of the log, there or in its file"},
    {"log", 0, "FILE",
     FOR_CHECK | FOR_COVER | FOR_TEST | FOR_VERIFY | FOR_SIMULATE | FOR_GRAPH | FOR_RULES,
     KIND_FILE, AT(log), "write to FILE (-: standard error) what the engines do, line by line"},
    {"color", 0, "WHEN",
     FOR_CHECK | FOR_COVER | FOR_REPLAY | FOR_SPECS | FOR_TEST | FOR_VERIFY | FOR_SIMULATE |
         FOR_RULES | FOR_STRESS,
     KIND_COLOUR, AT(colour), "auto (on a terminal, unless NO_COLOR is set), always, never"},
    {"no-progress", 0, NULL, FOR_CHECK | FOR_COVER | FOR_TEST | FOR_VERIFY, KIND_FLAG,
     AT(no_progress), "draw no progress line on the terminal"},
    {"help", 'h', NULL, FOR_ALL, KIND_FLAG, AT(help), "show this help"},
    {"version", 'V', NULL, FOR_ALL, KIND_FLAG, AT(version), "show the version"},
};

/* The headings of the help: each stands above the first option of the command from here on. */
static const struct {
    const char *first, *title;
} sections[] = {
    {"spec", "Input and specification"},
    {"to", "Output"},
    {"reduce", "Exploration"},
    {"bound", "What is compared"},
    {"guided", "The walk"},
    {"normal", "What is drawn"},
    {"all", "Results"},
    {"timeout", "Limits"},
    {"quiet", "Other"},
};

static int find_choice(const char *const *names, const char *text)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], text) == 0)
            return i;
    return -1;
}

/* Takes the argument; null, or what was expected instead. */
static const char *take(const struct option_row *row, const char *argument, struct options *options)
{
    void *place = (char *)options + row->offset;
    uint64_t number;
    switch (row->kind) {
    case KIND_FLAG:
        *(bool *)place = true;
        return NULL;
    case KIND_TIMES:
        ++*(unsigned *)place;
        return NULL;
    case KIND_TEXT:
    case KIND_FILE:
    case KIND_HISTORY_FORMAT:
    case KIND_GRAPH_FORMAT:
    case KIND_NET_FORMAT:
    case KIND_REDUCTIONS:
        *(const char **)place = argument;
        return *argument ? NULL : "a text that is not empty";
    case KIND_LIST:
        options->specs[options->spec_count++] = argument;
        return *argument ? NULL : "the name of a specification";
    case KIND_TIME:
        return quantity_read_time(argument, place) ? NULL
                                                   : "a time such as 100us, 500ms, 30s, 5m or 2h";
    case KIND_SIZE:
        return quantity_read_size(argument, place) ? NULL : "a size such as 512M or 4G";
    case KIND_COUNT:
        if (!quantity_read_number(argument, 1, 1024, &number))
            return "a number from 1 to 1024";
        *(size_t *)place = number;
        return NULL;
    case KIND_STEPS:
        if (!quantity_read_number(argument, 1, 1000000000, &number))
            return "a number from 1 to 1000000000";
        *(size_t *)place = number;
        return NULL;
    case KIND_KEEP:
        options->keep = options->keep_bytes = 0;
        if (quantity_read_size(argument, &options->keep_bytes))
            return NULL;
        if (!quantity_read_number(argument, 1, 1000000000, &number))
            return "a number from 1 to 1000000000, or a size such as 64M";
        *(size_t *)place = number;
        return NULL;
    case KIND_SEED:
        options->has_seed = true;
        return quantity_read_number(argument, 0, UINT64_MAX, place) ? NULL : "a number";
    case KIND_RANDOM:
        options->has_random = true;
        if (!quantity_read_number(argument, 0, 1000000000, &number))
            return "a number from 0 to 1000000000";
        *(size_t *)place = number;
        return NULL;
    case KIND_RESULTS:
    case KIND_METHOD:
    case KIND_SEARCH:
    case KIND_ENGINE:
    case KIND_LINEARIZING:
    case KIND_FAIRNESS:
    case KIND_WORDS:
    case KIND_ORDER:
    case KIND_MEMORY_MODEL:
    case KIND_RACES:
        *(const char **)place = argument;
        return find_choice(choices[row->kind].names, argument) >= 0 ? NULL
                                                                    : choices[row->kind].expected;
    case KIND_COLOUR:
        *(int *)place = find_choice(colours, argument);
        return *(int *)place >= 0 ? NULL : "auto, always or never";
    }
    return NULL;
}

struct parser {
    struct option long_options[ARRAY_LENGTH(rows) + 1];
    char letters[2 * ARRAY_LENGTH(rows) + 2];
};

/* Long options answer the row's number + 256, letters themselves. */
static void build_parser(const struct command *command, struct parser *parser)
{
    size_t count = 0;
    char *letters = parser->letters;
    *letters++ = ':'; /* a missing argument is told from an unknown option */
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        if (!(rows[i].commands & command->bit))
            continue;
        int has_argument = rows[i].argument ? required_argument : no_argument;
        parser->long_options[count++] =
            (struct option){rows[i].name, has_argument, NULL, 256 + (int)i};
        if (rows[i].letter) {
            *letters++ = rows[i].letter;
            if (rows[i].argument)
                *letters++ = ':';
        }
    }
    parser->long_options[count] = (struct option){0};
    *letters = 0;
}

static const struct option_row *row_found(int found)
{
    if (found >= 256)
        return &rows[found - 256];
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if (rows[i].letter && rows[i].letter == found)
            return &rows[i];
    return NULL;
}

static bool complain(const struct command *command, const char *format, ...) PRINTF_LIKE(2, 3);

static bool complain(const struct command *command, const char *format, ...)
{
    struct text message = TEXT_EMPTY;
    va_list arguments;
    va_start(arguments, format);
    text_format_list(&message, format, arguments);
    va_end(arguments);
    fprintf(stderr, "linchpin %s: %s\n(linchpin %s --help lists the options)\n", command->name,
            text_string(&message), command->name);
    text_release(&message);
    return false;
}

static void append_name(const struct option_row *row, struct text *text)
{
    if (row->letter)
        text_format(text, "-%c, ", row->letter);
    text_format(text, "--%s", row->name);
}

static bool complain_value(const struct command *command, const struct option_row *row,
                           const char *expected, const char *found)
{
    struct text shown = TEXT_EMPTY;
    utf8_append_shown(&shown, found, strlen(found), true);
    complain(command, "--%s: expected %s, found '%s'", row->name, expected, text_string(&shown));
    text_release(&shown);
    return false;
}

/* The option of the command that `given` (`--name`, `--name=value`) was meant to be, or null. */
static const char *nearest_option(const struct command *command, const char *given)
{
    const char *names[ARRAY_LENGTH(rows)];
    size_t count = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if (rows[i].commands & command->bit)
            names[count++] = rows[i].name;
    given += strspn(given, "-");
    size_t nearest = suggestion_find(given, strcspn(given, "="), names, count);
    return nearest < count ? names[nearest] : NULL;
}

/* A shortened option that several begin with, or none. */
static bool complain_name(const struct command *command, const char *given)
{
    struct text names = TEXT_EMPTY;
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if ((rows[i].commands & command->bit) && given[0] == '-' && given[1] == '-' &&
            strncmp(rows[i].name, given + 2, strcspn(given + 2, "=")) == 0)
            text_format(&names, "%s--%s", names.length ? ", " : "", rows[i].name);
    const char *nearest = nearest_option(command, given);
    bool is_spec = strncmp(given, "--spec", strcspn(given, "=")) == 0;
    if (names.length)
        complain(command, "'%s' may be one of %s", given, text_string(&names));
    else if (is_spec && (command->bit & (FOR_TEST | FOR_STRESS)))
        complain(command,
                 "there is no option '%s'; the test file says what the object should be: "
                 "LP_TEST(..., .spec = \"queue\", ...)%s",
                 given, command->bit & FOR_TEST ? ", or \"auto\"" : "");
    else if (nearest)
        complain(command, "there is no option '%s'; did you mean --%s?", given, nearest);
    else
        complain(command, "there is no option '%s'", given);
    text_release(&names);
    return false;
}

/* getopt found what it does not know, or an argument is missing. */
static bool complain_option(const struct command *command, int found, char **argv)
{
    const char *given = argv[optind - 1];
    const struct option_row *row = row_found(optopt);
    if (found == ':')
        return complain(command, "--%s: expected %s behind it, found nothing", row->name,
                        row->argument);
    if (optopt >= 256)
        return complain(command, "--%s takes no argument, found '%s'", row->name, given);
    if (optopt)
        return complain(command, "there is no option '-%c'%s", optopt,
                        command->bit & (FOR_TEST | FOR_STRESS)
                            ? "; flags for the compiler stand behind --"
                            : "");
    return complain_name(command, given);
}

static bool check_operands(const struct command *command, const struct options *options)
{
    if (options->help || options->version)
        return true;
    size_t least = options->ltl ? 0 : command->least_operands;
    size_t most = options->ltl ? 0 : command->most_operands;
    if (options->operand_count < least)
        return complain(command, "expected %s, found nothing", command->operands);
    if (options->operand_count > most)
        return complain(command, "expected %s, found '%s' as well",
                        most ? command->operands : "no operand", options->operands[most]);
    return true;
}

bool options_parse(const struct command *command, int argc, char **argv, struct options *options)
{
    struct parser parser = {0};
    int found;
    *options = (struct options){.specs = memory_small((size_t)argc * sizeof *options->specs)};
    build_parser(command, &parser);
    for (int i = 1; (command->bit & FOR_SOURCES) && i < argc; i++)
        if (strcmp(argv[i], "--") == 0) {
            options->flags = argv + i + 1;
            options->flag_count = (size_t)(argc - i - 1);
            argc = i;
        }
    opterr = 0;
    while ((found = getopt_long(argc, argv, parser.letters, parser.long_options, NULL)) != -1) {
        const struct option_row *row = found == '?' || found == ':' ? NULL : row_found(found);
        if (!row)
            return complain_option(command, found, argv);
        const char *expected = take(row, optarg, options);
        if (expected)
            return complain_value(command, row, expected, optarg);
    }
    options->operands = argv + optind;
    options->operand_count = (size_t)(argc - optind);
    return check_operands(command, options);
}

void options_release(struct options *options)
{
    free(options->specs);
    options->specs = NULL;
}

bool options_has(const struct command *command, const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if ((rows[i].commands & command->bit) && strcmp(rows[i].name, name) == 0)
            return true;
    return false;
}

bool options_describe(const struct command *command, size_t index, struct option_described *option)
{
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        const struct option_row *row = &rows[i];
        if (!(row->commands & command->bit) || index-- > 0)
            continue;
        *option = (struct option_described){row->name,   row->argument,  row->help,
                                            row->letter, ARGUMENT_PLAIN, NULL};
        if (!row->argument)
            option->takes = ARGUMENT_NONE;
        else if (row->kind == KIND_FILE)
            option->takes = ARGUMENT_FILE;
        else if (row->kind == KIND_LIST)
            option->takes = ARGUMENT_SPECIFICATION;
        else if (row->kind == KIND_REDUCTIONS)
            option->takes = ARGUMENT_CHOICES;
        else if (row->kind == KIND_COLOUR || row->kind >= KIND_RESULTS)
            option->takes = ARGUMENT_CHOICE;
        if (option->takes == ARGUMENT_CHOICE || option->takes == ARGUMENT_CHOICES)
            option->choices = row->kind == KIND_COLOUR ? colours : choices[row->kind].names;
        return true;
    }
    return false;
}

int options_help(const struct command *command, FILE *out)
{
    const unsigned column = 28;
    const struct terminal terminal = TERMINAL_PLAIN;
    struct text text = TEXT_EMPTY;
    text_format(&text, "usage: linchpin %s%s%s%s\n\n", command->name,
                command->bit == FOR_COMPILERS ? "" : " [OPTION...]", *command->operands ? " " : "",
                command->operands);
    terminal_wrap(&terminal, command->summary, 0, 0, &text);
    const char *title = NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        bool repeated = i > 0 && strcmp(rows[i].name, rows[i - 1].name) == 0;
        for (size_t j = 0; j < ARRAY_LENGTH(sections) && !repeated; j++)
            if (strcmp(rows[i].name, sections[j].first) == 0)
                title = sections[j].title;
        if (!(rows[i].commands & command->bit))
            continue;
        if (title)
            text_format(&text, "\n%s:\n", title);
        title = NULL;
        struct text name = TEXT_EMPTY;
        text_append(&name, rows[i].letter ? "  " : "      ");
        append_name(&rows[i], &name);
        if (rows[i].argument)
            text_format(&name, " %s", rows[i].argument);
        text_append(&text, text_string(&name));
        if (name.length + 2 > column) {
            text_append(&text, "\n");
            name.length = 0;
        }
        terminal_wrap(&terminal, rows[i].help, column, (unsigned)name.length, &text);
        text_release(&name);
    }
    if (command->examples)
        text_format(&text, "\nExamples:\n%s", command->examples);
    const int reason = fputs(text_string(&text), out) == EOF ? errno : 0;
    text_release(&text);
    return reason;
}
