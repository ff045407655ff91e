// Any bytes as a kubeconfig: what is read is complete and does not contradict itself, and what is
// not is refused in a sentence.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "kube/configuration.h"

namespace {

using namespace longshore;

void require(bool condition) {
  if (!condition) std::abort();
}

// In a file without a name, which no run leaves behind.
class MemoryFile {
 public:
  MemoryFile(const uint8_t* data, size_t size) : descriptor_(::memfd_create("kubeconfig", 0)) {
    require(descriptor_ >= 0);
    require(::write(descriptor_, data, size) == static_cast<ssize_t>(size));
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  const int descriptor_;
};

void check(const kube::Configuration& configuration) {
  require(!configuration.server.host.empty());
  require(configuration.client_certificate.empty() == configuration.client_key.empty());
  const bool has_token = !configuration.token.empty() || !configuration.token_file.empty();
  require(configuration.token.empty() || configuration.token_file.empty());
  require(!has_token || (configuration.user_name.empty() && configuration.password.empty()));
  require(!configuration.skips_verification || configuration.certificate_authority.empty());
  for (const kube::PemSource* pem :
       {&configuration.certificate_authority, &configuration.client_certificate,
        &configuration.client_key}) {
    require(pem->file.empty() || pem->text.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MemoryFile file(data, size);
  const auto configuration = kube::read_kubeconfig(file.path());
  if (configuration) {
    check(*configuration);
    return 0;
  }
  require(configuration.error().message().starts_with("cannot use the kubeconfig \""));
  return 0;
}
