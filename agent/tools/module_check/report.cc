#include "tools/module_check/report.h"

#include <array>
#include <utility>

namespace longshore::module_check {
namespace {

struct Advice {
  std::string_view part;  // of the fake host's sentence
  std::string_view text;
};

constexpr std::array kAdvice = {
    Advice{"is finished already",
           "use a call's handle only until it is finished, and once for that"},
    Advice{"which does not exist", "use only handles that the host has given"},
    Advice{"was never finished", "finish every call on every way out, also when it is cancelled"},
    Advice{"was not answered in time",
           "finish every call, and end the work soon when call_state says CANCELLED"},
    Advice{"did not return after its call was cancelled",
           "return from invoke soon after the call is cancelled"},
    Advice{"a second message was sent", "send one message for a unary method"},
    Advice{"without an answer", "send a message before finishing with OK, or finish with an error"},
    Advice{"at no address", "pass bytes that are there, or a size of 0"},
    Advice{"with the code", "end calls with gRPC's status codes, 0 to 16"},
    Advice{"after destroy", "end the module's own threads before stop is finished"},
    Advice{"after the stop", "begin nothing any more once stop is finished"},
    Advice{"create may only log", "do it in start: create makes the instance and nothing else"},
    Advice{"an exception left", "catch it: no exception may cross the ABI"},
    Advice{"refused to create", "let create succeed and start say what is wrong"},
    Advice{"gave no functions", "set *functions to the module's longshore_instance"},
    Advice{"lacks start, invoke, stop or destroy",
           "fill in these four, and struct_size with sizeof(longshore_instance)"},
    Advice{"no struct, or one without its size", "set struct_size of what the host is to fill"},
};

}  // namespace

void Findings::violation(const std::string& sentence) {
  for (const Advice& each : kAdvice) {
    if (sentence.find(each.part) != std::string::npos) {
      return fail(sentence, std::string(each.text));
    }
  }
  fail(sentence, "see the comments of longshore/abi.h");
}

void Findings::add(Report found) {
  const bool serves = report_.serves;
  if (found.outcome <= report_.outcome) {
    ++others_;
    return;
  }
  report_ = std::move(found);
  report_.serves = serves;
}

Report Findings::report() const {
  Report report = report_;
  if (others_ > 0) report.text += " (and " + std::to_string(others_) + " more)";
  return report;
}

}  // namespace longshore::module_check
