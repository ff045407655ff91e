#include <utility>

#include "support/windows/wmi_connection.h"
#include "support/windows/wmi_provider.h"

namespace longshore::support {
namespace {

class NativeWmiProvider final : public WmiProvider {
 public:
  Result<std::vector<WmiObject>> query(const std::string& name_space,
                                       const std::string& query) override {
    const ComThread com;
    const auto connection = WmiConnection::open(com, name_space);
    if (!connection) return connection.error();
    return connection->query(query);
  }

  Result<WmiObject> call(const std::string& name_space, const std::string& object,
                         const std::string& method, const WmiObject& arguments) override {
    const ComThread com;
    const auto connection = WmiConnection::open(com, name_space);
    if (!connection) return connection.error();
    return connection->call(object, method, arguments);
  }
};

}  // namespace

std::unique_ptr<WmiProvider> native_wmi_provider() { return std::make_unique<NativeWmiProvider>(); }

}  // namespace longshore::support
