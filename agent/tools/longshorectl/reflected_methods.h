// What a method's messages look like, as the agent's reflection tells it: nothing of a module is
// compiled into longshorectl.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor_database.h>

#include <memory>
#include <string>

#include "longshore/result.hpp"
#include "tools/longshorectl/agent_client.h"

namespace longshore::ctl {

// Owns the descriptors of the services it was asked for.
class ReflectedMethods {
 public:
  // The method's descriptor, valid as long as this object. NOT_FOUND names what there is.
  Result<const google::protobuf::MethodDescriptor*> find(AgentClient& client,
                                                         const std::string& service,
                                                         const std::string& method);

 private:
  google::protobuf::SimpleDescriptorDatabase files_;
  std::unique_ptr<google::protobuf::DescriptorPool::ErrorCollector> errors_;
  std::unique_ptr<google::protobuf::DescriptorPool> pool_;
};

}  // namespace longshore::ctl
