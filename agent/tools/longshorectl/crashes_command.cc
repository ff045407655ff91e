// `longshorectl crashes`: what the agent and processes of modules crashed of.
#include "longshore/ctl/v1.pb.h"
#include "observe/crash_records.h"
#include "text/escape.h"
#include "tools/longshorectl/commands.h"
#include "tools/longshorectl/table.h"

namespace longshore::ctl {

int show_crashes(const Report& report, const CrashRequest& request) {
  const auto records = observe::list_crash_records(request.state_dir);
  if (!records) return report.fail(kExitFaultyInput, records.error());
  v1::Crashes message;
  Table table({"NAME", "TIME", "SIGNAL", "MODULE", "METHOD", "REQUEST"});
  for (const observe::CrashRecord& record : *records) {
    if (!request.name.empty() && record.name != request.name) continue;
    auto* crash = message.add_crashes();
    crash->set_name(text::valid_utf8(record.name));
    crash->set_record(text::valid_utf8(record.text));
    const std::string signal = record.field("signal");
    table.add({record.name, record.field("time"), signal.substr(0, signal.find(' ')),
               record.field("module"), record.field("method"), record.field("request")});
  }
  if (!request.name.empty() && message.crashes().empty()) {
    return report.fail(kExitFaultyInput,
                       Error(StatusCode::kNotFound, "find the crash", request.name)
                           .advise("longshorectl crashes lists them"));
  }
  if (report.json()) {
    report.message(message);
  } else if (!request.name.empty()) {
    print(PrintedText::lines(message.crashes(0).record()));
  } else if (message.crashes().empty()) {
    report.line("no crash is recorded");
  } else {
    report.line(table.text(report.paint()));
  }
  return kExitOk;
}

}  // namespace longshore::ctl
