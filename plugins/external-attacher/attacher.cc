#include "attacher.h"

#include <utility>
#include <variant>
#include <vector>

#include "support/driver_error.h"

namespace longshore::external_attacher {
namespace {

constexpr const char* kIdentify = "identify the driver";
constexpr const char* kReconcile = "reconcile";
constexpr std::chrono::seconds kAskAgain{1};
constexpr const char* kAttachments = "/apis/storage.k8s.io/v1/volumeattachments";
constexpr const char* kVolumes = "/api/v1/persistentvolumes";
constexpr const char* kNodes = "/apis/storage.k8s.io/v1/csinodes";

}  // namespace

Attacher::Attacher(const longshore_host* host, Options options)
    : options_(std::move(options)),
      calls_(host),
      driver_(calls_, options_.csi_address, options_.timeout),
      server_(calls_),
      attachment_queue_(host, "csi-attacher-va",
                        [this](const std::string& name) { return sync_attachment(name); },
                        {.workers = options_.worker_threads,
                         .first_delay = options_.retry_interval_start,
                         .most_delay = options_.retry_interval_max,
                         .kind = "va",
                         .resource = "volumeattachments.storage.k8s.io"}),
      volume_queue_(host, "csi-attacher-pv",
                    [this](const std::string& name) { return sync_volume(name); },
                    {.workers = options_.worker_threads,
                     .first_delay = options_.retry_interval_start,
                     .most_delay = options_.retry_interval_max,
                     .kind = "pv",
                     .resource = "persistentvolumes"}),
      tasks_(host, "tasks",
             [this](const std::string& task) {
               run_task(task);
               return Result<void>();
             },
             {.history_bytes = 0}),
      attachments_(host, "VolumeAttachments", &parse_volume_attachment,
                   [this](std::string_view reason) { tell("attachments", reason); }),
      volumes_(host, "PersistentVolumes", &parse_persistent_volume,
               [this](std::string_view reason) { tell("volumes", reason); }),
      nodes_(host, "CSINodes", &parse_csi_node,
             [this](std::string_view reason) { tell("nodes", reason); }) {}

void Attacher::start() { tasks_.add(kIdentify); }

void Attacher::stop() {
  // Calls first: the queues wait for handlers that wait for them.
  calls_.stop();
  tasks_.stop();  // no watch begins from then on
  attachments_.stop();
  volumes_.stop();
  nodes_.stop();
  attachment_queue_.stop();
  volume_queue_.stop();
}

std::string Attacher::why_nothing(const std::string& kind, const std::string& name) {
  if (!attachment_queue_.takes_kind(kind)) return {};
  const auto attachment = attachments_.find(name);
  const std::lock_guard lock(mutex_);
  if (!attachment || !handler_ || attachment->attacher == handler_->driver()) return {};
  return "is of the driver \"" + attachment->attacher + "\", and this one attaches for \"" +
         handler_->driver() + '"';
}

void Attacher::tell(const std::string& part, std::string_view trouble) {
  const std::lock_guard lock(mutex_);
  set_trouble(part, trouble);
}

void Attacher::tell_permission(const std::string& part, const Result<void>& done) {
  const std::lock_guard lock(mutex_);
  if (done) {
    set_trouble(part, {});
  } else if (done.error().code() == StatusCode::kPermissionDenied && !troubles_.contains(part)) {
    set_trouble(part, done.error().message());
  }
}

void Attacher::set_trouble(const std::string& part, std::string_view trouble) {
  if (trouble.empty()) {
    troubles_.erase(part);
  } else {
    troubles_[part] = trouble;
  }
  std::string all;
  std::set<std::string_view> told;
  for (const auto& [of, text] : troubles_) {
    if (told.insert(text).second) all += (all.empty() ? "" : "; ") + text;
  }
  if (all == told_trouble_) return;
  told_trouble_ = all;
  options_.set_degraded(all);
}

void Attacher::run_task(const std::string& task) {
  if (task == kIdentify) return identify();
  // What is wrong with it is tried again at its time, as all goes on without it.
  tasks_.add_after(kReconcile, options_.reconcile_sync);
  if (auto done = reconcile(); !done) options_.log(LONGSHORE_LOG_WARNING, done.error().message());
}

void Attacher::identify() {
  auto identity = driver_.identify();
  if (!identity) {
    tell("driver", "waits for the CSI driver at \"" + options_.csi_address +
                       "\": " + identity.error().message());
    tasks_.add_after(kIdentify, kAskAgain);
    return;
  }
  tell("driver", {});
  options_.log(LONGSHORE_LOG_INFO,
               "the CSI driver is " + identity->name +
                   (identity->capabilities.publishes_volumes ? "" : ", which attaches nothing"));
  {
    const std::lock_guard lock(mutex_);
    lists_published_nodes_ = identity->capabilities.lists_published_nodes;
    handler_.emplace(CsiHandler::Options{.driver = identity->name,
                                         .capabilities = identity->capabilities,
                                         .default_fs_type = options_.default_fs_type});
  }
  watch();
}

void Attacher::watch() {
  attachments_.start(
      kubernetes::watch_request(kAttachments),
      [this](const auto& change) { hear_attachment(change); }, [this] { begin_when_synced(); });
  volumes_.start(
      kubernetes::watch_request(
          kVolumes, {"spec.csi", "spec.volumeMode", "spec.mountOptions", "spec.accessModes"}),
      [this](const auto& change) { hear_volume(change); }, [this] { begin_when_synced(); });
  nodes_.start(kubernetes::watch_request(kNodes, {"spec.drivers"}), nullptr,
               [this] { begin_when_synced(); });
}

void Attacher::hear_attachment(const kubernetes::Informer<VolumeAttachment>::Change& change) {
  const std::lock_guard lock(mutex_);
  if (!change.now) {
    const std::string volume = index_.remove(change.key);
    forced_.erase(change.key);
    if (is_synced_ && !volume.empty()) volume_queue_.add(volume);
    return;
  }
  index_.put(change.key, change.now->persistent_volume_name);
  if (is_synced_ &&
      (!change.before || is_changed(*change.before, *change.now, handler_->finalizer()))) {
    attachment_queue_.add(change.key);
  }
}

void Attacher::hear_volume(const kubernetes::Informer<PersistentVolume>::Change& change) {
  const std::lock_guard lock(mutex_);
  if (is_synced_ && change.now && handler_->released_volume(*change.now, index_)) {
    volume_queue_.add(change.key);
  }
}

void Attacher::begin_when_synced() {
  if (!attachments_.has_synced() || !volumes_.has_synced() || !nodes_.has_synced()) return;
  const std::lock_guard lock(mutex_);
  is_synced_ = true;
  for (const auto& each : attachments_.all()) attachment_queue_.add(each->metadata.name);
  for (const auto& each : volumes_.all()) {
    if (handler_->released_volume(*each, index_)) volume_queue_.add(each->metadata.name);
  }
  if (lists_published_nodes_) tasks_.add(kReconcile);
}

AttachmentView Attacher::view_of(const VolumeAttachment& attachment) const {
  return {.attachment = attachment,
          .volume = volumes_.find(attachment.persistent_volume_name),
          .node = nodes_.find(attachment.node_name)};
}

Result<void> Attacher::reconcile() {
  const auto published = driver_.list_volumes(options_.max_entries);
  if (!published) return published.error();
  const std::lock_guard lock(mutex_);
  for (const auto& each : attachments_.all()) {
    if (!handler_->is_out_of_step(view_of(*each), *published)) continue;
    forced_.insert(each->metadata.name);
    attachment_queue_.add(each->metadata.name);
  }
  return {};
}

Result<void> Attacher::sync_attachment(const std::string& name) {
  const auto attachment = attachments_.find(name);
  if (!attachment) return {};
  std::optional<Result<Step>> step;
  {
    const std::lock_guard lock(mutex_);
    AttachmentView view = view_of(*attachment);
    view.is_forced = forced_.erase(name) > 0;
    step = handler_->next_step(view);
  }
  if (!*step) return fail(*attachment, step->error(), std::nullopt);
  if (auto* const attaching = std::get_if<AttachStep>(&step->value())) {
    return attach(*attachment, std::move(*attaching));
  }
  if (auto* const detaching = std::get_if<DetachStep>(&step->value())) {
    return detach(*attachment, std::move(*detaching));
  }
  if (const auto* const patch = std::get_if<Patch>(&step->value())) {
    if (auto written = write(*patch); !written) return std::move(written).error();
  }
  return {};
}

Result<void> Attacher::attach(const VolumeAttachment& attachment, AttachStep step) {
  if (step.secret) {
    const auto added = add_secret(*step.secret, step.request);
    if (!added) return fail(attachment, added.error(), std::nullopt);
  }
  if (step.volume_patch) {
    if (auto done = protect_volume(attachment.persistent_volume_name); !done) return done;
  }
  VolumeAttachment prepared = attachment;
  if (step.attachment_patch) {
    auto written = write(*step.attachment_patch);
    if (!written) return std::move(written).error();
    prepared = *std::move(written);
  }
  const auto answer = driver_.publish(std::move(step.request));
  if (!answer) return fail_of_driver(prepared, answer.error());
  if (const auto patch = CsiHandler::after_publish(prepared, *answer)) {
    if (auto written = write(*patch); !written) return std::move(written).error();
  }
  return {};
}

template <typename Request>
Result<void> Attacher::add_secret(const plugins::SecretReference& reference, Request& request) {
  auto data = server_.secret_data(reference);
  tell_permission("reading secrets", data ? Result<void>() : Result<void>(data.error()));
  if (!data) return std::move(data).error();
  for (const auto& [key, value] : *data) (*request.mutable_secrets())[key] = value.text();
  return {};
}

// After a look of its own: another attachment of the volume may have been quicker.
Result<void> Attacher::protect_volume(const std::string& name) {
  const VolumeTurn turn(*this, name);
  std::optional<Patch> patch;
  {
    const std::lock_guard lock(mutex_);
    const auto volume = volumes_.find(name);
    if (volume && !volume->metadata.has_finalizer(handler_->finalizer())) {
      patch = added_finalizer(*volume, handler_->finalizer());
    }
  }
  if (!patch) return {};
  const auto written = write_volume(*patch);
  return written ? Result<void>() : written.error();
}

Result<void> Attacher::detach(const VolumeAttachment& attachment, DetachStep step) {
  if (step.secret) {
    const auto added = add_secret(*step.secret, step.request);
    if (!added) return fail(attachment, added.error(), std::nullopt);
  }
  const auto answer = driver_.unpublish(std::move(step.request));
  if (!answer) return fail_of_driver(attachment, answer.error());
  VolumeAttachment now = attachment;
  while (const auto patch = handler_->after_unpublish(now)) {
    auto written = write(*patch);
    // Somebody else has let it go meanwhile.
    if (!written && written.error().code() == StatusCode::kNotFound) return {};
    if (!written) return std::move(written).error();
    now = *std::move(written);
  }
  return {};
}

// Until the finalizer is gone: the sidecar may have added it twice.
Result<void> Attacher::sync_volume(const std::string& name) {
  const VolumeTurn turn(*this, name);
  while (true) {
    std::optional<Patch> patch;
    {
      const std::lock_guard lock(mutex_);
      const auto volume = volumes_.find(name);
      if (volume) patch = handler_->released_volume(*volume, index_);
    }
    if (!patch) return {};
    if (auto done = write_volume(*patch); !done) return std::move(done).error();
  }
}

Result<VolumeAttachment> Attacher::write(const Patch& patch) {
  const bool is_status = patch.path.ends_with("/status");
  return write_object(attachments_, is_status ? "writing status" : "writing attachments", patch);
}

Result<PersistentVolume> Attacher::write_volume(const Patch& patch) {
  return write_object(volumes_, "writing volumes", patch);
}

template <typename Object>
Result<Object> Attacher::write_object(kubernetes::Informer<Object>& objects,
                                      const std::string& permission, const Patch& patch) {
  auto json = server_.write(patch);
  tell_permission(permission, json ? Result<void>() : Result<void>(json.error()));
  if (!json) return std::move(json).error();
  auto object = objects.wrote(*json);
  // The last finalizer has gone, and the object with it.
  if (object && object->metadata.is_being_deleted && object->metadata.finalizers.empty()) {
    objects.removed(object->metadata.key());
  }
  return object;
}

Error Attacher::fail(const VolumeAttachment& attachment, const Error& error,
                     std::optional<StatusCode> driver_code) {
  if (calls_.is_stopped()) return error;  // nothing is to blame, and nothing can be written
  const auto written = write(
      failed_status(attachment, {error.message(), std::chrono::system_clock::now(), driver_code}));
  if (!written && written.error().code() != StatusCode::kNotFound) {
    options_.log(LONGSHORE_LOG_WARNING, "cannot say in the VolumeAttachment \"" +
                                            attachment.metadata.name +
                                            "\" why it failed: " + written.error().message());
  }
  return error;
}

Error Attacher::fail_of_driver(const VolumeAttachment& attachment, const Error& error) {
  return fail(attachment, plugins::with_code_name(error), error.code());
}

Attacher::VolumeTurn::VolumeTurn(Attacher& attacher, std::string name)
    : attacher_(attacher), name_(std::move(name)) {
  std::unique_lock lock(attacher_.mutex_);
  attacher_.turn_is_over_.wait(lock,
                               [this] { return attacher_.volumes_in_turn_.insert(name_).second; });
}

Attacher::VolumeTurn::~VolumeTurn() {
  const std::lock_guard lock(attacher_.mutex_);
  attacher_.volumes_in_turn_.erase(name_);
  attacher_.turn_is_over_.notify_all();
}

}  // namespace longshore::external_attacher
