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
  const RedactedJson told =
      json_without_secrets(*method.request_schema, request, AuditLog::kMaxRequestBytes);
  append_number(line, "request", told.json);
  if (told.is_whole) return;
  append_number(line, "request_cut", "true");
  append_number(line, "request_bytes", std::to_string(request.size()));
}

std::string begin_of_line() {
  return "{\"time\":\"" + observe::timestamp(std::chrono::system_clock::now()) + '"';
}

// By permissions: no module has seen it.
bool was_refused(const RecentCalls::Answered& answered) {
  return answered.handle == 0 && answered.code == StatusCode::kPermissionDenied;
}

std::string audit_line(const RecentCalls::Answered& answered, bool unfinished,
                       uint64_t suppressed) {
  const Method& method = *answered.method;
  const Caller& caller = *answered.caller;
  std::string line = begin_of_line();
  append(line, "request_id", answered.request_id);
  append(line, "caller", caller.identity);
  append(line, "on_behalf_of", caller.on_behalf_of);
  if (caller.process != 0) append_number(line, "process", std::to_string(caller.process));
  append(line, "module", method.module.empty() ? "agent" : method.module);
  append(line, "method", method.full_name);
  append(line, "object", object_of(answered.request, method));
  if (!was_refused(answered)) append_request(line, method, answered.request);
  append(line, "code", status_code_name(answered.code));
  append(line, "message", answered.text);
  append_number(line, "duration_ms", milliseconds(answered.took));
  if (unfinished) append_number(line, "unfinished", "true");
  if (suppressed > 0) append_number(line, "suppressed", std::to_string(suppressed));
  return line + "}\n";
}

}  // namespace

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
    ++refused_;
    return Error(StatusCode::kUnavailable, "write the audit log, which the configuration requires")
        .because(written.error().message());
  }
  return {};
}

void AuditLog::add(const RecentCalls::Answered& answered, bool unfinished) {
  uint64_t suppressed = 0;
  if (was_refused(answered)) {
    const std::lock_guard lock(mutex_);
    const auto admitted = refusals_.admit(answered.caller->identity, Clock::now());
    if (!admitted) return;
    suppressed = *admitted;
  }
  std::string line = audit_line(answered, unfinished, suppressed);
  const std::lock_guard lock(mutex_);
  add_line(std::move(line));
}

void AuditLog::add_line(std::string line) {
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
               {{"file", file_name_},
                {"lost", std::to_string(figures_.lost)},
                {"refused_calls", std::to_string(std::exchange(refused_, 0))}});
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
  add_suppressed();
  return file_.open(file_name_);
}

void AuditLog::add_suppressed() {
  for (const auto& [caller, count] : refusals_.take_suppressed()) {
    std::string line = begin_of_line();
    append(line, "caller", caller);
    append_number(line, "suppressed", std::to_string(count));
    add_line(line + "}\n");
  }
}

void AuditLog::end() {
  const std::lock_guard lock(mutex_);
  add_suppressed();
  if (write_kept()) return;
  figures_.lost += kept_.size();
  kept_.clear();
  log_.write(observe::Level::kError, "the audit log ends without all of its lines",
             {{"file", file_name_}, {"lost", std::to_string(figures_.lost)}});
}

observe::AuditFigures AuditLog::figures() const {
  const std::lock_guard lock(mutex_);
  observe::AuditFigures figures = figures_;
  figures.waiting = kept_.size();
  return figures;
}

}  // namespace longshore::router
