// Has modules tried again that are not as the configuration wants them, when there may be another
// file for them.
//
//   at rest ──watch()──► watching ──a change────► waiting ──kSettleTime──► try_again()
//                                 └─try_later()─► waiting ──a pause──► try_again()
//
// Threads: the I/O thread, unless said otherwise. Owner: the agent.
#pragma once

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "files/file_watch.h"
#include "observe/log.h"

namespace longshore {

class ModuleRetry {
 public:
  // A file that is being put there is mostly whole by then; and however often files change, there
  // is no more than one try in this time.
  static constexpr std::chrono::seconds kSettleTime{1};
  // A try that came too early is made again after a pause, twice as long each time.
  static constexpr std::chrono::seconds kMostPause{300};

  // `try_again` is called on the I/O thread and hands the work to another one.
  ModuleRetry(boost::asio::io_context& io, observe::Log& log, std::function<void()> try_again)
      : io_(io),
        log_(log),
        try_again_(std::move(try_again)),
        settle_(io),
        files_(files::FileWatch::make(io, [this] { try_soon(); })) {}

  // The files of all modules that are to be tried again when one of these changes; none: no module
  // is. [any thread]
  void watch(files::FileWatch::Paths paths) {
    boost::asio::post(io_, [this, paths = std::move(paths)]() mutable { begin(std::move(paths)); });
  }

  // The last try came too early, whatever the files. [any thread]
  void try_later() {
    boost::asio::post(io_, [this] {
      pause_ = std::min(2 * pause_, kMostPause);
      try_in(pause_);
    });
  }

 private:
  void begin(files::FileWatch::Paths paths) {
    if (paths == watched_) return;
    watched_ = paths;
    if (const auto begun = files_->watch(std::move(paths)); !begun) {
      watched_.clear();  // so that the next reload tries to watch them again
      log_.warning(
          "changes of the files of modules that failed are not noticed; a reload tries again",
          {{"reason", begun.error().message()}});
    } else if (!watched_.empty()) {
      try_soon();  // they may have changed since they were read
    }
  }

  void try_soon() {
    pause_ = kSettleTime;
    try_in(pause_);
  }

  void try_in(std::chrono::seconds pause) {
    const auto at = std::chrono::steady_clock::now() + pause;
    if (waits_ && settle_.expiry() <= at) return;
    waits_ = true;
    settle_.expires_at(at);
    settle_.async_wait([this](boost::system::error_code error) {
      if (error) return;  // set anew
      waits_ = false;
      if (!watched_.empty()) try_again_();
    });
  }

  boost::asio::io_context& io_;
  observe::Log& log_;
  const std::function<void()> try_again_;
  boost::asio::steady_timer settle_;
  const std::unique_ptr<files::FileWatch> files_;
  files::FileWatch::Paths watched_;
  std::chrono::seconds pause_ = kSettleTime;
  bool waits_ = false;
};

}  // namespace longshore
