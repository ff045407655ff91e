// What belongs to a whole process, and what a module may not change of it.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "longshore/abi.h"

namespace longshore::module_check {

size_t count_threads();
size_t count_descriptors();
// Without those that are no files, pipes or devices: a C++ library that lies in a DLL has such from
// its load on.
size_t count_open_files();
// What the process has from malloc and new.
size_t allocated_bytes();

// How often this process has forked since the first time that this was asked. What is spawned
// without a copy of this process does not count.
size_t count_forks();

// Folder, signals, environment and the like, each as a text by its name.
std::map<std::string, std::string> surroundings();

// A copy of the table that ends where readable memory ends. For good.
const longshore_host* copy_before_barrier(const longshore_host& table);

}  // namespace longshore::module_check
