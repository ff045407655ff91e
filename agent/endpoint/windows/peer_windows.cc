#include <windows.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "config/user_names.h"
#include "config/windows/access_token.h"
#include "endpoint/peer.h"
#include "longshore/windows/handle.hpp"
#include "longshore/windows/wide_text.hpp"

namespace longshore::endpoint {
namespace {

using config::AccessToken;

// The client's own token, for as long as this thread acts for it.
class Impersonation {
 public:
  explicit Impersonation(HANDLE pipe) : is_on_(ImpersonateNamedPipeClient(pipe)) {}
  ~Impersonation() {
    // Nobody may go on with a client's rights. That this fails has never been seen; then the
    // process must not go on either.
    if (is_on_ && !RevertToSelf()) TerminateProcess(GetCurrentProcess(), 1);
  }
  Impersonation(const Impersonation&) = delete;
  Impersonation& operator=(const Impersonation&) = delete;

  explicit operator bool() const { return is_on_; }

 private:
  const bool is_on_;
};

// Go's clients, which are nearly all, let nobody impersonate them, and before the first bytes of a
// client have been read Windows may refuse it too.
std::optional<AccessToken> token_by_impersonation(HANDLE pipe) {
  const Impersonation client(pipe);
  if (!client) return std::nullopt;
  auto token = AccessToken::of_this_thread();
  if (token && token->is_anonymous()) return std::nullopt;
  return token;
}

// Of a path that a client has made long only the beginning is kept, for as long as it is connected.
std::string image_of(HANDLE process) {
  constexpr DWORD kMaxKept = 1024;
  std::array<wchar_t, 32768> path{};
  DWORD size = static_cast<DWORD>(path.size());
  if (!QueryFullProcessImageNameW(process, 0, path.data(), &size)) return {};
  return narrow({path.data(), std::min(size, kMaxKept)});
}

uint64_t number_of(const FILETIME& time) {
  return (uint64_t{time.dwHighDateTime} << 32) | time.dwLowDateTime;
}

// A process that began only now is not who connected, but one that has its number after it.
bool began_before(HANDLE process, uint64_t moment) {
  FILETIME begin{}, end{}, kernel{}, user{};
  return GetProcessTimes(process, &begin, &end, &kernel, &user) && number_of(begin) <= moment;
}

}  // namespace

Result<Peer> peer_of(intptr_t connection) {
  const auto failed = [](const std::error_code& error) {
    return Error(StatusCode::kUnknown, "ask who connected").because(error);
  };
  const HANDLE pipe = reinterpret_cast<HANDLE>(connection);
  FILETIME now{};
  GetSystemTimeAsFileTime(&now);
  ULONG number = 0;
  const BOOL is_known = GetNamedPipeClientProcessId(pipe, &number);
  if (const std::error_code error = error_unless(is_known != FALSE)) return failed(error);
  const Handle process(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, number));
  if (!process || !began_before(process.get(), number_of(now))) {
    return Error(StatusCode::kFailedPrecondition, "ask who connected")
        .because("the process that connected has ended already");
  }
  auto token = token_by_impersonation(pipe);
  if (!token) {
    token = AccessToken::of_process(process.get());
    const std::error_code error = error_unless(token.has_value());
    if (!token) return failed(error);
  }
  Peer peer;
  peer.user = token->user();
  const std::error_code error = error_unless(!peer.user.empty());
  if (peer.user.empty()) return failed(error);
  peer.groups = token->groups();
  peer.process = static_cast<int>(number);
  peer.image = image_of(process.get());
  peer.own_user = token->is_privileged() || peer.user == config::own_user_id();
  peer.same_pid_namespace = true;
  peer.pid_namespace = number;
  return peer;
}

}  // namespace longshore::endpoint
