// The header fields that end an answer: grpc-status, grpc-message and the user's metadata.
//
// Peers refuse blocks of fields over a size that they announce; so that the status at least
// arrives, a long text is cut and metadata that does not fit is left out.
//
// Threads: one at a time. A value; the fields refer to it.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"
#include "rpc/http2_session.h"
#include "rpc/metadata.h"

namespace longshore::rpc {

class TrailerFields {
 public:
  // `first` are fields to put in front; `max_bytes` is what the peer takes.
  TrailerFields(std::span<const Field> first, StatusCode code, std::string_view text,
                const Metadata& metadata, size_t max_bytes);
  TrailerFields(const TrailerFields&) = delete;
  TrailerFields& operator=(const TrailerFields&) = delete;

  std::span<const Field> fields() const { return fields_; }

 private:
  void add(std::string_view name, std::string_view value, bool repeats);
  void add_metadata(const Metadata& metadata);

  size_t room_;
  std::array<char, 12> code_;
  std::string text_;
  std::vector<std::string> encoded_;  // values of binary metadata
  std::vector<Field> fields_;
};

}  // namespace longshore::rpc
