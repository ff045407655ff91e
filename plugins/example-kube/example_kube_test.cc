// Runs the built controller in the SDK's fake host, which plays the agent and its API server.
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "longshore/host/kube.pb.h"
#include "longshore/testing/fake_host.hpp"
#include "longshore/testing/module_file.hpp"
#include "longshore/work_queue_figures.hpp"
#include "longshore/work_queue_objects.hpp"

namespace {

using namespace longshore::host;
using namespace std::chrono_literals;
using longshore::testing::FakeHost;
using Events = std::vector<v1::KubeEvent>;
using Requests = std::vector<std::string>;

constexpr const char* kWatch = "longshore.host.v1.Kube/Watch";
constexpr const char* kPatch = "longshore.host.v1.Kube/Patch";

int faults = 0;

void check(bool is_so, const char* what) {
  std::printf("%s: %s\n", is_so ? "ok" : "FAULT", what);
  if (!is_so) ++faults;
}

// A volume that was there. `labels` and `spec` are JSON.
v1::KubeEvent initial(const std::string& name, const std::string& labels, const std::string& spec) {
  v1::KubeEvent event;
  event.set_type(v1::KubeEvent::TYPE_INITIAL);
  event.set_key(name);
  event.set_object(R"({"metadata": {"name": ")" + name +
                   R"(", "resourceVersion": "7", "labels": )" + labels + R"(}, "spec": )" + spec +
                   '}');
  return event;
}

// The watch tells these, and ends; a patch is answered with `patched`.
void answer(FakeHost& host, const Events& events, longshore::Result<v1::KubeObject> patched,
            Requests& patches) {
  host.answer_stream<v1::KubeWatchRequest>(
      kWatch,
      [events](const v1::KubeWatchRequest&) -> longshore::Result<Events> { return events; });
  host.answer<v1::KubePatchRequest>(
      kPatch, [patched = std::move(patched), &patches](const v1::KubePatchRequest& request) {
        patches.push_back(request.path() + ' ' + request.patch());
        return patched;
      });
}

v1::KubeObject labelled() {
  v1::KubeObject object;
  object.set_object(R"({"metadata": {"name": "of-shop", "resourceVersion": "8",
      "labels": {"acme.example/claim-namespace": "shop"}}, "spec": {"claimRef": {"namespace": "shop"}}})");
  return object;
}

const char* const kClaimed = R"({"claimRef": {"namespace": "shop", "name": "data"}})";

void it_labels_what_has_a_claim(const longshore_module_entry& entry) {
  Requests patches;
  FakeHost host(entry);
  answer(host,
         {initial("of-shop", "{}", kClaimed),
          initial("right", R"({"acme.example/claim-namespace": "shop"})", kClaimed),
          initial("free", "null", "{}")},
         labelled(), patches);
  check(host.start().ok(), "it starts with the defaults of its settings");
  host.advance(0ns);
  check(patches == Requests{R"(/api/v1/persistentvolumes/of-shop {"metadata":{"labels":)"
                            R"({"acme.example/claim-namespace":"shop"}}})"},
        "the volume of a claim is labelled, once, and no other is touched");
  const auto counted = host.call<longshore::module::v1::CollectMetricsResponse>(
      longshore::kMetricsService + std::string("/Collect"),
      longshore::module::v1::CollectMetricsRequest());
  check(counted && counted->work_queues_size() == 1 && counted->work_queues(0).adds() >= 3,
        "its queue is counted for the agent's metrics");
  longshore::module::v1::DescribeObjectRequest asked;
  asked.set_kind("persistentvolume");  // as kubectl prints it
  asked.set_key("of-shop");
  const auto known = host.call<longshore::module::v1::DescribeObjectResponse>(
      longshore::kObjectsService + std::string("/Describe"), asked);
  check(known && known->objects_size() == 1 && known->objects(0).last_tries(0).is_done(),
        "what happened to a volume can be asked for");
  check(host.stop().ok(), "it stops");
}

void it_takes_the_label_of_a_claim_that_is_gone(const longshore_module_entry& entry) {
  Requests patches;
  FakeHost host(entry);
  answer(host, {initial("free", R"({"of": "shop"})", "{}")}, labelled(), patches);
  check(host.start({.settings = {{"label", "of"}}}).ok(), "it starts with a label of one's own");
  host.advance(0ns);
  check(!patches.empty() && patches[0] == R"(/api/v1/persistentvolumes/free {"metadata":)"
                                          R"({"labels":{"of":null}}})",
        "the label of a volume without a claim is taken away");
  check(host.stop().ok(), "it stops");
}

void it_tries_again_what_is_refused(const longshore_module_entry& entry) {
  Requests patches;
  FakeHost host(entry);
  answer(host, {initial("of-shop", "{}", kClaimed)},
         longshore::Error(longshore::StatusCode::kPermissionDenied, "patch").because("no grant"),
         patches);
  check(host.start().ok(), "it starts");
  host.advance(1min);
  check(host.logged("no grant"), "a refused patch is logged");
  check(patches.size() > 1 && patches.size() < 30, "and tried again, later each time");
  check(host.stop().ok(), "it stops");
}

void it_refuses_what_is_no_volume(const longshore_module_entry& entry) {
  Requests patches;
  FakeHost host(entry);
  answer(host,
         {initial("odd", "{}", R"({"claimRef": {"name": "data"}})"),
          initial("of-shop", "{}", kClaimed)},
         labelled(), patches);
  check(host.start().ok(), "it starts");
  host.advance(0ns);
  check(host.logged("cannot read the PersistentVolume \"odd\": spec.claimRef.namespace is missing"),
        "an odd object is logged");
  check(patches.size() == 1, "and the next one is labelled");
  check(host.stop().ok(), "it stops");
}

}  // namespace

int main() {
  const longshore::testing::ModuleFile file(EXAMPLE_MODULE);
  it_labels_what_has_a_claim(file.entry());
  it_takes_the_label_of_a_claim_that_is_gone(file.entry());
  it_tries_again_what_is_refused(file.entry());
  it_refuses_what_is_no_volume(file.entry());
  return faults == 0 ? 0 : 1;
}
