#include "router/audit_writer.h"

#include <utility>

#include "observe/audit_chain.h"
#include "router/audit_line.h"

namespace longshore::router {

using observe::Level;

Error AuditWriter::named(const Error& why) const {
  return Error(StatusCode::kUnavailable, "write the audit log of agent.audit.file", options_.file)
      .because(why.message());
}

Result<void> AuditWriter::open(const AuditOptions& options) {
  options_ = options;
  figures_.is_on = true;
  figures_.file = options.file;
  figures_.required = options.required;
  if (!options.mark.empty()) {
    if (auto opened = missing_lines_.open(options.mark, options.file); !opened) {
      log_.warning(
          "lines of the audit log that are lost at the agent's end would not be remembered",
          {{"reason", opened.error().message()}});
    }
  }
  missing_ = missing_lines_.remembered();
  Result<void> written = make_up();
  conclude(written);
  if (written) tell_anchor();
  return written;
}

Result<void> AuditWriter::reopen() {
  wants_open_ = true;
  Result<void> written = make_up();
  conclude(written);
  tell_anchor();
  if (written && stale_) return *stale_;
  return written;
}

Result<void> AuditWriter::open_file() {
  if (!wants_open_ && file_.is_ready()) return {};
  stale_.reset();
  const Result<void> opened = file_.open(options_);
  wants_open_ = !opened;
  if (opened) return {};
  if (!file_.is_ready()) return named(opened.error());
  stale_ = named(opened.error());
  return {};
}

Result<void> AuditWriter::make_up() {
  if (auto opened = open_file(); !opened) return opened;
  while (!kept_.empty()) {
    if (auto written = append(kept_.front()); !written) return written;
    kept_.pop_front();
  }
  return tell_missing();
}

Result<void> AuditWriter::tell_missing() {
  if (missing_ == 0 && refused_ == 0) return {};
  if (auto written = append(audit_line_of_lost(missing_, refused_)); !written) return written;
  log_.warning("the audit log lacks lines", {{"file", options_.file},
                                             {"lost", std::to_string(missing_)},
                                             {"refused_calls", std::to_string(refused_)}});
  missing_ = 0;
  refused_ = 0;
  return {};
}

Result<void> AuditWriter::append(const std::string& line) {
  const Result<bool> rotated = file_.append(line);
  if (!rotated) return named(rotated.error());
  if (*rotated) tell_anchor();
  ++figures_.written;
  return {};
}

Result<void> AuditWriter::sync() {
  if (!options_.fsync) return {};
  if (auto synced = file_.sync(); !synced) return named(synced.error());
  return {};
}

void AuditWriter::conclude(const Result<void>& written) {
  std::string trouble;
  if (!written) {
    trouble = written.error().message();
  } else if (stale_) {
    trouble = stale_->message();
  }
  if (trouble.empty() && is_in_trouble()) {
    limited_log_.write(Level::kWarning, "the audit log is written again",
                       {{"file", options_.file}});
  } else if (trouble != figures_.trouble) {
    limited_log_.write(Level::kError, trouble + "; it is tried again",
                       {{"required", options_.required ? "true" : "false"}});
  }
  figures_.trouble = std::move(trouble);
  figures_.waiting = kept_.size();
  missing_lines_.remember(missing_ + kept_.size());
}

void AuditWriter::keep(std::string line) {
  if (kept_.size() < kMaxKept) {
    kept_.push_back(std::move(line));
  } else {
    lose(1);
  }
}

void AuditWriter::lose(uint64_t lines) {
  if (lines > 0 && figures_.lost == 0) {
    log_.error("lines of the audit log are lost", {{"file", options_.file}});
  }
  figures_.lost += lines;
  missing_ += lines;
}

// Whatever the log's level is: without it nobody can tell whether the file was cut.
void AuditWriter::tell_anchor() {
  if (file_.link().number == 0) return;
  told_number_ = file_.link().number;
  log_.record(observe::anchor_text(file_.link()), {{"file", options_.file}});
}

void AuditWriter::end() {
  static_cast<void>(make_up());
  if (has_new_anchor()) tell_anchor();
  lose(kept_.size());
  kept_.clear();
  figures_.waiting = 0;
  missing_lines_.remember(missing_);
  if (missing_ == 0 && refused_ == 0) return;
  log_.error(observe::kAuditLoss, {{"file", options_.file},
                                   {"lost", std::to_string(missing_)},
                                   {"refused_calls", std::to_string(refused_)},
                                   {"chain", file_.link().chain},
                                   {"number", std::to_string(file_.link().number)}});
}

}  // namespace longshore::router
