// longshore-modulehost: runs one module in a process of its own, for longshored.
#include <cstdlib>
#include <string>

#include "core/version.h"
#include "observe/crash_handler.h"
#include "router/heaps.h"
#include "supervise/child/run_child.h"

// Not exit(): modules may have left threads behind.
int main() {
  using namespace longshore;
  router::share_heaps();
  // The agent reads what is printed, and keeps the record.
  observe::install_crash_handler({.program = std::string("longshore-modulehost ") + core::kVersion,
                                  .log = 2,
                                  .form = observe::CrashOptions::LogForm::kPlain});
  std::_Exit(supervise::run_child());
}
