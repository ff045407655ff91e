// What the system group sees of systemd, on a private bus: Manager, Unit objects, jobs and their
// signals, with units that a test describes. It only keeps states; nothing is run.
//
// Threads: everything may be called from the test's thread; an own thread serves the bus.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace longshore::test {

struct StandInUnit {
  std::string description = {};
  std::string load_state = "loaded";
  std::string active_state = "inactive";
  std::string sub_state = "dead";
  std::string unit_file_state = "enabled";
  std::vector<std::string> required_by = {};
  std::vector<std::string> requisite_of = {};
  std::vector<std::string> bound_by = {};
  std::vector<std::string> consists_of = {};
  std::vector<std::string> propagates_stop_to = {};
  std::vector<std::string> wanted_by = {};
  // How a start ends: systemd's word for the job, and the state afterwards.
  std::string start_result = "done";
  std::string started_state = "active";
  // Whether jobs wait until SystemdStandIn::release_jobs().
  bool holds_jobs = false;
  // When set, each method call about the unit is answered with this error.
  std::string error = {};
};

class SystemdStandIn {
 public:
  // Takes systemd's name on the bus and serves from then on; throws if it cannot.
  explicit SystemdStandIn(const std::string& bus_address);
  SystemdStandIn(const SystemdStandIn&) = delete;
  SystemdStandIn& operator=(const SystemdStandIn&) = delete;
  ~SystemdStandIn();

  void put(const std::string& name, StandInUnit unit);
  std::string active_state(const std::string& name) const;

  // The jobs asked for: "StartUnit x.service replace".
  std::vector<std::string> jobs() const;
  // Waits until a job is held; false if none is within ten seconds.
  bool wait_for_held_job() const;
  // Ends the held jobs with this word, and without changing a unit unless the word is "done".
  void release_jobs(const std::string& result);
  // Tells the last caller that the held job is done, as another client of the bus might.
  void forge_job_removed() const;

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace longshore::test
