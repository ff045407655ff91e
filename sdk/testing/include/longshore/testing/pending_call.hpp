// A call that the module may still be answering. Made by FakeHost::begin.
//
// Owner: cheap to copy; all copies are the same call. Threads: the test's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::testing {

class Session;      // a host's state, shared with its calls
struct CallRecord;  // one call in it

class PendingCall {
 public:
  PendingCall(std::shared_ptr<Session> session, std::shared_ptr<CallRecord> record)
      : session_(std::move(session)), record_(std::move(record)) {}

  bool finished() const;

  // Ends the caller's interest, as a caller's disconnecting does. The module still has to finish.
  void cancel();
  // Allows so many more messages, and tells the module if it was refused one.
  void grant(uint32_t messages);

  // Waits for the next message of a stream; nothing when there is none any more.
  template <typename Message>
  std::optional<Message> next() {
    std::optional<std::string> bytes = next_bytes();
    if (!bytes) return std::nullopt;
    Message message;
    if (!parse(*bytes, message)) return std::nullopt;
    return message;
  }
  std::optional<std::string> next_bytes();

  // Waits for the end, and gives the answer of a unary method. DEADLINE_EXCEEDED, and a violation,
  // if the end does not come within the host's patience.
  template <typename Response>
  Result<Response> wait() {
    auto all = wait_for_all<Response>();
    if (!all) return std::move(all).error();
    if (all->empty())
      return Error(StatusCode::kInternal, "read the answer").because("there is none");
    return std::move(all->front());
  }

  // Waits for the end, and gives the messages that `next` has not given.
  template <typename Message>
  Result<std::vector<Message>> wait_for_all() {
    auto bytes = wait_for_all_bytes();
    if (!bytes) return std::move(bytes).error();
    std::vector<Message> messages(bytes->size());
    for (size_t i = 0; i < messages.size(); ++i) {
      if (!parse((*bytes)[i], messages[i])) {
        return Error(StatusCode::kInternal, "read the answer").because("it is not a valid message");
      }
    }
    return messages;
  }
  Result<std::vector<std::string>> wait_for_all_bytes();

 private:
  // A message that does not parse is a violation.
  template <typename Message>
  bool parse(const std::string& bytes, Message& message) {
    if (message.ParseFromString(bytes)) return true;
    report_unreadable();
    return false;
  }
  void report_unreadable();

  std::shared_ptr<Session> session_;
  std::shared_ptr<CallRecord> record_;
};

}  // namespace longshore::testing
