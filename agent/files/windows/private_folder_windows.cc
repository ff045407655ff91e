#include "files/private_folder.h"
#include "files/windows/own_file.h"

namespace longshore::files {

Result<void> make_private_folder(const std::string& path) { return make_own_folder(path); }

}  // namespace longshore::files
