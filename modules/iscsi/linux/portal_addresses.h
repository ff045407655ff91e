// The addresses that a portal may have in records and sessions.
//
// Threads: any number at once. Owner: the backend; on destruction it waits for look-ups that the
// node's resolver has not ended.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "iscsi/portal.h"
#include "longshore/deadline.hpp"
#include "longshore/result.hpp"
#include "support/abandonable_calls.h"

namespace longshore::iscsi {

using Addresses = Result<std::vector<std::string>>;

// The addresses that the node's name service has for a host now; takes as long as the node's
// resolver does. UNAVAILABLE: it has none.
Addresses look_up(const std::string& host);

class PortalAddresses {
 public:
  using LookUp = std::function<Addresses(const std::string& host)>;
  explicit PortalAddresses(LookUp look_up) : look_up_(std::move(look_up)) {}

  // A literal address is itself. A host's name is the name and every address that it has now; that
  // is waited for as long as the deadline are not exceeded. UNAVAILABLE: it has none, so that
  // nobody can say what is connected through the portal, or an earlier look-up of it has not ended.
  // `operation` completes "cannot ...", and `object` is what it is tried on.
  //
  // A session is known to the kernel by an address alone. For one that was made when the name had
  // others than now see NodeRecords::addresses_through().
  Addresses of(const Portal& portal, const Deadline& deadline, std::string_view operation,
               const std::string& object);

 private:
  const LookUp look_up_;
  support::AbandonableCalls<Addresses> calls_{32};  // by the name
};

}  // namespace longshore::iscsi
