#include "loader/message_schemas.h"

#include "router/field_type.h"

namespace longshore::loader {
namespace {

namespace descriptors = module::descriptors;
using router::FieldSchema;
using router::MessageSchemas;

void add_names(const std::string& scope, const descriptors::Message& message,
               MessageSchemas& schemas) {
  const std::string name = scope + "." + message.name();
  schemas.try_emplace(name);
  for (const auto& nested : message.nested_type()) add_names(name, nested, schemas);
}

// After all names are there, so that fields find the messages that they are.
void add_fields(const std::string& scope, const descriptors::Message& message,
                MessageSchemas& schemas) {
  const std::string name = scope + "." + message.name();
  for (const auto& field : message.field()) {
    if (field.number() < 1) continue;
    FieldSchema schema{field.name(), field.type(), field.label() == router::kRepeated,
                       field.options().secret(), nullptr};
    const auto type = schemas.find(field.type_name());
    if (type != schemas.end()) schema.message = &type->second;
    // Of two that a faulty description has, a secret one stays secret.
    FieldSchema& known = schemas[name]
                             .fields.try_emplace(static_cast<uint32_t>(field.number()), schema)
                             .first->second;
    known.secret |= schema.secret;
  }
  for (const auto& nested : message.nested_type()) add_fields(name, nested, schemas);
}

}  // namespace

std::shared_ptr<const MessageSchemas> message_schemas_of(const descriptors::FileSet& files) {
  auto schemas = std::make_shared<MessageSchemas>();
  const auto scope_of = [](const descriptors::File& file) {
    return file.package().empty() ? std::string() : "." + file.package();
  };
  for (const auto& file : files.file()) {
    for (const auto& message : file.message_type()) add_names(scope_of(file), message, *schemas);
  }
  for (const auto& file : files.file()) {
    for (const auto& message : file.message_type()) add_fields(scope_of(file), message, *schemas);
  }
  return schemas;
}

}  // namespace longshore::loader
