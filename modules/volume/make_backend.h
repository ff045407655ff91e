// The backend for this system, from the module's settings: linux/make_backend.cc,
// windows/make_backend.cc.
#pragma once

#include <memory>

#include "longshore/result.hpp"
#include "longshore/settings.hpp"
#include "support/allowed_roots.h"
#include "volume/volume_backend.h"

namespace longshore::volume {

// INVALID_ARGUMENT: a setting cannot be used.
Result<std::unique_ptr<VolumeBackend>> make_backend(const Settings& settings,
                                                    const support::AllowedRoots& roots);

}  // namespace longshore::volume
