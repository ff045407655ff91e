#include "loader/signature.h"

namespace longshore::loader {
namespace {

// Windows' own library has no Ed25519. What cannot be checked is not loaded.
Error no_signatures() {
  return Error(StatusCode::kUnimplemented, "check signatures of modules")
      .because("this version does not on Windows")
      .advise("leave agent.signatures.keys_dir out");
}

}  // namespace

Result<std::vector<PublicKey>> read_public_keys(const std::string&,
                                                const std::vector<config::UserId>&) {
  return no_signatures();
}

Result<std::string> signer_of(const ModuleFile&, const SignatureRules& rules,
                              const std::vector<config::UserId>&) {
  if (rules.keys_dir.empty()) return std::string();
  return no_signatures();
}

}  // namespace longshore::loader
