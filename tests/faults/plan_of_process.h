// The plan that this process was given. Nothing here allocates or calls what may be made to fail.
#pragma once

#include "tests/faults/fault_plan.h"

namespace longshore::test {

// Null as long as there is none, as at the very beginning of the process.
FaultPlan* plan_of_process();

}  // namespace longshore::test
