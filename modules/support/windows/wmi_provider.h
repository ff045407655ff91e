// Who answers a question to WMI, for as long as that takes: it may hang with the provider of a
// class, or with WMI's service. Tests put one of their own in place of it.
//
// Threads: any number at once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "longshore/result.hpp"
#include "support/windows/wmi.h"

namespace longshore::support {

class WmiProvider {
 public:
  virtual ~WmiProvider() = default;

  // As Wmi's.
  virtual Result<std::vector<WmiObject>> query(const std::string& name_space,
                                               const std::string& query) = 0;
  virtual Result<WmiObject> call(const std::string& name_space, const std::string& object,
                                 const std::string& method, const WmiObject& arguments) = 0;
};

// This node's WMI, by native COM on the thread that asks, connected for each question.
std::unique_ptr<WmiProvider> native_wmi_provider();

}  // namespace longshore::support
