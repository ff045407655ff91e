#include "tests/support/same_on_wire.h"

#include <map>
#include <stdexcept>

#include "longshore/module/descriptors.pb.h"

namespace longshore::test {
namespace {

namespace descriptors = module::descriptors;

// Of google.protobuf.FieldDescriptorProto.Type.
constexpr int kMessage = 11;

// Messages and services by their full names, as descriptors write those of types: ".v1.DiskIDs".
class Described {
 public:
  explicit Described(const module::v1::Description& description) {
    if (!files_.ParseFromString(description.file_descriptor_set())) {
      throw std::runtime_error("the module's descriptors are no message");
    }
    for (const auto& file : files_.file()) {
      const std::string package = "." + file.package();
      for (const auto& service : file.service())
        services_[package + "." + service.name()] = &service;
      for (const auto& message : file.message_type()) add(package, message);
    }
  }

  const descriptors::Service& service(const std::string& name) const {
    return *services_.at("." + name);
  }
  const descriptors::Message& message(const std::string& name) const { return *messages_.at(name); }

 private:
  void add(const std::string& within, const descriptors::Message& message) {
    const std::string name = within + "." + message.name();
    messages_[name] = &message;
    for (const auto& nested : message.nested_type()) add(name, nested);
  }

  descriptors::FileSet files_;
  std::map<std::string, const descriptors::Service*> services_;
  std::map<std::string, const descriptors::Message*> messages_;
};

// The first field of `less` that `more` has not, or has otherwise; empty when there is none.
std::string lacking(const Described& described, const std::string& less, const std::string& more) {
  for (const auto& field : described.message(less).field()) {
    const descriptors::Field* same = nullptr;
    for (const auto& other : described.message(more).field()) {
      if (other.number() == field.number()) same = &other;
    }
    if (!same || same->type() != field.type() || same->label() != field.label()) {
      return more + " lacks " + less + "." + field.name();
    }
    if (field.type() != kMessage) continue;
    std::string inner = lacking(described, field.type_name(), same->type_name());
    if (!inner.empty()) return inner;
  }
  return {};
}

}  // namespace

std::vector<std::string> differences_on_wire(const module::v1::Description& description,
                                             const std::string& service,
                                             const std::string& handled_as) {
  const Described described(description);
  std::vector<std::string> differences;
  bool shares_methods = false;
  for (const auto& called : described.service(service).method()) {
    for (const auto& handled : described.service(handled_as).method()) {
      if (called.name() != handled.name()) continue;
      shares_methods = true;
      for (const std::string& difference :
           {lacking(described, called.input_type(), handled.input_type()),
            lacking(described, handled.input_type(), called.input_type()),
            lacking(described, handled.output_type(), called.output_type())}) {
        if (!difference.empty()) {
          differences.push_back(service + "/" + called.name() + ": " + difference);
        }
      }
    }
  }
  if (!shares_methods) differences.push_back(service + ": no method of " + handled_as);
  return differences;
}

}  // namespace longshore::test
