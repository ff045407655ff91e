// A configuration file to start from, made of the schema and of what modules say of themselves.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/module_catalog.h"

namespace longshore::config {

// Every key with its meaning and its default, as a comment; a line "#key = value", without a space
// after the "#", is a default that one switches on to change it. Loads without findings where the
// `modules`, by name, can be found: what a module requires is set to the simplest value.
std::string sample(const std::vector<std::pair<std::string, ModuleSchema>>& modules);

}  // namespace longshore::config
