#include "tests/unit/system/windows/service_manager_stand_in.h"

#include <cstring>
#include <stdexcept>

#include "longshore/windows/wide_text.hpp"
#include "system/service_name.h"

namespace longshore::system {
namespace {

// Puts structures at the front of a buffer and their texts at its end, as the manager does.
class AnswerWriter {
 public:
  explicit AnswerWriter(std::span<std::byte> buffer) : buffer_(buffer), end_(buffer.size()) {}

  // Where the text will lie; null when there is no room for it.
  wchar_t* text(const std::string& text) {
    const std::wstring wide_text = wide(text);
    const size_t bytes = (wide_text.size() + 1) * sizeof(wchar_t);
    needed_ += bytes;
    if (bytes > end_) return nullptr;
    end_ = (end_ - bytes) & ~(alignof(wchar_t) - 1);
    std::memcpy(buffer_.data() + end_, wide_text.c_str(), bytes);
    return reinterpret_cast<wchar_t*>(buffer_.data() + end_);
  }
  template <typename Struct>
  void structure(const Struct& value) {
    needed_ += sizeof(value);
    if (front_ + sizeof(value) <= end_) {
      std::memcpy(buffer_.data() + front_, &value, sizeof(value));
    }
    front_ += sizeof(value);
  }
  bool fits() const { return needed_ <= buffer_.size() && front_ <= end_; }
  DWORD needed() const { return static_cast<DWORD>(needed_ + alignof(wchar_t)); }

 private:
  std::span<std::byte> buffer_;
  size_t front_ = 0;
  size_t end_;
  size_t needed_ = 0;
};

}  // namespace

void ServiceManagerStandIn::put(const std::string& name, StandInService service) {
  const std::lock_guard lock(mutex_);
  services_[comparable_name(name)] = Kept{name, std::move(service)};
}

DWORD ServiceManagerStandIn::state(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return services_.at(comparable_name(name)).service.state;
}

std::vector<std::string> ServiceManagerStandIn::done() const {
  const std::lock_guard lock(mutex_);
  return done_;
}

int ServiceManagerStandIn::open_handles() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(handles_.size());
}

std::chrono::milliseconds ServiceManagerStandIn::paused() const {
  const std::lock_guard lock(mutex_);
  return paused_;
}

void ServiceManagerStandIn::spoil_answers(Spoil spoil) { spoil_ = std::move(spoil); }
void ServiceManagerStandIn::refuse_manager(DWORD code) { manager_code_ = code; }
void ServiceManagerStandIn::refuse_service(DWORD code) { service_code_ = code; }
void ServiceManagerStandIn::refuse_status(DWORD code) { status_code_ = code; }

DWORD ServiceManagerStandIn::open(const std::string& name, SC_HANDLE& handle) {
  handle = reinterpret_cast<SC_HANDLE>(++last_handle_);
  handles_[handle] = name;
  return ERROR_SUCCESS;
}

DWORD ServiceManagerStandIn::open_manager(SC_HANDLE& manager) {
  const std::lock_guard lock(mutex_);
  return manager_code_ != ERROR_SUCCESS ? manager_code_ : open("", manager);
}

DWORD ServiceManagerStandIn::open_service(SC_HANDLE manager, const std::wstring& name, DWORD,
                                          SC_HANDLE& service) {
  const std::lock_guard lock(mutex_);
  if (!handles_.contains(manager)) return ERROR_INVALID_HANDLE;
  if (service_code_ != ERROR_SUCCESS) return service_code_;
  const std::string key = comparable_name(narrow(name));
  return services_.contains(key) ? open(key, service)
                                 : static_cast<DWORD>(ERROR_SERVICE_DOES_NOT_EXIST);
}

ServiceManagerStandIn::Kept& ServiceManagerStandIn::kept(SC_HANDLE service) {
  return services_.at(handles_.at(service));
}

DWORD ServiceManagerStandIn::query_status(SC_HANDLE service, SERVICE_STATUS_PROCESS& status) {
  const std::lock_guard lock(mutex_);
  if (status_code_ != ERROR_SUCCESS) return status_code_;
  Kept& kept = this->kept(service);
  StandInService& own = kept.service;
  status = {};
  const bool is_pending = own.state == SERVICE_START_PENDING || own.state == SERVICE_STOP_PENDING;
  if (is_pending && own.looks >= 0 && kept.looks_left-- <= 0) {
    const bool runs = own.state == SERVICE_START_PENDING && own.exit_code == ERROR_SUCCESS;
    own.state = runs ? SERVICE_RUNNING : SERVICE_STOPPED;
  } else if (is_pending) {
    if (own.tells_progress) ++kept.check_point;
    status.dwCheckPoint = kept.check_point;
    status.dwWaitHint = own.wait_hint;
  }
  status.dwServiceType = SERVICE_WIN32_OWN_PROCESS;
  status.dwCurrentState = own.state;
  status.dwWin32ExitCode = own.exit_code;
  status.dwServiceSpecificExitCode = own.specific_exit_code;
  return ERROR_SUCCESS;
}

DWORD ServiceManagerStandIn::query_config(SC_HANDLE service, std::span<std::byte> buffer,
                                          DWORD& needed) {
  const std::lock_guard lock(mutex_);
  const StandInService& own = kept(service).service;
  AnswerWriter writer(buffer);
  QUERY_SERVICE_CONFIGW config{};
  config.dwServiceType = SERVICE_WIN32_OWN_PROCESS;
  config.dwStartType = own.start_type;
  config.lpBinaryPathName = writer.text("C:\\service.exe");
  config.lpDisplayName = writer.text(own.display_name);
  writer.structure(config);
  needed = writer.needed();
  DWORD code = writer.fits() ? ERROR_SUCCESS : ERROR_INSUFFICIENT_BUFFER;
  DWORD count = 0;
  if (spoil_) spoil_(buffer, needed, count, code);
  return code;
}

DWORD ServiceManagerStandIn::enumerate_dependants(SC_HANDLE service, std::span<std::byte> buffer,
                                                  DWORD& needed, DWORD& count) {
  const std::lock_guard lock(mutex_);
  AnswerWriter writer(buffer);
  for (const std::string& name : kept(service).service.dependants) {
    const auto found = services_.find(comparable_name(name));
    if (found == services_.end() || found->second.service.state == SERVICE_STOPPED) continue;
    ENUM_SERVICE_STATUSW entry{};
    entry.lpServiceName = writer.text(found->second.name);
    entry.lpDisplayName = writer.text(found->second.service.display_name);
    entry.ServiceStatus.dwCurrentState = found->second.service.state;
    writer.structure(entry);
    ++count;
  }
  DWORD code = ERROR_SUCCESS;
  if (!writer.fits()) {
    needed = writer.needed() - static_cast<DWORD>(buffer.size()) + 64;
    count = 0;
    code = ERROR_MORE_DATA;
  }
  if (spoil_) spoil_(buffer, needed, count, code);
  return code;
}

void ServiceManagerStandIn::begin(Kept& kept, DWORD pending) {
  kept.service.state = pending;
  kept.looks_left = kept.service.looks;
  kept.check_point = 0;
}

DWORD ServiceManagerStandIn::start(SC_HANDLE service) {
  const std::lock_guard lock(mutex_);
  Kept& kept = this->kept(service);
  done_.push_back("start " + kept.name);
  if (kept.service.start_code == ERROR_SERVICE_ALREADY_RUNNING) begin(kept, SERVICE_START_PENDING);
  if (kept.service.start_code != ERROR_SUCCESS) return kept.service.start_code;
  if (kept.service.locked_starts > 0) {
    --kept.service.locked_starts;
    return ERROR_SERVICE_DATABASE_LOCKED;
  }
  if (kept.service.start_type == SERVICE_DISABLED) return ERROR_SERVICE_DISABLED;
  if (kept.service.state != SERVICE_STOPPED) return ERROR_SERVICE_ALREADY_RUNNING;
  begin(kept, SERVICE_START_PENDING);
  return ERROR_SUCCESS;
}

DWORD ServiceManagerStandIn::control(SC_HANDLE service, DWORD control) {
  const std::lock_guard lock(mutex_);
  if (control != SERVICE_CONTROL_STOP) throw std::logic_error("only STOP is sent");
  Kept& kept = this->kept(service);
  done_.push_back("stop " + kept.name);
  if (kept.service.control_code != ERROR_SUCCESS) return kept.service.control_code;
  if (kept.service.state == SERVICE_STOPPED) return ERROR_SERVICE_NOT_ACTIVE;
  if (kept.service.state == SERVICE_START_PENDING || kept.service.state == SERVICE_STOP_PENDING) {
    return ERROR_SERVICE_CANNOT_ACCEPT_CTRL;
  }
  begin(kept, SERVICE_STOP_PENDING);
  return ERROR_SUCCESS;
}

void ServiceManagerStandIn::close(SC_HANDLE handle) {
  const std::lock_guard lock(mutex_);
  if (handles_.erase(handle) != 1) throw std::logic_error("a handle is closed twice");
}

void ServiceManagerStandIn::pause(std::chrono::milliseconds time) {
  const std::lock_guard lock(mutex_);
  paused_ += time;
}

}  // namespace longshore::system
