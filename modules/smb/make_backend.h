// The backend of the system that this is built for. Defined for each, in linux/ and windows/.
#pragma once

#include <memory>

#include "longshore/result.hpp"
#include "longshore/settings.hpp"
#include "smb/smb_backend.h"
#include "support/allowed_roots.h"

namespace longshore::smb {

Result<std::unique_ptr<SmbBackend>> make_backend(const Settings& settings,
                                                 support::AllowedRoots roots);

}  // namespace longshore::smb
