// What longshore-kube.so exports. What passes is C++: both sides are of one version, and of the
// same headers, which the version has a hash of.
//
// Threads: any.
#pragma once

#include <cstddef>

namespace longshore::kube {

class ApiLoop;

// The caller owns it. Null: `why` says why, in C's form.
using MakeLoopFunction = ApiLoop*(char* why, size_t size);

inline constexpr const char* kMakeLoopName = "longshore_kube_make_loop";
inline constexpr const char* kLibraryVersionName = "longshore_kube_version";  // of a const char[]

}  // namespace longshore::kube
