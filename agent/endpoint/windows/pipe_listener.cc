// A named pipe has as many ends as the server makes: instances, each for one client. Some of them
// always wait, so that a client that comes while the I/O thread is at work finds one, and one that
// only looks at the pipe, as container runtimes do, takes none from others.
#include <boost/asio/post.hpp>
#include <boost/asio/windows/overlapped_ptr.hpp>
#include <boost/asio/windows/stream_handle.hpp>
#include <deque>
#include <set>
#include <utility>

#include "config/windows/security_descriptor.h"
#include "endpoint/listener.h"
#include "rpc/asio_transport.h"

namespace longshore::endpoint {
namespace {

namespace asio = boost::asio;
using config::SecurityDescriptor;
using Instance = asio::windows::stream_handle;

constexpr size_t kWaiting = 8;
constexpr DWORD kBufferBytes = 64 << 10;

std::error_code system_error(DWORD number) {
  return {static_cast<int>(number), std::system_category()};
}

// Outlives its listener by the operations that are under way.
class Pipe final : public std::enable_shared_from_this<Pipe> {
 public:
  Pipe(asio::io_context& io, std::string path) : io_(io), path_(std::move(path)) {}

  // Of the first instance the system asks that nobody else has the name: a process that had it
  // before could answer the clients of csi-proxy.
  Result<void> listen(const std::string& sddl) {
    auto descriptor = SecurityDescriptor::parse(sddl);
    if (!descriptor) return std::move(descriptor).error();
    descriptor_.emplace(std::move(*descriptor));
    const std::error_code error = make_instance(FILE_FLAG_FIRST_PIPE_INSTANCE);
    if (!error) return {};
    Error failed(error.value() == ERROR_ACCESS_DENIED ? StatusCode::kFailedPrecondition
                                                      : StatusCode::kUnknown,
                 "listen on the pipe", path_);
    if (error.value() != ERROR_ACCESS_DENIED) return std::move(failed).because(error);
    return std::move(failed)
        .because("another process has a pipe of this name")
        .advise("stop it; csi-proxy and another agent have the same pipes");
  }

  void accept(Listener::OnClient on_client) {
    on_client_ = std::move(on_client);
    const std::error_code error = fill();
    if (!connected_.empty()) {
      asio::post(io_, [self = shared_from_this()] { self->tell(); });
    } else if (waiting_.empty()) {
      asio::post(io_, [self = shared_from_this(), error] { self->tell_of(error); });
    }
  }

  // Nobody can open the pipe when this returns: who is told to go afterwards, and connects anew,
  // must not find an instance that goes too. One that a client has opened by now still says so.
  void stop(const Listener::OnClient& last) {
    is_stopped_ = true;
    last_ = last;
    const auto told = std::exchange(on_client_, nullptr);
    for (const auto& instance : waiting_) {
      if (has_client(*instance)) continue;
      boost::system::error_code ignored;  // of what is closed already
      instance->cancel(ignored);
      instance->close(ignored);
    }
    for (auto& instance : std::exchange(connected_, {})) tell_last(std::move(*instance));
    forget_last();
  }

  Result<void> apply_access(const std::string& sddl) {
    auto descriptor = SecurityDescriptor::parse(sddl);
    if (!descriptor) return std::move(descriptor).error();
    descriptor_.emplace(std::move(*descriptor));
    // All instances have one descriptor.
    if (waiting_.empty()) return {};
    const std::error_code error = error_unless(
        SetKernelObjectSecurity((*waiting_.begin())->native_handle(), DACL_SECURITY_INFORMATION,
                                descriptor_->get()) != FALSE);
    if (!error) return {};
    return Error(StatusCode::kUnknown, "set who may open the pipe", path_).because(error);
  }

 private:
  std::error_code fill() {
    while (!is_stopped_ && waiting_.size() < kWaiting) {
      if (const std::error_code error = make_instance(0)) return error;
    }
    return {};
  }

  std::error_code make_instance(DWORD flags) {
    SECURITY_ATTRIBUTES attributes = descriptor_->attributes();
    const std::wstring name = wide(path_);
    const HANDLE handle = CreateNamedPipeW(
        name.c_str(), PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | WRITE_DAC | flags,
        PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS,
        PIPE_UNLIMITED_INSTANCES, kBufferBytes, kBufferBytes, 0, &attributes);
    if (const std::error_code refusal = error_unless(handle != INVALID_HANDLE_VALUE)) {
      return refusal;
    }
    auto instance = std::make_shared<Instance>(io_);
    boost::system::error_code error;
    instance->assign(handle, error);
    if (error) {
      CloseHandle(handle);
      return error;
    }
    waiting_.insert(instance);
    wait_for_client(std::move(instance));
    return {};
  }

  void wait_for_client(std::shared_ptr<Instance> instance) {
    const HANDLE handle = instance->native_handle();
    asio::windows::overlapped_ptr operation(
        io_, [self = shared_from_this(), instance = std::move(instance)](
                 boost::system::error_code error, size_t) { self->on_connected(error, instance); });
    const BOOL connected = ConnectNamedPipe(handle, operation.get());
    const DWORD error = GetLastError();
    if (connected || error == ERROR_IO_PENDING) {
      operation.release();
    } else if (error == ERROR_PIPE_CONNECTED) {
      operation.complete({}, 0);
    } else {
      operation.complete(boost::system::error_code(system_error(error)), 0);
    }
  }

  // An error other than the end: the client has come and gone before it was looked at. Its instance
  // goes, and another one waits.
  void on_connected(std::error_code error, const std::shared_ptr<Instance>& instance) {
    waiting_.erase(instance);
    if (is_stopped_) {
      if (!error && instance->is_open()) tell_last(std::move(*instance));
      return forget_last();
    }
    if (!error) connected_.push_back(instance);
    error = fill();
    if (!connected_.empty()) return tell();
    if (waiting_.empty()) tell_of(error);
  }

  void tell() {
    if (!on_client_ || connected_.empty()) return;
    const std::shared_ptr<Instance> instance = std::move(connected_.front());
    connected_.pop_front();
    std::exchange(on_client_, nullptr)({}, client_of(std::move(*instance)));
  }

  void tell_of(std::error_code error) {
    if (on_client_) std::exchange(on_client_, nullptr)(error, std::nullopt);
  }

  void tell_last(Instance instance) const {
    if (last_) last_({}, client_of(std::move(instance)));
  }

  // It may hold the last of whom this listener belongs to, who then stops it once more: by that
  // time nothing is here.
  void forget_last() {
    if (!waiting_.empty()) return;
    const auto last = std::exchange(last_, nullptr);
  }

  static bool has_client(Instance& instance) {
    return PeekNamedPipe(instance.native_handle(), nullptr, 0, nullptr, nullptr, nullptr) != 0;
  }

  static Client client_of(Instance instance) {
    Result<Peer> peer = peer_of(reinterpret_cast<intptr_t>(instance.native_handle()));
    return {rpc::make_transport(std::move(instance)), std::move(peer)};
  }

  asio::io_context& io_;
  const std::string path_;
  std::optional<SecurityDescriptor> descriptor_;
  std::set<std::shared_ptr<Instance>> waiting_;
  std::deque<std::shared_ptr<Instance>> connected_;  // and not told of
  Listener::OnClient on_client_;
  Listener::OnClient last_;
  bool is_stopped_ = false;
};

class PipeListener final : public Listener {
 public:
  explicit PipeListener(std::shared_ptr<Pipe> pipe) : pipe_(std::move(pipe)) {}
  ~PipeListener() override { pipe_->stop(nullptr); }

  void accept(OnClient on_client) override { pipe_->accept(std::move(on_client)); }
  void stop(const OnClient& on_client) override { pipe_->stop(on_client); }
  Result<void> apply_access(const ListenerOptions& options) override {
    return pipe_->apply_access(options.sddl);
  }
  bool lacks_access(const ListenerOptions&) const override { return false; }
  // While an instance is open the name is its own.
  Result<void> check_place() const override { return {}; }

 private:
  const std::shared_ptr<Pipe> pipe_;
};

}  // namespace

Result<std::unique_ptr<Listener>> Listener::open(asio::io_context& io,
                                                 const ListenerOptions& options) {
  auto pipe = std::make_shared<Pipe>(io, options.path);
  if (auto listening = pipe->listen(options.sddl); !listening) {
    pipe->stop(nullptr);
    return std::move(listening).error();
  }
  return std::unique_ptr<Listener>(std::make_unique<PipeListener>(std::move(pipe)));
}

}  // namespace longshore::endpoint
