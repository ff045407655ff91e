// Windows' management instrumentation: what no plain function does. Tests put answers of their own
// in its place.
//
// A connection is made when something is asked, never before: importing a library that connected at
// load time has ended csi-proxy on nodes that never used it. Queries are fixed texts. What a caller
// sent is compared in code with what was answered, and is in no query, where a quotation mark in it
// could make another one of it.
//
// Threads: any number at once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "longshore/deadline.hpp"
#include "longshore/result.hpp"
#include "support/secret.h"

namespace longshore::support {

// A text parameter that is wiped: here by whoever lets go of it last, and in what is made of it on
// the way to WMI, but not by WMI.
using WmiSecret = std::shared_ptr<const Secret>;
// A property or a parameter: nothing is null, and 64-bit numbers come as texts.
using WmiValue =
    std::variant<std::monostate, bool, int64_t, std::string, std::vector<std::string>, WmiSecret>;
// By name. An object that was asked for has its path as "__PATH".
using WmiObject = std::map<std::string, WmiValue, std::less<>>;

constexpr const char* kSmbNamespace = "ROOT\\Microsoft\\Windows\\SMB";
constexpr const char* kStorageNamespace = "ROOT\\Microsoft\\Windows\\Storage";

class Wmi {
 public:
  virtual ~Wmi() = default;

  // The objects that the query is for. None is no error, also where there is no such class.
  virtual Result<std::vector<WmiObject>> query(const std::string& name_space,
                                               const std::string& query,
                                               const Deadline& deadline) = 0;

  // Calls a method of a class, or of the object of a path. The output parameters, with
  // "ReturnValue". What a provider has of a function of Windows' is in Error::system().
  virtual Result<WmiObject> call(const std::string& name_space, const std::string& object,
                                 const std::string& method, const WmiObject& arguments,
                                 const Deadline& deadline) = 0;
};

// The text of a property, "" if it is null, is missing or is of another type.
std::string text_of(const WmiObject& object, std::string_view name);

// Whether a method of the storage classes succeeded: by its ReturnValue, of which null is none.
// `called` is the class and method, for the error.
Result<void> check_storage_return(const WmiObject& answer, std::string_view operation,
                                  const std::string& object, const std::string& called);

}  // namespace longshore::support
