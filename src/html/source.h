/* The source lines of an execution, for a page: those of its steps, and some about them. */
#ifndef HTML_SOURCE_H
#define HTML_SOURCE_H

#include <yajl/yajl_gen.h>

#include "report/result.h"

/* Adds `sources`, a list of files with their lines by number, of an answer that has an execution of
 * real code or of a model in `.lin`. Files that cannot be read are left out; nothing is added if
 * none is left. */
void html_source_json(const struct result *result, yajl_gen json);

#endif
