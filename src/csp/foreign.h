/* Files of other languages that look like CSP#: of PAT's other modules, and of FDR. */
#ifndef CSP_FOREIGN_H
#define CSP_FOREIGN_H

#include "lang/script.h"

/* Of a script that is no CSP#: whether it shows what it is instead. Then `error` says so, in the
 * place of what was wrong with it, and it is the script's only fault. */
bool csp_foreign(const struct script *script, struct error *error);

#endif
