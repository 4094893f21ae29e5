/* Answers shown: as text for people, as JSON, as one page for a browser that needs nothing else.
 * They are those of the program `linchpin`.
 *
 *     create -> check, verification ... -> finish */
#ifndef LINCHPIN_REPORT_H
#define LINCHPIN_REPORT_H

#include <linchpin/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lp_report lp_report;

typedef enum lp_report_form {
    LP_REPORT_TEXT, /* UTF-8 */
    LP_REPORT_JSON, /* an object on a line for each answer: docs/schema */
    LP_REPORT_HTML,
} lp_report_form;

typedef struct lp_report_options {
    size_t size;        /* sizeof(lp_report_options) */
    unsigned columns;   /* of the text: at least 40; 0: 80 */
    bool colour;        /* of the text: escapes for a terminal */
    bool ascii;         /* of the text: nothing but ASCII */
    bool quiet;         /* of the text: the line of the verdict only */
    bool linearization; /* JSON has the linearization */
} lp_report_options;

/* An empty report; null options: the defaults. Null when the system has no memory left. A report
 * belongs to one thread at a time. */
LP_API lp_report *lp_report_create(lp_report_form form, const lp_report_options *options);

/* Adds the answer `result` of lp_check, which was given these bindings and options, about a
 * history. `input` is what the answer says it is about; null: the history's name. A page has the
 * object's states along the orders that the answer found, and follows these orders again for
 * that. */
LP_API void lp_report_check(lp_report *report, lp_context *context, const lp_history *history,
                            const lp_binding *bindings, size_t binding_count,
                            const lp_check_options *options, const lp_result *result,
                            const char *input);

/* Adds the answer of lp_verify about assertion `index` of a model; `input`: as above, null: the
 * model's name. */
LP_API void lp_report_verification(lp_report *report, const lp_model *model, size_t index,
                                   const lp_verification *result, const char *input);

/* The whole report, released with free(), and its length without the 0 behind it (`length` may be
 * null). Destroys the report. Null when the system has no memory left. */
LP_API char *lp_report_finish(lp_report *report, size_t *length);

/* Destroys a report that nobody wants any more; null is allowed. */
LP_API void lp_report_destroy(lp_report *report);

#ifdef __cplusplus
}
#endif

#endif
