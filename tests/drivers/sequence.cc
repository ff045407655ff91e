#include "tests/drivers/sequence.h"

#include <stdexcept>

#include "tests/drivers/node_files.h"

namespace longshore::test {
namespace {

std::string path_of(Place place, const VolumeContext& volume) {
  switch (place) {
    case Place::kNone:
      return "";
    case Place::kStaging:
      return volume.staging;
    case Place::kStagingParent:
      return parent_of(volume.staging);
    case Place::kTarget:
      return volume.target;
    case Place::kTargetParent:
      return parent_of(volume.target);
  }
  return "";
}

Verdict make_call(const Call& call, Findings& found, Caller& caller) {
  const VolumeContext& volume = found.context;
  // RemoveSmbGlobalMapping alone names the share as the link has it.
  const bool is_removal = call.method == Method::kRemoveSmbGlobalMapping;
  const Arguments arguments{.path = path_of(call.place, volume),
                            .source = volume.staging,
                            .volume = found.volume,
                            .disk = found.disk,
                            .share = is_removal ? found.link : volume.share,
                            .username = volume.username,
                            .password = volume.password};
  const Reply reply = caller.call(call, arguments);
  const Verdict verdict = call.reaction(found, reply);
  const std::string name(name_of(call.method));
  if (verdict == Verdict::kPanics) {
    if (caller.has_lost_answer()) throw DriverRestart();
    throw std::runtime_error("the driver panics at the answer of " + name + ": " + reply.error);
  }
  if (verdict == Verdict::kFails) found.failure = name + ": " + found.failure;
  return verdict;
}

}  // namespace

MethodEnd run_rows(const Rows& rows, const VolumeContext& volume, Caller& caller,
                   std::set<const Row*>& reached) {
  Findings found{.context = volume};
  for (const Row& row : rows) {
    if (!row.when(found)) continue;
    reached.insert(&row);
    const auto* call = std::get_if<Call>(&row.what);
    const Verdict verdict =
        call != nullptr ? make_call(*call, found, caller) : std::get<Local>(row.what).deed(found);
    if (verdict == Verdict::kDone) return {.is_success = true};
    if (verdict == Verdict::kPanics) throw std::runtime_error("the driver panics by itself");
    if (verdict != Verdict::kGoesOn) return {.failure = found.failure};
  }
  return {.is_success = true};
}

}  // namespace longshore::test
