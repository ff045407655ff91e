#include "tests/demo/steps.h"

#include <google/protobuf/dynamic_message.h>

#include <chrono>
#include <iomanip>
#include <iostream>
#include <memory>

#include "main/longshorectl/agent_client.h"
#include "main/longshorectl/json_message.h"
#include "main/longshorectl/reflected_methods.h"
#include "tests/demo/demo_agent.h"
#include "tests/demo/demo_directory.h"

namespace longshore::demo {
namespace {

using std::chrono::steady_clock;

std::string socket_of(const std::string& group, const std::string& version) {
  const std::string name = group + "-" + version;
  return std::string(kDirectory) + "/run/csi-proxy/" + name + "/csi-proxy-" + name + ".sock";
}

// The first versions call links differently and tell errors in their answers.
Part tree_part(const std::string& version) {
  const bool is_early = version == "v1alpha1" || version == "v1beta1";
  const std::string base = std::string(kDirectory) + "/kubelet/" + version;
  const std::string error = is_early ? R"("error":"")" : "";
  const std::string comma = is_early ? "," : "";
  const std::string done = "{" + error + "}";
  const std::string link_field = is_early ? "is_mount_point" : "is_symlink";
  const auto path = [](const std::string& text) { return R"({"path":")" + text + R"("})"; };
  const auto exists = [&](const char* answer) {
    return "{" + error + comma + R"("exists":)" + answer + "}";
  };

  Part part{version + ".Filesystem", socket_of("filesystem", version), {}};
  auto& steps = part.steps;
  steps.push_back({"the tree is not there", "PathExists", path(base), exists("false")});
  steps.push_back({"make three levels", "Mkdir", path(base + "/volumes/one"), done});
  steps.push_back({"now it is there", "PathExists", path(base + "/volumes/one"), exists("true")});
  steps.push_back(
      {"link to a folder", is_early ? "LinkPath" : "CreateSymlink",
       R"({"source_path":")" + base + R"(/volumes/one","target_path":")" + base + R"(/link"})",
       done});
  steps.push_back({"is it a link?", is_early ? "IsMountPoint" : "IsSymlink", path(base + "/link"),
                   "{" + error + comma + "\"" + link_field + R"(":true})"});
  if (version == "v2alpha1") {
    steps.push_back({"empty a folder", "RmdirContents", path(base + "/volumes"), done});
    steps.push_back(
        {"what was in it is gone", "PathExists", path(base + "/volumes/one"), exists("false")});
  }
  steps.push_back(
      {"remove the whole tree", "Rmdir", R"({"path":")" + base + R"(","force":true})", done});
  steps.push_back({"nothing is left", "PathExists", path(base), exists("false")});
  return part;
}

// The answer, or "CODE: text"; and the time from the request to the end of the call.
struct Outcome {
  std::string text;
  std::chrono::microseconds time{};
};

Outcome outcome_of(const Error& error) {
  return {status_code_name(error.code()) + ": " + error.message(), {}};
}

Outcome perform(ctl::AgentClient& client, ctl::ReflectedMethods& methods,
                const std::string& service, const Step& step) {
  const auto method = methods.find(client, service, step.method);
  if (!method) return outcome_of(method.error());
  google::protobuf::DynamicMessageFactory factory;
  const auto make = [&](const google::protobuf::Descriptor* type) {
    return std::unique_ptr<google::protobuf::Message>(factory.GetPrototype(type)->New());
  };
  const auto request = make((*method)->input_type());
  const auto response = make((*method)->output_type());
  if (auto read = ctl::from_json(step.request, *request); !read) return outcome_of(read.error());
  std::string answer;
  const auto begin = steady_clock::now();
  const auto done = client.call(service + "/" + step.method, request->SerializeAsString(),
                                [&](std::string message) { answer = std::move(message); });
  const auto time =
      std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - begin);
  if (!done) return {outcome_of(done.error()).text, time};
  if (!response->ParseFromString(answer)) return {"the answer cannot be read", time};
  const auto json = ctl::to_json(*response, ctl::JsonForm::kOneLine);
  return {json ? *json : outcome_of(json.error()).text, time};
}

void print_row(const std::string& service, const Step& step, const Outcome& outcome,
               bool as_expected) {
  std::cout << std::left << std::setw(20) << service << std::setw(21) << step.method
            << std::setw(25) << step.what << std::right << std::setw(7) << outcome.time.count()
            << " us  " << (as_expected ? "ok    " : "WRONG ") << outcome.text << std::endl;
}

}  // namespace

std::vector<Part> tree_parts() {
  std::vector<Part> parts;
  for (const char* version : {"v1alpha1", "v1beta1", "v1beta2", "v1", "v2alpha1"}) {
    parts.push_back(tree_part(version));
  }
  return parts;
}

Part system_part(bool has_bus) {
  Part part{"v1alpha1.System", socket_of("system", "v1alpha1"), {}};
  const std::string name = R"({"name":"iscsid"})";
  const auto service = [](const char* status) {
    return std::string(R"({"display_name":"Open-iSCSI","start_type":"AUTOMATIC","status":")") +
           status + R"("})";
  };
  if (has_bus) {
    part.steps = {{"the service is stopped", "GetService", name, service("STOPPED")},
                  {"start it", "StartService", name, "{}"},
                  {"now it runs", "GetService", name, service("RUNNING")},
                  {"stop it", "StopService", name, "{}"},
                  {"it is stopped again", "GetService", name, service("STOPPED")}};
  }
  part.steps.push_back({"the machine's number", "GetBIOSSerialNumber", "{}", ""});
  return part;
}

Count run_part(const Part& part) {
  Count count;
  auto client = ctl::AgentClient::connect(part.socket, std::chrono::seconds(10));
  ctl::ReflectedMethods methods;
  for (const Step& step : part.steps) {
    if (is_interrupted()) break;
    const Outcome outcome =
        client ? perform(**client, methods, part.service, step) : outcome_of(client.error());
    const bool as_expected = step.expected.empty() || outcome.text == step.expected;
    print_row(part.service, step, outcome, as_expected);
    ++count.steps;
    if (as_expected) ++count.as_expected;
  }
  return count;
}

}  // namespace longshore::demo
