#include "filesystem/make_backend.h"

#include <utility>
#include <vector>

#include "filesystem/linux/filesystem_backend_linux.h"

namespace longshore::filesystem {

Result<std::unique_ptr<FilesystemBackend>> make_backend(const Settings& settings,
                                                        support::AllowedRoots roots) {
  std::vector<support::PosixPath> link_roots;
  for (const std::string& text : settings.get_strings("link_roots")) {
    auto path = support::PosixPath::parse(text, "use as one of the link_roots");
    if (!path) return std::move(path).error();
    link_roots.push_back(*std::move(path));
  }
  return std::unique_ptr<FilesystemBackend>(
      std::make_unique<FilesystemBackendLinux>(std::move(roots), std::move(link_roots)));
}

}  // namespace longshore::filesystem
