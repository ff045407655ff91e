#include "tests/unit/sdk_testing/liar.h"

#include "longshore/context.hpp"
#include "tests/unit/sdk_testing/echo_module.h"

namespace longshore::testing {
namespace {

// Whom the next create makes an instance of: the ABI has no other way to tell.
Liar* next = nullptr;

Liar& liar(void* self) { return *static_cast<Liar*>(self); }

longshore_result create(const longshore_host* host, void** self,
                        const longshore_instance** functions) {
  next->host = host;
  *self = next;
  *functions = &next->functions;
  return next->on_create ? next->on_create() : LONGSHORE_OK;
}

void start(void* self, longshore_call call, longshore_bytes, longshore_bytes) {
  if (liar(self).on_start) return liar(self).on_start(call);
  liar(self).finish(call);
}

void invoke(void* self, longshore_call call, longshore_bytes, longshore_bytes) {
  if (liar(self).on_invoke) return liar(self).on_invoke(call);
  liar(self).answer(call);
}

void cancel(void* self, longshore_call call) {
  if (liar(self).on_cancel) liar(self).on_cancel(call);
}

void stop(void* self, longshore_call call) {
  if (liar(self).on_stop) return liar(self).on_stop(call);
  liar(self).finish(call);
}

void destroy(void* self) {
  if (liar(self).on_destroy) liar(self).on_destroy();
}

}  // namespace

Liar::Liar()
    : functions{sizeof(functions), 0, &start, &invoke, &cancel, nullptr, &stop, &destroy},
      entry_(echo_entry()) {
  entry_.create = &create;
  next = this;
}

void Liar::describe(const module::v1::Description& description) {
  description_ = description.SerializeAsString();
  entry_.description = description_.data();
  entry_.description_size = description_.size();
}

longshore_result Liar::send(longshore_call call, const std::string& message) const {
  return host->send(host, call, to_bytes(message));
}

longshore_result Liar::finish(longshore_call call, longshore_status_code code) const {
  return host->finish(host, call, code, to_bytes(""));
}

void Liar::answer(longshore_call call) const {
  send(call);
  finish(call);
}

longshore_result Liar::post(std::chrono::nanoseconds delay,
                            void (*function)(void* user, longshore_result answer),
                            void* user) const {
  return host->post(host, delay.count(), function, user);
}

}  // namespace longshore::testing
