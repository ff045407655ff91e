#include "observe/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "observe/journal.h"
#include "observe/log_line.h"

namespace longshore::observe {

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
        opened = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
      }
      opened->set_pattern("%v");
      const std::lock_guard lock(mutex);
      target = std::move(opened);
      return {};
    } catch (const spdlog::spdlog_ex& exception) {
      return Error(StatusCode::kFailedPrecondition, "open the log file", file)
          .because(exception.what());
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
  if (!enabled(level)) return;
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
