// The backend of the system that this is built for. Defined for each, in linux/ and windows/.
#pragma once

#include <memory>
#include <string>

#include "iscsi/iscsi_backend.h"
#include "longshore/result.hpp"
#include "longshore/settings.hpp"

namespace longshore::iscsi {

Result<std::unique_ptr<IscsiBackend>> make_backend(const Settings& settings);

// What targets call themselves in MUTUAL_CHAP; see IscsiService. "" where the system does not look.
std::string target_username(const Settings& settings);

}  // namespace longshore::iscsi
