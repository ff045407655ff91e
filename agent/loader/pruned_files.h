// What describes some of a module's services, and nothing else that its files hold.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "loader/described_file.h"

namespace longshore::loader {

// Of one module's files: these services, the messages and enums at the top of their files that
// their methods use, however deep, and the extensions of options that explain them. Files of which
// nothing is left are left out, and so are comments. What protobuf itself defines stays whole:
// clients compare it with their own. An import is made of what is really used, so that none names a
// file that is hidden.
std::vector<std::shared_ptr<const DescribedFile>> pruned_files(
    const std::vector<std::shared_ptr<const DescribedFile>>& files,
    const std::vector<std::string>& services);

}  // namespace longshore::loader
