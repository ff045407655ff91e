#include "router/audit_log.h"

#include <utility>

#include "observe/json_text.h"
#include "observe/log_line.h"
#include "router/message_schema.h"

namespace longshore::router {
namespace {

constexpr size_t kMaxTextBytes = 1024;  // of an object, and of an error's text

using observe::JsonText;

// Unless there is no text.
void tell(JsonText& json, std::string_view key, std::string_view text) {
  if (!text.empty()) json.member(key, text.substr(0, kMaxTextBytes));
}

void tell_time(JsonText& json) {
  json.member("time", observe::timestamp(std::chrono::system_clock::now()));
}

// To the microsecond.
double milliseconds(Clock::duration took) {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::microseconds>(took).count()) /
         1000;
}

void tell_request(JsonText& json, const Method& method, std::string_view request) {
  const RedactedJson told =
      json_without_secrets(*method.request_schema, request, AuditLog::kMaxRequestBytes);
  json.raw("request", told.json);
  if (told.is_whole) return;
  json.flag("request_cut", true);
  json.member("request_bytes", uint64_t{request.size()});
}

// By permissions: no module has seen it.
bool was_refused(const RecentCalls::Answered& answered) {
  return answered.handle == 0 && answered.code == StatusCode::kPermissionDenied;
}

std::string audit_line(const RecentCalls::Answered& answered, bool unfinished,
                       uint64_t suppressed) {
  const Method& method = *answered.method;
  const Caller& caller = *answered.caller;
  JsonText json;
  json.object([&] {
    tell_time(json);
    tell(json, "request_id", answered.request_id);
    tell(json, "caller", caller.identity);
    tell(json, "on_behalf_of", caller.on_behalf_of);
    if (caller.process != 0) json.raw("process", std::to_string(caller.process));
    tell(json, "module", method.module.empty() ? "agent" : method.module);
    tell(json, "method", method.full_name);
    tell(json, "object", object_of(answered.request, method));
    if (!was_refused(answered)) tell_request(json, method, answered.request);
    tell(json, "code", status_code_name(answered.code));
    tell(json, "message", answered.text);
    json.decimal("duration_ms", milliseconds(answered.took), 3);
    if (unfinished) json.flag("unfinished", true);
    if (suppressed > 0) json.member("suppressed", suppressed);
  });
  return json.take() + '\n';
}

std::string line_of_suppressed(std::string_view caller, uint64_t count) {
  JsonText json;
  json.object([&] {
    tell_time(json);
    tell(json, "caller", caller);
    json.member("suppressed", count);
  });
  return json.take() + '\n';
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
    add_line(line_of_suppressed(caller, count));
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
