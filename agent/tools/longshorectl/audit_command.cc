// `longshorectl audit verify`: whether the audit log is whole.
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>
#include <utility>

#include "longshore/admin/v1.pb.h"
#include "longshore/ctl/v1.pb.h"
#include "text/escape.h"
#include "text/file_path.h"
#include "tools/longshorectl/admin_call.h"
#include "tools/longshorectl/audit_check.h"
#include "tools/longshorectl/commands.h"

namespace longshore::ctl {
namespace {

// A FIFO would be waited for, and some devices have no end.
Result<std::ifstream> open_file(const std::string& file) {
  const std::filesystem::path path = text::file_path(file);
  std::error_code error;
  const Error cannot_read(StatusCode::kNotFound, "read the file", file);
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    return Error(cannot_read).because("it is not a regular file");
  }
  std::ifstream lines{path};
  if (!lines) return Error(cannot_read).because(std::error_code(errno, std::generic_category()));
  return lines;
}

std::string file_of_agent(const Target& target) {
  const admin::v1::GetStatusRequest asked;
  admin::v1::GetStatusResponse status;
  const auto fault = call_control(target, "GetStatus", asked, status);
  return fault || status.audit().file().empty() ? config::kAuditFile : status.audit().file();
}

// A file alone stands for those that it was rotated to as well.
std::vector<std::string> with_rotated(std::vector<std::string> files) {
  if (files.size() != 1) return files;
  const std::string file = files.front();
  std::error_code absent;
  for (int number = 1;
       std::filesystem::exists(text::file_path(file + "." + std::to_string(number)), absent);
       ++number) {
    files.push_back(file + "." + std::to_string(number));
  }
  return files;
}

}  // namespace

int verify_audit(const Target& target, const Report& report, const AuditRequest& request) {
  std::vector<std::string> files = request.files;
  if (files.empty()) files.push_back(file_of_agent(target));
  AuditCheck check;
  for (const std::string& name : with_rotated(std::move(files))) {
    Result<std::ifstream> lines = open_file(name);
    if (!lines) {
      Error error = std::move(lines).error();
      if (request.files.empty() && error.system() == std::errc::no_such_file_or_directory) {
        error = std::move(error).advise(
            "there is no audit log unless `file` in [agent.audit] names one");
      }
      return report.fail(kExitFaultyInput, error);
    }
    check.add_file(name, *lines);
  }
  if (request.journal == "-") {
    check.add_journal(std::cin);
  } else if (!request.journal.empty()) {
    Result<std::ifstream> lines = open_file(request.journal);
    if (!lines) return report.fail(kExitFaultyInput, lines.error());
    check.add_journal(*lines);
  }
  const AuditCheck::Result result = check.result();
  const bool is_whole = result.findings.empty();
  if (report.json()) {
    v1::AuditVerification message;
    message.set_ok(is_whole);
    message.set_lines(static_cast<int64_t>(result.lines));
    message.set_anchors(static_cast<int64_t>(result.anchors));
    for (const std::string& each : result.findings) {
      message.add_findings(text::valid_utf8(each));
    }
    for (const std::string& each : result.remarks) message.add_remarks(text::valid_utf8(each));
    report.message(message);
  } else {
    for (const std::string& each : result.findings) report.line(each);
    for (const std::string& each : result.remarks) report.line("note: " + each);
    report.line(std::to_string(result.lines) + " lines, " + std::to_string(result.anchors) +
                " anchors compared: " + (is_whole ? "whole" : "NOT WHOLE"));
  }
  return is_whole ? kExitOk : kExitFaultyInput;
}

}  // namespace longshore::ctl
