/* What the names of a model mean, kept when the model is gone. */
#ifndef API_NAMES_H
#define API_NAMES_H

#include <linchpin/model.h>

#include "lang/references.h"

/* Of what a reader of the script has noted, which is sorted; null where that is nothing, or not
 * whole. Not counted: an editor asks for a file at a time. */
lp_names *names_create(const struct script *script, struct references *references);

#endif
