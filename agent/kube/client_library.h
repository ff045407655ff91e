// What longshore-kube.so exports. Both sides are of one build: what passes is C++.
//
// Threads: any.
#pragma once

namespace longshore::kube {

class ApiLoop;

using MakeLoopFunction = ApiLoop*();  // the caller owns it; null: no memory

inline constexpr const char* kMakeLoopName = "longshore_kube_make_loop";
inline constexpr const char* kLibraryVersionName = "longshore_kube_version";  // of a const char[]

}  // namespace longshore::kube
