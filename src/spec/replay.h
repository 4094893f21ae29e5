/* The replay of classes that have none of their own; see spec_open, spec_apply and spec_close. */
#ifndef SPEC_REPLAY_H
#define SPEC_REPLAY_H

#include "spec/spec.h"

struct spec_object *replay_open(const struct spec *spec, value key, struct budget *budget);
enum applied replay_apply(struct spec_object *object, const struct call *call, value *result);
void replay_close(struct spec_object *object);

#endif
