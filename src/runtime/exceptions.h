/* Exceptions of C++: caught within an operation they are the code's own affair; one that leaves an
 * operation, the function of a thread, setup or teardown is a finding. */
#ifndef RUNTIME_EXCEPTIONS_H
#define RUNTIME_EXCEPTIONS_H

#include <stdint.h>

/* Sees to it that std::terminate, whoever calls it, is a finding. */
void exceptions_open(void);

/* The personality of the outermost frame of each fiber (Itanium C++ ABI, exception handling): the
 * search for who catches an exception comes there when nobody does. */
int runtime_personality(int version, int actions, uint64_t class, void *exception, void *context);

#endif
