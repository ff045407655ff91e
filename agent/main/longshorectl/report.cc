#include "main/longshorectl/report.h"

#include <google/protobuf/struct.pb.h>

#include <algorithm>
#include <iostream>

#include "main/longshorectl/json_message.h"

namespace longshore::ctl {

void Report::line(const std::string& text) const { std::cout << text << std::endl; }

void Report::message(const google::protobuf::Message& message) const {
  const Result<std::string> json = to_json(message, JsonForm::kOneLine);
  line(json ? *json : "{}");
}

int Report::fail(ExitCode code, const Error& error) const {
  const std::string name = status_code_name(error.code());
  if (json_) {
    google::protobuf::Struct object;
    auto& fields = *object.mutable_fields();
    fields["code"].set_string_value(name);
    fields["message"].set_string_value(error.message());
    fields["exit_code"].set_number_value(code);
    const Result<std::string> json = to_json(object, JsonForm::kOneLine);
    std::cerr << (json ? *json : "{}") << '\n';
  } else if (code == kExitCallFailed) {
    std::cerr << name << ": " << printable(error.message()) << '\n';
  } else {
    std::cerr << "longshorectl: " << printable(error.message()) << '\n';
  }
  return code;
}

std::string printable(std::string text) {
  const auto is_control = [](char c) {
    return c != '\n' && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f);
  };
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

}  // namespace longshore::ctl
