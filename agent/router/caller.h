// Who makes a call, and what it may call.
#pragma once

#include <memory>
#include <set>
#include <string>

namespace longshore::router {

// Made once per connection or instance and shared by its calls.
struct Caller {
  std::string identity;      // "uid:0", "sid:S-1-5-18", "module:volume", "embedder", "agent"
  std::string on_behalf_of;  // who the first call of the chain came from
  // For modules: the methods that `may_call` names; an entry that is a service allows all of its
  // methods. Null allows everything, as for callers whose endpoint has already decided.
  std::shared_ptr<const std::set<std::string, std::less<>>> may_call;
};

}  // namespace longshore::router
