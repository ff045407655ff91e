#include "iscsi/make_backend.h"

#include "iscsi/windows/iscsi_backend_windows.h"

namespace longshore::iscsi {

Result<std::unique_ptr<IscsiBackend>> make_backend(const Settings&) {
  return std::unique_ptr<IscsiBackend>(
      std::make_unique<IscsiBackendWindows>(native_initiator_library()));
}

std::string target_username(const Settings&) { return {}; }

}  // namespace longshore::iscsi
