/* Every format, for the table in format.c. */
#ifndef HISTORY_FORMATS_H
#define HISTORY_FORMATS_H

#include "history/format.h"

extern const struct format format_edn;
extern const struct format format_etcd;
extern const struct format format_jepsen_text;
extern const struct format format_json;
extern const struct format format_limo;
extern const struct format format_porcupine_kv;
extern const struct format format_porcupine_operations;
extern const struct format format_tla;

#endif
