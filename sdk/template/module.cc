// The module: settings in, methods out.
#include "longshore/module.hpp"

#include "module_description.h"  // made from description.textproto and the .proto files
#include "shelf.h"

namespace acme::shelf {

class ShelfModule final : public longshore::Module {
  longshore::Result<void> start(const longshore::Settings& settings, std::string_view) override {
    shelf_.set_capacity(settings.get_int("capacity"));
    add_service("acme.shelf.v1.Shelf", shelf_)
        .unary("PutBox", &Shelf::put_box)
        .unary("GetBox", &Shelf::get_box)
        .server_stream("ListBoxes", &Shelf::list_boxes);
    return {};
  }

  Shelf shelf_;
};

}  // namespace acme::shelf

LONGSHORE_MODULE(acme::shelf::ShelfModule, "longshore-shelf", "1.0.0", "Acme Inc.")
