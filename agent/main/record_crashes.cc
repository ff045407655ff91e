#include "main/record_crashes.h"

#include <string>

#include "core/version.h"
#include "main/crash_log.h"
#include "observe/crash_handler.h"
#include "observe/crash_records.h"
#include "observe/journal.h"

namespace longshore {
namespace {

constexpr const char* kProgram = "longshored";

observe::CrashOptions::LogForm form_of(const config::LogSettings& settings) {
  using Form = observe::CrashOptions::LogForm;
  if (settings.format == "json") return Form::kJson;
  return settings.file.empty() && observe::standard_error_is_journal() ? Form::kJournal
                                                                       : Form::kText;
}

}  // namespace

void record_crashes(const config::AgentSettings& settings, observe::Log& log) {
  observe::CrashRecord last;
  const auto record = observe::prepare_crash_record(settings.state_dir, kProgram, &last);
  if (!record) {
    log.warning("a crash would have no record in the state directory",
                {{"reason", record.error().message()}});
  }
  if (!last.name.empty()) {
    log.info("the last crash that is recorded", {{"record", last.name},
                                                 {"module", last.field("module")},
                                                 {"method", last.field("method")}});
  }
  observe::install_crash_handler({.program = std::string(kProgram) + " " + core::kVersion,
                                  .record = record ? *record : -1,
                                  .log = open_crash_log(settings.log),
                                  .form = form_of(settings.log)});
}

}  // namespace longshore
