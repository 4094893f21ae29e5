/* The general search: decides a part of any specification, by looking for an order of its
 * operations. */
#ifndef SEARCH_SEARCH_H
#define SEARCH_SEARCH_H

#include "monitor/decision.h"

decide search_decide;

#endif
