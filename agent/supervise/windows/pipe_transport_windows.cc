#include "supervise/windows/pipe_transport_windows.h"

#include <utility>
#include <vector>

#include "supervise/windows/overlapped_pipe.h"

namespace longshore::supervise {
namespace {

class PipeEnds final : public PipeTransport {
 public:
  PipeEnds(Handle input, Handle output, Handle wake)
      : input_(std::move(input)), output_(std::move(output)), wake_(std::move(wake)) {}

  // Why it could not be made.
  std::error_code error() const { return input_.error() ? input_.error() : output_.error(); }

  std::optional<size_t> write(std::span<const std::string_view> parts) override {
    return output_.write(parts);
  }
  std::optional<size_t> read(std::span<char> room) override { return input_.read(room); }
  void wake() override { SetEvent(wake_.get()); }

  Result<Found> wait(bool for_room, std::span<Watched> others) override {
    input_.prepare();
    handles_ = {wake_.get(), input_.event()};
    const size_t first_other = handles_.size();
    for (const Watched& other : others) {
      handles_.push_back(reinterpret_cast<HANDLE>(other.handle));
    }
    const size_t output = handles_.size();
    if (for_room) handles_.push_back(output_.event());
    const DWORD answer = WaitForMultipleObjects(static_cast<DWORD>(handles_.size()),
                                                handles_.data(), FALSE, INFINITE);
    const bool has_waited = answer < WAIT_OBJECT_0 + handles_.size();
    const std::error_code fault = error_unless(has_waited);
    if (!has_waited) return Error(StatusCode::kUnknown, "wait for frames").because(fault);
    // The first of those that are signalled; it may be so no longer, as a timer.
    const size_t first = answer - WAIT_OBJECT_0;
    const auto is_signalled = [&](size_t i) {
      return i == first || (i > first && WaitForSingleObject(handles_[i], 0) == WAIT_OBJECT_0);
    };
    for (size_t i = 0; i < others.size(); ++i) others[i].is_ready = is_signalled(first_other + i);
    return Found{for_room && is_signalled(output), false};
  }

 private:
  PipeReader input_;
  PipeWriter output_;
  const Handle wake_;
  std::vector<HANDLE> handles_;
};

}  // namespace

Result<std::unique_ptr<PipeTransport>> pipe_transport_of(Handle input, Handle output) {
  Handle wake(CreateEventW(nullptr, FALSE, FALSE, nullptr));
  if (!wake) return Error(StatusCode::kUnknown, "make an event").because(wake.error());
  auto ends = std::make_unique<PipeEnds>(std::move(input), std::move(output), std::move(wake));
  if (!ends->error()) return std::unique_ptr<PipeTransport>(std::move(ends));
  return Error(StatusCode::kUnknown, "use a pipe").because(ends->error());
}

}  // namespace longshore::supervise
