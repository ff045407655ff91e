// The chain of hashes through the lines of the audit log, so that cutting and editing show.
//
//   {"time":...,"number":7,"hash":"<SHA-256 of the hash before and of all before ,"hash">"}
//
// Numbers and hashes go on from file to file. Who could change a file could also make all hashes
// after the change anew; so the agent's ordinary log, which is kept elsewhere, tells now and then
// how far the chain has come: an anchor.
//
//   audit log anchor <chain>/<number>/<hash>
//
// Threads: values; any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace longshore::observe {

struct AuditLink {
  std::string chain;  // 16 hexadecimal digits, of the whole chain
  uint64_t number = 0;
  std::string hash = std::string(64, '0');

  bool operator==(const AuditLink&) const = default;
};

// The JSON object `line`, without a line end, as the link after `before`, which becomes it.
std::string sealed(std::string line, AuditLink& before);

// What a line says of itself. Nothing: it is not sealed.
struct SealedLine {
  uint64_t number = 0;
  std::string_view hash;
  std::string_view content;  // that is hashed
};
std::optional<SealedLine> read_sealed(std::string_view line);

// The hash that the line must have after `previous`.
std::string hash_after(std::string_view previous, std::string_view content);

std::string anchor_text(const AuditLink& link);
// The anchor that a line of the agent's log tells, as text, as JSON or as journalctl prints it.
// Lines of modules tell none.
std::optional<AuditLink> read_anchor(std::string_view line);

// What the agent's log tells where the agent has ended without having written all lines.
inline constexpr std::string_view kAuditLoss = "the audit log ends without all of its lines";
struct AuditLoss {
  std::string chain;    // empty: the file could not be opened
  uint64_t number = 0;  // of the last line that was written
  uint64_t lines = 0;   // that were not
};
std::optional<AuditLoss> read_loss(std::string_view line);

}  // namespace longshore::observe
