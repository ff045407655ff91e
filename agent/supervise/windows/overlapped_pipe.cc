#include "supervise/windows/overlapped_pipe.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "longshore/secret.hpp"

namespace longshore::supervise {

PipeReader::PipeReader(Handle pipe)
    : pipe_(std::move(pipe)),
      event_(CreateEventW(nullptr, TRUE, FALSE, nullptr)),
      error_(event_.error()),
      buffer_(kPipeBufferBytes) {}

PipeReader::~PipeReader() {
  if (runs_) {
    CancelIoEx(pipe_.get(), &operation_);
    DWORD ignored = 0;
    GetOverlappedResult(pipe_.get(), &operation_, &ignored, TRUE);
  }
  wipe(buffer_.data(), buffer_.size());
}

void PipeReader::prepare() {
  if (is_at_end_ || runs_ || taken_ < count_) return;
  operation_ = {};
  operation_.hEvent = event_.get();
  runs_ = ReadFile(pipe_.get(), buffer_.data(), static_cast<DWORD>(buffer_.size()), nullptr,
                   &operation_) ||
          GetLastError() == ERROR_IO_PENDING;
  is_at_end_ = !runs_;
  if (is_at_end_) SetEvent(event_.get());
}

void PipeReader::collect() {
  if (!runs_ || WaitForSingleObject(event_.get(), 0) != WAIT_OBJECT_0) return;
  DWORD count = 0;
  is_at_end_ = !GetOverlappedResult(pipe_.get(), &operation_, &count, FALSE);
  runs_ = false;
  taken_ = 0;
  count_ = is_at_end_ ? 0 : count;
}

std::optional<size_t> PipeReader::read(std::span<char> room) {
  prepare();
  collect();
  if (is_at_end_) return std::nullopt;
  if (runs_) return 0;
  const size_t bytes = std::min(room.size(), count_ - taken_);
  std::memcpy(room.data(), buffer_.data() + taken_, bytes);
  wipe(buffer_.data() + taken_, bytes);
  taken_ += bytes;
  return bytes;
}

PipeWriter::PipeWriter(Handle pipe)
    : pipe_(std::move(pipe)),
      event_(CreateEventW(nullptr, TRUE, TRUE, nullptr)),
      error_(event_.error()),
      buffer_(kPipeBufferBytes) {
  if (error_) return;
  // What the pipe takes at once is not told by the pool as well.
  error_ = error_unless(SetFileCompletionNotificationModes(
                            pipe_.get(), FILE_SKIP_COMPLETION_PORT_ON_SUCCESS) != FALSE);
  if (error_) return;
  pool_ = CreateThreadpoolIo(pipe_.get(), &PipeWriter::on_end, this, nullptr);
  error_ = error_unless(pool_ != nullptr);
}

PipeWriter::~PipeWriter() {
  if (pool_) {
    if (runs()) CancelIoEx(pipe_.get(), &operation_);
    WaitForSingleObject(event_.get(), INFINITE);
    WaitForThreadpoolIoCallbacks(pool_, FALSE);
    CloseThreadpoolIo(pool_);
  }
  wipe(buffer_.data(), buffer_.size());
}

bool PipeWriter::runs() const { return WaitForSingleObject(event_.get(), 0) != WAIT_OBJECT_0; }

void CALLBACK PipeWriter::on_end(PTP_CALLBACK_INSTANCE, void* self, void*, ULONG error,
                                 ULONG_PTR count, PTP_IO) {
  auto& writer = *static_cast<PipeWriter*>(self);
  writer.end(error == NO_ERROR && count == writer.count_);
}

void PipeWriter::begin() {
  operation_ = {};
  ResetEvent(event_.get());
  StartThreadpoolIo(pool_);
  const BOOL done =
      WriteFile(pipe_.get(), buffer_.data(), static_cast<DWORD>(count_), nullptr, &operation_);
  if (!done && GetLastError() == ERROR_IO_PENDING) return;
  CancelThreadpoolIo(pool_);
  end(done);
}

void PipeWriter::end(bool is_good) {
  wipe(buffer_.data(), count_);
  is_gone_ = !is_good;
  SetEvent(event_.get());
}

std::optional<size_t> PipeWriter::write(std::span<const std::string_view> parts) {
  if (runs()) return 0;
  if (is_gone_) return std::nullopt;
  count_ = 0;
  for (const std::string_view part : parts) {
    const size_t bytes = std::min(part.size(), buffer_.size() - count_);
    std::memcpy(buffer_.data() + count_, part.data(), bytes);
    count_ += bytes;
  }
  if (count_ == 0) return 0;
  const size_t taken = count_;
  begin();
  if (!runs() && is_gone_) return std::nullopt;
  return taken;
}

}  // namespace longshore::supervise
