// One capability less for a while.
#pragma once

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>

namespace longshore::test {

// This thread without a capability.
class WithoutCapability {
 public:
  explicit WithoutCapability(unsigned capability) {
    REQUIRE(::syscall(SYS_capget, &header_, before_) == 0);
    __user_cap_data_struct less[2] = {before_[0], before_[1]};
    less[capability / 32].effective &= ~(1U << capability % 32);
    REQUIRE(::syscall(SYS_capset, &header_, less) == 0);
  }
  WithoutCapability(const WithoutCapability&) = delete;
  WithoutCapability& operator=(const WithoutCapability&) = delete;
  ~WithoutCapability() { ::syscall(SYS_capset, &header_, before_); }

 private:
  __user_cap_header_struct header_{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct before_[2]{};
};

}  // namespace longshore::test
