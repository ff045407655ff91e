// Detached signatures of modules' files: who made a file, before anything of it is read.
//
// A vendor signs with the tools that every system has, and so does whoever builds modules alone:
//
//   openssl genpkey -algorithm ed25519 -out acme.key.pem
//   openssl pkey -in acme.key.pem -pubout -out acme.pem
//   openssl pkeyutl -sign -rawin -inkey acme.key.pem -in longshore-acme.so -out
//   longshore-acme.so.sig
//
// acme.pem goes into agent.signatures.keys_dir of the nodes, longshore-acme.so.sig beside the file.
// A vendor changes keys by putting the new one beside the old one before files are signed with it.
//
// It is plain Ed25519 over the whole file, which nettle checks, the library that hashes files here
// anyway. minisign's format would add BLAKE2b, which nettle has not, and nothing that is needed.
//
// Threads: any.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/user_id.h"
#include "loader/module_file.h"
#include "longshore/result.hpp"

namespace longshore::loader {

// What the configuration asks of signatures.
struct SignatureRules {
  std::string keys_dir;  // empty: signatures are not looked at
  bool required = false;
};

struct PublicKey {
  std::string name;  // the file's, without .pem
  std::array<uint8_t, 32> bytes{};
};

// Where the signature of a module's file lies.
inline std::string signature_path(const std::string& file) { return file + ".sig"; }

// The keys of a folder, by name. They say whom to trust, so that the folder and each file must
// belong to one of `owners`, as modules do. One that cannot be read is an error.
Result<std::vector<PublicKey>> read_public_keys(const std::string& folder,
                                                const std::vector<config::UserId>& owners);

// Checks the signature that lies beside `file`, on the very bytes that will be loaded. The name of
// the key that made it; empty when there is none and none is needed.
Result<std::string> signer_of(const ModuleFile& file, const SignatureRules& rules,
                              const std::vector<config::UserId>& owners);

}  // namespace longshore::loader
