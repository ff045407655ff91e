// A target as the suite of the iscsi group describes it.
#pragma once

#include <string>

namespace longshore::iscsi {

struct TargetSetup {
  // What it asks of nodes (CHAP); nothing without a name.
  std::string username = {};
  std::string secret = {};
  // What it proves to nodes that ask (MUTUAL_CHAP), under its own name.
  std::string own_secret = {};
  int disks = 1;
};

}  // namespace longshore::iscsi
