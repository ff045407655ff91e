// What an API server makes of patches, in JSON merge patch and in JSON patch.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string>

namespace longshore::external_attacher {

namespace json = boost::json;

// RFC 7386.
inline void merge(json::value& target, const json::value& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) target = json::object();
  for (const auto& member : patch.get_object()) {
    if (member.value().is_null()) {
      target.get_object().erase(member.key());
    } else {
      merge(target.get_object()[member.key()], member.value());
    }
  }
}

// RFC 6902, as far as it is used here: members are added, and elements added and removed. False: a
// test fails.
inline bool change(json::value& target, const json::array& patch) {
  for (const json::value& operation : patch) {
    const std::string op(operation.at("op").as_string());
    const std::string path(operation.at("path").as_string());
    json::error_code error;
    if (op == "test") {
      const json::value* const found = target.find_pointer(path, error);
      if ((found ? *found : json::value()) != operation.at("value")) return false;
      continue;
    }
    const size_t slash = path.rfind('/');
    json::value& parent = target.at_pointer(path.substr(0, slash));
    const std::string part = path.substr(slash + 1);
    if (parent.is_object()) {
      parent.get_object()[part] = operation.at("value");
    } else if (part == "-") {
      parent.as_array().push_back(operation.at("value"));
    } else {
      parent.as_array().erase(parent.as_array().begin() + std::stol(part));
    }
  }
  return true;
}

}  // namespace longshore::external_attacher
