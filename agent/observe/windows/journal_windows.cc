#include "observe/journal.h"

namespace longshore::observe {

bool standard_error_is_journal() { return false; }

}  // namespace longshore::observe
