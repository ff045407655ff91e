#include "rpc/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "longshore/secret.hpp"
#include "rpc/bad_alloc_scope.h"

namespace longshore::rpc {
namespace {

// zlib's way to ask for a gzip header and its largest window.
constexpr int kGzipWindowBits = 15 + 16;
constexpr int kMemoryLevel = 8;
constexpr size_t kFirstPieceBytes = 16u << 10;

Bytef* zlib_bytes(const char* bytes) { return reinterpret_cast<Bytef*>(const_cast<char*>(bytes)); }

// Ends the stream however its function is left.
struct Deflater {
  z_stream stream{};
  bool ready = deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindowBits, kMemoryLevel,
                            Z_DEFAULT_STRATEGY) == Z_OK;
  ~Deflater() {
    if (ready) deflateEnd(&stream);
  }
};

// zlib keeps a window of what it has inflated, which may be a secret: its memory is wiped. Each
// piece begins with its size.
constexpr size_t kPieceHead = alignof(std::max_align_t);

void* take_piece(void*, uInt items, uInt bytes) {
  const size_t size = kPieceHead + size_t{items} * bytes;
  void* const piece = std::malloc(size);
  if (!piece) return nullptr;
  std::memcpy(piece, &size, sizeof(size));
  return static_cast<char*>(piece) + kPieceHead;
}

void wipe_piece(void*, void* address) {
  char* const piece = static_cast<char*>(address) - kPieceHead;
  size_t size = 0;
  std::memcpy(&size, piece, sizeof(size));
  wipe(piece, size);
  std::free(piece);
}

z_stream wiping_stream() {
  z_stream stream{};
  stream.zalloc = take_piece;
  stream.zfree = wipe_piece;
  return stream;
}

struct Inflater {
  z_stream stream = wiping_stream();
  bool ready = inflateInit2(&stream, kGzipWindowBits) == Z_OK;
  ~Inflater() {
    if (ready) inflateEnd(&stream);
  }
};

Error no_memory() {
  return Error::of_text(StatusCode::kResourceExhausted, "no memory to decompress the message");
}

Error too_large(size_t max_bytes) {
  return Error::of_text(
      StatusCode::kResourceExhausted,
      "the message is larger than " + std::to_string(max_bytes) + " bytes when it is decompressed");
}

// `message` has what was inflated, also at a fault.
Result<void> inflate_into(std::string& message, std::string_view bytes, size_t max_bytes) {
  Inflater inflater;
  if (!inflater.ready || bytes.size() > std::numeric_limits<uInt>::max()) return no_memory();
  z_stream& stream = inflater.stream;
  stream.next_in = zlib_bytes(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  size_t size = 0;
  for (;;) {
    if (size == message.size()) {
      if (size > max_bytes) return too_large(max_bytes);
      // One byte over the limit shows that there is more.
      const size_t room = std::min(std::max(2 * size, kFirstPieceBytes), max_bytes + 1);
      reserve_apart(message, room);
      message.resize(room);
    }
    stream.next_out = zlib_bytes(message.data() + size);
    stream.avail_out = static_cast<uInt>(message.size() - size);
    const int status = inflate(&stream, Z_NO_FLUSH);
    size = message.size() - stream.avail_out;
    if (status == Z_STREAM_END) break;
    if (status == Z_MEM_ERROR) return no_memory();
    const bool starved = stream.avail_in == 0 && stream.avail_out > 0;
    if (status != Z_OK || starved) {
      return Error::of_text(StatusCode::kInternal, "the message is not valid gzip");
    }
  }
  if (size > max_bytes) return too_large(max_bytes);
  if (stream.avail_in > 0) {
    return Error::of_text(StatusCode::kInternal, "bytes follow the gzip message");
  }
  message.resize(size);
  return {};
}

}  // namespace

std::string gzip_compress(std::string_view bytes) {
  Deflater deflater;
  if (!deflater.ready || bytes.size() > std::numeric_limits<uInt>::max()) return {};
  std::string compressed(bytes.size(), '\0');  // no more than that is of use
  z_stream& stream = deflater.stream;
  stream.next_in = zlib_bytes(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = zlib_bytes(compressed.data());
  stream.avail_out = static_cast<uInt>(compressed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) return {};
  compressed.resize(stream.total_out);
  return compressed;
}

Result<std::string> gzip_decompress(std::string_view bytes, size_t max_bytes) {
  std::string message;
  Result<void> inflated = no_memory();
  try {
    const BadAllocScope caught(BadAllocScope::Kind::kIsCaught);
    inflated = inflate_into(message, bytes, max_bytes);
  } catch (const std::bad_alloc&) {  // on a thread where nobody would take it
  }
  if (inflated) return message;
  wipe(message);
  return std::move(inflated).error();
}

}  // namespace longshore::rpc
