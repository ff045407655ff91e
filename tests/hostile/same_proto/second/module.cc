#include "longshore/module.hpp"

#include "acme/depot/v1.pb.h"
#include "module_description.h"

namespace acme::depot {

class SecondModule final : public longshore::Module {
 public:
  longshore::Result<v1::Item> take(longshore::Context, const v1::Item& item) {
    v1::Item left;
    left.set_count(item.count());
    for (const std::string& name : item.names()) (*left.mutable_parts())[name].set_count(1);
    return left;
  }

 private:
  longshore::Result<void> start(const longshore::Settings&, std::string_view) override {
    add_service("acme.depot.v1.Second", *this).unary("Take", &SecondModule::take);
    return {};
  }
};

}  // namespace acme::depot

LONGSHORE_MODULE(acme::depot::SecondModule, "longshore-depot-second", "1.0.0", "Acme Inc.")
