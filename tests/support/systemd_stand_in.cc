#include "tests/support/systemd_stand_in.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

namespace longshore::test {
namespace {

constexpr const char* kPath = "/org/freedesktop/systemd1";
constexpr const char* kUnitPrefix = "/org/freedesktop/systemd1/unit";
constexpr const char* kManager = "org.freedesktop.systemd1.Manager";

void check(int result, const char* what) {
  if (result < 0) throw std::runtime_error(std::string("stand-in for systemd: ") + what);
}

struct BusCloser {
  void operator()(sd_bus* bus) const { sd_bus_flush_close_unref(bus); }
};
using Bus = std::unique_ptr<sd_bus, BusCloser>;

Bus connect(const std::string& address) {
  sd_bus* bus = nullptr;
  check(sd_bus_new(&bus), "new");
  Bus owned(bus);
  check(sd_bus_set_address(bus, address.c_str()), "address");
  check(sd_bus_set_bus_client(bus, 1), "client");
  check(sd_bus_start(bus), "start");
  return owned;
}

std::string unit_path(const std::string& name) {
  char* path = nullptr;
  check(sd_bus_path_encode(kUnitPrefix, name.c_str(), &path), "path");
  const std::unique_ptr<char, decltype(&::free)> owned(path, &::free);
  return path;
}

}  // namespace

// The state and the thread that serves the bus. All of sd-bus happens under the lock.
class SystemdStandIn::Server {
 public:
  explicit Server(std::string address) : address_(std::move(address)), bus_(connect(address_)) {
    sd_bus* bus = bus_.get();
    check(sd_bus_add_object_vtable(bus, nullptr, kPath, kManager, kManagerTable, this), "manager");
    check(sd_bus_add_fallback_vtable(bus, nullptr, kUnitPrefix, "org.freedesktop.systemd1.Unit",
                                     kUnitTable, &find_unit, this),
          "units");
    check(sd_bus_request_name(bus, "org.freedesktop.systemd1", 0), "name");
    thread_ = std::thread([this] { serve(); });
  }

  ~Server() {
    over_ = true;
    wake();
    thread_.join();
    ::close(wake_);
  }

  void put(const std::string& name, StandInUnit unit) {
    const std::lock_guard lock(mutex_);
    units_[name] = std::move(unit);
  }

  StandInUnit get(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = units_.find(name);
    return found == units_.end() ? StandInUnit() : found->second;
  }

  std::vector<std::string> jobs() const {
    const std::lock_guard lock(mutex_);
    return jobs_;
  }

  bool wait_for_held_job() const {
    std::unique_lock lock(mutex_);
    return held_changed_.wait_for(lock, std::chrono::seconds(60), [&] { return !held_.empty(); });
  }

  void release_jobs(const std::string& result) {
    {
      const std::lock_guard lock(mutex_);
      for (Job& job : std::exchange(held_, {})) {
        if (!result.empty()) job.result = result;
        finish(job);
      }
      sd_bus_flush(bus_.get());
    }
    wake();
  }

  void forge_job_removed() const {
    const std::lock_guard lock(mutex_);
    const Bus forger = connect(address_);
    const Job& job = held_.at(0);
    sd_bus_message* message = nullptr;
    check(sd_bus_message_new_signal(forger.get(), &message, kPath, kManager, "JobRemoved"), "new");
    sd_bus_message_append(message, "uoss", job.number, job_path(job).c_str(), job.unit.c_str(),
                          "done");
    sd_bus_message_set_destination(message, last_caller_.c_str());
    check(sd_bus_send(forger.get(), message, nullptr), "send");
    sd_bus_message_unref(message);
  }

 private:
  struct Job {
    uint32_t number;
    std::string unit;
    bool starts;
    std::string result;
  };

  static Server& self(void* data) { return *static_cast<Server*>(data); }
  static std::string job_path(const Job& job) {
    return std::string(kPath) + "/job/" + std::to_string(job.number);
  }

  void wake() {
    const uint64_t one = 1;
    static_cast<void>(::write(wake_, &one, sizeof(one)) == sizeof(one));
  }

  void serve() {
    while (!over_) {
      pollfd events[] = {{wake_, POLLIN, 0}, {-1, 0, 0}};
      {
        const std::lock_guard lock(mutex_);
        while (sd_bus_process(bus_.get(), nullptr) > 0) {
        }
        events[1] = {sd_bus_get_fd(bus_.get()),
                     static_cast<short>(std::max(0, sd_bus_get_events(bus_.get()))), 0};
      }
      ::poll(events, 2, 1000);
      uint64_t ignored = 0;
      if (events[0].revents != 0) {
        static_cast<void>(::read(wake_, &ignored, sizeof(ignored)) == sizeof(ignored));
      }
    }
  }

  // [locked] Ends a job: changes the unit and tells every subscriber.
  void finish(const Job& job) {
    StandInUnit& unit = units_[job.unit];
    const bool works = job.result == "done";
    if (job.starts && (works || job.result == "failed")) {
      unit.active_state = works ? unit.started_state : "failed";
      unit.sub_state = works ? "running" : "failed";
    } else if (!job.starts && works) {
      unit.active_state = "inactive";
      unit.sub_state = "dead";
    }
    sd_bus_emit_signal(bus_.get(), kPath, kManager, "JobRemoved", "uoss", job.number,
                       job_path(job).c_str(), job.unit.c_str(), job.result.c_str());
  }

  // Reads the unit's name and finds the unit. Null: `error` is set.
  static StandInUnit* named_unit(sd_bus_message* message, Server& server, std::string& name,
                                 sd_bus_error* error) {
    const char* text = nullptr;
    if (sd_bus_message_read(message, "s", &text) < 0) return nullptr;
    name = text;
    server.last_caller_ = sd_bus_message_get_sender(message);
    const auto found = server.units_.find(name);
    if (found == server.units_.end()) {
      sd_bus_error_setf(error, "org.freedesktop.systemd1.NoSuchUnit", "Unit %s not found.", text);
      return nullptr;
    }
    if (!found->second.error.empty()) {
      sd_bus_error_set(error, found->second.error.c_str(), "as the test wants it");
      return nullptr;
    }
    return &found->second;
  }

  // Systemd loads any name and says "not-found" of it.
  static int load_unit(sd_bus_message* message, void* data, sd_bus_error* error) {
    Server& server = self(data);
    std::string name;
    if (named_unit(message, server, name, error) == nullptr) {
      if (!sd_bus_error_has_name(error, "org.freedesktop.systemd1.NoSuchUnit")) return -EINVAL;
      sd_bus_error_free(error);
      server.units_[name].load_state = "not-found";
    }
    return sd_bus_reply_method_return(message, "o", unit_path(name).c_str());
  }

  static int start_unit(sd_bus_message* message, void* data, sd_bus_error* error) {
    return make_job(message, self(data), /*starts=*/true, error);
  }
  static int stop_unit(sd_bus_message* message, void* data, sd_bus_error* error) {
    return make_job(message, self(data), /*starts=*/false, error);
  }

  static int make_job(sd_bus_message* message, Server& server, bool starts, sd_bus_error* error) {
    std::string name;
    const StandInUnit* unit = named_unit(message, server, name, error);
    const char* mode = nullptr;
    if (unit == nullptr || sd_bus_message_read(message, "s", &mode) < 0) return -EINVAL;
    server.jobs_.push_back((starts ? "StartUnit " : "StopUnit ") + name + " " + mode);
    if (starts && unit->load_state == "masked") {
      return sd_bus_error_setf(error, "org.freedesktop.systemd1.UnitMasked", "Unit %s is masked.",
                               name.c_str());
    }
    const Job job{++server.last_job_, name, starts, starts ? unit->start_result : "done"};
    const int replied = sd_bus_reply_method_return(message, "o", job_path(job).c_str());
    if (unit->holds_jobs) {
      server.held_.push_back(job);
      server.held_changed_.notify_all();
    } else {
      server.finish(job);
    }
    return replied;
  }

  static int subscribe(sd_bus_message* message, void*, sd_bus_error*) {
    return sd_bus_reply_method_return(message, "");
  }

  static int find_unit(sd_bus*, const char* path, const char*, void* data, void** found,
                       sd_bus_error*) {
    char* name = nullptr;
    if (sd_bus_path_decode(path, kUnitPrefix, &name) <= 0) return 0;
    const std::unique_ptr<char, decltype(&::free)> owned(name, &::free);
    const auto unit = self(data).units_.find(name);
    if (unit == self(data).units_.end()) return 0;
    *found = &unit->second;
    return 1;
  }

  template <std::string StandInUnit::*member>
  static int get_text(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply,
                      void* unit, sd_bus_error*) {
    return sd_bus_message_append(reply, "s", (static_cast<StandInUnit*>(unit)->*member).c_str());
  }

  template <std::vector<std::string> StandInUnit::*member>
  static int get_texts(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply,
                       void* unit, sd_bus_error*) {
    sd_bus_message_open_container(reply, 'a', "s");
    for (const std::string& text : static_cast<StandInUnit*>(unit)->*member) {
      sd_bus_message_append(reply, "s", text.c_str());
    }
    return sd_bus_message_close_container(reply);
  }

  static int get_forever(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply,
                         void*, sd_bus_error*) {
    return sd_bus_message_append(reply, "t", UINT64_MAX);
  }

  static const sd_bus_vtable kManagerTable[];
  static const sd_bus_vtable kUnitTable[];

  const std::string address_;
  mutable std::mutex mutex_;
  mutable std::condition_variable held_changed_;
  std::map<std::string, StandInUnit> units_;
  std::vector<std::string> jobs_;
  std::vector<Job> held_;
  std::string last_caller_;
  uint32_t last_job_ = 0;
  Bus bus_;
  const int wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

const sd_bus_vtable SystemdStandIn::Server::kManagerTable[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("LoadUnit", "s", "o", &load_unit, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("StartUnit", "ss", "o", &start_unit, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("StopUnit", "ss", "o", &stop_unit, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("Subscribe", "", "", &subscribe, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_SIGNAL("JobRemoved", "uoss", 0),
    SD_BUS_VTABLE_END};

const sd_bus_vtable SystemdStandIn::Server::kUnitTable[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_PROPERTY("Description", "s", &get_text<&StandInUnit::description>, 0, 0),
    SD_BUS_PROPERTY("RequiredBy", "as", &get_texts<&StandInUnit::required_by>, 0, 0),
    SD_BUS_PROPERTY("LoadState", "s", &get_text<&StandInUnit::load_state>, 0, 0),
    SD_BUS_PROPERTY("RequisiteOf", "as", &get_texts<&StandInUnit::requisite_of>, 0, 0),
    SD_BUS_PROPERTY("BoundBy", "as", &get_texts<&StandInUnit::bound_by>, 0, 0),
    SD_BUS_PROPERTY("ActiveState", "s", &get_text<&StandInUnit::active_state>, 0, 0),
    SD_BUS_PROPERTY("ConsistsOf", "as", &get_texts<&StandInUnit::consists_of>, 0, 0),
    SD_BUS_PROPERTY("PropagatesStopTo", "as", &get_texts<&StandInUnit::propagates_stop_to>, 0, 0),
    SD_BUS_PROPERTY("WantedBy", "as", &get_texts<&StandInUnit::wanted_by>, 0, 0),
    SD_BUS_PROPERTY("JobTimeoutUSec", "t", &get_forever, 0, 0),
    SD_BUS_PROPERTY("SubState", "s", &get_text<&StandInUnit::sub_state>, 0, 0),
    SD_BUS_PROPERTY("UnitFileState", "s", &get_text<&StandInUnit::unit_file_state>, 0, 0),
    SD_BUS_VTABLE_END};

SystemdStandIn::SystemdStandIn(const std::string& bus_address)
    : server_(std::make_unique<Server>(bus_address)) {}
SystemdStandIn::~SystemdStandIn() = default;

void SystemdStandIn::put(const std::string& name, StandInUnit unit) {
  server_->put(name, std::move(unit));
}
std::string SystemdStandIn::active_state(const std::string& name) const {
  return server_->get(name).active_state;
}
std::vector<std::string> SystemdStandIn::jobs() const { return server_->jobs(); }
bool SystemdStandIn::wait_for_held_job() const { return server_->wait_for_held_job(); }
void SystemdStandIn::release_jobs(const std::string& result) { server_->release_jobs(result); }
void SystemdStandIn::forge_job_removed() const { server_->forge_job_removed(); }

}  // namespace longshore::test
