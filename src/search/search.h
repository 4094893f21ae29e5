/* The general search: decides a part of any specification by searching for a legal order of its
 * operations that respects precedence. search.c has the algorithm. */
#ifndef SEARCH_SEARCH_H
#define SEARCH_SEARCH_H

#include "monitor/decision.h"

decide search_decide;

#endif
