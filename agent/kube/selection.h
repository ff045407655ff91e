// Which objects of an API server: those of one kind, in one namespace or in all, and of them what
// selectors name. Threads: any; values.
#pragma once

#include <compare>
#include <string>

namespace longshore::kube {

struct Selection {
  std::string path;            // "/api/v1/persistentvolumes"
  std::string label_selector;  // "app=a"; empty: all
  std::string field_selector;  // "spec.nodeName=n"; empty: all

  auto operator<=>(const Selection&) const = default;
};

}  // namespace longshore::kube
