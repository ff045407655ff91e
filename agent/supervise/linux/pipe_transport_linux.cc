#include "supervise/linux/pipe_transport_linux.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace longshore::supervise {
namespace {

iovec part(std::string_view bytes) { return {const_cast<char*>(bytes.data()), bytes.size()}; }

// Whether a system call that failed may be tried again later.
bool is_temporary() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ENOMEM;
}

class PipeEnds final : public PipeTransport {
 public:
  PipeEnds(FileDescriptor input, FileDescriptor output, FileDescriptor wake)
      : input_(std::move(input)), output_(std::move(output)), wake_(std::move(wake)) {}

  std::optional<size_t> write(std::span<const std::string_view> parts) override {
    iovec vectors[kMostParts];
    const size_t count = std::min(parts.size(), kMostParts);
    std::transform(parts.begin(), parts.begin() + static_cast<ptrdiff_t>(count), vectors, part);
    const ssize_t written = writev(output_.get(), vectors, static_cast<int>(count));
    if (written >= 0) return static_cast<size_t>(written);
    return is_temporary() ? std::optional<size_t>(0) : std::nullopt;
  }

  std::optional<size_t> read(std::span<char> room) override {
    const ssize_t count = ::read(input_.get(), room.data(), room.size());
    if (count > 0) return static_cast<size_t>(count);
    return count < 0 && is_temporary() ? std::optional<size_t>(0) : std::nullopt;
  }

  void wake() override { eventfd_write(wake_.get(), 1); }

  Result<Found> wait(bool for_room, std::span<Watched> others) override {
    enum : size_t { kInput, kOutput, kWake, kOthers };
    polled_ = {{input_.get(), POLLIN, 0},
               {output_.get(), static_cast<short>(for_room ? POLLOUT : 0), 0},
               {wake_.get(), POLLIN, 0}};
    for (const Watched& other : others) {
      polled_.push_back({static_cast<int>(other.handle), POLLIN, 0});
    }
    if (const std::error_code error = error_unless(poll(polled_.data(), polled_.size(), -1) >= 0)) {
      if (!is_temporary()) return Error(StatusCode::kUnknown, "wait for frames").because(error);
      for (pollfd& each : polled_) each.revents = 0;
    }
    if (polled_[kWake].revents != 0) {
      eventfd_t ignored = 0;
      eventfd_read(wake_.get(), &ignored);
    }
    for (size_t i = 0; i < others.size(); ++i) {
      others[i].is_ready = polled_[kOthers + i].revents != 0;
    }
    const short output = polled_[kOutput].revents;
    return Found{(output & POLLOUT) != 0, (output & (POLLERR | POLLNVAL)) != 0};
  }

 private:
  static constexpr size_t kMostParts = 3;

  const FileDescriptor input_;
  const FileDescriptor output_;
  const FileDescriptor wake_;
  std::vector<pollfd> polled_;
};

}  // namespace

Result<std::unique_ptr<PipeTransport>> pipe_transport_of(FileDescriptor input,
                                                         FileDescriptor output) {
  FileDescriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return Error(StatusCode::kUnknown, "make an event descriptor").because(wake.error());
  return std::unique_ptr<PipeTransport>(
      std::make_unique<PipeEnds>(std::move(input), std::move(output), std::move(wake)));
}

}  // namespace longshore::supervise
