/* What the log says of an implementation and the reductions that are used. */
#ifndef VERIFY_LIN_LOG_H
#define VERIFY_LIN_LOG_H

#include "base/log.h"
#include "implementation/model.h"
#include "reduce/reductions.h"

void lin_log_reductions(const struct log *log, const struct lin_model *model, reductions used);

#endif
