#include "registrar.h"

#include <utility>

#include "csi/v1.pb.h"
#include "pluginregistration/v1.pb.h"

namespace longshore::node_driver_registrar {
namespace {

using host::v1::CsiCallResponse;
using host::v1::EndpointEvent;
using host::v1::HttpEvent;

constexpr const char* kGetInfo = "pluginregistration.Registration/GetInfo";
constexpr const char* kNotify = "pluginregistration.Registration/NotifyRegistrationStatus";

}  // namespace

Registrar::Registrar(const longshore_host* host, Options options)
    : options_(std::move(options)),
      client_(host),
      registration_(options_.folder, options_.names),
      ask_timer_(host),
      alarm_(host),
      page_(host, "the page /healthz", [this](std::string_view reason) {
        run([this, text = std::string(reason)] { page_trouble_ = text; });
      }) {}

void Registrar::start() {
  if (!options_.http_address.empty()) {
    host::v1::HttpServeRequest request;
    request.set_address(options_.http_address);
    request.set_path("/healthz");
    page_.start<HttpEvent>("longshore.host.v1.Http/Serve", request, [this](const HttpEvent& event) {
      run([this, event] { hear_page(event); });
    });
  }
  run([this] { ask_driver(); });
}

void Registrar::stop() {
  tasks_.stop();  // nothing is begun from then on
  page_.stop();
  ask_timer_.cancel();
  alarm_.cancel();
  socket_.cancel();
}

void Registrar::run(std::function<void()> task) {
  tasks_.run([this, task = std::move(task)] {
    task();
    apply();
  });
}

void Registrar::apply() {
  if (std::exchange(served_turn_, registration_.turn()) != registration_.turn()) {
    socket_.cancel();  // which removes the file
    if (!registration_.path().empty()) serve();
  }
  if (const auto after = registration_.take_alarm()) {
    static_cast<void>(
        alarm_.start(*after, [this] { run([this] { registration_.time_is_over(); }); }));
  }
  tell();
}

void Registrar::tell() {
  std::string trouble = registration_.trouble();
  if (trouble.empty()) trouble = page_trouble_;
  if (trouble != told_trouble_) {
    told_trouble_ = trouble;
    options_.set_degraded(trouble);
  }
  const bool is_registered = registration_.is_registered();
  if (std::exchange(told_registered_, is_registered) != is_registered && is_registered) {
    options_.log(LONGSHORE_LOG_INFO,
                 "the kubelet has registered the driver \"" + registration_.driver() + "\"");
  }
}

void Registrar::ask_driver() {
  host::v1::CsiCallRequest request;
  request.set_address(options_.csi_address);
  request.set_method("csi.v1.Identity/GetPluginInfo");
  request.set_request(csi::v1::GetPluginInfoRequest().SerializeAsString());
  request.set_fresh_connection(true);
  client_.call<CsiCallResponse>("longshore.host.v1.Csi/CallIdentity", request,
                                {.timeout = options_.timeout},
                                [this](const Result<CsiCallResponse>& answer) {
                                  run([this, answer] { hear_driver(answer); });
                                });
}

void Registrar::hear_driver(const Result<CsiCallResponse>& answer) {
  const std::string driver = "the CSI driver at \"" + options_.csi_address + "\"";
  std::chrono::seconds pause = kAskAgain;
  csi::v1::GetPluginInfoResponse info;
  const bool is_gone = !answer && answer.error().code() == StatusCode::kUnavailable;
  if (!is_gone) waited_ = {};
  if (is_gone) {
    wait_for_driver("waits for " + driver + ": " + answer.error().message());
    pause = kAskSoon;
  } else if (!answer && answer.error().code() == StatusCode::kDeadlineExceeded) {
    registration_.driver_fails(driver + " did not tell its name within the " +
                               options_.names.timeout);
  } else if (!answer) {
    registration_.driver_fails("cannot ask " + driver +
                               " for its name: " + answer.error().message());
  } else if (!info.ParseFromString(answer->response())) {
    registration_.driver_fails(driver +
                               " answered with something that is no GetPluginInfoResponse");
  } else {
    registration_.driver_is(info.name());
  }
  static_cast<void>(ask_timer_.start(pause, [this] { run([this] { ask_driver(); }); }));
}

// That it begins is logged as what makes the controller degraded.
void Registrar::wait_for_driver(const std::string& trouble) {
  registration_.driver_is_gone(trouble);
  if (waited_ > waited_.zero() && waited_ % kLogAgain == waited_.zero()) {
    options_.log(LONGSHORE_LOG_WARNING, "still " + trouble);
  }
  waited_ += kAskSoon;
}

void Registrar::serve() {
  host::v1::EndpointServeRequest request;
  request.set_path(registration_.path());
  request.add_methods(kGetInfo);
  request.add_methods(kNotify);
  const uint64_t turn = served_turn_;
  socket_ = client_.stream<EndpointEvent>(
      "longshore.host.v1.Endpoint/Serve", request, {.timeout = std::chrono::nanoseconds::max()},
      [this, turn](const EndpointEvent& event) {
        run([this, turn, event] { hear_socket(turn, event); });
      },
      [this, turn](const Result<void>& end) {
        run([this, turn,
             reason = end ? "the registration socket is closed" : end.error().message()] {
          if (turn == served_turn_) registration_.socket_is_lost(reason);
        });
      });
}

void Registrar::hear_socket(uint64_t turn, const EndpointEvent& event) {
  if (turn != served_turn_) return;  // of a socket that is no more
  if (event.type() == EndpointEvent::TYPE_LISTENING) {
    registration_.socket_is_there();
    options_.log(LONGSHORE_LOG_INFO,
                 "the registration socket " + registration_.path() + " is served");
  } else if (event.type() == EndpointEvent::TYPE_CALL && event.method() == kGetInfo) {
    answer_info(event.id());
  } else if (event.type() == EndpointEvent::TYPE_CALL) {
    hear_status(event);
  }
}

void Registrar::answer_info(uint64_t id) const {
  pluginregistration::PluginInfo info;
  info.set_type("CSIPlugin");
  info.set_name(registration_.driver());
  info.set_endpoint(options_.kubelet_path);
  info.add_supported_versions("1.0.0");
  respond(id, StatusCode::kOk, {}, info.SerializeAsString());
}

void Registrar::hear_status(const EndpointEvent& call) {
  pluginregistration::RegistrationStatus status;
  if (!status.ParseFromString(call.message())) {
    return respond(call.id(), StatusCode::kInvalidArgument, "this is no RegistrationStatus", {});
  }
  respond(call.id(), StatusCode::kOk, {},
          pluginregistration::RegistrationStatusResponse().SerializeAsString());
  registration_.kubelet_says(status.plugin_registered(), status.error());
}

void Registrar::respond(uint64_t id, StatusCode code, const std::string& text,
                        const std::string& message) const {
  host::v1::EndpointRespondRequest request;
  request.set_id(id);
  request.set_code(static_cast<int32_t>(code));
  request.set_text(text);
  request.set_message(message);
  client_.call<host::v1::EndpointRespondResponse>(
      "longshore.host.v1.Endpoint/Respond", request, {},
      [this](const Result<host::v1::EndpointRespondResponse>& answered) {
        if (!answered) log_failure(answered.error());
      });
}

void Registrar::hear_page(const HttpEvent& event) const {
  if (event.type() == HttpEvent::TYPE_LISTENING) {
    return options_.log(LONGSHORE_LOG_INFO, "/healthz is served on " + event.address());
  }
  if (event.type() != HttpEvent::TYPE_REQUEST) return;
  const Registration::Health health = registration_.health();
  host::v1::HttpRespondRequest request;
  request.set_id(event.id());
  request.set_status(health.status);
  request.set_content_type("text/plain; charset=utf-8");
  request.set_body(health.text);
  client_.call<host::v1::HttpRespondResponse>(
      "longshore.host.v1.Http/Respond", request, {},
      [this](const Result<host::v1::HttpRespondResponse>& answered) {
        if (!answered) log_failure(answered.error());
      });
}

void Registrar::log_failure(const Error& error) const {
  // NOT_FOUND: who asked has gone. CANCELLED: this is being stopped.
  if (error.code() == StatusCode::kNotFound || error.code() == StatusCode::kCancelled) return;
  options_.log(LONGSHORE_LOG_WARNING, error.message());
}

}  // namespace longshore::node_driver_registrar
