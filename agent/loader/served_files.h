// The descriptors of some of the services that the agent serves: what one endpoint may tell.
//
// Immutable. Threads: any.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loader/described_file.h"

namespace longshore::loader {

// Of one module: files that import each other.
using DescribedFiles = std::vector<std::shared_ptr<const DescribedFile>>;

class ServedFiles {
 public:
  explicit ServedFiles(std::vector<DescribedFiles> modules) : modules_(std::move(modules)) {}

  // The named file, or the one that defines a symbol, with everything it imports, each once.
  // Empty when it is unknown. Modules that carry a file of the same name and other contents are
  // kept apart: what a file imports is in its own module.
  std::vector<std::string> file(std::string_view name) const;
  std::vector<std::string> file_with_symbol(std::string_view symbol) const;

 private:
  const std::vector<DescribedFiles> modules_;
};

}  // namespace longshore::loader
