#include "sidecars/run_dir.h"

namespace longshore::sidecars {

// The agent makes its state's folder itself, and says why it cannot.
Result<void> prepare_run_dir(const std::string& /*run_dir*/) { return {}; }

}  // namespace longshore::sidecars
