#include "core/crash_markers.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>

#include "text/file_path.h"

namespace longshore::core {
namespace {

// The text is filled up to whole blocks. A file whose size stays is synced in half the time (3.5 ms
// against 7 on ext4), and nothing of an older text can stay behind a shorter one.
constexpr size_t kBlockBytes = 4096;

}  // namespace

Result<std::unique_ptr<CrashMarkers>> CrashMarkers::open(const std::string& state_dir,
                                                         observe::Log& log) {
  const std::filesystem::path folder = text::file_path(state_dir);
  auto file = files::MarkerFile::open((folder / ".crash-markers").string());
  if (!file) return std::move(file).error();
  return std::unique_ptr<CrashMarkers>(new CrashMarkers(std::move(*file), log));
}

CrashMarkers::CrashMarkers(std::unique_ptr<files::MarkerFile> file, observe::Log& log)
    : file_(std::move(file)), log_(log) {
  read();
}

void CrashMarkers::read() {
  size_t strange = 0;
  std::istringstream lines(file_->read());
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    std::istringstream words(line);
    Record record;
    words >> record.crashes >> record.sha256 >> record.module;
    if (!words || record.crashes < 1 || record.sha256.size() != 64) {
      ++strange;
      continue;
    }
    std::getline(words >> std::ws, record.path);
    log_.warning("the agent ended while it started a module, which has not come back since",
                 {{"module", record.module},
                  {"file", record.path},
                  {"times", std::to_string(record.crashes)}});
    records_.push_back(std::move(record));
  }
  if (strange == 0) return;
  log_.warning("what .crash-markers says is not understood, perhaps since another version wrote it",
               {{"lines", std::to_string(strange)}});
}

CrashMarkers::Record* CrashMarkers::find(const std::string& sha256) {
  const auto found = std::find_if(records_.begin(), records_.end(),
                                  [&](const Record& each) { return each.sha256 == sha256; });
  return found == records_.end() ? nullptr : &*found;
}

Result<void> CrashMarkers::begin(const std::string& module, const loader::ModuleFacts& facts) {
  const std::lock_guard lock(mutex_);
  if (is_closed_) return {};
  // Crashes of a file that has been replaced are history.
  std::erase_if(records_, [&](const Record& each) {
    return each.module == module && each.sha256 != facts.sha256;
  });
  Record* record = find(facts.sha256);
  if (record == nullptr) {
    record = &records_.emplace_back();
  } else if (record->is_starting) {
    return {};  // it was loaded just now, and its instance is made next
  } else if (record->crashes >= kMostCrashes) {
    return Error(StatusCode::kFailedPrecondition, "load the module", facts.path)
        .because("it is quarantined: the agent ended " + std::to_string(record->crashes) +
                 " times in a row while it started this very file (SHA-256 " +
                 facts.sha256.substr(0, 12) + "...)")
        .advise(
            "see \"longshorectl crashes\" for what it crashed of; install another file and reload, "
            "or have this one tried once more by \"longshorectl upgrade " +
            module + "\"");
  }
  *record = {record->crashes, facts.sha256, module, facts.path, true};
  // The path is for people only: whatever would end the line is left out.
  std::erase_if(record->path, [](unsigned char c) { return c < ' '; });
  write(true);
  return {};
}

void CrashMarkers::end(const std::string& sha256) {
  const std::lock_guard lock(mutex_);
  Record* const record = find(sha256);
  if (record == nullptr || !std::exchange(record->is_starting, false)) return;
  // A line that comes back in a power cut is one crash too many. That matters only to a file that
  // has one already.
  write(std::exchange(record->crashes, 0) > 0);
}

void CrashMarkers::pause(const std::string& sha256) {
  const std::lock_guard lock(mutex_);
  Record* const record = find(sha256);
  if (record == nullptr || !std::exchange(record->is_starting, false)) return;
  write(record->crashes > 0);
}

bool CrashMarkers::is_suspected(const std::string& sha256) {
  const std::lock_guard lock(mutex_);
  const Record* const record = find(sha256);
  return record != nullptr && record->crashes > 0;
}

void CrashMarkers::release(const std::string& sha256) {
  const std::lock_guard lock(mutex_);
  if (Record* const record = find(sha256))
    record->crashes = std::min(record->crashes, kMostCrashes - 1);
}

void CrashMarkers::close() {
  const std::lock_guard lock(mutex_);
  std::erase_if(records_, [](const Record& each) { return each.is_starting; });
  write(true);
  is_closed_ = true;
}

void CrashMarkers::write(bool sync) {
  std::erase_if(records_, [](const Record& each) { return each.count() == 0; });
  std::string text;
  for (const Record& each : records_) {
    text += std::to_string(each.count()) + ' ' + each.sha256 + ' ' + each.module + ' ' + each.path +
            '\n';
  }
  text.resize((text.size() / kBlockBytes + 1) * kBlockBytes, '\n');
  if (auto written = file_->write(text, sync); !written) {
    log_.warning("a crash of the module that is started now would not be remembered",
                 {{"reason", written.error().message()}});
  }
}

}  // namespace longshore::core
