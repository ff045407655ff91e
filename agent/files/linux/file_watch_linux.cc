#include <sys/inotify.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstddef>
#include <filesystem>
#include <map>
#include <utility>

#include "files/file_watch.h"
#include "longshore/linux/file_descriptor.hpp"

namespace longshore::files {
namespace {

namespace fs = std::filesystem;

// Not the making of a file's contents, which is told when whoever writes it closes it; but links
// and folders are whole when they are made.
constexpr uint32_t kEvents = IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE |
                             IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
// Of the folder itself, or of the queue: what was watched is no more, or something was missed.
constexpr uint32_t kLost = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED | IN_Q_OVERFLOW;

class Inotify final : public FileWatch {
 public:
  Inotify(boost::asio::io_context& io, std::function<void()> on_change)
      : events_(io), on_change_(std::move(on_change)) {}

  Result<void> watch(Paths paths) override {
    paths_ = std::move(paths);
    return begin();
  }

 private:
  // Always anew: which folders there are may have changed.
  Result<void> begin() {
    boost::system::error_code ignored;
    events_.close(ignored);
    names_.clear();
    ++begun_;
    if (paths_.empty()) return {};
    const int queue = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (const std::error_code error = error_unless(queue >= 0)) {
      return failed(*paths_.begin(), error);
    }
    events_.assign(queue);
    for (const std::string& path : paths_) {
      const std::error_code error = add(path);
      if (!error) continue;
      events_.close(ignored);
      return failed(path, error);
    }
    wait();
    return {};
  }

  static Error failed(const std::string& path, const std::error_code& error) {
    return Error(StatusCode::kUnavailable, "watch for changes of", path).because(error);
  }

  // Watches for the next name on the way to the path in the last folder that there is.
  std::error_code add(const fs::path& path) {
    for (fs::path next = path;; next = next.parent_path()) {
      const fs::path folder = next.parent_path();
      const int watch = inotify_add_watch(events_.native_handle(), folder.c_str(), kEvents);
      const std::error_code error = error_unless(watch >= 0);
      const bool is_missing =
          error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
      if (error && !is_missing) return error;
      if (!error) names_[watch].insert(next.filename().string());
      if (!error || folder == folder.parent_path()) return error;
    }
  }

  void wait() {
    events_.async_wait(boost::asio::posix::descriptor_base::wait_read,
                       [this, begun = begun_](boost::system::error_code error) {
                         if (!error && begun == begun_) read();
                       });
  }

  void read() {
    alignas(inotify_event) char events[4096];
    bool concerns = false;
    for (ssize_t size = 0; (size = ::read(events_.native_handle(), events, sizeof(events))) > 0;) {
      for (ssize_t at = 0; at < size;) {
        const auto* event = reinterpret_cast<const inotify_event*>(events + at);
        concerns = concerns || is_of_interest(*event);
        at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      }
    }
    if (!concerns) return wait();
    static_cast<void>(begin());  // if that fails, this change is still told
    on_change_();
  }

  bool is_of_interest(const inotify_event& event) const {
    if (event.mask & kLost) return true;
    const auto names = names_.find(event.wd);
    if (names == names_.end()) return false;
    // Without a name: the folder itself, of which others may not write any more.
    if (event.len == 0) return (event.mask & IN_ATTRIB) != 0;
    return names->second.contains(event.name);
  }

  boost::asio::posix::stream_descriptor events_;
  const std::function<void()> on_change_;
  Paths paths_;
  std::map<int, std::set<std::string, std::less<>>> names_;  // that count, by folder
  uint64_t begun_ = 0;  // what was waited for before does not count
};

}  // namespace

std::unique_ptr<FileWatch> FileWatch::make(boost::asio::io_context& io,
                                           std::function<void()> on_change) {
  return std::make_unique<Inotify>(io, std::move(on_change));
}

}  // namespace longshore::files
