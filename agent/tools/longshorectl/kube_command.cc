// `longshorectl kube`: asks the API server as the agent's controllers do, to see what they see.
#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <cstdlib>
#include <optional>
#include <utility>

#include "kube/client.h"
#include "kube/resource_path.h"
#include "observe/json_text.h"
#include "tools/longshorectl/commands.h"
#include "tools/longshorectl/indented_json.h"

namespace longshore::ctl {
namespace {

// Deeper than any object, and flat enough to be taken apart again.
constexpr size_t kMostDepth = 200;

Result<kube::Configuration> configuration_of(const KubeRequest& request) {
  if (!request.kubeconfig.empty()) return kube::read_kubeconfig(request.kubeconfig);
  const char* const variable = std::getenv("KUBECONFIG");
  const std::string named = variable == nullptr ? "" : variable;
  if (named.find(':') != named.npos) {
    return Error(StatusCode::kInvalidArgument, "use KUBECONFIG", named)
        .because("it names several files")
        .advise("name one of them by --kubeconfig");
  }
  Result<kube::Configuration> found = kube::find_configuration(named);
  if (found || !named.empty()) return found;
  return std::move(found).error().advise("name a kubeconfig by --kubeconfig or KUBECONFIG");
}

// Where PATH-or-RESOURCE is.
Result<std::string> path_of(const KubeRequest& request, const std::string& name_space) {
  const auto refused = [&](std::string cause) {
    return Error(StatusCode::kInvalidArgument, "get", request.what).because(std::move(cause));
  };
  if (request.what.starts_with('/')) {
    if (request.name.empty() && request.name_space.empty()) return request.what;
    return refused("a path has neither a name nor a namespace beside it");
  }
  const kube::KnownResource* const known = kube::known_resource(request.what);
  if (known == nullptr) {
    return refused("it is none of the resources that controllers use, and no path")
        .advise(
            "write the resource in the plural, or the whole path, as /apis/apps/v1/deployments");
  }
  if (!known->is_in_namespaces && !request.name_space.empty()) {
    return refused("it is in no namespace");
  }
  for (const std::string& part : {request.name, request.name_space}) {
    if (part.find_first_of("/?#%") != part.npos || part == "." || part == "..") {
      return refused("\"" + part + "\" is no name");
    }
  }
  kube::ResourcePath path;
  path.group = known->group;
  path.version = known->version;
  path.resource = known->name;
  path.name = request.name;
  if (known->is_in_namespaces) path.name_space = name_space;
  return path.text();
}

PrintedText shown(const std::string& body, bool one_line) {
  boost::json::parse_options options;
  options.max_depth = kMostDepth;
  boost::json::error_code error;
  boost::json::parse(body, error, {}, options);
  if (!error) return PrintedText::json(one_line ? compact_json(body) : indented_json(body));
  if (!one_line) return PrintedText::lines(body);
  observe::JsonText text;  // as of /healthz
  text.object([&] { text.member("text", body); });
  return PrintedText::json(text.take());
}

}  // namespace

int get_from_kube(const Target& target, const Report& report, const KubeRequest& request) {
  Result<kube::Configuration> configuration = configuration_of(request);
  if (!configuration) return report.fail(kExitFaultyInput, configuration.error());
  std::string name_space = request.name_space;
  if (name_space.empty()) name_space = configuration->name_space;
  const Result<std::string> path = path_of(request, name_space.empty() ? "default" : name_space);
  if (!path) return report.fail(kExitUsage, path.error());
  for (const std::string& warning : configuration->warnings) {
    print_error("longshorectl: warning: " + PrintedText(warning) + "\n");
  }

  boost::asio::io_context io(1);
  kube::Client client(io, *std::move(configuration));
  kube::Request asked;
  const size_t mark = path->find('?');
  asked.path = path->substr(0, mark);
  if (mark != path->npos) asked.encoded_query = path->substr(mark + 1);
  if (target.timeout.count() > 0)
    asked.deadline = std::chrono::steady_clock::now() + target.timeout;
  std::optional<kube::Outcome> outcome;
  client.request(std::move(asked), [&](kube::Outcome done) { outcome = std::move(done); });
  io.run();
  if (*outcome) {
    report.line(shown(outcome->response().body, report.json()));
    return kExitOk;
  }
  const kube::ApiError& error = outcome->error();
  const bool is_reached = error.http_status() != 0;
  return report.fail(is_reached ? kExitCallFailed : kExitNotReachable, error);
}

}  // namespace longshore::ctl
