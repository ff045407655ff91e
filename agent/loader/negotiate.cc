#include "loader/negotiate.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "longshore/abi.h"

namespace longshore::loader {
namespace {

// Libraries that are the same for everybody in a process and bring no other world with them.
// libstdc++ is not here: a vendor's module has its own, static, so that it needs no other version
// than the node has and shares no state with anybody.
constexpr std::array kSystemLibraries = {
    std::string_view("libc.so.6"),
    std::string_view("libm.so.6"),
    std::string_view("libdl.so.2"),
    std::string_view("librt.so.1"),
    std::string_view("libpthread.so.0"),
    std::string_view("ld-linux-x86-64.so.2"),
    std::string_view("ld-linux-aarch64.so.1"),
    std::string_view("libsystemd.so.0"),
    std::string_view("libfdisk.so.1"),
    std::string_view("libblkid.so.1"),
    std::string_view("libmount.so.1"),
    std::string_view("KERNEL32.dll"),
    std::string_view("msvcrt.dll"),
    std::string_view("ADVAPI32.dll"),
    std::string_view("WS2_32.dll"),
    std::string_view("ole32.dll"),
    std::string_view("OLEAUT32.dll"),
    std::string_view("bcrypt.dll"),
    std::string_view("ntdll.dll"),
    std::string_view("USER32.dll"),
    std::string_view("MPR.dll"),
    std::string_view("SETUPAPI.dll"),
};

// A sanitized agent loads modules built the same way, which share its runtime.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::array kSanitizerLibraries = {
    std::string_view("libasan.so.8"), std::string_view("libubsan.so.1"),
    std::string_view("libtsan.so.2"), std::string_view("libstdc++.so.6"),
    std::string_view("libgcc_s.so.1")};
#else
constexpr std::array<std::string_view, 0> kSanitizerLibraries = {};
#endif

// What the modules that are packaged with the agent need besides: they are built with the compiler
// that the agent is built with, and the agent has these two in the process anyway.
constexpr std::string_view kOwnVendor = "Longshore";
constexpr std::array kOwnLibraries = {std::string_view("libstdc++.so.6"),
                                      std::string_view("libgcc_s.so.1")};

template <size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

Error refused(StatusCode code, std::string why) {
  return Error(code, "load the module").because(std::move(why));
}

Result<void> check_abi(const EntryFacts& entry) {
  if (entry.magic != LONGSHORE_MODULE_MAGIC) {
    return refused(StatusCode::kInvalidArgument, "its magic number is wrong")
        .advise("it was not built with the Longshore SDK, or the file is damaged");
  }
  const std::string ours =
      std::to_string(LONGSHORE_ABI_MAJOR) + "." + std::to_string(LONGSHORE_ABI_MINOR);
  if (entry.abi_major != LONGSHORE_ABI_MAJOR) {
    return refused(StatusCode::kFailedPrecondition,
                   "it speaks version " + std::to_string(entry.abi_major) +
                       ".x of the module ABI and this agent speaks " + ours)
        .advise("ask its vendor for a build for this agent");
  }
  if (entry.abi_minor_needed > LONGSHORE_ABI_MINOR) {
    return refused(StatusCode::kFailedPrecondition,
                   "it needs version " + std::to_string(entry.abi_major) + "." +
                       std::to_string(entry.abi_minor_needed) +
                       " of the module ABI and this agent speaks " + ours)
        .advise("update the agent");
  }
  if (entry.struct_size < offsetof(longshore_module_entry, create) + sizeof(void*)) {
    return refused(StatusCode::kInvalidArgument, "its module structure is cut short");
  }
  return {};
}

// It keeps nobody out who says that he is somebody else: who may load code decide the file's owner,
// hash and signature. It keeps honest modules from what would fail on the next node.
bool may_need(const ImageFacts& facts, std::string_view library) {
  return contains(kSystemLibraries, library) || contains(kSanitizerLibraries, library) ||
         (facts.entry.vendor == kOwnVendor && contains(kOwnLibraries, library));
}

}  // namespace

Result<void> check_loadable(const ImageFacts& facts) {
  if (auto fits = check_abi(facts.entry); !fits) return fits;
  for (const std::string& symbol : facts.exports) {
    if (symbol == kEntrySymbol) continue;
    return refused(StatusCode::kFailedPrecondition,
                   "it exports more than " + std::string(kEntrySymbol) + ": \"" + symbol + "\"")
        .advise("link it with the SDK's version script, so that it cannot disturb other modules");
  }
  for (const std::string& library : facts.libraries) {
    if (may_need(facts, library)) continue;
    return refused(StatusCode::kFailedPrecondition,
                   "it needs the library " + library + ", which modules may not bring along")
        .advise("link that library statically, with its symbols hidden");
  }
  if (facts.has_search_path) {
    return refused(StatusCode::kFailedPrecondition,
                   "it carries a RUNPATH, which would choose where libraries come from")
        .advise("link it without -rpath");
  }
  return {};
}

}  // namespace longshore::loader
