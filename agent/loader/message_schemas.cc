#include "loader/message_schemas.h"

#include <map>
#include <utility>
#include <vector>

#include "router/field_type.h"

namespace longshore::loader {
namespace {

namespace descriptors = module::descriptors;
using router::FieldSchema;
using router::MessageSchemas;

// A faulty description has several of one name.
using MessagesByName = std::multimap<std::string, const descriptors::Message*>;

void index(const std::string& scope, const descriptors::Message& message, MessagesByName& all) {
  const std::string name = scope + "." + message.name();
  all.emplace(name, &message);
  for (const auto& nested : message.nested_type()) index(name, nested, all);
}

MessagesByName all_messages(const descriptors::FileSet& files) {
  MessagesByName all;
  for (const auto& file : files.file()) {
    const std::string scope = file.package().empty() ? std::string() : "." + file.package();
    for (const auto& message : file.message_type()) index(scope, message, all);
  }
  return all;
}

class SchemaBuilder {
 public:
  explicit SchemaBuilder(const descriptors::FileSet& files)
      : files_(files), messages_(all_messages(files)) {}

  std::shared_ptr<const MessageSchemas> build() {
    for (const auto& file : files_.file()) {
      for (const auto& service : file.service()) {
        for (const auto& method : service.method()) static_cast<void>(reach(method.input_type()));
      }
    }
    while (!left_.empty()) {
      const auto [message, schema] = left_.back();
      left_.pop_back();
      add_fields(*message, *schema);
    }
    return schemas_;
  }

 private:
  // Its place in the map; what it holds is filled in later. Null: there is no such message.
  router::MessageSchema* reach(const std::string& name) {
    const auto [first, last] = messages_.equal_range(name);
    if (first == last) return nullptr;
    const auto [schema, is_new] = schemas_->try_emplace(name);
    if (is_new) {
      for (auto each = first; each != last; ++each) {
        left_.emplace_back(each->second, &schema->second);
      }
    }
    return &schema->second;
  }

  void add_fields(const descriptors::Message& message, router::MessageSchema& to) {
    for (const auto& field : message.field()) {
      if (field.number() < 1) continue;
      const FieldSchema schema{field.name(), field.type(), field.label() == router::kRepeated,
                               field.options().secret(), reach(field.type_name())};
      // Of two that a faulty description has, a secret one stays secret.
      FieldSchema& known =
          to.fields.try_emplace(static_cast<uint32_t>(field.number()), schema).first->second;
      known.secret |= schema.secret;
    }
  }

  const descriptors::FileSet& files_;
  const MessagesByName messages_;
  const std::shared_ptr<MessageSchemas> schemas_ = std::make_shared<MessageSchemas>();
  std::vector<std::pair<const descriptors::Message*, router::MessageSchema*>> left_;
};

}  // namespace

std::shared_ptr<const MessageSchemas> message_schemas_of(const descriptors::FileSet& files) {
  return SchemaBuilder(files).build();
}

}  // namespace longshore::loader
