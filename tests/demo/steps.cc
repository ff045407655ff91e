#include "tests/demo/steps.h"

#include <google/protobuf/dynamic_message.h>

#include <chrono>
#include <iomanip>
#include <iostream>
#include <memory>

#include "tests/demo/demo_agent.h"
#include "tests/demo/demo_directory.h"
#include "tools/longshorectl/agent_client.h"
#include "tools/longshorectl/json_message.h"
#include "tools/longshorectl/reflected_methods.h"

namespace longshore::demo {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

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

microseconds since(steady_clock::time_point begin) {
  return std::chrono::duration_cast<microseconds>(steady_clock::now() - begin);
}

// The answer, and the time from the request to the end of the call.
Result<std::string> perform(ctl::AgentClient& client, ctl::ReflectedMethods& methods,
                            const std::string& service, const std::string& name,
                            const std::string& json, microseconds& time) {
  const auto method = methods.find(client, service, name);
  if (!method) return method.error();
  google::protobuf::DynamicMessageFactory factory;
  const auto make = [&](const google::protobuf::Descriptor* type) {
    return std::unique_ptr<google::protobuf::Message>(factory.GetPrototype(type)->New());
  };
  const auto request = make((*method)->input_type());
  const auto response = make((*method)->output_type());
  if (auto read = ctl::from_json(json, *request); !read) return std::move(read).error();
  std::string answer;
  const auto begin = steady_clock::now();
  const auto done = client.call(service + "/" + name, request->SerializeAsString(),
                                [&](std::string message) { answer = std::move(message); });
  time = since(begin);
  if (!done) return done.error();
  if (!response->ParseFromString(answer)) return Error(StatusCode::kInternal, "read the answer");
  return ctl::to_json(*response, ctl::JsonForm::kOneLine);
}

Result<std::string> act(const Step& step, microseconds& time) {
  const auto begin = steady_clock::now();
  Result<std::string> result = step.action();
  time = since(begin);
  return result;
}

// The answer, or "CODE: text".
std::string text_of(const Result<std::string>& result) {
  if (result) return *result;
  return status_code_name(result.error().code()) + ": " + result.error().message();
}

// The same, for people: a machine need not have what a step without an expectation asks for.
std::string shown_text_of(const Step& step, const Result<std::string>& result) {
  const bool has_none = !result && result.error().code() == StatusCode::kNotFound &&
                        step.expected.empty() && !step.action;
  return (has_none ? "it has none, as the agent says: " : "") + text_of(result);
}

bool is_expected(const Step& step, const Result<std::string>& result, Values& values) {
  if (step.action && !result) return false;
  if (!step.expected.empty() && !values.match(step.expected, text_of(result))) return false;
  return !step.holds || step.holds(values);
}

// A service, a method and what it is for, in columns.
std::ostream& begin_row(const std::string& service, const std::string& method,
                        const std::string& what) {
  return std::cout << std::left << std::setw(20) << service << std::setw(34) << method
                   << std::setw(25) << what;
}

}  // namespace

std::string socket_of(const std::string& group, const std::string& version) {
  const std::string name = group + "-" + version;
  return std::string(kDirectory) + "/run/csi-proxy/" + name + "/csi-proxy-" + name + ".sock";
}

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

void print_head() { begin_row("SERVICE", "METHOD", "WHAT") << "   TIME     RESULT\n"; }

Count run_part(const Part& part, Values& values) {
  Count count;
  Result<std::unique_ptr<ctl::AgentClient>> client(nullptr);
  if (!part.socket.empty()) {
    client = ctl::AgentClient::connect(part.socket, std::chrono::seconds(10));
  }
  ctl::ReflectedMethods methods;
  const auto run = [&](const Step& step, microseconds& time) -> Result<std::string> {
    if (step.action) return act(step, time);
    if (!client) return client.error();
    return perform(**client, methods, part.service, step.method, values.fill(step.request), time);
  };
  for (const Step& step : part.steps) {
    if (is_interrupted()) break;
    microseconds time{};
    const Result<std::string> result = run(step, time);
    const bool as_expected = is_expected(step, result, values);
    begin_row(part.service, step.method, step.what)
        << std::right << std::setw(7) << time.count() << " us  "
        << (as_expected ? "ok    " : "WRONG ") << shown_text_of(step, result) << std::endl;
    ++count.steps;
    if (as_expected) ++count.as_expected;
  }
  return count;
}

}  // namespace longshore::demo
