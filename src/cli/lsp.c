/* linchpin lsp: the language server, on standard input and output. */
#include "cli/command.h"
#include "lsp/server.h"

#define DEFAULT_TIMEOUT 60.0              /* seconds */
#define DEFAULT_MEMORY  ((size_t)1 << 30) /* bytes */

int lsp_run(const struct options *options)
{
    const struct run_settings settings = {
        .memory = options->memory ? options->memory : DEFAULT_MEMORY,
        .timeout = options->timeout > 0 ? options->timeout : DEFAULT_TIMEOUT};
    return lsp_serve(&settings, stdin, stdout);
}
