#include "support/windows/wmi_connection.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <variant>

#include "support/windows/wmi_values.h"

namespace longshore::support {
namespace {

StatusCode status_of_result(HRESULT result) {
  switch (static_cast<ULONG>(result)) {
    case static_cast<ULONG>(WBEM_E_ACCESS_DENIED):
    case static_cast<ULONG>(E_ACCESSDENIED):
      return StatusCode::kPermissionDenied;
    case static_cast<ULONG>(WBEM_E_NOT_FOUND):
      return StatusCode::kNotFound;
    case static_cast<ULONG>(WBEM_E_INVALID_NAMESPACE):
    case static_cast<ULONG>(WBEM_E_INVALID_CLASS):
    case static_cast<ULONG>(WBEM_E_INVALID_METHOD):
    case static_cast<ULONG>(WBEM_E_NOT_SUPPORTED):
    case static_cast<ULONG>(REGDB_E_CLASSNOTREG):
    case static_cast<ULONG>(E_NOTIMPL):
      return StatusCode::kUnimplemented;
    case static_cast<ULONG>(WBEM_E_TRANSPORT_FAILURE):
    case static_cast<ULONG>(WBEM_E_SHUTTING_DOWN):
    case static_cast<ULONG>(WBEM_E_PROVIDER_LOAD_FAILURE):
      return StatusCode::kUnavailable;
    case static_cast<ULONG>(WBEM_E_OUT_OF_MEMORY):
    case static_cast<ULONG>(E_OUTOFMEMORY):
      return StatusCode::kResourceExhausted;
    default:
      return StatusCode::kInternal;
  }
}

Error failure(const std::string& operation, const std::string& object, HRESULT result) {
  std::array<char, 32> code{};
  std::snprintf(code.data(), code.size(), "0x%08lx", static_cast<unsigned long>(result));
  std::string cause = std::string("WMI answered ") + code.data();
  Error error(status_of_result(result), operation, object);
  if (HRESULT_FACILITY(result) != FACILITY_WIN32) return std::move(error).because(std::move(cause));
  const std::error_code windows_code(HRESULT_CODE(result), std::system_category());
  return std::move(error)
      .because(windows_code)
      .because(std::move(cause) + ": " + windows_code.message());
}

// Who asks is who the agent is, and what goes over is encrypted: some providers insist.
HRESULT set_security(IUnknown* proxy) {
  return CoSetProxyBlanket(proxy, RPC_C_AUTHN_WINNT, RPC_C_AUTHZ_NONE, nullptr,
                           RPC_C_AUTHN_LEVEL_PKT_PRIVACY, RPC_C_IMP_LEVEL_IMPERSONATE, nullptr,
                           EOAC_NONE);
}

WmiObject properties_of(IWbemClassObject* object) {
  WmiObject properties;
  if (FAILED(object->BeginEnumeration(0))) return properties;
  for (;;) {
    BSTR name = nullptr;
    ComVariant value;
    if (object->Next(0, &name, value.get(), nullptr, nullptr) != WBEM_S_NO_ERROR) break;
    properties[narrow_string(name)] = wmi_value(*value);
    SysFreeString(name);
  }
  object->EndEnumeration();
  return properties;
}

// "MSFT_Volume" of "\\NODE\ROOT\...:MSFT_Volume.ObjectId=...".
std::string class_of(std::string_view path) {
  if (path.starts_with("\\\\")) path.remove_prefix(std::min(path.find(':') + 1, path.size()));
  return std::string(path.substr(0, path.find_first_of(".=@")));
}

}  // namespace

Result<WmiConnection> WmiConnection::open(const ComThread& com, const std::string& name_space) {
  const std::string operation = "connect to WMI's namespace";
  if (FAILED(com.result())) return failure(operation, name_space, com.result());
  ComPointer<IWbemLocator> locator;
  HRESULT result = CoCreateInstance(CLSID_WbemLocator, nullptr, CLSCTX_INPROC_SERVER,
                                    IID_IWbemLocator, reinterpret_cast<void**>(locator.out()));
  if (FAILED(result)) return failure(operation, name_space, result);
  ComPointer<IWbemServices> services;
  // Not for ever, should the service hang.
  result = locator->ConnectServer(ComString(name_space).get(), nullptr, nullptr, nullptr,
                                  WBEM_FLAG_CONNECT_USE_MAX_WAIT, nullptr, nullptr, services.out());
  if (FAILED(result)) return failure(operation, name_space, result);
  result = set_security(services.get());
  if (FAILED(result)) return failure(operation, name_space, result);
  return WmiConnection(std::move(services));
}

Result<std::vector<WmiObject>> WmiConnection::query(const std::string& query) const {
  const std::string operation = "ask WMI";
  ComPointer<IEnumWbemClassObject> rows;
  HRESULT result = services_->ExecQuery(
      ComString("WQL").get(), ComString(query).get(),
      WBEM_FLAG_FORWARD_ONLY | WBEM_FLAG_RETURN_IMMEDIATELY | WBEM_FLAG_ENSURE_LOCATABLE, nullptr,
      rows.out());
  if (FAILED(result)) return failure(operation, query, result);
  result = set_security(rows.get());
  if (FAILED(result)) return failure(operation, query, result);
  std::vector<WmiObject> objects;
  for (;;) {
    ComPointer<IWbemClassObject> object;
    ULONG count = 0;
    result = rows->Next(static_cast<LONG>(WBEM_INFINITE), 1, object.out(), &count);
    if (FAILED(result)) return failure(operation, query, result);
    if (count == 0) return objects;
    objects.push_back(properties_of(object.get()));
  }
}

Result<ComPointer<IWbemClassObject>> WmiConnection::object_at(const std::string& path) const {
  ComPointer<IWbemClassObject> object;
  const HRESULT result =
      services_->GetObject(ComString(path).get(), 0, nullptr, object.out(), nullptr);
  if (FAILED(result)) return failure("find in WMI", path, result);
  return object;
}

Result<ComPointer<IWbemClassObject>> WmiConnection::parameters(const std::string& object,
                                                               const std::string& method,
                                                               const WmiObject& arguments) const {
  const std::string called = class_of(object) + "." + method;
  const auto definition = object_at(class_of(object));
  if (!definition) return definition.error();
  ComPointer<IWbemClassObject> signature;
  HRESULT result = (*definition)->GetMethod(wide(method).c_str(), 0, signature.out(), nullptr);
  if (FAILED(result)) return failure("find WMI's method", called, result);
  ComPointer<IWbemClassObject> filled;
  if (!signature) return filled;
  result = signature->SpawnInstance(0, filled.out());
  if (FAILED(result)) return failure("call by WMI", called, result);
  for (const auto& [name, value] : arguments) {
    ComVariant variant;
    set_wmi_value(variant.get(), value);
    result = filled->Put(wide(name).c_str(), 0, variant.get(), 0);
    if (std::holds_alternative<WmiSecret>(value)) wipe_text(variant.get());
    if (FAILED(result)) return failure("give WMI the parameter " + name + " of", called, result);
  }
  return filled;
}

Result<WmiObject> WmiConnection::call(const std::string& object, const std::string& method,
                                      const WmiObject& arguments) const {
  const auto filled = parameters(object, method, arguments);
  if (!filled) return filled.error();
  ComPointer<IWbemClassObject> answer;
  const HRESULT result = services_->ExecMethod(ComString(object).get(), ComString(method).get(), 0,
                                               nullptr, filled->get(), answer.out(), nullptr);
  if (FAILED(result)) return failure("call by WMI", object + "." + method, result);
  return answer ? properties_of(answer.get()) : WmiObject();
}

}  // namespace longshore::support
