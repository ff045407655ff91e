// Global mappings by WMI's class MSFT_SmbGlobalMapping.
//
// All mappings are asked for and compared here: what a caller sent stands in no query.
//
// Threads: any number at once.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "smb/windows/global_mappings.h"
#include "support/windows/wmi.h"

namespace longshore::smb {

class WmiGlobalMappings final : public GlobalMappings {
 public:
  explicit WmiGlobalMappings(std::shared_ptr<support::Wmi> wmi) : wmi_(std::move(wmi)) {}

  Result<std::optional<MappingStatus>> status(const std::string& root,
                                              const Deadline& deadline) override;
  Result<WindowsCode> create(const std::string& root, const Credentials& credentials,
                             bool require_privacy, const Deadline& deadline) override;
  Result<WindowsCode> remove(const std::string& root, const Deadline& deadline) override;

 private:
  // Without an object's path: there is none.
  Result<support::WmiObject> find(const std::string& root, const Deadline& deadline);

  const std::shared_ptr<support::Wmi> wmi_;
};

// User and password as the class takes them, "domain\\user:password": a backslash and a colon in
// the user's name have a backslash before them.
support::Secret credential_text(const Credentials& credentials);

}  // namespace longshore::smb
