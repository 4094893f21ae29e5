/* Replays: a mutable object that calls are applied to in order. */
#ifndef SPEC_REPLAY_H
#define SPEC_REPLAY_H

#include "spec/spec.h"

/* A replay of `spec` from its initial state; null when refused. */
struct spec_object *spec_open(const struct spec *spec, value key, struct budget *budget);
/* Applies one call; on APPLIED_LEGAL `*result` (if not null) is what the operation answers (of
 * several possible answers one). */
enum applied spec_apply(const struct spec *spec, struct spec_object *object,
                        const struct call *call, value *result);
void spec_close(const struct spec *spec, struct spec_object *object);

/* A replay through step, of classes that have none of their own, from the state of these words on.
 */
struct spec_object *replay_open_at(const struct spec *spec, const uint64_t *words, size_t length,
                                   struct budget *budget);
enum applied replay_apply(struct spec_object *object, const struct call *call, value *result);
void replay_close(struct spec_object *object);

#endif
