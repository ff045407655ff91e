// What the smb group needs of the operating system.
//
// A share is mapped once on the node, with the credentials that it was last mapped with. (Linux
// does not look at the domain: the same name and password are the same user to it. Windows looks at
// none where the share is mapped and answers.) Its users are the local links that lead to it or to
// what lies below it.
//
// Threads: any number at once. SmbService lets no two changes of one share meet.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "longshore/deadline.hpp"
#include "longshore/result.hpp"
#include "smb/credentials.h"
#include "smb/remote_path.h"
#include "support/path.h"

namespace longshore::smb {

class SmbBackend {
 public:
  virtual ~SmbBackend() = default;

  // Maps the share, if it is not mapped with these credentials and answers, and makes `link` lead
  // to the remote path; null: no link. A link that leads there already is success.
  // PERMISSION_DENIED: the server refuses the credentials, which leaves a mapping that was made
  // with others as it is. NOT_FOUND: there is no such share, nothing in it at the remote path, or
  // no directory for the link. ALREADY_EXISTS: something else is at the link's path. UNAVAILABLE:
  // the server does not answer, or an earlier call still hangs for want of its answer. What is
  // found out about the link's path is found out before anything is mapped; on failure nothing is
  // mapped that was not mapped before.
  virtual Result<void> map(const RemotePath& remote, const Credentials& credentials,
                           const support::Path* link, const Deadline& deadline) = 0;

  // The remote path that the text of a link means which map() made, "//host/share/a"; nothing for
  // what is no such text. Drivers read the link and name in unmap() what they read.
  virtual std::optional<std::string> remote_path_in(std::string_view link_text) const = 0;

  // Removes the links to exactly the remote path that map() made and that still stand, and the
  // mapping too unless links to other places below the share still stand. Nothing there is success.
  // Asks no server. It fails only where something cannot be told or removed: csi-driver-smb can
  // never unstage a volume for which this failed once.
  virtual Result<void> unmap(const RemotePath& remote, const Deadline& deadline) = 0;

  // How many calls the system has not ended, for want of a server's answer.
  virtual size_t hanging_calls() { return 0; }
};

}  // namespace longshore::smb
