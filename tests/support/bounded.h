/* Tests that are run with few configurations, too (base/bounds.h). */
#ifndef TESTS_SUPPORT_BOUNDED_H
#define TESTS_SUPPORT_BOUNDED_H

/* Runs tests in a process of their own, since the bound is asked for once in each: `run` is given
 * the bound as a name for them, and returns how many failed. 0: none; else something did. "0": the
 * usual bound. */
int run_bounded(const char *bound, int (*run)(const char *name));

#endif
