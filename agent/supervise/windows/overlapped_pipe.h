// The ends of pipes that are read and written without waiting: one operation at a time runs in the
// background, from or to a buffer of its own, and an event tells that it is over.
//
// What has gone through a buffer may be a secret, and is wiped.
//
// Threads: one at a time; `event` any.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "longshore/windows/handle.hpp"

namespace longshore::supervise {

inline constexpr size_t kPipeBufferBytes = 64 << 10;

// Only one thread may read: what it has begun is cancelled when it ends.
class PipeReader {
 public:
  // The pipe has to be opened with FILE_FLAG_OVERLAPPED.
  explicit PipeReader(Handle pipe);
  PipeReader(const PipeReader&) = delete;
  PipeReader& operator=(const PipeReader&) = delete;
  ~PipeReader();

  // Why it could not be made; then nothing else may be called.
  const std::error_code& error() const { return error_; }
  // Signalled when something has come, or the end, and `prepare` was called before.
  HANDLE event() const { return event_.get(); }

  // Begins to read unless it does already.
  void prepare();
  // As PipeTransport.
  std::optional<size_t> read(std::span<char> room);

 private:
  void collect();

  const Handle pipe_;
  const Handle event_;
  const std::error_code error_;
  OVERLAPPED operation_{};
  std::vector<char> buffer_;
  size_t count_ = 0;  // of the bytes that came last
  size_t taken_ = 0;  // of those
  bool runs_ = false;
  bool is_at_end_ = false;
};

// Any thread may write, and end: its operations are ended by the threads of Windows' own pool.
class PipeWriter {
 public:
  // The pipe has to be opened with FILE_FLAG_OVERLAPPED.
  explicit PipeWriter(Handle pipe);
  PipeWriter(const PipeWriter&) = delete;
  PipeWriter& operator=(const PipeWriter&) = delete;
  ~PipeWriter();

  const std::error_code& error() const { return error_; }
  // Signalled when nothing runs.
  HANDLE event() const { return event_.get(); }

  // As PipeTransport. What was taken is written though nobody calls again.
  std::optional<size_t> write(std::span<const std::string_view> parts);

 private:
  static void CALLBACK on_end(PTP_CALLBACK_INSTANCE, void* self, void* operation, ULONG error,
                              ULONG_PTR count, PTP_IO);
  void begin();
  void end(bool is_good);
  bool runs() const;

  const Handle pipe_;
  const Handle event_;
  std::error_code error_;
  PTP_IO pool_ = nullptr;
  OVERLAPPED operation_{};
  std::vector<char> buffer_;
  size_t count_ = 0;      // of the bytes that are written
  bool is_gone_ = false;  // valid when nothing runs
};

}  // namespace longshore::supervise
