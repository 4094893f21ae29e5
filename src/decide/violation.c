#include "decide/violation.h"

void violation_release(struct violation *violation)
{
    decision_release(&violation->decision);
    core_release(&violation->core);
    vector_release(&violation->context);
}
