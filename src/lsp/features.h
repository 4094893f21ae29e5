/* The requests of the protocol, each answered by the function of its name. */
#ifndef LSP_FEATURES_H
#define LSP_FEATURES_H

#include "lsp/state.h"

/* lens.c: what is asserted, and running it. */
void lens_code_lens(struct server *server, yajl_val id, yajl_val params);
/* Takes the message where that is to be answered later: true. */
bool lens_execute_command(struct server *server, yajl_val message, yajl_val id, yajl_val params);
void lens_run_finished(struct server *server, struct assertion_run *run);
void lens_cancel_request(struct server *server, yajl_val params);
void lens_cancel_progress(struct server *server, yajl_val params);
void lens_release(struct server *server);

/* names.c: what names mean. */
void names_hover(struct server *server, yajl_val id, yajl_val params);
void names_definition(struct server *server, yajl_val id, yajl_val params);
void names_references(struct server *server, yajl_val id, yajl_val params);
void names_highlight(struct server *server, yajl_val id, yajl_val params);

/* outline.c */
void outline_symbols(struct server *server, yajl_val id, yajl_val params);
void outline_workspace_symbols(struct server *server, yajl_val id, yajl_val params);
void outline_folding(struct server *server, yajl_val id, yajl_val params);

/* complete.c */
void complete_completion(struct server *server, yajl_val id, yajl_val params);
void complete_signature(struct server *server, yajl_val id, yajl_val params);

/* rename.c */
void rename_prepare(struct server *server, yajl_val id, yajl_val params);
void rename_rename(struct server *server, yajl_val id, yajl_val params);

/* layout.c */
void layout_format(struct server *server, yajl_val id, yajl_val params);
void layout_format_range(struct server *server, yajl_val id, yajl_val params);

#endif
