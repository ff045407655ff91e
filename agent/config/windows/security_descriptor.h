// Who may open an object, from Windows' security descriptor language.
//
// Threads: like any value, one at a time.
#pragma once

#include <windows.h>
// windows.h comes before it.
#include <sddl.h>

#include <memory>
#include <string>

#include "longshore/result.hpp"
#include "longshore/windows/handle.hpp"
#include "longshore/windows/local_memory.hpp"
#include "longshore/windows/wide_text.hpp"

namespace longshore::config {

class SecurityDescriptor {
 public:
  // An error also where it does not say who may open the object: others would decide that.
  static Result<SecurityDescriptor> parse(const std::string& sddl) {
    const auto refused = [&] {
      return Error(StatusCode::kInvalidArgument, "use as sddl", sddl)
          .advise("write a security descriptor, as \"D:P(A;;GA;;;SY)(A;;GA;;;BA)\"");
    };
    PSECURITY_DESCRIPTOR read = nullptr;
    const std::error_code error =
        error_unless(ConvertStringSecurityDescriptorToSecurityDescriptorW(
                         wide(sddl).c_str(), SDDL_REVISION_1, &read, nullptr) != FALSE);
    if (error) return refused().because(error);
    SecurityDescriptor descriptor(read);
    BOOL is_there = FALSE;
    BOOL is_default = FALSE;
    PACL openers = nullptr;
    if (!GetSecurityDescriptorDacl(read, &is_there, &openers, &is_default) || !is_there ||
        !openers) {
      return refused().because("it does not say who may open the pipe");
    }
    return descriptor;
  }

  // For a function that makes an object; not inherited by programs.
  SECURITY_ATTRIBUTES attributes() const {
    return {sizeof(SECURITY_ATTRIBUTES), descriptor_.get(), FALSE};
  }
  PSECURITY_DESCRIPTOR get() const { return descriptor_.get(); }

 private:
  explicit SecurityDescriptor(PSECURITY_DESCRIPTOR descriptor) : descriptor_(descriptor) {}

  LocalMemory<void> descriptor_;
};

}  // namespace longshore::config
