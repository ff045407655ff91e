// Which volumes were formatted here and have not been mounted since: a file for each in the state
// directory, with the filesystem's serial number, which is new with every format.
//
// A record is begun before the filesystem is made, and says then that nobody knows the number yet:
// so a call that was not answered, because the agent ended meanwhile, can be repeated. Mounting
// removes the record. It only ever keeps something from being formatted, so what it does not know
// of costs no data.
//
// Threads: any number at once, of different volumes: the service lets no two changes of one meet.
// Without a state directory nothing is remembered.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "longshore/result.hpp"

namespace longshore::volume {

class FormatRecords {
 public:
  // In UTF-8; it exists, or is "".
  explicit FormatRecords(const std::string& directory);

  // Whether the filesystem of this number was made here, or one whose number nobody knew yet.
  bool contains(const std::string& volume_id, uint32_t serial_number) const;
  // Nothing: the filesystem is about to be made.
  Result<void> add(const std::string& volume_id, std::optional<uint32_t> serial_number) const;
  void remove(const std::string& volume_id) const;

 private:
  std::filesystem::path path_of(const std::string& volume_id) const;

  std::filesystem::path directory_;
};

}  // namespace longshore::volume
