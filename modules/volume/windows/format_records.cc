#include "volume/windows/format_records.h"

#include <fstream>
#include <system_error>

#include "longshore/windows/wide_text.hpp"
#include "support/windows/guid_text.h"

namespace longshore::volume {
namespace {

constexpr const char* kUnknownNumber = "unknown";

}  // namespace

FormatRecords::FormatRecords(const std::string& directory) : directory_(wide(directory)) {}

std::filesystem::path FormatRecords::path_of(const std::string& volume_id) const {
  const auto guid = support::guid_of_volume(volume_id);
  return directory_ / ("formatted-" + (guid ? support::guid_text(*guid) : "none"));
}

bool FormatRecords::contains(const std::string& volume_id, uint32_t serial_number) const {
  if (directory_.empty()) return false;
  std::ifstream file(path_of(volume_id));
  std::string text;
  file >> text;
  return text == kUnknownNumber || text == std::to_string(serial_number);
}

Result<void> FormatRecords::add(const std::string& volume_id,
                                std::optional<uint32_t> serial_number) const {
  if (directory_.empty()) return {};
  std::ofstream file(path_of(volume_id), std::ios::trunc);
  file << (serial_number ? std::to_string(*serial_number) : kUnknownNumber) << '\n';
  if (file.flush()) return {};
  return Error(StatusCode::kInternal, "record that it is formatted", volume_id)
      .because("the module's state directory cannot be written");
}

void FormatRecords::remove(const std::string& volume_id) const {
  if (directory_.empty()) return;
  std::error_code
      ignored;  // a repeated FormatVolume succeeds then that should be told of a mistake
  std::filesystem::remove(path_of(volume_id), ignored);
}

}  // namespace longshore::volume
