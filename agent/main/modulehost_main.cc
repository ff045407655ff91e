// longshore-modulehost: runs one module in a process of its own, for longshored.
#include <cstdlib>

#include "supervise/child/run_child.h"

// Not exit(): modules may have left threads behind.
int main() { std::_Exit(longshore::supervise::run_child()); }
