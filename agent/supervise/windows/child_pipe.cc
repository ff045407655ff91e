#include "supervise/windows/child_pipe.h"

// windows.h comes before these.
#include <aclapi.h>
#include <bcrypt.h>
#include <sddl.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "longshore/windows/local_memory.hpp"
#include "text/hexadecimal.h"

namespace longshore::supervise {
namespace {

constexpr DWORD kBytes = 64 << 10;

// An access control list with this process's user in it, and nobody else.
class OwnUserOnly {
 public:
  OwnUserOnly() {
    HANDLE opened = nullptr;
    error_ = error_unless(OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &opened) != FALSE);
    if (error_) return;
    const Handle token(opened);
    std::vector<char> user(sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE);
    DWORD size = 0;
    error_ = error_unless(GetTokenInformation(token.get(), TokenUser, user.data(),
                                              static_cast<DWORD>(user.size()), &size) != FALSE);
    if (error_) return;
    wchar_t* sid = nullptr;
    error_ = error_unless(ConvertSidToStringSidW(
                              reinterpret_cast<TOKEN_USER*>(user.data())->User.Sid, &sid) != FALSE);
    if (error_) return;
    const LocalMemory<wchar_t> owned_sid(sid);
    const std::wstring text = std::wstring(L"D:P(A;;GA;;;") + sid + L")";
    PSECURITY_DESCRIPTOR descriptor = nullptr;
    error_ = error_unless(ConvertStringSecurityDescriptorToSecurityDescriptorW(
                              text.c_str(), SDDL_REVISION_1, &descriptor, nullptr) != FALSE);
    descriptor_.reset(descriptor);
  }

  explicit operator bool() const { return descriptor_ != nullptr; }
  // Why there is none.
  const std::error_code& error() const { return error_; }
  SECURITY_ATTRIBUTES attributes() const {
    return {sizeof(SECURITY_ATTRIBUTES), descriptor_.get(), FALSE};
  }

 private:
  LocalMemory<void> descriptor_;
  std::error_code error_;
};

// Empty: there is no randomness to be had.
std::wstring unguessable_name() {
  uint8_t random[16];
  if (BCryptGenRandom(nullptr, random, sizeof(random), BCRYPT_USE_SYSTEM_PREFERRED_RNG) != 0) {
    return {};
  }
  const std::string digits = text::hexadecimal(std::as_bytes(std::span(random)));
  return L"\\\\.\\pipe\\longshore-" + std::wstring(digits.begin(), digits.end());
}

}  // namespace

Result<ChildPipe> make_child_pipe(Direction direction, Way its) {
  const auto failed = [](const std::error_code& error) {
    return Error(StatusCode::kUnknown, "make a pipe").because(error);
  };
  const OwnUserOnly own_user;
  if (!own_user) return failed(own_user.error());
  const std::wstring name = unguessable_name();
  if (name.empty()) {
    return Error(StatusCode::kInternal, "make a pipe").because("Windows gives no random numbers");
  }
  const bool to_child = direction == Direction::kToChild;
  SECURITY_ATTRIBUTES attributes = own_user.attributes();
  ChildPipe pipe;
  pipe.own = Handle(
      CreateNamedPipeW(name.c_str(),
                       (to_child ? PIPE_ACCESS_OUTBOUND : PIPE_ACCESS_INBOUND) |
                           FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
                       PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS,
                       1, kBytes, kBytes, 0, &attributes));
  if (!pipe.own) return failed(pipe.own.error());
  attributes.bInheritHandle = TRUE;
  pipe.its = Handle(CreateFileW(name.c_str(), to_child ? GENERIC_READ : GENERIC_WRITE, 0,
                                &attributes, OPEN_EXISTING,
                                its == Way::kOverlapped ? FILE_FLAG_OVERLAPPED : 0, nullptr));
  if (!pipe.its) return failed(pipe.its.error());
  return pipe;
}

}  // namespace longshore::supervise
