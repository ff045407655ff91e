#include "router/audit_log.h"

#include <charconv>
#include <utility>

#include "observe/log_line.h"
#include "router/message_schema.h"

namespace longshore::router {
namespace {

constexpr size_t kMaxTextBytes = 1024;  // of an object, and of an error's text

// Appends `,"key":"text"`, unless there is no text.
void append(std::string& line, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  line += ",\"";
  line += key;
  line += "\":\"";
  observe::append_escaped(line, text.substr(0, kMaxTextBytes), true);
  line += '"';
}

void append_number(std::string& line, std::string_view key, const std::string& number) {
  line += ",\"";
  line += key;
  line += "\":" + number;
}

// To the microsecond.
std::string milliseconds(Clock::duration took) {
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
  char digits[32];
  return {digits,
          std::to_chars(digits, digits + sizeof(digits), static_cast<double>(microseconds) / 1000,
                        std::chars_format::fixed, 3)
              .ptr};
}

void append_request(std::string& line, const Method& method, std::string_view request) {
  const std::string json =
      json_without_secrets(*method.request_schema, request, AuditLog::kMaxRequestBytes);
  if (!json.empty()) return append_number(line, "request", json);
  append_number(line, "request_bytes", std::to_string(request.size()));
}

}  // namespace

std::string audit_line(std::chrono::system_clock::time_point time,
                       const RecentCalls::Answered& answered, bool unfinished) {
  const Method& method = *answered.method;
  const Caller& caller = *answered.caller;
  std::string line = "{\"time\":\"" + observe::timestamp(time) + '"';
  append(line, "request_id", answered.request_id);
  append(line, "caller", caller.identity);
  append(line, "on_behalf_of", caller.on_behalf_of);
  if (caller.process != 0) append_number(line, "process", std::to_string(caller.process));
  append(line, "module", method.module.empty() ? "agent" : method.module);
  append(line, "method", method.full_name);
  append(line, "object", object_of(answered.request, method.object_field));
  append_request(line, method, answered.request);
  append(line, "code", status_code_name(answered.code));
  append(line, "message", answered.text);
  append_number(line, "duration_ms", milliseconds(answered.took));
  if (unfinished) append_number(line, "unfinished", "true");
  return line + "}\n";
}

Result<void> AuditLog::open(const std::string& file, bool required) {
  if (file.empty()) return {};
  if (auto opened = file_.open(file); !opened) return opened;
  file_name_ = file;
  required_ = required;
  figures_.is_on = true;
  return {};
}

Result<void> AuditLog::admits() {
  if (!required_ || !in_trouble_.load(std::memory_order_relaxed)) return {};
  const std::lock_guard lock(mutex_);
  if (auto written = write_kept(); !written) {
    return Error(StatusCode::kUnavailable, "write the audit log, which the configuration requires")
        .because(written.error().message());
  }
  return {};
}

void AuditLog::add(const RecentCalls::Answered& answered, bool unfinished) {
  std::string line = audit_line(std::chrono::system_clock::now(), answered, unfinished);
  const std::lock_guard lock(mutex_);
  if (auto written = write_kept(); !written) return keep(std::move(line));
  if (auto written = file_.write(line); !written) {
    tell_trouble(written.error());
    return keep(std::move(line));
  }
  ++figures_.written;
}

Result<void> AuditLog::write_kept() {
  while (!kept_.empty()) {
    if (auto written = file_.write(kept_.front()); !written) return written;
    kept_.pop_front();
    ++figures_.written;
  }
  if (in_trouble_.exchange(false)) {
    log_.write(observe::Level::kWarning, "the audit log is written again",
               {{"file", file_name_}, {"lost", std::to_string(figures_.lost)}});
  }
  return {};
}

void AuditLog::keep(std::string line) {
  if (kept_.size() < kMaxKept) {
    kept_.push_back(std::move(line));
  } else if (figures_.lost++ == 0) {
    log_.write(observe::Level::kError, "lines of the audit log are lost", {{"file", file_name_}});
  }
}

void AuditLog::tell_trouble(const Error& why) {
  in_trouble_ = true;
  log_.write(observe::Level::kError, "the audit log cannot be written: " + why.message(),
             {{"required", required_ ? "true" : "false"}});
}

Result<void> AuditLog::reopen() {
  if (file_name_.empty()) return {};
  const std::lock_guard lock(mutex_);
  return file_.open(file_name_);
}

observe::AuditFigures AuditLog::figures() const {
  const std::lock_guard lock(mutex_);
  observe::AuditFigures figures = figures_;
  figures.waiting = kept_.size();
  return figures;
}

}  // namespace longshore::router
