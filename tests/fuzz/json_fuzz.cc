// Any text as the JSON of a call: what is read must be written as JSON that reads as the same
// message; the search for secrets must come to its end.
#include <google/protobuf/descriptor.pb.h>

#include <cstdlib>
#include <string>

#include "tools/longshorectl/json_message.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

// A FileDescriptorProto has fields of nearly every kind, and nests.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace longshore::ctl;
  const std::string text(reinterpret_cast<const char*>(data), size);
  google::protobuf::FileDescriptorProto message;
  const auto read = from_json(text, message);
  if (!read) {
    require(read.error().message().find('\n') == std::string::npos);
    return 0;
  }
  (void)secret_in(message);
  const auto json = to_json(message, JsonForm::kOneLine);
  require(json.ok());
  require(json->find('\n') == std::string::npos);
  google::protobuf::FileDescriptorProto again;
  require(from_json(*json, again).ok());
  // Not the bytes: JSON writes defaults out, which sets the fields of proto2 messages like this
  // one.
  const auto same = to_json(again, JsonForm::kOneLine);
  require(same.ok() && *same == *json);
  return 0;
}
