#include "kube/lease.h"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstdio>
#include <optional>

#include "kube/raw_json.h"

namespace longshore::kube {
namespace {

namespace json = boost::json;

constexpr const char* kApiVersion = "coordination.k8s.io/v1";

// metav1.MicroTime's form.
std::string micro_time(WallTime time) {
  using std::chrono::days;
  using std::chrono::floor;
  using std::chrono::microseconds;
  const auto day = floor<days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(floor<microseconds>(time - day));
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()),
                static_cast<int>(clock.subseconds().count()));
  return text.data();
}

std::optional<int64_t> number_of(std::string_view text) {
  json::error_code error;
  const json::value value = json::parse(text, error);
  if (error || !value.is_int64()) return std::nullopt;
  return value.get_int64();
}

// The member, made an object if it is none.
json::object& inner(json::object& of, std::string_view name) {
  json::value& value = of[name];
  return value.is_object() ? value.get_object() : value.emplace_object();
}

void put_labels(json::object& lease, const LeaseClaim& claim) {
  if (claim.labels.empty()) return;
  json::object& labels = inner(inner(lease, "metadata"), "labels");
  for (const auto& [name, value] : claim.labels) labels[name] = value;
}

// What was parsed once is parsed again without an error.
json::object object_of(const Lease& lease) {
  json::error_code error;
  json::value value = json::parse(lease.object.json, error);
  return error || !value.is_object() ? json::object() : std::move(value.get_object());
}

int64_t transitions_of(const json::object& spec) {
  const json::value* const transitions = spec.if_contains("leaseTransitions");
  return transitions != nullptr && transitions->is_int64() ? transitions->get_int64() : 0;
}

}  // namespace

Result<Lease> parse_lease(std::string_view body) {
  auto object = parse_object(body);
  if (!object) return std::move(object).error();
  Lease lease;
  lease.object = *std::move(object);
  const auto members = json_members(lease.object.json);
  if (json_string(json_member(members, "kind")) != "Lease") {
    return Error(StatusCode::kDataLoss, "read the lease", lease.object.key)
        .because("the server's answer is no Lease");
  }
  lease.spec = json_member(members, "spec");
  const auto spec = json_members(lease.spec);
  lease.holder = json_string(json_member(spec, "holderIdentity")).value_or("");
  lease.duration = std::chrono::seconds(std::clamp<int64_t>(
      number_of(json_member(spec, "leaseDurationSeconds")).value_or(0), 0, int64_t{1} << 31));
  return lease;
}

std::string new_lease(const LeaseClaim& claim, WallTime now) {
  const std::string time = micro_time(now);
  json::object lease{{"apiVersion", kApiVersion},
                     {"kind", "Lease"},
                     {"metadata", {{"name", claim.name}, {"namespace", claim.name_space}}},
                     {"spec",
                      {{"holderIdentity", claim.holder},
                       {"leaseDurationSeconds", claim.duration.count()},
                       {"acquireTime", time},
                       {"renewTime", time},
                       {"leaseTransitions", 0}}}};
  put_labels(lease, claim);
  return json::serialize(lease);
}

std::string claimed_lease(const Lease& lease, const LeaseClaim& claim, WallTime now) {
  json::object object = object_of(lease);
  json::object& spec = inner(object, "spec");
  if (lease.holder != claim.holder) {
    spec["acquireTime"] = micro_time(now);
    spec["leaseTransitions"] = transitions_of(spec) + 1;
  }
  spec["holderIdentity"] = claim.holder;
  spec["leaseDurationSeconds"] = claim.duration.count();
  spec["renewTime"] = micro_time(now);
  put_labels(object, claim);
  return json::serialize(object);
}

std::string released_lease(const Lease& lease, WallTime now) {
  json::object object = object_of(lease);
  json::object& spec = inner(object, "spec");
  spec["holderIdentity"] = "";
  spec["leaseDurationSeconds"] = 1;
  spec["acquireTime"] = micro_time(now);
  spec["renewTime"] = micro_time(now);
  return json::serialize(object);
}

}  // namespace longshore::kube
