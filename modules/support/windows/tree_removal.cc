#include "support/windows/tree_removal.h"

#include <memory>
#include <utility>
#include <vector>

#include "longshore/windows/wide_text.hpp"
#include "support/windows/file_error.h"
#include "support/windows/reparse_point.h"

namespace longshore::support {
namespace {

constexpr const char* kOperation = "remove what is in";
constexpr size_t kMaxShown = 1'024;    // bytes of a path in an error
constexpr int kMaxPasses = 16;         // over one directory that others keep filling
constexpr int kDeadlineInterval = 32;  // entries between two looks at the deadline

// An opened directory on the way from the top to the one that is being emptied.
struct Level {
  OpenFile* directory = nullptr;
  std::unique_ptr<OpenFile> own;     // the same; the top is the caller's
  size_t path_size = 0;              // how much of the shown path leads here
  std::vector<std::wstring> names;   // of this listing, still to go
  std::vector<std::wstring> before;  // the listing that this pass began with
  int passes = 0;
};

class TreeRemoval {
 public:
  TreeRemoval(const std::string& path, const Deadline& deadline)
      : path_(path), deadline_(deadline), shown_(path.substr(0, kMaxShown)) {}

  Result<void> run(OpenFile& top) {
    levels_.push_back({.directory = &top, .path_size = shown_.size()});
    while (!levels_.empty()) {
      if (Result<void> done = step(); !done) return done;
    }
    return {};
  }

 private:
  // One entry, or one listing, or the end of one directory.
  Result<void> step() {
    if (++steps_ % kDeadlineInterval == 0) {
      if (auto error = deadline_.exceeded(kOperation, path_)) {
        return std::move(*error).advise("a part of it is removed; another call goes on from there");
      }
    }
    Level& level = levels_.back();
    if (level.names.empty()) return list();
    const std::wstring name = std::move(level.names.back());
    level.names.pop_back();
    return remove(name);
  }

  Result<void> list() {
    Level& level = levels_.back();
    std::error_code error;
    level.names = level.directory->list(error);
    if (error && !is_missing(error)) return failure(shown_, error);
    if (level.names.empty()) return finish_level();
    // What was there before is there still: it is being removed and somebody has it open, or others
    // make it again and again.
    if (level.names == level.before && ++level.passes > kMaxPasses) return stays();
    level.before = level.names;
    return {};
  }

  Result<void> remove(const std::wstring& name) {
    std::error_code error;
    auto entry = levels_.back().directory->open(name, FileAccess::kRemove, error);
    if (!entry) return is_missing(error) ? Result<void>() : failure(shown_path_of(name), error);
    error = remove_entry(*entry);
    if (!error || is_missing(error)) return {};
    if (!is_not_empty(error)) return failure(shown_path_of(name), error);
    const OpenFile::Facts facts = entry->facts(error);
    if (error) return failure(shown_path_of(name), error);
    // A filter driver's directory, which has entries of its own.
    if (facts.is_reparse_point) {
      return failure(shown_path_of(name), windows_error(ERROR_REPARSE_TAG_INVALID));
    }
    push(name, std::move(entry));
    return {};
  }

  void push(const std::wstring& name, std::unique_ptr<OpenFile> directory) {
    // When it is gone, the directory above is listed anew: a listing of each level would be much.
    levels_.back().names = {};
    shown_ = shown_path_of(name);
    OpenFile* opened = directory.get();
    levels_.push_back(
        {.directory = opened, .own = std::move(directory), .path_size = shown_.size()});
  }

  // A directory in which nothing was found goes, by its own handle.
  Result<void> finish_level() {
    Level& level = levels_.back();
    if (level.own) {
      const std::error_code error = level.own->remove();
      if (is_not_empty(error)) return ++level.passes > kMaxPasses ? stays() : Result<void>();
      if (error && !is_missing(error)) return failure(shown_, error);
    }
    levels_.pop_back();
    if (!levels_.empty()) shown_.resize(levels_.back().path_size);
    return {};
  }

  Result<void> stays() const {
    return Error(StatusCode::kAborted, kOperation, shown_)
        .because("others keep putting entries into it, or have them open")
        .advise("a part of it is removed; call again when nobody uses it");
  }

  std::string shown_path_of(const std::wstring& name) const {
    return shown_.size() < kMaxShown ? (shown_ + "\\" + narrow(name)).substr(0, kMaxShown) : shown_;
  }

  static Error failure(const std::string& object, const std::error_code& error) {
    return file_failure(object, "remove", error);
  }

  const std::string& path_;
  const Deadline& deadline_;
  std::string shown_;
  std::vector<Level> levels_;
  int steps_ = 0;
};

}  // namespace

std::error_code remove_entry(OpenFile& entry) {
  std::error_code error;
  const OpenFile::Facts facts = entry.facts(error);
  if (error) return error;
  if (facts.is_reparse_point && facts.is_directory) {
    const std::vector<std::byte> data = entry.read_reparse_data(error);
    if (error) return error;
    const auto point = decode_reparse_point(data);
    // What is damaged leads nowhere, and goes as any link.
    if (point && point->kind == ReparseKind::kVolumeMountPoint) {
      // A disk that is detached next must have all that was written to it.
      static_cast<void>(entry.flush_volume(point->target));
      if (const auto failed = entry.detach_volume(point->target)) return failed;
    }
  }
  return entry.remove();
}

Result<void> remove_contents(OpenFile& directory, const std::string& path,
                             const Deadline& deadline) {
  return TreeRemoval(path, deadline).run(directory);
}

}  // namespace longshore::support
