// Any bytes as what a child process writes to the agent, in portions of any size: they are cut into
// frames that hold together, or refused.
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "longshore/child/v1.pb.h"
#include "supervise/frames.h"

namespace {

using longshore::supervise::Frame;
using longshore::supervise::FrameHeader;
using longshore::supervise::FrameReader;
using longshore::supervise::FrameType;

constexpr size_t kMaxFrameBytes = 4096;

void require(bool condition) {
  if (!condition) std::abort();
}

template <typename Message>
void read_head(const Frame& frame) {
  Message message;
  (void)message.ParseFromArray(frame.head.data(), static_cast<int>(frame.head.size()));
}

void read_heads(const Frame& frame) {
  namespace v1 = longshore::child::v1;
  read_head<v1::Hello>(frame);
  read_head<v1::Ready>(frame);
  read_head<v1::End>(frame);
  read_head<v1::Call>(frame);
  read_head<v1::Invoke>(frame);
  read_head<v1::Log>(frame);
}

}  // namespace

// Protobuf would say so of each text that is not UTF-8.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  google::protobuf::SetLogHandler(nullptr);
  return 0;
}

// The first byte is the size of the portions. What comes out is what went in.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t portion = size_t{data[0]} + 1;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  FrameReader reader(kMaxFrameBytes);
  size_t given = 0;
  size_t taken = 0;
  for (;;) {
    auto frame = reader.next();
    if (!frame) {
      require(!frame.error().message().empty());
      return 0;
    }
    if (!*frame) {
      if (given == bytes.size()) break;
      const auto room = reader.room();
      require(!room.empty());
      const size_t part = std::min({portion, room.size(), bytes.size() - given});
      std::memcpy(room.data(), bytes.data() + given, part);
      reader.filled(part);
      given += part;
      continue;
    }
    require((*frame)->head.size() + (*frame)->payload.size() <= kMaxFrameBytes);
    const FrameHeader header = longshore::supervise::header_of(**frame);
    std::string whole(header.data(), header.size());
    whole += (*frame)->head;
    whole += (*frame)->payload;
    require(bytes.compare(taken, whole.size(), whole) == 0);
    taken += whole.size();
    read_heads(**frame);
  }
  require(given - taken < kMaxFrameBytes + longshore::supervise::kFrameHeaderBytes);
  return 0;
}
