/* What is tried where operations have no points of their own with which there is a proof
 * (unbounded/heap_points.h). Each leaves the search as it was, unless it finds one. */
#ifndef UNBOUNDED_HEAP_ALTERNATIVES_H
#define UNBOUNDED_HEAP_ALTERNATIVES_H

#include "unbounded/heap_search.h"

/* Reads that take effect at some moment. */
enum status heap_search_moments(struct heap_search *search) MUST_CHECK;

/* Operations that meet; those that span; and those that have no points at all. */
enum status heap_search_meetings(struct heap_search *search) MUST_CHECK;
enum status heap_search_spans(struct heap_search *search) MUST_CHECK;
enum status heap_search_calls(struct heap_search *search) MUST_CHECK;

#endif
