#include "observe/log.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <mutex>
#include <utility>

#if defined(_WIN32)
#include "longshore/windows/wide_text.hpp"
#endif

#include "observe/append_file.h"
#include "observe/journal.h"
#include "observe/log_line.h"

namespace longshore::observe {

namespace {

#if defined(_WIN32)
std::shared_ptr<spdlog::sinks::sink> file_sink(const std::string& path) {
  return std::make_shared<spdlog::sinks::basic_file_sink_mt>(wide(path));
}
#else
// A file in a folder that nobody else can change, never opened through a link.
class FileSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FileSink(const std::string& path) {
    auto opened = AppendFile::make_folder_of(path);
    if (opened) opened = file_.open(path);
    if (!opened) throw spdlog::spdlog_ex(opened.error().message());
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    static_cast<void>(file_.write({line.data(), line.size()}));  // nowhere is left to say so
  }
  void flush_() override {}

  AppendFile file_;
};

std::shared_ptr<spdlog::sinks::sink> file_sink(const std::string& path) {
  return std::make_shared<FileSink>(path);
}
#endif

}  // namespace

// spdlog writes what we composed, as it is: its own patterns cannot escape.
struct Log::Sink {
  explicit Sink(const LogOptions& options)
      : file(options.file),
        function(options.write),
        is_journal(!function && file.empty() && standard_error_is_journal()) {}

  Result<void> open() {
    if (function) return {};
    try {
      std::shared_ptr<spdlog::sinks::sink> opened;
      if (file.empty()) {
        opened = std::make_shared<spdlog::sinks::stderr_sink_mt>();
      } else {
        opened = file_sink(file);
      }
      opened->set_pattern("%v");
      const std::lock_guard lock(mutex);
      target = std::move(opened);
      return {};
    } catch (const spdlog::spdlog_ex& exception) {
      return Error(StatusCode::kFailedPrecondition, "open the log file", file)
          .because(exception.what())
          .advise(
              "name a regular file in a folder that only root and the agent's user can change, "
              "or none for standard error");
    }
  }

  void write(Level level, const std::string& line) {
    if (function) return function(level, line);
    std::shared_ptr<spdlog::sinks::sink> present;
    {
      const std::lock_guard lock(mutex);
      present = target;
    }
    try {
      present->log(spdlog::details::log_msg({}, spdlog::level::info, line));
      present->flush();
    } catch (const std::exception&) {
      // A full disk must not stop a storage agent, and there is nowhere left to say so.
    }
  }

  const std::string file;
  const std::function<void(Level, std::string_view)> function;
  const bool is_journal;
  std::mutex mutex;
  std::shared_ptr<spdlog::sinks::sink> target;
};

std::string_view name_of(Level level) {
  static constexpr std::string_view kNames[] = {"debug", "info", "warning", "error"};
  return kNames[static_cast<int>(level) - 1];
}

Result<std::unique_ptr<Log>> Log::open(const LogOptions& options) {
  auto sink = std::make_unique<Sink>(options);
  if (auto opened = sink->open(); !opened) return std::move(opened).error();
  return std::unique_ptr<Log>(new Log(options, std::move(sink)));
}

Log::Log(const LogOptions& options, std::unique_ptr<Sink> sink)
    : level_(options.level), format_(options.format), sink_(std::move(sink)) {}

Log::~Log() = default;

void Log::write(Level level, std::string_view text, const Fields& fields) {
  if (enabled(level)) write_always(level, text, fields);
}

void Log::write_always(Level level, std::string_view text, const Fields& fields) {
  const auto now = WallClock::now();
  if (level >= Level::kWarning) problems_.add(now, level, text, fields);
  const auto names_request = [](const Field& field) { return field.key == "request"; };
  if (std::any_of(fields.begin(), fields.end(), names_request)) {
    of_requests_.add(now, level, text, fields);
  }
  sink_->write(level, format_ == Format::kJson ? json_line(now, level, text, fields)
                      : sink_->is_journal      ? journal_line(level, text, fields)
                                               : text_line(now, level, text, fields));
}

Result<void> Log::reopen() {
  if (sink_->file.empty()) return {};
  return sink_->open();
}

}  // namespace longshore::observe
