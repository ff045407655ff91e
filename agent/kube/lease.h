// A Lease of Kubernetes' (coordination.k8s.io/v1) as an election reads and writes it.
//
// What an election does not know of an object stays as it is: a write is the object that was read
// with some members replaced.
//
// Threads: any; values.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/object.h"
#include "longshore/result.hpp"

namespace longshore::kube {

struct Lease {
  Object object;
  std::string spec;                  // as it is written: the record of client-go's
  std::string holder;                // empty: it is free
  std::chrono::seconds duration{0};  // 0: it names none
};

// Where people find what a role has to allow for it.
inline constexpr const char* kLeaseRoleFile = "deploy/kubernetes/rbac/leases.yaml";

// Of an answer's body.
Result<Lease> parse_lease(std::string_view body);

// Whose lease, for how long.
struct LeaseClaim {
  std::string name_space;
  std::string name;
  std::string holder;
  std::chrono::seconds duration{15};
  std::vector<std::pair<std::string, std::string>> labels;  // that the lease is to have

  std::string text() const { return name_space + '/' + name; }
};

using WallTime = std::chrono::system_clock::time_point;

// The objects to write, as JSON. `now` is for people alone: nobody may compare it with a clock of
// its own.
std::string new_lease(const LeaseClaim& claim, WallTime now);
// Its holder's, or taken from another.
std::string claimed_lease(const Lease& lease, const LeaseClaim& claim, WallTime now);
// For anybody to take at once.
std::string released_lease(const Lease& lease, WallTime now);

}  // namespace longshore::kube
