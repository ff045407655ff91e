// Whether the agent and the module host understand each other. Both say in their first frame what
// they speak; see Hello and Ready.
#pragma once

#include <string>

#include "longshore/abi.h"
#include "longshore/result.hpp"
#include "supervise/frames.h"

namespace longshore::supervise {

// A first frame with our versions in it.
template <typename Greeting>
Greeting with_own_versions() {
  Greeting greeting;
  greeting.set_protocol(kProtocolVersion);
  greeting.set_abi_major(LONGSHORE_ABI_MAJOR);
  greeting.set_abi_minor(LONGSHORE_ABI_MINOR);
  return greeting;
}

// `other` greeted us.
template <typename Greeting>
Result<void> check_versions(const Greeting& greeting, const std::string& other,
                            const std::string& own) {
  const auto versions = [](uint32_t protocol, uint32_t major, uint32_t minor) {
    return "version " + std::to_string(protocol) + " of their protocol with ABI " +
           std::to_string(major) + '.' + std::to_string(minor);
  };
  const std::string its = versions(greeting.protocol(), greeting.abi_major(), greeting.abi_minor());
  const std::string ours = versions(kProtocolVersion, LONGSHORE_ABI_MAJOR, LONGSHORE_ABI_MINOR);
  if (its == ours) return {};
  return Error(StatusCode::kFailedPrecondition, "run the module in a process of its own")
      .because(other + " speaks " + its + ", and " + own + " " + ours)
      .advise("install both from one package, and restart the agent");
}

}  // namespace longshore::supervise
