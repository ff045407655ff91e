#include "kube/request_turns.h"

#include <cmath>
#include <utility>

namespace longshore::kube {
namespace {

std::string seconds_text(std::chrono::nanoseconds time) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(time).count()) + " s";
}

// 20, 0.5
std::string number_text(double number) {
  std::string text = std::to_string(std::round(number * 10) / 10);
  text.resize(text.find('.') + 2);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "0" ? "less than 0.1" : text;
}

}  // namespace

RequestTurns::Place::~Place() {
  if (std::erase(turns_.line_, this) > 0) turns_.tell();
}

RequestTurns::RequestTurns(Timing& timing, RequestLimit limit, observe::KubeRateFigures* figures)
    : timing_(timing), rate_(limit, timing.uptime()), figures_(figures) {}

Result<std::unique_ptr<RequestTurns::Place>> RequestTurns::wait(std::chrono::nanoseconds patience,
                                                                std::function<void()> on_turn) {
  const auto now = timing_.uptime();
  if (line_.empty() && rate_.take(now)) {
    tell();
    tell_wait({});
    return std::unique_ptr<Place>();
  }
  const auto time = rate_.until(line_.size() + 1, now);
  if (time >= patience) {
    return Error::of_text(StatusCode::kResourceExhausted,
                          limit_text() + ", and " + std::to_string(line_.size()) +
                              " wait before it: its turn would come in " + seconds_text(time))
        .advise(rate_.is_set() ? "raise agent.kube.api_qps, in csi-sidecars --kube-api-qps" : "");
  }
  std::unique_ptr<Place> place(new Place(*this, now, std::move(on_turn)));
  line_.push_back(place.get());
  tell();
  if (!timer_) serve_later(now);
  return place;
}

void RequestTurns::answered(const RequestAnswer& answer) {
  rate_.answered(answer, timing_.uptime());
  tell();
  if (!line_.empty()) serve();
}

void RequestTurns::serve() {
  timer_.reset();
  const auto now = timing_.uptime();
  while (!line_.empty() && rate_.take(now)) {
    const Place* const next = line_.front();
    line_.pop_front();
    tell_wait(now - next->since_);
    next->on_turn_();
  }
  tell();
  if (!line_.empty()) serve_later(now);
}

void RequestTurns::tell() const {
  if (!figures_) return;
  figures_->per_second = rate_.per_second();
  figures_->waiting = line_.size();
}

void RequestTurns::tell_wait(std::chrono::nanoseconds time) const {
  if (figures_) figures_->last_wait = time;
}

void RequestTurns::serve_later(std::chrono::nanoseconds now) {
  timer_ = timing_.after(std::chrono::ceil<std::chrono::milliseconds>(rate_.until(1, now)),
                         [this] { serve(); });
}

std::string RequestTurns::limit_text() const {
  return "requests to the API server are limited to " + number_text(rate_.per_second()) +
         " a second" + (rate_.is_set() ? "" : " by what it answers");
}

}  // namespace longshore::kube
