// A service that the agent itself serves, as a target of the router: handlers by method name. Those
// that change what runs (reload, upgrade) may take as long as a drain, and run one at a time on a
// thread of their own. Those that wait for a module's answer have a few others, and the rest one
// more, so that what only asks the agent is answered meanwhile.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "longshore/result.hpp"
#include "router/parsed_request.h"
#include "router/progress.h"
#include "router/router.h"

namespace longshore {

class AdminTarget final : public router::Target {
 public:
  // Takes the serialised request and gives the serialised response.
  using Handler = std::function<Result<std::string>(std::string_view request)>;

  using Names = std::set<std::string, std::less<>>;

  // `handlers` by the method's name; `changing` are the methods that may take long, `asking` those
  // that wait for modules.
  AdminTarget(router::Timers& timers, std::string name, std::map<std::string, Handler> handlers,
              Names changing, Names asking);

  Result<void> submit(std::shared_ptr<router::Call> call) override;
  void execute(router::Call& call) override;

  // Runs something else on the thread of the changing handlers, between two of them.
  void post(std::function<void()> function);
  // Begins nothing more, and waits for what runs; see WorkerPool::drain.
  bool drain(router::Clock::time_point deadline) {
    const bool changes_ended = changes_.drain(deadline);
    const bool modules_answered = module_questions_.drain(deadline);
    return questions_.drain(deadline) && modules_answered && changes_ended;
  }

  // Whether the thread of the changing handlers goes on.
  std::shared_ptr<const router::Progress> progress() const { return progress_; }

 private:
  const std::shared_ptr<router::Progress> progress_ = std::make_shared<router::Progress>();
  router::WorkerPool changes_;
  router::WorkerPool questions_;
  router::WorkerPool module_questions_;
  const std::map<std::string, Handler> handlers_;
  const Names changing_;
  const Names asking_;
};

// A handler made of a member function of a service object.
template <typename Service, typename Request, typename Response>
AdminTarget::Handler typed_handler_of(std::shared_ptr<Service> service,
                                      Result<Response> (Service::*function)(const Request&) const) {
  return [service = std::move(service), function](std::string_view bytes) -> Result<std::string> {
    const Result<Request> request = router::parsed_request<Request>(bytes);
    if (!request) return request.error();
    Result<Response> response = ((*service).*function)(*request);
    if (!response) return std::move(response).error();
    return response->SerializeAsString();
  };
}

}  // namespace longshore
