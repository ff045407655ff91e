#include "tests/drivers/volume_life.h"

#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/drivers/node_files.h"
#include "tests/drivers/node_methods.h"
#include "tests/drivers/sequence.h"
#include "tests/support/node_path.h"
#include "tests/support/require.h"

namespace longshore::test {
namespace {

using Clock = std::chrono::steady_clock;

// For what an agent that was killed has left running: a mkfs keeps its disk until it ends.
constexpr std::chrono::seconds kPatience{60};
// What would grow by less than 100 MiB is left as it is, as csi-proxy does.
constexpr int64_t kGrowth = int64_t{256} << 20;
constexpr const char* kContent = "what the first pod has written";

class Life {
 public:
  Life(const Driver& driver, DriverNode& node, const Interruption& interruption, CallTimes times)
      : driver_(driver),
        node_(node),
        files_(node.files()),
        volume_(volume_of(node)),
        caller_(driver, node, interruption) {
    caller_.expect_times(std::move(times));
  }

  LifeReport live() {
    repeat("the start", driver_.start);
    const std::string first = pod("first"), second = pod("second");
    stage();
    stage();
    publish(first);
    publish(first);
    files_.write(node_path(first + "/file"), kContent);
    publish(second);
    check_content(second);
    stats(first);
    expand(first);
    stats(second);
    unpublish(first);
    unpublish(first);
    check_content(second);
    unpublish(second);
    unstage();
    unstage();
    // An unstage that was interrupted may have nothing to do when it is repeated, so that the rows
    // behind are those of the next. No other is needed where all have been interrupted.
    size_t rows = 0;
    do {
      rows = caller_.interrupted_rows();
      come_again();
    } while (caller_.interrupted_rows() > rows &&
             caller_.interrupted_rows() < rows_of_calls(driver_));
    return {.times = caller_.times(),
            .first_of_expansion = first_of_expansion_,
            .end_of_expansion = end_of_expansion_,
            .was_interrupted = caller_.was_interrupted(),
            .kills = caller_.kills(),
            .cut_calls = caller_.cut_calls(),
            .restarts = restarts_,
            .dead_ends = dead_ends_,
            .interrupted_rows = caller_.interrupted_rows(),
            .reached = reached_};
  }

 private:
  std::string pod(const std::string& name) const { return target_of_pod(node_, name); }

  // On a disk that a driver may have taken offline, and with what the kubelet has made the other
  // way round: no folder to stage at, and one where the pod's link is to be.
  void come_again() {
    const std::string third = pod("third");
    if (driver_.makes_staging) files_.remove(parent_of(volume_.staging));
    stage(!driver_.makes_staging);
    files_.make_directories(third);
    publish(third);
    check_content(third);
    unpublish(third);
    unstage();
  }

  void stage(bool with_folder = true) {
    if (with_folder) files_.make_directories(volume_.staging);  // by the kubelet
    if (driver_.connects_anew) caller_.leave_silent_connection("disk");
    repeat("NodeStageVolume", driver_.stage);
    if (driver_.uses_disk) {
      require(files_.is_mount_point(volume_.staging), "staged, but not mounted");
    } else {
      require(leads_to_directory(volume_.staging), "staged, but not linked");
    }
  }

  void publish(const std::string& target) {
    volume_.target = target;
    files_.make_directories(parent_of(target));  // by the kubelet
    repeat("NodePublishVolume", driver_.publish);
    require(leads_to_directory(target), "published, but not linked");
  }

  void stats(const std::string& target) {
    volume_.target = target;
    repeat("NodeGetVolumeStats", driver_.stats);
  }

  // Twice, as every method.
  void expand(const std::string& target) {
    volume_.target = target;
    const int64_t before = filesystem_bytes();
    if (node_.can_grow()) node_.grow(node_.bytes() + kGrowth);
    first_of_expansion_ = caller_.calls();
    for (const int64_t more : driver_.expansions) {
      volume_.wanted_bytes = node_.bytes() + more;
      repeat("NodeExpandVolume", driver_.expand);
      repeat("NodeExpandVolume", driver_.expand);
    }
    end_of_expansion_ = caller_.calls();
    volume_.wanted_bytes = node_.bytes();
    if (node_.can_grow()) {
      require(filesystem_bytes() > before + before / 2,
              "expanded, but the filesystem has not grown");
    }
  }

  void unpublish(const std::string& target) {
    volume_.target = target;
    repeat("NodeUnpublishVolume", driver_.unpublish);
    require(!files_.exists(target), "unpublished, but " + target + " is still there");
  }

  void unstage() {
    repeat("NodeUnstageVolume", driver_.unstage);
    require(!files_.is_mount_point(volume_.staging), "unstaged, but still mounted");
    require(!files_.link_text(volume_.staging), "unstaged, but still linked");
    // An agent that is killed between the end of the link and that of the mapping leaves the latter
    // to the next that is called for the share.
    require(caller_.was_interrupted() || node_.is_mapped() == driver_.keeps_mapping,
            driver_.keeps_mapping ? "unstaged, and the mapping is gone"
                                  : "unstaged, but the share is still mapped");
    // By the kubelet; it must not delete what is on the volume.
    files_.remove(volume_.staging);
  }

  void check_content(const std::string& target) const {
    require(files_.read(node_path(target + "/file")) == kContent,
            "the pod's file is not what was written");
  }

  bool leads_to_directory(const std::string& link) const {
    return files_.link_text(link) && files_.is_directory(link);
  }

  int64_t filesystem_bytes() const { return files_.filesystem_bytes(volume_.staging); }

  // Until it succeeds: at once, unless something has happened, or the machine is slow.
  void repeat(const std::string& method, const Rows& rows) {
    // Anew after each interruption.
    auto end = Clock::now() + kPatience;
    for (;;) {
      try {
        const MethodEnd came = run_rows(rows, volume_, caller_, reached_);
        if (came.is_success) return;
        const std::string failure = method + ": " + came.failure;
        require(caller_.was_interrupted() || (node_.may_be_slow() && came.says_unavailable()),
                failure);
        if (caller_.forget_lost_answer()) {
          end = Clock::now() + kPatience;
        } else if (!leave_dead_end(rows)) {
          require(Clock::now() < end, failure);
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      } catch (const DriverRestart&) {
        end = Clock::now() + kPatience;
        ++restarts_;
        caller_.restart();
        if (&rows != &driver_.start) repeat("the start", driver_.start);
      }
    }
  }

  bool leave_dead_end(const Rows& rows) {
    if (&rows != &driver_.unstage) return false;
    for (const DeadEnd& each : driver_.dead_ends) {
      if (!each.is_reached(volume_)) continue;
      each.administrator(volume_);
      ++dead_ends_;
      return true;
    }
    return false;
  }

  const Driver& driver_;
  DriverNode& node_;
  NodeFiles& files_;
  VolumeContext volume_;
  Caller caller_;
  size_t first_of_expansion_ = 0, end_of_expansion_ = 0;
  size_t dead_ends_ = 0, restarts_ = 0;
  std::set<const Row*> reached_;
};

}  // namespace

LifeReport live(const Driver& driver, DriverNode& node, const Interruption& interruption,
                CallTimes times) {
  node.begin();
  return Life(driver, node, interruption, std::move(times)).live();
}

}  // namespace longshore::test
