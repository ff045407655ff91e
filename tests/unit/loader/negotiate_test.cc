// Which modules an agent may load, by what their files say.
#include "loader/negotiate.h"

#include <catch2/catch.hpp>
#include <functional>

#include "longshore/abi.h"

namespace longshore::loader {
namespace {

ImageFacts good_facts() {
  ImageFacts facts;
  facts.exports = {std::string(kEntrySymbol)};
  facts.libraries = {"libc.so.6", "libm.so.6"};
  facts.entry.magic = LONGSHORE_MODULE_MAGIC;
  facts.entry.struct_size = sizeof(longshore_module_entry);
  facts.entry.abi_major = LONGSHORE_ABI_MAJOR;
  facts.entry.abi_minor_needed = LONGSHORE_ABI_MINOR;
  return facts;
}

struct UnfitModule {
  std::function<void(ImageFacts&)> spoil;
  StatusCode code;
  std::string message;
};

const std::string kOurs =
    std::to_string(LONGSHORE_ABI_MAJOR) + "." + std::to_string(LONGSHORE_ABI_MINOR);

TEST_CASE("A module that fits may be loaded") {
  CHECK(check_loadable(good_facts()));
  ImageFacts older = good_facts();
  older.entry.abi_minor_needed = 0;
  CHECK(check_loadable(older));
  ImageFacts newer_struct = good_facts();
  newer_struct.entry.struct_size += 64;
  CHECK(check_loadable(newer_struct));
}

TEST_CASE("The agent's own modules share its C++ library, and only its") {
  ImageFacts own = good_facts();
  own.entry.vendor = "Longshore";
  own.libraries.insert(own.libraries.end(), {"libstdc++.so.6", "libgcc_s.so.1"});
  CHECK(check_loadable(own));
  own.libraries.emplace_back("libstdc++.so.5");
  CHECK_FALSE(check_loadable(own));
}

// A sanitizer's runtime brings them for all modules.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("A vendor's module has a C++ library of its own") {
  for (const char* library : {"libstdc++.so.6", "libgcc_s.so.1"}) {
    ImageFacts facts = good_facts();
    facts.entry.vendor = "Acme Inc.";
    facts.libraries.emplace_back(library);
    const auto loadable = check_loadable(facts);
    REQUIRE_FALSE(loadable);
    CHECK(loadable.error().message() == "cannot load the module: it needs the library " +
                                            std::string(library) +
                                            ", which modules may not bring along; link that "
                                            "library statically, with its symbols hidden");
  }
}
#endif

TEST_CASE("What does not fit is refused with what to do") {
  const auto [spoil, code, message] = GENERATE(values<UnfitModule>({
      {[](ImageFacts& facts) { facts.entry.magic ^= 1; }, StatusCode::kInvalidArgument,
       "its magic number is wrong; it was not built with the Longshore SDK, or the file is "
       "damaged"},
      {[](ImageFacts& facts) { facts.entry.abi_major = LONGSHORE_ABI_MAJOR + 1; },
       StatusCode::kFailedPrecondition,
       "it speaks version " + std::to_string(LONGSHORE_ABI_MAJOR + 1) +
           ".x of the module ABI and this agent speaks " + kOurs +
           "; ask its vendor for a build for this agent"},
      {[](ImageFacts& facts) { facts.entry.abi_minor_needed = LONGSHORE_ABI_MINOR + 1; },
       StatusCode::kFailedPrecondition,
       "it needs version " + std::to_string(LONGSHORE_ABI_MAJOR) + "." +
           std::to_string(LONGSHORE_ABI_MINOR + 1) + " of the module ABI and this agent speaks " +
           kOurs + "; update the agent"},
      {[](ImageFacts& facts) { facts.entry.struct_size = 8; }, StatusCode::kInvalidArgument,
       "its module structure is cut short"},
      {[](ImageFacts& facts) { facts.exports.emplace_back("malloc"); },
       StatusCode::kFailedPrecondition,
       "it exports more than longshore_module: \"malloc\"; link it with the SDK's version script, "
       "so that it cannot disturb other modules"},
      {[](ImageFacts& facts) { facts.libraries.emplace_back("libprotobuf.so.32"); },
       StatusCode::kFailedPrecondition,
       "it needs the library libprotobuf.so.32, which modules may not bring along; link that "
       "library statically, with its symbols hidden"},
      {[](ImageFacts& facts) { facts.has_search_path = true; }, StatusCode::kFailedPrecondition,
       "it carries a RUNPATH, which would choose where libraries come from; link it without "
       "-rpath"},
  }));
  ImageFacts facts = good_facts();
  spoil(facts);
  const auto loadable = check_loadable(facts);
  REQUIRE_FALSE(loadable);
  CHECK(loadable.error().code() == code);
  CHECK(loadable.error().message() == "cannot load the module: " + message);
}

}  // namespace
}  // namespace longshore::loader
