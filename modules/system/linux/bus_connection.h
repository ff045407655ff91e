// One connection to the bus that systemd is on, and calls of systemd's methods over it.
//
// Threads: one at a time. Owner: BusConnections, or whoever took it from there.
// States: opening -> open [-> watching jobs] -> lost. A lost connection stays lost, and one that
// gave up waiting for a reply counts as lost.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <string>

#include "longshore/result.hpp"
#include "system/linux/bus_purpose.h"
#include "system/linux/bus_reply.h"
#include "system/linux/sd_bus_library.h"

namespace longshore::system {

// Where systemd is on the bus.
inline constexpr const char* kSystemdPath = "/org/freedesktop/systemd1";
inline constexpr const char* kSystemdManager = "org.freedesktop.systemd1.Manager";

class BusConnection {
 public:
  // Connects and says hello. UNAVAILABLE: there is no bus at the address.
  static Result<std::unique_ptr<BusConnection>> open(const SdBusLibrary& library,
                                                     const std::string& address,
                                                     const Purpose& purpose);
  BusConnection(const BusConnection&) = delete;
  BusConnection& operator=(const BusConnection&) = delete;
  ~BusConnection();

  // Reads what has come in meanwhile, and tells whether the connection can be kept for later. One
  // that watches jobs cannot: signals would pile up in it while nobody reads.
  bool reusable();

  // Calls a method of systemd with texts as arguments. Errors that systemd gives are turned into
  // ours by their names (NoSuchUnit is NOT_FOUND, ...).
  Result<BusReply> call(const Purpose& purpose, const std::string& path, const char* interface,
                        const char* method, std::initializer_list<std::string> arguments);

  // Has systemd tell this connection of every job that is finished from now on.
  Result<void> watch_jobs(const Purpose& purpose);

  // Waits until the job (an object path) is finished, and gives systemd's word for how: "done",
  // "failed", ... Needs watch_jobs() before the job was made.
  Result<std::string> wait_for_job(const Purpose& purpose, const std::string& job);

 private:
  BusConnection(const SdBusLibrary& library, sd_bus* bus) : library_(library), bus_(bus) {}

  Result<BusReply> call(const Purpose& purpose, const char* destination, const std::string& path,
                        const char* interface, const char* method,
                        std::initializer_list<std::string> arguments);
  bool stands();
  Result<void> process_or_wait(const Purpose& purpose);
  Error failure(const Purpose& purpose, int error);
  static int on_message(sd_bus_message* message, void* self, sd_bus_error*);

  const SdBusLibrary& library_;
  sd_bus* bus_;
  bool lost_ = false;
  bool watches_jobs_ = false;
  std::string systemd_;  // its unique name on the bus, from its last reply
  std::map<std::string, std::string> finished_jobs_;  // object path to result
};

}  // namespace longshore::system
