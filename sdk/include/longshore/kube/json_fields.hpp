// Reads the members of a Kubernetes object that a controller needs, and says in one sentence what
// is wrong with it: the first member that is missing or has another type than the API says.
//
//   JsonDocument document("PersistentVolume", text);
//   const JsonFields csi = document.root().object("spec").object("csi");
//   const std::string handle = csi.required_text("volumeHandle");
//   if (auto checked = document.check(); !checked) return checked.error();
//
// After a complaint reading goes on with empty values, so that only the end has to look. What is
// null is not there, as Kubernetes has it. A member's name is taken as it is, with its dots and
// slashes: object("metadata").object("annotations").text("acme.example/size").
//
// Threads: one at a time. Owner: whoever parses; fields do not outlive their document.
#pragma once

#include <array>
#include <boost/json/memory_resource.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::kubernetes {

class JsonDocument;

// An object, or none: then all in it is missing.
class JsonFields {
 public:
  JsonFields(JsonDocument& document, const boost::json::object* object, std::string path)
      : document_(&document), object_(object), path_(std::move(path)) {}

  bool is_there() const { return object_ != nullptr; }
  bool has(std::string_view name) const { return find(name) != nullptr; }

  JsonFields object(std::string_view name) const;
  std::string text(std::string_view name) const;           // missing: empty
  std::string required_text(std::string_view name) const;  // missing or empty: a complaint
  bool boolean(std::string_view name) const;               // missing: false
  std::vector<std::string> texts(std::string_view name) const;
  std::map<std::string, std::string> text_map(std::string_view name) const;
  // The same without a copy; another value than a text is a complaint, and left out.
  void each_text(std::string_view name,
                 const std::function<void(std::string_view, std::string_view)>& take) const;
  std::vector<JsonFields> objects(std::string_view name) const;
  // "spec.csi.fsType"
  std::string path_of(std::string_view name) const;

 private:
  const boost::json::value* find(std::string_view name) const;
  std::optional<std::string> text_of(const boost::json::value& value,
                                     const std::string& path) const;

  JsonDocument* document_;
  const boost::json::object* object_;
  std::string path_;
};

class JsonDocument {
 public:
  // `kind`: what sentences name it. `memory` is used for everything that is parsed; without it the
  // document has its own, so that what a controller keeps does not lie between what goes again.
  JsonDocument(std::string kind, std::string_view text);
  JsonDocument(std::string kind, std::string_view text, boost::json::storage_ptr memory);
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  JsonFields root();
  // `metadata.name`; missing: a complaint. Sentences name the object by it from then on, and by the
  // namespace where there is one.
  std::string read_name();

  // The first complaint counts: `what` follows `cannot read the <kind> "<namespace>/<name>": `.
  void complain(const std::string& what);
  // FAILED_PRECONDITION: somebody has complained.
  Result<void> check() const;

 private:
  static constexpr size_t kFirstBytes = 4096;  // enough for most

  void parse(std::string_view text, const boost::json::storage_ptr& memory);

  std::array<unsigned char, kFirstBytes> first_;
  boost::json::monotonic_resource own_memory_{first_.data(), first_.size()};
  const std::string kind_;
  std::string named_;
  boost::json::value value_;
  std::optional<std::string> complaint_;
};

}  // namespace longshore::kubernetes
