// What tests start and load, found beside the test program in its own build: no path is compiled
// in, so that another clone's objects are the same and ccache knows them.
//
// LONGSHORE_BUILD_TREE names another build to take programs and modules from, as the guest's tests
// take the release's.
#pragma once

#include <string>

namespace longshore::test {

// A program of the build: "longshored".
std::string built_program(const std::string& name);

// The folder with the modules, and a module by its name without prefix and suffix: "disk". On
// Windows one that was put where the test runs comes first, and its name is enough.
std::string built_modules();
std::string built_module(const std::string& name);

// The folder with the modules of tests/hostile, and one of them.
std::string hostile_folder();
std::string hostile_module(const std::string& name);

// The folder that the build was configured from. Not for programs that run in the guest.
std::string source_tree();

}  // namespace longshore::test
