// What a call of longshore.host.v1.Kube asks of the API server, checked: its path is of the form
// that the method needs, and the controller's grants allow it.
//
// Threads: any; values. Owner: the service, until it is asked.
#pragma once

#include "config/settings.h"
#include "kube/field_mask.h"
#include "kube/request.h"
#include "kube/resource_path.h"
#include "kube/selection.h"
#include "kube/wanted_lease.h"
#include "longshore/result.hpp"
#include "router/call.h"

namespace longshore::kube {

struct AskedRequest {
  enum class Answer { kObject, kPage, kNothing, kWatch };

  Answer answer = Answer::kObject;
  ResourcePath resource;
  Request request;      // but for a watch
  Selection selection;  // of a watch
  FieldMask fields;     // of a watch
  WantedLease lease;    // that its writes need, if it has a name
};

// `controller`: who calls, in the configuration by which the agent runs now; null: it is not in it.
Result<AskedRequest> asked_request(const router::Call& call,
                                   const config::ModuleSettings* controller);

}  // namespace longshore::kube
