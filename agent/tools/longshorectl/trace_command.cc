// `longshorectl trace`: what became of a request, and the requests that were made lately.
#include "longshore/admin/v1.pb.h"
#include "tools/longshorectl/admin_call.h"
#include "tools/longshorectl/commands.h"
#include "tools/longshorectl/table.h"
#include "tools/longshorectl/time_text.h"

namespace longshore::ctl {
namespace {

namespace messages = longshore::admin::v1;

// "OK", or the state while nothing is decided.
const std::string& outcome_of(const messages::Call& call) {
  return call.state() == "finished" ? call.status() : call.state();
}

std::string memory_text(const messages::CallMemory& memory) {
  std::string text = "The agent remembers its last " + std::to_string(memory.capacity()) +
                     " finished calls; it has " + std::to_string(memory.calls()) + " now";
  if (memory.calls() > 0) text += ", the oldest began at " + time_text(memory.oldest_unix_ms());
  return text + ".";
}

// One call as a paragraph: when, what and how it ended; who called, on what; what went wrong.
void show_call(const Report& report, const messages::Call& call) {
  const Paint& paint = report.paint();
  const bool goes_on = call.state() != "finished";
  PrintedText head = time_text(call.started_unix_ms()) + "  " +
                     paint(Tone::kHeading, call.method()) + "  " +
                     paint(tone_of(outcome_of(call)), outcome_of(call));
  head += (goes_on ? " for " : " in ") + short_time_text(call.took_us());
  if (goes_on && !call.status().empty()) head += ", its caller was told " + call.status();
  report.line(head);
  PrintedText who = "    caller " + call.caller();
  if (call.on_behalf_of() != call.caller()) {
    who += " on behalf of " + call.on_behalf_of();
  }
  if (!call.module().empty()) who += ", module " + call.module();
  report.line(who);
  if (!call.object().empty()) report.line("    object " + call.object());
  if (!call.error().empty()) report.line("    error  " + call.error());
}

void show_log_line(const Report& report, const messages::LogLine& line) {
  PrintedText text = time_text(line.time_unix_ms()) + "  " +
                     report.paint()(tone_of(line.level()), line.level()) + "  " + line.text();
  for (const auto& field : line.fields()) {
    if (field.name() == "request") continue;  // it is what was asked for
    text += " " + report.paint()(Tone::kFaint, field.name() + "=") + field.value();
  }
  report.line(text);
}

}  // namespace

int trace_request(const Target& target, const Report& report, const std::string& request_id) {
  messages::TraceRequestRequest request;
  request.set_request_id(request_id);
  return ask_agent<messages::TraceRequestResponse>(
      target, report, "TraceRequest", request, [&](const messages::TraceRequestResponse& traced) {
        for (const auto& call : traced.calls()) show_call(report, call);
        if (traced.calls().empty()) {
          report.line("No call of this request is remembered any more, only what the log said.");
        }
        if (!traced.log_lines().empty()) {
          report.line("\n" + report.paint()(Tone::kHeading, "Log"));
        }
        for (const auto& line : traced.log_lines()) show_log_line(report, line);
      });
}

int list_calls(const Target& target, const Report& report, int limit, bool only_failed) {
  messages::ListCallsRequest request;
  request.set_limit(limit);
  request.set_only_failed(only_failed);
  return ask_agent<messages::ListCallsResponse>(
      target, report, "ListCalls", request, [&](const messages::ListCallsResponse& listed) {
        Table table({"STARTED", "REQUEST", "OUTCOME", "TIME", "METHOD", "CALLER", "OBJECT"});
        for (const auto& call : listed.calls()) {
          table.add({time_text(call.started_unix_ms()), call.request_id(),
                     word_cell(outcome_of(call)), short_time_text(call.took_us()), call.method(),
                     call.caller(), call.object()});
        }
        if (!listed.calls().empty()) report.line(table.text(report.paint()) + "\n");
        if (listed.calls().empty()) {
          report.line(std::string(only_failed ? "No call has failed." : "No calls."));
        }
        report.line(memory_text(listed.memory()));
      });
}

}  // namespace longshore::ctl
