/* Forgets its invoke. */
#include "hostile.h"

MODULE(start_well, NULL, stop_well, destroy_well);
