#include <dlfcn.h>
#include <nettle/base64.h>
#include <nettle/eddsa.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "config/ownership.h"
#include "loader/signature.h"

namespace longshore::loader {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegin = "-----BEGIN PUBLIC KEY-----";
constexpr std::string_view kEnd = "-----END PUBLIC KEY-----";
// What DER puts before the 32 bytes of an Ed25519 key (RFC 8410): no other key begins like this.
constexpr std::array<uint8_t, 12> kDerPrefix = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
                                                0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};
#define LONGSHORE_TEXT_OF(name) LONGSHORE_TEXT(name)
#define LONGSHORE_TEXT(name) #name
// The header names it otherwise than the library does.
constexpr const char* kVerifyName = LONGSHORE_TEXT_OF(ed25519_sha512_verify);

constexpr size_t kDerSize = kDerPrefix.size() + ED25519_KEY_SIZE;

// All of a small file; none when there is no such file.
Result<std::optional<std::string>> contents(const std::string& path) {
  constexpr size_t kMaxBytes = 4096;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return std::optional<std::string>();
  const auto failed = [&] { return Error(StatusCode::kFailedPrecondition, "read", path); };
  if (error) return failed().because(error);
  if (!fs::is_regular_file(status)) return failed().because("it is not a regular file");
  std::ifstream stream(path, std::ios::binary);
  std::string bytes(kMaxBytes, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (stream.bad() || !stream.is_open()) return failed().because("its contents cannot be read");
  bytes.resize(static_cast<size_t>(stream.gcount()));
  return std::optional<std::string>(std::move(bytes));
}

std::optional<PublicKey> parse_key(const std::string& pem) {
  const size_t begin = pem.find(kBegin);
  if (begin == std::string::npos) return std::nullopt;
  const size_t end = pem.find(kEnd, begin);
  if (end == std::string::npos) return std::nullopt;
  const std::string text = pem.substr(begin + kBegin.size(), end - begin - kBegin.size());
  base64_decode_ctx context;
  base64_decode_init(&context);
  std::vector<uint8_t> der(BASE64_DECODE_LENGTH(text.size()));
  size_t size = der.size();
  if (!base64_decode_update(&context, &size, der.data(), text.size(), text.data()) ||
      !base64_decode_final(&context) || size != kDerSize ||
      !std::equal(kDerPrefix.begin(), kDerPrefix.end(), der.begin())) {
    return std::nullopt;
  }
  PublicKey key;
  std::copy_n(der.begin() + kDerPrefix.size(), key.bytes.size(), key.bytes.begin());
  return key;
}

Result<PublicKey> read_key(const fs::path& path, const std::vector<unsigned>& owners) {
  if (!owners.empty()) {
    if (auto owned = config::check_ownership(path.string(), owners); !owned) {
      return std::move(owned).error();
    }
  }
  Result<std::optional<std::string>> pem = contents(path.string());
  if (!pem) return std::move(pem).error();
  std::optional<PublicKey> key = *pem ? parse_key(**pem) : std::nullopt;
  if (!key) {
    return Error(StatusCode::kFailedPrecondition, "read the public key", path.string())
        .because("it is no Ed25519 key in PEM, as openssl pkey -pubout writes it");
  }
  key->name = path.stem().string();
  return std::move(*key);
}

struct Ed25519 {
  decltype(&ed25519_sha512_verify) verify;
};

// The system's, loaded at the first need and kept: few nodes check signatures, and with what it
// needs it is larger than the agent's heap.
Result<Ed25519> load_ed25519() {
  const auto failed = [](const char* why) {
    return Error(StatusCode::kFailedPrecondition, "load", LONGSHORE_HOGWEED)
        .because(why == nullptr ? "it lacks what checks Ed25519 signatures" : why)
        .advise("install it; the agent checks signatures with it");
  };
  void* const library = dlopen(LONGSHORE_HOGWEED, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return failed(dlerror());
  void* const found = dlsym(library, kVerifyName);
  if (found == nullptr) return failed(nullptr);
  return Ed25519{reinterpret_cast<decltype(Ed25519::verify)>(found)};
}

std::string listed(const std::vector<PublicKey>& keys) {
  std::string names;
  for (const PublicKey& key : keys) names += (names.empty() ? "" : ", ") + key.name;
  return names;
}

}  // namespace

Result<std::vector<PublicKey>> read_public_keys(const std::string& folder,
                                                const std::vector<unsigned>& owners) {
  if (!owners.empty()) {
    if (auto owned = config::check_ownership(folder, owners); !owned) {
      return std::move(owned).error();
    }
  }
  std::error_code error;
  std::vector<PublicKey> keys;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.extension() != ".pem" || path.filename().string().front() == '.') continue;
    Result<PublicKey> key = read_key(path, owners);
    if (!key) return std::move(key).error();
    keys.push_back(std::move(*key));
  }
  if (error) {
    return Error(StatusCode::kFailedPrecondition, "list the public keys of", folder).because(error);
  }
  std::sort(keys.begin(), keys.end(),
            [](const PublicKey& a, const PublicKey& b) { return a.name < b.name; });
  return keys;
}

Result<std::string> signer_of(const ModuleFile& file, const SignatureRules& rules,
                              const std::vector<unsigned>& owners) {
  if (rules.keys_dir.empty()) return std::string();
  const std::string path = signature_path(file.path());
  const auto refused = [&](std::string why) {
    return Error(StatusCode::kFailedPrecondition, "load the module", file.path())
        .because(std::move(why));
  };
  // Before all else: keys that cannot be read must not look like a module that nobody signed.
  Result<std::vector<PublicKey>> keys = read_public_keys(rules.keys_dir, owners);
  if (!keys) return std::move(keys).error();
  Result<std::optional<std::string>> signature = contents(path);
  if (!signature) return std::move(signature).error();
  if (!*signature) {
    if (!rules.required) return std::string();
    return refused("it has no signature " + path + ", and agent.signatures.required asks for one")
        .advise("get it from whoever made the module, or sign the file with a key of your own");
  }
  if ((*signature)->size() != ED25519_SIGNATURE_SIZE) {
    return refused("its signature " + path + " has not the 64 bytes of an Ed25519 signature")
        .advise("openssl pkeyutl -sign -rawin makes one");
  }
  const Result<Ed25519> ed25519 = load_ed25519();
  if (!ed25519) return ed25519.error();
  const auto* bytes = reinterpret_cast<const uint8_t*>(file.bytes().data());
  const auto* signed_with = reinterpret_cast<const uint8_t*>((*signature)->data());
  for (const PublicKey& key : *keys) {
    if (ed25519->verify(key.bytes.data(), file.bytes().size(), bytes, signed_with) == 1) {
      return key.name;
    }
  }
  return refused("its signature " + path + " is by none of the keys in " + rules.keys_dir + " (" +
                 (keys->empty() ? "there is none" : listed(*keys)) +
                 "), or the file was changed after it was signed")
      .advise("check where the file comes from before you trust another key");
}

}  // namespace longshore::loader
