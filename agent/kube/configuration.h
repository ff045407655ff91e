// How to reach an API server, and as whom: from a kubeconfig, or from what a Pod is given.
//
// A kubeconfig's current context counts. Relative paths are relative to the kubeconfig; data in it
// goes before files. What the agent does not do is refused with what to do in its place: programs
// that get credentials (exec, auth-provider), proxies, acting as another user. Environment
// variables for proxies are not heeded. Errors never repeat what stands in place of a secret.
//
// Threads: any; values. Owner: whoever makes a client of it.
#pragma once

#include <string>
#include <vector>

#include "kube/pod.h"
#include "kube/server_address.h"
#include "longshore/result.hpp"
#include "longshore/secret.hpp"

namespace longshore::kube {

// Certificates or a key: as they stand in a file that may be replaced, or the text itself.
struct PemSource {
  std::string file;
  Secret text;

  bool empty() const { return file.empty() && text.empty(); }
};

struct Configuration {
  std::string source;  // `the kubeconfig "/root/.kube/config"`, for sentences
  ServerAddress server;
  std::string name_space;  // empty: "default"

  PemSource certificate_authority;  // empty: those that the system trusts
  std::string tls_server_name;      // in the server's certificate; empty: its host
  bool skips_verification = false;
  PemSource client_certificate;
  PemSource client_key;

  // One of them, or none.
  Secret token;
  std::string token_file;
  std::string user_name;
  Secret password;

  std::vector<std::string> warnings;  // for the log
};

Result<Configuration> read_kubeconfig(const std::string& path);

Result<Configuration> in_cluster_configuration(const PodSurroundings& pod);

// Of the kubeconfig, or, where `kubeconfig` is empty, of the Pod that this process is in.
Result<Configuration> find_configuration(const std::string& kubeconfig);

}  // namespace longshore::kube
