// Which volumes a made-up CSI driver has on which nodes. A file has them too, so that a driver that
// is killed and started again knows them.
//
// Threads: any. Owner: the driver.
#pragma once

#include <cstdio>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace longshore::test {

class AttachedVolumes {
 public:
  using Nodes = std::map<std::string, std::set<std::string>>;  // by volume

  // What the file has: a volume and a node a line. It need not be there.
  explicit AttachedVolumes(std::string path) : path_(std::move(path)) {
    std::ifstream file(path_);
    for (std::string volume, node; file >> volume >> node;) nodes_[volume].insert(node);
  }

  // False: it is on another node, and may be on one alone.
  bool attach(const std::string& volume, const std::string& node, bool may_share) {
    const std::lock_guard lock(mutex_);
    std::set<std::string>& nodes = nodes_[volume];
    if (!may_share && !nodes.empty() && !nodes.contains(node)) return false;
    if (nodes.insert(node).second) write();
    return true;
  }

  // From a node that it is not on, too. `node` empty: from all.
  void detach(const std::string& volume, const std::string& node) {
    const std::lock_guard lock(mutex_);
    const auto found = nodes_.find(volume);
    if (found == nodes_.end()) return;
    if (!node.empty()) found->second.erase(node);
    if (node.empty() || found->second.empty()) nodes_.erase(found);
    write();
  }

  Nodes nodes() const {
    const std::lock_guard lock(mutex_);
    return nodes_;
  }

 private:
  // With the mutex. Whoever reads the file meanwhile has the old one or the new one.
  void write() const {
    const std::string next = path_ + ".next";
    {
      std::ofstream file(next);
      for (const auto& [volume, nodes] : nodes_) {
        for (const std::string& node : nodes) file << volume << ' ' << node << '\n';
      }
    }
    static_cast<void>(std::rename(next.c_str(), path_.c_str()));
  }

  const std::string path_;
  mutable std::mutex mutex_;
  Nodes nodes_;
};

}  // namespace longshore::test
