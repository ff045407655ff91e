#include "tools/longshorectl/report.h"

#include <iostream>

#include "longshore/ctl/v1.pb.h"
#include "text/escape.h"
#include "tools/longshorectl/json_message.h"

namespace longshore::ctl {
void print(const PrintedText& text) { std::cout << text.bytes() << std::flush; }

void print_error(const PrintedText& text) { std::cerr << text.bytes() << std::flush; }

void Report::line(const PrintedText& text) const { print(text + "\n"); }

void Report::message(const google::protobuf::Message& message) const {
  const Result<std::string> json = to_json(message, JsonForm::kOneLine);
  line(PrintedText::json(json ? *json : "{}"));
}

int Report::fail(ExitCode code, const Error& error) const {
  return fail(code, error, error.message());
}

int Report::fail_in_lines(ExitCode code, const Error& error) const {
  return fail(code, error, PrintedText::paragraph(error.message()));
}

int Report::fail(ExitCode code, const Error& error, const PrintedText& message) const {
  const std::string name = status_code_name(error.code());
  if (json_) {
    v1::Failure failure;
    failure.set_code(name);
    failure.set_message(text::valid_utf8(error.message()));
    failure.set_exit_code(code);
    const Result<std::string> json = to_json(failure, JsonForm::kOneLine);
    print_error(PrintedText::json(json ? *json : "{}") + "\n");
  } else {
    const bool of_call = code == kExitCallFailed;
    print_error(errors_(Tone::kBad, of_call ? name : "longshorectl") + ": " + message + "\n");
  }
  return code;
}

}  // namespace longshore::ctl
