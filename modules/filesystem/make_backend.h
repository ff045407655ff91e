// The backend of the system that this is built for. Defined for each, in linux/ and windows/.
#pragma once

#include <memory>

#include "filesystem/filesystem_backend.h"
#include "longshore/result.hpp"
#include "longshore/settings.hpp"
#include "support/allowed_roots.h"

namespace longshore::filesystem {

Result<std::unique_ptr<FilesystemBackend>> make_backend(const Settings& settings,
                                                        support::AllowedRoots roots);

}  // namespace longshore::filesystem
