/* What was found, in a sentence. */
#ifndef API_TESTED_REASON_H
#define API_TESTED_REASON_H

#include "api/testing.h"

/* "data race" */
const char *tested_finding_name(enum finding_kind kind);

/* "reads atomically" */
const char *tested_access_verb(unsigned kind);

/* "thread 2", "setup or teardown" */
void tested_append_thread(unsigned thread, struct text *text);

/* The sentence. STATUS_LIMIT. */
enum status tested_append_finding(const struct testing *testing, const struct finding *finding,
                                  struct text *text, struct error *error) MUST_CHECK;

#endif
