#include "kube/informers.h"

namespace longshore::kube {

std::shared_ptr<Informer> Informers::find(const Selection& selection) {
  std::erase_if(informers_, [](const auto& each) { return each.second.expired(); });
  std::weak_ptr<Informer>& place = informers_[selection];
  std::shared_ptr<Informer> informer = place.lock();
  if (!informer) {
    informer = std::make_shared<Informer>(access_, timing_, selection, on_cause_);
    place = informer;
  }
  return informer;
}

std::map<Selection, std::shared_ptr<Informer>> Informers::all() const {
  std::map<Selection, std::shared_ptr<Informer>> all;
  for (const auto& [selection, place] : informers_) {
    if (auto informer = place.lock()) all.emplace(selection, std::move(informer));
  }
  return all;
}

}  // namespace longshore::kube
