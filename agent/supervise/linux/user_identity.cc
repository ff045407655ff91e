#include "supervise/linux/user_identity.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>

#include <cerrno>

#include "config/user_names.h"
#include "files/private_folder.h"
#include "longshore/linux/file_descriptor.hpp"

namespace longshore::supervise {

Result<UserIdentity> user_identity(const std::string& name_or_number) {
  const Result<unsigned> id = config::user_id_of(name_or_number);
  if (!id) return id.error();
  std::vector<char> buffer(1024);
  passwd entry{};
  passwd* found = nullptr;
  int error = 0;
  while ((error = getpwuid_r(*id, &entry, buffer.data(), buffer.size(), &found)) == ERANGE) {
    buffer.resize(buffer.size() * 2);
  }
  // A directory that does not answer is not a user without groups.
  if (!found && error != 0 && error != ENOENT && error != ESRCH) {
    return Error(StatusCode::kUnavailable, "look up the user", name_or_number)
        .because(std::error_code(error, std::generic_category()));
  }
  if (!found) return UserIdentity{*id, *id, {}};
  std::vector<gid_t> groups(16);
  auto count = static_cast<int>(groups.size());
  while (getgrouplist(entry.pw_name, entry.pw_gid, groups.data(), &count) < 0) {
    groups.resize(static_cast<size_t>(count));
  }
  groups.resize(static_cast<size_t>(count));
  return UserIdentity{*id, entry.pw_gid, {groups.begin(), groups.end()}};
}

Result<void> give_folder(const std::string& path, unsigned user, unsigned group) {
  if (auto made = files::make_private_folder(path); !made) return made;
  // By descriptor: the user may have put a link in its place since.
  const FileDescriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  std::error_code error = folder.error();
  if (!error) error = error_unless(fchown(folder.get(), user, group) == 0);
  if (!error) error = error_unless(fchmod(folder.get(), S_IRWXU) == 0);
  if (!error) return {};
  return Error(StatusCode::kUnknown, "give the state directory to its user", path).because(error);
}

}  // namespace longshore::supervise
