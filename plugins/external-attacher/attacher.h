// Attaches and detaches volumes of one CSI driver, as VolumeAttachments ask for it: watches them,
// their PersistentVolumes and CSINodes, and makes the steps that CsiHandler says.
//
//   waits for the driver ──its name and capabilities──► waits for the objects ──all told──► works
//
// What the driver is it asks once: where it is lost, the agent starts the controller anew.
// Two queues, csi-attacher-va and csi-attacher-pv, try what failed again, later each time.
//
// Threads: `start` and `stop` the module's control; the rest on the instance's. A step's calls are
// waited for on a thread of the pool, so there are never more of them than `worker_threads` of each
// queue. Owner: the module.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api_server.h"
#include "attachment_index.h"
#include "csi_handler.h"
#include "driver.h"
#include "longshore/awaited_calls.hpp"
#include "longshore/kube/informer.hpp"
#include "longshore/work_queue.hpp"

namespace longshore::external_attacher {

class Attacher {
 public:
  struct Options {
    std::string csi_address;
    std::chrono::nanoseconds timeout{};  // of calls of the driver
    std::chrono::nanoseconds retry_interval_start{};
    std::chrono::nanoseconds retry_interval_max{};
    size_t worker_threads = 0;
    int max_entries = 0;
    std::string default_fs_type;
    std::chrono::nanoseconds reconcile_sync{};
    std::function<void(longshore_log_level level, std::string_view text)> log;
    std::function<void(std::string_view reason)> set_degraded;
  };

  // `host` is Module::host().
  Attacher(const longshore_host* host, Options options);

  void start();
  void stop();

  // Those that the sidecar has too. [any]
  std::vector<const WorkQueue*> queues() const { return {&attachment_queue_, &volume_queue_}; }
  // Of a VolumeAttachment that is another driver's: that it is; see WorkQueueModule::why_nothing.
  std::string why_nothing(const std::string& kind, const std::string& name);

 private:
  // The PersistentVolume is written by one at a time: several of its attachments may be made at
  // once.
  class VolumeTurn {
   public:
    VolumeTurn(Attacher& attacher, std::string name);
    ~VolumeTurn();
    VolumeTurn(const VolumeTurn&) = delete;
    VolumeTurn& operator=(const VolumeTurn&) = delete;

   private:
    Attacher& attacher_;
    const std::string name_;
  };

  // What is wrong with one part; empty: nothing. What several parts say in the same words is told
  // once.
  void tell(const std::string& part, std::string_view trouble);
  // How a request went that the API server may forbid. The first that it forbids is told, until one
  // of the same part is allowed.
  void tell_permission(const std::string& part, const Result<void>& done);
  void set_trouble(const std::string& part, std::string_view trouble);  // with the mutex

  // ---- handlers of the queues
  void run_task(const std::string& task);
  Result<void> sync_attachment(const std::string& name);
  Result<void> sync_volume(const std::string& name);

  void identify();
  void watch();
  Result<void> reconcile();

  // ---- events
  void hear_attachment(const kubernetes::Informer<VolumeAttachment>::Change& change);
  void hear_volume(const kubernetes::Informer<PersistentVolume>::Change& change);
  void begin_when_synced();

  // ---- steps
  Result<void> attach(const VolumeAttachment& attachment, AttachStep step);
  Result<void> detach(const VolumeAttachment& attachment, DetachStep step);
  Result<void> protect_volume(const std::string& name);
  template <typename Request>
  Result<void> add_secret(const plugins::SecretReference& reference, Request& request);
  Result<VolumeAttachment> write(const Patch& patch);
  Result<PersistentVolume> write_volume(const Patch& patch);
  template <typename Object>
  Result<Object> write_object(kubernetes::Informer<Object>& objects, const std::string& permission,
                              const Patch& patch);
  // Answers the error.
  Error fail(const VolumeAttachment& attachment, const Error& error,
             std::optional<StatusCode> driver_code);
  Error fail_of_driver(const VolumeAttachment& attachment, const Error& error);
  // As it is known now.
  AttachmentView view_of(const VolumeAttachment& attachment) const;

  const Options options_;
  AwaitedCalls calls_;
  Driver driver_;
  ApiServer server_;

  std::mutex mutex_;
  std::optional<CsiHandler> handler_;  // from when the driver is known
  bool lists_published_nodes_ = false;
  bool is_synced_ = false;
  AttachmentIndex index_;
  std::set<std::string> forced_;  // attachments that are out of step
  std::set<std::string> volumes_in_turn_;
  std::condition_variable turn_is_over_;
  std::map<std::string, std::string> troubles_;
  std::string told_trouble_;

  // After what they use: they are ended first.
  WorkQueue attachment_queue_;
  WorkQueue volume_queue_;
  WorkQueue tasks_;
  kubernetes::Informer<VolumeAttachment> attachments_;
  kubernetes::Informer<PersistentVolume> volumes_;
  kubernetes::Informer<CsiNode> nodes_;
};

}  // namespace longshore::external_attacher
