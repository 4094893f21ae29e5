/* What is behind lp_model, and the private copies of it that work is done on: compiling an
 * expression changes a program, so that each verification, walk and drawing has its own. */
#ifndef API_MODEL_H
#define API_MODEL_H

#include <linchpin/model.h>

#include "api/objects.h"
#include "csp/program.h"
#include "lang/faults.h"
#include "lin/ast.h"

#define MODEL_MAGIC UINT32_C(0x6c706d6f)

/* A script with its syntax and its names. */
struct model_copy {
    struct arena arena;
    struct script script;
    bool is_lin; /* by its name; else CSP# */
    struct csp_module module;
    struct csp_program program;
    struct lin_module lin;
    bool parsed, resolved; /* module, program are to be released */
};

size_t model_copy_assertions(const struct model_copy *instance);

struct lp_model {
    uint32_t magic;
    lp_context *context;
    struct model_copy instance;
    uint64_t hash;
    lp_assertion *assertions; /* texts are in the instance's arena */
};

/* A copy of the model for one piece of work, in `budget`. Release whatever the status. */
enum status model_copy_open(struct model_copy *instance, const lp_model *model,
                            struct budget *budget, struct error *error) MUST_CHECK;
/* The same with `more` behind its text. */
enum status model_copy_extend(struct model_copy *instance, const lp_model *model, const char *more,
                              struct budget *budget, struct error *error) MUST_CHECK;
void model_copy_release(struct model_copy *instance);

/* What is wrong with a script whose reading ended with this status: `told`, all that is in
 * `faults`, which is released, or else `first` alone. Returns how many errors that makes. */
size_t faults_report(struct faults *faults, lp_status status, const lp_error *first, bool told,
                     lp_error *errors);

#endif
