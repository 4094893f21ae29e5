#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <linchpin/linchpin.h>

#include "base/attributes.h"
#include "cli/command.h"

static const struct command commands[] = {
    {"check", "HISTORY...",
     "Decides whether each recorded history is linearizable. A history is a file in any of the "
     "formats of docs/manual/formats.md, gzip and zstd included, a Jepsen store folder, an etcd "
     "report folder, or - for standard input.",
     FOR_CHECK, 1, SIZE_MAX, check_run},
    {"convert", "HISTORY", "Writes a history in another format.", FOR_CONVERT, 1, 1, convert_run},
    {"replay", "TRACE.json",
     "Steps through a violation that check --trace kept, after checking its core again.",
     FOR_REPLAY, 1, 1, replay_run},
    {"specs", "", "Lists the built-in specifications and their operations.", FOR_SPECS, 0, 0,
     specs_run},
};

static void usage(FILE *out)
{
    fputs("usage: linchpin COMMAND [OPTION...] [OPERAND...]\n"
          "\n"
          "linchpin decides whether a concurrent object is linearizable.\n"
          "\n",
          out);
    for (size_t i = 0; i < ARRAY_LENGTH(commands); i++) {
        /* The first sentence is enough here. */
        int sentence = (int)strcspn(commands[i].summary, ".");
        fprintf(out, "  linchpin %-8s %-12s %.*s\n", commands[i].name, commands[i].operands,
                sentence, commands[i].summary);
    }
    fputs("\n"
          "linchpin COMMAND --help lists the command's options.\n"
          "\n"
          "Exit status: 0 everything holds, 1 a violation was found, 2 usage or input error,\n"
          "3 not decided (a limit was reached, interrupted), 70 internal error.\n",
          out);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct options options;
    int status = EXIT_INPUT;
    if (options_parse(command, argc, argv, &options)) {
        status = EXIT_HOLDS;
        if (options.help)
            options_help(command, stdout);
        else if (options.version)
            printf("linchpin %s\n", lp_version());
        else
            status = command->run(&options);
        status = exit_worst(status, exit_flush());
    }
    options_release(&options);
    return status;
}

static int unknown_command(const char *name)
{
    fprintf(stderr, "linchpin: there is no command '%s', only ", name);
    for (size_t i = 0; i < ARRAY_LENGTH(commands); i++) {
        const char *between = i + 2 < ARRAY_LENGTH(commands) ? ", " : " and ";
        fprintf(stderr, "%s%s", commands[i].name, i + 1 < ARRAY_LENGTH(commands) ? between : "\n");
    }
    return EXIT_INPUT;
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of writing, not the end of us */
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        usage(stderr);
        return EXIT_INPUT;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        usage(stdout);
        return exit_flush();
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("linchpin %s\n", lp_version());
        return exit_flush();
    }
    for (size_t i = 0; i < ARRAY_LENGTH(commands); i++)
        if (strcmp(name, commands[i].name) == 0)
            return run(&commands[i], argc - 1, argv + 1);
    return unknown_command(name);
}
