#include "liveness_probe.h"

#include <utility>

#include "csi/v1.pb.h"

namespace longshore::livenessprobe {

using host::v1::HttpEvent;

namespace {

constexpr const char* kCallIdentity = "longshore.host.v1.Csi/CallIdentity";

// With its code, which may be all that a driver says.
std::string coded(const Error& error) {
  const std::string text = error.message();
  return status_code_name(error.code()) + (text.empty() ? " without a text" : ": " + text);
}

}  // namespace

LivenessProbe::LivenessProbe(const longshore_host* host, Options options)
    : options_(std::move(options)),
      client_(host),
      page_(host, "the page /healthz", [this](std::string_view reason) {
        page_trouble_ = reason;
        tell_how_it_goes();
      }) {}

void LivenessProbe::start() {
  host::v1::HttpServeRequest request;
  request.set_address(options_.http_address);
  request.set_path("/healthz");
  page_.start<HttpEvent>("longshore.host.v1.Http/Serve", request,
                         [this](const HttpEvent& event) { hear(event); });
}

void LivenessProbe::stop() {
  page_.stop();
  probe_.cancel();
  plugin_info_.cancel();
}

void LivenessProbe::hear(const HttpEvent& event) {
  if (event.type() == HttpEvent::TYPE_LISTENING) {
    waiting_.clear();  // of a stream that was lost
    options_.log(LONGSHORE_LOG_INFO, "/healthz is served on " + event.address());
  } else if (event.type() == HttpEvent::TYPE_REQUEST) {
    waiting_.insert(event.id());
    if (!is_probing_) probe();
  } else if (event.type() == HttpEvent::TYPE_GONE) {
    waiting_.erase(event.id());
    if (waiting_.empty() && std::exchange(is_probing_, false)) probe_.cancel();
  }
}

host::v1::CsiCallRequest LivenessProbe::call_of(const char* method) const {
  host::v1::CsiCallRequest request;  // both messages that are sent are empty
  request.set_address(options_.csi_address);
  request.set_method(method);
  request.set_fresh_connection(true);
  return request;
}

void LivenessProbe::ask_for_name() {
  // As a stream, too.
  plugin_info_ = client_.stream<host::v1::CsiCallResponse>(
      kCallIdentity, call_of("csi.v1.Identity/GetPluginInfo"), {.timeout = options_.probe_timeout},
      [this](const host::v1::CsiCallResponse& response) {
        csi::v1::GetPluginInfoResponse info;
        if (!info.ParseFromString(response.response())) return;
        options_.log(LONGSHORE_LOG_INFO,
                     "the CSI driver is " + info.name() + ", version " + info.vendor_version());
      },
      [this](const Result<void>& end) {
        if (!end) has_asked_for_name_ = false;
      });
}

void LivenessProbe::probe() {
  is_probing_ = true;
  response_.clear();
  // As a stream, which can be cancelled.
  probe_ = client_.stream<host::v1::CsiCallResponse>(
      kCallIdentity, call_of("csi.v1.Identity/Probe"), {.timeout = options_.probe_timeout},
      [this](const host::v1::CsiCallResponse& response) { response_ = response.response(); },
      [this](const Result<void>& end) {
        is_probing_ = false;
        const std::string trouble = trouble_of(end);
        tell(trouble);
        if (!trouble.empty()) {
          has_asked_for_name_ = false;
        } else if (!std::exchange(has_asked_for_name_, true)) {
          ask_for_name();
        }
        for (const uint64_t id : std::exchange(waiting_, {})) respond(id, trouble);
      });
}

std::string LivenessProbe::trouble_of(const Result<void>& end) const {
  const std::string driver = "the CSI driver at \"" + options_.csi_address + "\"";
  if (!end && end.error().code() == StatusCode::kDeadlineExceeded) {
    return driver + " did not answer within " + options_.probe_timeout_name + ": " +
           coded(end.error());
  }
  if (!end) return "cannot probe " + driver + ": " + coded(end.error());
  csi::v1::ProbeResponse response;
  if (!response.ParseFromString(response_)) {
    return driver + " answered with something that is no ProbeResponse";
  }
  const bool is_ready = !response.has_ready() || response.ready().value();
  return is_ready ? "" : driver + " is not ready";
}

void LivenessProbe::tell(const std::string& trouble) {
  if (trouble == driver_trouble_) return;
  driver_trouble_ = trouble;
  tell_how_it_goes();
}

void LivenessProbe::tell_how_it_goes() const {
  options_.set_degraded(page_trouble_.empty() ? driver_trouble_ : page_trouble_);
}

void LivenessProbe::respond(uint64_t id, const std::string& trouble) const {
  host::v1::HttpRespondRequest request;
  request.set_id(id);
  request.set_status(trouble.empty() ? 200 : 500);
  request.set_content_type("text/plain; charset=utf-8");
  request.set_body(trouble.empty() ? "ok" : trouble);
  client_.call<host::v1::HttpRespondResponse>(
      "longshore.host.v1.Http/Respond", request, {},
      [this](const Result<host::v1::HttpRespondResponse>& answered) {
        if (answered || answered.error().code() == StatusCode::kNotFound) return;  // it has gone
        options_.log(LONGSHORE_LOG_WARNING, answered.error().message());
      });
}

}  // namespace longshore::livenessprobe
