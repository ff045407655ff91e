#include "tools/longshorectl/json_message.h"

#include <google/protobuf/util/json_util.h>

#include <vector>

#include "longshore/annotations.pb.h"

namespace longshore::ctl {

namespace protobuf = google::protobuf;

Result<std::string> to_json(const protobuf::Message& message, JsonForm form) {
  protobuf::util::JsonPrintOptions options;
  options.add_whitespace = form == JsonForm::kIndented;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string json;
  const auto status = protobuf::util::MessageToJsonString(message, &json, options);
  if (!status.ok()) {
    return Error(StatusCode::kInternal, "show as JSON", message.GetTypeName())
        .because(std::string(status.message()));
  }
  json.erase(json.find_last_not_of('\n') + 1);
  return json;
}

Result<void> from_json(const std::string& json, protobuf::Message& message) {
  if (json.find_first_not_of(" \t\r\n") == std::string::npos) return {};
  const auto status = protobuf::util::JsonStringToMessage(json, &message);
  if (status.ok()) return {};
  // The lines that follow quote the input, which may hold secrets.
  const std::string text(status.message());
  return Error(StatusCode::kInvalidArgument, "read the JSON of", message.GetTypeName())
      .because(text.substr(0, text.find('\n')));
}

std::string secret_in(const protobuf::Message& message) {
  const auto* reflection = message.GetReflection();
  std::vector<const protobuf::FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->options().GetExtension(longshore::secret)) return field->full_name();
    if (field->cpp_type() != protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const int count = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      std::string inner =
          secret_in(field->is_repeated() ? reflection->GetRepeatedMessage(message, field, i)
                                         : reflection->GetMessage(message, field));
      if (!inner.empty()) return inner;
    }
  }
  return {};
}

}  // namespace longshore::ctl
