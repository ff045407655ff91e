// How gRPC writes values into HTTP/2 header fields: percent-encoding, base64, timeouts, metadata.
//
// Threads: plain functions.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "rpc/metadata.h"

namespace longshore::rpc {

// grpc-message: bytes outside printable ASCII, '%', and a space at either end become %XX.
std::string percent_encode(std::string_view text);
// What is not a valid escape stays as it is: a broken message is better than none.
std::string percent_decode(std::string_view text);

// Without padding, as gRPC sends it.
std::string base64_encode(std::string_view bytes);
// With or without padding. Nothing for other characters or an impossible length.
std::optional<std::string> base64_decode(std::string_view text);

// "100m" is 100 milliseconds: one to eight digits and one of H M S m u n. What is longer than the
// type can hold is its maximum.
std::optional<std::chrono::nanoseconds> parse_timeout(std::string_view text);
// The finest unit that eight digits allow, rounded up.
std::string format_timeout(std::chrono::nanoseconds timeout);

// "application/grpc", also with "+proto" or ";..." behind.
bool is_grpc_content_type(std::string_view type);

bool is_binary_key(std::string_view key);

// Adds a received field; a binary one may hold several values joined by commas. False: it is not
// base64.
bool append_received(Metadata& metadata, std::string_view key, std::string_view value);

// Whether a user's metadata may have the key: 0-9 a-z _ - ., and not one of the protocol's own.
bool is_sendable_key(std::string_view key);
// Whether gRPC may send it: the same, and a printable value unless it is binary.
bool is_sendable(std::string_view key, std::string_view value);

}  // namespace longshore::rpc
