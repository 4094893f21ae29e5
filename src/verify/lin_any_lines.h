/* Steps of an implementation as its text has them, in what is said of a heap without bound. */
#ifndef VERIFY_LIN_ANY_LINES_H
#define VERIFY_LIN_ANY_LINES_H

#include "base/text.h"
#include "unbounded/heap_proof.h"
#include "unbounded/questions.h"
#include "verify/lin_instance.h"

/* The line of an instruction, + 1. */
unsigned lin_any_line(const struct lin_instance *instance, uint32_t at);

/* Appends "21"; or "21:17", with the column, where several steps are in one line. */
void lin_any_append_step(const struct lin_instance *instance, uint32_t at, struct text *text);

/* Appends ", and the lines on the way there are 12 `node t = top`, 14 `...`, 21:5 `...` (of another
 * thread); several heaps were possible, last, behind the step at line 21:5 `...` of another
 * thread". `length` is that of the whole
 * way, of which at most HEAP_MOST_CAUSES steps are known, the last ones. */
void lin_any_append_path(const struct lin_instance *instance, const struct heap_cause *path,
                         uint32_t length, struct text *text);

/* The answer of a question that was begun at a time, of so many views and effects, with the reason
 * `text`, which is released. STATUS_LIMIT. */
enum status lin_any_answer_by_views(struct questions *questions, uint64_t begin, bool is_proved,
                                    size_t views, size_t effects, struct text *text,
                                    struct question_answer *answer) MUST_CHECK;

/* Appends "the specification `vague` is not provided for: it may do several things in one call
 * (line 9)". `at` is the place of the statement that is not; null: it is not said. */
void lin_any_append_unprovided(const struct lin_instance *instance, const char *unable,
                               const place *at, struct text *text);

/* Where the specification, if it is one of the file, does one of several things; null: nowhere. The
 * place is in *at. */
const place *lin_any_choice(const struct lin_instance *instance, place *at);

#endif
