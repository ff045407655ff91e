/* Nothing is wrong with this one. */
#include "hostile.h"

MODULE(start_well, invoke_well, stop_well, destroy_well);
