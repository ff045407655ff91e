// The service that both servers of the conformance suite offer, ours and the gRPC C++ library's.
// Requests are plain bytes; what a method shall do is in the call's metadata.
//
//   Echo      the request; request metadata "x-..." comes back as trailers
//   Status    "want-messages" messages, then the status "want-code" with the text "want-text-bin"
//   Stream    "want-count" messages of "want-size" bytes, as fast as the client reads
//   Hang      "want-messages" messages, then nothing until the client gives up
//   Chat      each message of the request, at once; ends when the client does
//   Deadline  the nanoseconds that are left, in decimal; "none" without a deadline
//   Counts    "<Hang calls that run> <that were given up> <messages of the last Stream so far>"
//   Drain     an empty message; then the server tells all its connections to go (ours only)
#pragma once

namespace longshore::conformance {

inline constexpr char kEcho[] = "/test.Peer/Echo";
inline constexpr char kStatus[] = "/test.Peer/Status";
inline constexpr char kStream[] = "/test.Peer/Stream";
inline constexpr char kHang[] = "/test.Peer/Hang";
inline constexpr char kChat[] = "/test.Peer/Chat";
inline constexpr char kDeadline[] = "/test.Peer/Deadline";
inline constexpr char kCounts[] = "/test.Peer/Counts";
inline constexpr char kDrain[] = "/test.Peer/Drain";

// What one message may have at most, on either side.
inline constexpr unsigned kMaxMessageBytes = (16u << 20) + 1024;

}  // namespace longshore::conformance
