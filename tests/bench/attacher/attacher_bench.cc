// What an external-attacher takes before a real API server and a driver that attaches at once: idle
// among objects of which nothing is to be done, and while volumes are attached and detached.
//
//   attacher_bench <volumes> <attached> <attach> <program> <flag>...
//
// There are so many PersistentVolumes, of which so many are attached when the program starts, with
// --kubeconfig and --csi-address behind its flags. Then VolumeAttachments are made for so many
// more at once, and deleted at once. Each figure is a line: "attach wall 12.3". Requests are those
// of the API server's audit log: "attach request 500 patch persistentvolumes". CPU time is counted
// until the program rests.
#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/attacher/process_peaks.h"
#include "tests/bench/attacher/sealed_files.h"
#include "tests/bench/peer/process_usage.h"
#include "tests/support/attachment_objects.h"
#include "tests/support/build_tree.h"
#include "tests/support/csi_driver_process.h"
#include "tests/support/daemon_process.h"
#include "tests/support/kube_api_server.h"
#include "tests/support/kube_objects.h"
#include "tests/support/process_figures.h"
#include "tests/support/read_file.h"
#include "tests/support/temporary_directory.h"

namespace longshore::bench {
namespace {

namespace json = boost::json;
using std::chrono::steady_clock;
using Requests = std::map<std::string, size_t>;  // "patch persistentvolumes"

constexpr const char* kFinalizer = "external-attacher/test-csi-example";
constexpr const char* kDone =
    R"({"status":{"attached":true,"attachmentMetadata":{"device":"/dev/sda"}}})";

struct Amounts {
  size_t volumes = 0;
  size_t attached = 0;
  size_t attach = 0;
};

class Bench {
 public:
  Bench(const Amounts& amounts, std::vector<std::string> command) : amounts_(amounts) {
    // It has no list of volumes, so that nothing is compared with it.
    driver_.controller = {"--volumes", directory_ / "volumes", "--capabilities", "2"};
    driver_.run();
    make_objects();
    identity_ = server_.identity(
        "csi-external-attacher",
        test::read_file(test::source_tree() + "/deploy/kubernetes/rbac/external-attacher.yaml"),
        {{"storage.k8s.io"}, {"volumeattachments"}, {"patch"}});
    command.push_back("--kubeconfig=" + identity_.kubeconfig);
    command.push_back("--csi-address=" + driver_.socket);
    program_.emplace(std::move(command), directory_ / "log");
  }

  void run() {
    await_rest(1);
    print_memory("idle");
    print_requests("idle");
    if (amounts_.attach == 0) return;
    const std::vector<std::string> names = names_from(amounts_.attached, amounts_.attach);
    std::vector<std::string> attachments;
    attachments.reserve(names.size());
    for (const std::string& name : names) {
      attachments.push_back(json::serialize(test::volume_attachment(name, name, "node")));
    }
    phase("attach", [&] {
      objects_.make(test::kAttachments, attachments);
      require(objects_.reaches(names.size() + amounts_.attached, [&] { return attached(); }));
    });
    phase("detach", [&] {
      const size_t all = followed_.size();
      objects_.remove(test::kAttachments, names);
      require(objects_.reaches(names.size(), [&] { return all - followed_.size(); }));
    });
  }

 private:
  static std::vector<std::string> names_from(size_t first, size_t count) {
    std::vector<std::string> names;
    names.reserve(count);
    for (size_t i = first; i < first + count; ++i) names.push_back("v" + std::to_string(i));
    return names;
  }

  // As the program itself would have left them.
  void make_objects() {
    objects_.make(test::kNodes, {json::serialize(test::csi_node("node", "i-1"))});
    std::vector<std::string> volumes, attachments, statuses;
    for (const std::string& name : names_from(0, amounts_.volumes)) {
      json::object volume = test::persistent_volume(name, name);
      if (volumes.size() < amounts_.attached) {
        json::object attachment = test::volume_attachment(name, name, "node");
        for (json::object* each : {&volume, &attachment}) {
          each->at("metadata").as_object()["finalizers"] = json::array{kFinalizer};
        }
        attachment.at("metadata").as_object()["annotations"] =
            json::object{{"csi.alpha.kubernetes.io/node-id", "i-1"}};
        attachments.push_back(json::serialize(attachment));
        statuses.push_back(test::kAttachments + '/' + name + "/status");
      }
      volumes.push_back(json::serialize(volume));
    }
    objects_.make(test::kVolumes, volumes);
    objects_.make(test::kAttachments, attachments);
    objects_.patch(statuses, kDone);
  }

  size_t attached() const {
    return static_cast<size_t>(std::ranges::count_if(followed_, [](const auto& each) {
      const json::value* const status = each.second.as_object().if_contains("status");
      return status && status->at("attached") == true;
    }));
  }

  void require(bool is_done) const {
    if (is_done) return;
    throw std::runtime_error("nothing happens any more; the program says: " +
                             test::read_file(directory_ / "log"));
  }

  // ---- figures
  void phase(const char* name, const std::function<void()>& act) {
    const size_t requests_before = all_requests();
    const uint64_t processor_before = processor_nanoseconds(program_->id());
    ProcessPeaks watched(program_->id());
    const auto begin = steady_clock::now();
    act();
    const std::chrono::duration<double> wall = steady_clock::now() - begin;
    await_rest(requests_before + 1);
    const Peaks peaks = watched.stop();
    const uint64_t processor = processor_nanoseconds(program_->id()) - processor_before;
    std::printf("%s wall %.2f\n%s processor %.3f\n%s pss %zu\n%s threads %zu\n", name, wall.count(),
                name, static_cast<double>(processor) / 1e9, name, peaks.pss_kib, name,
                peaks.threads);
    print_requests(name);
  }

  void print_memory(const char* name) const {
    const pid_t process = program_->id();
    const test::MemoryFigures memory = test::memory_of(process);
    std::printf("%s rss %zu\n%s pss %zu\n%s sum %zu\n%s threads %zu\n", name, memory.resident_kib,
                name, memory.proportional_kib, name,
                memory.proportional_kib + unmapped_kib(process), name, threads_of(process));
    std::fflush(stdout);
  }

  // Since the last that were printed.
  void print_requests(const char* name) {
    const Requests now = requests();
    size_t all = 0;
    for (const auto& [text, count] : now) {
      const size_t more = count - printed_[text];
      all += more;
      if (more > 0) std::printf("%s request %zu %s\n", name, more, text.c_str());
    }
    std::printf("%s requests %zu\n", name, all);
    std::fflush(stdout);
    printed_ = now;
  }

  // Those that are over: a watch that goes on is none yet.
  Requests requests() const {
    Requests made;
    for (const test::KubeRequestMade& each : server_.audited(identity_.user)) {
      const std::string status =
          each.status == 200 ? std::string() : " answered " + std::to_string(each.status);
      ++made[each.verb + ' ' + each.resource + status];
    }
    return made;
  }
  size_t all_requests() const {
    size_t all = 0;
    for (const auto& [text, count] : requests()) all += count;
    return all;
  }

  // Until there were so many requests at least, and no more for a while.
  void await_rest(size_t least) const {
    const auto end = steady_clock::now() + std::chrono::minutes(2);
    for (size_t last = 0;;) {
      require(!program_->ends_within(std::chrono::seconds(2)));
      const size_t now = all_requests();
      if (now == last && now >= least) return;
      require(steady_clock::now() < end);
      last = now;
    }
  }

  const Amounts amounts_;
  test::TemporaryDirectory directory_;
  test::KubeApiServer server_{{.audit_log = true}};
  test::KubeObjects objects_{server_.admin()};
  const test::KubeObjects::ByName& followed_ = objects_.follow(test::kAttachments);
  test::Driver driver_{directory_};
  test::KubeIdentity identity_;
  std::optional<test::DaemonProcess> program_;
  Requests printed_;
};

}  // namespace
}  // namespace longshore::bench

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fputs("usage: attacher_bench <volumes> <attached> <attach> <program> <flag>...\n", stderr);
    return 2;
  }
  try {
    const auto amount = [&](int which) { return std::stoul(argv[which]); };
    longshore::bench::Bench({.volumes = amount(1), .attached = amount(2), .attach = amount(3)},
                            {argv + 4, argv + argc})
        .run();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "attacher_bench: %s\n", error.what());
    return 1;
  }
}
