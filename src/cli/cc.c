/* linchpin cc, linchpin c++: in place of a compiler, in builds that are there already. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linchpin/linchpin.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/installed.h"

int cc_run(int argc, char **argv)
{
    bool cxx = strcmp(argv[0], "c++") == 0;
    /* CC and CXX name us. */
    const char *named = getenv(cxx ? "LINCHPIN_CXX" : "LINCHPIN_CC");
    struct text runtime = TEXT_EMPTY;
    lp_context *context = NULL;
    lp_error error = {0};
    int exit_status = EXIT_INPUT;
    if (installed_runtime(argv[0], "plain.o", &runtime) && (context = lp_context_create(0))) {
        const lp_compile_options options = {.size = sizeof options,
                                            .cxx = cxx,
                                            .compiler = named && *named ? named : NULL,
                                            .arguments = (const char *const *)argv + 1,
                                            .argument_count = (size_t)argc - 1,
                                            .runtime = text_string(&runtime)};
        lp_status status = lp_compile(context, &options, &exit_status, &error);
        if (status != LP_OK) {
            struct text name = TEXT_EMPTY;
            text_format(&name, "linchpin %s", argv[0]);
            exit_status = error_print(status, &error, text_string(&name), false);
            text_release(&name);
        }
        lp_context_destroy(context);
    }
    text_release(&runtime);
    return exit_status;
}
