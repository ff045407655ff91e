// The conditions that controllers name: one for each key, however many controllers run by it. It is
// kept as long as one does.
//
// Threads: under the lock of its owner, the host service that meets the conditions.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "services/module_state.h"
#include "services/run_condition.h"

namespace longshore::services {

template <typename Key>
class NamedConditions {
 public:
  // `controller` runs by this key from now on. Null: nobody did, and the caller is to set it.
  std::shared_ptr<RunCondition>& name(const std::string& controller, const Key& key) {
    keys_[controller] = key;
    return conditions_[key];
  }
  // It runs by none.
  void unname(const std::string& controller) { keys_.erase(controller); }

  // Drops those that none of these modules names; false: there was none.
  bool keep_named_by(const ModuleStates& modules) {
    std::erase_if(keys_, [&](const auto& each) {
      return std::ranges::find(modules, each.first, &ModuleState::name) == modules.end();
    });
    return std::erase_if(conditions_, [&](const auto& each) {
             return std::ranges::none_of(
                 keys_, [&](const auto& controller) { return controller.second == each.first; });
           }) > 0;
  }

  // Null: nobody names it.
  std::shared_ptr<RunCondition> find(const Key& key) const {
    const auto found = conditions_.find(key);
    return found == conditions_.end() ? nullptr : found->second;
  }
  bool names(const std::string& controller, const Key& key) const {
    const auto found = keys_.find(controller);
    return found != keys_.end() && found->second == key;
  }
  // In the order of their names.
  std::vector<std::string> controllers_of(const Key& key) const {
    std::vector<std::string> controllers;
    for (const auto& [controller, named] : keys_) {
      if (named == key) controllers.push_back(controller);
    }
    return controllers;
  }
  const std::map<Key, std::shared_ptr<RunCondition>>& all() const { return conditions_; }

 private:
  std::map<std::string, Key> keys_;  // by controller
  std::map<Key, std::shared_ptr<RunCondition>> conditions_;
};

}  // namespace longshore::services
