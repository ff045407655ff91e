// Runs the built module in the SDK's fake host. Any test framework will do; this needs none.
#include <cstdio>

#include "acme/shelf/v1.pb.h"
#include "longshore/testing/fake_host.hpp"
#include "longshore/testing/module_file.hpp"

namespace {

using namespace acme::shelf;
using longshore::StatusCode;
using longshore::testing::FakeHost;

int faults = 0;

void check(bool is_so, const char* what) {
  std::printf("%s: %s\n", is_so ? "ok" : "FAULT", what);
  if (!is_so) ++faults;
}

bool put(FakeHost& host, const char* name, const char* content) {
  v1::PutBoxRequest request;
  request.set_name(name);
  request.set_content(content);
  return host.call<v1::PutBoxResponse>("acme.shelf.v1.Shelf/PutBox", request).ok();
}

auto get(FakeHost& host, const char* name) {
  v1::GetBoxRequest request;
  request.set_name(name);
  return host.call<v1::GetBoxResponse>("acme.shelf.v1.Shelf/GetBox", request);
}

void boxes_are_kept(const longshore_module_entry& entry) {
  FakeHost host(entry);
  check(host.start().ok(), "it starts with the defaults of its settings");
  check(put(host, "b", "blue"), "a box is put");
  check(put(host, "a", "amber"), "another is put");
  check(get(host, "b")->box().content() == "blue", "the first is as it was");
  check(get(host, "c").error().code() == StatusCode::kNotFound,
        "one that is not there is not found");
  check(!put(host, "", "nothing"), "a box without a name is refused");
  const auto boxes =
      host.call_stream<v1::Box>("acme.shelf.v1.Shelf/ListBoxes", v1::ListBoxesRequest());
  check(boxes.ok() && boxes->size() == 2 && boxes->front().name() == "a",
        "all are listed in order");
  check(host.logged("put a box"), "what is put is logged");
  check(host.end().empty(), "the contract with the agent is kept");
}

void the_capacity_holds(const longshore_module_entry& entry) {
  FakeHost host(entry);
  check(!FakeHost(entry).start({.settings = {{"capacity", 0}}}).ok(), "no capacity is refused");
  check(host.start({.settings = {{"capacity", 1}}}).ok(), "it starts with a capacity of one");
  check(put(host, "a", "amber"), "one box fits");
  check(!put(host, "b", "blue"), "a second does not");
  check(put(host, "a", "azure"), "the first may be replaced");
  check(host.end().empty(), "the contract with the agent is kept");
}

}  // namespace

int main() {
  const longshore::testing::ModuleFile file(SHELF_MODULE);
  boxes_are_kept(file.entry());
  the_capacity_holds(file.entry());
  return faults == 0 ? 0 : 1;
}
