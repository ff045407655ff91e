#include "support/linux/file_users.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "longshore/linux/file_descriptor.hpp"
#include "support/linux/directory_reader.h"

namespace longshore::support {
namespace {

bool is_forbidden(const std::error_code& error) {
  return error == std::errc::permission_denied || error == std::errc::operation_not_permitted;
}

class Search {
 public:
  Search(const std::function<bool(const UsedFile&)>& is_it, const ProcessWalk::Options& options)
      : is_it_(is_it), processes_(options) {}

  FileUserSearch run() && {
    for (const auto look : {&Search::look_at_links, &Search::look_at_mapped}) {
      processes_.rewind();
      while (const auto folder = processes_.next()) {
        const std::string use = (this->*look)(*folder);
        if (!use.empty()) return {FileUser{process_name(*folder), use}};
      }
    }
    return {std::nullopt, !is_kept_out_ && !processes_.was_cut_short()};
  }

 private:
  // Each answers what the process does with it, or "".
  std::string look_at_links(const std::string& folder) {
    constexpr std::pair<const char*, const char*> kLinks[] = {
        {"/cwd", "works in it"}, {"/root", "works in it"}, {"/exe", "runs a program of it"}};
    for (const auto& [link, use] : kLinks) {
      if (is_it_behind(folder + link)) return use;
    }
    const std::string opened = folder + "/fd";
    DirectoryReader files(
        FileDescriptor(::open(opened.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
    while (const auto file = files.next()) {
      if (!processes_.may_look()) break;
      if (is_it_behind(opened + "/" + std::string(file->name))) return "has files open in it";
    }
    return "";
  }

  bool is_it_behind(const std::string& link) {
    struct statx facts {};
    // Of what the kernel knows of the file itself: nothing is asked of its filesystem.
    const int flags = AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT;
    if (const std::error_code error =
            error_unless(::statx(AT_FDCWD, link.c_str(), flags, STATX_MNT_ID, &facts) == 0)) {
      is_kept_out_ |= is_forbidden(error);
      return false;
    }
    UsedFile file{.device = makedev(facts.stx_dev_major, facts.stx_dev_minor),
                  .mount_id = facts.stx_mnt_id};
    if (S_ISBLK(facts.stx_mode)) file.node_of = makedev(facts.stx_rdev_major, facts.stx_rdev_minor);
    return is_it_(file);
  }

  std::string look_at_mapped(const std::string& folder) {
    std::ifstream maps(folder + "/maps");
    for (std::string line; std::getline(maps, line) && processes_.may_look();) {
      const auto file = mapped_file(line);
      if (file && is_it_(*file)) return "maps files of it";
    }
    return "";
  }

  // "7f0e-7f10 r-xp 00000000 103:02 1311 /usr/lib/libc.so.6", the device in hexadecimal.
  static std::optional<UsedFile> mapped_file(const std::string& line) {
    std::istringstream words(line);
    std::string addresses, rights, offset, device, inode, path;
    if (!(words >> addresses >> rights >> offset >> device >> inode)) return std::nullopt;
    std::getline(words >> std::ws, path);
    unsigned numbers[2] = {};
    const char* const end = device.data() + device.size();
    const auto [colon, error] = std::from_chars(device.data(), end, numbers[0], 16);
    if (error != std::errc() || colon == end || path.empty()) return std::nullopt;
    if (std::from_chars(colon + 1, end, numbers[1], 16).ec != std::errc()) return std::nullopt;
    return UsedFile{.device = makedev(numbers[0], numbers[1]), .path = std::move(path)};
  }

  const std::function<bool(const UsedFile&)>& is_it_;
  ProcessWalk processes_;
  bool is_kept_out_ = false;
};

}  // namespace

std::string FileUserSearch::text(const std::string& nobody) const {
  if (found) return found->process + " " + found->use;
  if (saw_all) return nobody;
  return nobody +
         "; not every process could be looked into, as that asks for CAP_SYS_PTRACE or there are "
         "too many";
}

FileUserSearch find_file_user(const std::function<bool(const UsedFile&)>& is_it,
                              const ProcessWalk::Options& options) {
  return Search(is_it, options).run();
}

}  // namespace longshore::support
