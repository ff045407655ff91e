#include <windows.h>

#include "router/heaps.h"

namespace longshore::router {

// The process heap is one for all threads.
void share_heaps() {}

void give_back_heaps() { HeapCompact(GetProcessHeap(), 0); }

}  // namespace longshore::router
