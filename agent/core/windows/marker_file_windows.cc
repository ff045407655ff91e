#include "core/marker_file.h"

namespace longshore::core {

Result<std::unique_ptr<MarkerFile>> MarkerFile::open(const std::string& path) {
  return Error(StatusCode::kUnimplemented, "open", path).because("there is none on Windows yet");
}

}  // namespace longshore::core
