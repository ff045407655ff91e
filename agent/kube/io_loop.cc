#include "kube/io_loop.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "kube/client.h"
#include "kube/configuration.h"

namespace longshore::kube {

IoLoop::IoLoop(MakeAccess make_access, IoTiming::Uptime uptime)
    : make_access_(std::move(make_access)), timing_(io_, std::move(uptime)) {}

void IoLoop::post(std::function<void()> function) { boost::asio::post(io_, std::move(function)); }

Result<std::unique_ptr<ApiAccess>> IoLoop::make_client(boost::asio::io_context& io,
                                                       const AccessOptions& options) {
  auto configuration = find_configuration(options.kubeconfig);
  if (!configuration) return std::move(configuration).error();
  for (const std::string& warning : configuration->warnings) options.warn(warning);
  return std::unique_ptr<ApiAccess>(
      std::make_unique<Client>(io, *std::move(configuration),
                               ClientOptions{.limit = options.limit, .metrics = options.metrics}));
}

}  // namespace longshore::kube
