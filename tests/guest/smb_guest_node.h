// What a node does with the shares of the guest's file server, as the smb group's service does it
// on the guest's kernel.
#pragma once

#include <string>

#include "smb/smb_service.h"
#include "tests/guest/smb_guest_world.h"

namespace longshore::smb {

inline std::string outcome_text(const Result<void>& result) {
  return result ? "OK" : status_code_name(result.error().code()) + " " + result.error().message();
}

struct Node {
  explicit Node(const GuestBackend& setup = {}) : world(setup) {}

  std::string map_as(std::string user, std::string password, const std::string& remote,
                     const std::string& local) {
    return outcome_text(service.new_mapping(remote, local, user, password, {}, "request"));
  }
  std::string map(const std::string& remote, const std::string& local) {
    return map_as(world.user(), world.password(), remote, local);
  }
  std::string unmap(const std::string& remote) {
    return outcome_text(service.remove_mapping(remote, {}, "request"));
  }

  GuestWorld world;
  SmbService service{*support::AllowedRoots::from({world.root()}), world.backend()};
};

}  // namespace longshore::smb
