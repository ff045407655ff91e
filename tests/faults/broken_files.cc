#include "tests/faults/broken_files.h"

#include <cstring>
#include <limits>
#include <stdexcept>

namespace longshore::test {
namespace {

constexpr auto kEvery = std::numeric_limits<uint64_t>::max();

template <size_t size>
void copy(const std::string& text, char (&place)[size]) {
  if (text.size() >= size) throw std::runtime_error("too long a path");
  std::strcpy(place, text.c_str());
}

}  // namespace

FileFaults& break_files(FileFaults& files, const std::string& path_part,
                        const std::string& spared_part) {
  mend_files(files);
  copy(path_part, files.path_part);
  copy(spared_part, files.spared_part);
  files.calls = 0;
  files.failed = 0;
  files.first = 1;
  files.last = kEvery;
  return files;
}

void break_all(FileFaults& files, int error) {
  for (auto* each : {&files.open_error, &files.write_error, &files.sync_error, &files.rename_error,
                     &files.truncate_error}) {
    *each = error;
  }
}

void break_call(FileFaults& files, const std::string& path_part, int error, uint64_t number) {
  break_files(files, path_part);
  files.first = files.last = number;
  break_all(files, error);
}

void mend_files(FileFaults& files) {
  break_all(files, 0);
  files.make_error = 0;
}

}  // namespace longshore::test
