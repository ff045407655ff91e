// A target as the suite of the iscsi group describes it.
#pragma once

#include <string>

#include "iscsi/iscsi_backend.h"

namespace longshore::iscsi {

inline Target the_target() { return {{"192.0.2.1", 3260}, "iqn.2001-04.org.example:disks"}; }

// CHAP, both ways.
inline constexpr const char* kNodeSecret = "node-secret-1";
inline constexpr const char* kTargetSecret = "target-secret1";

struct TargetSetup {
  // What it asks of nodes (CHAP); nothing without a name.
  std::string username = {};
  std::string secret = {};
  // What it proves to nodes that ask (MUTUAL_CHAP), under its own name.
  std::string own_secret = {};
  int disks = 1;
};

}  // namespace longshore::iscsi
