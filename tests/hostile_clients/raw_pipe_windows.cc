#include <windows.h>

#include <vector>

#include "longshore/windows/handle.hpp"
#include "longshore/windows/wide_text.hpp"
#include "tests/hostile_clients/raw_bytes_windows.h"

namespace longshore::hostile_clients {
namespace {

constexpr size_t kMostAtOnce = 64 << 10;
constexpr DWORD kMillisecondsOfABusyPipe = 10'000;

HANDLE open_pipe(const std::string& name) {
  const std::wstring wide_name = wide(name);
  HANDLE pipe = INVALID_HANDLE_VALUE;
  do {
    pipe = CreateFileW(wide_name.c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr, OPEN_EXISTING,
                       FILE_FLAG_OVERLAPPED, nullptr);
  } while (pipe == INVALID_HANDLE_VALUE && GetLastError() == ERROR_PIPE_BUSY &&
           WaitNamedPipeW(wide_name.c_str(), kMillisecondsOfABusyPipe));
  return pipe;
}

// One read and one write at a time, which the system may still be at.
class RawPipe final : public RawBytes {
 public:
  explicit RawPipe(const std::string& name) : pipe_(open_pipe(name)), closed_(!pipe_) {}
  ~RawPipe() override {
    if (!pipe_) return;
    CancelIoEx(pipe_.get(), nullptr);
    DWORD ignored = 0;
    for (Operation* each : {&read_, &write_}) {
      if (each->is_under_way) GetOverlappedResult(pipe_.get(), &each->overlapped, &ignored, TRUE);
    }
  }

  size_t send(std::string_view bytes) override {
    DWORD size = 0;
    if (write_.is_under_way && !has_ended(write_, size)) return 0;
    output_ = bytes.substr(0, kMostAtOnce);
    began(write_, WriteFile(pipe_.get(), output_.data(), static_cast<DWORD>(output_.size()),
                            nullptr, &write_.overlapped));
    return closed_ ? 0 : output_.size();
  }

  std::string receive() override {
    if (!read_.is_under_way) {
      began(read_, ReadFile(pipe_.get(), input_.data(), static_cast<DWORD>(input_.size()), nullptr,
                            &read_.overlapped));
    }
    DWORD size = 0;
    if (closed_ || !has_ended(read_, size)) return {};
    return {input_.data(), size};
  }

  bool wait_to_send(int patience) override { return wait(write_, patience); }
  void wait_to_receive(int patience) override { wait(read_, patience); }
  bool closed() const override { return closed_; }

 private:
  struct Operation {
    Operation() { overlapped.hEvent = event.get(); }
    OVERLAPPED overlapped{};
    const Handle event{CreateEventW(nullptr, TRUE, FALSE, nullptr)};
    bool is_under_way = false;
  };

  // Whether the operation has ended; how much came of it.
  bool has_ended(Operation& operation, DWORD& size) {
    if (GetOverlappedResult(pipe_.get(), &operation.overlapped, &size, FALSE)) {
      operation.is_under_way = false;
      return true;
    }
    if (GetLastError() != ERROR_IO_INCOMPLETE) end(operation);
    return false;
  }
  void began(Operation& operation, BOOL answer) {
    operation.is_under_way = true;
    if (!answer && GetLastError() != ERROR_IO_PENDING) end(operation);
  }
  void end(Operation& operation) {
    operation.is_under_way = false;
    closed_ = true;
  }
  static bool wait(const Operation& operation, int patience) {
    return !operation.is_under_way ||
           WaitForSingleObject(operation.event.get(), static_cast<DWORD>(patience)) ==
               WAIT_OBJECT_0;
  }

  const Handle pipe_;
  bool closed_;
  Operation read_;
  Operation write_;
  std::vector<char> input_ = std::vector<char>(kMostAtOnce);
  std::string output_;
};

}  // namespace

std::unique_ptr<RawBytes> open_raw_pipe(const std::string& name) {
  return std::make_unique<RawPipe>(name);
}

}  // namespace longshore::hostile_clients
