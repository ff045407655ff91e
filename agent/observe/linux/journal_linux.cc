#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "observe/journal.h"

namespace longshore::observe {

// The variable alone says little: standard error may have been redirected since.
bool standard_error_is_journal() {
  const char* const stream = std::getenv("JOURNAL_STREAM");
  struct stat status {};
  if (stream == nullptr || ::fstat(STDERR_FILENO, &status) != 0) return false;
  return stream == std::to_string(status.st_dev) + ':' + std::to_string(status.st_ino);
}

}  // namespace longshore::observe
