#include "csi/driver_watch.h"

#include <algorithm>
#include <optional>

#include "router/wire_reader.h"

namespace longshore::csi {
namespace {

// The field of this number, which both ProbeResponse.ready and BoolValue.value have.
constexpr uint32_t kField = 1;

// ProbeResponse.ready; a driver that leaves it out is ready. Nothing: it is no ProbeResponse.
std::optional<bool> ready_in(const std::string& response) {
  bool is_ready = true;
  router::WireReader reader(response);
  while (!reader.at_end()) {
    const auto tag = reader.tag();
    if (tag.field != kField || tag.wire_type != router::kSized) {
      reader.skip(tag.wire_type);
      continue;
    }
    is_ready = false;
    router::WireReader value(reader.sized());
    while (!value.at_end()) {
      const auto inner = value.tag();
      if (inner.field == kField && inner.wire_type == router::kVarint) {
        is_ready = value.number(router::kVarint) != 0;
      } else {
        value.skip(inner.wire_type);
      }
    }
    if (value.failed()) return std::nullopt;
  }
  return reader.failed() ? std::nullopt : std::optional(is_ready);
}

}  // namespace

void DriverWatch::start() {
  parts_.connection->observe(weak_from_this());
  if (parts_.connection->is_connected()) {
    on_connected();
  } else {
    look();
  }
}

void DriverWatch::end() {
  is_ended_ = true;
  timer_.cancel();
  if (const auto probe = probe_) probe->cancel();
}

void DriverWatch::look() {
  if (is_ended_ || probe_) return;
  const auto probe = probe_ = std::make_shared<DriverCall>(
      DriverCall::Parts{.call = nullptr,
                        .deadline = router::Clock::now() + kProbeTimeout,
                        .path = parts_.path,
                        .method = "csi.v1.Identity/Probe",
                        .request = {},
                        .metrics = parts_.metrics});
  probe->on_answer([weak = weak_from_this()](const Result<std::string>& answer) {
    if (const auto self = weak.lock()) self->on_answer(answer);
  });
  parts_.connection->call(probe);
}

void DriverWatch::look_after(std::chrono::seconds pause) {
  timer_.expires_after(pause);
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (self && !error) self->look();
  });
}

void DriverWatch::on_connected() {
  if (is_ended_) return;
  // The connection before was told to go, and this one may lead to another process.
  if (state_.state() == State::STATE_READY) {
    become(State::STATE_LOST, driver() + " is lost: it told the agent to connect anew");
  }
  is_connected_ = true;
  pause_ = kFirstPause;
  become(State::STATE_CONNECTED, driver() + " has not answered Probe yet");
  if (!probe_) look_after({});
}

void DriverWatch::on_closed(const std::string& reason) {
  if (is_ended_) return;
  is_connected_ = false;
  if (state_.state() == State::STATE_READY) {
    become_missed(State::STATE_LOST, driver() + " is lost: the connection has ended: " + reason);
  } else {
    become_missed(State::STATE_ABSENT, driver() + " has ended the connection: " + reason);
  }
  look_after(kFirstPause);
}

void DriverWatch::on_answer(const Result<std::string>& answer) {
  probe_ = nullptr;
  if (is_ended_) return;
  if (!is_connected_) {
    const bool is_lost = state_.state() == State::STATE_LOST;
    if (!answer) {
      const Error& error = answer.error();
      if (error.system()) {  // the line has the path already
        wait_log_.waits(error.system().message(), error.advice());
      } else {
        wait_log_.waits(error.message());
      }
      become(is_lost ? State::STATE_LOST : State::STATE_ABSENT, error.message());
    }
    return look_after(kFirstPause);
  }
  const auto is_ready = answer ? ready_in(*answer) : std::nullopt;
  if (is_ready.value_or(false)) {
    wait_log_.reached();
    return become(State::STATE_READY);
  }
  std::string why;
  if (is_ready) {
    why = driver() + " is not ready";
  } else if (answer) {
    why = driver() + " answered Probe with something that is no ProbeResponse";
  } else if (answer.error().code() == StatusCode::kDeadlineExceeded) {
    why = driver() + " did not answer Probe within " + std::to_string(kProbeTimeout.count()) +
          " seconds";
  } else {
    why = "cannot probe " + driver() + ": " + answer.error().message();
  }
  become_missed(State::STATE_CONNECTED, std::move(why));
  look_after(std::exchange(pause_, std::min(2 * pause_, kLongestPause)));
}

void DriverWatch::become_missed(State::State state, std::string reason) {
  wait_log_.waits(reason);
  become(state, std::move(reason));
}

void DriverWatch::become(State::State state, std::string reason) {
  if (state_.state() == state && state_.reason() == reason) return;
  state_.set_state(state);
  state_.set_reason(std::move(reason));
  parts_.tell(state_);
}

}  // namespace longshore::csi
