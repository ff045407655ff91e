// A line of a crash record as the log has it, for crash handlers: no allocation, no lock.
//
// Threads: one.
#pragma once

#include "observe/crash_handler.h"
#include "observe/crash_text.h"

namespace longshore::observe {

inline void add_log_line(CrashText& written, CrashOptions::LogForm form, const timespec& now,
                         const CrashText& line) {
  switch (form) {
    case CrashOptions::LogForm::kText:
      written.time(now).raw(" ERROR ").raw(kPrintedCrash).raw(line.view()).raw("\n");
      break;
    case CrashOptions::LogForm::kJournal:
      written.raw("<3>").raw(kPrintedCrash).raw(line.view()).raw("\n");
      break;
    case CrashOptions::LogForm::kJson:
      written.raw("{\"time\":\"").time(now).raw("\",\"level\":\"error\",\"message\":\"");
      written.raw(kPrintedCrash).raw(line.view()).raw("\"}\n");
      break;
    case CrashOptions::LogForm::kPlain:
      written.raw(kPrintedCrash).raw(line.view()).raw("\n");
  }
}

}  // namespace longshore::observe
