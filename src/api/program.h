/* What is behind lp_program. */
#ifndef API_PROGRAM_H
#define API_PROGRAM_H

#include <linchpin/program.h>

#include "api/objects.h"
#include "scenario/conversation.h"

#define PROGRAM_MAGIC UINT32_C(0x6c707072)
#define TESTED_MAGIC  UINT32_C(0x6c707473)

struct lp_program {
    uint32_t magic;
    lp_context *context;
    struct text folder, path, compilers;
    struct listed_tests tests;
};

#endif
