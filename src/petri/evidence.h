/* Writes runs and certificates for another program to check: lines of JSON, as
 * docs/manual/proofs.md has them. */
#ifndef PETRI_EVIDENCE_H
#define PETRI_EVIDENCE_H

#include <stdio.h>

#include "petri/cover.h"

/* The evidence of a verdict, which is not unknown; gives the number of lines. */
size_t evidence_write(const struct coverage *coverage, const struct net *net, FILE *out);

/* "closed forwards" or "closed backwards", of what is safe. */
const char *evidence_set(const struct coverage *coverage);

#endif
