/* Nets in files: mist's .spec, bfc's .tts with its .prop, and PNML. */
#ifndef PETRI_FORMAT_H
#define PETRI_FORMAT_H

#include <stdio.h>

#include "lang/script.h"
#include "petri/net.h"

enum net_format {
    NET_SPEC,
    NET_TTS,
    NET_PNML,
    NET_FORMATS,
};

/* "spec", "tts", "pnml" */
extern const char *const net_format_names[NET_FORMATS];

/* Reads mist's format: sections vars, rules, init, target and perhaps invariants. STATUS_INPUT with
 * the place of what is not understood, or is no Petri net (a transfer, a reset, a test for zero).
 * In every case the net, which was empty, is to be released by the caller. */
enum status net_read_spec(const struct script *script, struct net *net,
                          struct error *error) MUST_CHECK;

/* Reads bfc's thread transition system: the shared states come first, as places s0, s1, ... of
 * which one holds a token, then the local states l0, l1, ... that count threads. Initially the
 * shared state is 0, and any number of threads is in local state 0. There are no targets in it. */
enum status net_read_tts(const struct script *script, struct net *net,
                         struct error *error) MUST_CHECK;

/* Reads bfc's property "SHARED|LOCAL,LOCAL,..." and adds it as the target of a net from a .tts. */
enum status net_read_prop(const struct script *script, struct net *net,
                          struct error *error) MUST_CHECK;

/* Reads targets as they stand behind `target` in mist's format, instead of those that the net has.
 */
enum status net_read_targets(const struct script *script, struct net *net,
                             struct error *error) MUST_CHECK;

/* Reads a place/transition net of PNML (ISO/IEC 15909-2), of one or several pages, with the targets
 * that net_write has put into it; STATUS_INPUT also where there is anything that an ordinary net
 * does not have. Transitions without a name get their id. */
enum status net_read_pnml(const struct script *script, struct net *net,
                          struct error *error) MUST_CHECK;

/* Writes the net; a .tts goes without its target, which net_write_prop writes. A net that is no
 * thread transition system is written as one that simulates it: a step takes its tokens one by one.
 * STATUS_USAGE where that would need more than some ten million transitions, or where mist's format
 * cannot have it: a net without places or targets. */
enum status net_write(const struct net *net, enum net_format format, FILE *out,
                      struct error *error) MUST_CHECK;
enum status net_write_tts(const struct net *net, FILE *out, struct error *error) MUST_CHECK;
void net_write_prop(const struct net *net, FILE *out);

#endif
