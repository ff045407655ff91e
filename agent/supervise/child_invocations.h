// The calls that the module in a child process makes, as calls of its instance in the agent.
//
// Threads: `begin`, `cancel`, `grant` and `cancel_all` the one that reads the child's frames;
// answers come on any. Owner: the one life of a process; answers that come later find nobody.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "longshore/abi.h"
#include "longshore/child/v1.pb.h"
#include "router/credit.h"
#include "supervise/child_connection.h"

namespace longshore::supervise {

class ChildInvocations : public std::enable_shared_from_this<ChildInvocations> {
 public:
  ChildInvocations(const longshore_host* host, std::shared_ptr<ChildConnection> child)
      : host_(host), child_(std::move(child)) {}

  // `id` is the child's.
  void begin(uint64_t id, const child::v1::Invoke& invoke, std::string_view request);
  void cancel(uint64_t id);
  void grant(uint64_t id, uint32_t messages);
  void cancel_all();

 private:
  struct Invocation {
    std::shared_ptr<ChildInvocations> calls;
    uint64_t id = 0;
    longshore_invocation handle = 0;
    // The child grants it, but never more than kStreamCredit: what it does not read waits here.
    // Guarded by the mutex.
    router::Credit credit;
  };
  static void on_message(void* user, longshore_invocation handle, longshore_bytes message);
  static void on_finish(void* user, longshore_invocation handle, longshore_status_code code,
                        longshore_bytes text);
  void send_end(uint64_t id, longshore_status_code code, std::string_view text) const;
  std::shared_ptr<Invocation> find(uint64_t id) const;

  const longshore_host* const host_;
  const std::shared_ptr<ChildConnection> child_;
  mutable std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<Invocation>> running_;
};

}  // namespace longshore::supervise
