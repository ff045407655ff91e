#include "tests/faults/fault_injection.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <stdexcept>

#include "tests/support/build_tree.h"

namespace longshore::test {

FaultInjection::FaultInjection() {
  const std::string path = directory_ / "plan";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  void* memory = MAP_FAILED;
  if (file >= 0 && ::ftruncate(file, sizeof(FaultPlan)) == 0) {
    memory = ::mmap(nullptr, sizeof(FaultPlan), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  if (file >= 0) ::close(file);
  if (memory == MAP_FAILED) throw std::runtime_error("cannot map " + path);
  plan_ = new (memory) FaultPlan();
}

FaultInjection::~FaultInjection() { ::munmap(plan_, sizeof(FaultPlan)); }

std::vector<std::string> FaultInjection::variables() const {
  return {"LD_PRELOAD=" + built_program("failing_calls.so"),
          std::string(kFaultPlanVariable) + "=" + (directory_ / "plan")};
}

void FaultInjection::fail_allocations(uint64_t first, uint64_t count, MemoryFaults::Of of) {
  auto& memory = plan_->memory;
  memory.last = 0;  // nothing fails while the rest is written
  memory.of = of;
  memory.first = first;
  memory.failed = 0;
  memory.allocations = 0;
  memory.last = count == 0 ? 0 : first + count - 1;
}

}  // namespace longshore::test
