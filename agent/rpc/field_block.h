// A block of header fields to send: the protocol's own, a status, the user's metadata.
//
// Peers refuse blocks over a size that they announce. So that a status at least arrives, its text
// is cut to what fits, and metadata that does not fit is left out.
//
// Threads: one at a time. Lives until the block is submitted; the fields refer to it.
#pragma once

#include <cstddef>
#include <forward_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"
#include "rpc/http2_session.h"
#include "rpc/metadata.h"

namespace longshore::rpc {

class FieldBlock {
 public:
  // More of a status's text is not sent.
  static constexpr size_t kMaxTextBytes = 16u << 10;

  explicit FieldBlock(size_t peer_max_bytes);
  FieldBlock(const FieldBlock&) = delete;
  FieldBlock& operator=(const FieldBlock&) = delete;

  // The bytes of the field stay the caller's.
  void add(const Field& field);
  // The same with a value that the block keeps; it differs from call to call.
  void add_own(std::string_view name, std::string value);

  // grpc-status and grpc-message.
  void add_status(StatusCode code, std::string_view text);
  // What gRPC allows to send. False: some did not fit.
  bool add_metadata(const Metadata& metadata);

  // Whether all that was added fits.
  bool fits() const { return bytes_ <= max_bytes_; }
  std::span<const Field> fields() const { return fields_; }

 private:
  size_t room() const { return fits() ? max_bytes_ - bytes_ : 0; }

  size_t max_bytes_;
  size_t bytes_ = 0;
  std::vector<Field> fields_;
  std::forward_list<std::string> own_;
};

}  // namespace longshore::rpc
