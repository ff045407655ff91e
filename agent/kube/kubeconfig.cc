// kubeconfig files, as client-go reads them.
#include <yaml-cpp/yaml.h>

#include <boost/asio/ip/address.hpp>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "kube/base64.h"
#include "kube/changing_file.h"
#include "kube/configuration.h"
#include "text/file_path.h"

namespace longshore::kube {
namespace {

// A finding in the file: thrown and caught in this source only, as what yaml-cpp finds is.
struct Finding {
  std::string cause;
  std::string advice;
};

[[noreturn]] void refuse(std::string cause, std::string advice = {}) {
  throw Finding{std::move(cause), std::move(advice)};
}

// A name that only begins like an address is none.
bool is_loopback(const std::string& host) {
  boost::system::error_code error;
  const boost::asio::ip::address address = boost::asio::ip::make_address(host, error);
  return host == "localhost" || (!error && address.is_loopback());
}

// A mapping of the file. `name` is where it stands, as in `cluster "production"`.
class Section {
 public:
  Section(const YAML::Node& node, std::string name) : node_(node), name_(std::move(name)) {
    if (!node.IsDefined() || node.IsNull()) return;
    if (!node.IsMap()) refuse(name_ + " is not a mapping");
    std::set<std::string> keys;
    for (const auto& entry : node) {
      if (!entry.first.IsScalar()) refuse("a key of " + name_ + " is not a text");
      // yaml-cpp would keep both.
      if (!keys.insert(entry.first.Scalar()).second) {
        refuse(name_ + " has the key " + entry.first.Scalar() + " twice");
      }
    }
  }

  bool has(const char* key) const { return is_there(key); }

  // Empty where there is none. What the text is may be a secret, and is not told.
  std::string text(const char* key) const {
    if (!is_there(key)) return {};
    if (!node_[key].IsScalar()) refuse(std::string(key) + " of " + name_ + " is not a text");
    return node_[key].Scalar();
  }

  Secret secret(const char* key) const {
    std::string text = this->text(key);
    return Secret(text);
  }

  bool flag(const char* key) const {
    if (!is_there(key)) return false;
    bool value = false;
    if (!node_[key].IsScalar() || !YAML::convert<bool>::decode(node_[key], value)) {
      refuse(std::string(key) + " of " + name_ + " is neither true nor false");
    }
    return value;
  }

  Section section(const char* key, std::string name) const {
    return Section(is_there(key) ? node_[key] : YAML::Node(), std::move(name));
  }

  // The one of this name in the list `list`, whose entries are {name: ..., kind: {...}}.
  Section named(const char* list, const char* kind, const std::string& name) const {
    const std::string quoted = std::string(kind) + " \"" + name + '"';
    std::optional<Section> found;
    std::string others;
    std::set<std::string> names;
    const YAML::Node entries = is_there(list) ? node_[list] : YAML::Node();
    if (is_there(list) && !entries.IsSequence()) refuse(std::string(list) + " is not a list");
    for (const YAML::Node& each : entries) {
      const Section entry(each, std::string("an entry of ") + list);
      const std::string own = entry.text("name");
      if (!names.insert(own).second) {
        refuse(std::string(list) + " has two entries of the name \"" + own + '"');
      }
      if (own == name) found.emplace(entry.section(kind, quoted));
      others += (others.empty() ? "" : ", ") + own;
    }
    if (!found)
      refuse("there is no " + quoted + " in it", "it has " + (others.empty() ? "none" : others));
    return *std::move(found);
  }

  const std::string& name() const { return name_; }

 private:
  bool is_there(const char* key) const {
    return node_.IsDefined() && node_.IsMap() && node_[key].IsDefined() && !node_[key].IsNull();
  }

  const YAML::Node node_;
  std::string name_;
};

class KubeconfigReader {
 public:
  explicit KubeconfigReader(const std::string& path)
      : folder_(std::filesystem::absolute(text::file_path(path)).parent_path()) {}

  Configuration read(const std::string& text) {
    const Section file(YAML::Load(text), "the file");
    if (const std::string kind = file.text("kind"); !kind.empty() && kind != "Config") {
      refuse("its kind is \"" + kind + "\" and not Config");
    }
    const std::string current = file.text("current-context");
    if (current.empty()) {
      refuse("it has no current-context", "kubectl config use-context NAME writes one");
    }
    const Section context = file.named("contexts", "context", current);
    configuration_.name_space = context.text("namespace");
    const std::string cluster = context.text("cluster");
    if (cluster.empty()) refuse(context.name() + " names no cluster");
    read_cluster(file.named("clusters", "cluster", cluster));
    // Without one it is anybody whom the server lets in.
    const std::string user = context.text("user");
    if (!user.empty()) read_user(file.named("users", "user", user));
    check_together();
    return std::move(configuration_);
  }

 private:
  void read_cluster(const Section& cluster) {
    if (cluster.has("proxy-url")) {
      refuse("proxy-url of " + cluster.name() + " is not supported",
             "name a server that is reached without a proxy");
    }
    Result<ServerAddress> server = parse_server_address(cluster.text("server"));
    if (!server) refuse("server of " + cluster.name() + ": " + server.error().message());
    configuration_.server = *std::move(server);
    configuration_.tls_server_name = cluster.text("tls-server-name");
    configuration_.certificate_authority = pem(cluster, "certificate-authority");
    configuration_.skips_verification = cluster.flag("insecure-skip-tls-verify");
    if (!configuration_.skips_verification) return;
    if (!configuration_.certificate_authority.empty()) {
      refuse(cluster.name() +
                 " has both a certificate-authority and insecure-skip-tls-verify, which would not "
                 "look at it",
             "leave one of them out");
    }
    configuration_.warnings.push_back("insecure-skip-tls-verify: whoever answers at " +
                                      configuration_.server.host_and_port() +
                                      " is taken for the API server and gets the credentials");
  }

  void read_user(const Section& user) {
    for (const char* program : {"exec", "auth-provider"}) {
      if (!user.has(program)) continue;
      refuse(user.name() + " gets its credentials from a program (" + program +
                 "), which the agent does not start",
             "give it a tokenFile, a token or a client-certificate, as of a service account "
             "(kubectl create token)");
    }
    for (const char* other : {"as", "as-uid", "as-groups", "as-user-extra"}) {
      if (!user.has(other)) continue;
      refuse(user.name() + " acts as another user (" + other + "), which is not supported",
             "use the credentials of that user");
    }
    configuration_.client_certificate = pem(user, "client-certificate");
    configuration_.client_key = pem(user, "client-key");
    if (configuration_.client_certificate.empty() != configuration_.client_key.empty()) {
      refuse(user.name() + " has one of client-certificate and client-key without the other");
    }
    configuration_.token_file = file(user, "tokenFile");
    if (configuration_.token_file.empty()) configuration_.token = user.secret("token");
    configuration_.user_name = user.text("username");
    configuration_.password = user.secret("password");
    const bool has_password = !configuration_.user_name.empty() || !configuration_.password.empty();
    if (has_password && (user.has("token") || user.has("tokenFile"))) {
      refuse(user.name() + " has both a token and a username with password",
             "leave one of them out");
    }
  }

  void check_together() {
    const bool has_secret = !configuration_.token.empty() || !configuration_.token_file.empty() ||
                            !configuration_.password.empty();
    if (!configuration_.server.has_tls && has_secret && !is_loopback(configuration_.server.host)) {
      configuration_.warnings.push_back("credentials go to " + configuration_.server.text() +
                                        " without TLS, where they can be read on the way");
    }
  }

  std::string file(const Section& section, const char* key) const {
    const std::string name = section.text(key);
    return name.empty() ? name : (folder_ / text::file_path(name)).string();
  }

  // The text of "<key>-data", or the file of "<key>".
  PemSource pem(const Section& section, const std::string& key) const {
    PemSource source;
    const std::string data_key = key + "-data";
    std::string data = section.text(data_key.c_str());
    if (data.empty()) {
      source.file = file(section, key.c_str());
      return source;
    }
    std::optional<Secret> decoded = base64_decoded(data);
    wipe(data);
    if (!decoded) refuse(data_key + " of " + section.name() + " is not base64");
    source.text = *std::move(decoded);
    return source;
  }

  const std::filesystem::path folder_;
  Configuration configuration_;
};

}  // namespace

Result<Configuration> read_kubeconfig(const std::string& path) {
  const auto failed = [&] {
    return Error(StatusCode::kInvalidArgument, "use the kubeconfig", path);
  };
  ChangingFile file(path);
  if (const auto read = file.read(); !read) {
    return Error(read.error()).advise("name another kubeconfig");
  }
  try {
    KubeconfigReader reader(path);
    Configuration configuration = reader.read(file.text());
    configuration.source = "the kubeconfig \"" + path + '"';
    return configuration;
  } catch (const Finding& finding) {
    return failed().because(finding.cause).advise(finding.advice);
  } catch (const YAML::Exception& exception) {
    // Its own sentence may repeat what stands there, which may be a secret.
    return failed().because("it is not YAML at line " + std::to_string(exception.mark.line + 1) +
                            ", column " + std::to_string(exception.mark.column + 1));
  }
}

}  // namespace longshore::kube
