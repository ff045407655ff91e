// Any bytes as a module's file: the readers of ELF and PE, and what is decided from what they find.
//
// The first byte decides which reader, and whether the rest is the file or changes to a good one.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "loader/description.h"
#include "loader/image_facts.h"
#include "loader/negotiate.h"
#include "tests/fuzz/patched.h"
#include "tests/unit/loader/pe_image.h"

namespace longshore::loader {
namespace {

constexpr uint8_t kPe = 1;
constexpr uint8_t kWholeFile = 2;

const std::string& good_elf() {
  static const std::string* file = [] {
    std::ifstream stream(GOOD_MODULE, std::ios::binary);
    return new std::string(std::istreambuf_iterator<char>(stream), {});
  }();
  if (file->empty()) std::abort();
  return *file;
}

std::string good_pe() {
  const PeImage image;
  return {reinterpret_cast<const char*>(image.bytes.data()), image.bytes.size()};
}

void inspect(const std::string& file, bool pe) {
  const auto bytes = std::as_bytes(std::span(file));
  const Result<ImageFacts> facts = pe ? read_pe(bytes) : read_elf(bytes);
  if (!facts) {
    if (facts.error().message().empty()) std::abort();
    return;
  }
  // What is told comes from the file, and no text is longer than a text may be.
  if (facts->entry.name.size() > kMaxTextBytes || facts->entry.description.size() > file.size()) {
    std::abort();
  }
  if (check_loadable(*facts) && facts->exports.size() > 1) {
    for (const auto& name : facts->exports) {
      if (name != kEntrySymbol) std::abort();
    }
  }
  (void)parse_description(facts->entry.description);
}

}  // namespace
}  // namespace longshore::loader

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace longshore;
  if (size == 0) return 0;
  const bool pe = (data[0] & loader::kPe) != 0;
  const std::span<const uint8_t> rest(data + 1, size - 1);
  if ((data[0] & loader::kWholeFile) != 0) {
    loader::inspect({rest.begin(), rest.end()}, pe);
  } else {
    loader::inspect(fuzz::patched(pe ? loader::good_pe() : loader::good_elf(), rest), pe);
  }
  return 0;
}
