// A module as people see it, for the commands that list modules and controllers.
//
// Threads: any; plain functions.
#pragma once

#include <string>

#include "longshore/admin/v1.pb.h"
#include "longshore/result.hpp"
#include "tools/longshorectl/report.h"
#include "tools/longshorectl/table.h"

namespace longshore::ctl {

// "degraded" takes the place of "serving".
Cell state_cell(const admin::v1::Module& module);
// Its version, and whose signature was checked.
std::string version_of(const admin::v1::Module& module);
// "1234", and how often it was started again.
std::string process_of(const admin::v1::Module& module);
std::string since_of(const admin::v1::Module& module);

// All of it, with the steps of its life.
void show_module(const admin::v1::Module& module, const Report& report);

// Leaves the one `name`, if it is not empty. NOT_FOUND: there is none; `what` it is: "module".
Result<void> keep_named(google::protobuf::RepeatedPtrField<admin::v1::Module>& modules,
                        const char* what, const std::string& name);

}  // namespace longshore::ctl
