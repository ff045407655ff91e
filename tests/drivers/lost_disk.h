// What a driver does with a volume whose disk was pulled out.
#pragma once

#include "tests/drivers/driver.h"
#include "tests/drivers/positions.h"

namespace longshore::test {

// A volume is staged and published when its disk is pulled out: unpublished and unstaged all the
// same, with a warning in the agent's log, by one repetition at the most. The next disk is staged
// at the same place.
void check_lost_disk(const Driver& driver, const Nodes& nodes);

}  // namespace longshore::test
