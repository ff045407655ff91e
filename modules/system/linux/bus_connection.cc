#include "system/linux/bus_connection.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <system_error>

#include "system/linux/systemd_error.h"

namespace longshore::system {

namespace {

constexpr const char* kSystemd = "org.freedesktop.systemd1";
constexpr const char* kBus = "org.freedesktop.DBus";
constexpr const char* kBusPath = "/org/freedesktop/DBus";

// How long one wait may be, so that a cancelled call is noticed.
constexpr std::chrono::milliseconds kSlice(100);

uint64_t microseconds_until(Deadline::Clock::time_point deadline,
                            std::chrono::microseconds at_most) {
  const auto left = deadline - Deadline::Clock::now();
  if (left >= at_most) return static_cast<uint64_t>(at_most.count());
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(left).count();
  return static_cast<uint64_t>(std::max<int64_t>(1, whole));  // 0 would mean the bus's own limit
}

// sd-bus gives names to its own failures, too.
bool came_from_other_side(const sd_bus_error& error) {
  if (error.name == nullptr) return false;
  const std::string_view name = error.name;
  return name != SD_BUS_ERROR_TIMEOUT && !name.starts_with("System.Error.");
}

}  // namespace

Result<std::unique_ptr<BusConnection>> BusConnection::open(const SdBusLibrary& library,
                                                           const std::string& address,
                                                           const Purpose& purpose) {
  sd_bus* bus = nullptr;
  if (const int error = library.bus_new(&bus); error < 0) {
    return purpose.error(StatusCode::kResourceExhausted)
        .because(std::generic_category().message(-error));
  }
  std::unique_ptr<BusConnection> connection(new BusConnection(library, bus));
  const auto unavailable = [&](int error) {
    return purpose.error(StatusCode::kUnavailable)
        .because(std::generic_category().message(-error))
        .advise("the service manager is not available: there is no bus at " + address);
  };
  int error = library.bus_set_address(bus, address.c_str());
  if (error >= 0) error = library.bus_set_bus_client(bus, 1);
  if (error >= 0) error = library.bus_add_filter(bus, nullptr, &on_message, connection.get());
  if (error >= 0) error = library.bus_start(bus);
  if (error < 0) return unavailable(error);
  for (;;) {
    const int ready = library.bus_is_ready(bus);
    if (ready > 0) return connection;
    if (ready < 0) return unavailable(ready);
    if (Result<void> done = connection->process_or_wait(purpose); !done) {
      return std::move(done).error();
    }
  }
}

BusConnection::~BusConnection() { library_.bus_close_unref(bus_); }

bool BusConnection::reusable() { return !watches_jobs_ && stands(); }

bool BusConnection::stands() {
  int processed = 1;
  while (!lost_ && processed > 0) processed = library_.bus_process(bus_, nullptr);
  if (processed < 0 || library_.bus_is_ready(bus_) <= 0) lost_ = true;
  return !lost_;
}

Result<BusReply> BusConnection::call(const Purpose& purpose, const std::string& path,
                                     const char* interface, const char* method,
                                     std::initializer_list<std::string> arguments) {
  Result<BusReply> reply = call(purpose, kSystemd, path, interface, method, arguments);
  if (reply) systemd_ = reply->sender();
  return reply;
}

Result<BusReply> BusConnection::call(const Purpose& purpose, const char* destination,
                                     const std::string& path, const char* interface,
                                     const char* method,
                                     std::initializer_list<std::string> arguments) {
  if (auto exceeded = purpose.deadline.exceeded(purpose.operation, purpose.object)) {
    return *std::move(exceeded);
  }
  sd_bus_message* message = nullptr;
  int error = library_.bus_message_new_method_call(bus_, &message, destination, path.c_str(),
                                                   interface, method);
  const BusReply request(library_, message);
  for (const std::string& argument : arguments) {
    if (error >= 0) error = library_.bus_message_append_basic(message, 's', argument.c_str());
  }
  if (error < 0) return failure(purpose, error);

  constexpr std::chrono::seconds kPatience(25);  // for who has no deadline: the bus's own
  sd_bus_error refusal = SD_BUS_ERROR_NULL;
  sd_bus_message* reply = nullptr;
  error = library_.bus_call(bus_, message, microseconds_until(purpose.deadline.time, kPatience),
                            &refusal, &reply);
  if (error >= 0) return BusReply(library_, reply);
  Error result =
      came_from_other_side(refusal) && stands()
          ? systemd_error(purpose, refusal.name, refusal.message == nullptr ? "" : refusal.message)
          : failure(purpose, error);
  library_.bus_error_free(&refusal);
  return result;
}

Result<void> BusConnection::watch_jobs(const Purpose& purpose) {
  watches_jobs_ = true;
  const std::string rule = std::string("type='signal',sender='") + kSystemd + "',path='" +
                           kSystemdPath + "',interface='" + kSystemdManager +
                           "',member='JobRemoved'";
  const Result<BusReply> matched = call(purpose, kBus, kBusPath, kBus, "AddMatch", {rule});
  if (!matched) return matched.error();
  const Result<BusReply> subscribed = call(purpose, kSystemdPath, kSystemdManager, "Subscribe", {});
  if (!subscribed) return subscribed.error();
  return {};
}

Result<std::string> BusConnection::wait_for_job(const Purpose& purpose, const std::string& job) {
  for (;;) {
    const auto finished = finished_jobs_.find(job);
    if (finished != finished_jobs_.end()) return finished->second;
    if (Result<void> done = process_or_wait(purpose); !done) return std::move(done).error();
  }
}

Result<void> BusConnection::process_or_wait(const Purpose& purpose) {
  if (auto exceeded = purpose.deadline.exceeded(purpose.operation, purpose.object)) {
    return *std::move(exceeded);
  }
  int result = library_.bus_process(bus_, nullptr);
  if (result == 0) {
    result = library_.bus_wait(bus_, microseconds_until(purpose.deadline.time, kSlice));
  }
  if (result < 0 && result != -EINTR) return failure(purpose, result);
  return {};
}

Error BusConnection::failure(const Purpose& purpose, int error) {
  lost_ = true;
  if (error == -ETIMEDOUT) {
    return purpose.error(StatusCode::kDeadlineExceeded)
        .because("the service manager did not answer in time");
  }
  return purpose.error(StatusCode::kUnavailable)
      .because("the connection to the service manager is lost: " +
               std::generic_category().message(-error));
}

int BusConnection::on_message(sd_bus_message* message, void* self, sd_bus_error*) {
  auto* connection = static_cast<BusConnection*>(self);
  const SdBusLibrary& library = connection->library_;
  if (library.bus_message_is_signal(message, kSystemdManager, "JobRemoved") <= 0) return 0;
  // Anybody on the bus may send such a signal to us; only systemd's counts.
  const char* sender = library.bus_message_get_sender(message);
  if (sender == nullptr || sender != connection->systemd_) return 0;
  uint32_t id = 0;
  const char* job = nullptr;
  const char* unit = nullptr;
  const char* result = nullptr;
  if (library.bus_message_read_basic(message, 'u', &id) > 0 &&
      library.bus_message_read_basic(message, 'o', &job) > 0 &&
      library.bus_message_read_basic(message, 's', &unit) > 0 &&
      library.bus_message_read_basic(message, 's', &result) > 0) {
    connection->finished_jobs_[job] = result;
  }
  return 0;
}

}  // namespace longshore::system
