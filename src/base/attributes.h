/* What every file may say to the compiler. */
#ifndef BASE_ATTRIBUTES_H
#define BASE_ATTRIBUTES_H

#define MUST_CHECK              __attribute__((warn_unused_result))
#define PRINTF_LIKE(text, args) __attribute__((format(printf, text, args)))
#define LIKELY(condition)       __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition)     __builtin_expect(!!(condition), 0)
#define ARRAY_LENGTH(array)     (sizeof(array) / sizeof *(array))

/* Of a variable that each thread has one of. What is linked into programs under test has one
 * thread: there such a variable would be storage to be switched with each of theirs
 * (runtime/fiber.h). */
#ifdef LINCHPIN_ONE_THREAD
#define PER_THREAD
#else
#define PER_THREAD _Thread_local
#endif

#endif
