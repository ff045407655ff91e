#include "tests/support/csi_driver/controller_service.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tests/support/wire_reader.h"
#include "tests/support/wire_writer.h"

namespace longshore::test {
namespace {

using Answer = ControllerService::Answer;

// Codes of gRPC's.
constexpr int kInvalidArgument = 3;
constexpr int kFailedPrecondition = 9;
constexpr int kAborted = 10;
constexpr int kUnimplemented = 12;
constexpr int kInternal = 13;
constexpr int kUnauthenticated = 16;

std::string text(const WireReader& message, uint32_t field) {
  const std::vector<std::string> texts = message.texts(field);
  return texts.empty() ? std::string() : texts.back();
}

// A list of capabilities of a kind, each in a message in a message.
std::string capabilities(const std::vector<uint64_t>& numbers) {
  WireWriter list;
  for (const uint64_t number : numbers) {
    const std::string type = WireWriter().number(1, number);
    list.text(1, WireWriter().text(1, type).bytes());
  }
  return list;
}

}  // namespace

std::string volume_and_node(const std::string& request) {
  try {
    const WireReader message(request);
    return text(message, 1) + ' ' + text(message, 2);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

ControllerService::ControllerService(const std::string& volumes, std::vector<uint64_t> capabilities,
                                     std::string secret)
    : volumes_(volumes), capabilities_(std::move(capabilities)), secret_(std::move(secret)) {}

Answer ControllerService::answer(std::string_view method, const std::string& request) {
  try {
    if (method == "GetPluginCapabilities") return {0, capabilities({1})};
    if (method == "ControllerGetCapabilities") return {0, capabilities(capabilities_)};
    if (method == "ControllerPublishVolume") return publish(request);
    if (method == "ControllerUnpublishVolume") return unpublish(request);
    if (method == "ListVolumes") return list(request);
    return {kUnimplemented, "no such method"};
  } catch (const std::runtime_error& error) {
    return {kInternal, error.what()};
  }
}

Answer ControllerService::publish(const std::string& request) {
  const WireReader message(request);
  const std::string volume = text(message, 1);
  const std::string node = text(message, 2);
  if (volume.empty()) return {kInvalidArgument, "volume_id is missing"};
  if (node.empty()) return {kInvalidArgument, "node_id is missing"};
  const std::string capability = text(message, 3);
  const uint64_t mode = WireReader(text(WireReader(capability), 3)).number(1);
  if (mode == 0) return {kInvalidArgument, "the access mode is missing"};
  if (!has_secret(message.texts(5))) return {kUnauthenticated, "the secret is missing"};
  const bool may_share = mode >= 3 && mode <= 5;  // MULTI_NODE_...
  if (!volumes_.attach(volume, node, may_share)) {
    return {kFailedPrecondition, volume + " is attached to another node"};
  }
  const std::string device = WireWriter().text(1, "device").text(2, "/dev/" + volume);
  return {0, WireWriter().text(1, device)};
}

Answer ControllerService::unpublish(const std::string& request) {
  const WireReader message(request);
  const std::string volume = text(message, 1);
  if (volume.empty()) return {kInvalidArgument, "volume_id is missing"};
  if (!has_secret(message.texts(3))) return {kUnauthenticated, "the secret is missing"};
  volumes_.detach(volume, text(message, 2));
  return {};
}

// The token of a page is its first volume, so that it holds while others come and go.
Answer ControllerService::list(const std::string& request) const {
  const WireReader message(request);
  const AttachedVolumes::Nodes volumes = volumes_.nodes();
  const std::string token = text(message, 2);
  auto next = volumes.begin();
  if (!token.empty() && (next = volumes.find(token)) == volumes.end()) {
    return {kAborted, "no such token"};
  }
  const uint64_t most = message.number(1) == 0 ? volumes.size() : message.number(1);
  WireWriter page;
  for (uint64_t count = 0; next != volumes.end() && count < most; ++next, ++count) {
    WireWriter status;
    for (const std::string& node : next->second) status.text(1, node);
    const std::string volume = WireWriter().text(2, next->first);
    page.text(1, WireWriter().text(1, volume).text(2, status.bytes()).bytes());
  }
  if (next != volumes.end()) page.text(2, next->first);
  return {0, page};
}

bool ControllerService::has_secret(const std::vector<std::string>& entries) const {
  return secret_.empty() || std::ranges::any_of(entries, [&](const std::string& entry) {
           const WireReader pair(entry);
           return text(pair, 1) + '=' + text(pair, 2) == secret_;
         });
}

}  // namespace longshore::test
