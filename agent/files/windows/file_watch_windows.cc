// By change notifications of the folders: one handle each, which is signalled when something in the
// folder has changed, whatever it was.
#include <windows.h>

#include <boost/asio/windows/object_handle.hpp>
#include <filesystem>
#include <utility>
#include <vector>

#include "files/file_watch.h"
#include "longshore/windows/handle.hpp"
#include "longshore/windows/wide_text.hpp"

namespace longshore::files {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;

constexpr DWORD kChanges = FILE_NOTIFY_CHANGE_FILE_NAME | FILE_NOTIFY_CHANGE_DIR_NAME |
                           FILE_NOTIFY_CHANGE_LAST_WRITE | FILE_NOTIFY_CHANGE_SIZE |
                           FILE_NOTIFY_CHANGE_SECURITY;

// Ends with its watch: a wait that is under way holds it, and finds that it is over.
class WatchedFolder final : public std::enable_shared_from_this<WatchedFolder> {
 public:
  WatchedFolder(asio::io_context& io, std::function<void()> on_change)
      : handle_(io), on_change_(std::move(on_change)) {}
  ~WatchedFolder() { close(); }

  Result<void> open(const fs::path& folder) {
    const auto failed = [&](const std::error_code& error) {
      return Error(StatusCode::kUnknown, "watch the folder", folder.string()).because(error);
    };
    const HANDLE notification = FindFirstChangeNotificationW(folder.c_str(), FALSE, kChanges);
    if (const std::error_code error = error_unless(notification != INVALID_HANDLE_VALUE)) {
      return failed(error);
    }
    notification_ = notification;
    // Asio closes what it is given by another function than this kind of handle needs.
    HANDLE waited = nullptr;
    const std::error_code error =
        error_unless(DuplicateHandle(GetCurrentProcess(), notification, GetCurrentProcess(),
                                     &waited, 0, FALSE, DUPLICATE_SAME_ACCESS) != FALSE);
    if (error) return failed(error);
    handle_.assign(waited);
    wait();
    return {};
  }

  void close() {
    boost::system::error_code ignored;
    handle_.close(ignored);
    if (notification_) FindCloseChangeNotification(std::exchange(notification_, nullptr));
  }

 private:
  void wait() {
    handle_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
      const auto self = weak.lock();
      if (error || !self || !self->notification_) return;
      // Before it is told: what changes meanwhile is another change.
      const bool goes_on = FindNextChangeNotification(self->notification_);
      self->on_change_();
      if (goes_on && self->notification_) self->wait();
    });
  }

  asio::windows::object_handle handle_;
  const std::function<void()> on_change_;
  HANDLE notification_ = nullptr;
};

class FolderWatch final : public FileWatch {
 public:
  FolderWatch(asio::io_context& io, std::function<void()> on_change)
      : io_(io), on_change_(std::move(on_change)) {}
  ~FolderWatch() override { end(); }

  Result<void> watch(Paths paths) override {
    end();
    std::set<fs::path> folders;
    for (const std::string& path : paths) folders.insert(existing_folder(fs::path(wide(path))));
    for (const fs::path& folder : folders) {
      auto watched = std::make_shared<WatchedFolder>(io_, on_change_);
      if (auto opened = watched->open(folder); !opened) {
        end();
        return opened;
      }
      folders_.push_back(std::move(watched));
    }
    return {};
  }

 private:
  static fs::path existing_folder(fs::path path) {
    std::error_code ignored;
    do {
      path = path.parent_path();
    } while (path.has_relative_path() && !fs::is_directory(path, ignored));
    return path;
  }

  void end() {
    for (const auto& folder : folders_) folder->close();
    folders_.clear();
  }

  asio::io_context& io_;
  const std::function<void()> on_change_;
  std::vector<std::shared_ptr<WatchedFolder>> folders_;
};

}  // namespace

std::unique_ptr<FileWatch> FileWatch::make(asio::io_context& io, std::function<void()> on_change) {
  return std::make_unique<FolderWatch>(io, std::move(on_change));
}

}  // namespace longshore::files
