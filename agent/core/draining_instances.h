// Instances whose place another has taken: they finish the calls that they have, each on a thread
// of its own, and are ended then. So an upgrade need not wait for a call of ten minutes, and fails
// none.
//
// Threads: one at a time. Owner: the module set.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "loader/instance.h"

namespace longshore::core {

class DrainingInstances {
 public:
  // Stops an instance that is drained, `latest` at the latest. Called on the threads.
  using Stop = std::function<void(const std::shared_ptr<loader::Instance>& instance,
                                  router::Clock::time_point latest)>;

  explicit DrainingInstances(Stop stop) : stop_(std::move(stop)) {}
  // Waits for all; call `end` before.
  ~DrainingInstances();
  DrainingInstances(const DrainingInstances&) = delete;
  DrainingInstances& operator=(const DrainingInstances&) = delete;

  void add(std::shared_ptr<loader::Instance> instance);

  // Waits until few enough of the module are left for one more, or none where one of them or the
  // new one may not overlap with others. False: the time is over.
  bool wait_for_room(const std::string& module, bool may_overlap,
                     router::Clock::time_point deadline);

  // Has those that still drain end by then, and waits for all.
  void end(router::Clock::time_point deadline);

 private:
  struct Retired {
    std::shared_ptr<loader::Instance> instance;  // null: it has ended
    std::thread thread;
  };

  void run(Retired& retired);
  void join_ended();
  bool has_room(const std::string& module, bool may_overlap) const;  // locked

  const Stop stop_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Retired> retired_;
  router::Clock::time_point latest_ = router::Clock::time_point::max();
};

}  // namespace longshore::core
