/* Where a module declares its names, and where assertions, rules and automata name objects: noted
 * for whoever asks what names mean (lang/references.h). What stands in bodies the checker notes. */
#ifndef LIN_DECLARED_H
#define LIN_DECLARED_H

#include "lin/ast.h"

/* Of a module that is parsed; nothing need be right. */
void lin_note_declared(const struct lin_module *module);

#endif
