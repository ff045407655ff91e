// Questions to WMI that wait no longer than their deadline, whatever hangs.
//
// Each has a thread of its own, on which COM is, and is left behind when it is not answered in
// time. There are so many at most, waited for or not, and of the same question one: who asks it
// while another one waits for its answer has the next turn, and once nobody does he is refused.
// A method that was begun runs to its end whoever waits for it.
//
// Threads: any number at once. Owner: on destruction it waits for what still hangs; the agent
// leaves an instance behind whose end takes too long.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/abandonable_calls.h"
#include "support/windows/wmi.h"
#include "support/windows/wmi_provider.h"

namespace longshore::support {

class AbandonableWmi final : public Wmi {
 public:
  static constexpr size_t kMostQuestions = 16;

  explicit AbandonableWmi(std::shared_ptr<WmiProvider> provider) : provider_(std::move(provider)) {}

  Result<std::vector<WmiObject>> query(const std::string& name_space, const std::string& query,
                                       const Deadline& deadline) override;
  Result<WmiObject> call(const std::string& name_space, const std::string& object,
                         const std::string& method, const WmiObject& arguments,
                         const Deadline& deadline) override;

 private:
  using Answer = Result<std::vector<WmiObject>>;

  const std::shared_ptr<WmiProvider> provider_;
  AbandonableCalls<Answer> questions_{kMostQuestions};
};

}  // namespace longshore::support
