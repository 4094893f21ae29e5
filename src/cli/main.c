/* The table of commands, the help about all of them, and the one that is run. */
#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linchpin/linchpin.h>

#include "base/attributes.h"
#include "base/suggestion.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/completions.h"
#include "cli/ranks.h"
#include "cli/sandbox.h"
#include "cli/session.h"

static const struct command commands[] = {
    {"check", "HISTORY...",
     "Decides whether each recorded history is linearizable. A history is a file in any of the "
     "formats of docs/manual/formats.md, gzip and zstd included, a Jepsen store folder, an etcd "
     "report folder, or - for standard input.",
     FOR_CHECK, 1, SIZE_MAX, check_run,
     "  linchpin check history.edn\n"
     "  linchpin check --spec cas-register --initial 0 store/latest\n"
     "  linchpin check --independent --all --timeout 5m store/latest\n"
     "  linchpin check --junit report.xml --trace violation.json histories/*\n"},
    {"verify", "MODEL...",
     "Decides every assertion of the models. A model is a file in .lin, by its name, or in CSP#, "
     "or "
     "- for standard input, which is CSP#; of FILE:LINE only what is asserted in that line is "
     "decided.",
     FOR_VERIFY, 1, SIZE_MAX, verify_run,
     "  linchpin verify model.csp\n"
     "  linchpin verify queue.lin:52\n"
     "  linchpin verify --list model.csp\n"
     "  linchpin verify --timeout 5m --junit report.xml models/*.csp\n"},
    {"test", "SOURCE... [-- FLAGS]",
     "Tests C and C++ code in every behaviour. Each test of the sources (linchpin/test.h) is "
     "run in all ways that the memory model allows. In place of sources it takes a program that "
     "linchpin cc has made. What "
     "stands behind -- is for the "
     "compilers (CC or gcc, CXX or g++) and the linker; -O2 stays unless there is another -O.",
     FOR_TEST, 1, SIZE_MAX, test_run,
     "  linchpin test treiber.c\n"
     "  linchpin test --memory-model=sc ring.cc -- -O1 -DNDEBUG\n"
     "  linchpin test --scenario 'push 1; pop | pop' treiber.c\n"},
    {"stress", "SOURCE... [-- FLAGS]",
     "Runs tests with real threads, decides what they did. A source is in C or C++; the tests "
     "in it are described with linchpin/test.h; FLAGS are for the compiler.",
     FOR_STRESS, 1, SIZE_MAX, stress_run,
     "  linchpin stress treiber.c\n"
     "  linchpin stress --seed 7 --rounds 1000 treiber.c -- -O3 -DSIZE=4\n"
     "  linchpin stress --no-yield --timeout 1m ring.cc\n"},
    {"cc", "ARGUMENT...",
     "Compiles C for tests, in builds that are there. It takes the arguments of gcc or clang (the "
     "one that LINCHPIN_CC names, gcc unless it does). A program with tests is given to linchpin "
     "test; one without runs as it would.",
     FOR_COMPILERS, 1, SIZE_MAX, NULL,
     "  make CC='linchpin cc' stack_test\n"
     "  linchpin cc -O2 -o stack_test treiber.c\n"
     "  linchpin test ./stack_test\n"},
    {"c++", "ARGUMENT...",
     "Compiles C++ in the same way. It takes the arguments of g++ or clang++ (the one that "
     "LINCHPIN_CXX names, g++ unless it does).",
     FOR_COMPILERS, 1, SIZE_MAX, NULL,
     "  CC='linchpin cc' CXX='linchpin c++' cmake -B build\n"
     "  linchpin c++ -std=c++17 -O2 -c ring.cc\n"},
    {"simulate", "MODEL [PROCESS]",
     "Walks through a model. PROCESS is one of its processes, such as P or 'Q(2)', in .lin an "
     "implementation, 'ring' or 'ring with threads = 3', or what could be asserted; of FILE:LINE "
     "it is what is asserted in that line, and unless given that of the first assertion. The steps "
     "are taken at random, along a trace, or as you choose.",
     FOR_SIMULATE, 1, 2, simulate_run,
     "  linchpin simulate model.csp\n"
     "  linchpin simulate --guided model.csp 'Q(2)'\n"
     "  linchpin simulate stack.lin treiber\n"
     "  linchpin simulate --along trace.json --guided model.csp\n"},
    {"graph", "MODEL [PROCESS]",
     "Draws the state graph of a model. PROCESS is one of its processes, such as P or 'Q(2)', in "
     ".lin an implementation, 'stack' or 'stack with ops = 1', or what could be asserted; of "
     "FILE:LINE it is what is asserted in that line, and unless given that of the first assertion. "
     "With --ltl it draws the automaton of a formula, and there is no MODEL.",
     FOR_GRAPH, 1, 2, graph_run,
     "  linchpin graph model.csp > model.dot\n"
     "  linchpin graph --normal -o spec.svg model.csp 'Spec()'\n"
     "  linchpin graph -o model.aut model.csp\n"
     "  linchpin graph stack.lin:52\n"
     "  linchpin graph --ltl '[] (p -> <> q)' --to hoa\n"},
    {"cover", "NET...",
     "Decides for each Petri net whether a target can be covered. A net is a file in mist's format "
     "(.spec), a thread transition system of bfc (.tts) with its property beside it (.prop), or - "
     "for standard input.",
     FOR_COVER, 1, SIZE_MAX, cover_run,
     "  linchpin cover net.spec\n"
     "  linchpin cover --timeout 10s --json nets/*.spec\n"
     "  linchpin cover --to pnml net.spec > net.pnml\n"},
    {"rules", "[FILE...]",
     "Tests inductive rules and violation automata. Rules, in FILE.lin, must have the properties "
     "that the theory asks, for all short executions and small histories, and derive what the "
     "specification allows. Automata, in files of their own or in .lin, must accept exactly the "
     "small histories that are not linearizable.",
     FOR_RULES, 0, SIZE_MAX, rules_run,
     "  linchpin rules --bound 5 queue.lin\n"
     "  linchpin rules --spec 'semaphore(2)'\n"
     "  linchpin rules --bound 4 queue_*.txt\n"
     "  linchpin rules --matched --bound 6 stack_*.txt\n"
     "  linchpin rules --spec queue --on history.jsonl\n"
     "  linchpin rules --draw queue_order.txt | dot -Tsvg > queue_order.svg\n"},
    {"convert", "HISTORY", "Writes a history in another format.", FOR_CONVERT, 1, 1, convert_run,
     "  linchpin convert --to json history.edn > history.jsonl\n"},
    {"replay", "TRACE.json",
     "Steps through a violation again. TRACE.json is what --trace of check, verify or cover kept; "
     "its "
     "core is checked once more before, or its steps are taken again on the model.",
     FOR_REPLAY, 1, 1, replay_run,
     "  linchpin check --trace violation.json history.edn\n"
     "  linchpin replay violation.json\n"},
    {"fmt", "FILE.lin...",
     "Lays out files in .lin. Indentation, spaces, empty lines, columns of comments; each file is "
     "replaced when that changes it; - is standard input, written to standard output.",
     FOR_FMT, 1, SIZE_MAX, fmt_run,
     "  linchpin fmt model.lin\n"
     "  linchpin fmt --check examples/*/*.lin\n"},
    {"lsp", "",
     "Serves an editor, as the language server of .lin and .csp. Diagnostics while typing, "
     "hover, definition, references, rename, layout, and a lens over each assertion that runs it. "
     "The editor starts it, and speaks on standard input and output.",
     FOR_LSP, 0, 0, lsp_run, "  linchpin lsp --timeout 5m\n"},
    {"specs", "", "Lists the built-in specifications and their operations.", FOR_SPECS, 0, 0,
     specs_run, NULL},
};

static void usage(FILE *out)
{
    fputs("usage: linchpin COMMAND [OPTION...] [OPERAND...]\n"
          "\n"
          "linchpin decides whether a concurrent object is linearizable: in histories that its\n"
          "clients recorded, and in models of it.\n"
          "\n",
          out);
    int width = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(commands); i++) {
        int operands = (int)strlen(commands[i].operands);
        width = operands > width ? operands : width;
    }
    for (size_t i = 0; i < ARRAY_LENGTH(commands); i++) {
        /* The first sentence is enough here; a full stop may be part of a file's name. */
        const char *summary = commands[i].summary, *behind = strstr(summary, ". ");
        int sentence = (int)(behind ? (size_t)(behind - summary) : strcspn(summary, "."));
        fprintf(out, "  linchpin %-8s %-*s  %.*s\n", commands[i].name, width, commands[i].operands,
                sentence, summary);
    }
    fputs("\n"
          "linchpin help COMMAND lists the command's options.\n"
          "\n"
          "Exit status: 0 everything holds, 1 a violation was found, 2 usage or input error,\n"
          "3 not decided (a limit was reached, interrupted), 70 internal error.\n",
          out);
}

/* Writes a command's help; the exit status. */
static int help_for(const struct command *command)
{
    const int reason = options_help(command, stdout);
    return reason ? exit_unwritten(reason) : exit_flush();
}

static int run_with(const struct command *command, int argc, char **argv, struct ranks *ranks)
{
    struct options options;
    int status = EXIT_INPUT;
    if (options_parse(command, argc, argv, &options)) {
        options.ranks = ranks;
        if (!(command->bit & (FOR_LSP | FOR_SPECS)))
            session_keep_signals(options.follow);
        status = EXIT_HOLDS;
        if (options.help)
            status = help_for(command);
        else if (options.version)
            printf("linchpin %s\n", lp_version());
        else if (options.mpi && !ranks) {
            fprintf(stderr, "linchpin %s: --mpi is not to be shortened\n", command->name);
            status = EXIT_INPUT;
        } else if (options.sandbox && !sandbox_enter(command->name, &options))
            status = EXIT_INPUT;
        else
            status = command->run(&options);
        status = exit_worst(status, exit_flush());
    }
    options_release(&options);
    return status;
}

/* Ranks are started before anything is said of the other words, as rank 0 alone is to say it. */
static bool asks_for_ranks(const struct command *command, int argc, char **argv)
{
    bool asks = false;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        asks = asks || strcmp(argv[i], "--mpi") == 0;
    return asks && options_has(command, "mpi");
}

static int run(const struct command *command, int argc, char **argv)
{
    struct ranks ranks;
    if (!asks_for_ranks(command, argc, argv))
        return run_with(command, argc, argv, NULL);
    if (!ranks_begin(&ranks, command->name))
        return EXIT_INPUT;
    return ranks_end(&ranks, run_with(command, argc, argv, &ranks));
}

/* cc and c++: all words are those of a compiler, but for one that asks about the command. */
static int run_words(const struct command *command, int argc, char **argv)
{
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        return help_for(command);
    }
    return cc_run(argc, argv);
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(commands); i++)
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    struct text shown = TEXT_EMPTY;
    utf8_append_shown(&shown, name, strlen(name), true);
    fprintf(stderr, "linchpin: there is no command '%s', only ", text_string(&shown));
    for (size_t i = 0; i < ARRAY_LENGTH(commands); i++) {
        const char *between = i + 2 < ARRAY_LENGTH(commands) ? ", " : " and ";
        fprintf(stderr, "%s%s", commands[i].name, i + 1 < ARRAY_LENGTH(commands) ? between : "\n");
    }
    const char *names[ARRAY_LENGTH(commands)];
    for (size_t i = 0; i < ARRAY_LENGTH(commands); i++)
        names[i] = commands[i].name;
    size_t nearest = suggestion_find(name, strlen(name), names, ARRAY_LENGTH(names));
    if (nearest < ARRAY_LENGTH(names))
        fprintf(stderr, "(did you mean linchpin %s?)\n", names[nearest]);
    if (access(name, F_OK) == 0)
        fprintf(stderr, "(to check a history: linchpin check %s)\n", text_string(&shown));
    text_release(&shown);
    return EXIT_INPUT;
}

/* `linchpin help` and `linchpin help COMMAND`. */
static int help(int argc, char **argv)
{
    const struct command *command = argc > 1 ? find_command(argv[1]) : NULL;
    if (argc > 1 && !command)
        return unknown_command(argv[1]);
    if (command)
        return help_for(command);
    usage(stdout);
    return exit_flush();
}

/* `linchpin completions SHELL`: what packages install, so it is not among the commands. */
static int completions(int argc, char **argv)
{
    if (argc == 2 && completions_write(argv[1], commands, ARRAY_LENGTH(commands), stdout))
        return exit_flush();
    fputs("linchpin completions: expected bash, zsh or fish\n", stderr);
    return EXIT_INPUT;
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    signal(SIGXFSZ, SIG_IGN); /* that a file cannot grow is an error of writing, too */
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of writing, not the end of us */
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        usage(stderr);
        return EXIT_INPUT;
    }
    if (strcmp(name, "help") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(name, "completions") == 0)
        return completions(argc - 1, argv + 1);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(1, argv);
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("linchpin %s\n", lp_version());
        return exit_flush();
    }
    const struct command *command = find_command(name);
    if (command && command->bit == FOR_COMPILERS)
        return run_words(command, argc - 1, argv + 1);
    return command ? run(command, argc - 1, argv + 1) : unknown_command(name);
}
