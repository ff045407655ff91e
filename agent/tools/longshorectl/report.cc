#include "tools/longshorectl/report.h"

#include <algorithm>
#include <iostream>

#include "longshore/ctl/v1.pb.h"
#include "tools/longshorectl/json_message.h"

namespace longshore::ctl {

void Report::line(const std::string& text) const { std::cout << text << std::endl; }

void Report::message(const google::protobuf::Message& message) const {
  const Result<std::string> json = to_json(message, JsonForm::kOneLine);
  line(json ? *json : "{}");
}

int Report::fail(ExitCode code, const Error& error) const {
  const std::string name = status_code_name(error.code());
  if (json_) {
    v1::Failure failure;
    failure.set_code(name);
    failure.set_message(error.message());
    failure.set_exit_code(code);
    const Result<std::string> json = to_json(failure, JsonForm::kOneLine);
    std::cerr << (json ? *json : "{}") << '\n';
  } else if (code == kExitCallFailed) {
    std::cerr << errors_(Tone::kBad, name) << ": " << printable(error.message()) << '\n';
  } else {
    std::cerr << errors_(Tone::kBad, "longshorectl") << ": " << printable(error.message()) << '\n';
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
