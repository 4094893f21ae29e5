/* linchpin lsp: a server of the Language Server Protocol, 3.17, for models in .lin and CSP#. */
#ifndef LSP_SERVER_H
#define LSP_SERVER_H

#include <stdio.h>

#include "lsp/assertion_run.h"

/* Serves one client until it says `exit`, or its stream ends. The exit status of the protocol: 0 if
 * it said `shutdown` before, else 1; 2, after a message on standard error, if what it sends are no
 * messages. */
int lsp_serve(const struct run_settings *settings, FILE *in, FILE *out);

#endif
