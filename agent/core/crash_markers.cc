#include "core/crash_markers.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>

#include "text/file_path.h"

namespace longshore::core {
namespace {

constexpr size_t kMostRecords = 64;
constexpr size_t kMaxPathBytes = 512;

bool is_word(const std::string& text) {
  return !text.empty() && text.find_first_of(" \t\n\r") == std::string::npos;
}

// The path is for people only: whatever would end the line is left out.
std::string on_one_line(std::string path) {
  std::erase_if(path, [](unsigned char c) { return c < ' '; });
  return path.substr(0, kMaxPathBytes);
}

Error quarantine_of(const CrashMarkers::Record& record, const std::string& path) {
  return Error(StatusCode::kFailedPrecondition, "load the module", path)
      .because("it is quarantined: the agent ended " + std::to_string(record.crashes) +
               " times in a row while it was at \"" + record.step +
               "\" of this very file (SHA-256 " + record.sha256.substr(0, 12) + "...)")
      .advise(
          "see \"longshorectl crashes\" for what it crashed of; install another file and reload, "
          "or "
          "have this one tried once more by \"longshorectl upgrade " +
          record.module + "\"");
}

}  // namespace

std::vector<CrashMarkers::Record> CrashMarkers::parse(const std::string& text) {
  std::vector<Record> records;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && records.size() < kMostRecords;) {
    std::istringstream words(line);
    Record record;
    std::string state;
    words >> state >> record.crashes >> record.sha256 >> record.module >> record.step;
    if (!words || record.sha256.size() != 64 || record.crashes < 0) continue;
    if (state != "starting" && state != "crashed") continue;
    record.starting = state == "starting";
    std::getline(words >> std::ws, record.path);
    records.push_back(std::move(record));
  }
  return records;
}

std::string CrashMarkers::format(const std::vector<Record>& records) {
  std::string text;
  for (const Record& record : records) {
    text += (record.starting ? "starting " : "crashed ") + std::to_string(record.crashes) + ' ' +
            record.sha256 + ' ' + record.module + ' ' + record.step + ' ' +
            on_one_line(record.path) + '\n';
  }
  return text;
}

Result<std::unique_ptr<CrashMarkers>> CrashMarkers::open(const std::string& state_dir,
                                                         observe::Log& log) {
  const std::filesystem::path folder = text::file_path(state_dir);
  auto file = files::MarkerFile::open((folder / ".crash-markers").string());
  if (!file) return std::move(file).error();
  return std::unique_ptr<CrashMarkers>(new CrashMarkers(std::move(*file), log));
}

CrashMarkers::CrashMarkers(std::unique_ptr<files::MarkerFile> file, observe::Log& log)
    : file_(std::move(file)),
      log_(log),
      records_(parse(file_->read())),
      is_careful_(!records_.empty()) {
  for (Record& record : records_) {
    if (!std::exchange(record.starting, false)) continue;
    ++record.crashes;
    log_.warning("the agent before this one ended while it started a module",
                 {{"module", record.module},
                  {"step", record.step},
                  {"file", record.path},
                  {"times", std::to_string(record.crashes)}});
  }
}

CrashMarkers::Record* CrashMarkers::find(const std::string& sha256) {
  const auto found = std::find_if(records_.begin(), records_.end(),
                                  [&](const Record& each) { return each.sha256 == sha256; });
  return found == records_.end() ? nullptr : &*found;
}

Result<void> CrashMarkers::begin(const std::string& module, const loader::ModuleFacts& facts) {
  const std::lock_guard lock(mutex_);
  if (is_closed_ || came_back_.contains(facts.sha256) || !is_word(module)) return {};
  if (running_ == facts.sha256) return {};  // it was loaded just now, and is brought up next
  // Crashes of a file that has been replaced are history.
  std::erase_if(records_, [&](const Record& each) {
    return each.module == module && each.sha256 != facts.sha256;
  });
  Record* record = find(facts.sha256);
  if (record != nullptr && record->crashes >= kMostCrashes) {
    write(false);
    return quarantine_of(*record, facts.path);
  }
  if (record == nullptr) {
    if (records_.size() == kMostRecords) records_.erase(records_.begin());
    record = &records_.emplace_back();
  }
  record->starting = true;
  record->sha256 = facts.sha256;
  record->module = module;
  record->step = "load";
  record->path = facts.path;
  running_ = facts.sha256;
  write(is_careful_ || !std::exchange(is_marked_, true));
  return {};
}

void CrashMarkers::reach(const std::string& step) {
  const std::lock_guard lock(mutex_);
  Record* const record = running_.empty() ? nullptr : find(running_);
  if (record == nullptr) return;
  record->step = step;
  write(false);  // a crash of the process loses nothing that was written
}

void CrashMarkers::end() {
  const std::lock_guard lock(mutex_);
  if (!running_.empty()) came_back_.insert(running_);
  erase_running();
}

void CrashMarkers::pause() {
  const std::lock_guard lock(mutex_);
  erase_running();
}

void CrashMarkers::leave() {
  const std::lock_guard lock(mutex_);
  if (!running_.empty()) left_.insert(std::exchange(running_, {}));
}

bool CrashMarkers::is_suspected(const std::string& sha256) {
  const std::lock_guard lock(mutex_);
  const Record* const record = find(sha256);
  return record != nullptr && record->crashes > 0;
}

void CrashMarkers::close() {
  const std::lock_guard lock(mutex_);
  std::erase_if(records_, [](const Record& each) { return each.starting; });
  running_.clear();
  write(true);
  is_marked_ = false;
  is_closed_ = true;
}

void CrashMarkers::erase_running() {
  const std::string sha256 = std::exchange(running_, {});
  if (sha256.empty() || left_.contains(sha256)) return;
  std::erase_if(records_, [&](const Record& each) { return each.sha256 == sha256; });
  is_settled_ = false;
  write(false);  // `settle` has it synced
}

void CrashMarkers::settle() {
  const std::lock_guard lock(mutex_);
  if (!is_settled_ && !is_closed_) write(true);
  is_marked_ = false;
}

void CrashMarkers::release(const std::string& sha256) {
  const std::lock_guard lock(mutex_);
  if (Record* const record = find(sha256)) record->crashes = kMostCrashes - 1;
}

void CrashMarkers::write(bool sync) {
  is_settled_ = is_settled_ || sync;
  if (auto written = file_->write(format(records_), sync); !written) {
    log_.warning("a crash of the module that is started now would not be remembered",
                 {{"reason", written.error().message()}});
  }
}

}  // namespace longshore::core
