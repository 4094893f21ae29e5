/* The replay of classes that have none of their own; see spec_open, spec_apply and spec_close. */
#ifndef SPEC_REPLAY_H
#define SPEC_REPLAY_H

#include "spec/spec.h"

struct spec_object *replay_open(const struct spec *spec, value key, struct budget *budget);
/* The same from the state of these words on. */
struct spec_object *replay_open_at(const struct spec *spec, const uint64_t *words, size_t length,
                                   struct budget *budget);
enum applied replay_apply(struct spec_object *object, const struct call *call, value *result);
void replay_close(struct spec_object *object);

#endif
