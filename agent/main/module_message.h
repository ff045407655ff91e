// A module's report as a message of longshore.admin.v1.Admin.
//
// Threads: any; a plain function.
#pragma once

#include "longshore/admin/v1.pb.h"
#include "observe/status_report.h"

namespace longshore {

// Without work queues and lease.
admin::v1::Module module_message(const observe::ModuleReport& report);

}  // namespace longshore
