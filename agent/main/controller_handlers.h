// The part of longshore.admin.v1.Admin that tells of controllers: their work queues, leases and
// requests, and what happened to one object.
#pragma once

#include <map>
#include <string>

#include "core/core.h"
#include "longshore/admin/v1.pb.h"
#include "longshore/module/objects.pb.h"
#include "main/admin_target.h"
#include "observe/status_report.h"

namespace longshore {

// The handlers, by the method's name. They wait for modules. `core` lives as long as they.
std::map<std::string, AdminTarget::Handler> controller_handlers(core::Core& core);

// Of the report's controllers, work queues, leases and requests.
admin::v1::ListControllersResponse controllers_message(const observe::StatusReport& report);

// Of what a controller told, made fit to be passed on already.
admin::v1::DescribeObjectResponse object_message(
    const module::v1::DescribeObjectResponse& described);

}  // namespace longshore
