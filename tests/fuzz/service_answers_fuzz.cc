// Any bytes as what Windows' service control manager answers: a service's configuration, and those
// that need a service.
//
// The first byte decides what they are, the next four are the count that comes with them. Addresses
// in them are those of bytes that lay at kAddress, which is small so that they are easily found.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "system/windows/service_answers.h"
#include "system/windows/service_structures.h"

namespace longshore::system {
namespace {

constexpr uint64_t kAddress = 0x1000;
using support::PointedAnswer;

void require(bool condition) {
  if (!condition) std::abort();
}

// Three bytes a character at most, and none is a zero.
void require_text(const std::string& text, const PointedAnswer& answer) {
  require(text.size() <= answer.size() / sizeof(char16_t) * 3);
  require(text.find('\0') == std::string::npos);
}

void read_config(const PointedAnswer& answer, uint32_t) {
  const auto config = config_of(answer);
  if (!config) return;
  require(answer.size() >= sizeof(ServiceConfigAnswer));
  require_text(config->display_name, answer);
}

void read_services(const PointedAnswer& answer, uint32_t count) {
  const auto names = active_services_of(answer, count);
  if (!names) return;
  require(count <= answer.size() / sizeof(ServiceStatusAnswer) && names->size() <= count);
  for (const std::string& name : *names) {
    require(!name.empty());
    require_text(name, answer);
  }
}

}  // namespace
}  // namespace longshore::system

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace longshore::system;
  uint32_t count = 0;
  if (size < 1 + sizeof(count)) return 0;
  std::memcpy(&count, data + 1, sizeof(count));
  const std::span all(reinterpret_cast<const std::byte*>(data), size);
  const PointedAnswer answer(all.subspan(1 + sizeof(count)), kAddress);
  data[0] % 2 == 0 ? read_config(answer, count) : read_services(answer, count);
  return 0;
}
