// `longshorectl top`: the calls of each module or method, again and again.
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "config/schema.h"
#include "longshore/admin/v1.pb.h"
#include "longshore/ctl/v1.pb.h"
#include "tools/longshorectl/admin_call.h"
#include "tools/longshorectl/commands.h"
#include "tools/longshorectl/terminal.h"
#include "tools/longshorectl/time_text.h"
#include "tools/longshorectl/top_sample.h"

namespace longshore::ctl {
namespace {

namespace messages = longshore::admin::v1;
using Figures = messages::GetCallFiguresResponse;

class Top {
 public:
  Top(const Target& target, const Report& report, const TopRequest& request)
      : target_(target), report_(report), request_(request) {}

  int run() {
    if (const auto fault = read(before_)) return report_.fail(fault->exit_code, fault->error);
    auto watch = EndWatch::begin();
    if (!watch) return report_.fail(kExitCallFailed, watch.error());
    const bool on_screen =
        !report_.json() && is_terminal(Stream::kInput) && is_terminal(Stream::kOutput);
    return on_screen ? show_on_screen(**watch) : print(**watch);
  }

 private:
  std::optional<Fault> read(Figures& figures) const {
    messages::GetCallFiguresRequest asked;
    asked.set_by_method(request_.methods);
    if (auto fault = call_control(target_, "GetCallFigures", asked, figures)) return fault;
    return request_.module.empty() ? std::nullopt : keep_module(figures);
  }

  // Leaves only what was asked for.
  std::optional<Fault> keep_module(Figures& figures) const {
    std::vector<std::string> names;
    Figures kept;
    kept.set_uptime_us(figures.uptime_us());
    for (const auto& each : figures.figures()) {
      names.push_back(each.module());
      if (each.module() == request_.module) *kept.add_figures() = each;
    }
    figures.Swap(&kept);
    if (!figures.figures().empty()) return std::nullopt;
    Error error(StatusCode::kNotFound, "show the module", request_.module);
    const std::string meant = config::nearest(request_.module, names);
    error = std::move(error).because("the agent has no such module");
    if (!meant.empty()) error = std::move(error).advise("did you mean \"" + meant + "\"?");
    return Fault{kExitCallFailed, std::move(error)};
  }

  v1::TopSample next(Figures now) {
    v1::TopSample sample = sample_between(before_, now);
    before_ = std::move(now);
    return sample;
  }

  bool is_last(int64_t shown) const { return request_.count > 0 && shown >= request_.count; }

  // For programs and files: sample after sample.
  int print(EndWatch& watch) {
    for (int64_t shown = 0; !is_last(shown); ++shown) {
      if (watch.wait(request_.interval)) break;
      Figures now;
      if (const auto fault = read(now)) return report_.fail(fault->exit_code, fault->error);
      const v1::TopSample sample = next(std::move(now));
      if (report_.json()) {
        report_.message(sample);
      } else {
        if (shown > 0) report_.line("");
        report_.line(top_table(sample, request_.methods, report_.paint()));
      }
    }
    return kExitOk;
  }

  // An agent that is not there is told on the screen: it may come back.
  int show_on_screen(EndWatch& watch) {
    auto screen = Screen::open();
    if (!screen) return report_.fail(kExitCallFailed, screen.error());
    (*screen)->show(title() + "\n\nthe first figures come in a moment");
    for (int64_t shown = 0; !is_last(shown); ++shown) {
      if (watch.wait(request_.interval)) break;
      Figures now;
      if (const auto fault = read(now)) {
        (*screen)->show(report_.paint()(Tone::kBad, fault->error.message()) + "\n\nq ends");
        continue;
      }
      const v1::TopSample sample = next(std::move(now));
      (*screen)->show(title() + "\n\n" + top_table(sample, request_.methods, report_.paint()));
    }
    return kExitOk;
  }

  PrintedText title() const {
    return report_.paint()(Tone::kHeading, "longshorectl top") + "  agent up " +
           duration_text(before_.uptime_us() / 1000) + ", every " + request_.interval_text +
           ", q ends";
  }

  const Target& target_;
  const Report& report_;
  const TopRequest& request_;
  Figures before_;
};

}  // namespace

int show_top(const Target& target, const Report& report, const TopRequest& request) {
  return Top(target, report, request).run();
}

}  // namespace longshore::ctl
