#include "observe/append_file.h"

namespace longshore::observe {

AppendFile::~AppendFile() = default;

Result<void> AppendFile::open(const std::string& path) {
  return Error(StatusCode::kUnimplemented, "open the file", path)
      .because("this version appends to no files on Windows");
}

Result<void> AppendFile::write(std::string_view) {
  return Error(StatusCode::kUnimplemented, "write to the file", path_);
}

}  // namespace longshore::observe
