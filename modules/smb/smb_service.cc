#include "smb/smb_service.h"

#include <optional>

namespace longshore::smb {
using support::Path;

Result<void> SmbService::new_mapping(const std::string& remote_path, const std::string& local_path,
                                     std::string& user_name, std::string& password,
                                     const Deadline& deadline, const std::string& request_id,
                                     const support::Bulkhead& bulkhead) {
  const Result<Credentials> credentials = Credentials::take(user_name, password);
  const Result<RemotePath> remote = RemotePath::parse(remote_path, "map the share");
  if (!remote) return remote.error();
  std::optional<Path> link;
  std::string operation = "map " + remote->text();
  if (!local_path.empty()) {
    Result<Path> checked = roots_.check(local_path, "make the link");
    if (!checked) return std::move(checked).error();
    link = *std::move(checked);
    operation += " at \"" + link->text() + "\"";
  }
  if (!credentials) return credentials.error();
  if (Result<void> entered = bulkhead.enter(remote->host()); !entered) return entered;
  return single_flight_.run_in_turn(
      remote->mapping(), operation, request_id, deadline, patience_,
      [&] { return backend_.map(*remote, *credentials, link ? &*link : nullptr, deadline); });
}

Result<void> SmbService::remove_mapping(const std::string& remote_path, const Deadline& deadline,
                                        const std::string& request_id) {
  const std::string named = backend_.remote_path_in(remote_path).value_or(remote_path);
  const Result<RemotePath> remote = RemotePath::parse(named, "remove the mapping");
  if (!remote) return remote.error();
  return single_flight_.run_in_turn(remote->mapping(), "remove the mapping " + remote->text(),
                                    request_id, deadline, patience_,
                                    [&] { return backend_.unmap(*remote, deadline); });
}

}  // namespace longshore::smb
