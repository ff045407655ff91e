#include "support/windows/abandonable_wmi.h"

#include <system_error>
#include <utility>

namespace longshore::support {
namespace {

Error unavailable(const std::string& operation, const std::string& object, std::string cause) {
  return Error(StatusCode::kUnavailable, operation, object)
      .because(std::move(cause))
      .advise("if it stays so, restart Windows' service Winmgmt or the node");
}

// Why there is no answer.
Error unanswered(const std::string& operation, const std::string& object,
                 const std::error_code& error, const Deadline& deadline) {
  if (error == std::errc::timed_out) {
    auto over = deadline.exceeded(operation, object);
    if (over && over->code() == StatusCode::kCancelled) return *std::move(over);
    return Error(StatusCode::kDeadlineExceeded, operation, object)
        .because("WMI has not answered in the time that there was")
        .advise("what was begun goes on in Windows: ask again later");
  }
  if (error == std::errc::connection_already_in_progress) {
    return unavailable(operation, object,
                       "the same was asked before, and WMI has not answered yet");
  }
  if (error == std::errc::resource_unavailable_try_again) {
    return unavailable(operation, object,
                       "WMI has " + std::to_string(AbandonableWmi::kMostQuestions) +
                           " other questions to answer, and gets no more of them at once");
  }
  return Error(StatusCode::kUnavailable, operation, object)
      .because("there is no thread to ask on: " + error.message());
}

}  // namespace

Result<std::vector<WmiObject>> AbandonableWmi::query(const std::string& name_space,
                                                     const std::string& query,
                                                     const Deadline& deadline) {
  return questions_.run(
      name_space + " " + query, deadline,
      [provider = provider_, name_space, query] { return provider->query(name_space, query); },
      [&](const std::error_code& error) -> Answer {
        return unanswered("ask WMI", query, error, deadline);
      });
}

Result<WmiObject> AbandonableWmi::call(const std::string& name_space, const std::string& object,
                                       const std::string& method, const WmiObject& arguments,
                                       const Deadline& deadline) {
  const std::string called = object + "." + method;
  // What is asked about one server does not wait for what is asked about another.
  std::string key = name_space + " " + called;
  for (const auto& [name, value] : arguments) {
    if (const auto* text = std::get_if<std::string>(&value)) key += " " + *text;
  }
  Answer answer = questions_.run(
      key, deadline,
      [provider = provider_, name_space, object, method, arguments]() -> Answer {
        Result<WmiObject> done = provider->call(name_space, object, method, arguments);
        if (!done) return std::move(done).error();
        return std::vector<WmiObject>{*std::move(done)};
      },
      [&](const std::error_code& error) -> Answer {
        return unanswered("call by WMI", called, error, deadline);
      });
  if (!answer) return std::move(answer).error();
  return std::move(answer->front());
}

}  // namespace longshore::support
