// Which members of an object somebody wants to have: a projection, as the field masks of Google's
// APIs are, of JSON.
//
// Always there is what names an object, and what a controller must not miss: `apiVersion`, `kind`,
// and `metadata`, with finalizers and deletionTimestamp, but without `annotations` and `labels`,
// which may be large.
//
// Threads: any; values.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::kube {

class FieldMask {
 public:
  FieldMask() = default;  // all
  // "spec.csi", "metadata.annotations"; empty: all. INVALID_ARGUMENT: an empty part, one that is
  // too long, or too many.
  static Result<FieldMask> make(const std::vector<std::string>& fields);

  // `object` is compact JSON. What is no object where a field leads on stays as it is: its reader
  // says what is wrong.
  std::string masked(const std::string& object) const;

 private:
  bool has_whole(std::string_view path) const;
  bool has_below(const std::string& path) const;
  void append(std::string& text, std::string_view object, const std::string& path) const;

  std::set<std::string, std::less<>> fields_;  // none: all
};

}  // namespace longshore::kube
