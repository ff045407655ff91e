#include <malloc.h>

#include "main/heaps.h"

namespace longshore {

void share_heaps() { mallopt(M_ARENA_MAX, 2); }

}  // namespace longshore
