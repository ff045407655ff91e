// Signatures of modules' files: made by openssl, and by the library that checks them.
#include "loader/signature.h"

#include <nettle/eddsa.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "loader/image.h"
#include "tests/support/build_tree.h"
#include "tests/support/temporary_directory.h"

namespace longshore::loader {
namespace {

namespace fs = std::filesystem;

// What the commands of signature.h made of kSignedBytes; the secret key is gone.
constexpr const char* kSignedBytes = "no module, but signed bytes all the same\n";
constexpr const char* kOpensslKey =
    "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VwAyEAkM+Cc4yiy+zlyg4InJikp1xdIFZR76CtmDBK0iJqNC8=\n"
    "-----END PUBLIC KEY-----\n";
constexpr const char* kRsaKey =
    "-----BEGIN PUBLIC KEY-----\n"
    "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDMod/6ncRqvsoqssjIq44t6u9u\n"
    "-----END PUBLIC KEY-----\n";
constexpr const char* kOpensslSignature =
    "\xac\xbb\xc3\x4b\x74\x67\xde\x28\xea\x86\x40\x8e\x61\x66\x64\xe0\xba\x75\xda\xab\x58\xbd\x69"
    "\x97\x85\xcd\xb2\x62\x14\xb3\xdc\x08\xf9\x2f\x07\x0f\x8a\xa3\xbd\x3c\xbb\x73\xfb\x85\x58\xfd"
    "\x8b\xd7\x46\x01\xa9\xf9\x6f\xa1\x4c\xcf\x0a\xf3\xd7\x9c\x76\x7e\xd0\x06";

std::string contents(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string base64(const std::string& bytes) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i + 2 < bytes.size() + 2; i += 3) {
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0);
    }
    for (size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.size() ? '=' : kDigits[group >> (18 - 6 * j) & 63];
    }
  }
  return text;
}

// A key pair of a test's own.
struct KeyPair {
  explicit KeyPair(uint8_t seed) {
    secret.fill(seed);
    ed25519_sha512_public_key(open.data(), secret.data());
  }
  std::string pem() const {
    const std::string der = std::string("\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00", 12) +
                            std::string(open.begin(), open.end());
    return "-----BEGIN PUBLIC KEY-----\n" + base64(der) + "\n-----END PUBLIC KEY-----\n";
  }
  std::string sign(const std::string& bytes) const {
    std::string signature(64, '\0');
    ed25519_sha512_sign(open.data(), secret.data(), bytes.size(),
                        reinterpret_cast<const uint8_t*>(bytes.data()),
                        reinterpret_cast<uint8_t*>(signature.data()));
    return signature;
  }
  std::array<uint8_t, 32> secret;
  std::array<uint8_t, 32> open;
};

// A module's file, and a folder of keys.
struct SignedModule {
  SignedModule() {
    fs::create_directory(keys_dir);
    fs::copy_file(test::built_module("echo"), module);
    rules.keys_dir = keys_dir;
  }

  void add_key(const std::string& name, const std::string& pem) const {
    test::write_file(keys_dir + "/" + name, pem);
  }
  void sign(const KeyPair& key) const {
    test::write_file(module + ".sig", key.sign(contents(module)));
  }
  Result<std::string> signer(const std::vector<unsigned>& owners = {}) const {
    auto file = ModuleFile::open(module, {});
    REQUIRE(file);
    return signer_of(*file, rules, owners);
  }
  std::string refusal() const {
    const auto signer_or_error = signer();
    REQUIRE_FALSE(signer_or_error);
    return signer_or_error.error().message();
  }

  test::TemporaryDirectory folder;
  const std::string keys_dir = folder / "keys";
  const std::string module = folder / "module.so";
  SignatureRules rules;
  const KeyPair acme{1};
  const KeyPair beta{2};
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("what openssl has signed is checked with the key that it wrote") {
  SignedModule world;
  world.add_key("vendor.pem", kOpensslKey);
  test::write_file(world.module, kSignedBytes);
  test::write_file(world.module + ".sig", std::string(kOpensslSignature, 64));
  const auto signer = world.signer();
  REQUIRE(signer);
  CHECK(*signer == "vendor");
  test::write_file(world.module, std::string(kSignedBytes) + "\n");
  CHECK_FALSE(world.signer());
}

TEST_CASE("any of the keys may have signed, so that a vendor can change keys") {
  SignedModule world;
  world.add_key("acme.pem", world.acme.pem());
  world.add_key("acme-2027.pem", "An explanation.\n" + world.beta.pem());
  world.add_key("notes.txt", "no key");
  world.add_key(".hidden.pem", "no key");
  world.sign(world.acme);
  CHECK(*world.signer() == "acme");
  world.sign(world.beta);
  CHECK(*world.signer() == "acme-2027");
}

TEST_CASE("a file that was changed, or signed with another key, is refused") {
  SignedModule world;
  world.add_key("acme.pem", world.acme.pem());
  world.sign(world.beta);
  CHECK(has(world.refusal(), "is by none of the keys in " + world.keys_dir + " (acme)"));
  world.sign(world.acme);
  REQUIRE(world.signer());
  std::ofstream(world.module, std::ios::app) << "x";
  CHECK(has(world.refusal(), "or the file was changed after it was signed"));
  // Also where nobody asked for a signature: one that is wrong is worse than none.
  CHECK_FALSE(world.rules.required);
}

TEST_CASE("a signature that is none is refused") {
  SignedModule world;
  world.add_key("acme.pem", world.acme.pem());
  for (const std::string& bytes :
       {std::string(), std::string(63, 'x'), std::string(65, 'x'), world.acme.pem()}) {
    test::write_file(world.module + ".sig", bytes);
    CHECK(has(world.refusal(), "has not the 64 bytes of an Ed25519 signature"));
  }
  test::write_file(world.module + ".sig", std::string(64, '\0'));
  CHECK(has(world.refusal(), "is by none of the keys"));
  fs::remove(world.module + ".sig");
  fs::create_directory(world.module + ".sig");
  CHECK(has(world.refusal(), "it is not a regular file"));
}

TEST_CASE("a module without a signature is refused where one is required") {
  SignedModule world;
  world.add_key("acme.pem", world.acme.pem());
  CHECK(world.signer()->empty());
  world.rules.required = true;
  CHECK(has(world.refusal(), "it has no signature " + world.module + ".sig"));
  world.sign(world.acme);
  CHECK(*world.signer() == "acme");
}

TEST_CASE("keys that cannot be read or trusted are an error, signature or not") {
  SignedModule world;
  for (const std::string& pem :
       {std::string(), std::string(kRsaKey), world.acme.pem().substr(0, 60),
        std::string("-----BEGIN PUBLIC KEY-----\n!!!!\n-----END PUBLIC KEY-----\n")}) {
    world.add_key("odd.pem", pem);
    CHECK(has(world.refusal(), "it is no Ed25519 key in PEM"));
  }
  world.add_key("odd.pem", world.acme.pem());
  fs::permissions(world.keys_dir + "/odd.pem", fs::perms(0666));
  const auto trusted = world.signer({0});
  REQUIRE_FALSE(trusted);
  CHECK(trusted.error().code() == StatusCode::kPermissionDenied);
  fs::permissions(world.keys_dir + "/odd.pem", fs::perms(0644));
  CHECK(world.signer({0}));
  fs::permissions(world.keys_dir, fs::perms(0777));
  CHECK_FALSE(world.signer({0}));
  world.rules.keys_dir = world.folder / "nowhere";
  CHECK(has(world.refusal(), "cannot list the public keys of"));
}

TEST_CASE("a module is inspected only with a good signature, and tells who signed it") {
  SignedModule world;
  world.add_key("acme.pem", world.acme.pem());
  world.sign(world.acme);
  InspectionOptions options;
  options.signatures = {world.keys_dir, true};
  const auto inspection = inspect_module(world.module, options);
  REQUIRE(inspection);
  CHECK(inspection->facts->signed_by == "acme");
  // Pin and signature must both hold.
  options.required_sha256 = std::string(64, '0');
  CHECK_FALSE(inspect_module(world.module, options));
  options.required_sha256 = inspection->facts->sha256;
  CHECK(inspect_module(world.module, options));
  world.sign(world.beta);
  CHECK_FALSE(inspect_module(world.module, options));
  // Nothing of a file is read before: not even that it is no module.
  test::write_file(world.module, "no module at all");
  options.required_sha256.clear();
  CHECK(has(inspect_module(world.module, options).error().message(), "is by none of the keys"));
}

}  // namespace longshore::loader
