// Who makes a call, and what it may call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/user_id.h"

namespace longshore::router {

// The ids by which rules of permissions name a caller.
struct UserIds {
  config::UserId user = {};
  std::vector<config::UserId> groups = {};  // its own and the supplementary ones
};

// Made once per connection or instance and shared by its calls.
struct Caller {
  std::string identity;      // "uid:0", "sid:S-1-5-18", "module:volume", "embedder", "agent"
  std::string on_behalf_of;  // who the first call of the chain came from; both for people to read
  // For modules: the methods that `may_call` names; an entry that is a service allows all of its
  // methods. Null allows everything, as for callers whose endpoint has already decided.
  std::shared_ptr<const std::set<std::string, std::less<>>> may_call;
  // None for modules, which are never authorised by the ids of who they act for.
  std::optional<UserIds> ids = {};
  // Of the peer, or 0. Only logged: a number can be used again by another process.
  int process = 0;
  std::string program = {};  // that process's, where the system tells that; only logged
  // Where calls wait, flows take turns: callers of the same number are one flow.
  uint64_t flow = 0;
  // What its calls hold is charged to an account of its own (rpc/memory_account.h).
  bool has_account = false;
  std::string module = {};  // its name; empty: it is none
};

}  // namespace longshore::router
