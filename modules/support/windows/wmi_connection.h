// One connection to a namespace of WMI, on the thread of the question that it is for.
//
// Threads: the one that it was opened on. Owner: lets go of the connection; the thread's COM
// outlives it.
#pragma once

#include <windows.h>
// After windows.h.
#include <wbemcli.h>

#include <string>
#include <vector>

#include "longshore/result.hpp"
#include "support/windows/com_objects.h"
#include "support/windows/wmi.h"

namespace longshore::support {

class WmiConnection {
 public:
  static Result<WmiConnection> open(const ComThread& com, const std::string& name_space);

  Result<std::vector<WmiObject>> query(const std::string& query) const;
  Result<WmiObject> call(const std::string& object, const std::string& method,
                         const WmiObject& arguments) const;

 private:
  explicit WmiConnection(ComPointer<IWbemServices> services) : services_(std::move(services)) {}
  Result<ComPointer<IWbemClassObject>> object_at(const std::string& path) const;
  // The method's parameters, filled in; none if it takes none.
  Result<ComPointer<IWbemClassObject>> parameters(const std::string& object,
                                                  const std::string& method,
                                                  const WmiObject& arguments) const;

  ComPointer<IWbemServices> services_;
};

}  // namespace longshore::support
