#include "longshore/module.hpp"

#include "acme/depot/v1.pb.h"
#include "module_description.h"

namespace acme::depot {

class FirstModule final : public longshore::Module {
 public:
  longshore::Result<v1::Item> take(longshore::Context, const v1::Item& item) {
    v1::Item left = item;
    left.set_count(item.count() - 1);
    return left;
  }

 private:
  longshore::Result<void> start(const longshore::Settings&, std::string_view) override {
    add_service("acme.depot.v1.First", *this).unary("Take", &FirstModule::take);
    return {};
  }
};

}  // namespace acme::depot

LONGSHORE_MODULE(acme::depot::FirstModule, "longshore-depot-first", "1.0.0", "Acme Inc.")
